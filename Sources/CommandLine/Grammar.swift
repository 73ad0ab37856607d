/// All that can be said to a program: its nouns, verbs, options and help topics.
package struct Grammar: Sendable {
    package var program: String
    package var summary: String
    /// Options that mean the same for every command that accepts them, `--help` and `--version` among them.
    package var globals: [Option]
    package var nouns: [Noun]
    package var commands: [Command]
    package var topics: [Topic]
    /// A few commands worth knowing, for the page of the program itself.
    package var examples: [Example]
    /// Hints for commands and options of earlier versions and other tools, by `noun verb`, word or `--option`.
    package var renames: [String: String]
    /// The verbs or commands that people mean by a word of another tool: `view` means `show`.
    package var synonyms: [String: String]
    /// The commands of the first page, by reader; empty where that page lists everything.
    package var groups: [Group]

    /// Makes a grammar; a test checks that it is sound.
    package init(
        program: String, summary: String, globals: [Option], nouns: [Noun], commands: [Command], topics: [Topic] = [],
        examples: [Example] = [], renames: [String: String] = [:], synonyms: [String: String] = [:],
        groups: [Group] = []
    ) {
        self.program = program
        self.summary = summary
        self.globals = globals
        self.nouns = nouns
        self.commands = commands
        self.topics = topics
        self.examples = examples
        self.renames = renames
        self.synonyms = synonyms
        self.groups = groups
    }

    /// Commands for one kind of reader.
    package struct Group: Sendable, Equatable {
        package var title: String
        /// Their names, `user show`.
        package var commands: [String]

        /// Groups commands by their names.
        package init(_ title: String, _ commands: [String]) {
            self.title = title
            self.commands = commands
        }
    }
}

/// A thing that verbs act on.
package struct Noun: Sendable, Equatable {
    package var name: String
    package var summary: String

    /// Names a noun.
    package init(name: String, summary: String) {
        self.name = name
        self.summary = summary
    }
}

/// A help page that belongs to no command.
package struct Topic: Sendable, Equatable {
    package var name: String
    package var summary: String
    /// Paragraphs set apart by empty lines.
    ///
    /// An indented line is printed unchanged, or is an entry if it reads `  TERM  text`. After four spaces it is never an entry.
    package var text: String

    /// Names a topic.
    package init(name: String, summary: String, text: String) {
        self.name = name
        self.summary = summary
        self.text = text
    }
}

extension Grammar {
    /// Returns the same grammar with the nouns and verbs that an app brings.
    ///
    /// An app may add verbs to a noun that exists, which keeps its summary; a verb that exists twice is a problem.
    /// A title lists its verbs on the first page, behind those of the first reader.
    package func adding(nouns: [Noun], commands: [Command], titled title: String? = nil) -> Grammar {
        var sum = self
        if let title, !groups.isEmpty, !commands.isEmpty {
            sum.groups.insert(Group(title, commands.map(\.name)), at: 1)
        }
        for noun in nouns where sum.noun(named: noun.name) == nil {
            sum.nouns.append(noun)
        }
        sum.commands += commands
        return sum
    }

    /// Returns the same grammar with a remark in front of the summaries of some commands.
    package func remarking(_ remark: (Command) -> String?) -> Grammar {
        var marked = self
        for (index, command) in commands.enumerated() {
            if let remark = remark(command) { marked.commands[index].summary = "\(remark) \(command.summary)" }
        }
        return marked
    }

    /// Returns the noun of that name.
    package func noun(named name: String) -> Noun? {
        nouns.first { $0.name == name }
    }

    /// Returns the command at exactly that path.
    package func command(at path: [String]) -> Command? {
        commands.first { $0.path == path }
    }

    /// Returns the topic of that name.
    package func topic(named name: String) -> Topic? {
        topics.first { $0.name == name }
    }

    /// Returns what a noun can do, in the order of the grammar and without hidden verbs.
    package func verbs(of noun: String) -> [Command] {
        commands.filter { $0.path.count == 2 && $0.path.first == noun && !$0.isHidden }
    }

    /// The commands that are one word, such as `doctor`, without hidden ones.
    package var plainCommands: [Command] {
        commands.filter { $0.path.count == 1 && !$0.isHidden }
    }

    /// Returns the global options that a command accepts beside these options of its own; without a command, those that the
    /// console and scripts pass on to each of theirs.
    package func globals(of command: Command?, with given: some Collection<String> = []) -> [Option] {
        globals.compactMap { $0.narrowed(to: command?.traits(with: given)) }
    }

    /// Returns the option of that name which a command understands: its own or a global one.
    package func option(_ long: String, of command: Command?, with given: some Collection<String> = []) -> Option? {
        command?.options.first { $0.long == long }
            ?? globals.first { $0.long == long }?.narrowed(to: command?.traits(with: given))
    }
}
