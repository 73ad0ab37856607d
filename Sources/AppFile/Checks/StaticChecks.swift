/// What can be wrong with an app without asking a database.
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
            // A rule without SQL is a mistake of its own, so the last one may be the one that is always true.
            if let last = decision.rules.last?.condition, !last.tokens.isEmpty,
                !decision.rules.contains(where: \.condition.isAlwaysTrue)
            {
                report("the last rule of a decision must be `true;`, so that every user gets an answer", last)
            }
            for reasons in decision.rules.map(\.reasons) {
                for reason in reasons.dropLast() where reason.condition.isAlwaysTrue {
                    report("no @because below this one is ever reached", reason.condition, severity: .warning)
                }
            }
            var seen: Set<[String]> = []
            for rule in decision.rules.dropLast() where !rule.condition.tokens.isEmpty {
                if rule.condition.isAlwaysTrue {
                    report("no rule below this one is ever reached", rule.condition, severity: .warning)
                    break
                }
                if !seen.insert(rule.condition.normalized).inserted {
                    report(
                        "this condition stands above already, so its rule is never reached", rule.condition,
                        severity: .warning)
                }
            }
        }
    }

    /// Each kind of block has its own parameters.
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
            let hint = nearest(to: ":" + name, among: known).map { "did you mean \($0)?" }
            let message = "there is no parameter :\(name) here; there is \(known.joined(separator: ", "))"
            findings.append(
                Diagnostic(message, in: fragment.file, at: offset, hint: hint))
        }
    }

    private mutating func checkRelations() {
        for fragment in app.fragments + app.changingFragments {
            for mention in fragment.relations where mention.schema == nil && !definitions.contains(mention.name) {
                if mention.name.hasPrefix("pg_") { continue }
                let near = nearest(to: mention.name, among: definitions.sorted())
                findings.append(
                    Diagnostic(
                        "\(mention.name) is no definition of this file; a table needs its schema", in: fragment.file,
                        at: mention.offset, hint: near.map { "did you mean \($0)?" }))
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
