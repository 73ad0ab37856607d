/// Splits a file of plain statements, so that usher can send each one separately.
package enum SQLScript {
    /// The statements of a file, without the semicolons between them and without comments outside of statements.
    package static func statements(of file: SourceFile) -> [String] {
        var statements: [String] = []
        var current: [Token] = []
        for token in Lexer.tokens(of: file).tokens where !token.isComment {
            if token.kind != .semicolon {
                current.append(token)
            } else if !current.isEmpty {
                statements.append(text(of: current, in: file))
                current = []
            }
        }
        if !current.isEmpty { statements.append(text(of: current, in: file)) }
        return statements
    }

    private static func text(of tokens: [Token], in file: SourceFile) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        return file.text(first.range.lowerBound..<last.range.upperBound)
    }
}
