internal import AppFile
internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// A change of many: batch by batch in the order of the keys, each batch one transaction, all of it one operation.
package final class BulkSession {
    /// Most subjects that one transaction changes; up to here a change is one operation and not a bulk of them.
    package static let batchSize = 5_000
    private static let sampleSize = 100
    private static let mostRemarks = 1_000

    private var runner: ChangeRunner
    private let scribe: ChangeScribe
    private let source: BulkSource
    private let strangers: [SubjectRemark]
    private var parent = OperationID.make()
    private var now = ""
    private var fast: FastBatch?
    private var refused: [SubjectRemark] = []
    private var decisions: [String: Int] = [:]

    init(_ runner: ChangeRunner, _ scribe: ChangeScribe, source: BulkSource, strangers: [SubjectRemark]) {
        self.runner = runner
        self.scribe = scribe
        self.source = source
        self.strangers = strangers
        self.runner.setting.toleratesRefusal = true
    }

    /// What a bulk change is confirmed with.
    package var confirmation: String { String(source.total) }

    /// The id of the whole, known before it begins.
    package var operation: String { parent }

    // MARK: Before

    /// Evaluates the conditions for all, and really runs the first ones and takes them back.
    package func plan() throws(Failure) -> BulkPlan {
        try refuseSecondRun()
        if now.isEmpty { now = try serverTime() }
        var sample: ChangeReport?
        var counts: [String: Int] = [:]
        var cursor: String?
        while let batch = try source.next(after: cursor, of: runner.setting, now: now) {
            if sample == nil { sample = try run(batch.first(Self.sampleSize), nil) }
            guard !runner.setting.work.refusals.isEmpty, runner.setting.work.each == nil else { break }
            for (sentence, count) in try refusals(of: batch) { counts[sentence, default: 0] += count }
            cursor = batch.cursor
        }
        guard let sample else { throw Failure(.notFound, "there is nobody to change") }
        return BulkPlan(
            command: scribe.work.command, environment: scribe.environment, total: source.total, sample: sample,
            refusals: counts.sorted { $0.value > $1.value }.map { ($0.key, $0.value) })
    }

    /// Continues an unfinished bulk change, or refuses to begin the same one twice.
    private func refuseSecondRun() throws(Failure) {
        if let id = scribe.request.resumes {
            _ = try resume(id)
        } else if !scribe.request.isDryRun, let other = try unfinished() {
            throw Failure(
                .conflict, "the same change was begun and not finished, as operation \(other)",
                hint: "--resume \(other) continues it; nothing is done twice")
        }
    }

    private func unfinished() throws(Failure) -> String? {
        let query = Query(EmbeddedSQL.text(of: "catalog/bulk_unfinished.sql"), [source.digest])
        return try ask(query).first?["id"]?.text
    }

    private func resume(_ id: String) throws(Failure) -> (cursor: String?, done: Int) {
        let rows = try ask(Query(EmbeddedSQL.text(of: "catalog/bulk_progress.sql"), [id]))
        guard let row = rows.first else { throw Failure(.notFound, "there is no bulk change \(id)") }
        guard row["outcome"]?.text == "running" else {
            throw Failure(.refused, "\(id) is not unfinished: it is \(row["outcome"]?.text ?? "unknown")")
        }
        guard row["input"]?.text == source.digest else {
            throw Failure(
                .usage, "\(id) was another change, or one of other users",
                hint: "repeat the command with the same words and the same file")
        }
        parent = id
        now = row["now"]?.text ?? now
        return (row["cursor"]?.text, row["done"]?.text.flatMap { Int($0) } ?? 0)
    }

    private func refusals(of batch: BulkSource.Batch) throws(Failure) -> [String: Int] {
        let setting = runner.setting
        let query = Judgement.query(
            setting.work, of: setting.app, keys: batch.subjects.map(\.key), type: setting.keyType,
            bindings: setting.bindings(now: now))
        let transaction = ReadTransaction(on: setting.connection, settings: .init(timeout: 60))
        let results = try failing { () throws(PQError) in
            try transaction.read([Query(query.sql, query.values)], isLast: true)
        }
        let judgement = try Judgement(Answer(query: query, result: results[0]), for: setting.work)
        return Dictionary(judgement.refused.map { ($0.value.plain, 1) }, uniquingKeysWith: +)
    }

    // MARK: Running

    /// Makes the change; `progress` is called after each batch and returns whether to go on.
    package func run(progress: (BulkProgress) -> Bool) throws(Failure) -> BulkReport {
        // The operator's Ctrl-C ends the run between two batches, and no batch in the middle.
        runner.setting.connection = try runner.reconnect()
        var state = BulkProgress(total: source.total)
        var cursor: String?
        if let id = scribe.request.resumes {
            let (reached, done) = try resume(id)
            cursor = reached
            state.done = done
        } else {
            try refuseSecondRun()
            if now.isEmpty { now = try serverTime() }
            try begin()
        }
        state.refused = strangers.count
        refused = strangers
        var isInterrupted = false
        while let batch = try source.next(after: cursor, of: runner.setting, now: now) {
            state.batches += 1
            try handle(batch, &state)
            cursor = batch.cursor
            if !progress(state) {
                isInterrupted = true
                break
            }
        }
        if !isInterrupted { try end(state) }
        ChangeScribe.seal(on: runner.setting.connection)
        return BulkReport(
            operation: parent, command: scribe.work.command, environment: scribe.environment, isDryRun: false,
            isFinal: scribe.work.isFinal, progress: state, refused: refused, isInterrupted: isInterrupted,
            decisions: decisions)
    }

    private func handle(_ batch: BulkSource.Batch, _ state: inout BulkProgress) throws(Failure) {
        let entry = batchEntry(batch, number: state.batches, done: batch.subjects.count)
        if let fast, let done = try fast.run(batch.subjects, entry, now: now) {
            state.done += done
            state.changes += done
            return
        }
        do throws(Failure) {
            let report = try run(batch, entry)
            state.done += max(report.count, batch.operation == nil ? 0 : 1)
            state.refused += report.refused.count
            state.changes += report.changes.count
            note(report.refused)
            for change in report.decisions where change.before != change.after {
                let name = "\(change.name): \(change.before ?? "nothing") → \(change.after ?? "nothing")"
                decisions[name, default: 0] += 1
            }
            if fast == nil { fast = FastBatch(runner.setting, learned: report) }
        } catch {
            // What the server or a rule says about these is no reason to leave the others.
            guard [.refused, .failed, .conflict].contains(error.kind) else { throw error }
            let subjects = batch.operation.map { [ChangeSubject(key: $0, label: $0)] } ?? batch.subjects
            state.refused += subjects.count
            note(
                subjects.map {
                    SubjectRemark(
                        subject: $0, sentence: FilledSentence(text: error.message), isFailure: error.kind != .refused)
                })
        }
    }

    private func note(_ remarks: [SubjectRemark]) {
        refused += remarks.prefix(Self.mostRemarks - min(refused.count, Self.mostRemarks))
    }

    /// Runs one batch with everything that a change is checked by.
    private func run(_ batch: BulkSource.Batch, _ entry: Ledger.Entry?) throws(Failure) -> ChangeReport {
        var own = runner
        own.setting.now = now
        own.setting.subjects = batch.subjects
        if let operation = batch.operation {
            let (inquiry, _) = try Inquiry.open(
                on: own.setting.connection, candidates: [own.setting.app], options: own.setting.options)
            let undo = try inquiry.undo(of: operation)
            try inquiry.close()
            let works = Undo.orders.map(undo.work)
            own.setting.work = works[0]
            own.alternatives = Array(works.dropFirst())
            own.setting.subjects = undo.users.map { ChangeSubject(key: $0, label: $0) }
        }
        return try own.run(entry)
    }

    // MARK: The ledger

    private func begin() throws(Failure) {
        let request = scribe.request
        let selected = request.selections.map { "--\($0)" }.joined(separator: " ")
        let target = selected.isEmpty ? "\(source.total) users" : selected
        let entry = scribe.entry(
            parent, .bulk, .committed, on: [],
            more: [
                ("target", .text(scribe.work.undoes ?? target)), ("input", .text(source.digest)), ("now", .text(now)),
                ("total", .number(source.total)),
            ])
        try ask(Ledger.record(entry))
    }

    private func batchEntry(_ batch: BulkSource.Batch, number: Int, done: Int) -> Ledger.Entry {
        let entry = scribe.entry(
            OperationID.make(), .batch, .committed, on: batch.subjects, parent: parent,
            more: [("cursor", .text(batch.cursor)), ("number", .number(number)), ("done", .number(done))])
        return Ledger.Entry(
            id: entry.id, kind: entry.kind, outcome: entry.outcome, command: entry.command, app: entry.app,
            parent: parent, undoes: batch.operation, payload: entry.payload)
    }

    private func end(_ state: BulkProgress) throws(Failure) {
        let outcome: Ledger.Entry.Outcome = state.refused == 0 ? .committed : .partial
        let entry = scribe.entry(
            OperationID.make(), .end, outcome, on: [], parent: parent,
            more: [("done", .number(state.done)), ("refused", .number(state.refused))])
        try ask(
            Ledger.record(
                Ledger.Entry(
                    id: entry.id, kind: .end, outcome: outcome, command: entry.command, app: entry.app, parent: parent,
                    payload: entry.payload)))
    }

    private func serverTime() throws(Failure) -> String {
        let rows = try ask("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') as now")
        return rows.first?["now"]?.text ?? ""
    }

    @discardableResult
    private func ask(_ query: Query) throws(Failure) -> Rows {
        let connection = runner.setting.connection
        return try failing { () throws(PQError) in try connection.execute(query) }
    }
}

extension BulkSource.Batch {
    fileprivate func first(_ count: Int) -> BulkSource.Batch {
        BulkSource.Batch(subjects: Array(subjects.prefix(count)), operation: operation, cursor: cursor)
    }
}
