/// Which rows an UPDATE or DELETE is about: the join of its table with what it reads besides.
struct ReachParts {
    /// The WITH queries ahead of it, and the word.
    let queries: Fragment
    /// The table, and what it is called there.
    let table: Fragment
    /// The other tables.
    let source: Fragment?
    let condition: Fragment?
}

extension Fragment {
    /// What of a statement says which rows it changes; nil for what only adds some, and where a query ahead of it writes.
    var reach: ReachParts? {
        guard let verb = mainVerb, verb.word == .update || verb.word == .delete else { return nil }
        let queries = slice(0..<verb.index)
        guard queries.withQueries.allSatisfy(\.targets.isEmpty) else { return nil }
        let isDelete = verb.word == .delete
        let start = verb.index + (isDelete ? 2 : 1)
        let outer = topLevel.filter { $0 > start && isKeyword(at: $0) && word(at: $0 - 1) != "distinct" }
        func place(of keyword: String, behind start: Int) -> Int? {
            outer.first { $0 > start && word(at: $0) == keyword }
        }
        let set = isDelete ? start : place(of: "set", behind: start)
        guard let set else { return nil }
        let end = place(of: "returning", behind: set) ?? tokens.count
        let condition = place(of: "where", behind: set).flatMap { $0 < end ? $0 : nil }
        let source = place(of: isDelete ? "using" : "from", behind: set).flatMap { $0 < condition ?? end ? $0 : nil }
        return ReachParts(
            queries: queries, table: slice(start..<(isDelete ? source ?? condition ?? end : set)),
            source: source.map { slice($0 + 1..<(condition ?? end)) },
            condition: condition.map { slice($0 + 1..<end) })
    }
}
