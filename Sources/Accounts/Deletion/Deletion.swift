package import Acts
package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

/// A deletion of accounts, from the plan to the report; no transaction is open between them.
package final class Deletion {
    /// The plan that the operator saw, or else the plan that the run made.
    package private(set) var plan: AccountPlan?
    let environment: String
    private let facts: Row?
    let request: DeletionRequest
    let start: AccountStart
    let appName: String?
    private let helpers: [HelperIndex]
    let options: InquiryOptions
    let runner: ActRunner
    private var remarks: [String] = []
    /// The operation id; the id of the interrupted deletion if this one resumes it.
    package let operation: String
    /// True for a deletion in batches.
    package let isInParts: Bool
    let last: String
    var parts: DeletionParts
    private let isBegun: Bool
    private var judge: Judge = { _, _ throws(Failure) in }
    /// True if the operator saw a plan.
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

    /// Makes the plan, and refuses a deletion that can't be done or recorded.
    ///
    /// If the request needs no plan beforehand, the run makes the plan.
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
        // A dry run needs no record, unless it resumes a deletion.
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

    /// Deletes; a dry run does the same and rolls back.
    ///
    /// `judge` decides about a plan that the run makes itself, before anything is touched.
    package func run(
        judge: @escaping Judge = { _, _ throws(Failure) in }
    ) throws(Failure) -> DeletionReport {
        self.judge = judge
        // The judge may capture the deletion, so this breaks the reference cycle.
        defer { self.judge = { _, _ throws(Failure) in } }
        return try recording { () throws(Failure) in
            if let plan { try requirePossible(plan) }
            try listFiles()
            return try runWithHelpers()
        }
    }

    /// Records refusals and failures.
    package func recording<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try runner.recording({ failure, outcome in isInParts ? nil : attempt(outcome, because: failure) }, body)
    }

    /// Builds helper indexes, deletes, and drops the indexes.
    private func runWithHelpers() throws(Failure) -> DeletionReport {
        let connection = try runner.alive()
        var report: DeletionReport
        do throws(Failure) {
            for helper in helpers { try helper.build(on: connection) }
            report = try runParts()
        } catch {
            dropHelpers()
            throw error.adding(remarks)
        }
        dropHelpers()
        report.remarks = remarks
        return report
    }

    /// Drops the helper indexes, on another connection if this one is lost.
    private func dropHelpers() {
        for helper in helpers where !helper.drop(on: runner.connection) {
            if let other = try? runner.another(), helper.drop(on: other) { continue }
            remarks.append(
                "usher could not drop the index \(helper.qualifiedName), which it had built: drop it")
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

    private func partial(_ failure: Failure) -> Failure {
        guard !parts.deleted.isEmpty else { return failure }
        return Failure(
            failure.kind == .interrupted ? .interrupted : .partial,
            "\(failure.complaint.plain); some batches are deleted",
            hint: "continue with the same command and --resume \(operation); "
                + "`usher audit show \(operation)` shows what was deleted",
            state: failure.state, details: failure.details)
    }

    private func delete() throws(Failure) -> DeletionReport {
        // The archive is removed unless it is closed after the commit.
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
            // The commit may have happened, so the archive is kept.
            try archive.close()
            throw error.adding(["usher keeps the archive \(archive.path), because the deletion may have happened"])
        }
        // The file was synced before the commit.
        try? archive?.close()
        var report = end.value.report
        report.add(end.warnings)
        guard report.isDryRun else { return lookAgain(report, end.value.account) }
        // Only the storage API removes the files.
        if request.storage != nil { report.filesLeft = [] }
        return report
    }

    /// The settings of a run, which repeats if a foreign key finds a row that another session just inserted.
    private var terms: ActRunner.Terms {
        .init(
            mostRetries: 4, collisions: SQLState.collisions.union([.foreignKeyViolation]),
            timeout: options.patientTimeout, nothing: .deleted)
    }

    /// Checks the plan of an attempt, and returns the entries to record; nil rolls everything back.
    private func opening(_ found: AccountPlan) throws(Failure) -> Attempt.Opening? {
        // A database function couldn't compare the plans more safely, because the operator sends both.
        if !isPlanned, plan?.fingerprint != found.fingerprint {
            plan = found
            try judge(found, refusal(of: found))
        }
        try requirePossible(found)
        return request.isDryRun ? nil : entries(found)
    }
}

/// The checks before a deletion.
extension Deletion {
    /// Shows a plan and its refusal to the operator, who decides.
    package typealias Judge = (_ plan: AccountPlan, _ refusal: Failure?) throws(Failure) -> Void

