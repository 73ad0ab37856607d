package import Acts
package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// The deletion of accounts from its plan to what became of it; nothing is open between the two.
package final class Erasure {
    /// What was planned beforehand, or last found out in a run that was not.
    package private(set) var plan: AccountPlan?
    let environment: String
    private let facts: Row?
    let request: ErasureRequest
    let start: AccountStart
    let appName: String?
    private let helpers: [HelperIndex]
    private let options: InquiryOptions
    let runner: ActRunner
    /// What there is to say besides.
    private var remarks: [ErasureNote] = []
    private let abandoned: [HelperIndex.Abandoned]
    /// The id of the whole, known before it begins: that of an earlier run where this one goes on with it.
    package let operation: String
    /// Whether what is done in the end is one part of several.
    package let isInParts: Bool
    /// The id of the transaction that deletes the root.
    let last: String
    /// What batches have come to.
    var parts: ErasureParts
    private let isBegun: Bool
    private var judge: Judge = { _, _ throws(Failure) in }
    /// Whether there was a plan that somebody saw.
    private let isPlanned: Bool

    init(
        _ request: ErasureRequest, plan: AccountPlan?, start: AccountStart, reading: AccountInquiry,
        unfinished: ErasureParts?, helpers: [HelperIndex], abandoned: [HelperIndex.Abandoned], runner: ActRunner
    ) {
        isInParts = !request.isDryRun && (request.batch != nil || unfinished != nil)
        operation = unfinished?.operation ?? OperationID.make()
        last = isInParts ? OperationID.make() : operation
        parts = unfinished ?? ErasureParts()
        parts.written = parts.written.map { $0.answered(by: request.account.answers) }
        isBegun = unfinished != nil
        self.request = request
        self.plan = plan
        isPlanned = plan != nil
        environment = reading.environment.name
        facts = reading.facts
        appName = reading.app
        self.start = start
        self.helpers = helpers
        self.runner = runner
        options = runner.options
        self.abandoned = abandoned
    }

    /// Plans, and refuses what cannot be done or recorded.
    ///
    /// Unless everything is settled beforehand, so that the run itself may find it out.
    package static func open(
        _ request: ErasureRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> Erasure {
        for (name, _) in request.settings { try requireHarmless(name) }
        try requireWholeArchive(request)
        let reading = try AccountInquiry.open(
            request.account, on: connection, candidates: candidates, options: options)
        let answers = try reading.look([Ledger.question, HelperIndex.question, ReadOnlySession.question])
        try ReadOnlySession.requireNone(answers[2])
        let ledger = answers[0]
        var request = request
        var unfinished: ErasureParts?
        // What is taken back again needs no record, unless it goes on with what has one.
        if !request.isDryRun || request.resumes != nil {
            let installation = try Ledger.installation(ledger)
            if !request.isDryRun { try Ledger.require(installation, for: .accounts) }
            if request.batch != nil || request.resumes != nil { try Ledger.require(installation, for: .reading) }
            unfinished = try ErasureParts.unfinished(reading.start.root, ledger, asking: reading.ask)
            try requireResumed(request, unfinished?.operation)
            if let unfinished { request = try unfinished.completing(request) }
        }
        if request.isDryRun {
            unfinished = nil
        } else {
            try reading.environment.requireReason(request.reason != nil, for: .deletion)
        }
        var plan: AccountPlan?
        var helpers: [HelperIndex] = []
        if !request.isSettled {
            let survey = try AccountSurvey(of: reading.start, request.account, asking: reading.ask)
            try survey.requireUsers(asking: reading.ask)
            plan = survey.plan(
                environment: reading.environment.name, facts: reading.facts, buildsIndexes: request.buildsIndexes,
                archives: request.archive != nil)
            if let size = request.batch { plan?.last = try survey.last(ofBatches: size, asking: reading.ask) }
            if request.buildsIndexes { helpers = survey.slowSearches.compactMap { HelperIndex($0.link, survey.map) } }
        }
        try reading.close()
        return Erasure(
            request, plan: plan, start: reading.start, reading: reading, unfinished: unfinished,
            helpers: helpers, abandoned: request.isDryRun ? [] : try HelperIndex.abandoned(answers[1]),
            runner: ActRunner(on: connection, options: options, elsewhere: elsewhere))
    }

    /// Deletes, or really runs it all and takes it back.
    ///
    /// Where nothing was planned beforehand, `judge` is asked about the plan before anything is touched.
    package func run(
        judge: @escaping Judge = { _, _ throws(Failure) in }
    ) throws(Failure) -> ErasureReport {
        self.judge = judge
        return try recording { () throws(Failure) in
            if let plan { try requirePossible(plan) }
            try listFiles()
            return try runWithHelpers()
        }
    }

    /// Takes down what of it is refused or fails; a part that stops is taken down as that.
    package func recording<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try runner.recording({ failure, outcome in isInParts ? nil : attempt(outcome, because: failure) }, body)
    }

    /// Runs it with indexes that are built for it and dropped behind it.
    private func runWithHelpers() throws(Failure) -> ErasureReport {
        let connection = try runner.alive()
        for index in abandoned where index.drop(on: connection) {
            remarks.append(.abandonedDropped(index: index.name))
        }
        var report: ErasureReport
        do throws(Failure) {
            for helper in helpers { try helper.build(on: connection) }
            report = try runParts()
        } catch {
            dropHelpers()
            throw remarks.isEmpty ? error : Failure(ErasureRefusal.noting(error, remarks))
        }
        dropHelpers()
        report.remarks = remarks
        return report
    }

    /// Drops what was built for this, on another connection if this one is lost or interrupted.
    private func dropHelpers() {
        for helper in helpers where !helper.drop(on: runner.connection) {
            if let other = try? runner.another(), helper.drop(on: other) { continue }
            remarks.append(.helperLeft(index: helper.qualifiedName))
        }
    }

    private func runParts() throws(Failure) -> ErasureReport {
        guard isInParts else {
            var report = try delete()
            if request.batch != nil { report.whole = plan }
            return report
        }
        if !isBegun { try begin() }
        do throws(Failure) {
            if let size = request.batch { try runBatches(of: size) }
            var report = try delete()
            report.add(parts)
            report.whole = plan
            return report
        } catch {
            if error.fate != .unknown { recordPart(error) }
            throw partial(error)
        }
    }

    private func runBatches(of size: Int) throws(Failure) {
        let batches = BatchErasure(
            request: request, start: start, runner: runner, pace: BatchErasure.pace(of: size), entry: batchEntry)
        try batches.run(&parts, progress: request.progress)
    }

    /// A failure of a deletion of which parts are done already.
    private func partial(_ failure: Failure) -> Failure {
        guard !parts.deleted.isEmpty else { return failure }
        return Failure(ErasureRefusal.partly(failure, operation: operation))
    }

    private func delete() throws(Failure) -> ErasureReport {
        var forced: Set<Int> = []
        // It goes again unless it is closed, which follows the commit.
        var archive: PrivateFile?
        let end: (value: (report: ErasureReport, survey: AccountSurvey), warnings: [Notice])
        do throws(Failure) {
            end = try runner.run(terms) { (transaction, retries) throws(Failure) in
                archive = nil
                let attempt = ErasureAttempt(
                    request: request, plan: isPlanned ? plan : nil, start: start, environment: environment,
                    facts: facts, appName: appName, database: runner.connection.database, transaction: transaction,
                    forced: forced, adds: !isInParts, locksRows: retries > 0, elsewhere: runner.another, judge: opening)
                switch try attempt.run() {
                case .again(let links):
                    forced.formUnion(links)
                    return .again
                case .locked(let locks): return .locked(by: locks)
                case .tried(let report, let survey): return .left((report, survey))
                case .deleted(let report, let survey, let entry, let file):
                    archive = file
                    return .done((report, survey), entry)
                }
            }
        } catch {
            guard error.fate == .unknown, let archive else { throw error }
            // Better an archive of what was not deleted than none of what was.
            try archive.close()
            throw Failure(ErasureRefusal.noting(error, [.archiveKept(path: archive.path)]))
        }
        // All of it was on the disk before the commit, behind which nothing fails any more.
        try? archive?.close()
        var report = end.value.report
        report.add(end.warnings)
        guard report.isDryRun else { return lookAgain(report, end.value.survey) }
        // A store that is there would be asked for them.
        if request.storage != nil { report.outbox.files = [] }
        return report
    }

    /// A late row of a child, seen by the server and not by us, is a reason to look again.
    private var terms: ActRunner.Terms {
        .init(
            mostRetries: 4, collisions: SQLState.collisions.union([.foreignKeyViolation]),
            timeout: options.patientTimeout, nothing: .deleted)
    }

    /// Judges what a run found, and says what to take down of it; without that everything is taken back.
    private func opening(_ found: AccountPlan) throws(Failure) -> ErasureAttempt.Opening? {
        // The plan is compared here and in no function: by the operator's own rights both would be his word.
        if !isPlanned, plan?.fingerprint != found.fingerprint {
            plan = found
            try judge(found, refusal(of: found))
        }
        try requirePossible(found)
        return request.isDryRun ? nil : entries(found)
    }

    // MARK: Afterwards

    /// Has the store remove the files, once nothing can be taken back any more.
    private func removeFiles(of report: inout ErasureReport) {
        guard let storage = request.storage, !report.filesLeft.isEmpty else { return }
        (report.outbox.files, report.filesWhy) = report.outbox.drain(by: storage, runner)
    }

    /// Writes down what has to be removed from the store, before anything is deleted that could tell.
    private func listFiles() throws(Failure) {
        guard let path = request.fileList, !request.isDryRun else { return }
        let file = try PrivateFile(path)
        for stored in plan?.files.files ?? [] {
            let line = JSONPayload.object([
                ("bucket", .text(stored.bucket)), ("path", .text(stored.path)), ("bytes", .number(stored.bytes)),
            ])
            try file.write(Array((line + "\n").utf8))
        }
        try file.close()
    }

    /// Looks once more, at what is committed: rows without foreign keys slip in at any time.
    private func lookAgain(_ report: ErasureReport, _ survey: AccountSurvey) -> ErasureReport {
        var report = report
        do throws(Failure) {
            let connection = try runner.alive()
            report.doubt = try OpenWriters(graph: survey.map.graph).wait(on: connection).map { .stillWriting($0) }
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let remaining = try Verification(survey: survey).remaining(.commit, asking: ask)
            let kept = report.keptAsWritten
            report.appeared = remaining.sorted { $0.key < $1.key }.map { (survey.map.name($0.key), $0.value) }.filter {
                survey.map.lines.written[survey.map.graph.table($0.0)?.oid ?? 0]?.answer != .keep
                    || $0.1 > kept[$0.0] ?? 0
            }
            var suspects = try survey.suspectsLeft(asking: ask)
            let known = Set(suspects.map(\.name))
            suspects += try parts.before?.columnsLeft(asking: ask).filter { !known.contains($0.name) } ?? []
            // What triggers wrote and a line keeps is known; more than that came from elsewhere.
            let standing = parts.written.reduce(into: kept) { sums, found in
                if !found.isRemoved, found.isAccepted { sums[found.table, default: 0] += found.rows }
            }
            suspects = HeldColumn.inOrder(suspects).filter { suspect in
                let table = survey.map.graph.table(suspect.table)?.oid ?? 0
                return survey.map.lines.written[table]?.answer != .keep || suspect.rows > standing[suspect.table] ?? 0
            }
            report.suspects = suspects.filter { survey.held.answer(to: $0) != .keep }
            report.keptSuspects = suspects.filter { survey.held.answer(to: $0) == .keep }
            try? transaction.end()
        } catch {
            report.doubt = .noSecondLook(error)
        }
        removeFiles(of: &report)
        return report
    }
}
