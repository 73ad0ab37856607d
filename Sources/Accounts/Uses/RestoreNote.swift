/// What did not come back from an archive, or is otherwise than it was, in facts.
package enum RestoreNote: Sendable, Hashable {
    /// Rows that the deletion or a trigger of it changed, and somebody since, left as they are now.
    case changedSince(TableRows)
    /// Rows of the app's own queue that are not as the deletion added them, left as they are now.
    case workedOn(TableRows)
    /// Rows that lost something at the deletion, and that are not there any more.
    case gone(TableRows)
    /// Rows that a trigger changed or took as they came back.
    case taken(TableRows)
    /// Rows that are not as before in columns that a trigger sets, but for when they were written.
    case set(TableRows, columns: [String])
    /// Rows that triggers wrote, and deleted, besides.
    case written(TableRows)
    case deleted(TableRows)
    /// What triggers did at the deletion, and the archive does not hold.
    case lost(TableRows, AtDeletion)
    /// The server counts nothing, so triggers may have written unseen.
    case uncounted

    /// What triggers did to rows at the deletion: what they wrote is still there.
    package enum AtDeletion: String, Sendable, CaseIterable { case updated, deleted, written }

    /// Which rows of which table it is about.
    package var rows: TableRows? {
        switch self {
        case .changedSince(let rows), .workedOn(let rows), .gone(let rows), .taken(let rows), .set(let rows, _),
            .written(let rows), .deleted(let rows), .lost(let rows, _):
            rows
        case .uncounted: nil
        }
    }
}

/// Rows in which triggers say when they were written: now, and not at the time that the archive has.
package struct DatedRows: Sendable, Hashable {
    package let table: String
    package let rows: Int
    package let columns: [String]

    package init(_ table: String, _ rows: Int, columns: [String]) {
        (self.table, self.rows, self.columns) = (table, rows, columns)
    }
}
