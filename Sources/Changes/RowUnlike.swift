/// The difference of a row from the state that an operation left.
package enum RowUnlike: Sendable, Hashable {
    /// The row was deleted since, or exists again.
    case gone, back
    /// It changed in some columns.
    case changed(String)
    case other

    /// Reads the name that the database uses.
    package init?(_ name: String, names: String?) {
        switch name {
        case "gone": self = .gone
        case "back": self = .back
        case "changed": self = .changed(names ?? "")
        case "other": self = .other
        default: return nil
        }
    }
}

extension RowUnlike {
    /// The difference of a row of a table, for people.
    package func sentence(of table: String?) -> String { (table.map { "\($0) " } ?? "") + sentence }

    /// The difference, for people.
    package var sentence: String {
        switch self {
        case .gone: "is gone"
        case .back: "exists again"
        case .changed(let columns): "changed since in \(columns)"
        case .other: "does not have the expected values"
        }
    }
}
