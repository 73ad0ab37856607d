/// The values that an operator assumes, by the name of the fact or declared assumption.
package typealias Assumptions = [String: String]

/// The parts of a decision that a statement evaluates.
package enum RuleChoice: Sendable, Hashable {
    case all
    /// No rule; other queries evaluate the rules one by one, because a rule raised an error.
    case none
    case only(Int)
    /// The number of the reason that applies to one rule, without the result of any rule.
    case reason(Int)
    /// The results of the conditions that AND joins in each rule, instead of whole rules.
    case parts
}

extension App.Decision {
    /// The different outcomes, in the order of the rules.
    package var outcomes: [String] {
        rules.reduce(into: []) { if !$0.contains($1.outcome) { $0.append($1.outcome) } }
    }

    /// The assumed names that the decision doesn't declare; each must be the name of a fact.
    package func undeclared(_ assumed: Assumptions) -> [String] {
        assumed.keys.filter { name in !assumptions.contains { $0.name == name } }.sorted()
    }

    /// The declared assumptions as parameters, with their default values.
    var defaults: [String: Binding] { bindings(assuming: [:]) }

    /// The declared assumptions as parameters of the decision's select, with the assumed or default values; NULL
    /// without either.
    fileprivate func bindings(assuming assumed: Assumptions) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for declaration in assumptions {
            bindings[declaration.name] =
                assumed[declaration.name].map { Binding($0, type: declaration.type) }
                ?? Binding(constant: declaration.defaultValue, type: declaration.type)
        }
        return bindings
    }

    /// The select that returns the facts: the decision's own select, or the users.
    fileprivate var facts: SQL { select.map { "\($0)" } ?? "select * from \(definition: "users")" }

    /// The select that returns the facts and evaluates the rules, for one user or for all.
    fileprivate func evaluation(
        of choice: RuleChoice, assuming assumed: Assumptions, where condition: SQL?
    ) -> SQL {
        var results: [SQL] = []
        // `AND true` distinguishes NULL from false, and raises an error if the rule isn't a condition.
        func add(_ condition: Fragment, as name: SQL) {
            results.append("(\n\(condition)) and true as \"\(name)\"")
        }
        let given = assumedColumns(assumed).given
        if !given.isEmpty { results.append("assumed.*") }
        for (index, rule) in rules.enumerated() where choice.includes(index) {
            add(rule.condition, as: "rule \(index)")
        }
        for index in explained where choice.includesReason(of: index) {
            let reason = SQL.firstTrue(of: rules[index].reasons.map(\.condition))
            results.append("\(reason) as \"reason \(index)\"")
        }
        if choice == .parts {
            for (index, part) in parts.enumerated() { add(part.condition, as: "part \(index)") }
        }
        let columns: [SQL] = given.map { "\(supposed($0, assumed[$0])) as \(name: $0)" }
        let source: SQL? = given.isEmpty ? nil : " from (select \(columns.joined(separator: ", "))) assumed"
        // OFFSET 0 keeps Postgres from planning a subquery of the facts again for each rule that uses it.
        let rows: SQL = condition.map { "select facts.* from (\n\(facts)) facts\($0) offset 0" } ?? "\n\(facts)"
        let judged: SQL = """
            select facts.*, judged.* from (\(rows)) facts, \
            lateral (select \(results.joined(separator: ", "))\(source)) judged
            """
        return withDefaults(around: judged, assuming: assumed)
    }

    /// Selects columns of the facts, and the outcome.
    func judged(_ columns: SQL, where condition: SQL? = nil) -> SQL {
        withDefaults(
            around: "select \(columns), \(outcome) as outcome from (\n\(facts)) facts\(condition)",
            includesDefaults: false)
    }

    /// Selects the keys of the users with an outcome.
    func keys(withOutcome outcome: String, keyedBy key: String) -> SQL {
        "select judged.key from (\(judged("facts.\(name: key) as key"))) judged where judged.outcome = \(outcome, type: "text")"
    }

    /// The column that distinguishes several answers about a user, as text.
    var answer: SQL { per.map { "facts.\(name: $0)::text" } ?? "null::text" }

    /// The expression for the outcome of the first rule that applies.
    private var outcome: SQL {
        .firstTrue(rules.map { ($0.condition, "\(Binding(constant: $0.outcome, type: "text"))") })
    }

    /// The conditions that AND joins in each rule, each with the number of its rule.
    package var parts: [(rule: Int, condition: Fragment)] {
        rules.enumerated().flatMap { index, rule in rule.condition.conjuncts.map { (index, $0) } }
    }

    /// The numbers of the rules that have reasons.
    package var explained: [Int] { rules.indices.filter { !rules[$0].reasons.isEmpty } }

    /// The assumed columns of an evaluation: columns with a given value precede the facts, and columns with a default
    /// value follow them.
    package func assumedColumns(_ assumed: Assumptions) -> (given: [String], defaults: [String]) {
        let declared = assumptions.map(\.name)
        let given = declared.filter { assumed[$0] != nil } + undeclared(assumed)
        return (given, declared.filter { assumed[$0] == nil })
    }

    /// An assumed value as a column, with its declared type or with the type of the fact that it replaces.
    private func supposed(_ name: String, _ value: String?) -> SQL {
        if let declaration = assumptions.first(where: { $0.name == name }) {
            return "\(value, type: declaration.type)"
        }
        return "case when true then \(value, type: nil) else facts.\(name: name) end"
    }

    /// Puts a statement into an outer select that provides the default values of assumptions.
    private func withDefaults(
        around statement: SQL, assuming assumed: Assumptions = [:], includesDefaults: Bool = true
    ) -> SQL {
        let defaults: [SQL] = assumptions.filter { assumed[$0.name] == nil }.map {
            "\(Binding(constant: $0.defaultValue, type: $0.type)) as \(name: $0.name)"
        }
        if defaults.isEmpty { return statement }
        let columns: SQL = includesDefaults ? "decided.*, defaults.*" : "decided.*"
        return """
            select \(columns) from (select \(defaults.joined(separator: ", "))) defaults, \
            lateral (\(statement)) decided
            """
    }
}

