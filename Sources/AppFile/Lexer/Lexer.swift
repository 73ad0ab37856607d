/// Splits SQL into tokens by Postgres' rules for quotes, dollar quotes, comments and casts.
///
/// The lexer never fails: an unclosed quote or comment becomes a token and a diagnostic.
package struct Lexer {
    private let file: SourceFile
    private let bytes: [UInt8]
    private var at = 0
    private var tokens: [Token] = []
    private var diagnostics: [Diagnostic] = []

    private init(_ file: SourceFile) {
        self.file = file
        bytes = file.bytes
    }

    /// All tokens of a file without white space, and diagnostics for unclosed quotes and comments.
    package static func tokens(of file: SourceFile) -> (tokens: [Token], diagnostics: [Diagnostic]) {
        var lexer = Lexer(file)
        while lexer.at < lexer.bytes.count { lexer.scanToken() }
        return (lexer.tokens, lexer.diagnostics)
    }

    private func peek(_ distance: Int = 0) -> UInt8 { at + distance < bytes.count ? bytes[at + distance] : 0 }

    private mutating func scanToken() {
        let start = at
        if let kind = scanKind() { tokens.append(Token(kind: kind, range: start..<at)) }
    }

    /// Scans the next token and returns its kind; nil for a white space character.
    private mutating func scanKind() -> Token.Kind? {
        switch bytes[at] {
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
            scanLineComment()
            return .lineComment
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            scanBlockComment()
            return .blockComment
        case UInt8(ascii: "'"):
            scanQuoted(UInt8(ascii: "'"), from: at)
            return .string
        case UInt8(ascii: "\""):
            scanQuoted(UInt8(ascii: "\""), from: at)
            return .quotedName
        case UInt8(ascii: "$"): return scanDollar()
        case UInt8(ascii: ":"): return scanColon()
        case let byte where Self.isDigit(byte):
            skipName()
            return .number
        case let byte where Self.startsName(byte): return scanWord()
        case let byte:
            at += 1
            return isBlank(byte) ? nil : byte == UInt8(ascii: ";") ? .semicolon : .symbol
        }
    }

    /// Skips the bytes that names and numbers can contain.
    private mutating func skipName() {
        while at < bytes.count, Self.continuesName(bytes[at]) { at += 1 }
    }

    /// Scans a line comment; a single carriage return also ends it, as in Postgres.
    private mutating func scanLineComment() {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n"), bytes[at] != UInt8(ascii: "\r") { at += 1 }
    }

    /// Scans a block comment; block comments can be nested, as in Postgres.
    private mutating func scanBlockComment() {
        let start = at
        var depth = 0
        while at < bytes.count {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                at += 2
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                at += 2
                if depth == 0 { return }
            } else {
                at += 1
            }
        }
        reportUnclosed("comment", at: start)
        skipToDirective(behind: start)
    }

    /// Skips the text before the next directive, so that an unclosed quote or comment doesn't hide the blocks below it.
    private mutating func skipToDirective(behind start: Int) {
        at = bytes.indices[start...].first { bytes[$0] == UInt8(ascii: "\n") && isDirective(behind: $0) } ?? bytes.count
    }

    private func isDirective(behind place: Int) -> Bool { bytes[(place + 1)...].starts(with: Self.directiveMark) }

    private mutating func scanQuoted(_ quote: UInt8, from start: Int, backslashes: Bool = false) {
        at += 1
        while at < bytes.count {
            if backslashes, bytes[at] == UInt8(ascii: "\\") {
                at = min(at + 2, bytes.count)
            } else if bytes[at] != quote {
                // If a directive follows before the closing quote, the quote is missing, so the string or name ends
                // here.
                if bytes[at] == UInt8(ascii: "\n"), isDirective(behind: at) { break }
                at += 1
            } else if peek(1) == quote {
                at += 2
            } else {
                at += 1
                return
            }
        }
        reportUnclosed(quote == UInt8(ascii: "'") ? "string" : "quoted name", at: start)
    }

    /// Scans `$1`, `$$ … $$`, `$tag$ … $tag$`, or a single dollar sign.
    private mutating func scanDollar() -> Token.Kind {
        let start = at
        at += 1
        if Self.isDigit(peek()) {
            while Self.isDigit(peek()) { at += 1 }
            return .positional
        }
        var end = at
        while end < bytes.count, Self.continuesName(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return .symbol }
        let tag = bytes[start...end]
        at = end + 1
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "$"), bytes[at...].starts(with: tag) {
                at += tag.count
                return .string
            }
            at += 1
        }
        reportUnclosed("dollar-quoted string", at: start)
        skipToDirective(behind: start)
        return .string
    }

    /// Scans `:name`, `::`, or a single colon.
    private mutating func scanColon() -> Token.Kind {
        at += 1
        if peek() == UInt8(ascii: ":") {
            at += 1
            return .symbol
        }
        guard Self.startsName(peek()) else { return .symbol }
        skipName()
        return .parameter
    }

    /// Scans a name, or a string with a prefix: `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`, `U&"…"`.
    private mutating func scanWord() -> Token.Kind {
        let start = at
        skipName()
        guard at - start == 1 else { return .word }
        let letter = bytes[start] | 0x20
        if letter == UInt8(ascii: "u"), peek() == UInt8(ascii: "&"),
            peek(1) == UInt8(ascii: "'") || peek(1) == UInt8(ascii: "\"")
        {
            at += 1
            let quote = peek()
            scanQuoted(quote, from: start)
            return quote == UInt8(ascii: "'") ? .string : .quotedName
        }
        if peek() == UInt8(ascii: "'"), "ebxn".utf8.contains(letter) {
            scanQuoted(UInt8(ascii: "'"), from: start, backslashes: letter == UInt8(ascii: "e"))
            return .string
        }
        return .word
    }

    /// The text with which each directive begins.
    private static let directiveMark = Array("-- @".utf8)

    private mutating func reportUnclosed(_ what: String, at start: Int) {
        diagnostics.append(Diagnostic("this \(what) is never closed", at: file.place(at: start)))
    }
}

/// The bytes that names and numbers can contain; names can contain any byte beyond ASCII, as in Postgres.
extension Lexer {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func startsName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
            || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func continuesName(_ byte: UInt8) -> Bool {
        startsName(byte) || isDigit(byte) || byte == UInt8(ascii: "$")
    }
}
