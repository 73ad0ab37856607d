internal import Acts
package import AppFile
package import Asking
package import Catalog
internal import Inquiries
internal import Ledger
package import PQ
internal import Terminal

/// A bulk change: one operation, whose batches run in separate calls and transactions.
package final class BulkSession {
    private static let sampleSize = 100
    private static let mostRemarks = 1_000

    private(set) var client: ActClient
    let subjects: BulkSubjects
    let keyType: String
    let bindings: [String: Binding]
    private let strangers: [SubjectRemark]
    let inquiry: Inquiry
    /// The answer of the database at the start or at the last resume.
    private var begun: ActAnswer?
    private let operationOfItsOwn = OperationID.make()
    /// The batch size; the first batch is small, because the database compares each row of this batch.
    package var sizer = BatchSizer(from: 300)
    private var refused: [SubjectRemark] = []
    /// The number of subjects of the listed refusals; `refused` lists the failure of a whole batch once.
    private var listedSubjects = 0
    private var planned: BulkPlan?
    private var commitWarnings: [Notice] = []
    private var left: [LeftBehind] = []

    init(
        _ client: ActClient, on subjects: BulkSubjects, keyType: String, bindings: [String: Binding],
        strangers: [SubjectRemark], in inquiry: Inquiry
    ) {
        self.client = client
        self.subjects = subjects
        self.keyType = keyType
        self.bindings = bindings
        self.strangers = strangers
        self.inquiry = inquiry
        self.client.mostRetries = 3
    }

    /// The confirmation of a bulk change.
    ///
    /// A resumed change needs the same answer as a new change: the number of all subjects, including finished subjects.
    package var confirmation: Confirmation { Confirmation(.severe, of: total, in: client.environment) }

    /// The number of subjects at the start of the bulk change.
    private var total: Int {
        // For an undo the database counts batches, so usher adds up the subjects that are left and done.
        if case .operations = subjects.origin { return subjects.total + (begun?.done ?? 0) }
        return begun?.total ?? planned?.total ?? subjects.total
    }

    /// The operation id, known before the start.
    package var operation: String { client.request.resumes ?? operationOfItsOwn }

    // MARK: Before

    /// Counts refusals and warnings of all subjects, and previews a new change for the first subjects.
    package func plan() throws(Failure) -> BulkPlan {
        if client.request.resumes != nil { begun = try begin() }
        // If a change was interrupted after its last batch, the run still has to record its end.
        guard !subjects.first.isEmpty || begun != nil else {
            throw Failure(.notFound, "the command selects no users or objects, so there is nothing to change")
        }
        let sample = try client.recording([]) { () throws(Failure) in
            // A resumed change has no preview, because someone may have deleted the next users since.
            if let begun { return try answered(begun, []).report(operation: nil, isDryRun: true) }
            return try self.sample(Array(subjects.first.prefix(Self.sampleSize)))
        }
        var plan = try tally(with: sample)
        planned = plan
        plan.total = total
        return plan
    }

    /// Refuses if an earlier run of the same change is unfinished; `--resume` continues that run.
    func requireNoneUnfinished() throws(Failure) { _ = try begin(isDryRun: true) }

    /// The preview for some subjects, rolled back.
    private func sample(_ some: [ChangeSubject]) throws(Failure) -> ChangeReport {
        let id = OperationID.make()
        var more: JSON.Members = [("dry", true), ("tolerant", true)]
        var keys = some.map(\.key)
        if client.act.undoes != nil {
            more.append(("operation", keys.first))
            keys = []
        }
        let (answer, _) = try client.call(
            client.act.undoes == nil ? .run : .undo, client.text(id, keys: keys, answers: false, more: more),
            as: client.attempt(id, client.kind, .lost, on: []), isTrial: true)
        return try answered(answer, some).report(operation: nil, isDryRun: true, toleratesRefusal: true)
    }

    /// Adds the emails of users who appear only in the answer, and turns the answer into sentences.
    private func answered(_ answer: ActAnswer, _ some: [ChangeSubject]) throws(Failure) -> AnsweredChange {
        let known = Set(some.lazy.filter { $0.label != $0.key }.map(\.key))
        let remarks = (answer.refused + answer.warnings).filter { $0.shown("unlike")?.text == nil }
        let named = answer.subjects + remarks.compactMap { $0.shown("key")?.text }
        let strangers = Array(Set(named).subtracting(known)).sorted()
        var found: [String: String] = [:]
        if !strangers.isEmpty, client.act.subject == .users || client.act.undoes != nil {
            inquiry.reopen(on: try client.runner.alive(), timeout: inquiry.options.timeout)
            found = (try? inquiry.addresses(ofKeys: strangers, isLast: true)) ?? [:]
        }
        return AnsweredChange(
            answer, by: client,
            for: found.map { ChangeSubject(key: $0.key, label: $0.value) } + some)
    }

    package func decline(_ failure: Failure) throws(Failure) {
        try client.recording([]) { () throws(Failure) in throw failure }
    }

    // MARK: Running

    /// Makes the change; usher calls `progress` after each batch, and stops if `progress` returns false.
    package func run(progress: (BulkProgress) -> Bool) throws(Failure) -> BulkReport {
        // Ctrl-C doesn't interrupt the new connection, so the run stops only between two batches.
        try client.runner.moveElsewhere()
        let begun = try begin()
        self.begun = begun
        var state = BulkProgress(total: total)
        (state.done, state.refused, state.changes) = (begun.done, begun.refusals, begun.changed)
        if client.request.resumes == nil { state.refused += strangers.count }
        note(strangers)
        var isInterrupted = false
        do throws(Failure) {
            while try step(&state) {
                if !progress(state) {
                    isInterrupted = true
                    break
                }
            }
        } catch {
            throw error.advising(
                "continue with the same command and --resume \(operation)",
                adding: ["processed so far: \(state.handled) of \(state.total) users or objects"])
        }
        return BulkReport(
            operation: operation, command: client.act.command, environment: client.environment,
            isFinal: client.act.isFinal, takesTwoToUndo: client.takesTwoToUndo, subject: client.act.counted,
            progress: state, refused: refused, untold: max(state.refused - listedSubjects, 0),
            warnings: planned?.warnings ?? [], left: left, isInterrupted: isInterrupted,
            commitWarnings: commitWarnings)
    }

    /// Records the subjects of a new bulk change, or fetches the progress of an earlier run.
    private func begin(isDryRun: Bool = false) throws(Failure) -> ActAnswer {
        var more: JSON.Members = [
            ("dry", isDryRun), ("resumes", client.request.resumes), ("undoes", client.act.undoes),
        ]
        var keys: [String]?
        switch subjects.origin {
        case .selection(let selections): more.append(("selections", selections.map(\.name)))
        // To resume, the database reads the subjects from the audit log, so the operator needn't type them again.
        case .subjects(let all): keys = all.isEmpty && client.request.resumes != nil ? nil : all.map(\.key)
        case .operations: break
        }
        let (answer, warnings) = try client.call(
            .begin, client.text(operation, keys: keys, more: more),
            as: client.attempt(operation, .bulk, .lost, on: []), isTrial: isDryRun)
        note(warnings)
        return answer
    }

    /// Runs the next batch; false if no subject is left.
    private func step(_ state: inout BulkProgress) throws(Failure) -> Bool {
        while true {
            let id = OperationID.make()
            let secrets = client.act.secretNames.sorted().map { ($0, client.act.arguments[$0]) }
            let request = JSON.present([
                ("id", id), ("operation", operation), ("size", sizer.size),
                ("secrets", secrets.isEmpty ? nil : JSON.texts(secrets)),
            ]).text()
            let clock = ContinuousClock()
            let start = clock.now
            let (answer, warnings): (ActAnswer, [Notice])
            do throws(Failure) {
                (answer, warnings) = try client.call(.batch, request, as: client.attempt(id, .batch, .lost, on: []))
            } catch {
                if error.kind == .conflict, error.fate == nil, sizer.shrink() { continue }
                throw error
            }
            note(warnings)
            if answer.outcome == .exhausted {
                state.passed = answer.passed
                return false
            }
            sizer.adjust(to: start.duration(to: clock.now))
            state.batches += 1
            state.done += answer.done
            state.refused += answer.refusals
            state.changes += answer.changed
            let answered = try answered(answer, [])
            note(try answered.remarks(answer.refused))
            left += answer.remarks.filter { !$0.isRefused && !left.contains($0) }
            let rest = max(answer.refusals - answer.refused.count, 0)
            var ofRest = answer.remarks.filter(\.isRefused).map { SubjectRemark($0.sentence) }
            if let error = answer.error, rest > 0 {
                let isFailure = answer.outcome == .failed
                ofRest.append(SubjectRemark(Failure(error).message, isFailure: isFailure))
            }
            note(Array(ofRest.prefix(1)), ofEach: rest)
            note(Array(ofRest.dropFirst()), ofEach: 0)
            return true
        }
    }

    /// Collects the server's warnings without duplicates.
    private func note(_ warnings: [Notice]) {
        commitWarnings += warnings.filter { !commitWarnings.contains($0) }
    }

    private func note(_ remarks: [SubjectRemark], ofEach count: Int = 1) {
        let kept = remarks.prefix(Self.mostRemarks - min(refused.count, Self.mostRemarks))
        refused += kept
        listedSubjects += kept.count * count
    }
}

