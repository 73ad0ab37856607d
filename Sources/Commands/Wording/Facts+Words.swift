import Inquiries
import Ledger

extension HeldRight {
    /// The right and its role.
    package var sentence: String {
        switch subject {
        case .table(let name, let privileges): "\(role) has \(privileges.joined(separator: ", ")) on \(name)"
        case .schema(let name): "\(role) can create objects in the schema \(name)"
        case .role(let name): "\(role) has all rights of \(name)"
        case .secret(let column): "\(role) can read \(column), which is a @secret"
        case .roles: "\(role) can create roles and get the rights of any role"
        }
    }
}

extension SessionReader {
    /// Which it is, and what of the operator it takes for the owner.
    package var sentence: String { "\(kind) \(name) of \(table) reads \(users.joined(separator: ", "))" }
}
