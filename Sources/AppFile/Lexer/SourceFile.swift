/// One app file: its bytes, and its name for messages.
package final class SourceFile: Sendable, Hashable {
    package let name: String
    package let bytes: [UInt8]
    /// The file before a schema name replaced the word of `@schema`; nil if the file is unchanged.
    private let written: SourceFile?

    /// Creates a file with a name and bytes; a byte order mark is removed.
    package convenience init(name: String, bytes: [UInt8]) { self.init(name: name, bytes: bytes, written: nil) }

    private init(name: String, bytes: [UInt8], written: SourceFile?) {
        self.name = name
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.written = written
    }

    /// Creates a file with a name and a text.
    package convenience init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }

    /// The text of a range of bytes.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The file as the author wrote it.
    package var asWritten: SourceFile { written ?? self }

    /// The line and the column of a byte, both counted from 1; a column is a character.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        let before = bytes.prefix(offset)
        return (before.count { $0 == UInt8(ascii: "\n") } + 1, text(lineStart(of: offset)..<before.endIndex).count + 1)
    }

    /// The start of the line that contains a byte.
    private func lineStart(of offset: Int) -> Int {
        bytes.prefix(offset).lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }

    /// The offset of the first occurrence of a text from a byte on; nil if there is none.
    ///
    /// A text that begins or ends with a name doesn't occur inside of a longer name.
    func offset(of text: String, behind start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, let last = wanted.last, start >= 0 else { return nil }
        func isName(_ byte: UInt8, at place: Int) -> Bool {
            bytes.indices.contains(place) && Lexer.continuesName(byte) && Lexer.continuesName(bytes[place])
        }
        return bytes.indices.dropFirst(start).first { place in
            bytes[place] == first && bytes[place...].starts(with: wanted) && !isName(first, at: place - 1)
                && !isName(last, at: place + wanted.count)
        }
    }

    /// The line that contains a byte, without its line end.
    package func line(around offset: Int) -> String {
        let start = lineStart(of: offset)
        let end = bytes.dropFirst(offset).firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let isWindowsLine = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return text(start..<(isWindowsLine ? end - 1 : end))
    }

    /// A finding for the first byte that Postgres would not accept as text; empty if there is none.
    var encodingProblems: [Diagnostic] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            // An invalid byte is replaced by another character, so the bytes differ from there on.
            let repaired = String(decoding: bytes, as: UTF8.self).utf8
            let valid = zip(bytes, repaired).prefix { $0 == $1 }.count
            return [Diagnostic("this is not UTF-8 text", at: place(at: valid))]
        }
        return bytes.firstIndex(of: 0).map { [Diagnostic("the file contains a NUL byte", at: place(at: $0))] } ?? []
    }

    package static func == (a: SourceFile, b: SourceFile) -> Bool {
        a === b || (a.name == b.name && a.bytes == b.bytes)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension SourceFile {
    /// The word and the offset of each line that begins with a directive, found without parsing the file.
    ///
    /// The result is correct for a valid file, because no string in a valid file looks like a directive.
    package var directiveLines: some Sequence<(word: String, offset: Int)> {
        let mark = Array("-- @".utf8)
        return lines.lazy.filter { self.bytes[$0].starts(with: mark) }.map { line in
            let word = self.bytes[line].dropFirst(mark.count).prefix { !isBlank($0) }
            return (word: String(decoding: word, as: UTF8.self), offset: line.lowerBound)
        }
    }

    /// The ranges of the lines, without their line feeds.
    ///
    /// usher searches for the next line on demand, because most searches end at the first lines of a file.
    var lines: some Sequence<Range<Int>> {
        sequence(state: 0) { start in
            guard start < self.bytes.count else { return nil }
            let line = start..<(self.bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? self.bytes.count)
            start = line.upperBound + 1
            return line
        }
    }

    /// A file with only the first `@app` block; its places don't match the original file.
    var outline: SourceFile {
        guard let start = directiveLines.first(where: { $0.word == "app" })?.offset else {
            return SourceFile(name: name, bytes: [])
        }
        let end = directiveLines.first { $0.offset > start && Language.rule(for: $0.word)?.isBlock == true }?.offset
        return SourceFile(name: name, bytes: Array(bytes[start..<(end ?? bytes.count)]))
    }

    /// The text and the offset of the `@schema` line, found before the file is parsed.
    package var schemaLine: (text: String, offset: Int)? {
        directiveLines.first { $0.word == "schema" }.map { word, offset in
            (String(line(around: offset).dropFirst("-- @schema".count)), offset)
        }
    }

    /// True if a line of the file contains a known directive, even if it is misplaced or badly indented.
    var hasDirective: Bool {
        lines.contains { line in
            let content = bytes[line].drop { isBlank($0) || $0 == UInt8(ascii: "-") }
            let word = content.dropFirst().prefix { !isBlank($0) }
            return content.first == UInt8(ascii: "@")
                && Language.rule(for: String(decoding: word, as: UTF8.self)) != nil
        }
    }
}

extension SourceFile {
    /// The file for one schema: the quoted schema name replaces the word after the colon.
    ///
    /// usher replaces `:word` only before a dot, not in strings and not as a parameter on its own. Line numbers stay
    /// the same.
    func filled(_ word: String, with schema: String) -> SourceFile {
        let mark = Array((":" + word + ".").utf8)
        let name = Array(Composer.quoted(schema).utf8)
        var filled: [UInt8] = []
        var kept = 0
        for token in Lexer.tokens(of: self).tokens where token.kind == .parameter || token.kind == .lineComment {
            for start in token.range where isMark(mark, at: start, inComment: token.isComment) {
                filled += bytes[kept..<start] + name
                kept = start + mark.count - 1
            }
        }
        return kept == 0 ? self : SourceFile(name: self.name, bytes: filled + bytes[kept...], written: self)
    }

    /// True if the schema word is at an offset, with a dot and a name after it.
    private func isMark(_ mark: [UInt8], at start: Int, inComment: Bool) -> Bool {
        let end = start + mark.count
        guard bytes[start] == mark[0], end < bytes.count, bytes[start..<end].elementsEqual(mark) else { return false }
        guard Lexer.startsName(bytes[end]) || bytes[end] == UInt8(ascii: "\"") else { return false }
        // In a comment, the second colon of a cast doesn't begin the word, and neither does a colon directly after a name.
        let colons = bytes[..<start].reversed().prefix { $0 == mark[0] }.count
        let isOfName = colons == 0 && start > 0 && Lexer.continuesName(bytes[start - 1])
        return !inComment || colons.isMultiple(of: 2) && !isOfName
    }
}

extension SourceFile {
    /// The statements of a file of plain SQL, without the semicolons between them and without comments outside of
    /// statements.
    package var statements: [String] {
        let tokens = Lexer.tokens(of: self).tokens.filter { !$0.isComment }
        return tokens.split { $0.kind == .semicolon }.map {
            text($0[$0.startIndex].range.lowerBound..<$0[$0.endIndex - 1].range.upperBound)
        }
    }
}
