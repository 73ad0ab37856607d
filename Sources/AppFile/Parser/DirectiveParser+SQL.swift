/// Whom SQL belongs to.
extension DirectiveParser {
    mutating func endStatement(at semicolon: Token) {
        defer { statement = [] }
        guard !statement.isEmpty else {
            report("there is no statement before this ;", at: semicolon.range.lowerBound)
            return
        }
        if isDirective(statement) { return }
        adopt(Fragment(file: file, tokens: statement))
    }

    /// Whether somebody wrote a directive and forgot that it stands in a comment, which is told.
    private mutating func isDirective(_ statement: [Token]) -> Bool {
        guard statement.count > 1, file.text(statement[0].range) == "@" else { return false }
        let word = file.text(statement[1].range)
        guard Vocabulary.rule(for: word) != nil else { return false }
        report("a directive is written `-- @\(word)`", at: statement[0].range.lowerBound)
        return true
    }

    /// Ends a statement without a semicolon where a directive begins, or the file ends.
    mutating func endUnfinishedStatement(at end: Int) {
        guard let first = statement.first, let last = statement.last else { return }
        if isDirective(statement) {
            statement = []
            return
        }
        // What is never closed has swallowed the ; and was reported already.
        let isOpen = diagnostics.contains { (first.range.lowerBound..<end).contains($0.offset) }
        if !isOpen { report("the statement must end with ;", at: last.range.upperBound) }
        adopt(Fragment(file: file, tokens: statement), isOpen: isOpen)
        statement = []
    }

    /// Gives a statement to the nearest directive above that takes SQL.
    private mutating func adopt(_ statement: Fragment, isOpen: Bool = false) {
        var sql = statement
        let known = diagnostics.count
        checkTokens(of: sql)
        let start = sql.range.lowerBound
        // What is never closed was said when the file was cut into tokens.
        sql.isBroken =
            isOpen || diagnostics.count > known
            || diagnostics.contains { $0.severity == .error && sql.range.contains($0.offset) }
        guard let block = blocks.indices.last else {
            if !isLost { report("SQL before the first block directive", at: start) }
            return
        }
        func takesSQL(_ directive: Directive) -> Bool {
            Vocabulary.sql(of: directive.word, in: blocks[block].directive.word) != .none
        }
        let attribute = blocks[block].attributes.lastIndex(where: takesSQL)
        let owner = attribute.map { blocks[block].attributes[$0] } ?? blocks[block].directive
        guard takesSQL(owner) else {
            if !isLost { report("@\(owner.word) takes no SQL", at: start) }
            return
        }
        guard owner.sql == nil else {
            if !isLost { report("@\(owner.word) has its statement already; one directive takes one", at: start) }
            blocks[block].hasMore = true
            return
        }
        if let attribute {
            blocks[block].attributes[attribute].sql = sql
        } else {
            blocks[block].directive.sql = sql
        }
    }

    private mutating func checkTokens(of sql: Fragment) {
        // A string that is never closed has swallowed brackets.
        if !diagnostics.contains(where: { sql.range.contains($0.offset) }) { checkBrackets(of: sql) }
        for token in sql.tokens {
            if token.kind == .positional {
                report("parameters are written :name", at: token.range.lowerBound)
            } else if token.hasUnicodeEscapes(in: file) {
                report("write the name plainly, without U&", at: token.range.lowerBound)
            }
        }
    }

    /// A bracket that is open at the end would swallow what the engine writes behind the fragment.
    private mutating func checkBrackets(of sql: Fragment) {
        var open: [(bracket: String, close: String, offset: Int)] = []
        for token in sql.tokens where token.kind == .symbol {
            let offset = token.range.lowerBound
            switch file.text(token.range) {
            case "(": open.append(("(", ")", offset))
            case "[": open.append(("[", "]", offset))
            case let bracket where bracket == ")" || bracket == "]":
                // The first that does not fit makes the rest guesswork.
                guard let last = open.popLast() else { return report("this \(bracket) closes nothing", at: offset) }
                if last.close != bracket { return report("this \(last.bracket) is never closed", at: last.offset) }
            default: continue
            }
        }
        if let last = open.last { report("this \(last.bracket) is never closed", at: last.offset) }
    }
}
