package import Acts
package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// The deletion of accounts from its plan to what became of it; nothing is open between the two.
package final class Deletion {
    /// What was planned beforehand, or last found out in a run that was not.
    package private(set) var plan: AccountPlan?
    let environment: String
    private let facts: Row?
    let request: DeletionRequest
    let start: AccountStart
    let appName: String?
    private let helpers: [HelperIndex]
    let options: InquiryOptions
    let runner: ActRunner
    /// What there is to say besides.
    private var remarks: [DeletionNote] = []
    /// The id of the whole, known before it begins: that of an earlier run where this one goes on with it.
    package let operation: String
    /// Whether what is done in the end is one part of several.
    package let isInParts: Bool
    /// The id of the transaction that deletes the root.
    let last: String
    /// What batches have come to.
    var parts: DeletionParts
    private let isBegun: Bool
    private var judge: Judge = { _, _ throws(Failure) in }
    /// Whether there was a plan that somebody saw.
    private let isPlanned: Bool

    init(
        _ request: DeletionRequest, plan: AccountPlan?, start: AccountStart, reading: AccountInquiry,
        unfinished: DeletionParts?, helpers: [HelperIndex], runner: ActRunner
    ) {
        isInParts = !request.isDryRun && (request.batch != nil || unfinished != nil)
        operation = unfinished?.operation ?? OperationID.make()
        last = isInParts ? OperationID.make() : operation
        parts = unfinished ?? DeletionParts()
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
    }

    /// Plans, and refuses what cannot be done or recorded.
    ///
    /// Unless everything is settled beforehand, so that the run itself may find it out.
    package static func open(
        _ request: DeletionRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> Deletion {
        for (name, _) in request.settings { try requireHarmless(name) }
        try requireWholeArchive(request)
        let reading = try AccountInquiry.open(
            request.account, on: connection, candidates: candidates, options: options)
        let answers = try reading.look([Ledger.question, ReadOnlySession.question])
        try ReadOnlySession.requireNone(answers[1])
        var unfinished: DeletionParts?
        // What is taken back again needs no record, unless it goes on with what has one.
        if !request.isDryRun || request.resumes != nil {
            let installation = try Ledger.installation(answers[0])
            if !request.isDryRun { try Ledger.require(installation, for: .accounts) }
            if request.isInParts { try Ledger.require(installation, for: .reading) }
            unfinished = try DeletionParts.unfinished(
                reading.start.root, request.account.answers, answers[0], asking: reading.ask)
            try requireResumed(request, unfinished?.operation)
        }
        if request.isDryRun {
            unfinished = nil
        } else {
            try reading.environment.requireReason(request.reason != nil, for: "deletion")
        }
        var plan: AccountPlan?
        var helpers: [HelperIndex] = []
        if !request.isSettled {
            let account = try FoundAccount(of: reading.start, request.account, asking: reading.ask)
            try account.requireUsers(asking: reading.ask)
            plan = account.plan(
                environment: reading.environment.name, facts: reading.facts, buildsIndexes: request.buildsIndexes)
            plan?.isInParts = request.isInParts
            if request.buildsIndexes {
                helpers = account.slowSearches.compactMap { HelperIndex($0.edge, account.model.graph) }
            }
        }
        try reading.close()
        return Deletion(
            request, plan: plan, start: reading.start, reading: reading, unfinished: unfinished,
            helpers: helpers, runner: ActRunner(on: connection, options: options, elsewhere: elsewhere))
    }

    /// Deletes, or really runs it all and takes it back.
    ///
    /// Where nothing was planned beforehand, `judge` is asked about the plan before anything is touched.
    package func run(
        judge: @escaping Judge = { _, _ throws(Failure) in }
    ) throws(Failure) -> DeletionReport {
        self.judge = judge
        // A judge that holds the deletion would keep both, and its connection, for good.
        defer { self.judge = { _, _ throws(Failure) in } }
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
    private func runWithHelpers() throws(Failure) -> DeletionReport {
        let connection = try runner.alive()
        var report: DeletionReport
        do throws(Failure) {
            for helper in helpers { try helper.build(on: connection) }
            report = try runParts()
        } catch {
            dropHelpers()
            throw remarks.isEmpty ? error : Failure(DeletionRefusal.noting(error, remarks))
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

    private func runParts() throws(Failure) -> DeletionReport {
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
        let batches = Batches(
            request: request, start: start, runner: runner, pace: Batches.pace(of: size), entry: batchEntry)
        try batches.run(&parts, progress: request.progress)
    }

    /// A failure of a deletion of which parts are done already.
    private func partial(_ failure: Failure) -> Failure {
        guard !parts.deleted.isEmpty else { return failure }
        return Failure(DeletionRefusal.partly(failure, operation: operation))
    }

    private func delete() throws(Failure) -> DeletionReport {
        // It goes again unless it is closed, which follows the commit.
        var archive: PrivateFile?
        let end: (value: (report: DeletionReport, account: FoundAccount), warnings: [Notice])
        do throws(Failure) {
            end = try runner.run(terms) { (transaction, _) throws(Failure) in
                archive = nil
                let attempt = Attempt(
                    request: request, plan: isPlanned ? plan : nil, start: start, environment: environment,
                    facts: facts, appName: appName, database: runner.connection.database, transaction: transaction,
                    adds: !isInParts, elsewhere: runner.another, judge: opening)
                switch try attempt.run() {
                case .locked(let locks): return .locked(by: locks)
                case .tried(let report, let account): return .left((report, account))
                case .deleted(let report, let account, let entry, let file):
                    archive = file
                    return .done((report, account), entry)
                }
            }
        } catch {
            guard error.fate == .unknown, let archive else { throw error }
            // Better an archive of what was not deleted than none of what was.
            try archive.close()
            throw Failure(DeletionRefusal.noting(error, [.archiveKept(path: archive.path)]))
        }
        // All of it was on the disk before the commit, behind which nothing fails any more.
        try? archive?.close()
        var report = end.value.report
        report.add(end.warnings)
        guard report.isDryRun else { return lookAgain(report, end.value.account) }
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
    private func opening(_ found: AccountPlan) throws(Failure) -> Attempt.Opening? {
        // The plan is compared here and in no function: by the operator's own rights both would be his word.
        if !isPlanned, plan?.fingerprint != found.fingerprint {
            plan = found
            try judge(found, refusal(of: found))
        }
        try requirePossible(found)
        return request.isDryRun ? nil : entries(found)
    }
}

/// What a deletion refuses to do.
extension Deletion {
    /// Shows a plan to whoever decides, with what refuses it.
    package typealias Judge = (_ plan: AccountPlan, _ refusal: Failure?) throws(Failure) -> Void

    package func refusal(of plan: AccountPlan) -> Failure? {
        do throws(Failure) { try requirePossible(plan) } catch { return error }
        return nil
    }

    /// Refuses what must not be done, before anybody is asked.
    func requirePossible(_ plan: AccountPlan) throws(Failure) {
        try requireAnswered(plan)
        if plan.isRootGone, request.archive != nil { throw Failure(DeletionRefusal.archiveOfTheRest) }
        if request.isDryRun, !request.allowsEffects, !plan.outsideEffects.isEmpty {
            throw Failure(DeletionRefusal.outsideEffects(plan.outsideEffects))
        }
        if request.names(plan) { throw Failure(DeletionRefusal.namesPerson) }
    }

    /// Refuses all at once what is in the way, what nobody may do, and where nobody said what becomes of rows of others, or of
    /// columns that hold the person although nothing declares it.
    private func requireAnswered(_ plan: AccountPlan) throws(Failure) {
        let open = plan.blocking()
        if !open.isEmpty { throw Failure(DeletionRefusal.open(open, total: plan.total)) }
    }

    /// Refuses an archive of what went in batches: what is resumed goes on as one of them, whatever it goes on by.
    static func requireWholeArchive(_ request: DeletionRequest) throws(Failure) {
        guard request.archive != nil, request.isInParts else { return }
        throw Failure(DeletionRefusal.archiveInBatches)
    }

    /// Refuses settings that are not the database's own triggers' business.
    static func requireHarmless(_ name: String) throws(Failure) {
        let folded = name.lowercased()
        let parts = SQLName.parts(ofPath: folded) ?? []
        guard parts.count > 1, parts.joined(separator: ".") == folded, ![Platform.storage, "usher"].contains(parts[0])
        else {
            throw Failure(DeletionRefusal.harmfulSetting(name))
        }
    }

    /// Refuses to begin once more what was begun and not finished, and to go on with what is not.
    static func requireResumed(_ request: DeletionRequest, _ unfinished: String?) throws(Failure) {
        if let unfinished, request.resumes == nil {
            throw Failure(DeletionRefusal.unfinished(operation: unfinished))
        }
        guard let resumes = request.resumes, unfinished != resumes else { return }
        throw Failure(DeletionRefusal.notUnfinished(operation: resumes))
    }
}

// MARK: After the commit

extension Deletion {
    /// Has the store remove the files, once nothing can be taken back any more.
    private func removeFiles(of report: inout DeletionReport) {
        guard let storage = request.storage, !report.filesLeft.isEmpty else { return }
        (report.outbox.files, report.filesWhy) = report.outbox.drain(by: storage, runner)
    }

    /// Writes down what has to be removed from the store, before anything is deleted that could tell.
    func listFiles() throws(Failure) {
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
    private func lookAgain(_ report: DeletionReport, _ account: FoundAccount) -> DeletionReport {
        var report = report
        do throws(Failure) {
            let connection = try runner.alive()
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            // What triggers wrote and a line keeps is known; more than that came from elsewhere.
            let kept = report.written.filter { !$0.isRemoved && $0.leftover == 0 }.map { ($0.table, $0.rows) }
            let known = Dictionary(kept, uniquingKeysWith: +)
            let remaining = try Verification(account).appeared(asking: ask)
            report.appeared = remaining.map { (table: account.model.name($0.key), rows: $0.value) }
                .filter { $0.rows > known[$0.table] ?? 0 }.sorted { $0.table < $1.table }
            report.undeclared = try account.undeclaredLeft(asking: ask).filter { $0.rows > known[$0.table] ?? 0 }
            try? transaction.end()
        } catch {
            report.doubt = .noSecondLook(error)
        }
        removeFiles(of: &report)
        return report
    }
}
