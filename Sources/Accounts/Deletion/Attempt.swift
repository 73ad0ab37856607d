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
    private(set) var account: AccountPlan
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

    /// Deletes the account of a plan, and verifies the deletion; the caller rolls a dry run back.
    ///
    /// The archive is complete before the commit. A dry run also writes an archive, but doesn't keep the file.
    mutating func run(
        as plan: AccountPlan, keeping archive: inout PrivateFile?
    ) throws(Failure) -> ActRunner.Step<DeletionReport> {
        // A comparison in a database function would not be safer, because the client would send both plans.
        try account.requireSame(as: plan)
        try deletion.requirePossible(account)
        // The audit record must be the first write of the transaction; locking rows writes, too.
        var opened: Recorded?
        if !request.isDryRun {
            let (deletion, locks) = try open()
            guard let deletion else { return .locked(by: locks) }
            opened = deletion
        }
        try transaction.run(lockRoot())
        let before = try transaction.counters(everywhere: model.graph.isSpread)
        let added = deletion.isInParts ? [] : try QueuedRows.add(start, account.closure, in: transaction)
        let writer = try request.archive.map { path throws(Failure) in
            try ArchiveWriter(path, of: account, in: transaction, elsewhere: deletion.runner.elsewhere)
        }
        let written = Set(account.closure.tables).union(account.changed)
        try account.closure.freeze(written, and: keepingTables, transaction.ask)
        let changed = try change(with: added)
        try requireFreed()
        try remove()
        let triggers = try verify(added, changed, since: before)
        // Batches may have deleted rows that refer to files.
        let files = Set(plan.files)
        var report = DeletionReport(
            plan: account, planned: plan, operation: opened?.entry.whole,
            deleted: account.rows(under: .delete),
            written: try triggers.found(), further: triggers.further, added: added,
            forgotten: opened?.forgotten ?? 0, searched: model.extent,
            isCounted: triggers.isCounted, filesLeft: plan.files + account.files.filter { !files.contains($0) })
        if let writer { report.remarks = try write(writer, triggers, added, opened) }
        report.remarks += (opened?.rootless ?? []).map { app in
            "The audit log may keep entries of the app \(app) about deleted users, because these entries don't record the table "
                + "of users; for later entries, add `@root TABLE.COLUMN` to its @account block, and run `usher install`"
        }
        guard let entry = opened?.entry else { return .left(report) }
        archive = writer?.file
        return .done(report, entry)
    }

    /// Locks the users' rows, so that other sessions can't insert rows with a foreign key to these rows.
    ///
    /// Citus can't lock rows on several servers, so each query then locks the row of only one user.
    private func lockRoot() -> [Query] {
        let root = start.root
        guard let table = model.graph.tables[root.oid], table.isUpdatable else { return [] }
        let lists = table.isDistributed ? root.values.sorted().map { BoundValue([$0]) } : [root.list]
        return lists.map { list in
            var bindings = Bindings()
            let condition = root.key.matches([list], &bindings)
            let sql = "select 1 from \(table.ownRows) t where \(condition) order by \(cell(root.column)) for update"
            return Query(unsafe: sql, values: bindings.values)
        }
    }

    private typealias Recorded = (entry: Ledger.Entry, forgotten: Int, claim: String, rootless: [String])

    /// Records the deletion; returns the locks of other sessions if these locks prevent the deletion.
    private func open() throws(Failure) -> (opened: Recorded?, locks: [String]) {
        let entry = deletion.entry(
            .erasure, id: deletion.isInParts ? OperationID.make() : deletion.operation, of: account)
        let row = try transaction.run([Ledger.erase(entry, start.root.recorded)])[0]
        let (locks, emptied, claim, rootless) = try failing { () throws(PQError) in
            let row = try row.only()
            return (
                try row.texts("locks"), try row.optionalInteger("emptied"), try row.optionalText("claim"),
                try row.texts("rootless")
            )
        }
        guard let emptied, let claim else { return (nil, locks) }
        if deletion.isInParts { try transaction.run([Ledger.part(.end, deletion.end(with: account))]) }
        return ((entry, emptied, claim, rootless), [])
    }

    /// The tables with a rule, or with a trigger that may keep a row instead of deleting it.
    private var keepingTables: Set<UInt32> {
        let fired = account.triggers.filter { $0.isBefore && $0.firesOnDelete }.map { model.graph.whole($0.table) }
        return Set(fired).union(model.graph.tables.values.filter(\.isRuled).map(\.oid))
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
        try triggers.find(since: before, except: expected)
        let kept = triggers.counts.filter { $0.value.deleted < 0 }.mapValues { -$0.deleted }
        if !kept.isEmpty { throw account.explained(kept) }
        let doubtful = model.graph.tables.keys.filter { table in
            !triggers.isCounted || changed[table] != nil
                || account.conditions.frozen[table] != nil || triggers.removed[table] != nil
                || (triggers.counts[table] ?? .init()) != .init()
        }
        let left = try account.remaining(in: doubtful, except: triggers.keeping, asking: transaction.ask)
        if !left.isEmpty { throw account.explained(left) }
        return triggers
    }

    /// Writes the archive, tests it, and records its checksum; returns what a restore would leave different.
    private func write(
        _ writer: ArchiveWriter, _ triggers: TriggerRows, _ added: [QueuedRows], _ opened: Recorded?
    ) throws(Failure) -> [String] {
        let seal = try writer.write(
            triggers.counts, added, claim: opened?.claim, database: deletion.runner.connection.database)
        let written = triggers.counts.filter { $0.value.inserted > 0 || $0.value.updated > 0 }.keys
        let missed = try Restoration.requirePossible(
            writer.file, model.graph, in: transaction, written: Set(written), request)
        let remarks = missed.map { "an account restored from this archive would differ: \($0)" }
        try writer.file.keep()
        guard let entry = opened?.entry else { return remarks }
        let record = Ledger.Entry(
            id: OperationID.make(), kind: .batch, outcome: .committed, command: "account delete archive",
            app: entry.app, parent: entry.whole,
            payload: JSON.present([("deletion", entry.id), ("archive", seal)]).text())
        try transaction.run([Ledger.part(.archive, record)])
        return remarks
    }
}

