package import PQ

/// The words from `catalog/lexicon.sql` that suggest the purpose of a table or column, such as `email`.
package struct Lexicon: Sendable {
    /// The words of each sense, in order.
    private let words: [String: [String]]

    package static let query = Query(file: "catalog/lexicon.sql")

    package init(_ answer: Rows) throws(PQError) {
        var words: [String: Set<String>] = [:]
        for row in answer.rows { words[try row.text("sense"), default: []].insert(try row.text("word")) }
        self.words = words.mapValues { $0.sorted() }
    }

    private func with(_ sense: String) -> [String] { words[sense] ?? [] }

    /// The singular forms of a word, including the word itself: `companies` and `company`.
    package func singulars(of word: String) -> [String] {
        let irregular = words.filter { $0.key.hasPrefix(Self.plural) && $0.value.contains(word) }.map { sense, _ in
            String(sense.dropFirst(Self.plural.utf8.count))
        }
        let regular = words.filter { $0.key.hasPrefix(Self.ending) }.flatMap { sense, endings in
            endings.filter { word.utf8.count > $0.utf8.count && word.hasSuffix($0) }.map { ending in
                String(word.dropLast(ending.count)) + sense.dropFirst(Self.ending.utf8.count).filter { $0 != " " }
            }
        }
        return [word] + irregular + regular
    }

    private static let plural = "plural of "
    private static let ending = "plural end"

    package func isDirectory(_ table: String) -> Bool { with("directory").contains(table.lowercased()) }

    package func isAddress(_ column: String) -> Bool {
        with("address").contains(where: column.lowercased().hasSuffix)
    }

    /// True if the name of a column, in lower case, is a word for email.
    package func isPlainAddress(_ column: String) -> Bool { with("address").contains(column) }

    /// True if the name of a column suggests a status.
    package func isStanding(_ column: String) -> Bool {
        with("standing").contains(where: column.lowercased().hasSuffix)
    }

    package func secretColumns(of tables: [(schema: String, name: String)]) -> Query {
        Query(
            file: "catalog/secret_names.sql",
            [
                arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name)), arrayLiteral(with("secret")),
                arrayLiteral(with("disguise")),
            ])
    }

    /// Queries the values in columns with names such as `status`.
    package var seenStandings: Query {
        Query(file: "catalog/seen_values.sql", [arrayLiteral(with("standing"))])
    }
}
