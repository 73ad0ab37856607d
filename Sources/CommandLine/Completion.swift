package struct Completion: Sendable {
    package typealias Candidate = Choice

    /// The candidates of the grammar; all of them begin with the typed text.
    package private(set) var candidates: [Candidate] = []
    /// The kinds of possible values that the grammar doesn't list.
    package private(set) var kinds: [ValueKind] = []
    /// The typed part of the value, without the option in the same word.
    package private(set) var typed: String
    /// The option in the same word, `--output=`; can be empty.
    package private(set) var lead = ""
    package private(set) var command: Command?
    package private(set) var given: [String] = []

    init(_ words: [String], _ grammar: Grammar, hasUser: Bool) {
        typed = words.last ?? ""
        let scan = OptionScan(Array(words.dropLast()), grammar)
        let options = Set(scan.given.map(\.long))
        command = grammar.named(by: scan.words)
        given = command.map { Array(scan.words.dropFirst($0.path.count)) } ?? []
        if let pending = scan.pending {
            offer(option(pending, grammar, given: options)?.value?.kind, grammar)
        } else if !scan.hasEnded, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
            lead = String(typed[...equals])
            typed = String(typed[typed.index(after: equals)...])
            offer(option(String(lead.dropFirst(2).dropLast()), grammar, given: options)?.value?.kind, grammar)
        } else if !scan.hasEnded, typed.hasPrefix("-") {
            add(Self.options(grammar, of: command, given: options))
        } else if let command {
            for kind in Self.kinds(of: command, at: given.count, hasUser: hasUser) { offer(kind, grammar) }
        } else if scan.words.isEmpty {
            add(Self.first(grammar))
        } else if scan.words.count == 1 {
            add(Self.verbs(of: scan.words[0], grammar))
        }
    }

    private mutating func add(_ all: [Candidate]) {
        for candidate in all where candidate.name.hasPrefix(typed) && !candidates.contains(candidate) {
            candidates.append(Candidate(lead + candidate.name, candidate.summary))
        }
    }

    private mutating func offer(_ kind: ValueKind?, _ grammar: Grammar) {
        switch kind {
        case .choice(let choices), .answer(let choices): add(choices)
        case .topic: add(grammar.topics.map { Candidate($0.name, $0.summary) } + Self.first(grammar))
        case .text, .integer, .seconds, .time, nil: break
        case .user, .file, .assignment, .decision, .app, .object, .named: kinds += kind.map { [$0] } ?? []
        }
    }

    private static func options(_ grammar: Grammar, of command: Command?, given: Set<String>) -> [Candidate] {
        let all = command.map { $0.options + grammar.globals(of: $0, with: given) } ?? grammar.globals
        return all.filter { $0.repeats || !given.contains($0.long) }
            .map { Candidate("--\($0.long)", $0.summary) }
    }

    private func option(_ name: String, _ grammar: Grammar, given: Set<String>) -> Option? {
        command == nil
            ? grammar.globals.first { $0.long == name } : grammar.option(name, of: command, with: given)
    }

    /// The kinds of values at an index.
    ///
    /// After `use USER`, USER can be left out, so the word can also be the argument that follows USER.
    private static func kinds(of command: Command, at index: Int, hasUser: Bool) -> [ValueKind] {
        let arguments = command.arguments
        func argument(_ index: Int) -> Argument? {
            if index < arguments.count { return arguments[index] }
            return arguments.last.flatMap { $0.isVariadic && $0.kind != .topic ? $0 : nil }
        }
        guard let here = argument(index) else { return [] }
        let next = hasUser && here.kind == .user && index + 1 < arguments.count ? [arguments[index + 1].kind] : []
        return [here.kind] + next
    }

    private static func first(_ grammar: Grammar) -> [Candidate] {
        grammar.nouns.map { Candidate($0.name, $0.summary) }
            + grammar.plainCommands.map { Candidate($0.name, $0.summary) }
    }

    private static func verbs(of noun: String, _ grammar: Grammar) -> [Candidate] {
        grammar.verbs(of: noun).map { Candidate($0.path.last ?? "", $0.summary) }
    }
}

extension Grammar {
    /// The completion of a command line whose last word is being typed and can be empty.
    package func completion(of words: [String], hasUser: Bool = false) -> Completion {
        Completion(words, self, hasUser: hasUser)
    }

    fileprivate func named(by words: [String]) -> Command? {
        words.first.flatMap { command(at: [$0]) } ?? (words.count > 1 ? command(at: Array(words.prefix(2))) : nil)
    }
}
