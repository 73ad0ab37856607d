extension Grammar {
    /// Parses the words of a command line, without the name of the program.
    ///
    /// `--help` takes precedence over everything except an unknown noun, and `--version` takes precedence over
    /// everything else. `user` is the default user for commands that need a user. usher doesn't check values for which
    /// `accepts` returns true.
    package func parse(
        _ words: [String], user: String? = nil, accepts: @escaping (String) -> Bool = { _ in false }
    ) throws(UsageError) -> Request {
        try CommandLineParser(self, words, user: user, accepts: accepts).request()
    }

    /// Parses the words, and finds the global options even if the words contain a mistake.
    ///
    /// With these options usher chooses the app, before it knows the app's nouns and options.
    package func parseLine(_ words: [String], user: String? = nil) -> ParsedLine {
        let parser = CommandLineParser(self, words, user: user)
        let request: Result<Request, UsageError>
        do throws(UsageError) { request = .success(try parser.request()) } catch { request = .failure(error) }
        return ParsedLine(words: words, globals: parser.globals, request: request)
    }
}

/// Turns the words of one command line into a request.
private struct CommandLineParser {
    let grammar: Grammar
    let scan: OptionScan
    let user: String?
    let accepts: (String) -> Bool

    init(
        _ grammar: Grammar, _ words: [String], user: String?, accepts: @escaping (String) -> Bool = { _ in false }
    ) {
        self.grammar = grammar
        scan = OptionScan(words, grammar)
        self.user = user
        self.accepts = accepts
    }

    func request() throws(UsageError) -> Request {
        if scan.has("help") { return .help(try grammar.deepestHelp(scan.words)) }
        if scan.has("version") { return .version }

        let target: (command: Command, rest: ArraySlice<String>)?
        do {
            target = try grammar.resolve(scan.words)
        } catch {
            if scan.unknown.first?.followsWord == true { throw error }
            // The words after an unknown option may be its value.
            throw grammar.unknownOption(scan, of: nil) ?? scan.fault ?? error
        }
        if let target, let sign = scan.words.first(where: Self.shellSigns.contains), !scan.unknown.isEmpty {
            throw shellSign(sign, of: target.command)
        }
        if var error = grammar.unknownOption(scan, of: target?.command) ?? scan.fault {
            error.command = target?.command.path
            throw error
        }
        let options = try options(of: target?.command)
        guard let target else { return .nothing }
        let arguments = try assign(target.rest, to: target.command, options: options)
        try requireOptions(of: target.command, in: options)
        return .run(Invocation(command: target.command, arguments: arguments, options: options))
    }

    /// The global options, even if the words contain a mistake.
    var globals: [String: [String]] {
        var found: [String: [String]] = [:]
        for given in scan.given {
            guard let option = grammar.globals.first(where: { $0.long == given.long }) else { continue }
            if let implied = option.implies {
                found[implied.option, default: []].append(implied.value)
            } else {
                found[option.long, default: []].append(given.value ?? "true")
            }
        }
        return found
    }

    private func options(of command: Command?) throws(UsageError) -> [String: [String]] {
        var collected: [String: [String]] = [:]
        var spellings: [String: String] = [:]
        let names = scan.given.map(\.long)
        for item in scan.given {
            guard let written = grammar.option(item.long, of: command, with: names) else {
                throw grammar.foreignOption(item, of: command)
            }
            let option = written.implies.flatMap { grammar.option($0.option, of: command, with: names) } ?? written
            if !option.repeats, let earlier = spellings[option.long] {
                let both = earlier == item.spelling ? "" : ", as `\(earlier)` and `\(item.spelling)`"
                throw UsageError(message: "`--\(option.long)` is given twice\(both)", command: command?.path)
            }
            let value = written.implies?.value ?? item.value ?? "true"
            if !accepts(value), let problem = option.value?.kind.objection(to: value) {
                let message = "`\(item.spelling)` \(problem.message)"
                throw UsageError(message: message, hint: problem.hint, command: command?.path)
            }
            spellings[option.long] = item.spelling
            collected[option.long, default: []].append(value)
        }
        return collected
    }

