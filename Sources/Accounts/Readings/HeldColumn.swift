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
    /// Why nobody can tell whether it holds them.
    package internal(set) var trouble: String?

    /// The column with its table.
    package var name: String { "\(table).\(column)" }

    /// What speaks for it, wherever it stands.
    var likeness: Likeness {
        Likeness(
            column: column, kind: kind, isWhole: isWhole, isCopy: isCopy, isForeign: isForeign, refersTo: refersTo,
            isHalf: isHalf, trouble: trouble)
    }

    struct Likeness: Hashable {
        let column: String
        let kind: Kind
        let isWhole, isCopy, isForeign: Bool
        let refersTo: [String]
        let isHalf: Bool
        let trouble: String?
    }

    static func inOrder(_ columns: [HeldColumn]) -> [HeldColumn] {
        columns.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}
