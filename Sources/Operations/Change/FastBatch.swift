internal import AppFile
internal import Catalog
internal import PQ

/// A batch of a bulk change as one statement: what an earlier batch, looked at to the last row, has taught about it.
///
/// It is for changes that are one UPDATE of one table. The same statement updates, reads the old values at its own
/// snapshot, and records both. Where the server counts anything else, or a promise is not kept, the batch is taken back
/// and left to the thorough way.
struct FastBatch {
    private let runner: ChangeRunner
    private var setting: ChangeSetting { runner.setting }
    private let statement: App.Statement
    private let target: StatementTarget
    private let table: TableShape
    private let columns: [TableShape.Column]
    private let rewritten: [String]
    /// Columns that triggers, or expressions over others, may write for some rows, and did not for those that were seen.
    private let watched: [TableShape.Column]

    /// Nothing for a change that is not of this kind.
    init?(_ runner: ChangeRunner, learned report: ChangeReport) {
        let setting = runner.setting
        let work = setting.work
        guard work.each == nil, work.subject == .users, work.impacts.isEmpty, work.undoes == nil,
            let statement = work.only, let target = statement.sql.target, !target.returns,
            let assigned = target.assigned, !assigned.isEmpty, statement.sql.isUpdate,
            let table = report.tables.first, report.tables.count == 1, !table.key.isEmpty,
            table.schema == target.table.schema, table.name == target.table.name,
            report.changes.allSatisfy({ $0.kind == .update && $0.secrets.isEmpty })
        else { return nil }
        let changed = Set(report.changes.flatMap { $0.columns.map(\.name) })
        let columns = table.columns.filter { assigned.union(changed).contains($0.name) }
        guard table.hidden(setting.secrets).allSatisfy({ name in !columns.contains { $0.name == name } }),
            !columns.contains(where: \.isInKey)
        else { return nil }
        self.runner = runner
        self.statement = statement
        self.target = target
        self.table = table
        self.columns = columns
        let others = table.columns.filter { !$0.isInKey && !columns.contains($0) }
        watched = table.isTriggered || others.contains(where: \.isGenerated) ? others : []
        rewritten = columns.map(\.name).filter { !assigned.contains($0) }
    }

    /// What became of a batch.
    enum Outcome {
        /// There is none.
        case exhausted
        case done(BulkSource.Batch, rows: Int, warnings: [Notice])
        /// It is taken back, for the thorough way to look at.
        case unsuitable
        /// It is taken back, since somebody else wrote rows of it; fewer may have more luck.
        case collided
    }

    /// Finds the next batch and changes it, all at one snapshot.
    func run(
        _ source: BulkSource, _ limit: Int, after cursor: String?, now: String,
        recordedAs makeEntry: (BulkSource.Batch) -> Ledger.Entry
    ) throws(Failure) -> Outcome {
        let transaction = try ChangeTransaction(setting)
        defer { transaction.end() }
        do throws(Failure) {
            // A batch is a range of keys: its rows lie close to each other, and a scan of the whole table never pays.
            try transaction.run("select set_config('random_page_cost', '1.1', true)")
            try setting.requirePermission(
                in: Environment(try transaction.look([Environment.query])[0]), forGood: true)
            let next = try source.next(limit, after: cursor, of: setting, now: now) { query throws(Failure) in
                try answer(query, in: transaction)
            }
            guard let batch = next else { return .exhausted }
            let keys = batch.subjects.lazy.map(\.key).filter { batch.refused[$0] == nil }
            let before = try transaction.counters()
            let entry = makeEntry(batch)
            let query = update(Array(keys), entry, now: now)
            try transaction.record(entry)
            let outcome = try transaction.run(Query(query))
            try transaction.run("set constraints all immediate")
            let written = try decoding(try outcome.only())
            let (count, changes, straying) = try decoding(
                (try written.integer("written"), try written.integer("changed"), try written.integer("straying")))
            let counted = try transaction.counters()
            let expected = count == 0 ? [:] : [table.oid: ChangeCounters.Count(updated: count)]
            guard counted.since(before).counts == expected, counted.tables == before.tables,
                straying == 0, counted.elsewhere.isEmpty,
                try areKept(Array(keys), now: now, in: transaction)
            else { return .unsuitable }
            let warnings = try transaction.commit(entry, by: runner.settlement)
            return .done(batch, rows: changes, warnings: warnings)
        } catch {
            // The thorough way finds out which of them it is about, and says it in full.
            guard error.kind == .failed, error.fate == nil, let state = error.state else { throw error }
            return state == .serializationFailure || state == .deadlockDetected ? .collided : .unsuitable
        }
    }

    /// Whether every promise came true for every one of them.
    private func areKept(_ keys: [String], now: String, in transaction: ChangeTransaction) throws(Failure) -> Bool {
        for expectation in setting.work.expects {
            guard let decision = setting.app.decisions.first(where: { $0.name == expectation.decision }) else {
                return false
            }
            let query = decision.unkept(
                expectation.outcomes, keys: keys, type: setting.userType, in: setting.app,
                bindings: ["now": Binding(now, type: "timestamptz")])
            guard try count(query, in: transaction) == 0 else { return false }
        }
        return true
    }

    private func count(_ query: ComposedQuery, in transaction: ChangeTransaction) throws(Failure) -> Int {
        let rows = try answer(Query(query), in: transaction)
        return try decoding(try rows.count())
    }

    private func answer(_ query: Query, in transaction: ChangeTransaction) throws(Failure) -> Rows {
        switch try transaction.look([query])[0] {
        case .success(let rows): return rows
        case .failure(let error): throw Failure(error)
        }
    }

    private func update(_ keys: [String], _ entry: Ledger.Entry, now: String) -> ComposedQuery {
        let returned = (table.key + columns + watched).map { "\(target.alias).\($0.sql)" }
            .joined(separator: ", ")
        let join = table.key.map { "b.\($0.sql) = n.\($0.sql)" }.joined(separator: " and ")
        // The images of values are compared, not what types take for equal; each once, since several parts need to know.
        func names(_ columns: [TableShape.Column], where comparison: String) -> String {
            let cases = columns.map { column in
                let isSo = "row(b.\(column.sql))::record \(comparison) row(n.\(column.sql))::record"
                return "case when \(isSo) then \(TableShape.literal(column.name)) end"
            }
            return "array_remove(array[\(cases.joined(separator: ", "))]::text[], null)"
        }
        func row(_ alias: String) -> String { "row(\(watched.map { "\(alias).\($0.sql)" }.joined(separator: ", ")))" }
        let fromTriggers = columns.filter { rewritten.contains($0.name) }
        let compared = """
            select \(names(columns, where: "*=")) as kept, \(names(fromTriggers, where: "*<>")) as rewritten offset 0
            """
        let payload = """
            jsonb_build_object('table', \(TableShape.literal(table.qualifiedName)), 'key', \(table.object(table.key, of: "n")),
                'before', \(table.object(columns, of: "b")) - c.kept, 'after', \(table.object(columns, of: "n")) - c.kept,
                'rewritten', to_jsonb(c.rewritten))
            """
        return setting.app.recordingUpdate(
            statement, returning: returned, payload: payload, where: "cardinality(c.kept) < \(columns.count)",
            straying: watched.isEmpty ? "false" : "\(row("b"))::record *<> \(row("n"))::record",
            before: "\(table.sql) b on \(join) cross join lateral (\(compared)) c", operation: entry.id,
            bindings: setting.bindings(now: now, keys: keys))
    }
}
