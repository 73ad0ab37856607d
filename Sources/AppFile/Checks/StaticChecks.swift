/// Finds the mistakes in an app file that usher can detect without a database.
struct StaticChecks {
    let app: App
    private let definitions: Set<String>
    var findings: [Diagnostic] = []

    private init(_ app: App) {
        self.app = app
        definitions = app.definedNames
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
            // The parser reports a last rule without SQL.
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

    /// Reports a parameter that the SQL of its kind of block can't use.
    private mutating func checkParameters() {
        let general = Set(["now"] + app.constants.map(\.name))
        for use in app.uses { check(use.fragment, allows: general.union(use.parameters)) }
    }

    private mutating func check(_ fragment: Fragment, allows names: Set<String>) {
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
                        "\(mention.name) is not defined in this file; write a table as schema.table", in: fragment.file,
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

/// Checks the changes of an app; the checks need no database.
extension StaticChecks {
    /// Reports names in changes that the file doesn't declare.
    mutating func checkChanges() {
        let nouns = app.objects.map(\.noun)
        for action in app.actions {
            if case .object(let noun) = action.subject, !nouns.contains(noun) {
                let place = action.place.narrowed(to: noun, in: "on")
                report("@on \(noun): there is no @object \(noun)", place, near: noun, among: nouns)
                continue
            }
            let selections = app.selections(of: action.subject).map(\.name)
            for name in action.selections where !selections.contains(name) {
                let place = action.place.narrowed(to: name, in: "select")
                report(
                    "@select \(name): there is no selection \(name)", place, near: name, among: selections)
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
                report("@run \(name): there is no @action \(name)", example.place, near: name, among: actions)
            }
            for (quota, _, place) in example.used where !app.quotas.contains(where: { $0.name == quota }) {
                report("@used \(quota): there is no @quota \(quota)", place, near: quota, among: app.quotas.map(\.name))
            }
        }
        for item in app.checks {
            if case .object(let noun) = item.subject, !nouns.contains(noun) {
                let place = item.place.narrowed(to: noun, in: "on")
                report("@on \(noun): there is no @object \(noun)", place, near: noun, among: nouns)
            }
            if let fix = item.fix, !app.actions.contains(where: { $0.noun == fix.noun && $0.verb == fix.verb }) {
                let known = app.actions.map { "\($0.noun) \($0.verb)" }
                let name = "\(fix.noun) \(fix.verb)"
                report("@fix \(name): there is no @action \(name)", fix.place, near: name, among: known)
            }
            if let fix = item.fix,
                let action = app.actions.first(where: { $0.noun == fix.noun && $0.verb == fix.verb }),
                let missing = action.parameters.all.first(where: { !$0.isOptional && $0.defaultValue == nil })
            {
                report(
                    "@fix \(fix.noun) \(fix.verb): the action needs \(missing.name), but a repair runs without options",
                    fix.place)
            }
        }
    }

    private mutating func check(_ expectation: App.Expectation, ofObject: Bool) {
        let name = expectation.decision
        guard let decision = app.decisions.first(where: { $0.name == name }) else {
            let known = app.decisions.map(\.name)
            return report(
                "@expect \(name): there is no @decision \(name)", expectation.place, near: name,
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
                "@expect \(name) \(outcome): no rule of \(name) has the outcome \(outcome)",
                App.Place(file: place.file, offset: behind),
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

/// Finds statements that Postgres accepts but that an app file can't contain.
extension StaticChecks {
    mutating func checkStatements() {
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) + (app.account?.statements ?? []) {
            checkLedger(statement.sql)
        }
        for fragment in app.fragments + app.changingFragments { checkClock(fragment) }
    }

    /// Reports changes that use the schema usher, because only usher's own functions may write to the audit log.
    private mutating func checkLedger(_ fragment: Fragment) {
        let place = fragment.tokens.indices.first { index in
            fragment.isName(at: index) && fragment.word(at: index) == SQLName.ledger
                && fragment.word(at: index + 1) == "." && fragment.word(at: index - 1) != "."
        }
        if let place {
            findings.append(
                Diagnostic(
                    "a change can't use the schema usher", in: fragment.file,
                    at: fragment.tokens[place].range.lowerBound,
                    hint: "SELECT statements of the app file can read the audit log"))
        }
    }

    /// Reports functions that read the clock, because a preview and the real change would see different times.
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
                        "\(word) reads the clock, but usher answers for a fixed time; write `:now`", in: fragment.file,
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

/// Checks the directives of an account; the checks need no database.
extension StaticChecks {
    /// Reports incomplete names, and directives that contradict each other.
    mutating func checkAccount() {
        for settings in app.settings where SQLName.parts(ofPath: settings.table)?.first == SQLName.ledger {
            report(
                "@settings can't edit a table of the audit log",
                settings.place.narrowed(to: settings.table, in: "table"))
        }
        guard let account = app.account else { return }
        let columns = account.assignments.map { ("@set", $0.column, $0.place) }
        let owning = account.owned.map { ("@owns", $0.from, $0.place) }
        for (word, name, place) in columns + owning where SQLName.parts(ofPath: name)?.count != 3 {
            report("\(word) \(name): write schema.table.column", place)
        }
        let staying =
            account.kept.map { ("@keep", $0.table, $0.place) }
            + account.shared.map { ("@shared", $0.table, $0.place) }
        let tables = staying + account.written.map { ("@written", $0.table, $0.place) }
        for (word, name, place) in tables where TableName(path: name) == nil {
            report("\(word) \(name): write schema.table", place)
        }
        let root = Self.folded(account.root)
        let own =
            columns.filter { Self.folded($0.1) == root }
            + staying.filter { Self.folded($0.1) == Array(root.dropLast()) }
        for (word, name, place) in own {
            report("\(word) \(name): a deletion always deletes the user's own row", place)
        }
        checkReferences(account, root)
        checkVia(account)
        checkAdditions(account)
        checkFiles(account)
        for line in account.ignored where line.pattern.split(separator: ".").count != 3 {
            report("@ignore \(line.pattern): write schema.table.column, with * for any part of a name", line.place)
        }
        let named = (columns + tables).map { ($0.1, $0.2) } + account.refers.map { ($0.from, $0.place) }
        for (name, place) in named where SQLName.parts(ofPath: name)?.first == SQLName.ledger {
            report("@account can't declare a table of the schema usher", place)
        }
        checkOnce(account.shared.map { ([$0.table], $0.place) })
        checkOnce(account.written.map { ([$0.table], $0.place) })
        checkOnce(account.ignored.map { ([$0.pattern], $0.place) })
        checkOnce(account.refers.map { ([$0.from, $0.to ?? "", $0.condition ?? ""], $0.place) })
    }

    /// Reports a reference whose referring side is incomplete, can't be detached, or is the users' key.
    private mutating func checkReferences(_ account: App.Account, _ root: [String]) {
        for line in account.refers {
            if !line.from.contains("("), SQLName.parts(ofPath: line.from)?.count != 3 {
                report("@refers \(line.from): write schema.table.column", line.place)
            } else if line.answer == .detach, line.column == nil {
                report("@refers \(line.from) : detach needs a column that can be set to NULL", line.place)
            } else if Self.folded(line.from) == root {
                let hint = line.to.map { "write the referring column first: `@refers \($0) -> \(line.from)`" }
                report("@refers \(line.from): the user's own row can't refer to a user", line.place, hint: hint)
            }
        }
    }

    /// Reports a `via` that isn't the name of one column.
    private mutating func checkVia(_ account: App.Account) {
        let ways = account.kept.map { ($0.way, $0.place) } + account.assignments.map { ($0.way, $0.place) }
        for (way, place) in ways {
            guard let via = way.via, SQLName.parts(ofPath: via)?.count != 1 else { continue }
            report("via \(via): write only the name of the column", place)
        }
    }

    /// Reports statements of an account other than INSERT, because usher never restores the rows that they change.
    private mutating func checkAdditions(_ account: App.Account) {
        for statement in account.statements {
            let (targets, place) = (statement.sql.targets, statement.sql.place)
            // The parser has already reported a missing or broken statement.
            guard !place.isOfNothing else { continue }
            if statement.summary.isEmpty { report("after @do, write what the statement does", place) }
            guard targets.count == 1, statement.sql.onlyInserts, !targets[0].returns else {
                report("@do in @account must be one INSERT, without RETURNING or ON CONFLICT DO UPDATE", place)
                continue
            }
            let name = SQLName.path(of: [targets[0].table.schema, targets[0].table.name])
            for line in account.written where line.answer == .remove && Self.folded(line.table) == Self.folded(name) {
                report(
                    "@written \(line.table): @do adds rows to this table; write `keep` instead of `remove`", line.place)
            }
        }
    }

    /// Reports a path without the account's key, because it would match the files of all users.
    private mutating func checkFiles(_ account: App.Account) {
        let keys = [app.users.key, SQLName.parts(ofPath: account.root)?.last].compactMap { $0 }.filter { !$0.isEmpty }
        guard let key = keys.first else { return }
        for line in account.files where !line.prefix.isEmpty {
            let facts = Sentence(line.prefix, at: line.place).facts
            if facts.count == 1, keys.contains(facts[0]) { continue }
            let place = line.place.narrowed(to: facts.first { !keys.contains($0) }.map { "{\($0)}" } ?? line.prefix)
            findings.append(
                Diagnostic(
                    "the path of @files must contain the key of the account exactly once, in braces", in: place.file,
                    at: place.offset, hint: "write {\(key)}"))
        }
    }

    /// Reports a table, column or reference that two directives of the same kind declare.
    private mutating func checkOnce(_ lines: [(subject: [String], place: App.Place)]) {
        var seen: Set<[[String]]> = []
        for line in lines where !seen.insert(line.subject.map(Self.folded)).inserted {
            report("\(line.subject[0]) is declared twice", line.place)
        }
    }

    private static func folded(_ name: String) -> [String] { SQLName.parts(ofPath: name) ?? [name] }

    private mutating func report(_ message: String, _ place: App.Place, hint: String? = nil) {
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }
}
