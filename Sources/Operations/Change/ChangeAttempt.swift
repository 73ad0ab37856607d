internal import AppFile
internal import Catalog
internal import PQ

/// One run of a change in one transaction: locks, judges, runs, compares, records, and commits only for an entry.
struct ChangeAttempt {
    let setting: ChangeSetting
    let settlement: Settlement
    /// What to record; without it everything is taken back.
    let record: ChangeRecord?
    /// What was shown before; the run has to be the same.
    let plan: ChangeReport?
    /// Subjects that are known to be impossible, with the reason.
    var excluded: [String: SubjectRemark] = [:]

    var work: ChangeWork { setting.work }
    var app: App { setting.app }

    /// What became of it.
    enum Outcome {
        case report(ChangeReport)
        /// Some subjects turned out to be impossible; the others can be done without them.
        case without([String: SubjectRemark])
    }

    func run() throws(Failure) -> Outcome {
        let candidates = setting.subjects.filter { excluded[$0.key] == nil }
        let transaction = try begin(alone: candidates)
        defer { transaction.end() }
        let (environment, now) = try circumstances(in: transaction)
        try setting.requirePermission(in: environment, forGood: record != nil)
        let judgement = try judge(candidates, now: now, in: transaction)
        let relations = try writtenRelations(in: transaction)
        let byKey = Dictionary(candidates.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let subjects = candidates.filter { judgement.refused[$0.key] == nil }
        var refused = remarks(judgement, candidates)
        if subjects.isEmpty, work.subject != .nothing || !judgement.refused.isEmpty {
            guard setting.toleratesRefusal || setting.subjects.isEmpty && judgement.refused.isEmpty else {
                throw refusal(refused)
            }
            return .report(
                ChangeReport(
                    operation: nil, command: work.command, isDryRun: record == nil, environment: environment,
                    grade: work.grade, isFinal: work.isFinal, subjects: [], changes: [], tables: [], decisions: [],
                    warnings: [], refused: refused, impacts: [], now: now))
        }

        let users = try users(of: subjects, now: now, in: transaction)
        let before = try stand(users, now: now, in: transaction)
        try requireNone(of: work.obstacles, in: transaction, "what it changed has changed since")
        let statements = ChangeStatements(setting: setting, now: now, transaction: transaction)
        let touched = TouchedRows(transaction: transaction, writing: relations, secrets: setting.secrets)
        var said = ChangeStatements.Remarks()
        let changes: [RowChange]
        let tables: [TableShape]
        do throws(Failure) {
            (changes, tables) = try touched.changes { () throws(Failure) in
                let (pass, remarks) = try statements.pass(subjects)
                said = remarks
                // What was taken back of those is counted still: without them, all there is can be accounted for.
                if let first = subjects.lazy.compactMap({ remarks.objections[$0.key] }).first(where: \.isFailure) {
                    throw Failure(.failed, first.sentence.plain)
                }
                return pass
            }
        } catch {
            let failed = said.objections.filter { $0.value.isFailure }
            if !failed.isEmpty { return .without(failed) }
            // What undoes is done for all at once, whoever they are.
            guard work.each == nil, work.undoes == nil, subjects.count > 1, error.kind == .failed else { throw error }
            try transaction.rollBack(to: TouchedRows.start)
            let impossible = try statements.objectors(subjects)
            if impossible.isEmpty || impossible.count == subjects.count && !setting.toleratesRefusal { throw error }
            return .without(impossible)
        }
        refused = inOrder(refused + said.objections.values)
        let done = subjects.filter { said.objections[$0.key] == nil }
        if done.isEmpty, work.subject != .nothing { throw refusal(refused) }

        try requireNone(of: work.verifications, in: transaction, "it cannot be restored")
        try requireConfined(changes, in: transaction)
        let after = try stand(users, now: now, in: transaction)
        let kept = said.objections.isEmpty ? users : try self.users(of: done, now: now, in: transaction)
        let unkept = unkept(after.standing, kept)
        if !unkept.isEmpty {
            if work.subject == .users, unkept.count < done.count { return .without(unkept) }
            throw refusal(kept.compactMap { unkept[$0.key] })
        }
        var report = ChangeReport(
            operation: nil, command: work.command, isDryRun: record == nil, environment: environment, grade: work.grade,
            isFinal: work.isFinal, subjects: done, changes: changes, tables: tables,
            decisions: after.standing.changes(since: before.standing, of: app, users: users),
            warnings: work.remarks.map { SubjectRemark(subject: nil, sentence: FilledSentence(text: $0)) }
                + judgement.warnings.map { warning in
                    SubjectRemark(subject: warning.key.flatMap { byKey[$0] }, sentence: warning.sentence)
                } + said.warnings, refused: refused, impacts: Array(zip(before.impacts, after.impacts)), now: now)
        guard let record else { return .report(report) }
        if let plan { try report.requireSame(as: plan) }
        if changes.isEmpty { return .report(report) }
        if changes.count > work.ceiling, !setting.isConfirmed {
            throw Failure(
                .refused,
                "this changes \(changes.count) rows, more than \(work.ceiling); it has to be confirmed as severe",
                hint: "add --confirm \(subjects.count == 1 ? subjects[0].label : String(subjects.count))")
        }
        let entry = record.entry(done)
        try transaction.record(entry)
        try transaction.run(Ledger.recordChanges(of: entry.id, from: 0, payloads: changes.map(\.payload)))
        report.operation = entry.id
        report.commitWarnings = try transaction.commit(entry, by: settlement)
        return .report(report)
    }

    /// The users for whom not everything came true that was promised.
    private func unkept(_ standing: Standing, _ users: [ChangeSubject]) -> [String: SubjectRemark] {
        var unkept: [String: SubjectRemark] = [:]
        for user in users {
            guard let objection = work.expects.lazy.compactMap({ standing.objection(to: $0, for: user.key) }).first
            else { continue }
            unkept[user.key] = SubjectRemark(subject: user, sentence: FilledSentence(text: objection))
        }
        return unkept
    }
}
