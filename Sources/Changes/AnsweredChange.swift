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
    private let options: InquiryOptions
    /// Whom it was asked for, by key.
    let subjects: [String: ChangeSubject]

    init(
        _ answer: ActAnswer, by client: ActClient, environment: Environment, for subjects: [ChangeSubject]
    ) {
        self.answer = answer
        act = client.act
        options = client.runner.options
        self.environment = environment
        self.subjects = Dictionary(subjects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The report; throws where all were refused, or the server objected.
    func report(operation: String?, isDryRun: Bool, toleratesRefusal: Bool = false) throws(Failure) -> ChangeReport {
        let refused = answer.refused.map(remark)
        switch answer.outcome {
        case .failed: throw objection
        case .refused where !toleratesRefusal: throw refusal(refused)
        case .changed:
            throw Failure(
                .conflict, "the data changed since the plan", nothing: .done,
                hint: "look at the new plan and decide again")
        default: break
        }
        return ChangeReport(
            operation: answer.outcome == .done ? operation : nil, command: act.command, isDryRun: isDryRun,
            environment: environment, grade: act.grade, isFinal: act.isFinal, subjects: answer.subjects.map(subject),
            changes: answer.changes,
            decisions: answer.decisions.map {
                DecisionChange(user: subject($0.user), name: $0.name, per: $0.per, before: $0.before, after: $0.after)
            },
            warnings: answer.remarks.map { SubjectRemark(subject: nil, sentence: FilledSentence(text: $0)) }
                + answer.warnings.map(remark),
            refused: refused,
            impacts: zip(act.impacts, answer.impacts).map { impact, facts in
                (
                    FilledSentence(impact.sentence) { facts.before[$0] },
                    FilledSentence(impact.sentence) { facts.after[$0] }
                )
            }, now: answer.now, fingerprint: answer.fingerprint)
    }

    private func subject(_ key: String) -> ChangeSubject { subjects[key] ?? ChangeSubject(key: key, label: key) }

    /// What is said about a subject, with the facts filled in.
    func remark(_ remark: ActAnswer.Remark) -> SubjectRemark {
        let subject = remark.key.map(subject)
        if let error = remark.error {
            return SubjectRemark(subject: subject, sentence: FilledSentence(text: error), isFailure: true)
        }
        if let promise = remark.promise {
            return SubjectRemark(subject: subject, sentence: FilledSentence(text: sentence(of: promise)))
        }
        let remarks = act.refusals + act.warnings
        guard let number = remark.number, remarks.indices.contains(number) else {
            return SubjectRemark(subject: subject, sentence: FilledSentence(text: "refused"))
        }
        return SubjectRemark(
            subject: subject,
            sentence: FilledSentence(remarks[number].sentence) { name in
                remark.facts[name]
                    ?? act.arguments[name].map { Value(act.secretNames.contains(name) ? "(secret)" : $0) }
            })
    }

    private func sentence(of promise: ActAnswer.Promise) -> String {
        guard act.expects.indices.contains(promise.number) else { return "not everything came true that was promised" }
        let expectation = act.expects[promise.number]
        let promised = "\(expectation.decision) was to be \(expectation.outcomes.joined(separator: " or "))"
        if let reason = promise.unavailable { return "\(promised), and cannot be evaluated: \(reason)" }
        if promise.isUnanswered { return "\(promised), and there is no answer" }
        return "\(promised), and would be \(promise.outcome ?? "nothing")"
    }

    /// Why the server refused it, with the statement that it refused.
    private var objection: Failure {
        guard let error = answer.error else { return Failure(.failed, "the server refused it") }
        let plain = Failure(error)
        var details: [String] = []
        if let detail = error.detail, detail != plain.hint { details.append(detail) }
        if let step = answer.step, !step.isEmpty { details.append("while: \(step)") }
        return Failure(plain.kind, error.message, hint: plain.hint, state: error.state, details: details)
    }

    private func refusal(_ remarks: [SubjectRemark]) -> Failure {
        let message = remarks.first.map { options.told($0.sentence) } ?? "nothing is left to do"
        let kind: Failure.Kind = remarks.contains { $0.isFailure } ? .failed : .refused
        if remarks.count <= 1 { return Failure(kind, message) }
        return Failure(
            kind, "all \(remarks.count) were refused",
            details: remarks.map { ($0.subject.map { "\($0.label): " } ?? "") + options.told($0.sentence) })
    }
}
