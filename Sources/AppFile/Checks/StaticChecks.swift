/// Finds mistakes in an app without asking a database.
struct StaticChecks {
    let app: App
    private let definitions: Set<String>
    var findings: [Diagnostic] = []

    private init(_ app: App) {
        self.app = app
        definitions = Set(app.definitionsByName.keys)
    }

    static func findings(in app: App) -> [Diagnostic] {
        var checks = StaticChecks(app)
        checks.checkDecisions()
        checks.checkParameters()
        checks.checkChanges()
        checks.checkAccount()
        checks.checkStatements()
        checks.checkRelations()
        checks.checkCycles()
        return checks.findings
    }

    private mutating func checkDecisions() {
        for decision in app.decisions {
            // A last rule without SQL has its own finding.
            if let last = decision.rules.last?.condition, !last.tokens.isEmpty,
                !decision.rules.contains(where: \.condition.isAlwaysTrue)
            {
                report("the last rule of a decision must be `true;`, so that every user gets an answer", last)
            }
            var seen: Set<[String]> = []
            for rule in decision.rules.dropLast() where !rule.condition.tokens.isEmpty {
                if rule.condition.isAlwaysTrue {
                    report(
                        "this condition is always true, so usher never reaches the rules below it", rule.condition,
                        severity: .warning)
                    break
                }
                if !seen.insert(rule.condition.normalized).inserted {
                    report(
                        "an earlier rule has this condition, so usher never reaches this rule", rule.condition,
                        severity: .warning)
                }
            }
        }
    }

    /// Checks that SQL uses only the parameters of its kind of block.
    private mutating func checkParameters() {
        let general = Set(["now"] + app.constants.map(\.name))
        check(app.users.select, allows: general)
        for selection in app.users.selections + app.objects.flatMap(\.selections) {
            check(selection.condition, allows: general)
        }
        for select in app.objects.map(\.select) + app.objects.compactMap(\.members) + app.definitions.map(\.select)
            + app.quotas.map(\.select)
            + app.stats.map(\.select)
        {
            check(select, allows: general)
        }
        for select in app.panels.map(\.select) + app.timelines.map(\.select)
            + app.quotas.compactMap(\.history?.select)
        {
            check(select, allows: general.union(["user"]))
        }
        for decision in app.decisions {
            let assumed = general.union(decision.assumptions.map(\.name))
            if let select = decision.select { check(select, allows: assumed) }
            for condition in decision.rules.flatMap(\.conditions) { check(condition, allows: general) }
        }
        checkParametersOfChanges(general)
    }

    mutating func check(_ fragment: Fragment, allows names: Set<String>) {
        for (name, offset) in fragment.parameters where !names.contains(name) {
            let known = names.sorted().map { ":" + $0 }
            let hint = Nearest.hint(for: ":" + name, among: known)
            let message = "there is no parameter :\(name) here; choose one of: \(known.joined(separator: ", "))"
            findings.append(
                Diagnostic(message, in: fragment.file, at: offset, hint: hint))
        }
    }

    private mutating func checkRelations() {
        for fragment in app.fragments + app.changingFragments {
            for mention in fragment.relations where mention.schema == nil && !definitions.contains(mention.name) {
                if mention.name.hasPrefix("pg_") { continue }
                findings.append(
                    Diagnostic(
                        "\(mention.name) is not defined in this file; name a table with its schema", in: fragment.file,
                        at: mention.offset, hint: Nearest.hint(for: mention.name, among: definitions.sorted())))
            }
        }
    }

    private mutating func checkCycles() {
        for definition in app.circularDefinitions {
            report("the definition of \(definition.name) refers to itself", definition.select)
        }
    }

    mutating func report(_ message: String, _ fragment: Fragment, severity: Diagnostic.Severity = .error) {
        findings.append(
            Diagnostic(message, in: fragment.file, at: fragment.range.lowerBound, severity: severity))
    }
}

/// Finds mistakes in the changes of an app without asking a database.
extension StaticChecks {
    mutating func checkParametersOfChanges(_ general: Set<String>) {
        for settings in app.settings { settings.impacts.forEach { check($0.condition, allows: general) } }
        for action in app.actions {
            let given = general.union(action.parameters.all.map(\.name))
            for remark in action.refusals + action.warnings { check(remark.condition, allows: given) }
            let subjects = action.subject.parameterNames
            for statement in action.statements { check(statement.sql, allows: given.union(subjects)) }
        }
        for list in app.lists { check(list.select, allows: general.union(list.parameters.all.map(\.name) + ["user"])) }
        for state in app.states {
            let subjects = App.Subject.users.parameterNames
            state.statements.forEach { check($0.sql, allows: general.union(subjects)) }
        }
        for item in app.checks { check(item.select, allows: general) }
        for statement in app.examples.flatMap(\.statements) { check(statement.sql, allows: general) }
        if let account = app.account { checkParameters(of: account, general) }
    }

