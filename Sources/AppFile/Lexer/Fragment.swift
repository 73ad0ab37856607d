/// A piece of SQL in an app file: a statement or a condition, without the `;` that ends it.
package struct Fragment: Sendable, Hashable {
    package let file: SourceFile
    /// The tokens, without comments.
    package let tokens: [Token]
    /// Whether its brackets do not fit, which was said, so that what Postgres says of it is no news.
    package internal(set) var isBroken = false
    /// The relations it names where a relation may stand: behind FROM, JOIN, USING, UPDATE, INTO, TABLE.
    ///
    /// A column that is called like a relation is not a mention; neither is a function, nor a WITH query of its own.
    package var relations: [RelationMention] {
        // Most fragments of an app are never composed, and the others again and again.
        mentions.value { RelationScan.relations(of: tokens, in: file) }
    }
    private let mentions = FoundOnce<[RelationMention]>()

    init(file: SourceFile, tokens: [Token]) {
        self.file = file
        self.tokens = tokens
    }

    /// From the first token to the end of the last.
    package var range: Range<Int> {
        guard let first = tokens.first, let last = tokens.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// The SQL as it stands in the file.
    package var text: String { file.text(range) }

    /// The names of the parameters it uses, with their places.
    package var parameters: [(name: String, offset: Int)] {
        tokens.filter { $0.kind == .parameter }.map { (name(ofParameter: $0), $0.range.lowerBound) }
    }

    /// The name behind the colon.
    func name(ofParameter token: Token) -> String { file.text(token.range.dropFirst()) }

    /// The relations that are no tables of a schema.
    var unqualifiedNames: [String] { relations.filter { $0.schema == nil }.map(\.name) }

    /// Whether it is the single word `true`.
    package var isAlwaysTrue: Bool { tokens.count == 1 && tokens.first?.folded(in: file) == "true" }

    /// The same for fragments that differ in white space, comments and the case of words only.
    package var normalized: [String] { tokens.map { $0.kind == .word ? $0.folded(in: file) : file.text($0.range) } }
}

extension Fragment {
    package static func == (a: Fragment, b: Fragment) -> Bool { a.tokens == b.tokens && a.file == b.file }

    package func hash(into hasher: inout Hasher) { hasher.combine(range) }
}

/// A relation that a fragment reads or writes.
package struct RelationMention: Sendable, Hashable {
    /// The schema, nil when the name stands alone.
    package let schema: String?
    package let name: String
    package let offset: Int
}

extension RelationMention {
    /// The tables of schemas that a statement names, each with the character at which its name begins, counted from one.
    package static func all(in sql: String) -> [(table: TableName, position: Int)] {
        let file = SourceFile(name: "", text: sql)
        let tokens = Lexer.tokens(of: file).tokens.filter { $0.kind != .lineComment && $0.kind != .blockComment }
        return RelationScan.relations(of: tokens, in: file).compactMap { mention in
            mention.schema.map { schema in
                (
                    TableName(schema: schema, name: mention.name),
                    String(decoding: file.bytes[..<mention.offset], as: UTF8.self).unicodeScalars.count + 1
                )
            }
        }
    }
}

/// A table or view by its schema and name; either may hold any character.
package struct TableName: Sendable, Hashable {
    package let schema: String
    package let name: String

    /// A table of a schema.
    package init(schema: String, name: String) {
        self.schema = schema
        self.name = name
    }
}
