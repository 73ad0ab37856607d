package import PQ
internal import Asking
internal import Catalog

/// Who somebody is, for whoever decides about the account: what others call them, and since when anything is known of them.
package struct Person: Sendable, Hashable {
    package let name: String?
    /// The earliest instant in the row of the user.
    package let since: Value?

    /// Reads what an app file says of a user, or what stands in the user's own row.
    init(_ facts: Row, _ lexicon: Lexicon) {
        func first(_ sense: String) -> String? {
            for (column, value) in zip(facts.columns, facts.values) {
                let words = NameWords.all(of: column.name).joined(separator: "_")
                if lexicon.has(words, sense), let text = value.text, !text.isEmpty { return text }
            }
            return nil
        }
        let halves = [first("first name"), first("last name")].compactMap(\.self)
        name = first("called") ?? (halves.isEmpty ? nil : halves.joined(separator: " "))
        let instants = facts.values.filter { value in
            // What is infinite tells of no time.
            [.timestamp, .timestamptz].contains(value.type) && value.text?.first?.isNumber == true
        }
        since = instants.min { ($0.text ?? "") < ($1.text ?? "") }
    }

    /// Asks for what stands in the row of the one user who is meant; nil where several are.
    static func query(
        _ root: AccountRoot, _ graph: Graph, _ columns: TableColumns, _ lexicon: Lexicon, besides secrets: Set<String>
    ) -> Query? {
        guard root.values.count == 1, let table = graph.tables[root.oid] else { return nil }
        let names = (columns.names[root.oid] ?? []).filter { name in
            guard let column = columns[root.oid]?[name], column.isReadable, !secrets.contains("\(root.table).\(name)")
            else { return false }
            let words = NameWords.all(of: name).joined(separator: "_")
            let isName = ["called", "first name", "last name"].contains { lexicon.has(words, $0) }
            return column.isInstant || column.isTextual && isName
        }
        guard !names.isEmpty else { return nil }
        var bindings = Bindings()
        let condition = root.key.matches([root.list], as: .root, &bindings)
        let cells = names.map(cell).joined(separator: ", ")
        return Query(unsafe: "select \(cells) from \(table.ownRows) t where \(condition)", values: bindings.values)
    }
}
