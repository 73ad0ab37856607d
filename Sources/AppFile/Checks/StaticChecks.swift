/// Finds the mistakes in an app file that usher can detect without a database.
struct StaticChecks: DiagnosticCollector {
    let app: App
    private let definitions: Set<String>
    var diagnostics: [Diagnostic] = []

    private init(_ app: App) {
        self.app = app
        definitions = Set(app.named.map(\.name))
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
        return checks.diagnostics
    }

    private mutating func checkDecisions() {
        for decision in app.decisions {
            // The parser reports a last rule without SQL.
            if let last = decision.rules.last?.condition, !last.tokens.isEmpty,
                !decision.rules.contains(where: \.condition.isAlwaysTrue)
            {
                report("the last rule of a decision must be `true;`, so that every user gets an answer", at: last.start)
            }
            var seen: Set<[String]> = []
            for condition in decision.rules.dropLast().map(\.condition) where !condition.tokens.isEmpty {
                if condition.isAlwaysTrue {
                    report(
                        "this condition is always true, so usher never reaches the rules below it",
                        at: condition.start, severity: .warning)
                    break
                }
                if !seen.insert(condition.normalized).inserted {
                    report(
                        "an earlier rule has this condition, so usher never reaches this rule", at: condition.start,
                        severity: .warning)
                }
            }
        }
    }

    /// Reports a parameter that the SQL of its kind of block can't use.
    private mutating func checkParameters() {
        let general = Set(["now"] + app.constants.map(\.name))
        for use in app.uses {
            let names = general.union(use.parameters)
            for (name, offset) in use.fragment.parameters where !names.contains(name) {
                let known = names.sorted().map { ":" + $0 }
                report(
                    "there is no parameter :\(name) here; choose one of: \(known.joined(separator: ", "))",
                    at: use.fragment.file.place(at: offset), near: ":" + name, among: known)
            }
        }
    }

    private mutating func checkRelations() {
        for fragment in app.uses.map(\.fragment) {
            for mention in fragment.relations where mention.schema == nil && !definitions.contains(mention.name) {
                if mention.name.hasPrefix("pg_") { continue }
                report(
                    "\(mention.name) is not defined in this file; write a table as schema.table",
                    at: fragment.place(ofToken: mention.tokens.lowerBound), near: mention.name,
                    among: definitions.sorted())
            }
        }
    }

    private mutating func checkCycles() {
        for definition in app.circularDefinitions {
            report("the definition of \(definition.name) refers to itself", at: definition.select.start)
        }
    }
}

extension Fragment {
    /// The place of the first token.
    fileprivate var start: App.Place { file.place(at: range.lowerBound) }
}

