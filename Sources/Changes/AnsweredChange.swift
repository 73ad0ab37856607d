internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What the database reports, in the words of the app file.
struct AnsweredChange {
    let answer: ActAnswer
    let act: RequestedAct
    let environment: Environment
    /// Whom it was asked for.
    let owners: RowOwners

    init(
        _ answer: ActAnswer, by client: ActClient, environment: Environment, for subjects: [ChangeSubject]
    ) {
        self.answer = answer
        act = client.act
        self.environment = environment
        owners = RowOwners(subjects, of: client.app)
    }

    /// The report; throws where all were refused, or the server objected.
    func report(operation: String?, isDryRun: Bool, toleratesRefusal: Bool = false) throws(Failure) -> ChangeReport {
        let refused = answer.refused.map(remark)
        switch answer.outcome {
        case .failed: throw Failure(ChangeRefusal.objected(answer.error, step: answer.step))
        case .refused where !toleratesRefusal: throw Failure(ChangeRefusal.refused(refused))
        case .changed:
            throw Failure(ChangeRefusal.changedSincePlan)
        default: break
        }
        return ChangeReport(
            operation: answer.outcome == .done ? operation : nil, command: act.command, isDryRun: isDryRun,
            undone: act.undone, environment: environment, grade: act.grade, isFinal: act.isFinal,
            takesTwoToUndo: act.redoTakesTwo && environment.name == "production", subject: act.counted,
            subjects: answer.subjects.map(subject),
            owners: owners, changes: answer.changes,
            decisions: answer.decisions.map {
                DecisionChange(
                    user: subject($0.user, called: $0.label), name: $0.name, per: $0.per, before: $0.before,
                    after: $0.after)
            },
            warnings: answer.remarks.map { SubjectRemark(subject: nil, content: .left($0)) }
                + answer.warnings.map(remark),
            refused: refused, others: answer.others,
            impacts: zip(act.impacts, answer.impacts).map { impact, facts in
                (
                    FilledSentence(impact.sentence) { facts.before[$0] },
                    FilledSentence(impact.sentence) { facts.after[$0] }
                )
            }, now: answer.now, fingerprint: answer.fingerprint)
    }

    private func subject(_ key: String) -> ChangeSubject { subject(key, called: nil) }

    private func subject(_ key: String, called label: String?) -> ChangeSubject {
        owners[key] ?? ChangeSubject(key: key, label: label ?? key)
    }

    /// What is said about a subject, with the facts filled in.
    func remark(_ remark: ActAnswer.Remark) -> SubjectRemark {
        let subject = remark.key.map(subject)
        if let error = remark.error {
            return SubjectRemark(subject: subject, content: .server(error), isFailure: true)
        }
        if let unlike = remark.unlike {
            let owner = owners.owner(of: remark.table, remark.keyTexts)
            return SubjectRemark(
                subject: owner ?? subject, content: .unlike(unlike, table: owner.flatMap { _ in remark.table }),
                isFailure: true)
        }
        if let promise = remark.promise {
            return SubjectRemark(subject: subject, content: .promise(broken(promise)))
        }
        let remarks = act.refusals + act.warnings
        guard let number = remark.number, remarks.indices.contains(number) else {
            return SubjectRemark(subject: subject, content: .unnamed)
        }
        return SubjectRemark(
            subject: subject,
            content: .sentence(
                FilledSentence(remarks[number].sentence) { name in
                    remark.facts[name]
                        ?? act.arguments[name].map { Value(act.secretNames.contains(name) ? "(secret)" : $0) }
                }))
    }

    private func broken(_ promise: ActAnswer.Promise) -> BrokenPromise? {
        guard act.expects.indices.contains(promise.number) else { return nil }
        let expectation = act.expects[promise.number]
        let end: BrokenPromise.End =
            if let reason = promise.unavailable { .unavailable(reason) } else if promise.isUnanswered {
                .unanswered
            } else { .outcome(promise.outcome) }
        return BrokenPromise(decision: expectation.decision, outcomes: expectation.outcomes, end: end)
    }
}
