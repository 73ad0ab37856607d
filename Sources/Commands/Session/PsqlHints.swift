import AppFile
import CommandLine
import PQ

/// Hints for people who type commands of psql.
enum PsqlHints {
    /// The commands of other consoles, with ours.
    private static let commands = [
        "?": ["help"], "\\?": ["help"], "\\h": ["help"], "\\conninfo": ["doctor"], "\\s": ["history"],
    ]

    /// The hint for each option of psql that usher does not have.
    private static let options: [(spellings: Set<String>, instead: String)] = [
        (
            ["-U", "-p", "--username", "--port", "--host", "--dbname"],
            "choose the database with -d 'host=… port=… user=… dbname=…'"
        ),
        (["-c", "--command"], "type the command without -c; run SQL with psql"),
        (["-f"], "`run FILE` runs commands of usher from a file; run SQL with psql"),
        (["-l", "--list"], "`doctor` shows which database this is; `psql -l` lists the databases of a server"),
        (["-V"], "use --version"),
        (["-W", "-w", "--password", "--no-password"], "usher asks for a missing password, unless you add --no-input"),
        (["-t", "-A", "--tuples-only", "--no-align"], "use `-o tsv` for programs, `-o name` for keys"),
        (["-x", "--expanded", "-H", "--html"], "use -o json, ndjson, csv or tsv"),
        (["-X", "--no-psqlrc"], "usher reads no start-up file; leave it out"),
    ]

    /// The words with a command of this console in the place of one that other consoles have for it.
    static func translated(_ words: [String]) -> [String] {
        words.first.flatMap { commands[$0] }.map { $0 + words.dropFirst() } ?? words
    }

    /// The mistake of somebody who speaks to another tool, in the place of one about words that name no command.
    static func mistake(
        in words: [String], isEnded: Bool, _ grammar: Grammar, insteadOf mistake: UsageError
    ) -> UsageError {
        guard mistake.missing == nil else { return mistake }
        let program = grammar.program
        if let option = mistake.unknownOption, let known = options.first(where: { $0.spellings.contains(option) }) {
            return UsageError(
                message: "`\(option)` is an option of psql", hint: known.instead, command: mistake.command)
        }
        guard mistake.command == nil else { return mistake }
        if let remedy = wayToService(words, program) { return UsageError(message: mistake.message, hint: remedy) }
        if let first = words.first(where: { $0.hasPrefix("\\") }) {
            return UsageError(message: "`\(first)` is a command of psql", hint: "`help` lists the commands")
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

    /// The hint for a service in the place of a command, or for a mistyped service alone.
    private static func wayToService(_ words: [String], _ program: String) -> String? {
        guard let first = words.first, !first.hasPrefix("-") else { return nil }
        let services = Services.names
        if services.contains(first) {
            let line = ([program, "-d"] + words).map(quoteWord).joined(separator: " ")
            return "`\(first)` is a service: `\(line)`"
        }
        guard words.count == 1, let near = Nearest.names(to: first, among: services).first else { return nil }
        return "did you mean the service `\(near)`? `\(program) -d \(quoteWord(near))` opens the console there"
    }
}

extension Grammar {
    /// True if commands begin with a word.
    func isBeginning(_ word: String) -> Bool { commands.contains { $0.path.first == word } }
}
