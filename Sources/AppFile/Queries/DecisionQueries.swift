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
    private func bindings(assuming assumed: Assumptions) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for declaration in assumptions {
            bindings[declaration.name] =
                assumed[declaration.name].map { Binding($0, type: declaration.type) }
                ?? Binding(constant: declaration.defaultValue, type: declaration.type)
        }
        return bindings
    }

    /// The select that returns the facts: the decision's own select, or the users.
    var facts: [Composer.Piece] {
        if let select { return [.fragment(select)] }
        return [.text("select * from "), .definition("users")]
    }

    /// The statement that returns the columns of the facts, without rows.
    package func shape(for app: App, bindings: [String: Binding]) -> ComposedQuery {
        Composer.compose(
            [.text("select * from (\n")] + facts + [.text(") facts limit 0")], for: app,
            bindings: bindings.merging(defaults) { given, _ in given })
    }

    /// The statement that returns the facts and evaluates the rules, for one user or for all.
    ///
    /// The columns are the facts, the assumed values in the order of `assumedColumns`, one column per rule, and one per
    /// rule with reasons. An assumed value is in an inner scope, so it hides a fact with the same name. A default value
    /// is in an outer scope, so a fact hides it.
    package func evaluation(
        of choice: RuleChoice, for user: UserKey?, assuming assumed: Assumptions, in app: App,
        bindings: [String: Binding]
    ) -> ComposedQuery {
        var judged: [Composer.Piece] = []
        func separate() { if !judged.isEmpty { judged.append(.text(", ")) } }
        let given = assumedColumns(assumed).given
        if !given.isEmpty { judged.append(.text("assumed.*")) }
        for (index, rule) in rules.enumerated() where choice.includes(index) {
            separate()
            // `AND true` distinguishes NULL from false, and raises an error if the rule isn't a condition.
            judged += [.text("(\n"), .fragment(rule.condition), .text(") and true as \"rule \(index)\"")]
        }
        for index in explained where choice.includesReason(of: index) {
            separate()
            judged += Composer.firstTrue(of: rules[index].reasons.map(\.condition)) + [.text(" as \"reason \(index)\"")]
        }
        for (index, part) in (choice == .parts ? parts : []).enumerated() {
            separate()
            judged += [.text("(\n"), .fragment(part.condition), .text(") and true as \"part \(index)\"")]
        }
        if !given.isEmpty {
            judged.append(.text(" from (select "))
            for (index, name) in given.enumerated() {
                if index > 0 { judged.append(.text(", ")) }
                judged += supposed(name, assumed[name]) + [.text(" as \(Composer.quoted(name))")]
            }
            judged.append(.text(") assumed"))
        }
        var pieces: [Composer.Piece] = [.text("select facts.*, judged.* from (\n")] + facts
        pieces += [.text(") facts, lateral (select ")] + judged + [.text(") judged")]
        if let user {
            pieces += [.text(" where facts.\(Composer.quoted(app.users.key)) = "), .key(user)]
        }
        let scoped = withDefaults(around: pieces, assuming: assumed)
        return Composer.compose(
            scoped, for: app, bindings: bindings.merging(self.bindings(assuming: assumed)) { given, _ in given })
    }

    /// Selects the keys of the users with an outcome.
    func keys(withOutcome outcome: String, keyedBy key: String) -> [Composer.Piece] {
        let column = "facts.\(Composer.quoted(key))"
        let pieces: [Composer.Piece] =
            [.text("select \(column) from (\n")] + facts + [.text(") facts where ")] + self.outcome
            + [.text(" = "), .value(outcome, type: "text")]
        return withDefaults(around: pieces, includesDefaults: false)
    }

    /// The expression for the outcome of the first rule that applies.
    var outcome: [Composer.Piece] {
        Composer.firstTrue(rules.map { ($0.condition, .bound(Binding(constant: $0.outcome, type: "text"))) })
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
    private func supposed(_ name: String, _ value: String?) -> [Composer.Piece] {
        if let declaration = assumptions.first(where: { $0.name == name }) {
            return [.value(value, type: declaration.type)]
        }
        return [
            .text("case when true then "), .value(value, type: nil), .text(" else facts.\(Composer.quoted(name)) end"),
        ]
    }

    /// Puts a statement into an outer select that provides the default values of assumptions.
    func withDefaults(
        around pieces: [Composer.Piece], assuming assumed: Assumptions = [:], includesDefaults: Bool = true
    ) -> [Composer.Piece] {
        let names = assumedColumns(assumed).defaults
        guard !names.isEmpty else { return pieces }
        var scope: [Composer.Piece] = []
        for (index, name) in names.enumerated() {
            let declaration = assumptions.first { $0.name == name }
            scope += [
                .text(index == 0 ? "" : ", "),
                .bound(Binding(constant: declaration?.defaultValue, type: declaration?.type ?? "text")),
                .text(" as \(Composer.quoted(name))"),
            ]
        }
        let columns = "decided.*" + (includesDefaults ? ", defaults.*" : "")
        return [.text("select \(columns) from (select ")] + scope + [.text(") defaults, lateral (")] + pieces
            + [.text(") decided")]
    }
}

extension RuleChoice {
    /// True if the statement evaluates a rule.
    package func includes(_ index: Int) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .only(let chosen): chosen == index
        case .reason, .parts: false
        }
    }

    /// True if the statement returns the reason of a rule.
    func includesReason(of index: Int) -> Bool {
        switch self {
        case .all: true
        case .none, .only, .parts: false
        case .reason(let chosen): chosen == index
        }
    }
}

extension App.Rule {
    /// The sentence, the advice and the shown texts for a reason, with the rule's own advice first.
    ///
    /// Without a reason, the result is the rule's own sentence, advice and texts.
    package func explanation(
        for reason: Int?
    ) -> (sentence: Sentence, advice: [Sentence], shows: [(name: String, text: Sentence)]) {
        guard let reason, reasons.indices.contains(reason) else { return (sentence, advice, shows) }
        let own = reasons[reason]
        let shared = shows.map { shown in own.shows.first { $0.name == shown.name } ?? shown }
        let more = own.shows.filter { shown in !shows.contains { $0.name == shown.name } }
        return (own.sentence, advice + own.advice, shared + more)
    }
}

extension App.Decision {
    /// Selects the outcomes of the decision for some users; the columns are the key, the value of `@per`, and the
    /// outcome.
    package func outcomes(
        keys: Binding, in app: App, bindings: [String: Binding]
    ) -> ComposedQuery {
        let key = "facts.\(Composer.quoted(app.users.key))"
        let per = self.per.map { "facts.\(Composer.quoted($0))::text" } ?? "null::text"
        var pieces: [Composer.Piece] = [.text("select \(key)::text as key, \(per) as per, ")] + outcome
        pieces += [.text(" as outcome from (\n")] + facts + [.text(") facts where \(key) = any(")]
        pieces += [.bound(keys), .text(")")]
        return Composer.compose(
            withDefaults(around: pieces, includesDefaults: false), for: app,
            bindings: bindings.merging(defaults) { given, _ in given })
    }
}
