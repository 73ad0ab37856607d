import AppFile
import CommandLine

extension AppVerbs {
    /// How a change is tried first and then made, with whatever it needs.
    static func examples(
        of action: App.Action, _ arguments: [Argument], _ options: [Option], in app: App
    ) -> [Example] {
        var words = [action.noun, action.verb]
        for argument in arguments where argument.arity.isRequired {
            guard let value = sample(argument.kind, named: argument.name) else { return [] }
            words.append(value)
        }
        for option in options where option.isRequired {
            guard let kind = option.value?.kind, let value = sample(kind, named: option.long) else { return [] }
            words += ["--" + option.long, value]
        }
        // What may be left out may have to be said all the same; an advice of the app knows.
        if !options.contains(where: \.isRequired), let advised = advised(action, in: app) { words = advised }
        let line = words.map(quoteWord).joined(separator: " ")
        return [
            Example(command: line + " --dry-run", explains: "Really run, shown, and rolled back."),
            Example(command: line + " --reason 'asked for by mail'", explains: "Do it, and say why."),
        ]
    }

    /// The command with options that an advice gives for a user.
    private static func advised(_ action: App.Action, in app: App) -> [String]? {
        guard action.subject == .users else { return nil }
        let rules = app.decisions.flatMap(\.rules)
        let advice = rules.flatMap { $0.advice + $0.reasons.flatMap(\.advice) }
        return advice.lazy.flatMap { $0.source.split(separator: "`") }.compactMap { command -> [String]? in
            var words = command.split(separator: " ").map(String.init)
            guard words.count > 3, words[0] == action.noun, words[1] == action.verb, words[2].hasPrefix("{"),
                !words.dropFirst(3).contains(where: { $0.contains("{") })
            else { return nil }
            words[2] = sample(.user, named: "") ?? words[2]
            return words
        }.first
    }

    /// A value that the grammar takes, nil where nobody can guess one.
    private static func sample(_ kind: ValueKind, named name: String) -> String? {
        switch kind {
        case .user: "ada@example.com"
        case .choice(let choices): choices.first?.name
        case .integer(let range): String(max(range?.lowerBound ?? 1, 1))
        case .time: "2026-12-01"
        case .text, .object, .named: name.uppercased()
        default: nil
        }
    }
}
