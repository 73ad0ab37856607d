internal import AppFile

/// The pages of `help`.
extension Grammar {
    /// A help page; help on an unknown word is the page of the program.
    package func help(_ request: HelpRequest) -> HelpPage {
        let sections: [HelpPage.Section]
        switch request {
        case .program: sections = groups.isEmpty ? programHelp() : firstPage()
        case .all: sections = programHelp()
        case .noun(let name):
            sections = noun(named: name).map(nounHelp) ?? programHelp()
        case .command(let path):
            sections = command(at: path).map(commandHelp) ?? programHelp()
        case .topic(let name):
            sections = topic(named: name).map(topicHelp) ?? programHelp()
        }
        return HelpPage(sections: sections)
    }

    /// The most important commands, by reader; `help all` lists all commands.
    private func firstPage() -> [HelpPage.Section] {
        let parts = groups.map { group in
            HelpPage.Section(
                title: group.title,
                items: group.commands.compactMap { command(at: $0.split(separator: " ").map(String.init)) }.map {
                    .entry(term: $0.name, text: $0.summary)
                })
        }
        let names = topics.map(\.name).joined(separator: ", ")
        return [
            .init(items: [.paragraph("\(program): \(summary)")]), .init(title: "TRY", items: entries(of: examples)),
        ]
            + parts + [
                .init(title: "TOPICS (`\(program) help TOPIC`)", items: [.paragraph(names)]),
                .init(items: [
                    .paragraph(
                        "`\(program) COMMAND --help` explains a command. `\(program) help all` lists all commands and options."
                    )
                ]),
            ]
    }

    private func programHelp() -> [HelpPage.Section] {
        let nounEntries = nouns.map { noun in
            let verbs = verbs(of: noun.name).compactMap(\.path.last).joined(separator: ", ")
            return HelpPage.Item.entry(term: noun.name, text: "\(noun.summary)\n\(verbs)")
        }
        return [
            .init(items: [.paragraph("\(program): \(summary)")]),
            .init(title: "EXAMPLES", items: entries(of: examples)),
            .init(
                title: "USAGE",
                items: [
                    .literal("\(program) <noun> <verb> [arguments] [options]"),
                    .literal("\(program) <command> [arguments] [options]"),
                ]),
            .init(title: "NOUNS AND THEIR VERBS", items: nounEntries),
            .init(title: "COMMANDS", items: plainCommands.map { .entry(term: $0.name, text: $0.summary) }),
            .init(
                title: "GLOBAL OPTIONS",
                items: [.paragraph("The help of each command lists the global options that the command accepts.")]
                    + entries(of: globals)),
            .init(title: "TOPICS", items: topics.map { .entry(term: $0.name, text: $0.summary) }),
            .init(items: [
                .paragraph(
                    "`\(program) help NOUN` or `\(program) NOUN VERB --help` explains a command. `\(program) help TOPIC` explains a topic."
                )
            ]),
        ]
    }

    private func nounHelp(_ noun: Noun) -> [HelpPage.Section] {
        let verbs = verbs(of: noun.name)
        let pointer = "`\(program) help \(noun.name) VERB` explains a verb."
        return [
            .init(items: [.paragraph("\(program) \(noun.name): \(noun.summary)")]),
            .init(title: "USAGE", items: [.literal("\(program) \(noun.name) <verb> [arguments] [options]")]),
            .init(
                title: "VERBS", items: verbs.map { .entry(term: $0.path.last ?? "", text: $0.summary + $0.roleNote) }),
            .init(title: "EXAMPLES", items: entries(of: verbs.compactMap(\.examples.first))),
        ] + named(noun.name) + [.init(items: [.paragraph(pointer)])]
    }

    /// The topic with the name of the command.
    private func named(_ name: String) -> [HelpPage.Section] {
        topic(named: name).map { [.init(items: HelpPage.Item.items(in: $0.text))] } ?? []
    }

    private func commandHelp(_ command: Command) -> [HelpPage.Section] {
        let exitCodes = topic(named: "exit-codes").map { "Exit codes: `\(program) help \($0.name)`." }
        let turning = command.options.filter { $0.traits != nil }
        return [
            .init(items: [.paragraph("\(program) \(command.name): \(command.summary)")]),
            .init(title: "USAGE", items: [.literal(command.usage(program: program))]),
            .init(
                items: command.grade.map { grade in
                    let hasPreview = grade == .mild && option("dry-run", of: command) != nil
                    let preview = hasPreview ? " Use --dry-run to preview." : ""
                    return [.paragraph(grade.explanation + preview + command.needs)]
                } ?? []),
            .init(items: HelpPage.Item.items(in: command.discussion)),
            .init(title: "ARGUMENTS", items: command.arguments.map { .entry(term: $0.name, text: $0.explanation) }),
            .init(title: "OPTIONS", items: entries(of: command.options)),
            .init(title: "COMMON OPTIONS", items: entries(of: globals(of: command))),
        ] + turning.map { turnedGlobals(of: command, by: $0) }
            + [.init(title: "EXAMPLES", items: entries(of: command.examples))] + named(command.name)
            + [.init(items: exitCodes.map { [.paragraph($0)] } ?? [])]
    }

