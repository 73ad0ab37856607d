/// The parts of an UPDATE in which each assignment sets one column.
struct UpdateParts {
    /// The table with its alias, as the statement contains them.
    let table: Fragment
    /// The assigned columns and their values.
    let assignments: [(column: String, value: Fragment)]
    /// The tables in the FROM clause; nil if there is none.
    let source: Fragment?
    let condition: Fragment?
}

extension Fragment {
    /// The parts of an UPDATE; nil for any other statement.
    ///
    /// The result is also nil if the UPDATE has RETURNING, or if an assignment sets several columns, a part of a
    /// column, or a default.
    var update: UpdateParts? {
        guard isUpdate else { return nil }
        let outer = topLevel
        func place(of keyword: String, behind start: Int) -> Int? {
            // The FROM of `is distinct from` doesn't begin a clause.
            outer.first { $0 > start && isKeyword(at: $0) && word(at: $0) == keyword && word(at: $0 - 1) != "distinct" }
        }
        guard let set = place(of: "set", behind: 0), place(of: "returning", behind: set) == nil else { return nil }
        let condition = place(of: "where", behind: set)
        let source = place(of: "from", behind: set).flatMap { $0 < condition ?? tokens.count ? $0 : nil }
        var assignments: [(column: String, value: Fragment)] = []
        for part in slice(set + 1..<(source ?? condition ?? tokens.count)).parts(at: ",") {
            let value = part.slice(min(2, part.tokens.count)..<part.tokens.count)
            guard part.isName(at: 0), part.word(at: 1) == "=", !value.tokens.isEmpty, value.word(at: 0) != "default"
            else { return nil }
            assignments.append((part.tokens[0].folded(in: file), value))
        }
        return UpdateParts(
            table: slice(1..<set), assignments: assignments,
            source: source.map { slice($0 + 1..<(condition ?? tokens.count)) },
            condition: condition.map { slice($0 + 1..<tokens.count) })
    }
}
