package import AppFile
package import Catalog
internal import PQ

/// A change from its plan to what became of it; nothing is open between the two.
package final class ChangeSession {
    package let environment: Environment
    package let grade: App.Grade
    /// What a severe change is confirmed with: the one subject's name, or how many there are.
    package let confirmation: String
    private var setting: ChangeSetting
    /// Other ways to do the same, for when constraints forbid the first.
    private var alternatives: [ChangeWork]
    private let request: ChangeRequest
    /// Names that led to no subject, with the reason.
    private let strangers: [SubjectRemark]
    private let reconnect: () throws(Failure) -> Connection
    private let operation = OperationID.make()

    /// Most subjects that are changed in one transaction, and so taken back as one.
    static let mostAtOnce = 5_000
    /// From so many subjects on, a change counts as severe.
    static let many = 100
    private static let mostRetries = 3
    private static let secondsAPlanHolds = 300.0

    init(
        _ setting: ChangeSetting, alternatives: [ChangeWork] = [], request: ChangeRequest, environment: Environment,
        strangers: [SubjectRemark],
        reconnect: @escaping () throws(Failure) -> Connection
    ) {
        self.setting = setting
        self.alternatives = alternatives
        self.request = request
        self.environment = environment
        self.strangers = strangers
        self.reconnect = reconnect
        grade = setting.subjects.count >= Self.many ? .severe : setting.work.grade
        confirmation = setting.subjects.count == 1 ? setting.subjects[0].label : String(setting.subjects.count)
    }

    /// Really runs the change and takes it back.
    package func plan() throws(Failure) -> ChangeReport {
        try recording { () throws(Failure) in try attempt(nil, plan: nil) }
    }

    /// Makes the change; when there was a plan, only if it comes to the same.
    package func run(as plan: ChangeReport?) throws(Failure) -> ChangeReport {
        var report = try recording { () throws(Failure) in try attempt(entry(.committed), plan: plan) }
        report.isDryRun = false
        if report.operation != nil { seal() }
        return report
    }

    // MARK: Attempts

    private func attempt(_ entry: Ledger.Entry?, plan: ChangeReport?) throws(Failure) -> ChangeReport {
        var excluded = [String: SubjectRemark]()
        var retries = 0
        while true {
            let attempt = ChangeAttempt(setting: setting, entry: entry, plan: plan, excluded: excluded)
            do throws(Failure) {
                switch try attempt.run() {
                case .report(let report): return report.adding(refused: strangers)
                case .without(let more): excluded.merge(more) { first, _ in first }
                case .unknown(let report): return try settle(report).adding(refused: strangers)
                }
            } catch {
                if error.state?.category == "23", let next = alternatives.first {
                    alternatives.removeFirst()
                    setting.work = next
                    continue
                }
                let isCollision = error.state == .serializationFailure || error.state == .deadlockDetected
                guard isCollision else { throw error }
                retries += 1
                guard retries <= Self.mostRetries else {
                    throw Failure(
                        .conflict, "the data keeps changing while this runs; nothing was done",
                        hint: "try again in a moment", state: error.state)
                }
            }
        }
    }

    /// Finds out what became of a commit whose answer never came.
    ///
    /// A row of the same id waits for a commit that is under way; if it can be written, nothing was committed and
    /// nothing ever will be.
    private func settle(_ report: ChangeReport) throws(Failure) -> ChangeReport {
        let id = report.operation ?? operation
        let unknown = Failure(
            .failed, "the connection was lost during the commit, and what became of it is unknown",
            hint: "`usher audit show \(id)` tells when the server can be reached again")
        do throws(Failure) {
            let connection = try reconnect()
            let answers = try failing { () throws(PQError) in
                try connection.pipeline([
                    ["begin", "set local lock_timeout = '10s'", Ledger.record(entry(.lost)), "commit"]
                ])[0]
            }
            guard case .success(let rows) = answers[2], let recorded = rows.first?["recorded"]?.boolean else {
                throw unknown
            }
            guard recorded else { return report }
        } catch {
            throw unknown
        }
        throw Failure(
            .connection, "the connection was lost before the commit; nothing was changed",
            hint: "run the command again; operation \(id) can no longer happen")
    }

    // MARK: The ledger

    private func entry(_ outcome: Ledger.Entry.Outcome, because: Failure? = nil, id: String? = nil) -> Ledger.Entry {
        let work = setting.work
        let labels = setting.subjects.prefix(20).map(\.label)
        let arguments = request.values.filter { !work.secretNames.contains($0.key) }.sorted { $0.key < $1.key }
        let payload = JSONPayload.object([
            ("target", .text(labels.isEmpty ? request.target : labels.joined(separator: ", "))),
            ("users", work.subject == .users ? .list(setting.subjects.prefix(1000).map(\.key)) : nil),
            ("arguments", arguments.isEmpty ? nil : .object(arguments.map { ($0.key, $0.value) })),
            ("reason", request.reason.map { .text($0) }), ("ticket", request.ticket.map { .text($0) }),
            ("environment", .text(environment.name)), ("final", work.isFinal ? .flag(true) : nil),
            ("because", because.map { .text($0.message) }), ("hint", because?.hint.map { .text($0) }),
        ])
        return Ledger.Entry(
            id: id ?? operation, kind: work.undoes == nil ? .change : .undo, outcome: outcome, command: work.command,
            app: setting.app.name, undoes: work.undoes, payload: payload)
    }

    /// Takes down an attempt that was refused or failed, in a transaction of its own.
    private func recording(_ body: () throws(Failure) -> ChangeReport) throws(Failure) -> ChangeReport {
        do throws(Failure) { return try body() } catch {
            let outcome: Ledger.Entry.Outcome? =
                switch error.kind {
                case .refused, .conflict: .refused
                case .failed, .forbidden: .failed
                default: nil
                }
            guard !request.isDryRun, let outcome else { throw error }
            try? setting.connection.rollbackIfOpen()
            let entry = entry(outcome, because: error, id: OperationID.make())
            let isRecorded = (try? setting.connection.execute(Ledger.record(entry))) != nil
            if isRecorded { seal() }
            throw isRecorded ? error : error.adding("this attempt was not recorded")
        }
    }

    /// Sealing is for later readers: what it comes to is no concern of this change.
    private func seal() { _ = try? setting.connection.pipeline([Ledger.sealing]) }
}

extension Failure {
    /// The failure with one more line about it.
    func adding(_ detail: String) -> Failure {
        Failure(kind, message, hint: hint, state: state, details: details + [detail])
    }
}

extension ChangeReport {
    fileprivate func adding(refused more: [SubjectRemark]) -> ChangeReport {
        ChangeReport(
            operation: operation, command: command, isDryRun: isDryRun, environment: environment, grade: grade,
            isFinal: isFinal, subjects: subjects, changes: changes, decisions: decisions, warnings: warnings,
            refused: refused + more, impacts: impacts, now: now)
    }
}