extension Attempt {
    /// Updates kept rows: removes references, or writes the values of `@set` lines; returns the numbers of changed rows.
    ///
    /// Refuses if an UPDATE changes other rows than planned; rows that `@do` statements `added` after the plan may change,
    /// too.
    private mutating func change(with added: [QueuedRows]) throws(Failure) -> [UInt32: Int] {
        var rows: [UInt32: Int] = [:]
        for table in account.changed {
            switch try outcome(of: [account.update(table)]) {
            case .success(let answers): rows[table] = answers[0].affected
            case .failure(let error):
                let columns = (account.staying[table]?.columns ?? []).joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(pasted(model.name(table))): the server rejects the new value of \(columns) in kept rows: \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            }
        }
        var (unchanged, further): ([UInt32: Int], [String]) = ([:], [])
        for (table, count) in rows {
            let missing = (account.staying[table]?.changed ?? 0) - count
            if missing > 0 { unchanged[table] = missing }
            if missing < 0 { further.append(model.name(table)) }
        }
        if !unchanged.isEmpty { throw account.explained(unchanged) }
        if !further.isEmpty, added.isEmpty { throw Failure(unplanned: further) }
        return rows
    }

    /// Refuses if a row that stays still refers to a deleted row, because a cascade could delete it, or if a trigger moved a
    /// row to another user.
    private func requireFreed() throws(Failure) {
        let conditions = account.conditions
        let bound = try account.count(in: conditions.frozen.keys, transaction.ask) { table, bindings in
            let stays =
                conditions.staying[table] == nil
                ? not(conditions.goes(table, &bindings)) : conditions.affects(table, &bindings)
            return all([stays, conditions.refersToDeleted(table, &bindings)])
        }
        if !bound.isEmpty { throw account.explained(bound) }
        let moved = try account.count(in: conditions.frozen.keys, transaction.ask) { table, bindings in
            let edges = model.edges(from: table)
            if edges.contains(where: \.hasCondition) || model.isOwned(table) { return nil }
            return all([conditions.goes(table, &bindings), not(conditions.refersToDeleted(table, &bindings))])
        }
        if !moved.isEmpty { throw Failure(unplanned: moved.keys.map(model.name)) }
    }

    /// Runs statements, and remembers the rows that the server counted if it refuses a statement.
    private mutating func outcome(of statements: [Query]) throws(Failure) -> Result<[Rows], ServerError> {
        let before = try transaction.counters(everywhere: model.graph.isSpread)
        let outcome = try transaction.attempt(statements)
        guard case .failure = outcome else { return outcome }
        let since = try transaction.counters(everywhere: model.graph.isSpread).since(before)
        for (table, count) in since.byTable(in: model.graph) {
            refused[table] = (refused[table] ?? .init()) + count
        }
        return outcome
    }
}

/// The DELETE statements, which run after usher removed the references of kept rows.
///
/// At first, usher sends no DELETE for tables whose rows a cascade deletes. If the server refuses, usher deletes the
/// rows of each table before the rows of the tables that it refers to. For tables that refer to each other, usher sends
/// one statement, or checks constraints at the end. If a trigger changes rows that the same statement deletes, usher
/// deletes the rows one by one.
extension Attempt {
    /// Deletes all rows of the account, or throws the first error.
    mutating func remove() throws(Failure) {
        let order = account.closure.order
        let rest = order.map { $0.filter { !isCascaded($0) } }.filter { !$0.isEmpty }
        if try error(of: rest.compactMap(statement) + [Self.check]) == nil { return }
        for tables in order { try delete(tables) }
        if let error = try error(of: [Self.check]) { throw explained(error, nil) }
    }

