/// Cuts a file into blocks: directives, their attributes, and the SQL that belongs to each.
struct DirectiveParser {
    private let file: SourceFile
    private(set) var blocks: [Block] = []
    private(set) var diagnostics: [Diagnostic]
    private let tokens: [Token]
    private var statement: [Token] = []
    /// The comment line that a continuation would have to follow, by the byte after its end.
    private var continuable: (nextLine: Int, isInBlock: Bool)?

    init(_ file: SourceFile) {
        self.file = file
        (tokens, diagnostics) = Lexer.tokens(of: file)
    }

    mutating func parse() {
        for token in tokens {
            switch token.kind {
            case .lineComment where isAtMargin(token): readComment(token)
            case .lineComment, .blockComment: continue
            case .semicolon: endStatement(at: token)
            default: statement.append(token)
            }
        }
        endUnfinishedStatement()
        checkMissingSQL()
    }

    private func isAtMargin(_ token: Token) -> Bool {
        let start = token.range.lowerBound
        return start == 0 || file.bytes[start - 1] == UInt8(ascii: "\n")
    }

    // MARK: Comments

    private mutating func readComment(_ token: Token) {
        let line = file.text(token.range)
        let nextLine = token.range.upperBound + 1
        if line.hasPrefix("-- @") {
            endUnfinishedStatement()
            open(directive(line, at: token.range.lowerBound))
            continuable = (nextLine, true)
        } else if line.hasPrefix("--   "), let last = continuable, last.nextLine == token.range.lowerBound {
            continueDirective(with: trim(line.dropFirst(2)))
            continuable = (nextLine, true)
        } else {
            continuable = nil
        }
    }

    private func directive(_ line: String, at offset: Int) -> Directive {
        let body = line.dropFirst(4)
        let word = body.prefix { $0.isLetter || $0 == "-" }
        let rest = body.dropFirst(word.count)
        let text = trim(rest)
        let gap = rest.prefix { $0 == " " || $0 == "\t" }.utf8.count
        return Directive(
            word: String(word), text: text, file: file, offset: offset + 3,
            textOffset: offset + 4 + word.utf8.count + gap)
    }

    private mutating func open(_ directive: Directive) {
        guard let rule = Vocabulary.rule(for: directive.word) else {
            let known = Vocabulary.rules.map(\.word)
            report("unknown directive @\(directive.word)", at: directive.offset, near: directive.word, among: known)
            return
        }
        if rule.needsText, directive.text.isEmpty {
            report("@\(rule.word) needs a text behind it", at: directive.offset)
        }
        if rule.isBlock {
            if rule.isUnique, blocks.contains(where: { $0.directive.word == rule.word }) {
                report("a file has one @\(rule.word) only", at: directive.offset)
            }
            blocks.append(Block(directive: directive))
        } else {
            attach(directive, by: rule)
        }
    }

    private mutating func attach(_ directive: Directive, by rule: DirectiveRule) {
        guard let block = blocks.last, rule.within.contains(block.directive.word) else {
            let homes = rule.within.map { "@" + $0 }.joined(separator: " or ")
            report("@\(rule.word) belongs into \(homes)", at: directive.offset)
            return
        }
        if !rule.repeats, block.first(rule.word) != nil {
            report("@\(rule.word) stands twice in this @\(block.directive.word)", at: directive.offset)
        }
        blocks[blocks.count - 1].attributes.append(directive)
    }

    private mutating func continueDirective(with text: String) {
        guard !blocks.isEmpty else { return }
        let block = blocks.count - 1
        if blocks[block].attributes.isEmpty {
            blocks[block].directive.text += " " + text
        } else {
            blocks[block].attributes[blocks[block].attributes.count - 1].text += " " + text
        }
    }

    // MARK: SQL

    private mutating func endStatement(at semicolon: Token) {
        defer { statement = [] }
        guard !statement.isEmpty else {
            report("there is no statement before this ;", at: semicolon.range.lowerBound)
            return
        }
        adopt(Fragment(file: file, tokens: statement))
    }

    private mutating func endUnfinishedStatement() {
        guard let last = statement.last else { return }
        report("the statement must end with ;", at: last.range.upperBound)
        adopt(Fragment(file: file, tokens: statement))
        statement = []
    }

    /// Gives a statement to the nearest directive above that takes SQL.
    private mutating func adopt(_ sql: Fragment) {
        checkBrackets(sql)
        let start = sql.range.lowerBound
        guard let block = blocks.indices.last else {
            report("SQL before the first block directive", at: start)
            return
        }
        for index in blocks[block].attributes.indices.reversed() {
            let attribute = blocks[block].attributes[index]
            guard Vocabulary.sql(of: attribute.word, in: blocks[block].directive.word) != .none else { continue }
            guard attribute.sql == nil else { return reportSecondStatement(of: attribute, at: start) }
            blocks[block].attributes[index].sql = sql
            return
        }
        let owner = blocks[block].directive
        guard Vocabulary.sql(of: owner.word, in: owner.word) != .none else {
            report("@\(owner.word) takes no SQL", at: start)
            return
        }
        guard owner.sql == nil else { return reportSecondStatement(of: owner, at: start) }
        blocks[block].directive.sql = sql
    }

    private mutating func reportSecondStatement(of owner: Directive, at offset: Int) {
        report("@\(owner.word) has its statement already; one directive takes one", at: offset)
    }

    private mutating func checkBrackets(_ sql: Fragment) {
        var open: [(close: String, offset: Int)] = []
        for token in sql.tokens where token.kind == .symbol {
            switch sql.text(token) {
            case "(": open.append((")", token.range.lowerBound))
            case "[": open.append(("]", token.range.lowerBound))
            case let bracket where bracket == ")" || bracket == "]":
                guard open.last?.close == bracket else {
                    report("this \(bracket) closes nothing", at: token.range.lowerBound)
                    return
                }
                open.removeLast()
            default: continue
            }
        }
        if let last = open.last { report("this bracket is never closed", at: last.offset) }
        for token in sql.tokens where token.kind == .positional {
            report("parameters are written :name", at: token.range.lowerBound)
        }
    }

    private mutating func checkMissingSQL() {
        for block in blocks {
            for directive in [block.directive] + block.attributes where directive.sql == nil {
                guard Vocabulary.sql(of: directive.word, in: block.directive.word) == .required else { continue }
                report("@\(directive.word) needs SQL below it", at: directive.offset)
            }
        }
    }

    // MARK: Reports

    private mutating func report(_ message: String, at offset: Int) {
        diagnostics.append(Diagnostic(message, in: file, at: offset))
    }

    private mutating func report(_ message: String, at offset: Int, near word: String, among known: [String]) {
        let hint = nearest(to: word, among: known).map { "did you mean @\($0)?" }
        diagnostics.append(Diagnostic(message, in: file, at: offset, hint: hint))
    }
}

/// A text without the spaces around it.
func trim(_ text: some StringProtocol) -> String {
    var slice = text[...]
    while let first = slice.first, first.isWhitespace { slice = slice.dropFirst() }
    while let last = slice.last, last.isWhitespace { slice = slice.dropLast() }
    return String(slice)
}

/// The known word that a mistyped one probably means: at most two edits away.
package func nearest(to word: String, among known: [String]) -> String? {
    let scored = known.map { (word: $0, distance: editDistance(word, $0)) }
    return scored.filter { $0.distance <= min(2, max(1, word.count / 2)) }.min { $0.distance < $1.distance }?.word
}

private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let substitution = diagonal + (a[i] == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
