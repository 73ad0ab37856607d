internal import PQ

/// A column that holds the person, or keys of rows that go, although nothing declares it: reported, and acted on only when
/// somebody says how.
package struct HeldColumn: Sendable, Hashable {
    package enum Kind: String, Sendable { case key, list, text, json }

    package let table: String
    package let column: String
    /// The column as `--suspected` and a line of an app file take it.
    package let path: String
    package let kind: Kind
    /// Rows that hold the id or an address, besides those that the deletion takes anyway.
    package let rows: Int
    /// Whether the person is all that a text holds in each of them.
    package let isWhole: Bool
    /// Whether it is a materialized view, which nothing but a refresh changes, or another server's table.
    package let isCopy: Bool
    package let isForeign: Bool
    /// The tables whose rows it refers to, where those go and no foreign key says so.
    package internal(set) var refersTo: [String] = []
    /// Whether it is the other way round: those refer to it, and nobody else's rows do.
    package internal(set) var isHalf = false
    /// Whether no row says for certain that it is them, but for an address that ends like theirs and is no other user's.
    package internal(set) var isDoubtful = false
    /// Why nobody can tell whether it holds them.
    package internal(set) var trouble: String?

    /// The column with its table.
    package var name: String { "\(table).\(column)" }

    /// What speaks for it, wherever it stands: the same of no table and no rows.
    var likeness: HeldColumn {
        HeldColumn(
            table: "", column: column, path: "", kind: kind, rows: 0, isWhole: isWhole, isCopy: isCopy,
            isForeign: isForeign,
            refersTo: refersTo, isHalf: isHalf, isDoubtful: isDoubtful, trouble: trouble)
    }

    static func inOrder(_ columns: [HeldColumn]) -> [HeldColumn] {
        columns.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}

/// All such columns of an account, and what becomes of each.
struct HeldColumns {
    private(set) var all: [HeldColumn] = []
    /// What was answered, with what the lines of the app file say once and for all.
    let answers: AccountAnswers
    /// Columns of other users' rows, which stay although they were to go.
    private let untouchable: Set<String>
    /// The oldest transaction whose rows the search may not have seen; nil where nothing was searched.
    private(set) var since: String?

    /// None, where nobody looks.
    init(unsearched answers: AccountAnswers) { (self.answers, untouchable) = (answers, []) }

    init(_ columns: [HeldColumn], since: String?, _ answers: AccountAnswers, untouchable: Set<String>) {
        (all, self.since, self.answers) = (HeldColumn.inOrder(columns), since, answers)
        self.untouchable = untouchable
    }

    /// Asks for that transaction, as long as the search sees one instant.
    static let instant: Query = "select pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) as since"

    func answer(to column: HeldColumn) -> AccountAnswer? { answers[column.table, column.column] }

    /// Those that nobody answered for.
    var unanswered: [HeldColumn] { all.filter { answer(to: $0) == nil } }

    /// Those that will hold the person still: nobody answered for them, or what was answered cannot be done.
    var open: [HeldColumn] {
        all.filter { column in
            let answer = answer(to: column)
            return answer == nil || untouchable.contains(column.name)
                || (column.isCopy || column.trouble != nil) && answer != .keep
        }
    }

    /// Those that stay although they were to go: they stand in rows of other users.
    var untouched: [HeldColumn] { open.filter { untouchable.contains($0.name) } }

    /// Those that stay on request.
    var kept: [HeldColumn] {
        let open = Set(open)
        return all.filter { !open.contains($0) && answer(to: $0) == .keep }
    }
}
