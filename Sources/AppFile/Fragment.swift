/// A piece of SQL in an app file: a statement or a condition, without the `;` that ends it.
package struct Fragment: Sendable, Hashable {
    package let file: SourceFile
    /// The tokens, without comments.
    package let tokens: [Token]

    /// From the first token to the end of the last.
    package var range: Range<Int> {
        guard let first = tokens.first, let last = tokens.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// The SQL as it stands in the file.
    package var text: String { file.text(range) }

    /// The text of one of its tokens.
    func text(_ token: Token) -> String { file.text(token.range) }

    /// A token as a keyword or folded name, the way Postgres folds it.
    func folded(_ token: Token) -> String { Self.folded(token, in: file) }

    private static func folded(_ token: Token, in file: SourceFile) -> String {
        switch token.kind {
        case .quotedName: unquoted(file.text(token.range))
        case .word: file.text(token.range).lowercased()
        default: file.text(token.range)
        }
    }

    private static func unquoted(_ name: String) -> String {
        name.dropFirst().dropLast().split(separator: "\"\"", omittingEmptySubsequences: false).joined(separator: "\"")
    }

    /// The names of the parameters it uses, with their places.
    package var parameters: [(name: String, offset: Int)] {
        tokens.filter { $0.kind == .parameter }.map { (String(text($0).dropFirst()), $0.range.lowerBound) }
    }

    /// Whether it is the single word `true`.
    package var isAlwaysTrue: Bool { tokens.count == 1 && tokens.first.map(folded) == "true" }
}
