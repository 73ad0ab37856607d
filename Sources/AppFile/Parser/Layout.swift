/// The standard layout of an app file: the form of each directive, and the places of blank lines.
///
/// The layout never changes SQL, ordinary comments, or the meaning of a file.
package struct Layout {
    /// The formatted file.
    package private(set) var bytes: [UInt8] = []

    private let file: SourceFile
    private let starts: [Int: Token]
    /// The offsets of the lines that begin inside a string or a comment.
    private let inner: Set<Int>
    private let ending: String
    /// The kind of the previous line, because only a line below a directive can continue the directive.
    private var above = Line.nothing
    private var block = ""
    private var isInStatement = false
    private var isBehindBlank = false
    /// True if the last written line is blank, which is possible inside a statement.
    private var endsBlank = false

    private enum Line { case nothing, directive, unknown, comment, sql }

    /// Formats a file; fails with its mistakes if the file can't be read.
    package static func of(_ file: SourceFile) -> Result<Layout, InvalidApp> {
        let (tokens, problems) = file.encodingProblems.isEmpty ? Lexer.tokens(of: file) : ([], file.encodingProblems)
        guard problems.isEmpty else { return .failure(InvalidApp(diagnostics: problems)) }
        var layout = Layout(file, tokens)
        for line in file.lines { layout.formatLine(line) }
        return .success(layout)
    }

    private init(_ file: SourceFile, _ tokens: [Token]) {
        self.file = file
        starts = Dictionary(uniqueKeysWithValues: tokens.map { ($0.range.lowerBound, $0) })
        inner = Set(
            tokens.flatMap { token in
                token.range.dropFirst().filter { file.bytes[$0 - 1] == UInt8(ascii: "\n") }
            })
        let first = file.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
        ending = first > 0 && file.bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    /// Formats one line, whose range excludes the line end.
    private mutating func formatLine(_ range: Range<Int>) {
        let text = file.bytes[range]
        let written = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
        if inner.contains(range.lowerBound) {
            keep(text)
        } else if text.allSatisfy(isBlank) {
            if isInStatement { return keep(text) }
            isBehindBlank = true
            return
        } else if let token = starts[range.lowerBound], token.kind == .lineComment,
            token.range.upperBound == written.endIndex
        {
            formatComment(token, text)
        } else {
            separate(from: .sql)
            keep(text)
            above = .sql
        }
        for offset in range {
            guard let token = starts[offset], token.kind != .lineComment, token.kind != .blockComment else { continue }
            isInStatement = token.kind != .semicolon
        }
    }

    private mutating func formatComment(_ token: Token, _ line: ArraySlice<UInt8>) {
        let comment = file.bytes[token.range].dropFirst(2)
        let content = comment.firstIndex { !isBlank($0) } ?? comment.endIndex
        let gap = comment[..<content]
        let text = file.text(content..<comment.endIndex)
        if gap.count >= 3 || gap.contains(UInt8(ascii: "\t")) {
            let continues = !isBehindBlank && !text.isEmpty
            if continues, above == .directive { return write("--    " + trim(text[...]), line) }
            if continues, above == .unknown { return keep(line) }
        } else if text.utf8.first == UInt8(ascii: "@") {
            let end = text.utf8.firstIndex(where: isBlank) ?? text.endIndex
            let word = String(text[..<end].dropFirst())
            let rule = Language.rule(for: word)
            // A comment that is no directive doesn't end a statement.
            if rule != nil || gap.count == 1 { isInStatement = false }
            guard let rule else {
                separate(from: .unknown)
                above = .unknown
                return keep(line)
            }
            separate(from: .directive, isBlock: rule.isBlock)
            if rule.isBlock { block = word }
            above = .directive
            return write(rule.laidOut(trim(text[end...]), in: block), line)
        }
        separate(from: .comment)
        above = .comment
        keep(line)
    }

    /// Writes one blank line before a line if the layout needs one there.
    private mutating func separate(from next: Line, isBlock: Bool = false) {
        defer { isBehindBlank = false }
        if bytes.isEmpty || isBehindBlank && next == .sql && above == .directive { return }
        if isBehindBlank || isBlock && !endsBlank && above != .comment { bytes += ending.utf8 }
    }

    private mutating func keep(_ line: ArraySlice<UInt8>) {
        bytes += line + [UInt8(ascii: "\n")]
        endsBlank = line.allSatisfy(isBlank)
    }

    private mutating func write(_ text: String, _ line: ArraySlice<UInt8>) {
        endsBlank = false
        bytes += text.utf8 + (line.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []) + [UInt8(ascii: "\n")]
    }

    /// The first line that the layout changes, as a finding; nil if the file is already formatted.
    package var departure: Diagnostic? {
        guard bytes != file.bytes else { return nil }
        let same = zip(bytes, file.bytes).prefix { $0 == $1 }.count
        let start = file.bytes[..<same].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Diagnostic(
            "this line is not formatted", at: file.place(at: start), hint: "`usher app format` formats the file")
    }
}

extension DirectiveRule {
    /// Formats a directive as one line, with two spaces where its form has them.
    fileprivate func laidOut(_ text: Substring, in block: String) -> String {
        if text.isEmpty { return "-- @\(word)" }
        let form = form(in: block)
        if form.hasPrefix(" ") { return "-- @\(word)  \(text)" }
        let written = "-- @\(word) \(text)"
        let parts = form.split(separator: "  ", maxSplits: 1)
        guard parts.count == 2 else { return written }
        var line = "-- @\(word)"
        var rest = text
        for _ in parts[0].split(separator: " ").filter({ !$0.hasPrefix("[") }) {
            guard let end = rest.utf8.firstIndex(where: isBlank) else { return written }
            line += " " + rest[..<end]
            rest = trim(rest[end...])
        }
        // A list of columns in brackets belongs to the name.
        if parts[0].contains("[("), rest.hasPrefix("(") {
            guard let close = rest.firstIndex(of: ")"), !rest[..<close].contains("\"") else { return written }
            line += " " + rest[...close]
            rest = trim(rest[rest.index(after: close)...])
        }
        return rest.isEmpty ? line : line + "  " + rest
    }
}
