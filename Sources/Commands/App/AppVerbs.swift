import Terminal
import Inquiries
import PQ
import Changes
import Asking
package import AppFile
package import CommandLine

/// The commands that an app file declares.
package enum AppVerbs {
    /// A command, and the place in the app file that declares it.
    typealias Declared = (verb: Verb, place: App.Place)

    /// The option names that usher reserves, by the kind of app-file block.
    package static let taken: TakenOptions = {
        let globals = Set(GlobalOptions.declarations.map(\.long))
        return [
            "action": globals.union([Subjects.option(for: "").long, Subjects.resume().long]),
            "list": globals.union(ObjectOptions.order.map(\.long)),
            "object": globals.union(ObjectOptions.all(hasOwner: true).map(\.long)),
        ]
    }()

    static func all(of app: App) -> [Declared] {
        app.actions.map { action in
            let named = action.selections.map { name in
                Option(
                    "--\(name)",
                    summary: app.selections(of: action.subject).first { $0.name == name }?.sentence.source ?? "",
                    supplies: subject(of: action).map(\.name))
            }
            let several =
                subject(of: action).map { [Subjects.option(for: $0.name), Subjects.resume(of: $0.name)] } ?? []
            let options = options(action.parameters) + named + several
            let arguments = (subject(of: action).map { [$0] } ?? []) + arguments(action.parameters)
            let command = Command(
                "\(action.noun) \(action.verb)", summary: action.summary,
                discussion: action.approver.map {
                    "In production this action needs two people: one person requests it with --request, another person with the role \($0.name) approves it."
                } ?? "", arguments: arguments, options: options,
                examples: examples(of: action, arguments, options, in: app),
                grade: action.grade, role: action.role.rawValue,
                traits: [.makesChange, .isAskable])
            return (.changing(command, action), action.place)
        }
            + app.lists.map { list in
                let takesUser = list.asksForUser
                let path = [list.noun, list.verb]
                let arguments = (takesUser ? [.user] : []) + arguments(list.parameters)
                let own = options(list.parameters)
                let command = Command(
                    "\(list.noun) \(list.verb)", summary: list.summary, arguments: arguments,
                    // An option of the list replaces the general option with the same name.
                    options: own
                        + ObjectOptions.all(hasOwner: !takesUser).filter { option in
                            !list.parameters.all.contains { $0.name == option.long }
                        },
                    examples: [listExample(line(path, arguments, own), list.columns, list.select)], traits: .inquires)
                return (.listing(command, list, takesUser: takesUser), list.place)
            } + app.objects.flatMap { objectCommands($0, in: app) }
    }

    /// Adds the nouns and commands of an app to a grammar; usher's own commands take precedence.
    package static func extending(_ grammar: Grammar, by app: App) -> Grammar {
        let commands = all(of: app).map(\.verb.command).filter { grammar.command(at: $0.path) == nil }
        return grammar.adding(
            nouns: nouns(of: app), commands: commands, titled: "COMMANDS OF THE APP \(app.name.uppercased())")
    }

    static func nouns(of app: App) -> [Noun] {
        var nouns: [Noun] = app.objects.map { Noun(name: $0.noun, summary: $0.summary) }
        // A noun has the summary of its list, or else of its first action.
        let described = app.lists.map { ($0.noun, $0.summary) } + app.actions.map { ($0.noun, $0.summary) }
        for (name, summary) in described where !nouns.contains(where: { $0.name == name }) {
            nouns.append(Noun(name: name, summary: summary))
        }
        return nouns
    }

    /// `NOUN list` and `NOUN show`, unless the app file declares a command with this name.
    private static func objectCommands(_ object: App.ObjectKind, in app: App) -> [Declared] {
        let list = Command(
            "\(object.noun) list", summary: "List \(object.noun.plural).", discussion: object.summary,
            options: object.selections.map { Option("--\($0.name)", summary: $0.sentence.source) }
                + ObjectOptions.all(hasOwner: object.hasOwner),
            examples: [listExample([object.noun, "list"], object.columns, object.select)], traits: .inquires)
        let key = Argument("KEY", .object(object.noun), summary: "The \(object.key) of the \(object.noun).")
        let path = [object.noun, "show"]
        let show = Command(
            "\(object.noun) show", summary: "Show one \(object.noun).", discussion: object.summary, arguments: [key],
            examples: [
                Example(
                    typed(line(path, [key], [])), explains: "Show all facts about one \(object.noun).",
                    output: "\(object.key)  \(key.sample)")
            ], traits: .inquires)
        let own = Set(app.actions.map { "\($0.noun) \($0.verb)" } + app.lists.map { "\($0.noun) \($0.verb)" })
        return [Verb.listing(list, object), .showing(show, object)].filter { !own.contains($0.command.name) }
            .map { ($0, object.place) }
    }

    private static func subject(of action: App.Action) -> Argument? {
        switch action.subject {
        case .users: Argument("USER...", .user, summary: "Ids or emails of users.")
        case .object(let noun):
            Argument("KEY...", .object(noun), summary: "The key of the \(noun).")
        case .nothing: nil
        }
    }

    private static func arguments(_ parameters: App.Parameters) -> [Argument] {
        parameters.arguments.filter { !$0.isSecret }.map { declaration in
            Argument(
                declaration.mayBeMissing ? "[\(declaration.name)]" : declaration.name, kind(of: declaration),
                summary: declaration.meaning)
        }
    }

    private static func options(_ parameters: App.Parameters) -> [Option] {
        parameters.options.filter { !$0.isSecret }.map { declaration in
            Option(
                "--\(declaration.name) \(declaration.name.uppercased())", kind(of: declaration),
                standard: declaration.defaultValue, summary: declaration.meaning, isRequired: !declaration.mayBeMissing)
        }
    }

    private static func kind(of declaration: ParameterDeclaration) -> ValueKind {
        switch declaration.names {
        case .users: return .user
        case .object(let noun): return .object(noun)
        case .nothing, nil: break
        }
        if !declaration.choices.isEmpty { return .choice(declaration.choices.map { Choice($0) }) }
        if let range = declaration.range { return .integer(range) }
        switch declaration.type {
        case "int", "integer", "bigint", "smallint": return .integer(nil)
        case "timestamptz": return .time
        default: return .text
        }
    }
}

