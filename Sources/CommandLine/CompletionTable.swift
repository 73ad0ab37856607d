/// What may stand where on a command line: the data that all completion scripts are written from.
///
/// All scripts walk the words before the cursor in the same way and keep a *spot* (the noun, or noun and verb), the
/// number of the argument, and the option whose value comes next.
struct CompletionTable {
    /// A candidate.
    struct Entry: Equatable {
        var name: String
        var summary: String
    }

    /// What completes a value.
    struct Values: Equatable {
        var entries: [Entry] = []
        var files = false
        /// The kind of name that only the app or the database knows.
        var dynamic: String?

        var isEmpty: Bool { self == Values() }
    }

    /// The spots that a set of entries belongs to.
    struct Words {
        var spot: String
        var entries: [Entry]
    }

    /// What completes an option's value at a spot, or everywhere when the spot is nil.
    struct OptionRule {
        var spot: String?
        var spellings: [String]
        var values: Values
    }

    /// What completes an argument of a command.
    struct ArgumentRule {
        var spot: String
        /// Counted from 0; nil is any further one.
        var slot: Int?
        var values: Values
    }

    let program: String
    /// The program's name as a part of function names.
    let identifier: String
    let nouns: [String]
    /// The words that may come next: at the empty spot and after every noun.
    let words: [Words]
    let globals: [Entry]
    let options: [Words]
    /// Options that take a value, `--db` and so on.
    let valueOptions: [String]
    let valueLetters: [String]
    let optionRules: [OptionRule]
    let argumentRules: [ArgumentRule]

    /// Reads the table from a grammar.
    init(_ grammar: Grammar) {
        let commands = grammar.commands.filter { !$0.isHidden }
        program = grammar.program
        identifier = String(grammar.program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        nouns = grammar.nouns.map(\.name)
        let first =
            grammar.nouns.map { Entry(name: $0.name, summary: $0.summary) }
            + grammar.plainCommands.map { Entry(name: $0.name, summary: $0.summary) }
        let verbs = grammar.nouns.map { noun in
            let entries = grammar.verbs(of: noun.name).map { Entry(name: $0.path.last ?? "", summary: $0.summary) }
            return Words(spot: noun.name, entries: entries)
        }
        words = [Words(spot: "", entries: first)] + verbs
        globals = Self.entries(grammar.globals)
        options = commands.filter { !$0.options.isEmpty }.map { command in
            Words(spot: command.name, entries: Self.entries(command.options))
        }

        let arity = OptionTable(grammar)
        valueOptions = arity.takesValue.filter(\.value).keys.sorted().map { "--\($0)" }
        valueLetters = arity.longs.filter { arity.takesValue[$0.value] ?? false }.keys.sorted().map(String.init)
        let topics = grammar.topics.map { Entry(name: $0.name, summary: $0.summary) } + first
        let rule = { (option: Option, spot: String?) -> OptionRule? in
            guard let kind = option.value?.kind else { return nil }
            let values = Self.values(kind, topics: topics)
            let spellings = ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? [])
            return values.isEmpty ? nil : OptionRule(spot: spot, spellings: spellings, values: values)
        }
        optionRules =
            commands.flatMap { command in command.options.compactMap { rule($0, command.name) } }
            + grammar.globals.compactMap { rule($0, nil) }
        argumentRules = commands.flatMap { command in
            command.arguments.enumerated().compactMap { index, argument in
                let values = Self.values(argument.kind, topics: topics)
                let isOpen = argument.arity.isVariadic && argument.kind != .topic
                if values.isEmpty { return nil }
                return ArgumentRule(spot: command.name, slot: isOpen ? nil : index, values: values)
            }
        }
    }

    private static func entries(_ options: [Option]) -> [Entry] {
        options.filter { !$0.isHidden }.map { Entry(name: "--\($0.long)", summary: $0.summary) }
    }

    private static func values(_ kind: ValueKind, topics: [Entry]) -> Values {
        switch kind {
        case .text, .integer, .number, .seconds, .time, .assignment: Values()
        case .file: Values(files: true)
        case .choice(let choices): Values(entries: choices.map { Entry(name: $0.name, summary: $0.summary) })
        case .topic: Values(entries: topics)
        case .user: Values(dynamic: "user")
        case .decision: Values(dynamic: "decision")
        case .app: Values(files: true, dynamic: "app")
        case .named(let name): Values(dynamic: name)
        }
    }

    /// The comment above the one function of each script where names from the app or the database would come from.
    func dynamicNote(_ kinds: String) -> String {
        """
        # Names that only the app or the database knows (\(kinds)) come from here and from nowhere else.
        # Nothing offers them yet: to do so, print those of KIND that begin with PREFIX, one a line, by calling
        # `\(program) __complete KIND PREFIX`.
        """
    }

    /// The kinds of names that only the app or the database knows, in words.
    var dynamicKinds: String {
        let kinds = optionRules.compactMap(\.values.dynamic) + argumentRules.compactMap(\.values.dynamic)
        return Set(kinds).sorted().joined(separator: ", ")
    }
}

extension String {
    /// The text indented by four spaces a level, empty lines excepted.
    func indented(_ levels: Int) -> String {
        let margin = String(repeating: "    ", count: levels)
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }

    /// The text with line breaks made spaces.
    var onOneLine: String {
        split { $0.isNewline }.joined(separator: " ")
    }
}
