extension Command {
    /// What a command does, which decides the global options that it accepts.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Opens a connection.
        package static let connects = Traits(rawValue: 1 << 0)
        /// Lets the operator choose the database.
        package static let choosesDatabase = Traits(rawValue: 1 << 1)
        /// Reads an app file.
        package static let readsApp = Traits(rawValue: 1 << 2)
        /// Works with the databases of a fleet.
        package static let spansFleet = Traits(rawValue: 1 << 3)
        /// Decides for an instant.
        package static let readsAtInstant = Traits(rawValue: 1 << 4)
        /// Can run again and again, and report what changed.
        package static let isWatchable = Traits(rawValue: 1 << 5)
        /// Writes a result in any format.
        package static let writesResult = Traits(rawValue: 1 << 6)
        /// Writes rows, or a document with members.
        package static let writesRows = Traits(rawValue: 1 << 7)
        /// Writes one JSON object a line, and nothing else.
        package static let writesLines = Traits(rawValue: 1 << 8)
        /// Reports findings about lines of a file.
        package static let reportsFindings = Traits(rawValue: 1 << 9)
        /// Changes the database in a transaction that a dry run rolls back, and may ask.
        package static let changes = Traits(rawValue: 1 << 10)
        /// Is recorded in the audit log.
        package static let isRecorded = Traits(rawValue: 1 << 11)
        /// Can be requested from an operator with another role.
        package static let isAskable = Traits(rawValue: 1 << 12)
        /// Writes a note or a file, which a dry run does not roll back.
        package static let isLasting = Traits(rawValue: 1 << 13)
        /// Runs several commands, to which its options are passed on.
        package static let runsCommands = Traits(rawValue: 1 << 14)
    }

    /// What the command does with these options of its own.
    package func traits(with given: some Collection<String>) -> Traits {
        let turning = options.filter { given.contains($0.long) }.compactMap(\.traits)
        return turning.isEmpty ? traits : Traits(turning)
    }
}

extension Command.Traits {
    /// Opens a connection to the operator's database, or to those of a fleet.
    package static let reachesDatabase: Command.Traits = [.connects, .choosesDatabase, .readsApp, .spansFleet]
    /// Reads the database and writes rows.
    package static let reports: Command.Traits = [.reachesDatabase, .writesResult, .writesRows]
    /// The same, and can be watched.
    package static let lists: Command.Traits = [.reports, .isWatchable]
    /// The same, for an instant.
    package static let inquires: Command.Traits = [.lists, .readsAtInstant]
    /// Changes the database, and reports the changed rows.
    package static let makesChange: Command.Traits = [.reports, .changes, .isRecorded]

    /// The commands that have any of these traits.
    var phrase: String? {
        let phrases: [(Command.Traits, String)] = [
            (.connects, "commands that connect to a database"),
            (.choosesDatabase, "commands that connect to your database"),
            (.readsApp, "commands that read an app file"),
            (.spansFleet, "commands that work with a fleet"),
            (.readsAtInstant, "commands that read at an instant"),
            (.isWatchable, "commands that can be watched"),
            (.writesResult, "commands that print a result"),
            (.writesRows, "commands that print rows"),
            (.changes, "commands that change the database"),
            (.isRecorded, "commands that are recorded in the audit log"),
            (.isAskable, "changes that can be requested"),
            (.runsCommands, "scripts"),
        ]
        return phrases.first { contains($0.0) }?.1
    }
}

extension Option {
    /// The global option as a command with these traits understands it, with the values that apply; nil where it does not apply.
    ///
    /// Without traits it is that of the console and of scripts.
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
