internal import AppFile
internal import PQ

/// What the refusals and warnings of a change say about its subjects.
struct Judgement {
    /// By key: the first refusal that holds.
    private(set) var refused: [String: FilledSentence] = [:]
    private(set) var warnings: [(key: String?, sentence: FilledSentence)] = []
    /// The keys that are there at all.
    private(set) var known: Set<String> = []

    init() {}

    /// The statement that asks for it.
    static func query(
        _ work: ChangeWork, of app: App, keys: [String], type: String, bindings: [String: Binding]
    ) -> ComposedQuery {
        app.judgement(
            of: work.refusals + work.warnings, on: work.subject, keys: keys, type: type,
            bindings: bindings.merging(work.parameters) { engine, _ in engine })
    }

    /// Reads the answer.
    init(_ answer: Answer, for work: ChangeWork) throws(Failure) {
        let rows: Rows
        switch answer.reading {
        case .success(let read): rows = read
        case .failure(let unreadable):
            let failure = unreadable.failure
            throw Failure(
                failure.kind, "what speaks against `\(work.command)` cannot be evaluated: \(failure.message)",
                hint: failure.hint, state: failure.state)
        }
        let remarks = work.refusals + work.warnings
        for row in rows.rows {
            let key = row.values.first?.text
            if let key { known.insert(key) }
            let facts = Row(
                columns: Array(row.columns.dropFirst(1 + remarks.count)),
                values: Array(row.values.dropFirst(1 + remarks.count)))
            func fill(_ sentence: Sentence) -> FilledSentence {
                FilledSentence(sentence) { name in
                    facts.shown(name) ?? work.parameters[name].map { Value($0.isSecret ? "(secret)" : $0.value) }
                }
            }
            for (index, remark) in remarks.enumerated() where row.values[index + 1].boolean == true {
                if index >= work.refusals.count {
                    warnings.append((key, fill(remark.sentence)))
                } else if refused[key ?? ""] == nil {
                    refused[key ?? ""] = fill(remark.sentence)
                }
            }
        }
    }
}

/// How the decisions of an app stand for some users.
struct Standing {
    struct Question: Hashable {
        let user: String
        let decision: String
        let per: String?
    }

    /// A decision about a user, whichever its answers are for.
    private struct Matter: Hashable {
        let user: String
        let decision: String
    }

    private var answers: [Matter: [String?]] = [:]

    private(set) var outcomes: [Question: String?] = [:]
    /// By decision: why it could not be evaluated.
    private(set) var unavailable: [String: String] = [:]

    /// The statements that ask for it, one a decision.
    static func queries(_ app: App, users: [String], type: String, bindings: [String: Binding]) -> [ComposedQuery] {
        users.isEmpty ? [] : app.decisions.map { $0.outcomes(keys: users, type: type, in: app, bindings: bindings) }
    }

    /// Reads the answers.
    init(_ answers: [Answer], of app: App) {
        for (decision, answer) in zip(app.decisions, answers) {
            switch answer.reading {
            case .failure(let unreadable): unavailable[decision.name] = unreadable.reason
            case .success(let rows):
                for row in rows.rows where row.values.count == 3 {
                    guard let user = row.values[0].text else { continue }
                    let question = Question(user: user, decision: decision.name, per: row.values[1].text)
                    outcomes.updateValue(row.values[2].text, forKey: question)
                    self.answers[Matter(user: user, decision: decision.name), default: []].append(row.values[2].text)
                }
            }
        }
    }

    /// How it differs from how it stood before, in the order of the app file.
    func changes(since before: Standing, of app: App, users: [ChangeSubject]) -> [DecisionChange] {
        let questions = Set(outcomes.keys).union(before.outcomes.keys)
        let order = Dictionary(
            app.decisions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let places = Dictionary(users.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        let sorted = questions.sorted { a, b in
            (places[a.user] ?? 0, order[a.decision] ?? 0, a.per ?? "") < (
                places[b.user] ?? 0, order[b.decision] ?? 0, b.per ?? ""
            )
        }
        return sorted.map { question in
            DecisionChange(
                user: places[question.user].map { users[$0] }
                    ?? ChangeSubject(key: question.user, label: question.user),
                name: question.decision, per: question.per, before: before.outcomes[question] ?? nil,
                after: outcomes[question] ?? nil)
        }
    }

    /// Why what was promised about a user did not come true, nil when it did.
    ///
    /// All answers of the decision have to be as promised, and there has to be one.
    func objection(to expectation: App.Expectation, for user: String) -> String? {
        let promised = expectation.outcomes.joined(separator: " or ")
        if let reason = unavailable[expectation.decision] {
            return "\(expectation.decision) was to be \(promised), and cannot be evaluated: \(reason)"
        }
        guard let answers = answers[Matter(user: user, decision: expectation.decision)] else {
            return "\(expectation.decision) was to be \(promised), and there is no answer"
        }
        guard let wrong = answers.first(where: { !expectation.outcomes.contains($0 ?? "") }) else { return nil }
        return "\(expectation.decision) was to be \(promised), and would be \(wrong ?? "nothing")"
    }
}