extension ParameterDeclaration {
    /// The help text for a value; help prints choices and ranges separately.
    fileprivate var meaning: String {
        if let summary { return summary }
        if !choices.isEmpty { return "The \(name) to use." }
        if range != nil { return "A number." }
        switch names {
        case .users: return "An id, an email, or something that the user owns, such as an order number."
        case .object(let noun): return "The key of the \(noun)."
        case .nothing, nil: break
        }
        return switch type {
        case "timestamptz": "A time, such as 2026-12-24 12:00."
        case "interval": "A time span, such as 7 days."
        default: type
        }
    }

    /// True if the operator can leave out the value.
    var mayBeMissing: Bool { isOptional || defaultValue != nil }
}

extension Verb {
    static func listing(_ command: Command, _ list: App.List, takesUser: Bool) -> Verb {
        let names = list.parameters.all.map(\.name)
        let (noun, verb) = (list.noun, list.verb)
        return command.verb { invocation, context throws(Failure) -> Void in
            var values: [String: String] = [:]
            for name in names { values[name] = invocation.option(name) ?? invocation.argument(name) }
            let wanted = ListOptions(invocation, except: names)
            let user = takesUser ? invocation.argument("USER") : nil
            let inquiry = try context.open(for: (user ?? wanted.user) == nil ? .app : .users)
            try RecordWriter.write(Listing.list(noun, verb, wanted, values: values, user: user, in: inquiry), context)
        }
    }

    /// The command `NOUN list` for a kind of object.
    static func listing(_ command: Command, _ object: App.ObjectKind) -> Verb {
        let (noun, selections) = (object.noun, object.selections.map(\.name))
        return command.verb { invocation, context throws(Failure) -> Void in
            var wanted = ListOptions(invocation)
            wanted.selections = selections.filter(invocation.flag)
            let inquiry = try context.open(for: wanted.user == nil ? .app : .users)
            try RecordWriter.write(Listing.objects(noun, wanted, in: inquiry), context)
        }
    }

    /// The command `NOUN show` for a kind of object.
    static func showing(_ command: Command, _ object: App.ObjectKind) -> Verb {
        let (noun, column) = (object.noun, object.key)
        return command.verb { invocation, context throws(Failure) -> Void in
            let inquiry = try context.open()
            let (row, inbox) = try ObjectLookup(noun, in: inquiry).row(
                named: invocation.argument("KEY") ?? "", checking: context.showsScreen)
            let text = ScreenText(context)
            let permission = Permission(
                context, app: try context.app(), roles: inquiry.roles, in: inquiry.environment)
            let wrong = InboxView(text: text, permission: permission).lines(inbox)
            try context.writePage(
                json: row.members, records: [row],
                key: row.shown(column).flatMap(MachineText.of) ?? "",
                screen: text.record(row).lines(width: text.width) + (wrong.isEmpty ? [] : [""] + wrong))
        }
    }

