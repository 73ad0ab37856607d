package import Acts
internal import AppFile
package import Asking
package import Catalog
internal import Ledger
package import PQ
internal import Terminal

package struct RestoreReport: Sendable {
    package var operation: String?
    package var restored: [(table: String, rows: Int)] = []
    /// The changed rows that got their old values back, by table.
    package var reattached: [(table: String, rows: Int)] = []
    /// Rows with columns that triggers set to the time of the restore.
    package var dated: [(table: String, rows: Int, columns: [String])] = []
    /// Sentences about rows that usher couldn't restore or that differ from the archive.
    package var missed: [String] = []
    package internal(set) var commitWarnings: [Notice] = []

    mutating func add(_ rows: Int, of table: String, _ words: String) {
        if rows > 0 { missed.append("\(pasted(table)): \(rows.of("row")) \(words)") }
    }
}

/// Restores the deleted rows of an archive.
///
/// usher restores the tables in the order of the current foreign keys. If triggers change restored rows, usher corrects
/// these rows. usher reports other rows that triggers write.
package struct Restore {
    private let archive: Archive
    private let claim: String
    private let runner: ActRunner
    package let environment: Environment

    package var total: Int { archive.tables.reduce(0) { $0 + $1.deleted + $1.changed } }
    package var users: [String] { archive.users }

    package static func open(
        _ path: String, reason: String?, isDryRun: Bool, on connection: Connection, options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> Restore {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let archive = try Archive(try ArchiveFile(path), asking: transaction.ask)
        guard let claim = archive.claim else { throw Failure(noArchive: path) }
        let answers = try failing { () throws(PQError) in
            try transaction.read([Ledger.question, Environment.query, ReadOnlySession.question], isLast: false)
        }
        try ReadOnlySession.requireNone(answers[2])
        let installation = try Ledger.installation(answers[0])
        // A dry run writes no record, but fails early if the role can't restore.
        if !isDryRun {
            try Ledger.require(installation, for: .accounts)
        } else if let refusal = installation?.refusal(for: .accounts) {
            throw refusal
        }
        if installation?.isReadable == true {
            let record = try transaction.ask([Query(file: "catalog/archive_record.sql", [archive.operation])])[0].first
            try requireOriginal(archive, record)
        }
        try failing { () throws(PQError) in try transaction.end() }
        let environment = Environment(answers[1])
        if !isDryRun { try environment.requireReason(reason != nil) }
        return Restore(
            archive: archive, claim: claim, runner: ActRunner(on: connection, options: options, elsewhere: elsewhere),
            environment: environment)
    }

    /// Refuses an archive of another database, a wrong checksum, and a second restore.
    private static func requireOriginal(_ archive: Archive, _ record: Row?) throws(Failure) {
        let (file, operation) = (archive.file, archive.operation)
        guard let record else {
            throw Failure(
                .refused,
                "\(file.path) is from another database: this audit log doesn't contain the deletion \(operation)",
                nothing: .restored,
                hint: "the archive comes from the database \(archive.database); "
                    + "connect to that database with -d to restore it")
        }
        let (seal, restored) = try failing((try record.optionalText("seal"), try record.optionalText("restored")))
        if let seal, seal != file.seal {
            throw Failure(
                .refused,
                "\(file.path) is not the file that the deletion \(operation) wrote: the audit log has another checksum",
                nothing: .restored, hint: ArchiveFile.original)
        }
        if let restored {
            throw Failure(
                .conflict, "the archive was already restored, by operation \(restored)", nothing: .restored,
                hint: "`usher audit show \(restored)` shows that restore")
        }
    }

    package func run(reason: String?, ticket: String?, isDryRun: Bool) throws(Failure) -> RestoreReport {
        let entry = Ledger.Entry(
            id: OperationID.make(), kind: .restore, outcome: .committed, command: "account restore",
            payload: JSON.present([
                ("total", total), ("reason", reason), ("ticket", ticket), ("environment", environment.name),
                ("final", true),
            ]).text())
        let terms = ActRunner.Terms(mostRetries: 4, timeout: runner.options.patientTimeout, nothing: .restored)
        typealias Step = ActRunner.Step<RestoreReport>
        var (report, warnings) = try runner.run(terms) { (transaction) throws(Failure) -> Step in
            if !isDryRun {
                let answer = try transaction.run([Ledger.restore(entry, claim)])[0]
                let locks = try failing { () throws(PQError) in try answer.only().texts("locks") }
                if !locks.isEmpty { return .locked(by: locks) }
            }
            let graph = try Graph(followed: try transaction.ask(Graph.queries))
            if graph.isSpread { _ = try transaction.ask([Graph.oneSession]) }
            var restoration = try Restoration(archive, graph: graph, in: transaction)
            try restoration.run()
            return isDryRun ? .left(restoration.report) : .done(restoration.report, entry)
        }
        if !isDryRun { report.operation = entry.id }
        report.commitWarnings = warnings
        return report
    }
}

/// Restores an archive in one transaction.
///
/// A table is restored before the tables that refer to it; one statement restores tables that refer to each other.
struct Restoration {
    private let archive: Archive
    private let graph: Graph
    private let transaction: ActTransaction
    /// The tables that triggers of the deletion wrote to; empty unless usher tests a new archive.
    private let written: Set<UInt32>
    private var tables: [UInt32: ArchivedTable] = [:]
    private var order: [[ArchivedTable]] = []
    private(set) var report = RestoreReport()

    /// The row counters at the start, and the numbers of rows that the restore itself deleted.
    private let before: ChangeCounters
    private var removed: [UInt32: Int] = [:]

    init(_ archive: Archive, graph: Graph, in transaction: ActTransaction, written: Set<UInt32> = []) throws(Failure) {
        (self.archive, self.graph, self.transaction, self.written) = (archive, graph, transaction, written)
        before = try transaction.counters(everywhere: graph.isSpread)
        for (number, table) in archive.tables.enumerated() where table.deleted + table.changed > 0 {
            let name = pasted(table.name)
            guard let relation = graph.table(at: table.sql) else {
                throw Failure(
                    .conflict, "the table \(name) doesn't exist any more", nothing: .restored,
                    hint: "create the table with its old columns and key, then restore the archive again")
            }
            guard relation.key.map(\.name) == table.key else {
                throw Failure(
                    .conflict, "the key of \(name) was changed since the deletion", nothing: .restored,
                    hint: "create the primary key (\(table.key.joined(separator: ", "))) again, "
                        + "then restore the archive again")
            }
            tables[relation.oid] = ArchivedTable(table: table, number: number, relation: relation)
        }
        var children: [UInt32: [UInt32]] = [:]
        for reference in graph.references {
            children[graph.whole(reference.referenced), default: []].append(graph.whole(reference.table))
        }
        let tables = tables
        order = Components(from: tables.keys.sorted().reversed()) { parent in
            children[parent]?.filter { tables[$0] != nil } ?? []
        }.ordered.map { $0.compactMap { tables[$0] } }
    }

    private var all: [ArchivedTable] { order.flatMap { $0 } }

    /// Restores all rows, or throws.
    ///
    /// `settings` names the settings of the deletion. The test of an archive resets these settings, because it runs in
    /// the transaction of the deletion.
    mutating func run(resetting settings: [String] = []) throws(Failure) {
        try load()
        let resets = settings.map { Query(unsafe: "reset \(SQLName.path(of: SQLName.parts(ofPath: $0) ?? []))") }
        try transaction.run(["set constraints all deferred"] + resets)
        for table in all { try prepare(table) }
        for component in order { try insert(component.filter { $0.table.deleted > 0 }) }
        for table in all {
            let changed = try correct(table)
            if table.table.changed > 0 { report.reattached.append((table.table.name, changed)) }
        }
        try settle()
        // Triggers may have changed rows again.
        for table in all { _ = try correct(table) }
        try settle()
        for table in all { try compare(table) }
        try reportTriggers()
        for table in archive.tables where table.added > 0 {
            report.add(table.added, of: table.name, "added during the deletion, and not removed by the restore")
        }
    }

    // MARK: Statements

    private func attempt(_ query: Query) throws(Failure) -> Result<Rows, ServerError> {
        try transaction.attempt([query]).map { $0[0] }
    }

    private func refused(_ error: ServerError, _ tables: [ArchivedTable] = []) -> Failure {
        let place = error.table ?? tables.map(\.table.name).joined(separator: ", ")
        let missing =
            error.state == .foreignKeyViolation
            ? "a restored row refers to a row that doesn't exist any more: insert that row first" : nil
        return Failure(
            error.kind(unless: .conflict), (place.isEmpty ? "" : "\(place): ") + error.message, nothing: .restored,
            hint: error.searchPathHint ?? error.hint ?? missing, state: error.state, details: error.lines)
    }

    private func load() throws(Failure) {
        let store = Archive.store
        let columns = "(section pg_catalog.int4, key pg_catalog.jsonb, was pg_catalog.jsonb, now pg_catalog.jsonb)"
        let creation = Query(unsafe: "create temporary table \(store) \(columns) on commit drop")
        if case .failure(let error) = try attempt(creation) { throw refused(error) }
        var (rows, size): ([String], Int) = ([], 0)
        func send() throws(Failure) {
            let insertion = """
                insert into \(store) select (r ->> 0)::pg_catalog.int4, r -> 1, r -> 2, r -> 3 \
                from pg_catalog.unnest($1::pg_catalog.jsonb[]) r
                """
            try transaction.run([Query(unsafe: insertion, [arrayLiteral(rows)])])
            (rows, size) = ([], 0)
        }
        try archive.file.read { line throws(Failure) in
            if line.hasPrefix("{") { return }
            rows.append(line)
            size += line.utf8.count
            if size > 1 << 20 { try send() }
        }
        try send()
        try transaction.run([Query(unsafe: "create index on \(store) (section)"), Query(unsafe: "analyze \(store)")])
    }

    /// Runs deferred constraint checks and deferred triggers now.
    private func settle() throws(Failure) {
        if case .failure(let error) = try attempt("set constraints all immediate") { throw refused(error) }
    }

    /// Refuses if deleted rows exist again, and skips rows that were changed again after the deletion.
    private mutating func prepare(_ table: ArchivedTable) throws(Failure) {
        let (archived, name) = (table.table, table.table.name)
        if archived.deleted > 0, !archived.key.isEmpty {
            let comparison = try comparison(of: table)
            let there = archived.deleted - (try failing(try comparison.integer("missing")))
            guard there == 0 else {
                throw Failure(
                    .conflict, "\(pasted(name)): \(there) of \(archived.deleted) rows exist again",
                    nothing: .restored,
                    hint: "delete the rows that were created after the deletion, then restore the archive again")
            }
        }
        guard archived.changed > 0 else { return }
        let count = try transaction.run([table.removalOfChangedRows])[0].affected ?? 0
        report.add(count, of: name, "changed since the deletion and not restored")
        try transaction.run([table.additionOfCurrentValues])
    }

    /// Writes archived values into differing columns; returns the number of changed rows that differed.
    ///
    /// If the server refuses to correct rows that the restore inserted, the comparison reports these rows.
    private func correct(_ table: ArchivedTable) throws(Failure) -> Int {
        let comparison = try comparison(of: table)
        let (columns, losing) = try failing { () throws(PQError) in
            (Set(try comparison.texts("columns") + comparison.texts("times")), try comparison.integer("losing"))
        }
        guard let correction = table.correction(of: columns) else { return 0 }
        if case .failure(let error) = try attempt(correction), losing > 0 { throw refused(error, [table]) }
        return losing
    }

    private func comparison(of table: ArchivedTable) throws(Failure) -> Row {
        let answer = try transaction.ask([table.comparison])[0]
        return try failing(try answer.only())
    }

    /// Inserts the deleted rows of tables that refer to each other.
    ///
    /// The tables share one statement, because the database checks references at the end of a statement. If rows that
    /// triggers inserted violate a unique key, usher deletes these rows and repeats the insert once.
    private mutating func insert(_ tables: [ArchivedTable]) throws(Failure) {
        if tables.isEmpty { return }
        let parts = tables.indices.map { "i\($0) as (\(tables[$0].insertion))" }
        let whole = Query(unsafe: "with \(parts.joined(separator: ", ")) select 1")
        var outcome = try attempt(whole)
        if case .failure(let error) = outcome, error.state == .uniqueViolation, try deleteTriggerRows(of: tables) {
            outcome = try attempt(whole)
        }
        if case .failure(let error) = outcome { throw refused(error, tables) }
        report.restored += tables.map { ($0.table.name, $0.table.deleted) }
    }

    /// Deletes rows that triggers inserted; skips tables in which triggers also updated rows.
    private mutating func deleteTriggerRows(of tables: [ArchivedTable]) throws(Failure) -> Bool {
        guard let counts = try counted() else { return false }
        var hasDeleted = false
        for relation in tables.map(\.relation)
        where !relation.key.isEmpty && !written.contains(relation.oid) && counts[relation.oid]?.updated ?? 0 == 0 {
            let deletion = Query(unsafe: "delete from \(relation.ownRows) t where \(isNew(in: relation.oid))")
            guard case .success(let answer) = try attempt(deletion) else { continue }
            let rows = try failing(answer.written())
            removed[relation.oid, default: 0] += rows
            hasDeleted = hasDeleted || rows > 0
        }
        return hasDeleted
    }

    /// The numbers of rows written in each table since the start; nil if the server doesn't count rows.
    private func counted() throws(Failure) -> [UInt32: ChangeCounters.Count]? {
        let since = try transaction.counters(everywhere: graph.isSpread).since(before)
        return since.areKept ? since.byTable(in: graph) : nil
    }

    /// The condition that this transaction wrote the row `t` and the archive doesn't contain the row.
    private func isNew(in table: UInt32) -> String {
        [ownWrite, tables[table]?.isOther].compactMap(\.self).map { "(\($0))" }.joined(separator: " and ")
    }

    // MARK: Comparing

    private mutating func compare(_ table: ArchivedTable) throws(Failure) {
        let (comparison, name) = (try comparison(of: table), table.table.name)
        func count(_ column: String) throws(Failure) -> Int { try failing(try comparison.integer(column)) }
        func columns(_ column: String) throws(Failure) -> [String] { try failing(try comparison.texts(column)) }
        let missing = try count("missing")
        if missing > 0 {
            throw Failure(
                .refused,
                "\(pasted(name)): usher could not restore \(missing) of \(table.table.deleted) rows",
                nothing: .restored,
                hint: "the server reported no error, so a trigger of the table must have skipped the rows; "
                    + "change the trigger, then restore the archive again")
        }
        report.add(try count("vanished"), of: name, "deleted since the deletion of the account")
        let different = try columns("columns").joined(separator: ", ")
        report.add(try count("different"), of: name, "different in \(different), which a trigger sets")
        let dated = try count("dated")
        if dated > 0 { report.dated.append((name, dated, try columns("times"))) }
    }

    private mutating func reportTriggers() throws(Failure) {
        guard let counts = try counted() else {
            return report.missed.append(
                "the server does not count rows (track_counts is off), so usher can't see what triggers wrote")
        }
        for table in graph.tables.values.sorted(by: { $0.qualifiedName < $1.qualifiedName }) {
            guard let count = counts[table.oid] else { continue }
            let rows = count.inserted + count.updated > 0 ? try surplus(in: table, count) : 0
            report.add(rows, of: table.qualifiedName, "written by triggers and not in the archive")
            report.add(count.deleted - (removed[table.oid] ?? 0), of: table.qualifiedName, "deleted by triggers")
        }
    }

    /// The number of rows of a table that triggers wrote and the archive doesn't contain.
    ///
    /// If usher can't read the table and the archive doesn't contain the table, the number comes from the server's
    /// counters.
    private func surplus(in table: Graph.Table, _ count: ChangeCounters.Count) throws(Failure) -> Int {
        // Rows that triggers of the deletion wrote in the same transaction look like rows of the restore.
        if table.isElsewhere || !table.isReadableWhole || table.isSecured || written.contains(table.oid) {
            return tables[table.oid] == nil ? count.inserted + count.updated : 0
        }
        let query = Query(unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(isNew(in: table.oid))")
        let answer = try transaction.ask([query])[0]
        return try failing(try answer.count()) - (table.key.isEmpty ? tables[table.oid]?.table.deleted ?? 0 : 0)
    }

    // MARK: Testing an archive

    /// Refuses an archive that this role could not restore; returns what a restore would leave different.
    ///
    /// usher restores the archive in the transaction of the deletion, and rolls the restore back. usher first resets the
    /// settings of the deletion, because a real restore runs without these settings. usher refuses if triggers have
    /// effects outside the transaction, unless the operator allows these effects.
    static func requirePossible(
        _ file: PrivateFile, _ graph: Graph, in transaction: ActTransaction, written: Set<UInt32>,
        _ request: DeletionRequest
    ) throws(Failure) -> [String] {
        let archive = try Archive(
            try ArchiveFile("/proc/self/fd/\(file.descriptor)"), asking: transaction.ask)
        let test = Identifier("usher rehearsal")
        do throws(Failure) {
            var restoration = try Restoration(archive, graph: graph, in: transaction, written: written)
            if !request.allowsEffects { try restoration.requireInside() }
            try transaction.mark(test)
            try restoration.run(resetting: request.settings.map(\.name))
            try transaction.rollBack(to: test)
            return restoration.report.missed
        } catch {
            guard error.nothing == .restored else { throw error }
            throw Failure(
                error.kind == .forbidden ? .forbidden : .refused,
                "usher tested the archive, and can't restore the account from it: \(error.complaint.plain)",
                nothing: .deleted,
                hint: "fix this problem, or remove --archive",
                state: error.kind == .forbidden ? .insufficientPrivilege : nil,
                details: error.details + [error.hint].compactMap(\.self))
        }
    }

    private func requireInside() throws(Failure) {
        let answer = try transaction.ask([TriggerEffect.query(of: tables.keys.sorted())])[0]
        let triggers = try failing { () throws(PQError) in try TriggerEffect.all(answer) }
        let effects = triggers.filter { $0.reachesOutside && ($0.firesOnInsert || $0.firesOnUpdate) }
            .map(graph.outsideEffect)
        if effects.isEmpty { return }
        throw Failure(
            .refused, "usher tests an archive by restoring it, but \(effects[0])", nothing: .deleted,
            hint: "add --allow-effects to accept these effects, or remove --archive",
            details: Array(effects.dropFirst()))
    }
}
