/// Splits a file into blocks: directives, their attributes, and the SQL below each directive.
struct DirectiveParser: DiagnosticCollector {
    let file: SourceFile
    var blocks: [Block] = []
    var diagnostics: [Diagnostic]
    var statement: [Token] = []
    /// True if the directive above is unknown, so that the SQL below it isn't reported as misplaced.
    var isBelowUnknownDirective = false
    private let tokens: [Token]
    /// The offset of the line that can continue the last directive, and true if usher kept that directive.
    private var continuable: (line: Int, isKept: Bool)?

    private init(_ file: SourceFile) {
        self.file = file
        (tokens, diagnostics) = Lexer.tokens(of: file)
    }

    /// Parses a file into blocks, and collects its mistakes.
    static func parse(_ file: SourceFile) -> (blocks: [Block], diagnostics: [Diagnostic]) {
        // usher can't show the line of a mistake in a file that isn't valid text.
        let problems = file.encodingProblems
        guard problems.isEmpty else { return ([], problems) }
        var parser = DirectiveParser(file)
        for token in parser.tokens { parser.handle(token) }
        parser.endUnfinishedStatement(at: file.bytes.endIndex)
        parser.checkRequiredParts()
        return (parser.blocks, parser.diagnostics)
    }

    private mutating func handle(_ token: Token) {
        switch token.kind {
        case .lineComment where isAtMargin(token): parseComment(token)
        case .lineComment: warnAboutIndentation(token)
        case .blockComment: return
        case .semicolon: endStatement(at: token)
        default: statement.append(token)
        }
    }

    private func isAtMargin(_ token: Token) -> Bool {
        let start = token.range.lowerBound
        return start == 0 || file.bytes[start - 1] == UInt8(ascii: "\n") || file.bytes[start - 1] == UInt8(ascii: "\r")
    }

    // MARK: Comments

    /// Parses a comment: one space begins a directive, and three spaces or a tab continue a directive.
    ///
    /// Other comments are ignored.
    private mutating func parseComment(_ token: Token) {
        let dashes = token.range.lowerBound + 2
        let content = file.bytes[dashes..<token.range.upperBound].firstIndex { !isBlank($0) } ?? token.range.upperBound
        let gap = file.bytes[dashes..<content]
        let isIndented = gap.count >= 3 || gap.contains(UInt8(ascii: "\t"))
        let last = continuable
        continuable = nil
        let begins = content < token.range.upperBound && file.bytes[content] == UInt8(ascii: "@")
        let isContinued = last?.line == token.range.lowerBound
        // An indented line with a known directive begins that directive. An indented line with an unknown @ word
        // continues the directive above.
        let isDirective =
            begins && (isContinued || gap.count == 1)
            && Language.rule(for: file.text(word(at: content..<token.range.upperBound))) != nil
        if !isIndented, !isDirective, gap.count == 2, isContinued, content < token.range.upperBound {
            report(
                "this line doesn't continue the line above; indent it with three spaces", at: content,
                severity: .warning)
        }
        if isIndented, !isDirective {
            guard let last, isContinued else { return }
            let text = trim(file.text(content..<token.range.upperBound)[...])
            if last.isKept { append(text, at: content) }
            continuable = (line(after: token), last.isKept)
        } else if begins {
            let directive = directive(at: content..<token.range.upperBound)
            if gap.count != 1 || gap.first != UInt8(ascii: " ") {
                guard Language.rule(for: directive.word) != nil else { return }
                report("write `-- @\(directive.word)`, with one space", at: content)
            }
            endUnfinishedStatement(at: token.range.lowerBound)
            continuable = (line(after: token), open(directive))
        }
    }

    /// Warns about an indented comment that would be a directive at the left margin.
    private mutating func warnAboutIndentation(_ token: Token) {
        let before = file.bytes[..<token.range.lowerBound].reversed().prefix { $0 != UInt8(ascii: "\n") }
        let comment = file.text(token.range)
        guard before.allSatisfy(isBlank), comment.hasPrefix("-- @") else { return }
        let word = String(comment.dropFirst(4).prefix { !$0.isWhitespace })
        guard Language.rule(for: word) != nil else { return }
        report(
            "this is only a comment; a directive such as @\(word) begins at the left margin",
            at: token.range.lowerBound + 3, severity: .warning)
    }

