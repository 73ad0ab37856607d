import AppFile
import CommandLine
import Commands
import Inquiries
import Testing

/// For every command, the parser accepts exactly the global options that the help lists and the table below contains.
@Suite struct GlobalOptionTests {
    private static let apps = ["impulse", "importer", "langchat", "strikelab", "xtablo"]

    /// A command, alone or with an option that changes which global options it accepts.
    struct Case: Sendable, CustomTestStringConvertible {
        let grammar: Grammar
        let command: Command
        let own: Option?

        var testDescription: String { command.name + (own.map { " --\($0.long)" } ?? "") }

        /// The shortest words that the parser accepts.
        var words: [String] {
            let options = command.options.filter { $0.isRequired || $0.long == own?.long }
            let supplied = options.flatMap(\.supplies)
            let arguments = command.arguments.filter { $0.isRequired && !supplied.contains($0.name) }
            return command.path + arguments.map { Self.value($0.kind) }
                + options.flatMap { option in
                    ["--\(option.long)"] + (option.value.map { [Self.value($0.kind)] } ?? [])
                }
        }

        static func value(_ kind: ValueKind) -> String {
            switch kind {
            case .integer(let range): "\(max(range?.lowerBound ?? 1, 1))"
            case .seconds: "1"
            case .choice(let choices), .answer(let choices): choices[0].name
            case .assignment: "a=1"
            default: "x"
            }
        }

        /// The global options on the command's help page.
        var listed: Set<String> {
            let entries = section("COMMON OPTIONS").filter { $0.prefix(7).contains("-") }
            let usual = Set(entries.compactMap { $0.firstMatch(of: /--([a-z-]+)/).map { String($0.output.1) } })
            guard let own else { return usual }
            return usual.union(names(in: "COMMON OPTIONS WITH --\(own.long)")).subtracting(gone(with: own))
        }

        /// The long names of the options in a section of the help, which shows the short form if there is one.
        private func names(in title: String) -> Set<String> {
            let shorts = GlobalOptions.declarations.compactMap { option in
                option.short.map { ("-\($0)", option.long) }
            }
            let long = Dictionary(uniqueKeysWithValues: shorts)
            return Set(
                section(title).prefix { !$0.hasPrefix("  Not allowed: --") }.flatMap { $0.split(separator: " ") }.map {
                    long[String($0)] ?? String($0.dropFirst(2))
                })
        }

        private func gone(with own: Option) -> Set<String> {
            let lines = section("COMMON OPTIONS WITH --\(own.long)").map { $0.drop { $0 == " " } }
            let list = lines.drop { !$0.hasPrefix("Not allowed: --") }.joined(separator: " ")
            return Set(
                list.split(whereSeparator: { " ,.".contains($0) }).filter { $0.hasPrefix("--") }.map {
                    String($0.dropFirst(2))
                })
        }

        private func section(_ title: String) -> [String] {
            let page = grammar.help(.command(command.path)).text()
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return Array(lines.drop { $0 != title }.dropFirst().prefix { $0.isEmpty || $0.hasPrefix(" ") })
        }
    }

    private static func cases(of grammar: Grammar) -> [Case] {
        grammar.commands.filter { !$0.isHidden }.flatMap { command in
            ([nil] + command.options.filter { $0.traits != nil }).map { own in
                Case(grammar: grammar, command: command, own: own)
            }
        }
    }

    private static let builtIn = cases(of: Verbs.grammar)

    private static func ofApps() throws -> [Case] {
        try apps.flatMap { name in
            let grammar = AppVerbs.extending(Verbs.grammar, by: try AppLibrary.app(name))
            return cases(of: grammar).filter { Verbs.grammar.command(at: $0.command.path) == nil }
        }
    }

    private static func accepted(_ subject: Case) -> Set<String> {
        Set(
            GlobalOptions.declarations.map(\.long).filter { long in
                guard let option = GlobalOptions.declarations.first(where: { $0.long == long }) else { return false }
                // The values of -o depend on the command.
                let values = option.value.map { value -> [String] in
                    if case .choice(let choices) = value.kind { return choices.map(\.name) }
                    return [Case.value(value.kind)]
                }
                let spellings = values.map { $0.map { "--\(long)=\($0)" } } ?? ["--\(long)"]
                return spellings.contains { spelling in (try? subject.grammar.parse(subject.words + [spelling])) != nil
                }
            })
    }

    @Test(arguments: builtIn) func commandAcceptsTheGlobalOptionsThatItsHelpLists(subject: Case) {
        #expect(Self.accepted(subject) == subject.listed)
    }

    @Test func appCommandAcceptsTheGlobalOptionsThatItsHelpLists() throws {
        for subject in try Self.ofApps() {
            #expect(Self.accepted(subject) == subject.listed, "\(subject.testDescription)")
        }
    }