    package func refusal(of plan: AccountPlan) -> Failure? {
        do throws(Failure) { try requirePossible(plan) } catch { return error }
        return nil
    }

    /// Refuses the deletion before the operator is asked to confirm.
    func requirePossible(_ plan: AccountPlan) throws(Failure) {
        try requireAnswered(plan)
        if plan.isRootGone, request.archive != nil {
            throw Failure(
                .usage, "the user's own row is already deleted, so a restore could not bring the account back",
                hint: "remove --archive")
        }
        if request.isDryRun, !request.allowsEffects, !plan.outsideEffects.isEmpty {
            throw Failure(
                .refused, "a dry run would have lasting effects: \(plan.outsideEffects[0].outside)",
                hint: "add --allow-effects to accept them; `usher account plan` has no such effects",
                details: plan.outsideEffects.dropFirst().map(\.outside))
        }
        if request.names(plan) {
            throw Failure(
                .refused, "the reason or the ticket contains the name of the user, which the audit log would keep",
                hint: "write a reason without the key and the email of the user")
        }
    }

    /// Refuses with all problems at once: obstacles, missing rights, shared rows without an answer, and undeclared
    /// columns that contain the user's key or email.
    private func requireAnswered(_ plan: AccountPlan) throws(Failure) {
        let open = plan.blocking()
        if !open.isEmpty { throw Failure(blockedBy: open, of: plan.total) }
    }

    /// Refuses an archive of a deletion in batches.
    static func requireWholeArchive(_ request: DeletionRequest) throws(Failure) {
        guard request.archive != nil, request.isInParts else { return }
        throw Failure(.usage, "an archive can't be written in batches", hint: "use either --archive or --batch")
    }

    /// Refuses settings that are not custom settings of the app's own triggers.
    static func requireHarmless(_ name: String) throws(Failure) {
        let folded = name.lowercased()
        let parts = SQLName.parts(ofPath: folded) ?? []
        guard parts.count > 1, parts.joined(separator: ".") == folded, ![Platform.storage, "usher"].contains(parts[0])
        else {
            throw Failure(
                .usage, "--set \(name): only custom settings are allowed, except storage.* and usher.*",
                hint: "the name of a custom setting contains a dot, such as request.jwt.claim.sub")
        }
    }

    /// Refuses to restart an interrupted deletion, and to resume any other operation.
    static func requireResumed(_ request: DeletionRequest, _ unfinished: String?) throws(Failure) {
        if let unfinished, request.resumes == nil {
            throw Failure(
                .conflict, "operation \(unfinished) already began this deletion and is not finished",
                hint: "continue with the same command and --resume \(unfinished)")
        }
        guard let resumes = request.resumes, unfinished != resumes else { return }
        throw Failure(
            .usage, "operation \(resumes) is not an unfinished deletion of these accounts",
            hint: "`usher audit list` shows them")
    }
}

// MARK: After the commit

extension Deletion {
    private func removeFiles(of report: inout DeletionReport) {
        guard let storage = request.storage, !report.filesLeft.isEmpty else { return }
        (report.filesLeft, report.filesWhy) = StoredFiles.remove(report.filesLeft, from: storage)
    }

    func listFiles() throws(Failure) {
        guard let path = request.fileList, !request.isDryRun else { return }
        let file = try PrivateFile(path)
        for stored in plan?.files.files ?? [] {
            let line = JSON.present([
                ("bucket", .string(stored.bucket)), ("path", .string(stored.path)), ("bytes", JSON(stored.bytes)),
            ]).text()
            try file.write(Array((line + "\n").utf8))
        }
        try file.close()
    }

    /// Searches again after the commit: rows without foreign keys can appear at any time.
    private func lookAgain(_ report: DeletionReport, _ account: FoundAccount) -> DeletionReport {
        var report = report
        do throws(Failure) {
            let connection = try runner.alive()
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            // Rows of triggers that a line keeps are known. Other rows are new.
            let kept = report.written.filter { !$0.isRemoved && $0.leftover == 0 }.map { ($0.table, $0.rows) }
            let known = Dictionary(kept, uniquingKeysWith: +)
            let remaining = try Verification(account).appeared(asking: ask)
            report.appeared = remaining.map { (table: account.model.name($0.key), rows: $0.value) }
                .filter { $0.rows > known[$0.table] ?? 0 }.sorted { $0.table < $1.table }
            report.undeclared = try account.undeclaredLeft(asking: ask).filter { $0.rows > known[$0.table] ?? 0 }
            try? transaction.end()
        } catch {
            report.doubt = "the search after the commit failed: \(error.message)"
        }
        removeFiles(of: &report)
        return report
    }
}