    /// Appends the text of a continuation line to the last directive.
    private mutating func append(_ text: Substring, at offset: Int) {
        let block = blocks.count - 1
        blocks[block].directives[blocks[block].directives.count - 1].append(text, at: offset)
    }

    private func line(after token: Token) -> Int {
        let end = token.range.upperBound
        let isWindowsLine = file.bytes[end...].starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
        return end + (isWindowsLine ? 2 : 1)
    }

    /// The range of a directive's word, without its `@`.
    private func word(at range: Range<Int>) -> Range<Int> {
        (range.lowerBound + 1)..<(file.bytes[range].firstIndex(where: isBlank) ?? range.upperBound)
    }

    private func directive(at range: Range<Int>) -> Directive {
        let word = word(at: range)
        let text = file.bytes[word.upperBound..<range.upperBound].firstIndex { !isBlank($0) } ?? range.upperBound
        var directive = Directive(word: file.text(word), file: file, offset: range.lowerBound)
        directive.append(trim(file.text(text..<range.upperBound)[...]), at: text)
        return directive
    }

    /// Adds a directive to its block, or begins a block; returns false if usher ignores the directive.
    private mutating func open(_ directive: Directive) -> Bool {
        isBelowUnknownDirective = false
        if let form = Language.renamed[directive.word] {
            report(
                "@\(directive.word) was replaced in this version of the app language", at: directive.offset,
                hint: "write \(form)")
            isBelowUnknownDirective = true
            return false
        }
        guard let rule = Language.rule(for: directive.word) else {
            let meant = Nearest.name(to: directive.word, among: Language.directives.map(\.word))
            report(
                "unknown directive @\(directive.word)", at: directive.offset, hint: meant.map { "did you mean @\($0)?" }
            )
            // usher parses a misspelled directive as the nearest known one, so that it also checks the lines below.
            if let meant {
                var directive = directive
                directive.word = meant
                return open(directive)
            }
            isBelowUnknownDirective = true
            return false
        }
        if rule.isBlock {
            if rule.isUnique, blocks.contains(where: { $0.directive.word == rule.word }) {
                report("a file can have only one @\(rule.word)", at: directive.offset)
            }
            blocks.append(Block(directives: [directive]))
            return true
        }
        // The block is changed in place, because a copy for each attribute would be slow.
        guard let block = blocks.indices.last, rule.within.contains(blocks[block].directive.word) else {
            guard !hasFinding(at: directive.offset) else { return false }
            let homes = rule.within.map { "@" + $0 }.joined(separator: " or ")
            let block = Nearest.name(to: directive.word, among: Language.blocks)
            report(
                "@\(rule.word) belongs below \(homes)", at: directive.offset,
                hint: block.map { "did you mean @\($0)?" })
            isBelowUnknownDirective = rule.sql != .none
            return false
        }
        if !rule.repeats, blocks[block].first(rule.word) != nil {
            report("@\(rule.word) appears twice in this @\(blocks[block].directive.word)", at: directive.offset)
        }
        blocks[block].directives.append(directive)
        return true
    }

    // MARK: The whole file

    private mutating func checkRequiredParts() {
        for block in blocks {
            for directive in block.directives where !hasFinding(at: directive.offset) {
                guard let rule = Language.rule(for: directive.word) else { continue }
                if rule.needsText, directive.text.isEmpty {
                    report("@\(rule.word) needs a text after it", at: directive.offset)
                }
                if rule.sql(in: block.directive.word) == .required, directive.sql == nil {
                    report("@\(rule.word) needs SQL below it", at: directive.offset)
                }
            }
        }
    }

    /// True if usher already reported a mistake at an offset.
    private func hasFinding(at offset: Int) -> Bool { diagnostics.contains { $0.offset == offset } }

