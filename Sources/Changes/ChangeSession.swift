internal import AppFile
package import Asking
package import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// A change from its plan to its result; no transaction is open while the operator reads the plan.
package final class ChangeSession {
    package let environment: Environment
    private let client: ActClient
    private let subjects: [ChangeSubject]
    /// The names for which usher found no subject, with the reasons.
    private let strangers: [SubjectRemark]
    private let operation = OperationID.make()
    private let limits: ChangeLimits
    private var plannedAt: ContinuousClock.Instant
    private var isConfirmed = false

    init(_ client: ActClient, on subjects: [ChangeSubject], strangers: [SubjectRemark], limits: ChangeLimits) {
        self.client = client
        self.subjects = subjects
        self.strangers = strangers
        self.limits = limits
        plannedAt = limits.clock()
        environment = client.environment
    }

    /// True if the operator's selection selects no user or object.
    package var selectsNothing: Bool { !client.request.selections.isEmpty && subjects.isEmpty }

    package func decline(_ failure: Failure) throws(Failure) {
        _ = try recorded { () throws(Failure) in throw failure.saying(nothing: .changed) }
    }

    package func confirm() { isConfirmed = true }

    /// The confirmation that the change needs, with or without a plan.
    package func confirmation(of plan: ChangeReport? = nil) -> Confirmation {
        // The approver of a request must confirm the change, so the grade is at least moderate.
        let grade = client.request.answers != nil && client.act.grade == .mild ? .moderate : client.act.grade
        return Confirmation(
            grade, of: subjects.count, names: subjects.map(client.recorded), others: plan?.others?.count ?? 0,
            rows: plan?.changes.count ?? 0, ceiling: client.act.ceiling, in: environment)
    }

    /// Runs the change and rolls it back.
    package func plan() throws(Failure) -> ChangeReport { try plan(as: nil) }

    private func plan(as old: ChangeReport?) throws(Failure) -> ChangeReport {
        // usher counts the age of a plan from the start of the preview, as the database does.
        plannedAt = limits.clock()
        return try recorded { () throws(Failure) in
            try ask(isDryRun: true, now: nil, plan: old?.fingerprint)
        }
    }

    /// Makes the change; if there is a plan, the result must match the plan.
    package func run(as plan: ChangeReport?) throws(Failure) -> ChangeReport {
        var plan = plan
        if let old = plan, limits.clock() - plannedAt > limits.planHolds {
            // The database refuses plans older than five minutes, so usher makes a new plan.
            plan = try self.plan(as: old)
        }
        return try recorded { () throws(Failure) in
            try ask(isDryRun: false, now: plan?.now, plan: plan?.fingerprint)
        }
    }

    private func ask(isDryRun: Bool, now: String?, plan: String?) throws(Failure) -> ChangeReport {
        let request = client.text(
            operation, keys: subjects.map(\.key),
            more: [
                ("dry", isDryRun), ("confirmed", isConfirmed), ("now", now), ("plan", plan),
            ])
        let (answer, warnings) = try client.call(
            client.act.undoes == nil ? .run : .undo, request,
            as: client.attempt(operation, client.kind, .lost, on: subjects), isTrial: isDryRun, nothing: .changed)
        let answered = AnsweredChange(answer, by: client, for: subjects)
        var report = try answered.report(operation: operation, isDryRun: isDryRun)
        report.commitWarnings = warnings
        report.refused += strangers
        report.hasMoved = answer.hasMoved
        report.selectsNothing = selectsNothing
        report.request = client.request.answers?.request
        return report
    }

    private func recorded(_ body: () throws(Failure) -> ChangeReport) throws(Failure) -> ChangeReport {
        try client.recording(subjects) { () throws(Failure) in
            do throws(Failure) { return try body() } catch {
                throw error.confirming(with: confirmation().answers[0]).naming(RowOwners(subjects, of: client.app))
            }
        }
    }
}

extension Failure {
    fileprivate func confirming(with confirmation: String) -> Failure {
        state == .needsConfirmation ? advising("add --confirm \(confirmation)") : self
    }

    fileprivate func naming(_ owners: RowOwners) -> Failure {
        guard state == .changedSince else { return self }
        var failure = self
        failure.detailSentences = details.map { FilledSentence(text: owners.naming($0)) }
        return failure
    }
}

/// The limits of a change in one transaction: its number of subjects, and the age of its plan.
package struct ChangeLimits: Sendable {
    /// The maximum number of subjects of a change that runs in one transaction.
    ///
    /// A report lists up to this number of subjects. A change in one transaction compares every row twice and
    /// holds its locks until the end. So each row takes four times as long as in a batch.
    package let atOnce: Int
    let planHolds = Duration.seconds(300)
    let clock: @Sendable () -> ContinuousClock.Instant

    package init(atOnce: Int = 1_000, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.atOnce = atOnce
        self.clock = clock
    }
}
