import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// The verification after a deletion: usher counts rows that should not exist any more, and expects zero.
extension AccountPlan {
    /// The numbers of rows, by table, that should be deleted or that still refer to deleted rows.
    ///
    /// In the tables of `written`, rows that this transaction wrote don't count.
    func remaining(
        in tables: some Sequence<UInt32>, besides written: Set<UInt32> = [], asking ask: Ask
    ) throws(Failure) -> [UInt32: Int] {
        try count(in: tables, ask) { table, bindings in
            let own = written.contains(table) ? not("(\(ownWrite))") : "true"
            var tests = [conditions.freed(table, &bindings)]
            // In these tables, a row can meet `goes` (see `RowConditions`) but not `freed`, so usher tests both.
            if table == model.root.oid || isOwned(table) { tests.append(conditions.goes(table, &bindings)) }
            return any(tests).map { "\($0) and \(own)" }
        }
    }

    /// The numbers of kept rows that still refer to a deleted row, or that a trigger or a rule kept unchanged.
    ///
    /// `changed` contains the number of rows that the UPDATE of each table changed.
    func unchanged(in changed: [UInt32: Int], asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        try count(in: changed.keys, ask) { table, bindings in
            let bound = bindings.attempt { bindings in
                all([conditions.freed(table, &bindings), not(conditions.goes(table, &bindings))])
            }
            if changed[table] ?? 0 >= staying[table]?.changed ?? 0 { return bound }
            let change = conditions.changes(table, &bindings)?.condition
            return any([bound, change.map { "(\($0) and \(not("(\(ownWrite))")))" }])
        }
    }

    /// The numbers of rows that appeared since the deletion, in tables where no foreign key prevents this.
    func appeared(asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        try remaining(
            in: model.graph.tables.keys.filter { table in
                table == model.root.oid || isOwned(table)
                    || model.edges(from: table).contains { !$0.isAsked && !$0.isGuarded }
            }, asking: ask)
    }

    private func isOwned(_ table: UInt32) -> Bool { conditions.owned.keys.contains { $0.table == table } }

    private func count(
        in tables: some Sequence<UInt32>, _ ask: Ask, _ condition: (UInt32, inout Bindings) -> String?
    ) throws(Failure) -> [UInt32: Int] {
        var queries: [(table: UInt32, query: Query)] = []
        for table in tables.sorted().compactMap({ model.graph.tables[$0] }) {
            var bindings = Bindings()
            guard let test = bindings.attempt({ condition(table.oid, &$0) }) else { continue }
            let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(test)"
            queries.append((table.oid, Query(unsafe: sql, values: bindings.values)))
        }
        var counts: [UInt32: Int] = [:]
        for ((table, _), answer) in zip(queries, try ask(queries.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { counts[table] = rows }
        }
        return counts
    }

    /// The refusal because of remaining rows, with the triggers that may have kept the rows.
    func explained(_ remaining: [UInt32: Int]) -> Failure {
        let details = remaining.sorted { $0.key < $1.key }.map { table, rows in
            let what = rows == 1 ? "1 row is unchanged, or still refers" : "\(rows) rows are unchanged, or still refer"
            let keeper = triggers.first { model.graph.whole($0.table) == table && $0.isBefore && $0.isForEachRow }
            return "\(pasted(model.name(table))): \(what) to deleted rows"
                + (keeper.map { ": the trigger \($0.name) (\($0.function)) may keep them" } ?? "")
        }
        return Failure(
            .refused, "the deletion would leave rows of the account behind, so nothing was deleted",
            hint:
                "the server reported no error, so a trigger or a rule must have kept the rows; declare the rows with @keep in the app file, or change the trigger",
            details: details)
    }
}
