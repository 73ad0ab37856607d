import Accounts
import PQ

extension Residue.Gap {
    /// Why, for people.
    var sentence: String {
        switch self {
        case .unreadable(let columns): "this role may not read \(columns) of its columns"
        case .secured: "row security may hide rows of it"
        case .ambiguous(let columns): "so small a number may count anything in \(columns.joined(separator: ", "))"
        case .failed(let error): error.message
        }
    }
}
