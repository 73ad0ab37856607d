internal import AppFile
internal import Catalog
internal import PQ

/// A change of many: batch by batch in the order of the keys, each batch one transaction, all of it one operation.
package final class BulkSession {
    private static let sampleSize = 100
    private static let mostRemarks = 1_000

    private var runner: ChangeRunner
    private var ledger: BulkLedger
    private var scribe: ChangeScribe { ledger.scribe }
    private var source: BulkSource { ledger.source }
    private let strangers: [SubjectRemark]
    private var now = ""
    /// Where it stood when it was taken up again.
    private var begun: BulkLedger.Position?
    /// The first of the subjects, as the plan saw them.
    private var sample: ChangeReport?
    private var fast: FastBatch?
    /// How many the next batch has, if it can be one statement.
    package var pace = BulkPace()
    private var refused: [SubjectRemark] = []
    private var warnings: [(sentence: String, count: Int)] = []
    private var commitWarnings: [Notice] = []

    init(_ runner: ChangeRunner, _ scribe: ChangeScribe, source: BulkSource, strangers: [SubjectRemark]) {
        self.runner = runner
        ledger = BulkLedger(scribe, source)
        self.strangers = strangers
        self.runner.setting.toleratesRefusal = true
        // Many are confirmed with their number, however few rows a batch has.
        self.runner.setting.isConfirmed = true
    }

    /// What a bulk change is confirmed with.
    ///
    /// Continuing is the same command as beginning: it is the number of all, and not of those that are left.
    package var confirmation: String { String(total) }

    /// How many there were when it began.
    private var total: Int { begun?.progress.total ?? source.total }

    /// The id of the whole, known before it begins.
    package var operation: String { ledger.operation }

    // MARK: Before

    /// Evaluates the conditions for all, and really runs the first ones and takes them back.
    package func plan() throws(Failure) -> BulkPlan {
        let cursor = try scribe.request.resumes.map { id throws(Failure) in try resume(id) }?.cursor
        if now.isEmpty { now = try serverTime() }
        let first = try next(after: cursor)
        // What was interrupted behind its last batch still has to be ended.
        guard first != nil || scribe.request.resumes != nil else {
            throw Failure(.notFound, "there is nobody to change")
        }
        let sample = try recorded { () throws(Failure) in
            try run(first?.first(Self.sampleSize) ?? BulkSource.Batch(cursor: ""), nil)
        }
        self.sample = sample
        warnings = try tally(runner.setting.work.warnings)
        return BulkPlan(
            command: scribe.work.command, environment: scribe.environment, total: total, sample: sample,
            refusals: try tally(runner.setting.work.refusals), warnings: warnings)
    }

    /// Takes down that nobody agreed to it.
    package func decline(_ failure: Failure) throws(Failure) {
        try recorded { () throws(Failure) in throw failure }
    }

    private func recorded<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try scribe.recording(on: runner.setting.connection, [], body)
    }

    private func resume(_ id: String) throws(Failure) -> BulkLedger.Position {
        let position = try ledger.resume(id, runner.setting, strangers: strangers.count)
        now = position.now ?? now
        begun = position
        return position
    }

    /// For how many of all a remark holds, by the first that does; one by one it is not known before.
    private func tally(_ remarks: [App.Remark]) throws(Failure) -> [(sentence: String, count: Int)] {
        let setting = runner.setting
        if remarks.isEmpty || setting.work.each != nil { return [] }
        var counts = [Int](repeating: 0, count: remarks.count)
        for query in source.tally(of: remarks, of: setting, now: now) {
            let transaction = ReadTransaction(
                on: setting.connection, settings: .init(timeout: runner.setting.options.patientTimeout))
            let answer = try failing { () throws(PQError) in
                try transaction.read([Query(query)], isLast: true)[0]
            }
            switch Answer(query: query, result: answer).reading {
            case .failure(let unreadable): throw unreadable.failure
            case .success(let rows):
                for row in rows.rows {
                    // Those of whom no remark holds stand together, under no number.
                    if row.values[0].isNull { continue }
                    let (index, count) = try decoding((try row.integer(at: 0), try row.integer(at: 1)))
                    counts[index] += count
                }
            }
        }
        return zip(remarks, counts).filter { $0.1 > 0 }.map { ($0.0.sentence.source, $0.1) }
    }

    // MARK: Running

    /// Makes the change; `progress` is called after each batch and returns whether to go on.
    package func run(progress: (BulkProgress) -> Bool) throws(Failure) -> BulkReport {
        // The operator's Ctrl-C ends the run between two batches, and no batch in the middle.
        runner.setting.connection = try runner.reconnect()
        fast = sample.flatMap { FastBatch(runner, learned: $0) }
        var state = BulkProgress(total: source.total)
        state.refused = strangers.count
        var cursor: String?
        if let id = scribe.request.resumes {
            let position = try resume(id)
            (cursor, state) = (position.cursor, position.progress)
        } else {
            if now.isEmpty { now = try serverTime() }
            note(try ledger.begin(now: now, on: runner.setting.connection, by: runner.settlement))
        }
        refused = strangers
        var isInterrupted = false
        do throws(Failure) {
            while let reached = try step(after: cursor, &state) {
                cursor = reached
                if !progress(state) {
                    isInterrupted = true
                    break
                }
            }
            if !isInterrupted { try ledger.end(state, on: runner.setting.connection) }
        } catch {
            throw Failure(
                error.kind, error.message, hint: "the same command with --resume \(operation) continues it",
                state: error.state, details: error.details + ["\(state.handled) of \(state.total) are done, and last"],
                fate: error.fate)
        }
        return BulkReport(
            operation: operation, command: scribe.work.command, environment: scribe.environment, isDryRun: false,
            isFinal: scribe.work.isFinal, progress: state, refused: refused, warnings: warnings,
            isInterrupted: isInterrupted, commitWarnings: commitWarnings)
    }

    /// Handles the batch behind a cursor and returns where it ended, nil when there is none.
    private func step(after cursor: String?, _ state: inout BulkProgress) throws(Failure) -> String? {
        let number = state.batches + 1
        while true {
            if let fast {
                let clock = ContinuousClock()
                let start = clock.now
                let outcome = try fast.run(source, pace.size, after: cursor, now: now) { batch in
                    ledger.record(batch, number: number).entry(batch.subjects.filter { batch.refused[$0.key] == nil })
                }
                switch outcome {
                case .exhausted: return nil
                case .done(let batch, let rows, let warnings):
                    pace.learn(start.duration(to: clock.now))
                    state.batches = number
                    state.atOnce += 1
                    state.done += batch.subjects.count - batch.refused.count
                    state.refused += batch.refused.count
                    state.changes += rows
                    note(remarks(batch))
                    note(warnings)
                    return batch.cursor
                case .collided: if pace.yield() { continue }
                case .unsuitable: pace.restart()
                }
            }
            guard let batch = try next(after: cursor) else { return nil }
            guard try handle(batch, number: number, &state) else { continue }
            state.batches = number
            return batch.cursor
        }
    }

    private func next(after cursor: String?) throws(Failure) -> BulkSource.Batch? {
        let connection = runner.setting.connection
        return try source.next(min(pace.size, BulkPace.least), after: cursor, of: runner.setting, now: now) {
            query throws(Failure) in
            let transaction = ReadTransaction(
                on: connection, settings: .init(timeout: runner.setting.options.patientTimeout))
            let answer = try failing { () throws(PQError) in try transaction.read([query], isLast: true)[0] }
            switch answer {
            case .success(let rows): return rows
            case .failure(let error): throw Failure(error)
            }
        }
    }

    private func remarks(_ batch: BulkSource.Batch) -> [SubjectRemark] {
        batch.subjects.compactMap { subject in
            batch.refused[subject.key].map { number in
                let sentence = runner.setting.work.refusals[number].sentence.source
                return SubjectRemark(subject: subject, sentence: FilledSentence(text: sentence))
            }
        }
    }

    /// The thorough way, with everything that a single change is checked by; false when fewer are to be tried.
    private func handle(
        _ batch: BulkSource.Batch, number: Int, _ state: inout BulkProgress
    ) throws(Failure) -> Bool {
        let connection = runner.setting.connection
        let report: ChangeReport
        do throws(Failure) {
            report = try run(batch, ledger.record(batch, number: number))
        } catch {
            // What the server or a rule says about these is no reason to leave the others.
            guard [.refused, .failed, .conflict].contains(error.kind), !error.isRecorded, error.fate == nil else {
                throw error
            }
            if error.kind == .conflict, batch.operation == nil, pace.yield() { return false }
            let subjects = batch.operation.map { [ChangeSubject(key: $0, label: $0)] } ?? batch.subjects
            let count = batch.count ?? subjects.count
            try ledger.pass(batch, number: number, done: 0, refused: count, because: error, on: connection)
            state.refused += count
            let sentence = FilledSentence(text: ([error.message] + error.details.prefix(3)).joined(separator: "; "))
            note(
                subjects.map {
                    SubjectRemark(subject: $0, sentence: sentence, isFailure: error.kind != .refused)
                })
            return true
        }
        let done = batch.count ?? report.count
        if report.operation == nil {
            try ledger.pass(
                batch, number: number, done: done, refused: report.refused.count, because: nil, on: connection)
        }
        state.done += done
        state.refused += report.refused.count
        state.changes += report.changes.count
        note(report.refused)
        note(report.commitWarnings)
        return true
    }

    /// Keeps what the server warned of, once.
    private func note(_ warnings: [Notice]) {
        commitWarnings += warnings.filter { !commitWarnings.contains($0) }
    }

    private func note(_ remarks: [SubjectRemark]) {
        refused += remarks.prefix(Self.mostRemarks - min(refused.count, Self.mostRemarks))
    }

    /// Runs one batch with everything that a change is checked by.
    private func run(_ batch: BulkSource.Batch, _ record: ChangeRecord?) throws(Failure) -> ChangeReport {
        var own = runner
        own.setting.now = now
        own.setting.subjects = batch.subjects
        if let operation = batch.operation {
            let inquiry = try Inquiry.open(
                on: own.setting.connection, candidates: [own.setting.app], options: own.setting.options)
            let undo = try inquiry.undo(of: operation)
            try inquiry.close()
            let works = Undo.orders.map(undo.work)
            own.setting.work = works[0]
            own.alternatives = Array(works.dropFirst())
            own.setting.subjects = undo.users.map { ChangeSubject(key: $0, label: $0) }
        }
        return try own.run(record)
    }

    private func serverTime() throws(Failure) -> String {
        let rows = try ask("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') as now")
        return try decoding(try rows.only().text("now"))
    }

    @discardableResult
    private func ask(_ query: Query) throws(Failure) -> Rows {
        let connection = runner.setting.connection
        return try failing { () throws(PQError) in try connection.execute(query, timeout: connection.patience) }
    }
}

extension BulkSource.Batch {
    fileprivate func first(_ count: Int) -> BulkSource.Batch {
        BulkSource.Batch(subjects: Array(subjects.prefix(count)), operation: operation, cursor: cursor)
    }
}
