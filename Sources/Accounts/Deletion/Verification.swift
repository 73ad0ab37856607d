import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Counts rows that should be gone after a deletion, and expects zero.
struct Verification {
    let account: FoundAccount

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount) { self.account = account }

    /// The numbers of rows by table that should be deleted or still refer to deleted rows.
    ///
    /// Rows that triggers of this transaction wrote are left out.
    func remaining(
        in tables: some Sequence<UInt32>, besides written: Set<UInt32> = [], asking ask: Ask
    ) throws(Failure) -> [UInt32: Int] {
        try count(in: tables, ask) { table, bindings in
            let own = written.contains(table) ? not("(\(ownWrite))") : "true"
            var tests = [account.conditions.freed(table, &bindings)]
            // Rows of these tables may be deleted although no reference of theirs is emptied.
            let isLasting = model.edges(from: table).contains { !$0.isAsked && !$0.values.isEmpty }
            if isLasting || table == model.root.oid || isOwned(table) {
                tests.append(account.conditions.goes(table, &bindings))
            }
            return any(tests).map { "\($0) and \(own)" }
        }
    }

    /// The number of kept rows of a table that still refer to a deleted row.
    func bound(in table: Graph.Table, asking ask: Ask) throws(Failure) -> Int {
        try count(in: [table.oid], ask) { table, bindings in
            let conditions = account.conditions
            return all([conditions.freed(table, &bindings), not(conditions.goes(table, &bindings))])
        }[table.oid] ?? 0
    }

    /// The numbers of rows that appeared since the deletion, in tables where no foreign key prevents this.
    func appeared(asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        try remaining(
            in: model.graph.tables.keys.filter { table in
                table == model.root.oid || isOwned(table)
                    || model.edges(from: table).contains { !$0.isAsked && !$0.isGuarded }
            }, asking: ask)
    }

    private func isOwned(_ table: UInt32) -> Bool { account.conditions.owned.keys.contains { $0.table == table } }

    private func count(
        in tables: some Sequence<UInt32>, _ ask: Ask, _ condition: (UInt32, inout Bindings) -> String?
    ) throws(Failure) -> [UInt32: Int] {
        var questions: [(table: UInt32, query: Query)] = []
        for table in tables.sorted().compactMap({ model.graph.tables[$0] }) {
            var bindings = Bindings()
            guard let test = bindings.attempt({ condition(table.oid, &$0) }) else { continue }
            let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(test)"
            questions.append((table.oid, Query(unsafe: sql, values: bindings.values)))
        }
        var counts: [UInt32: Int] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { counts[question.table] = rows }
        }
        return counts
    }

    /// The refusal with the triggers that may have kept rows.
    func explained(_ remaining: [UInt32: Int]) -> Failure {
        let left = remaining.sorted { $0.key < $1.key }
        let triggers = left.compactMap { table, _ -> (String, NamedTrigger)? in
            let silent = account.triggers.filter {
                model.graph.whole($0.table) == table && $0.isBefore && $0.isForEachRow
            }
            return silent.first.map { (model.name(table), NamedTrigger($0, in: model.graph)) }
        }
        let keepers = Dictionary(triggers) { first, _ in first }
        return Failure(
            .refused, "rows would be left behind, so nothing was deleted",
            hint:
                "the server reported no error, so a trigger or a rule must have kept the rows; keep them with @keep in the app file, or change the trigger",
            details: left.map { table, rows in
                let what = rows == 1 ? "1 row is unchanged, or refers" : "\(rows) rows are unchanged, or refer"
                let keeper = keepers[model.name(table)].map {
                    ": the trigger \($0.name) (\($0.function)) may keep them"
                }
                return "\(pasted(model.name(table))): \(what) to deleted rows" + (keeper ?? "")
            })
    }
}
