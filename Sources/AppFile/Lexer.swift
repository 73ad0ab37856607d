/// Cuts SQL into tokens by Postgres' own rules for quotes, dollar quotes, comments and casts.
///
/// It never fails: what is left open at the end of the file becomes a token and a diagnostic.
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

    /// All tokens of a file but white space, and what was left open.
    package static func tokens(of file: SourceFile) -> (tokens: [Token], diagnostics: [Diagnostic]) {
        var lexer = Lexer(file)
        while lexer.at < lexer.bytes.count { lexer.scanToken() }
        return (lexer.tokens, lexer.diagnostics)
    }

    private func peek(_ distance: Int = 0) -> UInt8 { at + distance < bytes.count ? bytes[at + distance] : 0 }

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
            scanQuoted(UInt8(ascii: "'"), backslashes: false, what: "string")
            emit(.string, from: start)
        case UInt8(ascii: "\""):
            scanQuoted(UInt8(ascii: "\""), backslashes: false, what: "quoted name")
            emit(.quotedName, from: start)
        case UInt8(ascii: "$"):
            scanDollar()
        case UInt8(ascii: ":"):
            scanColon()
        case UInt8(ascii: ";"):
            at += 1
            emit(.semicolon, from: start)
        case let byte where isDigit(byte) || (byte == UInt8(ascii: ".") && isDigit(peek(1))):
            scanNumber()
            emit(.number, from: start)
        case let byte where startsName(byte):
            scanWord()
        default:
            at += 1
            emit(.symbol, from: start)
        }
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<at))
    }

    private mutating func scanLineComment() {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
    }

    /// Block comments nest in Postgres.
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
        leftOpen("comment", at: start)
    }

    private mutating func scanQuoted(_ quote: UInt8, backslashes: Bool, what: String) {
        let start = at
        at += 1
        while at < bytes.count {
            if backslashes, bytes[at] == UInt8(ascii: "\\") {
                at = min(at + 2, bytes.count)
            } else if bytes[at] != quote {
                at += 1
            } else if peek(1) == quote {
                at += 2
            } else {
                at += 1
                return
            }
        }
        leftOpen(what, at: start)
    }

    /// `$1`, `$$ … $$`, `$tag$ … $tag$`, or a lone dollar.
    private mutating func scanDollar() {
        let start = at
        at += 1
        if isDigit(peek()) {
            while isDigit(peek()) { at += 1 }
            return emit(.positional, from: start)
        }
        var end = at
        while end < bytes.count, continuesName(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
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
        leftOpen("dollar-quoted string", at: start)
        emit(.string, from: start)
    }

    private mutating func scanColon() {
        let start = at
        at += 1
        if peek() == UInt8(ascii: ":") {
            at += 1
            return emit(.symbol, from: start)
        }
        guard startsName(peek()) else { return emit(.symbol, from: start) }
        while at < bytes.count, continuesName(bytes[at]) { at += 1 }
        emit(.parameter, from: start)
    }

    private mutating func scanNumber() {
        while at < bytes.count, isDigit(bytes[at]) || bytes[at] == UInt8(ascii: ".") || continuesName(bytes[at]) {
            // The sign of an exponent belongs to the number.
            let isExponent = (bytes[at] | 0x20) == UInt8(ascii: "e")
            at += 1
            if isExponent, peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-"), isDigit(peek(1)) { at += 1 }
        }
    }

    /// A name, or the prefix of a string: `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`, `U&"…"`.
    private mutating func scanWord() {
        let start = at
        while at < bytes.count, continuesName(bytes[at]) { at += 1 }
        let isOneLetter = at - start == 1
        let letter = bytes[start] | 0x20
        if isOneLetter, letter == UInt8(ascii: "u"), peek() == UInt8(ascii: "&"),
            peek(1) == UInt8(ascii: "'") || peek(1) == UInt8(ascii: "\"")
        {
            at += 1
            let quote = peek()
            scanQuoted(quote, backslashes: false, what: "string")
            return emit(quote == UInt8(ascii: "'") ? .string : .quotedName, from: start)
        }
        if isOneLetter, peek() == UInt8(ascii: "'"), "ebxn".utf8.contains(letter) {
            scanQuoted(UInt8(ascii: "'"), backslashes: letter == UInt8(ascii: "e"), what: "string")
            return emit(.string, from: start)
        }
        emit(.word, from: start)
    }

    private mutating func leftOpen(_ what: String, at start: Int) {
        diagnostics.append(Diagnostic("this \(what) is never closed", in: file, at: start))
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func startsName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
        || byte == UInt8(ascii: "_") || byte >= 0x80
}

private func continuesName(_ byte: UInt8) -> Bool {
    startsName(byte) || isDigit(byte) || byte == UInt8(ascii: "$")
}
