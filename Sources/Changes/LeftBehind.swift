import Asking

/// The values that an undo does not restore, or a preview does not show.
package enum LeftBehind: Sendable, Hashable {
    /// Rows added to a table without a key.
    case keyless(table: String)
    /// Columns where triggers overwrote the values that the undo wrote.
    case overwritten(String, table: String)
    /// Rows whose record was erased by the deletion of a user.
    case erased(Int)
    /// A skipped preview, because the change or a trigger may have effects that a rollback doesn't undo.
    case outside

    /// True if the undo of a bulk change counts these rows as refused.
    package var isRefused: Bool { if case .erased = self { true } else { false } }

    /// True if the values are no problem for the operator, as with a column `updated_at`.
    package var isHarmless: Bool { if case .overwritten = self { true } else { false } }

    /// Creates the case for a name that the database function returns.
    package init?(_ name: String, table: String, names: String?) {
        switch name {
        case "keyless": self = .keyless(table: table)
        case "overwritten": self = .overwritten(names ?? "", table: table)
        case "outside": self = .outside
        case "erased": self = .erased(names.flatMap { Int($0) } ?? 0)
        default: return nil
        }
    }
}

extension LeftBehind {
    /// A sentence for the operator about these values.
    package var sentence: String {
        switch self {
        case .keyless(let table):
            "\(table) has no key, so the undo can't remove the rows that the operation added to it"
        case .overwritten(let columns, let table):
            "a trigger overwrites \(columns) of \(table), so the undo does not restore these values"
        case .erased(let rows):
            "the undo skips \(rows.of("row")), because the deletion of a user erased the record of these rows"
        case .outside:
            "usher shows no preview, because the change or a trigger may have effects that a rollback doesn't undo"
        }
    }
}
