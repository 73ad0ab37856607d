package import AppFile
internal import Catalog
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
    private(set) var connection: Connection
    private let helpers: [HelperIndex]
    private let options: InquiryOptions
    let reconnect: () throws(Failure) -> Connection
    /// Makes a connection besides the one in use.
    private let elsewhere: () throws(Failure) -> Connection
    /// What there is to say besides.
    private var remarks: [String] = []
    private let abandoned: [HelperIndex.Abandoned]
    /// The id of the whole, known before it begins: that of an earlier run where this one goes on with it.
    package let operation: String
    /// Whether what is done in the end is one part of several.
    let isInParts: Bool
    /// The id of the transaction that deletes the root.
    let last: String
    /// The rows that went in batches, by table, in earlier runs too.
    var gone: [String: Int]
    /// What triggers wrote during the batches, in earlier runs too.
    private var written: [WrittenRows.Found]
    /// What the server warned of as it committed batches.
    private var commitWarnings: [Notice] = []
    /// What belonged to the account before the batches of this run.
    private var taken: AccountClosure?
    private let isBegun: Bool
    private var judge: (AccountPlan) throws(Failure) -> Void = { _ throws(Failure) in }
    /// Whether there was a plan that somebody saw.
    private let isPlanned: Bool

    private static let mostRetries = 4

    init(
        _ request: ErasureRequest, plan: AccountPlan?, start: AccountStart, reading: AccountReading,
        unfinished: Unfinished?, connection: Connection, helpers: [HelperIndex], abandoned: [HelperIndex.Abandoned],
        options: InquiryOptions, elsewhere: @escaping () throws(Failure) -> Connection,
        reconnect: @escaping () throws(Failure) -> Connection
    ) {
        isInParts = !request.isDryRun && (request.batch != nil || unfinished != nil)
        operation = unfinished?.id ?? OperationID.make()
        last = isInParts ? OperationID.make() : operation
        gone = unfinished?.gone ?? [:]
        written = (unfinished?.written ?? []).map { $0.answered(by: request.account.suspected) }
        isBegun = unfinished != nil
        self.request = request
        self.plan = plan
        isPlanned = plan != nil
        environment = reading.environment.name
        facts = reading.facts
        appName = reading.app
        self.start = start
        self.connection = connection
        self.helpers = helpers
        self.options = options
        self.reconnect = reconnect
        self.elsewhere = elsewhere
        self.abandoned = abandoned
    }

    /// Plans, and refuses what cannot be done or recorded.
    ///
    /// Unless everything is settled beforehand, so that the run itself may find it out.
    package static func open(
        _ request: ErasureRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        elsewhere: (() throws(Failure) -> Connection)? = nil, reconnect: @escaping () throws(Failure) -> Connection
    ) throws(Failure) -> Erasure {
        for (name, _) in request.settings { try requireHarmless(name) }
        if request.batch != nil, request.archive != nil {
            throw Failure(
                .usage, "an archive is written in one transaction; batches are many", hint: "leave one of them out")
        }
        let reading = try AccountReading.open(
            request.account, on: connection, candidates: candidates, options: options)
        let answers = try reading.look([Ledger.question, HelperIndex.question, ReadOnlySession.question])
        try ReadOnlySession.requireNone(answers[2])
        let ledger = answers[0]
        var unfinished: Unfinished?
        // What is taken back again needs no record.
        if !request.isDryRun {
            try Ledger.requireErasable(ledger)
            if request.batch != nil { try Ledger.requireReadable(ledger) }
            unfinished = try Unfinished.find(reading.start.root, ledger, asking: reading.ask)
        }
        if !request.isDryRun {
            try reading.environment.requireReason(request.reason != nil, for: "a deletion")
        }
        var plan: AccountPlan?
        var helpers: [HelperIndex] = []
        if !request.isSettled {
            let survey = try AccountSurvey.make(
                of: reading.start, collateral: request.account.collateral, answers: request.account.suspected,
                asking: reading.ask)
            try survey.requireUsers(asking: reading.ask)
            plan = survey.plan(
                environment: reading.environment.name, facts: reading.facts, buildsIndexes: request.buildsIndexes)
            if request.buildsIndexes { helpers = survey.slowSearches.compactMap { HelperIndex($0.link, survey.map) } }
        }
        try reading.close()
        return Erasure(
            request, plan: plan, start: reading.start, reading: reading, unfinished: unfinished,
            connection: connection, helpers: helpers,
            abandoned: request.isDryRun ? [] : try HelperIndex.abandoned(answers[1]), options: options,
            elsewhere: elsewhere ?? reconnect, reconnect: reconnect)
    }

    /// Deletes, or really runs it all and takes it back.
    ///
    /// Where nothing was planned beforehand, `judge` is asked about the plan before anything is touched.
    package func run(
        judge: @escaping (AccountPlan) throws(Failure) -> Void = { _ throws(Failure) in }
    ) throws(Failure) -> ErasureReport {
        self.judge = judge
        if let plan { try requirePossible(plan) }
        try listFiles()
        for index in abandoned where index.drop(on: connection) {
            remarks.append("\(index.name), an index that an earlier deletion left behind, is dropped")
        }
        var report: ErasureReport
        do throws(Failure) {
            for helper in helpers { try helper.build(on: connection) }
            report = try runParts()
        } catch {
            dropHelpers()
            throw error.adding(details: remarks)
        }
        dropHelpers()
        report.remarks = remarks
        return report
    }

    /// Drops what was built for this, on another connection if this one is lost or interrupted.
    private func dropHelpers() {
        for helper in helpers where !helper.drop(on: connection) {
            if let other = try? elsewhere(), helper.drop(on: other) { continue }
            remarks.append(
                "\(helper.qualifiedName), an index built for this, is still there; the next deletion drops it")
        }
    }

    private func runParts() throws(Failure) -> ErasureReport {
        guard isInParts else { return try delete() }
        if !isBegun { try begin() }
        do throws(Failure) {
            if let size = request.batch { try runBatches(of: size) }
            var report = try delete()
            report.add(gone)
            report.add(written)
            report.add(commitWarnings)
            return report
        } catch {
            if error.fate != .unknown { recordPart(error) }
            throw partial(error)
        }
    }

    private func runBatches(of size: Int) throws(Failure) {
        let batches = BatchErasure(
            request: request, start: start, connection: { () throws(Failure) in try self.aliveConnection() },
            options: options, size: size, entry: batchEntry,
            settlement: settlement, elsewhere: elsewhere, noteWritten: { self.written += $0 },
            noteClosure: { self.taken = $0 }, noteWarnings: { self.commitWarnings += $0 })
        do throws(Failure) {
            try batches.run { table, rows in
                gone[table, default: 0] += rows
                request.progress(table, gone[table] ?? 0)
            }
        } catch {
            // Another one who deletes the same goes on without us.
            throw error.state?.isCollision == true ? failed(error) : error
        }
    }

    /// A failure of a deletion of which parts are done already.
    private func partial(_ failure: Failure) -> Failure {
        guard !gone.isEmpty else { return failure }
        return Failure(
            failure.kind == .interrupted ? .interrupted : .partial, "\(failure.complaint); some batches are deleted",
            hint: "run the same command again: it goes on with what is left, and `usher audit show \(operation)` "
                + "tells what went", state: failure.state, details: failure.details)
    }

    /// The connection, opened again where it was lost with an answer that is known from the ledger.
    private func aliveConnection() throws(Failure) -> Connection {
        if !connection.isAlive { connection = try reconnect() }
        return connection
    }

    private func delete() throws(Failure) -> ErasureReport {
        var forced: Set<Int> = []
        var retries = 0
        while true {
            let attempt = ErasureAttempt(
                request: request, plan: isPlanned ? plan : nil, start: start, environment: environment, facts: facts,
                appName: appName, connection: try aliveConnection(), options: options, forced: forced,
                locksRows: retries > 0, settlement: settlement, elsewhere: elsewhere
            ) { [self] found throws(Failure) in
                try requirePossible(found)
                if !isPlanned, plan?.fingerprint != found.fingerprint {
                    plan = found
                    try judge(found)
                }
                return request.isDryRun ? nil : opening(found)
            }
            do throws(Failure) {
                switch try attempt.run() {
                case .report(var report, let survey):
                    guard report.isDryRun else { return lookAgain(report, survey, on: connection) }
                    // A store that is there would be asked for them.
                    if request.storage != nil { report.outbox.files = [] }
                    return report
                case .again(let links): forced.formUnion(links)
                }
            } catch {
                // A late row of a child, seen by the server and not by us, is a reason to look again.
                let isCollision = error.state?.isCollision ?? false || error.state == .foreignKeyViolation
                guard isCollision, retries < Self.mostRetries else { throw failed(error) }
                retries += 1
            }
        }
    }

    private var settlement: Settlement { Settlement(options: options, elsewhere: elsewhere) }

    private func failed(_ failure: Failure) -> Failure {
        try? connection.rollbackIfOpen()
        if failure.kind == .connection { return failure.saying(nothing: .deleted) }
        if failure.kind == .interrupted { return Failure(.interrupted, "interrupted", nothing: .deleted) }
        if failure.state?.isCollision == true {
            return Failure(
                .conflict, "the data keeps changing while this runs", nothing: .deleted,
                hint: "try again in a moment", state: failure.state)
        }
        if !isInParts, failure.fate == nil { record(failure) }
        return failure
    }

    // MARK: Afterwards

    /// Has the store remove the files, once nothing can be taken back any more.
    private func removeFiles(of report: inout ErasureReport, on connection: Connection) {
        guard let storage = request.storage, !report.filesLeft.isEmpty else { return }
        (report.outbox.files, report.filesWhy) = report.outbox.drain(
            by: storage, on: connection, options: options, elsewhere: elsewhere)
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
    private func lookAgain(
        _ report: ErasureReport, _ survey: AccountSurvey, on connection: Connection
    ) -> ErasureReport {
        var report = report
        var connection = connection
        do throws(Failure) {
            if !connection.isAlive { connection = try reconnect() }
            report.doubt = try OpenWriters(graph: survey.map.graph).wait(on: connection)
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let remaining = try Verification(survey: survey).remaining(thoroughly: false, asking: ask)
            report.appeared = remaining.sorted { $0.key < $1.key }.map { (survey.map.name($0.key), $0.value) }
            var suspects = try survey.suspectSearch.runAgain(behind: survey.searched, asking: ask)
            suspects += try survey.closure.looseSuspects(asking: ask)
            let known = Set(suspects.map(\.name))
            suspects += try taken?.looseSuspects(asking: ask).filter { !known.contains($0.name) } ?? []
            suspects = Suspect.inOrder(suspects)
            let answers = request.account.suspected
            report.suspects = suspects.filter { answers[$0.table, $0.column] != .keep }
            report.keptSuspects = suspects.filter { answers[$0.table, $0.column] == .keep }
            try? transaction.end()
        } catch {
            report.doubt = "the second look could not be taken: \(error.message)"
        }
        removeFiles(of: &report, on: connection)
        return report
    }
}