/// Checks the changes of an app; the checks need no database.
extension StaticChecks {
    /// Reports names in changes that the file doesn't declare.
    private mutating func checkChanges() {
        for action in app.actions where isKnown(action.subject, action.place) {
            let selections = app.selections(of: action.subject).map(\.name)
            for name in action.selections where !selections.contains(name) {
                report(
                    "@select \(name): there is no selection \(name)", at: action.place.narrowed(to: name, in: "select"),
                    near: name, among: selections)
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
            _ = action("run", example.run.prefix(2).map { $0 }, example.place)
            for (quota, _, place) in example.used where !app.quotas.contains(where: { $0.name == quota }) {
                report(
                    "@used \(quota): there is no @quota \(quota)", at: place, near: quota,
                    among: app.quotas.map(\.name))
            }
        }
        for item in app.checks {
            _ = isKnown(item.subject, item.place)
            guard let fix = item.fix, let action = action("fix", [fix.noun, fix.verb], fix.place) else { continue }
            let missing = action.parameters.all.first { !$0.isOptional && $0.defaultValue == nil }
            if let missing {
                report(
                    "@fix \(fix.noun) \(fix.verb): the action needs \(missing.name), but a repair runs without options",
                    at: fix.place)
            }
        }
    }

    /// True if the file declares the subject of a block; otherwise reports the name.
    private mutating func isKnown(_ subject: App.Subject, _ block: App.Place) -> Bool {
        guard case .object(let noun) = subject else { return true }
        let nouns = app.objects.map(\.noun)
        if nouns.contains(noun) { return true }
        let place = block.narrowed(to: noun, in: "on")
        report("@on \(noun): there is no @object \(noun)", at: place, near: noun, among: nouns)
        return false
    }

    /// The action that a directive names by its noun and verb; nil for no words, or after reporting an unknown name.
    private mutating func action(_ directive: String, _ words: [String], _ place: App.Place) -> App.Action? {
        let name = words.joined(separator: " ")
        let actions = app.actions.map { "\($0.noun) \($0.verb)" }
        guard let known = actions.firstIndex(of: name) else {
            let turned = words.reversed().joined(separator: " ")
            if !name.isEmpty {
                report(
                    "@\(directive) \(name): there is no @action \(name)", at: place,
                    near: actions.contains(turned) ? turned : name, among: actions)
            }
            return nil
        }
        return app.actions[known]
    }

    private mutating func check(_ expectation: App.Expectation, ofObject: Bool) {
        let (name, place) = (expectation.decision, expectation.place)
        guard let decision = app.decisions.first(where: { $0.name == name }) else {
            return report(
                "@expect \(name): there is no @decision \(name)", at: place, near: name,
                among: app.decisions.map(\.name))
        }
        if let about = expectation.about, !ofObject || decision.per == nil {
            let why =
                ofObject ? "this decision has no @per, so leave out `of`" : "only an action @on an object can use `of`"
            report("@expect \(name) of \(about): \(why)", at: place)
        }
        let outcomes = decision.rules.map(\.outcome)
        for outcome in expectation.outcomes where !outcomes.contains(outcome) {
            report(
                "@expect \(name) \(outcome): no rule of \(name) has the outcome \(outcome)",
                at: place.file.place(at: place.offset + name.utf8.count).narrowed(to: outcome),
                near: outcome, among: outcomes)
        }
    }
}

/// Finds statements that Postgres accepts but that an app file can't contain.
extension StaticChecks {
    private mutating func checkStatements() {
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) + (app.account?.statements ?? []) {
            checkLedger(statement.sql)
        }
        for fragment in app.uses.map(\.fragment) { checkClock(fragment) }
    }

    /// Reports changes that use the schema usher, because only usher's own functions may write to the audit log.
    private mutating func checkLedger(_ fragment: Fragment) {
        let place = fragment.tokens.indices.first { index in
            fragment.isName(at: index) && fragment.word(at: index) == SQLName.ledger
                && fragment.word(at: index + 1) == "." && fragment.word(at: index - 1) != "."
        }
        guard let place else { return }
        report(
            "a change can't use the schema usher", at: fragment.place(ofToken: place),
            hint: "SELECT statements of the app file can read the audit log")
    }

