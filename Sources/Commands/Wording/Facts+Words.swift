import Inquiries
import Ledger

extension HeldRight {
    /// Who may do what.
    package var sentence: String {
        switch subject {
        case .table(let name, let privileges): "\(role) may \(privileges.joined(separator: ", ")) on \(name)"
        case .schema(let name): "\(role) may create in the schema \(name)"
        case .role(let name): "\(role) may do what \(name) may"
        case .secret(let column): "\(role) can read \(column), which is a @secret"
        case .roles: "\(role) may make roles, and take what any of them has"
        }
    }
}

extension SessionReader {
    /// Which it is, and what of the operator it takes for the owner.
    package var sentence: String { "\(kind) \(name) of \(table) reads \(users.joined(separator: ", "))" }
}
