internal import AppFile

/// Finds the command, the help page or the option that words name, and suggests names for unknown words.
extension Grammar {
    /// Finds the command at the start of some words, and returns it with the rest of the words; nil without words.
    func resolve(_ words: [String]) throws(UsageError) -> (command: Command, rest: ArraySlice<String>)? {
        guard let first = words.first else { return nil }
        if let command = command(at: [first]) {
            return (command, words.dropFirst())
        }
        guard noun(named: first) != nil else {
            throw unknownFirst(words, among: nouns.map(\.name) + plainCommands.map(\.name))
        }
        guard words.count > 1 else {
            throw UsageError(message: "`\(first)` needs a verb", hint: verbList(first), command: [first])
        }
        guard let command = command(at: Array(words.prefix(2))) else {
            throw unknownVerb(words[1], of: first)
        }
        return (command, words.dropFirst(2))
    }

    /// The page for `help WORDS`: a noun, a command, a topic, or the program.
    package func helpRequest(for words: [String]) throws(UsageError) -> HelpRequest {
        guard let first = words.first else { return .program }
        if words == ["all"] { return .all }
        if words.count == 1, topic(named: first) != nil, noun(named: first) == nil, command(at: [first]) == nil {
            return .topic(first)
        }
        if words.count == 1, noun(named: first) != nil { return .noun(first) }
        guard noun(named: first) != nil || command(at: [first]) != nil else {
            throw unknownFirst(words, among: nouns.map(\.name) + plainCommands.map(\.name) + topics.map(\.name))
        }
        guard let target = try resolve(words) else { return .program }
        guard target.rest.isEmpty else {
            let message = "there is no help about `\(words.joined(separator: " "))`"
            throw UsageError(
                message: message, hint: "try `usher help \(target.command.name)`", command: target.command.path)
        }
        return .command(target.command.path)
    }

    /// The page for `-h` anywhere: the most specific command or noun of the words.
    func deepestHelp(_ words: [String]) throws(UsageError) -> HelpRequest {
        do {
            return try helpRequest(for: Array(words.prefix(2)))
        } catch {
            guard let request = try? helpRequest(for: Array(words.prefix(1))) else { throw error }
            return request
        }
    }

    /// The error for an unknown first word.
    private func unknownFirst(_ words: [String], among names: [String]) -> UsageError {
        let first = words.first ?? ""
        let second = words.dropFirst().first
        let visible = commands.filter { !$0.isHidden && $0.path.count == 2 }
        if first.contains("://") || first.contains("=") {
            return UsageError(
                message: "unknown command `\(first)`", hint: "`-d` names a database: `\(program) -d CONNINFO`")
        }
        var suggestions: [String] = []
        // An email alone suggests the command that shows a user.
        if first.contains("@"), let look = visible.first(where: { $0.arguments.first?.kind == .user }) {
            suggestions = ["\(look.name) \(quoteWord(first))"]
        }
        if let hint = renames[first] { return UsageError(message: "unknown command `\(first)`", hint: hint) }
        // For a word of another tool, suggests the command or verbs that do the same.
        if suggestions.isEmpty, let meant = synonyms[first] {
            suggestions = commands.filter { $0.name == meant || $0.path.last == meant && !$0.isHidden }.map(\.name)
        }
        // `show user`: the right words in the wrong order; `show`: the verb alone.
        if suggestions.isEmpty, let second { suggestions = visible.filter { $0.path == [second, first] }.map(\.name) }
        if suggestions.isEmpty { suggestions = visible.filter { $0.path.last == first }.map(\.name) }
        if suggestions.isEmpty {
            suggestions = Nearest.names(to: first, among: names).map { name in
                guard let second, command(at: [name, second]) != nil else { return name }
                return "\(name) \(second)"
            }
        }
        if suggestions.isEmpty {
            let verbs = Nearest.names(to: first, among: visible.compactMap(\.path.last))
            suggestions = visible.filter { $0.path.last.map(verbs.contains) ?? false }.map(\.name)
        }
        let hint = didYouMean(Array(suggestions.prefix(4))) ?? "`\(program) help all` lists all commands"
        return UsageError(message: "unknown command `\(first)`", hint: hint)
    }

    private func unknownVerb(_ verb: String, of noun: String) -> UsageError {
        let own = verbs(of: noun).compactMap(\.path.last)
        let meant = synonyms[verb].flatMap { $0.split(separator: " ").last.map(String.init) }
        let near = (meant.flatMap { own.contains($0) ? [$0] : nil } ?? Nearest.names(to: verb, among: own)).map {
            "\(noun) \($0)"
        }
        let elsewhere = commands.filter { !$0.isHidden && $0.path.count == 2 && $0.path.last == verb }.map(\.name)
        let hint =
            renames["\(noun) \(verb)"] ?? didYouMean(near)
            ?? (elsewhere.count == 1 ? didYouMean(elsewhere) : nil) ?? verbList(noun)
        return UsageError(message: "`\(noun)` has no verb `\(verb)`", hint: hint, command: [noun])
    }

    private func verbList(_ noun: String) -> String {
        "`\(noun)` has: \(verbs(of: noun).compactMap(\.path.last).joined(separator: ", "))"
    }

    func unknownOption(_ scan: OptionScan, of command: Command?) -> UsageError? {
        guard let unknown = scan.unknown.first else { return nil }
        let place = unknown.cluster.map { " in `\($0)`" } ?? ""
        let given = scan.given.map(\.long)
        let candidates =
            command.map { $0.options + globals(of: $0, with: given) } ?? globals + commands.flatMap(\.options)
        let known = candidates.map(\.long)
        // `-limit` is a long name with a missing dash.
        var typed = unknown.cluster ?? unknown.spelling
        typed = String(typed.drop { $0 == "-" }.prefix { $0 != "=" })
        let near = typed.count > 1 ? Nearest.names(to: typed, among: known) : []
        let list =
            command.map { "`\(program) help \($0.name)` lists its options" }
            ?? "`\(program) help all` lists the global options"
        let hint = renames["--\(typed)"] ?? didYouMean(near.map { "--\($0)" }) ?? list
        return UsageError(message: "unknown option `\(unknown.spelling)`\(place)", hint: hint)
    }

    func foreignOption(_ given: OptionScan.Given, of command: Command?) -> UsageError {
        let owners = commands.filter { owner in !owner.isHidden && owner.options.contains { $0.long == given.long } }
        let names = owners.prefix(4).map { "`\($0.name)`" }.joined(separator: ", ")
        let belongs =
            owners.isEmpty ? nil : "`--\(given.long)` belongs to \(names)\(owners.count > 4 ? ", …" : "")"
        guard let command else {
            return UsageError(message: "`\(given.spelling)` needs a command", hint: belongs)
        }
        let near = Nearest.names(to: given.long, among: command.options.map(\.long)).map { "--\($0)" }
        return UsageError(
            message: "`\(command.name)` has no option `\(given.spelling)`",
            hint: didYouMean(near) ?? belongs ?? "`usher help \(command.name)` lists its options",
            command: command.path)
    }
}
