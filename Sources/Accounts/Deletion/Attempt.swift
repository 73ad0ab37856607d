internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// One attempt to delete an account, in one transaction.
struct Attempt {
    let deletion: Deletion
    let transaction: ActTransaction
    let account: AccountPlan
    /// The rows that the server counted for statements that it refused; its counters also include rolled-back rows.
    var refused: [UInt32: ChangeCounters.Count] = [:]

    var model: AccountModel { account.model }
    private var request: DeletionRequest { deletion.request }
    private var start: AccountStart { deletion.start }

    /// Finds the account in a transaction.
    init(_ deletion: Deletion, in transaction: ActTransaction) throws(Failure) {
        (self.deletion, self.transaction) = (deletion, transaction)
        // The account has few keys and the tables have many rows, so the planner should prefer an index.
        try transaction.run(["set local random_page_cost = 1.1"])
        try deletion.set(in: transaction)
        account = try AccountPlan(of: deletion.start, asking: transaction.ask)
    }

    /// Deletes the account, and verifies the deletion; the caller rolls a dry run back.
    ///
    /// The archive is complete before the commit. A dry run also writes an archive, but doesn't keep the file.
    mutating func run(keeping archive: inout PrivateFile?) throws(Failure) -> ActRunner.Step<DeletionReport> {
        // A comparison in a database function would not be safer, because the client would send both plans.
        try requireSame(as: deletion.plan)
        try deletion.requirePossible(account)
        // The audit record must be the first write of the transaction; locking rows writes, too.
        var opened: Recorded?
        if !request.isDryRun {
            let (deletion, locks) = try open()
            guard let deletion else { return .locked(by: locks) }
            opened = deletion
        }
        try transaction.run(lockRoot())
        let before = try transaction.counters(of: model)
        let added = deletion.isInParts ? [] : try QueuedRows.add(start, account.closure, in: transaction)
        let writer = try request.archive.map { path throws(Failure) in
            try ArchiveWriter(path, of: account, in: transaction, elsewhere: deletion.runner.another)
        }
        let changed = try account.change(in: transaction)
        try remove()
        let triggers = try verify(added, changed, since: before)
        let report = DeletionReport(
            plan: account, operation: opened?.entry.whole, deleted: account.rows(under: .delete),
            written: try triggers.found(), further: triggers.further, added: added,
            forgotten: opened?.forgotten ?? 0, searched: model.extent,
            isCounted: triggers.isCounted, filesLeft: files)
        if let writer { try write(writer, triggers, added, opened) }
        guard let entry = opened?.entry else { return .left(report) }
        archive = writer?.file
        return .done(report, entry)
    }

    /// The stored files of the account and of the plan, because batches may have deleted rows that refer to files.
    private var files: [StoredFile] {
        let known = Set(deletion.plan.files)
        return deletion.plan.files + account.files.filter { !known.contains($0) }
    }

    /// Locks the users' rows, so that other sessions can't insert rows with a foreign key to these rows.
    ///
    /// Each query locks the row of only one user, because Citus can't lock rows on several servers.
    private func lockRoot() -> [Query] {
        let root = start.root
        guard let table = model.graph.tables[root.oid], table.isUpdatable else { return [] }
        return root.values.sorted().map { user in
            var bindings = Bindings()
            let condition = root.key.matches([BoundValue([user])], &bindings)
            let sql = "select 1 from \(table.ownRows) t where \(condition) for update"
            return Query(unsafe: sql, values: bindings.values)
        }
    }

    /// Refuses if the account grew by more than 10 % plus 100 rows since the plan.
    ///
    /// usher also refuses if there are new tables, shared rows or obstacles.
    private func requireSame(as plan: AccountPlan) throws(Failure) {
        func policies(_ plan: AccountPlan) -> [String] { plan.entries.map { "\($0.policy.rawValue) \($0.table)" } }
        let known = Set(policies(plan))
        var moved = policies(account).filter { !known.contains($0) }
        if account.total > plan.total + plan.total / 10 + 100 {
            moved.append("\(account.total) rows instead of \(plan.total)")
        }
        if account.shared > plan.shared { moved.append("\(account.shared) shared rows instead of \(plan.shared)") }
        moved += account.obstacles.filter { !plan.obstacles.contains($0) }.map(\.sentence.plain)
        guard moved.isEmpty else {
            throw Failure(
                .conflict, "the account has changed since the plan", nothing: .deleted,
                hint: "check the new plan with `usher account plan`", details: moved)
        }
    }