    static func changing(_ command: Command, _ action: App.Action) -> Verb {
        let parameters = action.parameters.all
        let (noun, verb, selections) = (action.noun, action.verb, action.selections)
        let subject = command.arguments.first { $0.isVariadic }?.name
        return command.verb { invocation, context throws(Failure) in
            var request = ChangeRequest(.action(noun: noun, verb: verb), context)
            for parameter in parameters where !parameter.isSecret {
                let value = invocation.option(parameter.name) ?? invocation.argument(parameter.name)
                if let value { request.values[parameter.name] = value }
            }
            if let subject { request.subjects = try Subjects.read(invocation, argument: subject, context) }
            request.resumes = invocation.option("resume")
            request.selections = selections.filter(invocation.flag)
            if !request.selections.isEmpty, !request.subjects.isEmpty {
                throw Failure(
                    .usage, "`\(command.name)` takes names or --\(request.selections[0]), not both",
                    hint: "remove the names, or remove --\(request.selections[0])")
            }
            // With --request usher asks for no secrets, because the approver types the secrets.
            let (secrets, generated) = try SecretValues.ask(for: context.options.asks ? [] : parameters, context)
            request.values.merge(secrets) { _, secret in secret }
            return try ChangeCommand(request: request, context: context, generated: generated).perform()
        }
    }
}

extension ListOptions {
    /// The options of a list, except the options that the app file declares itself.
    init(_ invocation: Invocation, except own: [String] = []) {
        self.init()
        func option(_ name: String) -> String? { own.contains(name) ? nil : invocation.option(name) }
        user = option("user")
        since = option("since")
        until = option("until")
        sort = option("sort")
        limit = own.contains("limit") ? nil : invocation.integer("limit")
        `operator` = option("operator")
    }
}

extension AppVerbs {
    /// The examples of a change: a preview, then the change, with the required options.
    static func examples(
        of action: App.Action, _ arguments: [Argument], _ options: [Option], in app: App
    ) -> [Example] {
        var words = line([action.noun, action.verb], arguments, options)
        // If no option is required, the example takes its options from the app's own advice.
        if !options.contains(where: \.isRequired), let advised = advised(action, in: app) { words = advised }
        let target = arguments.first.flatMap { $0.isVariadic ? $0.sample : nil }
        let head = ["\(action.noun) \(action.verb)", target, "production"].compactMap(\.self)
        let effects = action.expects.filter { $0.about == nil }.map {
            "  \($0.decision): … → \($0.outcomes.joined(separator: " or "))"
        }
        return [
            Example(
                typed(words) + " --dry-run", explains: "Preview the change without saving it.",
                output: ([head.joined(separator: "  ")] + effects + ["Not saved: everything was rolled back."]).joined(
                    separator: "\n")),
            Example(typed(words) + " --reason 'requested by email'", explains: "Make the change, with a reason."),
        ]
    }

    /// The example of a list: the command, and the first columns.
    private static func listExample(_ words: [String], _ columns: [String], _ select: Fragment) -> Example {
        let shown = (columns.isEmpty ? select.outputNames : columns).prefix(4)
        return Example(
            typed(words), explains: "List the rows; the first line has the column names.",
            output: shown.joined(separator: "  "))
    }

    /// The words of a command, with sample values for its required arguments and options.
    private static func line(_ path: [String], _ arguments: [Argument], _ options: [Option]) -> [String] {
        path + arguments.filter(\.isRequired).map(\.sample)
            + options.filter(\.isRequired).flatMap { option in
                ["--" + option.long] + (option.value.map { [$0.kind.sample(named: option.long)] } ?? [])
            }
    }

    private static func typed(_ words: [String]) -> String { words.map(quoteWord).joined(separator: " ") }

    /// The command with the options from the app's advice for a user.
    private static func advised(_ action: App.Action, in app: App) -> [String]? {
        guard action.subject == .users else { return nil }
        let rules = app.decisions.flatMap(\.rules)
        let advice = rules.flatMap { $0.details.advice + $0.reasons.flatMap(\.details.advice) }
        return advice.lazy.flatMap { $0.source.split(separator: "`") }.compactMap { command -> [String]? in
            var words = command.split(separator: " ").map(String.init)
            guard words.count > 3, words[0] == action.noun, words[1] == action.verb, words[2].hasPrefix("{"),
                !words.dropFirst(3).contains(where: { $0.contains("{") })
            else { return nil }
            words[2] = ValueKind.user.sample(named: "")
            return words
        }.first
    }
}

extension Argument {
    fileprivate var sample: String { kind.sample(named: name) }
}

extension ValueKind {
    /// An example value that the grammar accepts.
    fileprivate func sample(named name: String) -> String {
        switch self {
        case .user: "ada@example.com"
        case .choice(let choices): choices.first?.name ?? name.uppercased()
        case .integer(let range): String(max(range?.lowerBound ?? 1, 1))
        case .time: "2026-12-01"
        default: name.uppercased()
        }
    }
}
