internal import AppFile

/// A statement of the ledger's own schema, read piece by piece.
struct StatementReader {
    private let file: SourceFile
    private let tokens: [Token]
    private var at = 0

    init(_ statement: String) {
        file = SourceFile(name: "usher", text: statement)
        tokens = Lexer.tokens(of: file).tokens.filter { !$0.isComment }
    }

    var isAtEnd: Bool { at == tokens.count }

    /// The next piece, in small letters; nothing at the end.
    var next: String { at < tokens.count ? file.text(tokens[at].range).lowercased() : "" }

    /// Goes on by one piece.
    @discardableResult
    mutating func take() -> String {
        defer { at = min(at + 1, tokens.count) }
        return next
    }

    /// Goes on behind these pieces, if they are what comes next.
    @discardableResult
    mutating func take(_ pieces: String...) -> Bool {
        let start = at
        for piece in pieces where take() != piece {
            at = start
            return false
        }
        return true
    }

    /// A name in the schema of the ledger, without the schema.
    mutating func takeName() -> String? {
        take("usher", ".") ? take() : nil
    }

    /// The text up to a piece outside of any brackets, or to the end.
    mutating func takeText(until isEnd: (StatementReader) -> Bool) -> String {
        let start = at
        var depth = 0
        while at < tokens.count, depth > 0 || !isEnd(self) {
            switch take() {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            default: break
            }
        }
        return start == at ? "" : file.text(tokens[start].range.lowerBound..<tokens[at - 1].range.upperBound)
    }

    /// The content of a string constant, however it is quoted.
    mutating func takeString() -> String {
        guard at < tokens.count, tokens[at].kind == .string else { return "" }
        let text = file.text(tokens[at].range)
        take()
        if text.hasPrefix("'") { return String(text.dropFirst().dropLast()).replacing("''", with: "'") }
        let tag = text.dropFirst().prefix { $0 != "$" }.count + 2
        return String(text.dropFirst(tag).dropLast(tag))
    }

    /// Whether a word follows, rather than a sign, a number or a string.
    var isBeforeWord: Bool { at < tokens.count && tokens[at].kind == .word }
}
