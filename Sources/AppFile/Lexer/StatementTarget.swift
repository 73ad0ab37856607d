/// The table that a statement of a change writes, as far as its text says.
package struct StatementTarget: Sendable, Hashable {
    package enum Verb: String, Sendable { case insert, update, delete, merge }

    package let verb: Verb
    package let table: TableName
    /// The alias of the table in the statement, as SQL.
    package let alias: String
    /// True if it returns rows of its own accord.
    package let returns: Bool
    /// True if it says ONLY, and leaves the tables that inherit from this one alone.
    package let isOnly: Bool

    /// True if it writes the rows of tables that inherit from this one, too; those of its partitions are its own.
    package var reachesHeirs: Bool { verb != .insert && !isOnly }

    /// A table that a statement of the program's own writes.
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
    /// The table that this INSERT, UPDATE, DELETE or MERGE writes, nil for any other statement.
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

    /// The index of the table that a verb changes, and whether the statement has ONLY.
    private func tablePlace(behind verb: Int) -> (start: Int, isOnly: Bool) {
        let start = verb + (["into", "from"].contains(word(at: verb + 1)) ? 2 : 1)
        let isOnly = word(at: start) == "only" && tokens[start].kind == .word
        return (isOnly ? start + 1 : start, isOnly)
    }

    /// The tables that it writes, those of its WITH queries included.
    package var targets: [StatementTarget] { [target].compactMap { $0 } + withQueries.flatMap(\.targets) }

    /// The statements in brackets that write something.
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

    /// True if it changes rows that are there and does nothing else.
    package var isUpdate: Bool { mainVerb?.word == .update && mainVerb?.index == 0 }

    /// True if it is an INSERT that changes no rows that are there.
    var onlyInserts: Bool { mainVerb?.word == .insert && !topLevel.contains { isWord("set", at: $0) } }

    private static let behindTables: Set<String> = [
        "set", "using", "where", "returning", "values", "select", "default", "overriding", "with", "table", "on",
    ]

    /// The verb of the statement itself, behind its WITH queries.
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