    private static let changes = [
        "quota set", "settings set", "account delete", "account restore", "state force",
        "request approve", "audit undo", "undo", "install", "uninstall", "check --fix",
    ]
    private static let askable = [
        "quota set", "settings set", "account delete", "state force", "audit undo", "undo", "check --fix",
    ]
    private static let notes = ["user note", "request decline", "request withdraw"]
    private static let inquiries = [
        "user find", "user list", "user show", "user why", "user timeline", "quota show", "stats", "check",
    ]
    private static let watchable = [
        "settings show", "audit list", "audit show", "request list", "request show",
    ]
    private static let reports = [
        "account survey", "account survey --check", "account survey --write", "account plan", "account search",
        "state list", "audit verify", "roles show", "roles sql", "app show", "app check", "doctor",
    ]
    /// Commands that connect and print no rows.
    private static let silent = ["user export", "user export --out", "app init", "app sql", "install --sql", "help"]
    /// Commands that connect to no database of the operator, or to only one.
    private static let others = [
        "app list", "app diff", "app test", "app format", "app format --check", "connect", "demo",
        "demo --stop", "run", "completion", "version",
    ]

    /// The table lists the commands that accept each global option.
    @Test func globalOptionsOfEachCommandMatchTheTable() {
        let names = Self.builtIn.map(\.testDescription)
        let groups = [
            Self.changes, Self.notes, Self.inquiries, Self.watchable, Self.reports, Self.silent, Self.others,
        ]
        #expect(Set(names) == Set(groups.joined()), "a command is in no group")
        let rows = [
            "app list", "app diff", "app test", "app format --check", "connect", "demo", "version",
        ]
        let connecting = groups.dropLast().flatMap { $0 }
        let results = connecting.filter { !Self.silent.contains($0) } + rows
        let table: [(options: [String], commands: [String])] = [
            (["dry-run", "yes"], Self.changes + ["run"]), (["confirm"], Self.changes), (["request"], Self.askable),
            // `uninstall` records nothing, because it removes the audit log.
            (["reason", "ticket"], Self.changes.filter { $0 != "uninstall" } + Self.notes + ["run"]),
            (["at", "also"], Self.inquiries + ["run"]), (["watch"], Self.inquiries + Self.watchable),
            (["fields", "for-spreadsheet"], results), (["json"], results + ["run"]),
            (["output"], results + ["run", "user export", "user export --out"]),
            (["db"], connecting + ["connect", "app test", "run"]), (["app"], connecting + ["demo", "app test", "run"]),
            (["fleet", "only", "member"], connecting + ["run"]),
            (["timeout", "tz", "show-sql", "no-progress"], connecting + ["connect", "demo", "app test", "run"]),
            (["keep-going"], ["run"]),
            (["no-color", "no-input", "no-pager", "quiet", "verbose", "help", "version"], names),
        ]
        #expect(Set(table.flatMap(\.options)) == Set(GlobalOptions.declarations.map(\.long)))
        let accepted = Self.builtIn.map { (command: $0.testDescription, options: Self.accepted($0)) }
        for (options, commands) in table {
            for option in options {
                let accepting = accepted.filter { $0.options.contains(option) }.map(\.command)
                #expect(Set(accepting) == Set(commands), "--\(option)")
            }
        }
    }

    @Test func appCommandHasTheGlobalOptionsOfItsKind() throws {
        for subject in try Self.ofApps() {
            let accepted = Self.accepted(subject)
            let isAction = subject.command.role != nil
            for option in ["dry-run", "yes", "confirm", "reason", "ticket", "request"] {
                #expect(accepted.contains(option) == isAction, "\(subject.testDescription) --\(option)")
            }
            for option in ["at", "also", "watch"] {
                #expect(accepted.contains(option) == !isAction, "\(subject.testDescription) --\(option)")
            }
            #expect(accepted.isSuperset(of: ["db", "output", "fields", "fleet", "timeout", "tz"]))
        }
    }

    @Test(arguments: builtIn) func errorOfARefusedGlobalOptionNamesTheCommandAndTheOption(subject: Case) {
        let accepted = Self.accepted(subject)
        for option in GlobalOptions.declarations where !accepted.contains(option.long) {
            let words = subject.words + ["--\(option.long)"] + (option.value.map { [Case.value($0.kind)] } ?? [])
            let error = #expect(throws: UsageError.self) { _ = try subject.grammar.parse(words) }
            let message = error?.message ?? ""
            #expect(message.hasPrefix("`\(subject.command.name)") && message.contains("--\(option.long)"), "\(message)")
        }
    }

    /// `run` passes on the same options that the console accepts.
    @Test func consoleAcceptsTheOptionsOfRun() throws {
        let session = GlobalOptions.declarations.filter { option in
            guard !["help", "version"].contains(option.long) else { return true }
            let words = ["--\(option.long)"] + (option.value.map { [Case.value($0.kind)] } ?? [])
            guard case .nothing? = try? Verbs.grammar.parse(words) else { return false }
            return true
        }.map(\.long)
        let run = try #require(Self.builtIn.first { $0.testDescription == "run" })
        #expect(Set(session) == Self.accepted(run))
    }

    @Test func completionOffersTheOptionsThatTheCommandAccepts() {
        for subject in Self.builtIn where subject.own == nil {
            let offered = Verbs.grammar.completion(of: subject.command.path + ["--"]).candidates.map {
                String($0.name.dropFirst(2))
            }
            let own = subject.command.options.map(\.long)
            #expect(Set(offered).subtracting(own) == Self.accepted(subject), "\(subject.testDescription)")
        }
        #expect(
            Verbs.grammar.completion(of: ["user", "list", "-o", ""]).candidates.map(\.name).contains("github") == false)
        #expect(Verbs.grammar.completion(of: ["app", "check", "-o", "g"]).candidates.map(\.name) == ["github"])
    }
}