package struct BulkPlan: Sendable {
    package internal(set) var total: Int
    /// The preview for the first subjects.
    package let sample: ChangeReport
    /// The refusals and warnings with their numbers of subjects; a subject counts only for the first that applies.
    package let refusals: [(sentence: String, count: Int)]
    package let warnings: [(sentence: String, count: Int)]
}

package struct BulkProgress: Sendable {
    package var done = 0
    package var refused = 0
    package var changes = 0
    package var batches = 0
    /// The number of skipped users, who were deleted or are no longer selected; known at the end.
    package var passed = 0
    package let total: Int

    package var handled: Int { done + refused }
}

package struct BulkReport: Sendable {
    package let operation: String
    package let command: String
    package let environment: Environment
    package let isFinal: Bool
    /// True if the undo needs two people.
    package let takesTwoToUndo: Bool
    /// The kind of the subjects: users or objects.
    package let subject: App.Subject
    package let progress: BulkProgress
    package let refused: [SubjectRemark]
    /// The number of refused subjects that `refused` doesn't list.
    package let untold: Int
    package let warnings: [(sentence: String, count: Int)]
    /// The values that an undo did not restore.
    package let left: [LeftBehind]
    /// True if the change stopped before its end and can be resumed.
    package let isInterrupted: Bool
    package let commitWarnings: [Notice]
}