    private static let check: Query = "set constraints all immediate"

    /// True if cascades of the database delete all rows of the table that belong to the account.
    ///
    /// If another foreign key empties a column of these rows first, the server would count rows that no trigger changed.
    private func isCascaded(_ table: UInt32) -> Bool {
        let ways = account.closure.found[table]?.edges ?? []
        if table == model.root.oid || account.isRootGone || model.isOwned(table) { return false }
        return ways.allSatisfy { model.edges[$0].cascades }
            && !model.edges(from: table).contains { edge in
                edge.isGuarded && [.setNull, .setDefault].contains(edge.reference?.action)
                    && account.closure.found[edge.parent] != nil
            }
    }

    /// Deletes rows of a table, or of tables that refer to each other; if the server refuses, tries other statements.
    private mutating func delete(_ tables: [UInt32]) throws(Failure) {
        guard let whole = statement(tables), let refused = try error(of: [whole]) else { return }
        if tables.count > 1 {
            let single = tables.compactMap { statement([$0]) }
            if try error(of: ["set constraints all deferred"] + single + [Self.check]) == nil { return }
        } else if refused.state == .triggeredDataChange, let steps = try rowByRow(tables[0]),
            try error(of: steps) == nil
        {
            return
        }
        throw explained(refused, tables[0])
    }

    private func statement(_ tables: [UInt32]) -> Query? {
        var bindings = Bindings()
        var deletions: [String] = []
        for table in tables.compactMap({ model.graph.tables[$0] }) {
            guard let goes = account.conditions.goes(table.oid, &bindings) else { continue }
            deletions.append("delete from \(table.ownRows) t where \(goes)")
        }
        if deletions.count < 2 { return deletions.first.map { Query(unsafe: $0, values: bindings.values) } }
        let parts = deletions.enumerated().map { "d\($0) as (\($1) returning 1)" }.joined(separator: ", ")
        return Query(unsafe: "with \(parts) select 1", values: bindings.values)
    }

    /// One DELETE statement for each row, by its key; nil for a table without a key.
    private func rowByRow(_ table: UInt32) throws(Failure) -> [Query]? {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], !relation.key.isEmpty,
            let goes = account.conditions.goes(table, &bindings)
        else { return nil }
        let query = Query(
            unsafe: "select \(relation.keyText) as key from \(relation.ownRows) t where \(goes)",
            values: bindings.values)
        let answer = try transaction.ask([query])[0]
        return try failing(try answer.texts()).map { key in
            let row = relation.hasKey(in: "$1::pg_catalog.jsonb")
            return Query(unsafe: "delete from \(relation.ownRows) t where \(row)", [key])
        }
    }

    private mutating func error(of statements: [Query]) throws(Failure) -> ServerError? {
        if case .failure(let error) = try outcome(of: statements) { error } else { nil }
    }

    /// The refusal after an error of the server, with the triggers of the table that could have caused the error.
    private func explained(_ error: ServerError, _ table: UInt32?) -> Failure {
        let place = table ?? error.table.flatMap { model.graph.table($0)?.oid }
        let name = place.map { pasted(model.name($0)) }
        let triggers = account.triggers.filter { trigger in
            trigger.firesOnDelete && (place == nil || model.graph.whole(trigger.table) == place)
        }
        let named = place == nil ? [] : triggers
        return Failure(
            error.kind(unless: .refused), (name.map { "\($0): " } ?? "") + error.message, nothing: .deleted,
            hint: Self.hint(error, name ?? "the table", triggers.filter(\.asksWhoActs)), state: error.state,
            details: error.lines + named.map { "\(model.graph.place(of: $0)) calls \($0.function)" })
    }

    /// A hint for an error of the server; `asking` has the triggers that check who makes the change.
    private static func hint(_ error: ServerError, _ table: String, _ asking: [TriggerEffect]) -> String {
        if let hint = error.searchPathHint { return hint }
        switch error.state {
        case .triggeredDataChange:
            return "the trigger changes rows that this statement deletes: make it an AFTER trigger "
                + "(create trigger … after delete), or change its function so that it skips these rows"
        case .insufficientPrivilege where error.context == nil:
            return "grant select, update, delete on \(table) to this role"
        case .insufficientPrivilege:
            return "a trigger runs this statement as your role: grant the missing right to the role, "
                + "or declare the function of the trigger SECURITY DEFINER"
        case .foreignKeyViolation:
            return "some rows still refer to deleted rows: a trigger, a rule or the app keeps them, "
                + "or the triggers of the foreign key are disabled"
        default:
            return asking.isEmpty
                ? "keep the rows of this table with @keep in the app file, or change the trigger"
                : "a trigger checks who makes the change: add \(asking.settingOptions)"
        }
    }
}

