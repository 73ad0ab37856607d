internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// Deletes most rows of a big account in short transactions of N rows, before the last transaction.
///
/// The keys are frozen, so each batch is a part of the same DELETE. The last transaction deletes the users' rows and
/// all rows that other conditions read, and changes kept rows. --resume continues an interrupted run.
struct Batches {
    let deletion: Deletion
    let size: Int

    private var runner: ActRunner { deletion.runner }

    func run() throws(Failure) {
        let transaction = ReadTransaction(
            on: try runner.alive(), settings: .init(timeout: runner.options.patientTimeout))
        let account = try FoundAccount(
            of: deletion.reading.start, deletion.request.account, asking: transaction.ask)
        try? transaction.end()
        for group in account.closure.order {
            for table in group where Self.isFree(table, account) {
                while try batch(of: table, in: group, account) == size {}
            }
        }
    }

    /// True if rows of a table can be deleted before the last transaction, because nothing else depends on them.
    private static func isFree(_ table: UInt32, _ account: FoundAccount) -> Bool {
        let model = account.model
        guard let relation = model.graph.tables[table], !model.isUser(table), !relation.isDistributed,
            !relation.asksElsewhere, (account.staying[table]?.changed ?? 0) == 0
        else { return false }
        // Later, usher couldn't find the rows that refer to deleted rows by a line, or owned rows.
        let isReferred = model.edges(to: table).contains { edge in
            // Kept rows lose their references in the last transaction.
            if (account.staying[edge.child]?.changed ?? 0) > 0 { return true }
            return edge.reference == nil
                && (edge.effect == .detach
                    || edge.effect == .delete && edge.child != table && !isEmpty(edge.child, account))
        }
        let isOwner = model.owned.contains { model.edges[$0].child == table || model.edges[$0].parent == table }
        return !isReferred && !isOwner && !model.rules.conditions.contains { $0.contains(relation.name) }
    }

    private static func isEmpty(_ table: UInt32, _ account: FoundAccount) -> Bool {
        (account.closure.found[table]?.rows ?? 0) == 0
    }

    /// Runs one batch in a transaction; zero rows if the server refuses to delete these rows alone.
    private func batch(of table: UInt32, in group: [UInt32], _ account: FoundAccount) throws(Failure) -> Int {
        guard let statement = statement(table, in: group, account) else { return 0 }
        let name = account.model.name(table)
        let terms = ActRunner.Terms(timeout: runner.options.patientTimeout)
        let done = try runner.run(terms) { (transaction, _) throws(Failure) -> ActRunner.Step<DeletionParts> in
            func counters() throws(Failure) -> ChangeCounters {
                try transaction.counters(everywhere: account.model.graph.isSpread)
            }
            try deletion.set(in: transaction)
            let before = try counters()
            var rows = 0
            switch try transaction.attempt([statement, "set constraints all immediate"]) {
            case .success(let answers): rows = answers[0].affected ?? 0
            case .failure(let error): if error.state.endsAttempt { throw Failure(error) }
            }
            let isRemade = try counters().since(before).hasRemade
            if rows == 0 || isRemade { return .left(DeletionParts()) }
            var triggers = TriggerRows(account, deletion.request.account.answers, in: transaction)
            try triggers.find(besides: [table: .init(deleted: rows)]) { () throws(Failure) in
                [try counters().since(before)]
            }
            let parts = DeletionParts(deleted: [name: rows], written: try triggers.found())
            try Self.requireKnown(parts.written)
            let entry = deletion.entry(.batch, counting: parts)
            try transaction.run([Ledger.part(.batch, entry)])
            return .done(parts, entry)
        }
        deletion.parts += done.value
        deletion.parts.warnings += done.warnings
        deletion.request.progress(name, deletion.parts.deleted[name] ?? 0)
        return done.value.total
    }

    /// Refuses leftovers of triggers, which the report of a resumed deletion wouldn't show.
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
                + "add --undeclared \(name)=keep, or delete without --batch")
    }

    /// The DELETE of N rows; in a cycle of tables, only rows that no other row of the cycle refers to.
    private func statement(
        _ table: UInt32, in group: [UInt32], _ account: FoundAccount
    ) -> Query? {
        var bindings = Bindings()
        let model = account.model
        guard let relation = model.graph.tables[table], let goes = account.conditions.goes(table, &bindings) else {
            return nil
        }
        let holders = model.edges(to: table).filter { group.contains($0.child) && $0.blocks && !$0.cascades }
        var (keys, free): ([String], String) = ([], "")
        for (place, edge) in holders.enumerated() {
            guard let child = model.graph.tables[edge.child] else { continue }
            keys += edge.key.expressions.indices.map { ", \(edge.key.expressions[$0]) as k\(place)_\($0)" }
            let pairs = edge.terms.indices.map {
                "\(edge.terms[$0].expression) \(edge.terms[$0].equals) b.k\(place)_\($0)"
            }
            let isOther = edge.child == table ? " and (t.tableoid, t.ctid) <> (b.p, b.c)" : ""
            free +=
                " and not exists (select from \(child.ownRows) t where \(pairs.joined(separator: " and "))\(isOther))"
        }
        // A ctid is only valid within one statement.
        let sql = """
            delete from \(relation.ownRows) d using (
                select b.p, b.c from (
                    select t.tableoid as p, t.ctid as c\(keys.joined()) from \(relation.ownRows) t where \(goes)) b
                 where true\(free) limit \(size)) b
             where d.tableoid = b.p and d.ctid = b.c
            """
        return Query(unsafe: sql, values: bindings.values)
    }
}

extension Rules {
    var conditions: [String] {
        kept.values.flatMap { $0.compactMap(\.condition) }
            + assignments.values.flatMap { $0.flatMap { [$0.expression, $0.condition].compactMap(\.self) } }
            + shared.values.flatMap { line -> [String] in
                guard case .give(let heir) = line.answer else { return [line.condition].compactMap(\.self) }
                return [heir]
            }
    }
}
