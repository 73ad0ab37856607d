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
    let isForeign: Bool
    /// The tables whose rows it refers to, where those go and no foreign key says so.
    package internal(set) var refersTo: [String] = []
    /// Whether it is the other way round: those refer to it, and nobody else's rows do.
    var isHalf = false
    /// Why nobody can tell whether it holds them.
    var trouble: String?

    /// The column with its table.
    package var name: String { "\(table).\(column)" }

    package var why: String {
        if let trouble { return "cannot be looked into: \(trouble)" }
        if isHalf { return "rows that go of \(refersTo.joined(separator: ", ")) refer to it, and nobody else's" }
        if !refersTo.isEmpty {
            let refers = kind == .list ? "lists" : "refers to"
            return "\(refers) rows that go of \(refersTo.joined(separator: ", ")), without a foreign key"
        }
        if isForeign { return "a foreign table: only its own server should change it" }
        if isCopy { return "a materialized view: refresh it" }
        return switch kind {
        case .key: "holds the id, without a foreign key"
        case .list: "lists the id"
        case .text where isWhole: "holds the id or an address as text"
        case .text, .json: "mentions the id or an address"
        }
    }

    static func inOrder(_ columns: [HeldColumn]) -> [HeldColumn] {
        columns.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}
