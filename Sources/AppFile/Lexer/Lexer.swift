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

    /// True if the previous byte is a dot: then a dot at this byte doesn't begin a number, as in `1..5`.
    private var isBehindDot: Bool { at > 0 && bytes[at - 1] == UInt8(ascii: ".") }

    private mutating func scanToken() {
        let start = at
        switch bytes[at] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0B, 0x0C:
            at += 1
            return
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
            scanLineComment()
            emit(.lineComment, from: start)
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            scanBlockComment()
            emit(.blockComment, from: start)
        case UInt8(ascii: "'"):
            scanQuoted(UInt8(ascii: "'"), from: start)
            emit(.string, from: start)
        case UInt8(ascii: "\""):
            scanQuoted(UInt8(ascii: "\""), from: start)
            emit(.quotedName, from: start)
        case UInt8(ascii: "$"):
            scanDollar()
        case UInt8(ascii: ":"):
            scanColon()
        case UInt8(ascii: ";"):
            at += 1
            emit(.semicolon, from: start)
        case let byte where Self.isDigit(byte) || (byte == UInt8(ascii: ".") && Self.isDigit(peek(1)) && !isBehindDot):
            scanNumber()
            emit(.number, from: start)
        case let byte where Self.startsName(byte):
            scanWord()
        default:
            at += 1
            emit(.symbol, from: start)
        }
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<at))
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
    private mutating func scanDollar() {
        let start = at
        at += 1
        if Self.isDigit(peek()) {
            while Self.isDigit(peek()) { at += 1 }
            return emit(.positional, from: start)
        }
        var end = at
        while end < bytes.count, Self.continuesName(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return emit(.symbol, from: start) }
        let tag = bytes[start...end]
        at = end + 1
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "$"), bytes[at...].starts(with: tag) {
                at += tag.count
                return emit(.string, from: start)
            }
            at += 1
        }
        reportUnclosed("dollar-quoted string", at: start)
        skipToDirective(behind: start)
        emit(.string, from: start)
    }

    private mutating func scanColon() {
        let start = at
        at += 1
        if peek() == UInt8(ascii: ":") {
            at += 1
            return emit(.symbol, from: start)
        }
        guard Self.startsName(peek()) else { return emit(.symbol, from: start) }
        while at < bytes.count, Self.continuesName(bytes[at]) { at += 1 }
        emit(.parameter, from: start)
    }

    /// Scans `1`, `1.5`, `.5`, `1.`, `1e-5`, `0xff`, `1_000`; the dots of `1..2` don't belong to a number.
    private mutating func scanNumber() {
        if peek() == UInt8(ascii: "0"), "xob".utf8.contains(peek(1) | 0x20) {
            while at < bytes.count, Self.continuesName(bytes[at]) { at += 1 }
            return
        }
        scanDigits()
        if peek() == UInt8(ascii: "."), peek(1) != UInt8(ascii: ".") {
            at += 1
            scanDigits()
        }
        guard peek() | 0x20 == UInt8(ascii: "e") else { return }
        let hasSign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
        if Self.isDigit(peek(hasSign ? 2 : 1)) {
            at += hasSign ? 2 : 1
            scanDigits()
        }
    }

    private mutating func scanDigits() {
        while Self.isDigit(peek()) || (peek() == UInt8(ascii: "_") && Self.isDigit(peek(1))) { at += 1 }
    }

    /// Scans a name, or a string with a prefix: `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`, `U&"…"`.
    private mutating func scanWord() {
        let start = at
        while at < bytes.count, Self.continuesName(bytes[at]) { at += 1 }
        let isOneLetter = at - start == 1
        let letter = bytes[start] | 0x20
        if isOneLetter, letter == UInt8(ascii: "u"), peek() == UInt8(ascii: "&"),
            peek(1) == UInt8(ascii: "'") || peek(1) == UInt8(ascii: "\"")
        {
            at += 1
            let quote = peek()
            scanQuoted(quote, from: start)
            return emit(quote == UInt8(ascii: "'") ? .string : .quotedName, from: start)
        }
        if isOneLetter, peek() == UInt8(ascii: "'"), "ebxn".utf8.contains(letter) {
            scanQuoted(UInt8(ascii: "'"), from: start, backslashes: letter == UInt8(ascii: "e"))
            return emit(.string, from: start)
        }
        emit(.word, from: start)
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
