package import AppFile
package import Asking
internal import Catalog
package import PQ

/// Runs the examples of an app file: inserts their rows, evaluates the decisions, and rolls back.
package struct AppTest {
    /// The result of one example.
    package struct Outcome: Sendable {
        package let example: App.Example
        /// A message for each expectation that failed; empty if the example passed.
        package let problems: [String]
    }

    /// The test coverage of a decision: the number of its rules and reasons, and the rules and reasons that no example
    /// tested.
    package struct Coverage: Sendable {
        package let decision: App.Decision
        package let rules: Int
        /// The rules and reasons that didn't determine the outcome of any example, each with its place.
        package let missed: [(sentence: Sentence, outcome: String, place: App.Place)]
    }

    private let app: App
    private let connection: Connection
    /// The rules and reasons that determined the outcome of at least one example.
    private var reached: Set<Reached> = []

    private struct Reached: Hashable {
        let decision: String
        let rule: Int
        let reason: Int?
    }

    /// Runs all examples; throws if the database has users, unless its environment is test or development.
    package static func run(
        _ app: App, on connection: Connection
    ) throws(Failure) -> (outcomes: [Outcome], coverage: [Coverage]) {
        let app = try app.fitted(on: connection)
        var test = AppTest(app: app, connection: connection)
        try test.refuseRealData()
        var outcomes: [Outcome] = []
        for example in app.examples {
            let problems = try failing { () throws(PQError) in try test.problems(of: example) }
            outcomes.append(Outcome(example: example, problems: problems))
        }
        return (outcomes, app.decisions.map(test.coverage))
    }

    private init(app: App, connection: Connection) {
        self.app = app
        self.connection = connection
    }

    private func refuseRealData() throws(Failure) {
        let environment = Environment(try failing(try answer(to: ComposedQuery(Environment.query)).result))
        if ["test", "development"].contains(environment.name) { return }
        let some = app.queries().list(where: nil, decided: nil, limit: 1)
        if try failing(try connection.execute(Query(some))).rows.isEmpty { return }
        throw Failure(
            .refused,
            "`usher app test` can't run here: this database has users, and its environment is \(environment.name)",
            hint: "run the examples in an empty copy of the schema, never in production")
    }

    // MARK: One example

    /// Sets the search path that `install` records for actions, so that triggers find the same names as in an action.
    private static let pathOfActions: Query = """
        select pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', nullif(s.reset_val, ''), 'pg_temp'), true)
          from pg_catalog.pg_settings s where s.name operator(pg_catalog.=) 'search_path'
        """

    private mutating func problems(of example: App.Example) throws(PQError) -> [String] {
        _ = try connection.execute("begin")
        defer { try? connection.rollbackIfOpen() }
        for setting in [Self.pathOfActions, "set local timezone = 'UTC'"] { _ = try connection.execute(setting) }
        for statement in example.statements {
            let query = app.queries().statement(statement)
            if case .failure(let error) = try answer(to: query).result {
                return [Failure(error, in: query).sentence]
            }
        }
        _ = try connection.execute("set local search_path = pg_catalog, pg_temp")
        var types: [String: String] = [:]
        for way in [Directory.Way.keyText, .address] {
            switch try answer(to: Directory(app).resolution(of: example.user, by: way)).reading {
            case .success(let rows):
                for row in rows.rows { types[row.values[0].text ?? ""] = row.values[1].text }
            case .failure(let failure): return [failure.sentence]
            }
        }
        guard types.count == 1, let (key, type) = types.first else {
            return ["there \(types.isEmpty ? "is no user" : "are several users") \(example.user)"]
        }
        let failed = try run(example, for: key, type: type)
        if !failed.isEmpty { return failed }
        var problems = try amounts(of: example, for: .known(key, type: type))
        if example.refused != nil { return problems }
        _ = try connection.execute("savepoint given")
        let promised = action(of: example)?.expects.filter { $0.about == nil } ?? []
        for expectation in example.expects + promised {
            // The rollback ends the failed state of the transaction after an error, so the next decision can run.
            _ = try connection.execute("rollback to savepoint given")
            guard let decision = app.decisions.first(where: { $0.name == expectation.decision }) else { continue }
            let wanted = expectation.outcomes
            let expected = "expected \(decision.name) to be \(wanted.joined(separator: " or "))"
            let reports = try reports(of: decision, for: .known(key, type: type), assuming: example.assumed)
            if reports.isEmpty { problems.append("\(expected), but the decision has no answer for this user") }
            for report in reports {
                guard let outcome = report.outcome else {
                    problems.append("\(expected), but it is \(report.unavailable?.sentence ?? "without an answer")")
                    continue
                }
                if wanted.contains(outcome) { continue }
                let because = report.because.map { ": \($0.plain)" } ?? ""
                problems.append("\(expected), but it is \(outcome)\(because)")
            }
        }
        return problems
    }

    private func action(of example: App.Example) -> App.Action? {
        app.actions.first { [$0.noun, $0.verb] == example.run.prefix(2).map(\.self) }
    }

    /// Runs the action of an example, unless a refusal of the action applies; returns the unexpected results.
    private func run(_ example: App.Example, for user: String, type: String) throws(PQError) -> [String] {
        guard let action = action(of: example) else { return [] }
        var values = Array(example.run.dropFirst(2))
        var (key, keyType) = (user, type)
        if case .object = action.subject, let query = app.queries().keyType(of: action.subject), !values.isEmpty {
            key = values.removeFirst()
            keyType = try connection.execute(Query(query)).first?.values[0].text ?? "text"
        }
        let keys = Binding.keys([key], type: keyType)
        var bindings = app.bindings(for: action.subject, one: Binding(key, type: keyType), all: keys)
        for parameter in action.parameters.all {
            bindings[parameter.name] = Binding(
                parameter.defaultValue, type: parameter.names == .users ? type : parameter.boundType)
        }
        var arguments = action.parameters.arguments[...]
        while let value = values.first {
            values.removeFirst()
            let option =
                value.hasPrefix("--")
                ? action.parameters.options.first { "--" + $0.name == value } : arguments.popFirst()
            guard let option else { continue }
            let given =
                value.hasPrefix("--")
                ? (option.type == "boolean" ? "true" : values.isEmpty ? "" : values.removeFirst()) : value
            bindings[option.name] = Binding(given, type: option.names == .users ? type : option.boundType)
        }
        let refusals = app.queries(bindings).tally(of: (action.refusals, []), action.subject, where: [], keys: keys)
        let asked = try answer(to: refusals)
        switch asked.reading {
        case .failure(let failure): return [failure.sentence]
        case .success(let rows):
            if let number = rows.rows.lazy.compactMap({ $0.values[0].text.flatMap { Int($0) } }).first {
                return outcome(refusedBy: action.refusals[number].sentence.source, of: example)
            }
        }
        for query in ["savepoint action", Self.pathOfActions] { _ = try connection.execute(query) }
        for statement in action.statements {
            let query = app.queries(bindings).statement(statement)
            if case .failure(let error) = try answer(to: query).result {
                _ = try connection.execute("rollback to savepoint action")
                if let refused = example.refused, error.message.hasPrefix(refused) { return [] }
                return [Failure(error, in: query).sentence]
            }
        }
        _ = try connection.execute("set local search_path = pg_catalog, pg_temp")
        return example.refused.map { [Self.notRefused($0)] } ?? []
    }

    private func outcome(refusedBy sentence: String, of example: App.Example) -> [String] {
        let refused = "the action was refused, but should run: \(sentence)"
        guard let wanted = example.refused else { return [refused] }
        return sentence.hasPrefix(wanted) ? [] : [refused, Self.notRefused(wanted)]
    }

    private static func notRefused(_ wanted: String) -> String {
        "the action ran, but should be refused: \(wanted)"
    }

    /// Compares the user's usage of quotas with the usage that the example expects.
    private func amounts(of example: App.Example, for user: UserKey) throws(PQError) -> [String] {
        if !example.used.isEmpty { _ = try connection.execute("set local search_path = pg_catalog, pg_temp") }
        var problems: [String] = []
        for (name, wanted, _) in example.used {
            guard let quota = app.quotas.first(where: { $0.name == name }) else { continue }
            switch try answer(to: app.queries().usage(of: quota, by: user)).reading {
            case .failure(let failure): return problems + [failure.sentence]
            case .success(let rows):
                let amount = rows.first.map { row in
                    let (used, limit) = (row.values[1].text ?? "", row.values[2].text ?? "")
                    return wanted.contains(" of ") ? "\(used) of \(limit)" : used
                }
                if amount != wanted {
                    problems.append(
                        "expected \(name) to be \(wanted), but it is \(amount ?? "missing for this user")")
                }
            }
        }
        return problems
    }

    private mutating func reports(
        of decision: App.Decision, for user: UserKey, assuming assumed: Assumptions
    ) throws(PQError) -> [DecisionReport] {
        // An assumption that one decision declares is not a fact for the other decisions.
        let declared = Set(app.decisions.flatMap(\.assumptions).map(\.name))
        let own = Set(decision.assumptions.map(\.name))
        let relevant = assumed.filter { own.contains($0.key) || !declared.contains($0.key) }
        let question = DecisionQuestion(decision: decision, assumed: relevant, isCareful: false)
        let query = app.queries().evaluation(of: decision, .all, for: user, assuming: relevant)
        let reports = question.reports([try answer(to: query)], hiding: nil)
        for report in reports {
            guard let rule = report.rules.firstIndex(where: \.decided) else { continue }
            reached.insert(Reached(decision: decision.name, rule: rule, reason: report.rules[rule].reason))
        }
        return reports
    }

    private func answer(to query: ComposedQuery) throws(PQError) -> Answer {
        do throws(PQError) {
            return Answer(query: query, result: .success(try connection.execute(Query(query))))
        } catch {
            guard case .server(let refusal) = error else { throw error }
            return Answer(query: query, result: .failure(refusal))
        }
    }

    // MARK: Coverage

    private func coverage(of decision: App.Decision) -> Coverage {
        var missed: [(sentence: Sentence, outcome: String, place: App.Place)] = []
        var count = 0
        for (index, rule) in decision.rules.enumerated() {
            let reasons: [(Int?, Sentence)] = rule.reasons.enumerated().map { ($0, $1.sentence) }
            // If the last reason always applies, usher never shows the rule's own sentence.
            let isCovered = rule.reasons.last?.condition.isAlwaysTrue ?? false
            for (reason, sentence) in reasons + (isCovered ? [] : [(nil, rule.sentence)]) {
                count += 1
                if reached.contains(Reached(decision: decision.name, rule: index, reason: reason)) { continue }
                missed.append((sentence, rule.outcome, sentence.place ?? rule.place))
            }
        }
        return Coverage(decision: decision, rules: count, missed: missed)
    }
}
