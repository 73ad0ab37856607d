internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// Deletes most rows of a big account in short transactions of N rows, before the last transaction.
///
/// The batches use the keys of the plan, so all batches delete rows of the same account. The last transaction deletes
/// the users' rows and the rows that conditions of other tables read. It also changes kept rows. `--resume` continues
/// an interrupted deletion.
extension Deletion {
    func runBatches(of size: Int) throws(Failure) {
        for table in plan.closure.order.joined() where isFree(table) {
            while try batch(of: size, table) == size {}
        }
    }

    /// True if rows of a table can be deleted before the last transaction, because no other rows depend on them.
    private func isFree(_ table: UInt32) -> Bool {
        let model = plan.model
        guard let relation = model.graph.tables[table], !model.isUser(table), !relation.isDistributed,
            !relation.asksElsewhere, (plan.staying[table]?.changed ?? 0) == 0
        else { return false }
        // usher finds rows by a @refers or @owns line only while the rows of this table exist.
        let isReferred = model.edges(to: table).contains { edge in
            // The last transaction removes the references of kept rows, so the referenced rows must still exist.
            if (plan.staying[edge.child]?.changed ?? 0) > 0 { return true }
            return edge.reference == nil
                && (edge.effect == .detach
                    || edge.effect == .delete && edge.child != table
                        && (plan.closure.found[edge.child]?.rows ?? 0) > 0)
        }
        let isOwner = model.owned.contains { model.edges[$0].child == table || model.edges[$0].parent == table }
        return !isReferred && !isOwner && !model.rules.conditions.contains { $0.contains(relation.name) }
    }

    /// Deletes one batch in a transaction; returns 0 if the server refuses to delete these rows alone.
    private func batch(of size: Int, _ table: UInt32) throws(Failure) -> Int {
        guard let statement = statement(size, table) else { return 0 }
        let name = plan.model.name(table)
        let terms = ActRunner.Terms(timeout: runner.options.patientTimeout)
        typealias Batch = (rows: Int, written: [TriggerRows.Found])
        let done = try runner.run(terms) { (transaction, _) throws(Failure) -> ActRunner.Step<Batch> in
            try set(in: transaction)
            let before = try transaction.counters(of: plan.model)
            let outcome = try transaction.attempt([statement, "set constraints all immediate"])
            let rows = (try? outcome.get())?[0].affected ?? 0
            if rows == 0 { return .left((0, [])) }
            var triggers = TriggerRows(account: plan, transaction: transaction)
            try triggers.find(since: before, besides: [table: .init(deleted: rows)])
            let written = try triggers.found()
            try Self.requireKnown(written)
            let entry = entry(.batch, counting: [.delete: [name: rows]])
            try transaction.run([Ledger.part(.batch, entry)])
            return .done((rows, written), entry)
        }
        let (rows, written) = done.value
        if rows == 0 { return 0 }
        parts.deleted[name, default: 0] += rows
        parts.written += written
        parts.warnings += done.warnings
        request.progress(name, parts.deleted[name] ?? 0)
        return rows
    }

    /// Refuses leftovers that triggers wrote, because the report of a resumed deletion wouldn't show them.
    private static func requireKnown(_ written: [TriggerRows.Found]) throws(Failure) {
        guard let found = written.first(where: { $0.leftover != 0 }) else { return }
        let name = pasted(found.table)
        throw Failure(
            .refused,
            "triggers write rows into \(name) that "
                + (found.leftover == nil
                    ? "this role can't read, so usher can't tell if they are about the user"
                    : "contain a key or an email of the account"),
            hint: "declare the table in the app file with `@written \(name) : keep` or `remove`, "
                + "add --undeclared \(name)=keep, or remove --batch")
    }

    private func statement(_ size: Int, _ table: UInt32) -> Query? {
        var bindings = Bindings()
        guard let relation = plan.model.graph.tables[table], let goes = plan.conditions.goes(table, &bindings) else {
            return nil
        }
        // The DELETE selects its rows itself, because a ctid is valid only within one statement.
        let sql = """
            delete from \(relation.ownRows) d
             using (select t.tableoid as p, t.ctid as c from \(relation.ownRows) t where \(goes) limit \(size)) b
             where d.tableoid = b.p and d.ctid = b.c
            """
        return Query(unsafe: sql, values: bindings.values)
    }
}

extension Rules {
    /// The SQL conditions and values of the @keep, @set and @shared lines.
    var conditions: [String] {
        (kept.keys.flatMap(ways) + assignments.keys.flatMap(ways)).compactMap(\.condition)
            + assignments.values.joined().map(\.expression) + shared.values.compactMap(\.condition)
    }
}