    /// Reports functions that read the clock, because a preview and the real change would see different times.
    private mutating func checkClock(_ fragment: Fragment) {
        for index in fragment.tokens.indices where fragment.tokens[index].kind == .word {
            let word = fragment.word(at: index)
            let isQualified = fragment.word(at: index - 1) == "."
            let isFunction = !isQualified || fragment.word(at: index - 2) == "pg_catalog"
            let readsClock =
                isFunction && fragment.word(at: index + 1) == "(" && Self.clockFunctions.contains(word)
                || !isQualified && Self.clockWords.contains(word)
            if readsClock {
                report(
                    "\(word) reads the clock, but usher answers for a fixed time; write `:now`",
                    at: fragment.place(ofToken: index))
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
    private mutating func checkAccount() {
        for settings in app.settings where settings.table.schema == SQLName.ledger {
            report(
                "@settings can't edit a table of the audit log",
                at: settings.place.narrowed(to: settings.path, in: "table"))
        }
        guard let account = app.account else { return }
        let root = Self.folded(account.root)
        let columns = account.assignments.map { ("@set", $0.column, $0.place) }
        let owning = account.owned.map { ("@owns", $0.from, $0.place) }
        let staying =
            account.kept.map { ("@keep", $0.table, $0.place) }
            + account.shared.map { ("@shared", $0.table, $0.place) }
        let tables = staying + account.written.map { ("@written", $0.table, $0.place) }
        for (word, name, place) in columns + owning where SQLName.parts(ofPath: name)?.count != 3 {
            report("\(word) \(name): write schema.table.column", at: place)
        }
        for (word, name, place) in tables where TableName(path: name) == nil {
            report("\(word) \(name): write schema.table", at: place)
        }
        for (word, name, place) in columns + staying
        where Self.folded(name) == (word == "@set" ? root : root.dropLast()) {
            report("\(word) \(name): a deletion always deletes the user's own row", at: place)
        }
        checkReferences(account, root)
        checkVia(account)
        checkAdditions(account)
        checkFiles(account)
        for line in account.ignored where line.pattern.split(separator: ".").count != 3 {
            report("@ignore \(line.pattern): write schema.table.column, with * for any part of a name", at: line.place)
        }
        let sides = account.refers.flatMap { line in [line.from, line.to].compactMap(\.self).map { ($0, line.place) } }
        for (name, place) in (columns + tables).map({ ($0.1, $0.2) }) + sides
        where App.Account.Refers.names(in: name)?.first == SQLName.ledger {
            report("@account can't declare a table of the schema usher", at: place)
        }
        checkOnce(account.shared.map { ([$0.table], $0.place) })
        checkOnce(account.written.map { ([$0.table], $0.place) })
        checkOnce(account.ignored.map { ([$0.pattern], $0.place) })
        checkOnce(account.refers.map { ([$0.from, $0.to ?? "", $0.condition ?? ""], $0.place) })
    }

    /// Reports a reference whose referring side is incomplete, can't be detached, or is the users' key.
    private mutating func checkReferences(_ account: App.Account, _ root: [String]) {
        for line in account.refers {
            if App.Account.Refers.names(in: line.from)?.count != (line.from.contains("(") ? 2 : 3) {
                report("@refers \(line.from): write schema.table.column or schema.table (expression)", at: line.place)
            } else if line.answer == .detach, line.column == nil {
                report("@refers \(line.from) : detach needs a column that can be set to NULL", at: line.place)
            } else if Self.folded(line.from) == root {
                let hint = line.to.map { "write the referring column first: `@refers \($0) -> \(line.from)`" }
                report("@refers \(line.from): the user's own row can't refer to a user", at: line.place, hint: hint)
            }
        }
    }

    /// Reports a `via` that isn't the name of one column.
    private mutating func checkVia(_ account: App.Account) {
        let ways = account.kept.map { ($0.way, $0.place) } + account.assignments.map { ($0.way, $0.place) }
        for (way, place) in ways {
            guard let via = way.via, SQLName.parts(ofPath: via)?.count != 1 else { continue }
            report("via \(via): write only the name of the column", at: place)
        }
    }

    /// Reports statements of an account other than INSERT, because usher never restores the rows that they change.
    private mutating func checkAdditions(_ account: App.Account) {
        for statement in account.statements {
            let (targets, place) = (statement.sql.targets, statement.sql.place)
            // The parser has already reported a missing or broken statement.
            guard !place.isOfNothing else { continue }
            if statement.summary.isEmpty { report("after @do, write what the statement does", at: place) }
            guard targets.count == 1, statement.sql.onlyInserts, !targets[0].returns else {
                report("@do in @account must be one INSERT, without RETURNING or ON CONFLICT DO UPDATE", at: place)
                continue
            }
            let name = SQLName.path(of: [targets[0].table.schema, targets[0].table.name])
            for line in account.written where line.answer == .remove && Self.folded(line.table) == Self.folded(name) {
                report(
                    "@written \(line.table): @do adds rows to this table; write `keep` instead of `remove`",
                    at: line.place)
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
            report(
                "the path of @files must contain the key of the account exactly once, in braces", at: place,
                hint: "write {\(key)}")
        }
    }

    /// Reports a table, column or reference that two directives of the same kind declare.
    private mutating func checkOnce(_ lines: [(subject: [String], place: App.Place)]) {
        var seen: Set<[[String]]> = []
        for line in lines where !seen.insert(line.subject.map(Self.folded)).inserted {
            report("\(line.subject[0]) is declared twice", at: line.place)
        }
    }

    private static func folded(_ name: String) -> [String] { SQLName.parts(ofPath: name) ?? [name] }
}
