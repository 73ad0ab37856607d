internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Restores an archive in one transaction: parents first, tables that refer to each other in one statement.
struct Restoration {
    let archive: Archive
    let graph: Graph
    let transaction: ActTransaction
    /// The tables that triggers of the deletion changed; only for a test in the same transaction.
    let written: Set<UInt32>
    private var deleted: [UInt32: ArchivedRows] = [:]
    private var changed: [UInt32: ArchivedRows] = [:]
    private var order: [[UInt32]] = []

    private(set) var report = RestoreReport()

    /// The row counters at the start, and the rows that the restoration itself deleted.
    private let before: ChangeCounters
    private var removed: [UInt32: Int] = [:]
    /// The deferrable constraints, as SQL; nil if there are none.
    private var constraints: String?

    init(
        _ archive: Archive, graph: Graph, in transaction: ActTransaction, written: Set<UInt32> = []
    ) throws(Failure) {
        (self.archive, self.graph, self.transaction, self.written) = (archive, graph, transaction, written)
        before = try transaction.counters(everywhere: graph.isSpread)
        let tables = Dictionary(graph.tables.values.map { ($0.sql, $0) }) { first, _ in first }
        var nodes: [UInt32] = []
        for (number, section) in archive.sections.enumerated() {
            guard let table = tables[section.table] else {
                throw Failure(.conflict, "the table \(pasted(section.name)) doesn't exist any more", nothing: .restored)
            }
            let rows = ArchivedRows(section: section, number: number, relation: table)
            nodes.append(table.oid)
            switch section.kind {
            case .deleted: deleted[table.oid] = rows
            case .changed: changed[table.oid] = rows
            }
        }
        order = Self.order(nodes, by: graph)
    }

    /// Sorts tables by foreign keys, parents before children; tables that refer to each other form one group.
    private static func order(_ tables: [UInt32], by graph: Graph) -> [[UInt32]] {
        var children: [UInt32: [UInt32]] = [:]
        for reference in graph.references {
            children[graph.whole(reference.referenced), default: []].append(graph.whole(reference.table))
        }
        let known = Set(tables)
        return Components(from: tables.reversed()) { children[$0]?.filter(known.contains) ?? [] }.ordered
    }

    private func inOrder(_ rows: [UInt32: ArchivedRows]) -> [(table: UInt32, rows: ArchivedRows)] {
        order.joined().compactMap { table in rows[table].map { (table, $0) } }
    }

