internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// One attempt of a deletion in one transaction.
struct Attempt {
    let request: DeletionRequest
    /// The plan that the operator saw; the attempt must find about the same rows.
    let plan: AccountPlan?
    let start: AccountStart
    let environment: String
    let facts: Row?
    let appName: String?
    let database: String
    let transaction: ActTransaction
    /// True if the `@do` of the account still has to run.
    let adds: Bool
    let elsewhere: Elsewhere
    /// Checks the plan, and returns the entries to record; nil rolls everything back.
    let judge: (AccountPlan) throws(Failure) -> Opening?

    typealias Opening = (entry: Ledger.Entry, end: Ledger.Entry?)

    enum Outcome {
        /// The dry run is complete, and is rolled back.
        case tried(DeletionReport, FoundAccount)
        case deleted(DeletionReport, FoundAccount, Ledger.Entry, archive: PrivateFile?)
        case locked([String])
    }

    func run() throws(Failure) -> Outcome {
        try prepare()
        let account = try FoundAccount(of: start, request.account, asking: ask)
        try account.requireUsers(asking: ask)
        let found = account.plan(environment: environment, facts: facts)
        if let plan { try requireSame(found, as: plan) }
        let opening = try judge(found)
        // This must be the first write of the transaction, and a row lock is a write.
        var opened: Opened?
        if let opening {
            let (deletion, locks) = try open(opening)
            guard let deletion else { return .locked(locks) }
            opened = deletion
        }
        try transaction.run(lockRoot(account.model.graph))
        let before = try before(account, opened)
        var changes = RowChanges(account, in: transaction)
        try changes.run()
        let between = try transaction.counters(everywhere: account.model.graph.isSpread)
        var removal = Removal(account, in: transaction, since: between)
        try removal.run()
        let (report, counts) = try verify(before, changes, between.since(before.counters), removal)
        let seal = try write(before, counts)
        guard let entry = opened?.entry else { return .tried(report, account) }
        if let seal { try transaction.run([Ledger.part(.archive, archived(entry, seal))]) }
        return .deleted(report, account, entry, archive: before.archive?.file)
    }

    private var ask: Ask { { queries throws(Failure) in try transaction.ask(queries) } }

    /// The state before anything is deleted.
    private struct Before {
        let account: FoundAccount
        let opened: Opened?
        let counters: ChangeCounters
        let added: [QueuedRows]
        /// The archive; a dry run writes one, too, but doesn't keep the file.
        let archive: ArchiveWriter?
    }

    private func before(_ account: FoundAccount, _ opened: Opened?) throws(Failure) -> Before {
        let counters = try transaction.counters(everywhere: account.model.graph.isSpread)
        let added = adds ? try QueuedRows.add(start, account.closure, in: transaction) : []
        let archive = try request.archive.map { path throws(Failure) in
            try ArchiveWriter(path, of: account, in: transaction, elsewhere: elsewhere)
        }
        return Before(account: account, opened: opened, counters: counters, added: added, archive: archive)
    }

    /// The stored files of the account and of the plan, since batches may have deleted rows that lead to files.
    private func files(_ account: FoundAccount) -> [StoredFiles.File] {
        let planned = plan?.files.files ?? []
        let known = Set(planned)
        return planned + account.files.files.filter { !known.contains($0) }
    }

    // MARK: Before