    private func requireOptions(of command: Command, in given: [String: [String]]) throws(UsageError) {
        guard let missing = command.options.first(where: { $0.isRequired && given[$0.long] == nil }) else { return }
        throw UsageError(
            message: "the command needs the option `\(missing.notation)`", hint: usageHint(command),
            command: command.path)
    }

    /// Assigns the plain words to the arguments, so that every required argument gets a word.
    private func assign(
        _ words: ArraySlice<String>, to command: Command, options: [String: [String]]
    ) throws(UsageError) -> [String: [String]] {
        let supplied = command.options.filter { !$0.supplies.isEmpty && options[$0.long] != nil }
        var takers = command.arguments.compactMap { argument -> Argument? in
            let suppliers = supplied.filter { $0.supplies.contains(argument.name) }
            guard suppliers.allSatisfy(\.allowsSupplied) else { return nil }
            var taker = argument
            taker.isRequired = argument.isRequired && suppliers.isEmpty
            return taker
        }
        var rest = words
        var assigned: [String: [String]] = [:]
        // The option already provides its arguments.
        let known = supplied.flatMap(\.supplies)
        if let user, let index = takers.firstIndex(where: { $0.kind == .user && !known.contains($0.name) }),
            rest.count <= takers.indices.count(where: { $0 != index && takers[$0].isRequired })
        {
            assigned[takers.remove(at: index).name] = [user]
        }
        for (index, argument) in takers.enumerated() {
            let reserved = takers[(index + 1)...].count { $0.isRequired }
            let spare = max(0, rest.count - reserved)
            let most = argument.isVariadic ? spare : min(1, spare)
            let take = argument.isRequired ? max(most, min(1, rest.count)) : most
            if take == 0 && argument.isRequired {
                throw missing(argument, of: command)
            }
            for word in rest.prefix(take) {
                guard !accepts(word), let problem = argument.kind.objection(to: word) else { continue }
                let message = "\(argument.name) \(problem.message)"
                throw UsageError(message: message, hint: problem.hint ?? usageHint(command), command: command.path)
            }
            if take > 0 { assigned[argument.name] = Array(rest.prefix(take)) }
            rest = rest.dropFirst(take)
        }
        if let extra = rest.first {
            let isTextCut = supplied.isEmpty && command.arguments.last?.kind.mayHaveBlanks == true
            let reason =
                supplied.first.map { "; `--\($0.long)` already provides \($0.supplies.joined(separator: " and "))" }
                ?? (isTextCut ? "; put text with spaces in quotes" : "")
            let message = "unexpected argument `\(extra)`\(reason)"
            if Self.shellSigns.contains(extra) { throw shellSign(extra, of: command) }
            throw UsageError(message: message, hint: usageHint(command), command: command.path)
        }
        return assigned
    }

    /// The error for a pipe or a redirection, such as `|`, that no shell has interpreted.
    private func shellSign(_ sign: String, of command: Command) -> UsageError {
        UsageError(
            message: "`\(sign)` works only in a shell",
            hint: "type it in a shell: \(grammar.program) \(command.name) … \(sign) …", command: command.path)
    }

    /// The words with a meaning in a shell.
    private static let shellSigns = ["|", ">", ">>", "<", "&&", "||"]

    private func missing(_ argument: Argument, of command: Command) -> UsageError {
        let others = command.options.filter { $0.supplies.contains(argument.name) }.map {
            "`\($0.notation)`"
        }
        let instead = others.isEmpty ? "" : " (or \(others.joined(separator: " or ")))"
        let message = "missing argument \(argument.name)\(instead)"
        return UsageError(message: message, hint: argument.hint ?? usageHint(command), command: command.path)
    }

    /// An example of the command, or its usage line if it has no example.
    private func usageHint(_ command: Command) -> String {
        guard let example = command.examples.first else { return "usage: \(command.usage(program: grammar.program))" }
        let line = grammar.commandLine(of: example)
        return "for example `\(line)`; `\(grammar.program) help \(command.name)` lists all options"
    }
}
