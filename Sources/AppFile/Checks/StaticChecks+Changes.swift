/// What can be wrong with the changes of an app without asking a database.
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

    /// Names that changes use must be the names of something.
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
                ofObject ? "a user has one answer, since it has no @per" : "only what is done to an object says so"
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
        let near = nearest(to: name, among: known) ?? (known.contains(turned) ? turned : nil)
        let hint = near.map { "did you mean \($0)?" }
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }
}
