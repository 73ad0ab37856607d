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
    let request: DeletionRequest
    let start: AccountStart
    let runner: ActRunner
    var pace: Pace
    let entry: (_ id: String, _ done: DeletionParts) -> Ledger.Entry

    static func pace(of size: Int) -> Pace { Pace(from: size, within: min(300, size)...size) }

    /// Deletes in batches, adds up the rows, and reports progress.
    func run(_ parts: inout DeletionParts, progress: (_ table: String, _ gone: Int) -> Void) throws(Failure) {
        let account = try find()
        var pace = pace
        let clock = ContinuousClock()
        for group in account.closure.order {
            for table in group where Self.isFree(table, account) {
                var isMore = true
                while isMore {
                    let began = clock.now
                    do throws(Failure) {
                        let (rows, done) = try batch(of: table, in: group, account, size: pace.size)
                        isMore = rows == pace.size
                        parts += done
                        progress(account.model.name(table), parts.deleted[account.model.name(table)] ?? 0)
                    } catch {
                        // A smaller batch collides less often.
                        guard error.kind == .conflict, error.fate == nil, pace.yield() else { throw error }
                        continue
                    }
                    pace.learn(began.duration(to: clock.now))
                }
            }
        }
    }

    private func find() throws(Failure) -> FoundAccount {
        let transaction = ReadTransaction(
            on: try runner.alive(), settings: .init(timeout: runner.options.patientTimeout))
        defer { try? transaction.end() }
        return try FoundAccount(of: start, request.account) { queries throws(Failure) in try transaction.ask(queries) }
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
    private func batch(
        of table: UInt32, in group: [UInt32], _ account: FoundAccount, size: Int
    ) throws(Failure) -> (rows: Int, done: DeletionParts) {
        guard let statement = statement(table, in: group, account, size) else { return (0, DeletionParts()) }
        let terms = ActRunner.Terms(mostRetries: 3, timeout: runner.options.patientTimeout)
        let done = try runner.run(terms) { (transaction, _) throws(Failure) -> ActRunner.Step<(Int, DeletionParts)> in
            try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
            let before = try transaction.counters(everywhere: account.model.graph.isSpread)
            let answers: [Rows]
            switch try transaction.attempt([statement, "set constraints all immediate"]) {
            case .success(let rows): answers = rows
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                return .left((0, DeletionParts()))
            }
            let rows = answers[0].affected ?? 0
            if rows == 0 { return .left((0, DeletionParts())) }
            let since = try transaction.counters(everywhere: account.model.graph.isSpread).since(before)
            if since.hasRemade { return .left((0, DeletionParts())) }
            var triggers = TriggerRows(account, request.account.answers, in: transaction)
            var counts = triggers.unexplained([since], besides: [table: .init(deleted: rows)])
            try triggers.remove(counts)
            for (table, rows) in triggers.removed { counts[table]?.deleted -= rows }
            let done = DeletionParts(
                deleted: [account.model.name(table): rows], written: try triggers.found(counts))
            let entry = entry(OperationID.make(), done)
            try transaction.run([Ledger.part(.batch, entry)])
            return .done((rows, done), entry)
        }
        var (rows, parts) = done.value
        parts.warnings = done.warnings
        return (rows, parts)
    }

    /// The DELETE of N rows; in a cycle of tables, only rows that no other row of the cycle refers to.
    private func statement(
        _ table: UInt32, in group: [UInt32], _ account: FoundAccount, _ size: Int
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
