internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Changes the rows that stay: they lose what they refer to, or get the values that the app file gives them.
struct RowChanges {
    let account: FoundAccount
    let transaction: ActTransaction
    /// How many rows of each table it changed.
    private(set) var changed: [UInt32: Int] = [:]

    init(_ account: FoundAccount, in transaction: ActTransaction) {
        (self.account, self.transaction) = (account, transaction)
    }

    /// One UPDATE a table.
    mutating func run() throws(Failure) {
        for table in account.changed {
            guard let statement = Self.statement(table, account.conditions) else { continue }
            switch try transaction.attempt([statement]) {
            case .success(let answers): changed[table] = answers[0].affected ?? 0
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                throw Failure(
                    DeletionRefusal.notChanged(
                        table: account.model.name(table), columns: (account.staying[table]?.columns ?? []).sorted(),
                        error))
            }
        }
    }

    /// Refuses if a row that stays still refers to what goes: the database would delete it, too.
    func requireFreed() throws(Failure) {
        var questions: [(table: UInt32, query: Query)] = []
        for table in account.changed {
            var bindings = Bindings()
            guard let relation = account.model.graph.tables[table] else { continue }
            let edges = account.model.edges(from: table).filter { $0.reference != nil && $0.values.isEmpty }
            guard let refs = any(edges.map { account.conditions.refs($0, &bindings) }) else { continue }
            let stays = account.conditions.goes(table, &bindings).map { " and \(not($0))" } ?? ""
            let sql = "select pg_catalog.count(*) from \(relation.ownRows) t where \(refs)\(stays)"
            questions.append((table, Query(unsafe: sql, values: bindings.values)))
        }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        var bound: [UInt32: Int] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { bound[question.table] = rows }
        }
        if !bound.isEmpty { throw Verification(account).explained(bound) }
    }

    /// The UPDATE of a table; nil where no row of it changes.
    private static func statement(_ table: UInt32, _ conditions: RowConditions) -> Query? {
        var bindings = Bindings()
        guard let relation = conditions.model.graph.tables[table],
            let change = conditions.changes(table, &bindings)
        else { return nil }
        let values = change.values.map { column, cases in
            let whens = cases.map { "when \($0.when) then \($0.then)" }.joined(separator: " ")
            return "\(Identifier(column).quoted) = case \(whens) else \(cell(column)) end"
        }
        let sql =
            "update \(relation.ownRows) t set \(values.joined(separator: ", ")) where \(change.condition)"
        return Query(unsafe: sql, values: bindings.values)
    }
}
