extension Grammar {
    /// The man page of the program, in roff.
    ///
    /// The topics `exit-codes`, `environment` and `files` become sections. Other topics become notes.
    package func manPage() -> String {
        var page = Roff()
        page.macro("TH", program.uppercased(), "1", "", program, "User Commands")
        page.macro("SH", "NAME")
        page.line("\(program) - \(summary)")
        page.macro("SH", "SYNOPSIS")
        for (index, usage) in usageLines.enumerated() {
            if index > 0 { page.macro("br") }
            page.bold(usage)
        }
        page.macro("SH", "DESCRIPTION")
        page.line("\(summary).")
        page.macro("PP")
        page.line("Options can be anywhere and are never abbreviated; `--` ends them.")
        page.macro("SH", "OPTIONS")
        for option in globals where !option.isHidden { add(option, to: &page) }
        page.macro("SH", "COMMANDS")
        for noun in nouns {
            page.macro("SS", noun.name)
            page.line(noun.summary + (noun.summary.hasSuffix(".") ? "" : "."))
            for command in verbs(of: noun.name) { add(command, to: &page) }
        }
        if !plainCommands.isEmpty { page.macro("SS", "other commands") }
        for command in plainCommands { add(command, to: &page) }
        addTopic("exit-codes", titled: "EXIT STATUS", to: &page)
        addTopic("environment", titled: "ENVIRONMENT", to: &page)
        addTopic("files", titled: "FILES", to: &page)
        addNotes(to: &page)
        addExamples(to: &page)
        page.macro("SH", "SEE ALSO")
        page.line("`psql`(1)")
        return page.text
    }

    private func add(_ option: Option, to page: inout Roff) {
        page.entry(option.term.trimmingSpaces, option.explanation)
    }

    private func add(_ command: Command, to page: inout Roff) {
        page.entry(String(command.usage(program: program).dropFirst(program.count + 1)), command.summary)
        page.macro("RS")
        add(HelpPage.Item.items(in: command.discussion), to: &page)
        for argument in command.arguments { page.entry(argument.name, argument.explanation) }
        for option in command.options where !option.isHidden { add(option, to: &page) }
        for own in [nil] + command.options.filter({ $0.traits != nil && !$0.isHidden }) {
            let globals = globals(of: command, with: own.map { [$0.long] } ?? []).filter { !$0.isHidden }
            page.macro("PP")
            page.line(
                "Global options" + (own.map { " with `--\($0.long)`" } ?? "") + ": "
                    + globals.map { "`--\($0.long)`" }.joined(separator: ", ") + ".")
        }
        page.macro("RE")
    }

    private func add(_ items: [HelpPage.Item], to page: inout Roff) {
        for item in items {
            switch item {
            case .paragraph(let text):
                page.macro("PP")
                page.line(text)
            case .entry(let term, let text): page.entry(term, text)
            case .literal(let text): page.literal([text])
            }
        }
    }

    private func addTopic(_ name: String, titled title: String, to page: inout Roff) {
        guard let topic = topic(named: name) else { return }
        page.macro("SH", title)
        add(HelpPage.Item.items(in: topic.text), to: &page)
    }

    private func addNotes(to page: inout Roff) {
        let notes = topics.filter { !["exit-codes", "environment", "files"].contains($0.name) }
        if notes.isEmpty { return }
        page.macro("SH", "NOTES")
        for topic in notes {
            page.macro("SS", topic.name)
            add(HelpPage.Item.items(in: topic.text), to: &page)
        }
    }

    private func addExamples(to page: inout Roff) {
        let first = commands.filter { !$0.isHidden }.compactMap(\.examples.first)
        page.macro("SH", "EXAMPLES")
        for example in examples.isEmpty ? first : examples {
            page.entry(commandLine(of: example), example.explains)
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}