extension AccountPlan {
    /// Refuses if the account has new tables, shared rows or obstacles since the plan.
    func requireSame(as plan: AccountPlan) throws(Failure) {
        func policies(_ plan: AccountPlan) -> [String] {
            plan.entries.filter { $0.policy != .keep }.map { "\($0.policy.rawValue) \($0.table)" }
        }
        let known = Set(policies(plan))
        var moved = policies(self).filter { !known.contains($0) }
        // A line of the app file also answers about rows that came later.
        func asked(_ plan: AccountPlan) -> Int { plan.entries.filter { $0.why == nil }.reduce(0) { $0 + $1.shared } }
        if asked(self) > asked(plan) { moved.append("\(asked(self)) shared rows instead of \(asked(plan))") }
        moved += obstacles.filter { !plan.obstacles.contains($0) }.map(\.sentence.plain)
        guard moved.isEmpty else {
            throw Failure(
                .conflict, "the account has changed since the plan", nothing: .deleted,
                hint: "check the new plan with `usher account plan`", details: moved)
        }
    }

    /// The statement that updates kept rows of a table.
    ///
    /// Where SQL of lines decides, it writes the values that `freeze` computed: SQL could have another result by now, and
    /// this statement runs under the search path of the app, which its triggers need.
    fileprivate func update(_ table: UInt32) -> Query {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], let change = conditions.changes(table, &bindings) else {
            return "select where false"
        }
        let columns = change.columns.map { Identifier($0).quoted }
        guard let new = conditions.newValues[table] else {
            let sets = zip(columns, change.values).map { "\($0) = \($1)" }.joined(separator: ", ")
            let sql = "update \(relation.ownRows) t set \(sets) where \(change.condition)"
            return Query(unsafe: sql, values: bindings.values)
        }
        if new.keys.isEmpty { return "select where false" }
        bindings = Bindings()
        let key = relation.rowKey
        let lists = zip(new.keys, key.types) + new.values.map { ($0, "text") }
        let sources = lists.map { "pg_catalog.unnest(\(bindings.bind($0, as: "\($1)[]")))" }
        let names = key.types.indices.map { "k\($0)" } + ["changes"] + columns.indices.map { "v\($0)" }
        let sets = zip(columns, change.columns).enumerated().map { place, column in
            let type = model.columns[.init(table: table, column: column.1)]?.wholeType ?? "text"
            return "\(column.0) = n.v\(place)::\(type)"
        }
        let isSame = key.types.indices.map { "\(key.expressions[$0]) \(key.equals[$0]) n.k\($0)" }
        let sql = """
            update \(relation.ownRows) t set \(sets.joined(separator: ", ")) \
            from rows from (\(sources.joined(separator: ", "))) as n (\(names.joined(separator: ", "))) \
            where n.changes::pg_catalog.bool and \(isSame.joined(separator: " and "))
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    /// The numbers of rows, by table, that should be deleted or that still refer to deleted rows.
    ///
    /// In the tables of `written`, rows that this transaction wrote don't count.
    func remaining(
        in tables: some Sequence<UInt32>, except written: Set<UInt32> = [], asking ask: Ask
    ) throws(Failure) -> [UInt32: Int] {
        try count(in: tables, ask) { table, bindings in
            let own = written.contains(table) ? not("(\(ownWrite))") : "true"
            let goes = conditions.goes(table, &bindings)
            return any([goes, conditions.refersToDeleted(table, &bindings)]).map { "(\($0)) and \(own)" }
        }
    }

    /// The numbers of rows that appeared since the deletion, in tables where no foreign key prevents this.
    func appeared(asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        try remaining(
            in: model.graph.tables.keys.filter { table in
                table == model.root.oid || model.isOwned(table)
                    || model.edges(from: table).contains { !$0.isAsked && !$0.isGuarded }
            }, asking: ask)
    }

    /// The numbers of rows, by table, that meet a condition; without tables that have no such row.
    func count(
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
            let rows = try failing(try answer.count())
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
                "the server reported no error, so a trigger or a rule kept or wrote these rows, or a @set line wrote a deleted key; change the trigger or the line, or declare the rows in the app file: with @keep, or with @written if a trigger writes them",
            details: details)
    }
}

extension Failure {
    /// The refusal because statements would delete or change other rows of tables than planned.
    init(unplanned tables: [String]) {
        self.init(
            .refused, "the deletion would change or delete other rows of \(pasted(tables.sorted())) than planned",
            nothing: .deleted,
            hint: "a trigger changes these rows; change the trigger, or keep the rows with @keep in the app file")
    }
}
