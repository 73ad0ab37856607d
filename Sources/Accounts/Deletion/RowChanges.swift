import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Updates kept rows: removes references, or writes the values of `@set` lines.
struct RowChanges {
    let account: FoundAccount
    let transaction: ActTransaction
    private(set) var changed: [UInt32: Int] = [:]

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount, in transaction: ActTransaction) {
        (self.account, self.transaction) = (account, transaction)
    }

    /// Runs one UPDATE per table; refuses if a row keeps a reference, since a cascade would delete the row.
    mutating func run() throws(Failure) {
        let verification = Verification(account)
        for table in account.changed.compactMap({ model.graph.tables[$0] }) {
            guard let statement = statement(table) else { continue }
            switch try transaction.attempt([statement]) {
            case .success(let answers):
                var bound = 0
                if Self.isPlain(table) {
                    changed[table.oid] = answers[0].affected ?? 0
                    bound = try verification.bound(in: table, asking: transaction.ask)
                } else {
                    (changed[table.oid], bound) = try decoding { () throws(DecodingFailure) in
                        let row = try answers[0].only()
                        return (try row.integer(at: 0), try row.integer(at: 1))
                    }
                }
                if bound > 0 { throw verification.explained([table.oid: bound]) }
                try requireComplete(table)
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                let columns = (account.staying[table.oid]?.columns ?? []).sorted().joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(pasted(table.qualifiedName)): rows that stay can't get another value in \(columns): \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            }
        }
    }

    /// True if the UPDATE changed the planned rows, and none of them refers to a deleted row.
    func isCertain(_ table: UInt32) -> Bool {
        changed[table] == account.staying[table]?.changed && model.edges(from: table).allSatisfy(\.values.isEmpty)
            && model.graph.tables[table].map { !Self.isPlain($0) } ?? false
    }

    /// True if the server refuses WITH for the table.
    private static func isPlain(_ table: Graph.Table) -> Bool { table.isDistributed || table.isRuled }

    /// Refuses if a trigger or a rule kept rows unchanged.
    private func requireComplete(_ table: Graph.Table) throws(Failure) {
        var bindings = Bindings()
        guard let change = account.conditions.changes(table.oid, &bindings),
            changed[table.oid] ?? 0 < account.staying[table.oid]?.changed ?? 0
        else { return }
        let sql =
            "select pg_catalog.count(*) from \(table.ownRows) t where \(change.condition) and \(not("(\(ownWrite))"))"
        let answer = try transaction.ask([Query(unsafe: sql, values: bindings.values)])[0]
        let rows = try decoding(try answer.count())
        if rows > 0 { throw Verification(account).explained([table.oid: rows]) }
    }

    /// The UPDATE of a table; it counts changed rows, and rows that still refer to a deleted row.
    private func statement(_ table: Graph.Table) -> Query? {
        var bindings = Bindings()
        guard let change = account.conditions.changes(table.oid, &bindings) else { return nil }
        let values = change.values.map { column, cases in
            let whens = cases.map { "when \($0.when) then \($0.then)" }.joined(separator: " ")
            return "\(Identifier(column).quoted) = case \(whens) else \(cell(column)) end"
        }
        var sql = "update \(table.ownRows) t set \(values.joined(separator: ", ")) where \(change.condition)"
        if !Self.isPlain(table) {
            let bound = account.conditions.freed(table.oid, &bindings) ?? "false"
            sql = """
                with c as (\(sql) returning \(bound) as bound) \
                select pg_catalog.count(*), pg_catalog.count(*) filter (where bound) from c
                """
        }
        return Query(unsafe: sql, values: bindings.values)
    }
}