    private func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "" }

    /// Restores everything, or refuses; a test resets the settings of the deletion.
    mutating func putBack(resetting settings: [String] = []) throws(Failure) {
        try archive.load(in: transaction)
        try begin(resetting: settings)
        try requireAbsent()
        try setAside()
        for component in order { try insert(component.filter { deleted[$0] != nil }) }
        for (table, rows) in inOrder(changed) {
            switch try correct(rows) {
            case .failure(let error): throw refused(error, [table])
            case .success(let count): report.reattached.append((rows.section.name, count))
            }
        }
        try settle()
        // Triggers may have changed rows. If the server refuses a correction, the comparison reports the row.
        for (_, rows) in inOrder(deleted) + inOrder(changed) { _ = try correct(rows) }
        try settle()
        try compare()
    }

    // MARK: Statements

    private func attempt(_ query: Query) throws(Failure) -> Result<Rows, ServerError> {
        switch try transaction.attempt([query]) {
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            return .failure(error)
        case .success(let answers): return .success(answers[0])
        }
    }

    private func refused(_ error: ServerError, _ tables: [UInt32]) -> Failure {
        let place = error.table ?? tables.map(name).joined(separator: ", ")
        return Failure(notRestored: error, at: place)
    }

    /// Resets deferrable constraints to their own timing, as in a new transaction.
    ///
    /// Constraints of the audit log are left alone; they guard the deletion.
    private mutating func begin(resetting settings: [String]) throws(Failure) {
        let question: Query = """
            select string_agg(w.name, ', ') as all, string_agg(w.name, ', ') filter (where c.condeferred) as late
              from pg_constraint c
              join pg_namespace n on n.oid = c.connamespace
             cross join lateral (select format('%I.%I', n.nspname, c.conname) as name) w
             where c.condeferrable and n.nspname !~ '^(pg_|usher$)' and has_schema_privilege(n.oid, 'usage')
            """
        let answer = try transaction.ask([question])[0]
        let late: String?
        (constraints, late) = try decoding { () throws(DecodingFailure) in
            (try answer.only().optionalText("all"), try answer.only().optionalText("late"))
        }
        try settle()
        var steps = late.map { [Query(unsafe: "set constraints \($0) deferred")] } ?? []
        steps += settings.map { Query(unsafe: "reset \(SQLName.path(of: SQLName.parts(ofPath: $0) ?? []))") }
        try transaction.run(steps)
    }

    /// Runs deferred constraints and triggers now.
    private func settle() throws(Failure) {
        guard let constraints else { return }
        if case .failure(let error) = try attempt(Query(unsafe: "set constraints \(constraints) immediate")) {
            throw refused(error, [])
        }
    }

    private func requireAbsent() throws(Failure) {
        for (_, rows) in inOrder(deleted) {
            guard let presence = rows.presence else { continue }
            let answer = try transaction.ask([presence])[0]
            let there = try decoding(try answer.count())
            if there == 0 { continue }
            throw Failure(
                .conflict, "\(pasted(rows.section.name)): \(there) of \(rows.section.rows) rows exist again",
                nothing: .restored, hint: "somebody created them after the deletion")
        }
    }

    private mutating func setAside() throws(Failure) {
        for (_, rows) in inOrder(changed) {
            let count = try transaction.run([rows.settingAside])[0].affected ?? 0
            if count == 0 { continue }
            report.miss(
                count, of: rows.section.name, "changed since the deletion, and was not restored",
                "changed since the deletion, and were not restored")
        }
    }

    /// Writes archived values into differing columns only, so that the role needs no other right.
    private func correct(_ rows: ArchivedRows) throws(Failure) -> Result<Int, ServerError> {
        let answer = try transaction.ask([rows.comparison])[0]
        let differing = try decoding { () throws(DecodingFailure) in
            Set(try answer.only().texts("columns") + answer.only().texts("times"))
        }
        guard let correction = rows.correction(of: differing) else { return .success(0) }
        switch try attempt(correction) {
        case .failure(let error): return .failure(error)
        case .success(let answer): return .success(try decoding(answer.written()))
        }
    }

    /// Inserts the rows of tables.
    ///
    /// Tables in a cycle share one statement, at whose end the database checks references. Rows that triggers just
    /// inserted in place of archived ones are deleted first, once.
    private mutating func insert(_ tables: [UInt32]) throws(Failure) {
        let sections = tables.compactMap { deleted[$0] }
        if sections.isEmpty { return }
        let parts = sections.indices.map { "i\($0) as (\(sections[$0].insertion))" }
        let whole = Query(unsafe: "with \(parts.joined(separator: ", ")) select 1")
        var outcome = try attempt(whole)
        if case .failure(let error) = outcome, error.state == .uniqueViolation, try sweep(tables) {
            outcome = try attempt(whole)
        }
        if case .failure(let error) = outcome { throw refused(error, tables) }
        report.restored += sections.map { ($0.section.name, $0.section.rows) }
    }

    /// Deletes rows that triggers inserted into some tables, unless triggers also changed rows there.
    private mutating func sweep(_ tables: [UInt32]) throws(Failure) -> Bool {
        guard let counts = try counted() else { return false }
        var hasSwept = false
        for table in tables.filter({ !written.contains($0) }).compactMap({ graph.tables[$0] })
        where !table.key.isEmpty && counts[table.oid]?.updated ?? 0 == 0 {
            let sweep = Query(unsafe: "delete from \(table.ownRows) t where \(isNew(in: table.oid))")
            guard case .success(let answer) = try attempt(sweep) else { continue }
            let rows = try decoding(answer.written())
            removed[table.oid, default: 0] += rows
            hasSwept = hasSwept || rows > 0
        }
        return hasSwept
    }

    /// The row counts since the start, with partitions added to their table; nil if the server doesn't count.
    private func counted() throws(Failure) -> [UInt32: ChangeCounters.Count]? {
        let since = try transaction.counters(everywhere: graph.isSpread).since(before)
        var sums: [UInt32: ChangeCounters.Count] = [:]
        for (text, count) in since.counts {
            guard let oid = UInt32(text), graph.tables[oid] != nil else { continue }
            sums[graph.whole(oid)] = (sums[graph.whole(oid)] ?? .init()) + count
        }
        return since.areKept ? sums : nil
    }

    /// The condition that this transaction wrote the row `t` and the archive doesn't contain it.
    private func isNew(in table: UInt32) -> String {
        let held = [deleted[table], changed[table]].compactMap(\.self).filter { !$0.section.key.isEmpty }
        return ([ownWrite] + held.map(\.isOther)).map { "(\($0))" }.joined(separator: " and ")
    }
}

// MARK: Comparing