    private mutating func report(
        _ message: String, at offset: Int, hint: String? = nil, severity: Diagnostic.Severity = .error
    ) {
        report(message, at: file.place(at: offset), hint: hint, severity: severity)
    }
}

/// Assigns each statement to its directive.
extension DirectiveParser {
    private mutating func endStatement(at semicolon: Token) {
        defer { statement = [] }
        guard !statement.isEmpty else {
            report("there is no statement before this `;`", at: semicolon.range.lowerBound)
            return
        }
        assign(Fragment(file: file, tokens: statement))
    }

    /// Ends a statement without a semicolon where the next directive begins or the file ends.
    private mutating func endUnfinishedStatement(at end: Int) {
        guard let first = statement.first, let last = statement.last else { return }
        // If a quote or comment isn't closed, it contains the `;`, and usher has already reported it.
        let isOpen = diagnostics.contains { (first.range.lowerBound..<end).contains($0.offset) }
        if !isOpen { report("the statement must end with `;`", at: last.range.upperBound) }
        assign(Fragment(file: file, tokens: statement), isOpen: isOpen)
        statement = []
    }

    /// Assigns a statement to the nearest directive above it that can have SQL.
    private mutating func assign(_ statement: Fragment, isOpen: Bool = false) {
        var sql = statement
        let known = diagnostics.count
        checkTokens(of: sql)
        let start = sql.range.lowerBound
        // The lexer has reported an unclosed quote or comment.
        sql.isBroken =
            isOpen || diagnostics.count > known
            || diagnostics.contains { $0.severity == .error && sql.range.contains($0.offset) }
        guard let block = blocks.indices.last else {
            if !isBelowUnknownDirective { report("there is SQL before the first block directive", at: start) }
            return
        }
        let word = blocks[block].directive.word
        let place = blocks[block].directives.lastIndex {
            [.optional, .required].contains(Language.rule(for: $0.word)?.sql(in: word))
        }
        guard let place else {
            if !isBelowUnknownDirective {
                let isDirective = file.bytes[start] == UInt8(ascii: "@")
                report(
                    "@\(word) can't have SQL below it", at: start,
                    hint: isDirective ? "write the directive as a comment: `-- \(file.line(around: start))`" : nil)
            }
            return
        }
        let owner = blocks[block].directives[place]
        guard owner.sql == nil else {
            if !isBelowUnknownDirective {
                report("@\(owner.word) already has a statement, and can have only one", at: start)
            }
            return
        }
        blocks[block].directives[place].sql = sql
    }

    private mutating func checkTokens(of sql: Fragment) {
        // An unclosed string also contains the brackets after it, so they can't be checked.
        if !diagnostics.contains(where: { sql.range.contains($0.offset) }) { checkBrackets(of: sql) }
        for token in sql.tokens {
            if token.kind == .positional {
                report("write parameters as `:name`", at: token.range.lowerBound)
            } else if token.hasUnicodeEscapes(in: file) {
                report("write the name without `U&` and escapes", at: token.range.lowerBound)
            }
        }
    }

    /// Reports unbalanced brackets: an open bracket would enclose the SQL that usher adds after the fragment.
    private mutating func checkBrackets(of sql: Fragment) {
        var open: [(close: UInt8, token: Token)] = []
        for token in sql.tokens where token.kind == .symbol {
            let byte = file.bytes[token.range.lowerBound]
            switch byte {
            case UInt8(ascii: "("): open.append((UInt8(ascii: ")"), token))
            case UInt8(ascii: "["): open.append((UInt8(ascii: "]"), token))
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                // After the first wrong bracket, usher can't tell which of the other brackets belong together.
                guard let last = open.popLast() else {
                    return report("this \(file.text(token.range)) has no opening bracket", at: token.range.lowerBound)
                }
                if last.close != byte { return reportUnclosed(last.token) }
            default: continue
            }
        }
        if let last = open.last { reportUnclosed(last.token) }
    }

    private mutating func reportUnclosed(_ bracket: Token) {
        report("this \(file.text(bracket.range)) is never closed", at: bracket.range.lowerBound)
    }
}