    private typealias Recorded = (entry: Ledger.Entry, forgotten: Int, claim: String)

    /// Records the deletion; returns the locks of other sessions if these locks prevent the deletion.
    private func open() throws(Failure) -> (opened: Recorded?, locks: [String]) {
        let entry = deletion.entry(
            .erasure, id: deletion.isInParts ? OperationID.make() : deletion.operation, of: account)
        let row = try transaction.run([Ledger.erase(entry, start.root.recorded)])[0]
        let (locks, emptied, claim) = try decoding { () throws(DecodingFailure) in
            let row = try row.only()
            return (try row.texts("locks"), try row.optionalInteger("emptied"), try row.optionalText("claim"))
        }
        guard let emptied, let claim else { return (nil, locks) }
        if deletion.isInParts { try transaction.run([Ledger.part(.end, deletion.end(with: account))]) }
        return ((entry, emptied, claim), [])
    }

    /// Removes rows of the account that triggers wrote, and refuses if rows of the account still exist.
    private func verify(
        _ added: [QueuedRows], _ changed: [UInt32: Int], since before: ChangeCounters
    ) throws(Failure) -> TriggerRows {
        var expected = refused
        for (table, found) in account.closure.found { expected[table, default: .init()].deleted += found.rows }
        for (table, rows) in changed { expected[table, default: .init()].updated += rows }
        for rows in added { expected[rows.relation.oid, default: .init()].inserted += rows.rows }
        var triggers = TriggerRows(account: account, transaction: transaction)
        try triggers.find(since: before, besides: expected)
        try requirePlanned(triggers.counts)
        let doubtful = model.graph.tables.keys.filter { table in
            let planned = account.staying[table]?.changed ?? 0
            let isDeleted = (account.closure.found[table]?.rows ?? 0) > 0
            return !triggers.isCounted || isDeleted && account.keepsRows(of: table) || planned != changed[table] ?? 0
                || model.hasConditions(table)
                || triggers.removed[table] != nil
                || (triggers.counts[table] ?? .init()) != .init()
        }
        let left = try account.remaining(in: doubtful, besides: triggers.keeping, asking: transaction.ask)
        if !left.isEmpty { throw account.explained(left) }
        return triggers
    }

    /// Refuses if the `where` of a @refers line depends on rows that are deleted first.
    private func requirePlanned(_ counts: [UInt32: ChangeCounters.Count]) throws(Failure) {
        let moved = counts.filter { table, count in
            count.deleted != 0 && model.edges(from: table).contains { $0.condition != nil }
        }.keys.map(model.name).sorted()
        if moved.isEmpty { return }
        throw Failure(
            .refused, "the deletion would delete other rows of \(pasted(moved)) than planned",
            nothing: .deleted,
            hint: "the `where` of a @refers line reads another table whose rows are also deleted; "
                + "change the `where` so that it reads only columns of its own table"
        )
    }

    /// Writes the archive, tests it, and records its checksum.
    private func write(
        _ writer: ArchiveWriter, _ triggers: TriggerRows, _ added: [QueuedRows], _ opened: Recorded?
    ) throws(Failure) {
        let seal = try writer.write(
            triggers.counts, added, claim: opened?.claim, database: deletion.runner.connection.database)
        let written = triggers.counts.filter { $0.value.inserted > 0 || $0.value.updated > 0 }.keys
        try Restoration.requirePossible(
            writer.file, model.graph, in: transaction, written: Set(written), request)
        try writer.file.keep()
        guard let entry = opened?.entry else { return }
        let record = Ledger.Entry(
            id: OperationID.make(), kind: .batch, outcome: .committed, command: "account delete archive",
            app: entry.app, parent: entry.whole,
            payload: JSON.present([("deletion", .string(entry.id)), ("archive", .string(seal))]).text())
        try transaction.run([Ledger.part(.archive, record)])
    }
}

extension ActTransaction {
    /// The server's row counters, with the counters of other servers if Citus keeps rows there.
    func counters(of model: AccountModel) throws(Failure) -> ChangeCounters {
        try counters(everywhere: model.graph.isSpread)
    }
}
