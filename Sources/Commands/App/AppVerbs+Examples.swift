import CommandLine

extension AppVerbs {
    /// How a change is tried first and then made, with whatever it needs.
    static func examples(of path: [String], _ arguments: [Argument], _ options: [Option]) -> [Example] {
        var words = path
        for argument in arguments where argument.arity.isRequired {
            guard let value = sample(argument.kind, named: argument.name) else { return [] }
            words.append(value)
        }
        for option in options where option.isRequired {
            guard let kind = option.value?.kind, let value = sample(kind, named: option.long) else { return [] }
            words += ["--" + option.long, value]
        }
        let line = words.map(quoteWord).joined(separator: " ")
        return [
            Example(command: line + " --dry-run", explains: "Really run, shown, and rolled back."),
            Example(command: line + " --reason 'asked for by mail'", explains: "Do it, and say why."),
        ]
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