extension AppQueries {
    /// Selects the columns of a decision's facts, without rows.
    package func shape(of decision: App.Decision) -> ComposedQuery {
        compose("select * from (\n\(decision.facts)) facts limit 0", with: decision.defaults)
    }

    /// Selects the facts of a decision and evaluates its rules, for one user or for all.
    ///
    /// The columns are the facts, the assumed values in the order of `assumedColumns`, one column per rule, and one per
    /// rule with reasons. An assumed value is in an inner scope, so it hides a fact with the same name. A default value
    /// is in an outer scope, so a fact hides it.
    package func evaluation(
        of decision: App.Decision, _ choice: RuleChoice, for user: UserKey?, assuming assumed: Assumptions
    ) -> ComposedQuery {
        let condition: SQL? = user.map { " where \(key) = \($0)" }
        return compose(
            decision.evaluation(of: choice, assuming: assumed, where: condition),
            with: decision.bindings(assuming: assumed))
    }
}

extension RuleChoice {
    /// True if the statement evaluates a rule.
    package func includes(_ index: Int) -> Bool { self == .all || self == .only(index) }

    /// True if the statement returns the reason of a rule.
    fileprivate func includesReason(of index: Int) -> Bool { self == .all || self == .reason(index) }
}

extension App.Rule {
    /// The sentence and the details for a reason, with the rule's own details first.
    ///
    /// Without a reason, the result is the rule's own sentence and details.
    package func explanation(for reason: Int?) -> (sentence: Sentence, details: App.Details) {
        guard let reason, reasons.indices.contains(reason) else { return (sentence, details) }
        var whole = details
        whole.add(reasons[reason].details)
        return (reasons[reason].sentence, whole)
    }
}
