internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Converts an answer of the database into a report, with the sentences of the app file.
struct AnsweredChange {
    let answer: ActAnswer
    let act: RequestedAct
    let environment: Environment
    let owners: RowOwners
    private let takesTwoToUndo: Bool

    init(_ answer: ActAnswer, by client: ActClient, for subjects: [ChangeSubject]) {
        self.answer = answer
        act = client.act
        environment = client.environment
        takesTwoToUndo = client.takesTwoToUndo
        // A change of objects can also affect users; the report shows their labels next to their decisions.
        owners = RowOwners(subjects + answer.decisions.map(\.user), of: client.app)
    }

    /// The report; throws if all subjects were refused or the server raised an error.
    func report(operation: String?, isDryRun: Bool, toleratesRefusal: Bool = false) throws(Failure) -> ChangeReport {
        let refused = try remarks(answer.refused)
        switch answer.outcome {
        case .failed: throw objection
        case .refused where !toleratesRefusal: throw refusal(refused)
        case .changed:
            throw Failure(
                .conflict, "the data changed since the preview", nothing: .done,
                hint: "run the command again to see the new preview")
        default: break
        }
        return ChangeReport(
            operation: answer.outcome == .done ? operation : nil, command: act.command, isDryRun: isDryRun,
            undone: act.undone, environment: environment, isFinal: act.isFinal,
            takesTwoToUndo: takesTwoToUndo, subject: act.counted,
            subjects: answer.subjects.map(subject),
            owners: owners, changes: answer.changes,
            decisions: answer.decisions,
            warnings: answer.remarks.map { SubjectRemark($0) } + (try remarks(answer.warnings)),
            refused: refused, others: answer.others,
            impacts: zip(act.impacts, answer.impacts).map { impact, facts in
                (
                    FilledSentence(impact.sentence) { facts.before[$0] },
                    FilledSentence(impact.sentence) { facts.after[$0] }
                )
            }, now: answer.now, fingerprint: answer.fingerprint)
    }

    private func subject(_ key: String) -> ChangeSubject { owners[key] ?? ChangeSubject(key: key, label: key) }

    func remarks(_ rows: [Row]) throws(Failure) -> [SubjectRemark] {
        try failing(try rows.map { row throws(PQError) in try remark(row) })
    }

    private func remark(_ row: Row) throws(PQError) -> SubjectRemark {
        let subject = try row.optionalText("key").map(subject)
        if let error = try row.optionalText("error") { return SubjectRemark(error, about: subject, isFailure: true) }
        if let unlike = try unlike(row) {
            let table = try row.optionalText("table")
            let owner = owners.owner(
                of: table, arrayElements(try row.optionalText("key_texts") ?? "{}").compactMap { $0 })
            return SubjectRemark(
                (owner == nil ? nil : table).map { "\($0) \(unlike)" } ?? unlike, about: owner ?? subject,
                isFailure: true)
        }
        if let number = try row.optionalInteger("promise") {
            return SubjectRemark(try unmet(number, row), about: subject)
        }
        let remarks = act.refusals + act.warnings
        guard let number = try row.optionalInteger("remark"), remarks.indices.contains(number) else {
            return SubjectRemark("refused", about: subject)
        }
        let facts = try row.facts("names", "types", "afters")
        return SubjectRemark(
            subject: subject,
            sentence: FilledSentence(remarks[number].sentence) { name in
                facts[name] ?? act.arguments[name].map { Value(act.secretNames.contains(name) ? "(secret)" : $0) }
            }, isOfApp: true)
    }

    /// A phrase about how a row differs from the row that an undo expects.
    private func unlike(_ row: Row) throws(PQError) -> String? {
        switch try row.optionalText("unlike") {
        case "gone": "does not exist any more"
        case "back": "exists again"
        case "changed": "has another value now in \(try row.optionalText("unlike_names") ?? "")"
        case "other": "does not have the expected values"
        default: nil
        }
    }

    /// The sentence about an `@expect` line of the app file that the change doesn't meet, with the actual outcome.
    private func unmet(_ number: Int, _ row: Row) throws(PQError) -> String {
        guard act.expects.indices.contains(number) else { return "the change doesn't have the expected result" }
        let expectation = act.expects[number]
        let expected = "expected \(expectation.decision) to be \(expectation.outcomes.joined(separator: " or "))"
        if let reason = try row.optionalText("unavailable") {
            return "\(expected), but usher can't evaluate this decision: \(reason)"
        }
        if try row.optionalBoolean("unanswered") ?? false { return "\(expected), but the decision has no outcome" }
        return "\(expected), but the outcome would be \(try row.optionalText("outcome") ?? "missing")"
    }

    /// The failure for an error of the server, with the statement that failed.
    private var objection: Failure {
        guard let error = answer.error else { return Failure(.failed, "the server rejected the change") }
        let failure = Failure(error)
        guard failure.code == nil else { return failure }
        let step = answer.step.flatMap { $0.isEmpty ? nil : "failed statement: \($0)" }
        return Failure(
            error.kind, error.message, hint: failure.hint, state: error.state,
            details: [error.detail, step].compactMap { $0 })
    }

    private func refusal(_ remarks: [SubjectRemark]) -> Failure {
        let kind: Failure.Kind = remarks.contains(where: \.isFailure) ? .failed : .refused
        guard let first = remarks.first else { return Failure(kind, "there is nothing to change") }
        let verb = "`\(act.command)` \(kind == .failed ? "failed" : "was refused")"
        if remarks.count > 1 {
            let things = act.undoes == nil ? "users or objects" : "rows"
            return Failure(
                kind, FilledSentence(text: "\(verb) for all \(remarks.count) \(things), so nothing was changed"),
                details: remarks.map(\.named))
        }
        let whom = first.subject.map { " for \($0.label)" } ?? ""
        let user = act.subject == .users && act.undoes == nil ? first.subject?.label : nil
        return Failure(
            kind, first.sentence.labelled("\(verb)\(whom), so nothing was changed"),
            hint: user.map { "`usher user why \(quoteWord($0))` shows the rules" })
    }
}
