/// The language of the command line: nouns, verbs, options and help topics.
package struct Grammar: Sendable {
    package var program: String
    package var summary: String
    /// Options with the same meaning for every command, such as `--help` and `--version`.
    package var globals: [Option]
    package var nouns: [Noun]
    package var commands: [Command]
    package var topics: [Topic]
    /// A few useful commands, for the first help page.
    package var examples: [Example]
    /// Hints for commands and options of earlier versions and other tools.
    ///
    /// The key is `noun verb`, a word or `--option`.
    package var renames: [String: String]
    /// The verb or command for a word of another tool: `view` means `show`.
    package var synonyms: [String: String]
    /// The names of the commands of the first help page, by reader; if empty, the page lists all commands.
    package var groups: [(title: String, commands: [String])]

    /// Creates a grammar; a test checks the program's grammar for mistakes.
    package init(
        program: String, summary: String, globals: [Option], nouns: [Noun], commands: [Command], topics: [Topic] = [],
        examples: [Example] = [], renames: [String: String] = [:], synonyms: [String: String] = [:],
        groups: [(title: String, commands: [String])] = []
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
}

package struct Noun: Sendable, Equatable {
    package var name: String
    package var summary: String

    package init(name: String, summary: String) {
        self.name = name
        self.summary = summary
    }
}

package struct Topic: Sendable {
    package var name: String
    package var summary: String
    /// The text, with empty lines between paragraphs.
    ///
    /// An indented line `TERM  text`, with two spaces before the text, is an entry, unless it begins with four spaces.
    /// Other indented lines are printed unchanged.
    package var text: String { makeText() }
    /// Only `help` and completion need the texts, and the text about the language is long.
    private let makeText: @Sendable () -> String

    package init(name: String, summary: String, text: @autoclosure @escaping @Sendable () -> String) {
        self.name = name
        self.summary = summary
        makeText = text
    }
}

extension Grammar {
    /// The same grammar with the nouns and verbs of an app.
    ///
    /// An app may add verbs to an existing noun; the noun keeps its summary. A duplicate verb is a mistake. With a title,
    /// the first page lists the app's verbs after the commands of the first reader.
    package func adding(nouns: [Noun], commands: [Command], titled title: String? = nil) -> Grammar {
        var sum = self
        if let title, !groups.isEmpty, !commands.isEmpty {
            sum.groups.insert((title, commands.map(\.name)), at: 1)
        }
        for noun in nouns where sum.noun(named: noun.name) == nil {
            sum.nouns.append(noun)
        }
        sum.commands += commands
        return sum
    }

    package func noun(named name: String) -> Noun? {
        nouns.first { $0.name == name }
    }

    package func command(at path: [String]) -> Command? {
        commands.first { $0.path == path }
    }

    package func topic(named name: String) -> Topic? {
        topics.first { $0.name == name }
    }

    /// The verbs of a noun, in order, without hidden ones.
    package func verbs(of noun: String) -> [Command] {
        commands.filter { $0.path.count == 2 && $0.path.first == noun && !$0.isHidden }
    }

    /// The commands of one word, such as `doctor`, without hidden ones.
    package var plainCommands: [Command] {
        commands.filter { $0.path.count == 1 && !$0.isHidden }
    }

    /// The global options that a command accepts, given some options of its own.
    ///
    /// Without a command, the global options that the console and scripts pass on to their commands.
    package func globals(of command: Command?, with given: some Collection<String> = []) -> [Option] {
        globals.compactMap { $0.narrowed(to: command?.traits(with: given)) }
    }

    /// The option with this name: an option of the command, or a global option that the command accepts.
    package func option(_ long: String, of command: Command?, with given: some Collection<String> = []) -> Option? {
        command?.options.first { $0.long == long }
            ?? globals.first { $0.long == long }?.narrowed(to: command?.traits(with: given))
    }
}
