/// Parses names in the text of a directive as SQL does: folded to lower case, or in double quotes.
package enum SQLName {
    /// The name of the schema with the audit log.
    static let ledger = "usher"

    /// The parts of a path such as `schema.table.column`; nil if the text isn't a path.
    package static func parts(ofPath text: String) -> [String]? {
        if case .names(let names) = path(text[...]) { names } else { nil }
    }

    /// Joins names to a path; a name gets quotes only if SQL would read it differently without them.
    package static func path(of names: [String]) -> String {
        names.map { parts(ofPath: $0) == [$0] ? $0 : Composer.quoted($0) }.joined(separator: ".")
    }

    /// A path with quotes around every name, because an unquoted name can be a keyword in SQL.
    static func quoted(_ path: String) -> String {
        parts(ofPath: path).map { $0.map(Composer.quoted).joined(separator: ".") } ?? path
    }

    /// The names in a text, or the offset of the first mistake.
    enum Reading {
        case names([String])
        case mistake(byte: Int)

        /// The name, if the text contains exactly one name; otherwise nil.
        var name: String? {
            if case .names(let names) = self, names.count == 1 { names[0] } else { nil }
        }
    }

    /// Parses names that are separated by commas.
    static func list(_ text: Substring) -> Reading { parse(text, between: ",") }

    /// Parses names that are separated by dots: a column, a table with its schema, or both.
    static func path(_ text: Substring) -> Reading { parse(text, between: ".") }

    /// All names in an expression except the names of functions.
    package static func all(in expression: String) -> Set<String> {
        let file = SourceFile(name: "", bytes: Array(expression.utf8))
        let tokens = Lexer.tokens(of: file).tokens.filter { !$0.isComment }
        let next = tokens.dropFirst().map { file.text($0.range) } + [""]
        return Set(zip(tokens, next).filter { $0.isName && $1 != "(" }.map { $0.0.folded(in: file) })
    }

    private static func parse(_ text: Substring, between separator: String) -> Reading {
        let file = SourceFile(name: "", bytes: Array(text.utf8))
        let (tokens, problems) = Lexer.tokens(of: file)
        if let problem = problems.first { return .mistake(byte: problem.offset) }
        var names: [String] = []
        for (index, token) in tokens.enumerated() {
            if index.isMultiple(of: 2) {
                guard token.isName, !token.hasUnicodeEscapes(in: file) else {
                    return .mistake(byte: token.range.lowerBound)
                }
                names.append(token.folded(in: file))
            } else if file.text(token.range) != separator {
                return .mistake(byte: token.range.lowerBound)
            }
        }
        return tokens.count.isMultiple(of: 2) ? .mistake(byte: file.bytes.count) : .names(names)
    }
}

extension TableName {
    /// Parses `schema.table` as SQL does; nil for any other text.
    package init?(path: String) {
        guard case .names(let names) = SQLName.path(path[...]), names.count == 2 else { return nil }
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
        let quote = UInt8(ascii: "\"")
        switch kind {
        // Most names are already in lower case.
        case .word where bytes.contains(where: { (0x41...0x5A).contains($0) }):
            return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        case .quotedName:
            var name: [UInt8] = []
            var isSecondQuote = false
            for byte in bytes.dropFirst().dropLast() {
                isSecondQuote = byte == quote && !isSecondQuote
                if !isSecondQuote { name.append(byte) }
            }
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
