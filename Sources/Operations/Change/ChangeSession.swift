package import AppFile
package import Catalog
internal import PQ

/// A change from its plan to what became of it; nothing is open between the two.
package final class ChangeSession {
    package let environment: Environment
    package let grade: App.Grade
    /// What a severe change is confirmed with: the one subject's name, or how many there are.
    package let confirmation: String
    private var runner: ChangeRunner
    private let scribe: ChangeScribe
    /// Names that led to no subject, with the reason.
    private let strangers: [SubjectRemark]
    private let operation = OperationID.make()
    private let limits: ChangeLimits
    private var plannedAt: ContinuousClock.Instant

    init(_ runner: ChangeRunner, _ scribe: ChangeScribe, strangers: [SubjectRemark], limits: ChangeLimits) {
        self.runner = runner
        self.scribe = scribe
        self.strangers = strangers
        self.limits = limits
        plannedAt = limits.clock()
        environment = scribe.environment
        let subjects = runner.setting.subjects
        grade = subjects.count >= limits.many ? .severe : runner.setting.work.grade
        confirmation = subjects.count == 1 ? subjects[0].label : String(subjects.count)
    }

    /// Takes down that nobody agreed to it.
    package func decline(_ failure: Failure) throws(Failure) {
        _ = try recorded { () throws(Failure) in throw failure }
    }

    /// Says that the severe question was answered.
    package func confirm() { runner.setting.isConfirmed = true }

    /// Whether a plan changes so much that the change counts as severe.
    package func isSevere(_ plan: ChangeReport) -> Bool {
        grade == .severe || plan.changes.count > runner.setting.work.ceiling
    }

    /// Really runs the change and takes it back.
    package func plan() throws(Failure) -> ChangeReport {
        let report = try recorded { () throws(Failure) in try runner.run(nil) }
        plannedAt = limits.clock()
        return report.adding(refused: strangers)
    }

    /// Makes the change; when there was a plan, only if it comes to the same.
    package func run(as plan: ChangeReport?) throws(Failure) -> ChangeReport {
        var plan = plan
        if let old = plan, limits.clock() - plannedAt > limits.planHolds {
            // What was right five minutes ago is looked at anew, at a new instant.
            let fresh = try self.plan()
            try fresh.requireSame(as: old)
            plan = fresh
        }
        let (scribe, operation) = (scribe, operation)
        let record = ChangeRecord(id: operation) {
            scribe.entry(operation, scribe.kind, .committed, on: $0, undoes: scribe.work.undoes)
        }
        let known = plan.map { $0.withoutRefusals(of: strangers) }
        var report = try recorded { () throws(Failure) in try runner.run(record, plan: known) }
        report.isDryRun = false
        return report.adding(refused: strangers)
    }

    private func recorded(_ body: () throws(Failure) -> ChangeReport) throws(Failure) -> ChangeReport {
        try scribe.recording(on: runner.setting.connection, runner.setting.subjects) { () throws(Failure) in
            do throws(Failure) { return try body() } catch {
                switch error.kind {
                case .forbidden:
                    throw Failure(
                        .forbidden, error.message, hint: "`usher roles sql` prints what each role needs",
                        state: error.state, details: runner.setting.missingPrivileges())
                case .connection, .interrupted:
                    // Whatever the commit was is found out; what comes here never came to it.
                    throw error.saying(nothing: .changed)
                default: throw error
                }
            }
        }
    }
}

extension ChangeScribe {
    /// What kind of operation a change is for the ledger.
    var kind: Ledger.Entry.Kind { work.undoes == nil ? .change : .undo }
}

extension ChangeReport {
    fileprivate func adding(refused more: [SubjectRemark]) -> ChangeReport { replacing(refused: refused + more) }

    fileprivate func withoutRefusals(of strangers: [SubjectRemark]) -> ChangeReport {
        replacing(refused: Array(refused.dropLast(strangers.count)))
    }

    private func replacing(refused: [SubjectRemark]) -> ChangeReport {
        var report = self
        report.refused = refused
        return report
    }

    /// Refuses to go on when the world moved since the plan.
    func requireSame(as plan: ChangeReport) throws(Failure) {
        let isSame =
            changes.map(\.fingerprint).sorted() == plan.changes.map(\.fingerprint).sorted()
            && decisions == plan.decisions && refused.map(\.matter) == plan.refused.map(\.matter)
            && warnings.map(\.matter) == plan.warnings.map(\.matter)
        if isSame { return }
        throw Failure(
            .conflict, "the data changed since the plan", nothing: .done,
            hint: "look at the new plan and decide again")
    }
}
