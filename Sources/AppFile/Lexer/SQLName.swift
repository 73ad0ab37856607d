/// Parses names in the text of a directive as SQL does: folded to lower case, or in double quotes.
package enum SQLName {
    /// The name of the schema with the audit log.
    static let ledger = "usher"

    /// The parts of a path such as `schema.table.column`; nil if the text isn't a path.
    package static func parts(ofPath text: some StringProtocol) -> [String]? {
        let (names, mistake) = parse(text, between: ".")
        return mistake == nil ? names : nil
    }

    /// The name in a text that contains exactly one name; nil for any other text.
    static func name(_ text: some StringProtocol) -> String? {
        parts(ofPath: text).flatMap { $0.count == 1 ? $0[0] : nil }
    }

    /// Joins names to a path; a name gets quotes only if SQL would read it differently without them.
    package static func path(of names: [String]) -> String {
        names.map { parts(ofPath: $0) == [$0] ? $0 : Composer.quoted($0) }.joined(separator: ".")
    }

    /// A path with quotes around every name, because an unquoted name can be a keyword in SQL.
    static func quoted(_ path: String) -> String {
        parts(ofPath: path).map { $0.map(Composer.quoted).joined(separator: ".") } ?? path
    }

    /// The names in a list with commas, and the offset of the first mistake; nil if there is no mistake.
    static func list(_ text: Substring) -> (names: [String], mistake: Int?) { parse(text, between: ",") }

    /// All names in an expression except the names of functions.
    package static func all(in expression: String) -> Set<String> {
        let file = SourceFile(name: "", bytes: Array(expression.utf8))
        let tokens = Lexer.tokens(of: file).tokens.filter { !$0.isComment }
        let next = tokens.dropFirst().map { file.text($0.range) } + [""]
        return Set(zip(tokens, next).filter { $0.isName && $1 != "(" }.map { $0.0.folded(in: file) })
    }

    private static func parse(
        _ text: some StringProtocol, between separator: String
    ) -> (names: [String], mistake: Int?) {
        let file = SourceFile(name: "", bytes: Array(text.utf8))
        let (tokens, problems) = Lexer.tokens(of: file)
        if let problem = problems.first { return ([], problem.offset) }
        var names: [String] = []
        for (index, token) in tokens.enumerated() {
            if !index.isMultiple(of: 2) {
                guard file.text(token.range) == separator else { return (names, token.range.lowerBound) }
            } else if token.isName, !token.hasUnicodeEscapes(in: file) {
                names.append(token.folded(in: file))
            } else {
                return (names, token.range.lowerBound)
            }
        }
        return (names, tokens.count.isMultiple(of: 2) ? file.bytes.count : nil)
    }
}

extension TableName {
    /// Parses `schema.table` as SQL does; nil for any other text.
    package init?(path: String) {
        guard let names = SQLName.parts(ofPath: path), names.count == 2 else { return nil }
        self.init(schema: names[0], name: names[1])
    }

    /// The schema and the name as SQL, in quotes.
    package var quoted: String { Composer.quoted(schema) + "." + Composer.quoted(name) }
}

extension Token {
    /// True for a word or a quoted name.
    var isName: Bool { kind == .word || kind == .quotedName }

    /// True for `U&"…"`, a quoted name that can contain Unicode escapes.
    func hasUnicodeEscapes(in file: SourceFile) -> Bool {
        kind == .quotedName && file.bytes[range.lowerBound] != UInt8(ascii: "\"")
    }

    /// The token as a keyword or name, folded as in Postgres: only the letters from A to Z change.
    func folded(in file: SourceFile) -> String {
        let bytes = file.bytes[range]
        switch kind {
        // Most names are already in lower case.
        case .word where bytes.contains(where: { (0x41...0x5A).contains($0) }):
            return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        case .quotedName:
            let quote = UInt8(ascii: "\"")
            let name = bytes.dropFirst().dropLast().replacing([quote, quote], with: [quote])
            return String(decoding: name, as: UTF8.self)
        default: return file.text(range)
        }
    }
}

/// A table with its schema, and a column if one is given, quoted so that SQL and usher's options accept it.
package func pasted(_ table: String, _ column: String? = nil) -> String {
    SQLName.path(of: table.split(separator: ".", maxSplits: 1).map(String.init) + [column].compactMap { $0 })
}

/// A list of tables with their schemas, separated by commas.
package func pasted(_ tables: [String]) -> String { tables.map { pasted($0) }.joined(separator: ", ") }
