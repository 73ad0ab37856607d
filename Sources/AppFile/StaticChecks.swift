/// What can be wrong with an app without asking a database.
struct StaticChecks {
    private let app: App
    private let definitions: Set<String>
    private var findings: [Diagnostic] = []

    private init(_ app: App) {
        self.app = app
        definitions = Set(["users"] + app.objects.map(\.noun) + app.definitions.map(\.name))
    }

    static func findings(in app: App) -> [Diagnostic] {
        var checks = StaticChecks(app)
        checks.checkDecisions()
        checks.checkPanels()
        checks.checkChanges()
        checks.checkParameters()
        checks.checkRelations()
        checks.checkCycles()
        return checks.findings
    }

    private mutating func checkDecisions() {
        for decision in app.decisions {
            guard let last = decision.rules.last else { continue }
            if !last.condition.isAlwaysTrue {
                report(
                    "the last rule of a decision must be `true;`, so that every user gets an answer", last.condition)
            }
            for rule in decision.rules.dropLast() where rule.condition.isAlwaysTrue {
                report("no rule below this one is ever reached", rule.condition)
                break
            }
        }
    }

    private mutating func checkPanels() {
        let names = app.decisions.map(\.name)
        for panel in app.panels {
            guard let decision = panel.explains, !names.contains(decision) else { continue }
            report(
                "@explains \(decision): there is no such decision", panel.select,
                hint: nearest(to: decision, among: names))
        }
    }

    /// Each kind of block has its own parameters.
    private mutating func checkParameters() {
        let general: Set<String> = ["now"]
        check(app.users.select, allows: general)
        for selection in app.users.selections + app.objects.flatMap(\.selections) {
            check(selection.condition, allows: general)
        }
        for select in app.objects.map(\.select) + app.definitions.map(\.select) + app.quotas.map(\.select) {
            check(select, allows: general)
        }
        for select in app.panels.map(\.select) + app.timelines.map(\.select) {
            check(select, allows: general.union(["user"]))
        }
        for decision in app.decisions {
            let assumed = general.union(decision.assumptions.map(\.name))
            if let select = decision.select { check(select, allows: assumed) }
            for rule in decision.rules { check(rule.condition, allows: general) }
        }
        checkParametersOfChanges(general)
    }

    private mutating func checkParametersOfChanges(_ general: Set<String>) {
        for settings in app.settings { settings.impacts.forEach { check($0.condition, allows: general) } }
        for action in app.actions {
            let given = general.union(action.parameters.all.map(\.name))
            for remark in action.refusals + action.warnings { check(remark.condition, allows: given) }
            let subjects: Set<String> =
                switch action.subject {
                case .users: ["user", "users"]
                case .object: ["key", "keys"]
                case .nothing: []
                }
            for statement in action.statements { check(statement.sql, allows: given.union(subjects)) }
        }
        for list in app.lists { check(list.select, allows: general.union(list.parameters.all.map(\.name) + ["user"])) }
        for state in app.states {
            state.statements.forEach { check($0.sql, allows: general.union(["user", "users"])) }
        }
        for item in app.checks { check(item.select, allows: general) }
    }

    /// Names that changes use must be the names of something.
    private mutating func checkChanges() {
        let nouns = app.objects.map(\.noun)
        for action in app.actions {
            if case .object(let noun) = action.subject, !nouns.contains(noun) {
                report("@on \(noun): there is no such object", action.place, near: noun, among: nouns)
            }
            let selections = app.selections(of: action.subject).map(\.name)
            for name in action.selections where !selections.contains(name) {
                report("@select \(name): there is no such selection", action.place, near: name, among: selections)
            }
        }
        for expectation in app.actions.flatMap(\.expects) + app.states.flatMap(\.expects) { check(expectation) }
        for item in app.checks {
            if case .object(let noun) = item.subject, !nouns.contains(noun) {
                report("@on \(noun): there is no such object", item.place, near: noun, among: nouns)
            }
            if let fix = item.fix, !app.actions.contains(where: { $0.noun == fix.noun && $0.verb == fix.verb }) {
                let known = app.actions.map { "\($0.noun) \($0.verb)" }
                let name = "\(fix.noun) \(fix.verb)"
                report("@fix \(name): there is no such action", item.place, near: name, among: known)
            }
        }
    }

    private mutating func check(_ expectation: App.Expectation) {
        let name = expectation.decision
        guard let decision = app.decisions.first(where: { $0.name == name }) else {
            let known = app.decisions.map(\.name)
            return report("@expect \(name): there is no such decision", expectation.place, near: name, among: known)
        }
        let outcomes = decision.rules.map(\.outcome)
        for outcome in expectation.outcomes where !outcomes.contains(outcome) {
            report(
                "@expect \(name) \(outcome): no rule has this outcome", expectation.place, near: outcome,
                among: outcomes)
        }
    }

    private mutating func report(_ message: String, _ place: App.Place, near word: String, among known: [String]) {
        let hint = nearest(to: word, among: known).map { "did you mean \($0)?" }
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }

    private mutating func check(_ fragment: Fragment, allows names: Set<String>) {
        for (name, offset) in fragment.parameters where !names.contains(name) {
            let known = names.sorted().map { ":" + $0 }
            let hint = nearest(to: ":" + name, among: known).map { "did you mean \($0)?" }
            findings.append(
                Diagnostic(
                    "there is no parameter :\(name) here; there is \(known.joined(separator: ", "))", in: fragment.file,
                    at: offset, hint: hint))
        }
    }

    private mutating func checkRelations() {
        for fragment in app.fragments + app.changingFragments {
            for mention in fragment.relations where mention.schema == nil && !definitions.contains(mention.name) {
                if mention.name.hasPrefix("pg_") { continue }
                let hint = nearest(to: mention.name, among: definitions.sorted()).map { "did you mean \($0)?" }
                findings.append(
                    Diagnostic(
                        "\(mention.name) is no definition of this file; a table needs its schema", in: fragment.file,
                        at: mention.offset, hint: hint))
            }
        }
    }

    private mutating func checkCycles() {
        for name in definitions.sorted() {
            guard let definition = app.definition(name), app.dependencies(of: definition.select).contains(name) else {
                continue
            }
            report("the definition of \(name) refers to itself", definition.select)
        }
    }

    private mutating func report(_ message: String, _ fragment: Fragment, hint: String? = nil) {
        findings.append(
            Diagnostic(
                message, in: fragment.file, at: fragment.range.lowerBound, hint: hint.map { "did you mean \($0)?" }))
    }
}