    private func turnedGlobals(of command: Command, by own: Option) -> HelpPage.Section {
        let usual = globals(of: command)
        let turned = globals(of: command, with: [own.long])
        let added = turned.filter { option in !usual.contains { $0.long == option.long } }
        let gone = usual.filter { option in !turned.contains { $0.long == option.long } }.map { "--\($0.long)" }
        return .init(
            title: "COMMON OPTIONS WITH --\(own.long)",
            items: names(of: added)
                + (gone.isEmpty ? [] : [.paragraph("Not allowed: \(gone.joined(separator: ", ")).")]))
    }

    private func topicHelp(_ topic: Topic) -> [HelpPage.Section] {
        [
            .init(items: [.paragraph("\(topic.name): \(topic.summary)")]),
            .init(items: HelpPage.Item.items(in: topic.text)),
        ]
    }

    private func entries(of options: [Option]) -> [HelpPage.Item] {
        options.map { .entry(term: $0.term, text: $0.explanation) }
    }

    private func names(of options: [Option]) -> [HelpPage.Item] {
        let names = options.map { $0.short.map { "-\($0)" } ?? "--\($0.long)" }
        return names.isEmpty ? [] : [.paragraph(names.joined(separator: " "))]
    }

    private func entries(of examples: [Example]) -> [HelpPage.Item] {
        examples.flatMap { example in
            [.literal(commandLine(of: example)), .literal("    \(example.explains)")]
                + example.output.split(separator: "\n").map { .literal("    | \($0)") }
        }
    }

    func commandLine(of example: Example) -> String {
        let isComplete = example.command.hasPrefix("\(program) ") || example.command.contains("| \(program) ")
        return isComplete ? example.command : "\(program) \(example.command)"
    }
}

extension Command {
    /// The role that the command needs, to append to its summary.
    fileprivate var roleNote: String { role.map { " (\($0))" } ?? "" }

    fileprivate var needs: String {
        guard let role else { return "" }
        let asking = traits.contains(.isAskable) ? " Without this role, request the change with --request." : ""
        return " Requires the role \(role), or a role that includes it." + asking
    }
}

extension App.Grade {
    /// The confirmation that a command of this grade needs.
    fileprivate var explanation: String {
        switch self {
        case .mild:
            "Runs without asking, except at a terminal in production or for several users."
        case .moderate: "Shows a preview and asks for confirmation; --yes confirms."
        case .severe:
            "Shows a preview and asks you to type a name or number from it; --confirm gives the answer."
        }
    }
}

extension Option {
    /// The option as lists show it, with room for the short name: `-o, --output FORMAT`.
    var term: String {
        guard let short else { return "    \(notation)" }
        return "-\(short), \(notation)"
    }

    /// The summary, followed by the allowed values.
    var explanation: String {
        let facts = [
            value?.kind.allowed(unlessIn: value?.placeholder ?? ""), value?.standard.map { "Default: \($0)." },
            isRequired ? "Required." : nil, repeats ? "May be repeated." : nil,
        ]
        return explain(summary, choices: value?.kind.explainedChoices ?? [], facts: facts)
    }
}

extension Argument {
    /// The summary, followed by the allowed values.
    var explanation: String {
        let facts = [kind.allowed(unlessIn: name), isVariadic ? "May be repeated." : nil]
        return explain(summary, choices: kind.explainedChoices, facts: facts)
    }
}

private func explain(_ summary: String, choices: [String], facts: [String?]) -> String {
    let line = facts.compactMap { $0 }.joined(separator: " ")
    if choices.isEmpty { return line.isEmpty ? summary : "\(summary) \(line)" }
    return ([summary] + choices + (line.isEmpty ? [] : [line])).joined(separator: "\n")
}

extension ValueKind {
    /// A line for every choice, if the choices have summaries.
    fileprivate var explainedChoices: [String] {
        let choices: [Choice]
        switch self {
        case .choice(let all), .answer(let all): choices = all
        default: return []
        }
        guard choices.contains(where: { !$0.summary.isEmpty }) else { return [] }
        return choices.map { $0.summary.isEmpty ? $0.name : "\($0.name): \($0.summary)" }
    }

    /// The allowed values in words; nil if they are obvious or the placeholder lists them.
    fileprivate func allowed(unlessIn placeholder: String) -> String? {
        switch self {
        case .choice(let choices):
            if !explainedChoices.isEmpty || placeholder.contains(where: { $0 == "|" }) { return nil }
            return "One of \(choices.map(\.name).joined(separator: ", "))."
        case .integer(let range?):
            return "From \(range.lowerBound) to \(range.upperBound)."
        default:
            return nil
        }
    }
}
