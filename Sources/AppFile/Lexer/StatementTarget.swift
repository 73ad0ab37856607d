/// The table that a statement of a change writes to, found in the statement's text.
package struct StatementTarget: Sendable, Hashable {
    package enum Verb: String, Sendable { case insert, update, delete, merge }

    package let verb: Verb
    package let table: TableName
    /// The alias of the table in the statement, as SQL; without an alias, the table as written.
    package let alias: String
    /// True if the statement has a RETURNING clause.
    package var returns = false
    /// True if the statement contains ONLY, so that it ignores tables that inherit from this table.
    package var isOnly = false

    /// True if the statement also changes rows of tables that inherit from this table.
    ///
    /// The rows of a partition belong to the partitioned table itself.
    package var reachesHeirs: Bool { verb != .insert && !isOnly }
}

extension Fragment {
    /// The table that this INSERT, UPDATE, DELETE or MERGE writes to; nil for any other statement.
    package var target: StatementTarget? { relations.first { $0.isOuter && $0.verb != nil }.flatMap(target) }

    /// The tables that the statement and its WITH queries write to.
    package var targets: [StatementTarget] {
        let inner = relations.filter { !$0.isOuter }.compactMap(target)
        return [target].compactMap { $0 } + inner
    }

    private func target(of mention: RelationMention) -> StatementTarget? {
        guard let verb = mention.verb, let table = mention.table else { return nil }
        let named = mention.alias.map { $0..<($0 + 1) } ?? mention.tokens
        return StatementTarget(
            verb: verb, table: table, alias: slice(named).text, returns: mention.isOuter && hasClause("returning"),
            isOnly: mention.isOnly)
    }

    /// True if the statement only updates existing rows.
    package var isUpdate: Bool { word(at: 0) == "update" }

    /// True if the statement is an INSERT that can't update existing rows.
    var onlyInserts: Bool { target?.verb == .insert && !hasClause("set") }

    private func hasClause(_ keyword: String) -> Bool {
        topLevel.contains { tokens[$0].kind == .word && word(at: $0) == keyword }
    }
}