    private func prepare() throws(Failure) {
        let declared = try transaction.look([Environment.query])[0]
        guard Environment(declared).name == environment else {
            throw Failure(
                .conflict, "the environment changed in the meantime", hint: "run the command again")
        }
        // The keys are few compared with the rows of a table, so the planner should use an index.
        try transaction.run(
            ["set local random_page_cost = 1.1"]
                + request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
    }

    /// Locks the users' rows, on other servers one at a time, so that no other session adds rows to the account.
    private func lockRoot(_ graph: Graph) -> [Query] {
        let root = start.root
        guard let table = graph.tables[root.oid], table.isUpdatable else { return [] }
        let lists = table.isDistributed ? root.values.map { BoundValue([$0], of: root.type) } : [root.list]
        let order = table.key.map { cell($0.name) }
        let sorted = order.isEmpty ? "" : " order by \(order.joined(separator: ", "))"
        return lists.map { list in
            var bindings = Bindings()
            let condition = root.key.matches([list], &bindings)
            let rows = "select 1 from \(table.ownRows) t where \(condition)\(sorted) for update"
            return Query(unsafe: "select count(*) from (\(rows)) locked", values: bindings.values)
        }
    }

    /// Refuses if the account changed more than normal traffic changes it.
    private func requireSame(_ now: AccountPlan, as plan: AccountPlan) throws(Failure) {
        func policies(_ plan: AccountPlan) -> [String] { plan.entries.map { "\($0.policy.rawValue) \($0.table)" } }
        let known = Set(policies(plan))
        var moved = policies(now).filter { !known.contains($0) }
        if now.total > plan.total + plan.total / 10 + 100 { moved.append("\(now.total) rows instead of \(plan.total)") }
        if now.shared > plan.shared { moved.append("\(now.shared) shared rows instead of \(plan.shared)") }
        moved += now.obstacles.filter { !plan.obstacles.contains($0) }.map(\.sentence.plain)
        guard moved.isEmpty else {
            throw Failure(
                .conflict, "the account has changed since the plan", nothing: .deleted,
                hint: "check the new plan with `usher account plan`", details: moved)
        }
    }

    /// A deletion that the audit log records as started.
    private struct Opened {
        let entry: Ledger.Entry
        let forgotten: Int
        let claim: String
    }

    /// Records the deletion; returns the locks of other sessions if they prevent this.
    private func open(_ opening: Opening) throws(Failure) -> (opened: Opened?, locks: [String]) {
        let row = try transaction.run([Ledger.erase(opening.entry, start.root.recorded)])[0]
        let (locks, emptied, claim) = try decoding { () throws(DecodingFailure) in
            let row = try row.only()
            return (try row.texts("locks"), try row.optionalInteger("emptied"), try row.optionalText("claim"))
        }
        guard let emptied, let claim else { return (nil, locks) }
        if let end = opening.end { try transaction.run([Ledger.part(.end, end)]) }
        return (Opened(entry: opening.entry, forgotten: emptied, claim: claim), [])
    }

    // MARK: After

    /// Compares the deleted rows with the planned ones, and handles rows that triggers wrote.
    private func verify(
        _ before: Before, _ changes: RowChanges, _ changed: ChangeCounters, _ removal: Removal
    ) throws(Failure) -> (DeletionReport, [UInt32: ChangeCounters.Count]) {
        let (account, model) = (before.account, before.account.model)
        func counted() throws(Failure) -> ChangeCounters {
            try transaction.counters(everywhere: model.graph.isSpread)
        }
        let after = try counted()
        try requireUnmade(after.since(before.counters))
        let removed = after.since(removal.baseline)
        let isCounted = changed.areKept && removed.areKept
        var expected = account.closure.found.mapValues { ChangeCounters.Count(deleted: $0.rows) }
        for (table, rows) in changes.changed { expected[table, default: .init()].updated += rows }
        for rows in before.added { expected[rows.table.oid, default: .init()].inserted += rows.rows }
        var triggers = TriggerRows(account, request.account.answers, in: transaction)
        var counts = isCounted ? triggers.unexplained([changed, removed], besides: expected) : [:]
        if counts.contains(where: { $0.value.inserted > 0 }) {
            try triggers.remove(counts)
            if !triggers.removed.isEmpty {
                for (table, rows) in triggers.removed { expected[table, default: .init()].deleted += rows }
                let all = try counted().since(removal.baseline)
                counts = triggers.unexplained([changed, all], besides: expected)
            }
        }
        try requirePlanned(counts, model)
        let doubtful = model.graph.tables.keys.filter { table in
            let isChanged = (account.staying[table]?.changed ?? 0) > 0
            let isDeleted = (account.closure.found[table]?.rows ?? 0) > 0
            return !isCounted || isDeleted && account.keepsRows(of: table) || isChanged && !changes.isCertain(table)
                || model.hasConditions(table)
                || (counts[table] ?? .init()) != .init()
        }
        let verification = Verification(account)
        let left = try verification.remaining(in: doubtful, besides: triggers.keeping, asking: ask)
        if !left.isEmpty { throw verification.explained(left) }
        let further = counts.filter { $0.value.deleted > 0 }.map { (table: model.name($0.key), rows: $0.value.deleted) }
        let deleted = account.closure.tables.map { (table: model.name($0), rows: account.closure.found[$0]?.rows ?? 0) }
        let report = DeletionReport(
            account.plan(environment: environment, facts: facts), operation: before.opened?.entry.whole,
            deleted: deleted.sorted { $0.table < $1.table },
            written: try triggers.found(counts), further: further.sorted { $0.table < $1.table },
            added: before.added, forgotten: before.opened?.forgotten ?? 0, searched: model.extent,
            isCounted: isCounted, files: files(account))
        // Rows that were deleted again are not reported in the archive.
        for (table, rows) in triggers.removed { counts[table]?.inserted -= rows }
        return (report, counts)
    }

    /// Refuses if the `where` of a line reads rows that are deleted before the rows it selects.
    private func requirePlanned(_ counts: [UInt32: ChangeCounters.Count], _ model: AccountModel) throws(Failure) {
        let moved = counts.filter { table, count in
            count.deleted != 0 && model.edges(from: table).contains { $0.condition != nil }
        }.keys.map(model.name).sorted()
        if moved.isEmpty { return }
        throw Failure(
            .refused, "the deletion would delete other rows of \(pasted(moved)) than planned", nothing: .deleted,
            hint: "the `where` of a @refers line reads rows that are deleted, too: let it read columns of its own table"
        )
    }

    private func write(_ before: Before, _ counts: [UInt32: ChangeCounters.Count]) throws(Failure) -> String? {
        guard let archive = before.archive else { return nil }
        let seal = try archive.write(counts, before.added, claim: before.opened?.claim, database: database)
        let written = counts.filter { $0.value.inserted > 0 || $0.value.updated > 0 }.keys
        try Restoration.requirePossible(
            archive.file, before.account.model.graph, in: transaction, written: Set(written), request)
        try archive.file.keep()
        return seal
    }

    /// The audit log entry of the archive, with its checksum.
    private func archived(_ deletion: Ledger.Entry, _ seal: String) -> Ledger.Entry {
        Ledger.Entry(
            id: OperationID.make(), kind: .batch, outcome: .committed, command: "account delete archive",
            app: deletion.app, parent: deletion.whole,
            payload: JSON.present([("deletion", .string(deletion.id)), ("archive", .string(seal))]).text())
    }

    /// Refuses if a trigger truncated, altered or created a table, because usher can neither count nor restore that.
    private func requireUnmade(_ difference: ChangeCounters) throws(Failure) {
        guard difference.hasRemade else { return }
        let answer = try ask([Query(file: "catalog/remade_tables.sql")])[0]
        let tables = try decoding(try answer.texts())
        let deed = tables.isEmpty ? "drops a table" : "empties or alters \(pasted(tables))"
        throw Failure(
            .refused, "a trigger \(deed); usher can neither list the affected rows nor restore them",
            nothing: .deleted, hint: "use DELETE instead of TRUNCATE in the trigger")
    }
}
