package import PQ

/// The words by which names of tables and columns speak, each with its senses, as `catalog/lexicon.sql` lists them.
package struct Lexicon: Sendable {
    private var senses: [String: Set<String>] = [:]
    /// The words of each sense, in order.
    private let words: [String: [String]]

    package static let query = Query(file: "catalog/lexicon.sql")

    /// Reads the answer.
    package init(_ answer: Rows) throws(DecodingFailure) {
        var words: [String: [String]] = [:]
        for row in answer.rows {
            let (word, sense) = (try row.text("word"), try row.text("sense"))
            if senses[word, default: []].insert(sense).inserted { words[sense, default: []].append(word) }
        }
        self.words = words.mapValues { $0.sorted() }
    }

    /// The senses of a word, none of one that is not listed.
    package subscript(word: String) -> Set<String> { senses[word] ?? [] }

    /// True if a word has a sense.
    package func has(_ word: String, _ sense: String) -> Bool { self[word].contains(sense) }

    /// The words with one of some senses, in order.
    package func with(_ wanted: [String]) -> [String] {
        wanted.count == 1 ? words[wanted[0]] ?? [] : Set(wanted.flatMap { words[$0] ?? [] }).sorted()
    }

    /// The singular forms of a word, the word itself included: `companies` and `company`.
    package func singulars(of word: String) -> [String] {
        let irregular = self[word].compactMap { sense in
            sense.hasPrefix(Self.plural) ? String(sense.dropFirst(Self.plural.utf8.count)) : nil
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

    /// True if a table is called like the one that lists all users.
    package func isDirectory(_ table: String) -> Bool { has(table.lowercased(), "directory") }

    /// True if a column is called as if it held addresses.
    package func isAddress(_ column: String) -> Bool {
        with(["address"]).contains(where: column.lowercased().hasSuffix)
    }

    /// True if a column is called an address, and nothing besides; its name is in small words.
    package func isPlainAddress(_ column: String) -> Bool { has(column, "address") }

    /// True if a column is called like what things are called.
    package func isTitle(_ column: String) -> Bool { has(column.lowercased(), "titled") }

    /// A name in small words, without the last one where that only says that it is a key.
    package func withoutKey(_ words: [String]) -> [String] {
        words.count > 1 && words.last.map { has($0, "key") } == true ? Array(words.dropLast()) : words
    }

    /// True if a column is called as if it said how something stands.
    package func isStanding(_ column: String) -> Bool {
        with(["standing"]).contains(where: column.lowercased().hasSuffix)
    }

    /// The columns of some tables that are called like secrets.
    package func secretColumns(of tables: [(schema: String, name: String)]) -> Query {
        Query(
            file: "catalog/secret_names.sql",
            [
                arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name)), arrayLiteral(with(["secret"])),
                arrayLiteral(with(["disguise"])),
            ])
    }

    /// The known values of columns with names such as `status`.
    package var seenStandings: Query {
        Query(file: "catalog/seen_values.sql", [arrayLiteral(with(["standing"]))])
    }

    /// The numbers that stand beside what they must not exceed.
    package var limitColumns: Query {
        Query(file: "catalog/limit_columns.sql", [arrayLiteral(with(["bound"])), arrayLiteral(with(["spent"]))])
    }
}