extension Restoration {
    /// Reports differences from the archive, and other rows that triggers wrote.
    private mutating func compare() throws(Failure) {
        for (_, rows) in inOrder(deleted) + inOrder(changed) { try compare(rows) }
        guard let counts = try counted() else {
            return report.missed.append(
                "the server does not count rows (track_counts is off), so usher cannot see what triggers wrote")
        }
        for (table, count) in counts.sorted(by: { name($0.key) < name($1.key) }) {
            guard let relation = graph.tables[table] else { continue }
            let rows = count.inserted + count.updated > 0 ? try surplus(in: relation, count) : 0
            if rows > 0 {
                report.miss(
                    rows, of: relation.qualifiedName, "is not in the archive: a trigger wrote it",
                    "are not in the archive: triggers wrote them")
            }
            let gone = count.deleted - (removed[table] ?? 0)
            if gone > 0 {
                report.miss(
                    gone, of: relation.qualifiedName, "was deleted by a trigger", "were deleted by triggers")
            }
        }
    }

    private mutating func compare(_ rows: ArchivedRows) throws(Failure) {
        let (answer, name) = (try transaction.ask([rows.comparison])[0], rows.section.name)
        let row = try decoding(try answer.only())
        let (missing, different) = try decoding((try row.integer("missing"), try row.integer("different")))
        if missing > 0 {
            guard rows.section.kind == .changed else {
                throw Failure(
                    .refused, "\(pasted(name)): usher could not restore \(missing) of \(rows.section.rows) rows",
                    nothing: .restored,
                    hint: "the server reported no error, so a trigger of the table must have rejected the rows")
            }
            report.miss(missing, of: name, "does not exist any more", "do not exist any more")
        }
        if different > 0 {
            let columns = try decoding(try row.texts("columns")).joined(separator: ", ")
            let end = "in \(columns), which a trigger sets"
            report.miss(different, of: name, "differs \(end)", "differ \(end)")
        }
        let (written, times) = try decoding((try row.integer("dated"), try row.texts("times")))
        if written > 0 { report.dated.append((name, written, times)) }
    }

    /// The number of rows of a table that triggers wrote and the archive doesn't have.
    ///
    /// If usher can't read the table and the archive doesn't contain it, the server's counters are used.
    private func surplus(in table: Graph.Table, _ count: ChangeCounters.Count) throws(Failure) -> Int {
        if table.isElsewhere || !table.isReadableWhole || table.isSecured {
            let isKnown = [deleted, changed].contains { $0[table.oid] != nil }
            return isKnown ? 0 : count.inserted + count.updated
        }
        let query = Query(unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(isNew(in: table.oid))")
        let answer = try transaction.ask([query])[0]
        return try decoding(try answer.count()) - (table.key.isEmpty ? deleted[table.oid]?.section.rows ?? 0 : 0)
    }
}

// MARK: Testing an archive

extension Restoration {
    /// Refuses an archive that this role could not restore.
    ///
    /// usher restores everything in the transaction of the deletion and rolls that back. It first resets the settings
    /// of the deletion, because a restoration has none. Triggers with effects outside the transaction don't fire unless
    /// the operator allows them.
    static func requirePossible(
        _ file: PrivateFile, _ graph: Graph, in transaction: ActTransaction, written: Set<UInt32>,
        resetting settings: [String], allowsEffects: Bool
    ) throws(Failure) {
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let archive = try Archive(try ArchiveFile("/proc/self/fd/\(file.descriptor)"), asking: ask)
        let test = Identifier("usher rehearsal")
        do throws(Failure) {
            var restoration = try Restoration(archive, graph: graph, in: transaction, written: written)
            if !allowsEffects { try restoration.requireInside() }
            try transaction.mark(test)
            try restoration.putBack(resetting: settings)
            try transaction.rollBack(to: test)
        } catch {
            guard error.nothing == .restored else { throw error }
            throw Failure(
                error.kind == .forbidden ? .forbidden : .refused,
                "usher tried to restore the archive, but the restore failed: \(error.complaint.plain)",
                nothing: .deleted,
                hint: "fix this problem, or delete without --archive",
                state: error.kind == .forbidden ? .insufficientPrivilege : nil,
                details: error.details + [error.hint].compactMap(\.self))
        }
    }

    private func requireInside() throws(Failure) {
        let tables = Set(deleted.keys).union(changed.keys)
        let answer = try transaction.ask([TriggerEffect.query(of: tables.sorted())])[0]
        let triggers = try decoding { () throws(DecodingFailure) in try TriggerEffect.all(answer) }
        let outside = triggers.filter { $0.reachesOutside && ($0.firesOnInsert || $0.firesOnUpdate) }
        if !outside.isEmpty {
            let effects = outside.map { NamedTrigger($0, in: graph).outside }
            throw Failure(
                .refused, "usher tests an archive by restoring it, and \(effects[0])", nothing: .deleted,
                hint: "add --allow-effects to accept these effects, or delete without --archive",
                details: Array(effects.dropFirst()))
        }
    }
}
