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
        let clauses = clauses(["update", "set", "from", "where", "returning"])
        let keywords = clauses.map(\.keyword)
        guard isUpdate, keywords.starts(with: ["update", "set"]), !keywords.contains("returning") else { return nil }
        var assignments: [(column: String, value: Fragment)] = []
        for part in clauses[1].body.parts(at: ",") {
            let value = part.slice(min(2, part.tokens.count)..<part.tokens.count)
            guard part.isName(at: 0), part.word(at: 1) == "=", !value.tokens.isEmpty, value.word(at: 0) != "default"
            else { return nil }
            assignments.append((part.word(at: 0), value))
        }
        func body(of keyword: String) -> Fragment? { clauses.first { $0.keyword == keyword }?.body }
        return UpdateParts(
            table: clauses[0].body, assignments: assignments, source: body(of: "from"), condition: body(of: "where"))
    }
}
