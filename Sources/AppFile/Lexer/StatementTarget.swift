/// The table that a statement of a change writes to, found in the statement's text.
package struct StatementTarget: Sendable, Hashable {
    package enum Verb: String, Sendable { case insert, update, delete, merge }

    package let verb: Verb
    package let table: TableName
    /// The alias of the table in the statement, as SQL; without an alias, the table as written.
    package let alias: String
    /// True if the statement has a RETURNING clause.
    package let returns: Bool
    /// True if the statement contains ONLY, so that it ignores tables that inherit from this table.
    package let isOnly: Bool

    /// True if the statement also changes rows of tables that inherit from this table.
    ///
    /// The rows of a partition belong to the partitioned table itself.
    package var reachesHeirs: Bool { verb != .insert && !isOnly }

    /// Creates the target of a statement that usher itself wrote.
    package init(
        _ verb: Verb, _ table: TableName, alias: String, returns: Bool = false, isOnly: Bool = false
    ) {
        self.verb = verb
        self.table = table
        self.alias = alias
        self.returns = returns
        self.isOnly = isOnly
    }
}

extension Fragment {
    /// The table that this INSERT, UPDATE, DELETE or MERGE writes to; nil for any other statement.
    package var target: StatementTarget? {
        guard let verb = mainVerb else { return nil }
        let (start, isOnly) = tablePlace(behind: verb.index)
        var index = start
        guard tokens.indices.contains(index + 2), word(at: index + 1) == ".", tokens[index].isName,
            tokens[index + 2].isName
        else { return nil }
        let table = TableName(
            schema: tokens[index].folded(in: file), name: tokens[index + 2].folded(in: file))
        index += 3
        if word(at: index) == "*" { index += 1 }
        var alias = file.text(tokens[start].range.lowerBound..<tokens[start + 2].range.upperBound)
        if word(at: index) == "as" { index += 1 }
        if tokens.indices.contains(index), tokens[index].isName,
            tokens[index].kind == .quotedName || !Self.behindTables.contains(word(at: index))
        {
            alias = file.text(tokens[index].range)
        }
        return StatementTarget(
            verb.word, table, alias: alias, returns: topLevel.contains { isWord("returning", at: $0) }, isOnly: isOnly)
    }

    /// The index of the table that follows a verb, and whether the statement contains ONLY.
    private func tablePlace(behind verb: Int) -> (start: Int, isOnly: Bool) {
        let start = verb + (["into", "from"].contains(word(at: verb + 1)) ? 2 : 1)
        let isOnly = word(at: start) == "only" && tokens[start].kind == .word
        return (isOnly ? start + 1 : start, isOnly)
    }

    /// The tables that the statement and its WITH queries write to.
    package var targets: [StatementTarget] { [target].compactMap { $0 } + withQueries.flatMap(\.targets) }

    /// The WITH queries that write rows.
    var withQueries: [Fragment] {
        var found: [Fragment] = []
        var starts: [Int] = []
        for index in tokens.indices where tokens[index].kind == .symbol {
            if word(at: index) == "(" { starts.append(index + 1) }
            guard word(at: index) == ")", let start = starts.popLast(), start < index else { continue }
            if ["insert", "update", "delete", "merge", "with"].contains(word(at: start)), tokens[start].kind == .word {
                found.append(Fragment(file: file, tokens: Array(tokens[start..<index])))
            }
        }
        return found
    }

    /// True if the statement only updates existing rows.
    package var isUpdate: Bool { mainVerb?.word == .update && mainVerb?.index == 0 }

    /// True if the statement is an INSERT that can't update existing rows.
    var onlyInserts: Bool { mainVerb?.word == .insert && !topLevel.contains { isWord("set", at: $0) } }

    private static let behindTables: Set<String> = [
        "set", "using", "where", "returning", "values", "select", "default", "overriding", "with", "table", "on",
    ]

    /// The verb of the statement itself, after its WITH queries.
    var mainVerb: (word: StatementTarget.Verb, index: Int)? {
        for index in topLevel where tokens[index].kind == .word {
            let word = word(at: index)
            if let verb = StatementTarget.Verb(rawValue: word) { return (verb, index) }
            if ["select", "values", "table"].contains(word) { return nil }
        }
        return nil
    }

    private func isWord(_ word: String, at index: Int) -> Bool {
        tokens[index].kind == .word && self.word(at: index) == word
    }
}
