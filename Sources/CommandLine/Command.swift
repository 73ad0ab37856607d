package import AppFile

/// A command of the program: `user show`, or a single word such as `doctor`.
package struct Command: Sendable {
    /// The noun and the verb, or the single word.
    package var path: [String]
    package var summary: String
    /// The details after the summary, written like the text of a `Topic`; can be empty.
    package var discussion: String
    package var arguments: [Argument]
    package var options: [Option]
    /// The examples; usher computes them on demand, because it searches the whole app file for examples.
    package var examples: [Example] { makeExamples() }
    private let makeExamples: @Sendable () -> [Example]
    /// True if the command runs, but no help page, suggestion or completion names it.
    package var isHidden: Bool
    /// The grade of the change; nil for a command that only reads.
    package var grade: App.Grade?
    /// The role that an operator needs; nil if SELECT is enough.
    package var role: String?
    package var traits: Traits

    /// Creates a command from its name, `user show` or `doctor`.
    package init(
        _ name: String, summary: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        examples: @autoclosure @escaping @Sendable () -> [Example] = [], isHidden: Bool = false,
        grade: App.Grade? = nil, role: String? = nil, traits: Traits = []
    ) {
        path = name.split(separator: " ").map(String.init)
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        makeExamples = examples
        self.isHidden = isHidden
        self.grade = grade
        self.role = role
        self.traits = traits
    }

    /// The path as typed: `user show`.
    package var name: String { path.joined(separator: " ") }
}

package struct Argument: Sendable, Equatable {
    /// The name in help, and the key of `Invocation.arguments`: `USER`.
    package var name: String
    package var kind: ValueKind
    /// True if the argument needs at least one word.
    package var isRequired: Bool
    /// True if the argument takes several words.
    package var isVariadic: Bool
    package var summary: String
    /// The hint if the argument is missing; nil means the usage line.
    package var hint: String?

    /// Creates an argument from its notation: `USER`, `[USER]`, `USER...` or `[USER...]`.
    package init(_ notation: String, _ kind: ValueKind, summary: String, hint: String? = nil) {
        name = String(notation.drop { $0 == "[" }.prefix { !"].".contains($0) })
        (isRequired, isVariadic) = (!notation.hasPrefix("["), notation.utf8.contains(UInt8(ascii: ".")))
        self.kind = kind
        self.summary = summary
        self.hint = hint
    }
}

package struct Example: Sendable, Equatable {
    /// The command line, with or without the program's name.
    package var command: String
    package var explains: String
    /// The output, shortened; can be empty.
    package var output: String

    package init(_ command: String, explains: String, output: String = "") {
        self.command = command
        self.explains = explains
        self.output = output
    }
}

extension Command {
    /// Returns the usage line, `usher user show <USER> [options]`.
    ///
    /// The notation is that of `gh`: `<value>`, `[optional]`, `{either | or}`, `repeated...`.
    package func usage(program: String) -> String {
        let required = options.filter(\.isRequired).map(\.notation)
        return ([program] + path + arguments.map(notation) + required + ["[options]"]).joined(separator: " ")
    }

    /// An argument as usage lines show it, with the options that can replace it.
    private func notation(_ argument: Argument) -> String {
        let bare = argument.isVariadic ? "<\(argument.name)>..." : "<\(argument.name)>"
        let instead = options.filter { $0.supplies.contains(argument.name) }.map(\.notation)
        let either = ([bare] + instead).joined(separator: " | ")
        if !argument.isRequired { return "[\(either)]" }
        return instead.isEmpty ? bare : "{\(either)}"
    }
}

extension Command {
    package struct Traits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let connects = Traits(rawValue: 1 << 0)
        package static let choosesDatabase = Traits(rawValue: 1 << 1)
        package static let readsApp = Traits(rawValue: 1 << 2)
        package static let spansFleet = Traits(rawValue: 1 << 3)
        package static let readsAtInstant = Traits(rawValue: 1 << 4)
        package static let isWatchable = Traits(rawValue: 1 << 5)
        package static let writesResult = Traits(rawValue: 1 << 6)
        package static let writesRows = Traits(rawValue: 1 << 7)
        package static let writesLines = Traits(rawValue: 1 << 8)
        package static let reportsFindings = Traits(rawValue: 1 << 9)
        /// Changes the database in a transaction that a dry run rolls back, and may ask for confirmation.
        package static let changes = Traits(rawValue: 1 << 10)
        package static let isRecorded = Traits(rawValue: 1 << 11)
        /// Accepts --request, so that an operator with another role, or a second person, can approve the change.
        package static let isAskable = Traits(rawValue: 1 << 12)
        /// Writes a note or a file, which a dry run does not roll back.
        package static let isLasting = Traits(rawValue: 1 << 13)
        package static let runsCommands = Traits(rawValue: 1 << 14)
    }

    /// The traits of the command if some of its own options are given.
    package func traits(with given: some Collection<String>) -> Traits {
        let turning = options.filter { given.contains($0.long) }.compactMap(\.traits)
        return turning.isEmpty ? traits : Traits(turning)
    }
}

extension Command.Traits {
    package static let reachesDatabase: Command.Traits = [.connects, .choosesDatabase, .readsApp, .spansFleet]
    package static let reports: Command.Traits = [.reachesDatabase, .writesResult, .writesRows]
    package static let lists: Command.Traits = [.reports, .isWatchable]
    /// Reads the database for a given time, writes rows, and can be watched.
    package static let inquires: Command.Traits = [.lists, .readsAtInstant]
    package static let makesChange: Command.Traits = [.reports, .changes, .isRecorded]
}

extension Option {
    /// The global option, with only the values that a command with these traits accepts.
    ///
    /// Returns nil if the command doesn't accept the option. If `traits` is nil, returns the option as the console and
    /// scripts accept it.
    func narrowed(to traits: Command.Traits?) -> Option? {
        guard needs.isMet(by: traits) else { return nil }
        guard case .choice(let choices)? = value?.kind else { return self }
        var narrowed = self
        narrowed.value?.kind = .choice(choices.filter { $0.needs.isMet(by: traits) })
        return narrowed
    }
}

extension Command.Traits? {
    fileprivate func isMet(by traits: Command.Traits?) -> Bool {
        map { !$0.isDisjoint(with: traits ?? .runsCommands) } ?? true
    }
}
