/// A file of plain statements, cut apart so that each can be sent on its own.
package enum SQLScript {
    /// The statements of a file, without the semicolons between them and without comments outside of them.
    package static func statements(of file: SourceFile) -> [String] {
        var statements: [String] = []
        var current: [Token] = []
        for token in Lexer.tokens(of: file).tokens where !token.isComment {
            if token.kind != .semicolon {
                current.append(token)
            } else if !current.isEmpty {
                statements.append(Fragment(file: file, tokens: current).text)
                current = []
            }
        }
        if !current.isEmpty { statements.append(Fragment(file: file, tokens: current).text) }
        return statements
    }
}
