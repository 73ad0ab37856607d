/// Finds the relations of a statement: it scans the tokens once, and tracks for each bracket where a relation can
/// appear.
struct RelationScan {
    /// The state of the scan inside one bracket.
    private struct Level {
        /// True inside a FROM list, where a comma introduces the next relation.
        var isFromList = false
        /// True inside extract(… from …) and similar functions, where FROM doesn't begin a clause.
        var isArgumentList = false
        /// The names of the WITH queries that are visible inside the bracket.
        var withQueries: Set<String> = []
        /// The WITH query whose body is this bracket, and whether the query is recursive.
        var defines: (name: String, isRecursive: Bool)?
    }

    private let sql: Fragment
    private var mentions: [RelationMention] = []
    private var levels = [Level()]
    private var expectsRelation = false

    static func relations(of sql: Fragment) -> [RelationMention] {
        var scan = RelationScan(sql: sql)
        var index = 0
        while index < sql.tokens.count { index = scan.step(at: index) }
        return scan.mentions
    }

    private var level: Level {
        get { levels[levels.count - 1] }
        set { levels[levels.count - 1] = newValue }
    }

    /// Handles the token at an index, and returns the index of the next token to handle.
    private mutating func step(at index: Int) -> Int {
        let word = sql.word(at: index)
        let isQuoted = sql.tokens[index].kind == .quotedName
        switch sql.tokens[index].kind {
        case .symbol: return symbol(word, at: index)
        case .word, .quotedName:
            if expectsRelation, isQuoted || !Self.modifiers.contains(word) {
                expectsRelation = false
                if isQuoted || !Self.notRelations.contains(word) { return mention(at: index) }
            }
            if sql.isKeyword(at: index) { return keyword(word, at: index) }
        default: expectsRelation = false
        }
        return index + 1
    }

    // MARK: Symbols

    private mutating func symbol(_ symbol: String, at index: Int) -> Int {
        switch symbol {
        case "(":
            // In `from ((a join b …) join c …)`, a relation can also follow the bracket. In `join b using (x, y)`, the
            // bracket contains columns.
            let previous = sql.keyword(before: index)
            if previous == "using", isNameList(at: index) { expectsRelation = false }
            levels.append(
                Level(isFromList: expectsRelation, isArgumentList: Self.functionsWithFrom.contains(previous)))
        case ")":
            expectsRelation = false
            return close(at: index)
        case ",": expectsRelation = level.isFromList
        default: expectsRelation = false
        }
        return index + 1
    }

    private mutating func close(at index: Int) -> Int {
        guard levels.count > 1 else { return index + 1 }
        let closed = levels.removeLast()
        guard let (name, isRecursive) = closed.defines else { return index + 1 }
        level.withQueries.insert(name)
        return sql.isSymbol(",", at: index + 1) ? open(withQueryAt: index + 2, isRecursive) ?? index + 1 : index + 1
    }

    /// True if the bracket at an index contains only names and commas.
    private func isNameList(at index: Int) -> Bool {
        let end = (index + 1..<sql.tokens.count).first { !sql.isName(at: $0) && !sql.isSymbol(",", at: $0) }
        return end.map { sql.isSymbol(")", at: $0) } ?? false
    }

    // MARK: Words

    private mutating func keyword(_ word: String, at index: Int) -> Int {
        let previous = sql.keyword(before: index)
        switch word {
        case "from" where !level.isArgumentList && previous != "distinct":
            level.isFromList = true
            expectsRelation = true
        case "join", "into", "using", "table": expectsRelation = true
        case "update" where previous != "for" && previous != "key" && previous != "do": expectsRelation = true
        case "with":
            let isRecursive = sql.word(at: index + 1) == "recursive"
            if let body = open(withQueryAt: index + (isRecursive ? 2 : 1), isRecursive) { return body }
        case _ where Self.endOfFromList.contains(word): level.isFromList = false
        default: break
        }
        return index + 1
    }

    /// Enters a WITH query `NAME [(columns)] as [not] [materialized] (` if one begins at an index.
    ///
    /// Returns the index after its opening bracket; nil if no WITH query begins there.
    private mutating func open(withQueryAt index: Int, _ isRecursive: Bool) -> Int? {
        guard sql.isName(at: index) else { return nil }
        var next = index + 1
        if sql.isSymbol("(", at: next) {
            guard isNameList(at: next) else { return nil }
            next = (next..<sql.tokens.count).first { sql.isSymbol(")", at: $0) }.map { $0 + 1 } ?? next
        }
        guard sql.word(at: next) == "as" else { return nil }
        next += 1
        while ["not", "materialized"].contains(sql.word(at: next)) { next += 1 }
        guard sql.isSymbol("(", at: next) else { return nil }
        let name = sql.word(at: index)
        expectsRelation = false
        levels.append(Level(withQueries: isRecursive ? [name] : [], defines: (name, isRecursive)))
        return next + 1
    }

    /// Records the name at an index, which can have a schema, and returns the index after the name.
    private mutating func mention(at index: Int) -> Int {
        var last = index
        while sql.isSymbol(".", at: last + 1), sql.isName(at: last + 2) { last += 2 }
        let previous = sql.keyword(before: index)
        let isCall = sql.isSymbol("(", at: last + 1) && previous != "into"
        let schema = last > index ? sql.word(at: last - 2) : nil
        let name = sql.word(at: last)
        let isWithQuery = schema == nil && levels.contains { $0.withQueries.contains(name) }
        if !isCall, !isWithQuery {
            let isOnly = previous == "only"
            mentions.append(
                RelationMention(
                    schema: schema, name: name, tokens: index..<(last + 1), alias: alias(behind: last),
                    verb: verb(before: isOnly ? index - 1 : index), isOnly: isOnly, isOuter: levels.count == 1))
        }
        return last + 1
    }

    /// The verb of a statement that writes the relation at an index; nil if the statement only reads it.
    private func verb(before index: Int) -> StatementTarget.Verb? {
        switch (sql.word(at: index - 2), sql.word(at: index - 1)) {
        case (_, "update"): .update
        case ("insert", "into"): .insert
        case ("merge", "into"): .merge
        case ("delete", "from"): .delete
        default: nil
        }
    }

    /// The index of the alias of a relation whose name ends at an index; nil if the relation has none.
    private func alias(behind last: Int) -> Int? {
        var next = sql.isSymbol("*", at: last + 1) ? last + 2 : last + 1
        if sql.word(at: next) == "as" { next += 1 }
        guard sql.isName(at: next),
            sql.tokens[next].kind == .quotedName || !Self.behindRelations.contains(sql.word(at: next))
        else { return nil }
        return next
    }

    /// The keywords that can follow a relation and therefore are not an alias.
    private static let behindRelations: Set<String> = endOfFromList.union([
        "on", "using", "join", "left", "right", "full", "inner", "cross", "natural", "tablesample", "lateral",
        "default", "overriding", "with", "table",
    ])
    private static let modifiers: Set<String> = ["only", "lateral"]
    private static let notRelations: Set<String> = ["select", "values", "rows", "with", "table", "unnest", "set"]
    private static let functionsWithFrom: Set<String> = ["extract", "substring", "trim", "overlay", "position"]
    private static let endOfFromList: Set<String> = [
        "where", "group", "order", "having", "limit", "offset", "fetch", "union", "except", "intersect", "window",
        "select", "set", "returning", "values", "for",
    ]
}