    /// Checks that the names in changes exist in the file.
    mutating func checkChanges() {
        let nouns = app.objects.map(\.noun)
        for action in app.actions {
            if case .object(let noun) = action.subject, !nouns.contains(noun) {
                let place = action.places.place(of: noun, in: "on") ?? action.place
                report("@on \(noun): there is no such object", place, near: noun, among: nouns)
                continue
            }
            let selections = app.selections(of: action.subject).map(\.name)
            for name in action.selections where !selections.contains(name) {
                let place = action.places.place(of: name, in: "select") ?? action.place
                report(
                    "@select \(name): there is no such selection", place, near: name, among: selections)
            }
        }
        for action in app.actions {
            let isOfObject = if case .object = action.subject { true } else { false }
            for expectation in action.expects { check(expectation, ofObject: isOfObject) }
        }
        for expectation in app.states.flatMap(\.expects) + app.examples.flatMap(\.expects) {
            check(expectation, ofObject: false)
        }
        for example in app.examples {
            let (actions, name) = (
                app.actions.map { "\($0.noun) \($0.verb)" }, example.run.prefix(2).joined(separator: " ")
            )
            if !name.isEmpty, !actions.contains(name) {
                report("@run \(name): there is no such action", example.place, near: name, among: actions)
            }
            for (quota, _, place) in example.used where !app.quotas.contains(where: { $0.name == quota }) {
                report("@used \(quota): there is no such quota", place, near: quota, among: app.quotas.map(\.name))
            }
        }
        for item in app.checks {
            if case .object(let noun) = item.subject, !nouns.contains(noun) {
                let place = item.places.place(of: noun, in: "on") ?? item.place
                report("@on \(noun): there is no such object", place, near: noun, among: nouns)
            }
            if let fix = item.fix, !app.actions.contains(where: { $0.noun == fix.noun && $0.verb == fix.verb }) {
                let known = app.actions.map { "\($0.noun) \($0.verb)" }
                let name = "\(fix.noun) \(fix.verb)"
                report("@fix \(name): there is no such action", fix.place, near: name, among: known)
            }
        }
    }

    private mutating func check(_ expectation: App.Expectation, ofObject: Bool) {
        let name = expectation.decision
        guard let decision = app.decisions.first(where: { $0.name == name }) else {
            let known = app.decisions.map(\.name)
            return report(
                "@expect \(name): there is no such decision", expectation.place, near: name,
                among: known)
        }
        if let about = expectation.about, !ofObject || decision.per == nil {
            let why =
                ofObject ? "this decision has no @per, so leave out `of`" : "only an action @on an object can use `of`"
            findings.append(
                Diagnostic(
                    "@expect \(name) of \(about): \(why)", in: expectation.place.file, at: expectation.place.offset))
        }
        let outcomes = decision.rules.map(\.outcome)
        for outcome in expectation.outcomes where !outcomes.contains(outcome) {
            let place = expectation.place
            let behind = place.file.offset(of: outcome, behind: place.offset + name.utf8.count) ?? place.offset
            report(
                "@expect \(name) \(outcome): no rule has this outcome", App.Place(file: place.file, offset: behind),
                near: outcome, among: outcomes)
        }
    }

    private mutating func report(
        _ message: String, _ place: App.Place, near name: String, among known: [String]
    ) {
        let turned = name.split(separator: " ").reversed().joined(separator: " ")
        let hint = Nearest.hint(for: known.contains(turned) ? turned : name, among: known)
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }
}

/// Finds statements that Postgres accepts but app files can't contain.
extension StaticChecks {
    mutating func checkStatements() {
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) + (app.account?.statements ?? []) {
            checkLedger(statement.sql)
        }
        for fragment in app.fragments + app.changingFragments { checkClock(fragment) }
    }

    /// Refuses statements that write the audit log, because only usher's functions may write it.
    private mutating func checkLedger(_ fragment: Fragment) {
        let place = fragment.tokens.indices.first { index in
            fragment.isName(at: index) && fragment.word(at: index) == SQLName.ledger
                && fragment.word(at: index + 1) == "." && fragment.word(at: index - 1) != "."
        }
        if let place {
            findings.append(
                Diagnostic(
                    "a change can't use usher's own schema", in: fragment.file,
                    at: fragment.tokens[place].range.lowerBound,
                    hint: "SELECT statements of the app file can read the audit log"))
        }
    }

    /// Refuses functions that read the clock, because a preview and its run would use different times.
    private mutating func checkClock(_ fragment: Fragment) {
        for (index, token) in fragment.tokens.enumerated() where token.kind == .word {
            let word = token.folded(in: fragment.file)
            let next = fragment.tokens.dropFirst(index + 1).first?.folded(in: fragment.file)
            let before = index > 0 ? fragment.tokens[index - 1].folded(in: fragment.file) : ""
            let isCall =
                next == "("
                && (before != "."
                    || fragment.tokens.dropFirst(index - 2).first?.folded(in: fragment.file) == "pg_catalog")
            let readsClock =
                isCall && Self.clockFunctions.contains(word) || Self.clockWords.contains(word) && before != "."
            if readsClock {
                findings.append(
                    Diagnostic(
                        "\(word) reads the clock; write :now, the time for which usher answers", in: fragment.file,
                        at: token.range.lowerBound))
            }
        }
    }

    private static let clockFunctions: Set<String> = [
        "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday",
    ]
    private static let clockWords: Set<String> = [
        "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime",
    ]
}
