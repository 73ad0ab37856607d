import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Updates the rows that stay: they lose references, or get the values of `@set` lines.
struct RowChanges {
    let account: FoundAccount
    let transaction: ActTransaction
    private(set) var changed: [UInt32: Int] = [:]

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount, in transaction: ActTransaction) {
        (self.account, self.transaction) = (account, transaction)
    }

    /// Runs one UPDATE per table; refuses if a row keeps a reference, since a cascade would delete it.
    mutating func run() throws(Failure) {
        for table in account.changed {
            guard let statement = statement(table) else { continue }
            switch try transaction.attempt([statement]) {
            case .success(let answers):
                changed[table] = answers[0].affected ?? 0
                try requireComplete(table)
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                let columns = (account.staying[table]?.columns ?? []).sorted().joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(pasted(model.name(table))): rows that stay can't get another value in \(columns): \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            }
        }
        let verification = Verification(account)
        let bound = try verification.bound(in: account.changed.filter { !isCertain($0) }) { queries throws(Failure) in
            try transaction.ask(queries)
        }
        if !bound.isEmpty { throw verification.explained(bound) }
    }

    /// True if the UPDATE changed exactly the planned rows, and nothing else can have changed them.
    func isCertain(_ table: UInt32) -> Bool {
        model.rules.assignments[table] == nil && changed[table] == account.staying[table]?.changed
            && model.edges(from: table).allSatisfy { $0.isAsked || !$0.isList }
            && !account.triggers.contains {
                model.graph.whole($0.table) == table && $0.isBefore && $0.firesOnUpdate
            }
    }

    /// Refuses if a trigger or a rule kept rows unchanged.
    private func requireComplete(_ table: UInt32) throws(Failure) {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], let change = account.conditions.changes(table, &bindings),
            changed[table] ?? 0 < account.staying[table]?.changed ?? 0
        else { return }
        let sql =
            "select pg_catalog.count(*) from \(relation.ownRows) t where \(change.condition) and \(not("(\(ownWrite))"))"
        let answer = try transaction.ask([Query(unsafe: sql, values: bindings.values)])[0]
        let rows = try decoding(try answer.count())
        if rows > 0 { throw Verification(account).explained([table: rows]) }
    }

    private func statement(_ table: UInt32) -> Query? {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], let change = account.conditions.changes(table, &bindings)
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
