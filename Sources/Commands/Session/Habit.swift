import CommandLine
import PQ

/// What people type who know other tools by heart.
enum Habit {
    /// What other consoles call commands that there are here.
    private static let commands = [
        "?": ["help"], "\\?": ["help"], "\\h": ["help"], "\\conninfo": ["doctor"], "\\s": ["history"],
    ]

    /// The words with a command of this console in the place of one that other consoles have for it.
    static func translated(_ words: [String]) -> [String] {
        words.first.flatMap { commands[$0] }.map { $0 + words.dropFirst() } ?? words
    }

    /// The mistake of somebody who speaks to another tool, in the place of one about words that name no command.
    static func mistake(
        in words: [String], isEnded: Bool, _ grammar: Grammar, insteadOf mistake: UsageError
    ) -> UsageError {
        guard mistake.command == nil, mistake.missing == nil else { return mistake }
        let program = grammar.program
        if let conninfo = Conninfo.ofPsql(words) {
            return UsageError(
                message: "these are options of psql",
                hint: "`\(program) -d \(quoteWord(conninfo))` opens the console there")
        }
        if let first = words.first(where: { $0.hasPrefix("\\") }) {
            return UsageError(message: "`\(first)` is for psql", hint: "`help` lists the commands")
        }
        // One that begins like a command is no statement.
        guard isEnded || words.last?.hasSuffix(";") == true, !words.prefix(1).contains(where: grammar.isBeginning)
        else {
            return mistake
        }
        return UsageError(
            message: "this looks like SQL, which psql runs",
            hint: "`help` lists the commands; `user find TEXT` finds a user")
    }
}

extension Grammar {
    /// Whether commands begin with a word.
    fileprivate func isBeginning(_ word: String) -> Bool { commands.contains { $0.path.first == word } }
}
