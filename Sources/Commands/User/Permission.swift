import AppFile
import Asking
import Catalog
import CommandLine
import Ledger
import PQ
import Terminal

/// The commands that the connected role can run, according to its operator roles.
struct Permission {
    private let grammar: Grammar
    private let roles: Set<String>?
    /// The option that a suggested change needs in this environment.
    private let reasonOption: SafeText

    init(_ context: Context, app: App, roles: Set<String>?, in environment: Environment) {
        let grammar = context.grammar
        reasonOption = context.reasonOption(in: environment)
        self.grammar = AppVerbs.extending(grammar, by: app)
        self.roles = roles
    }

    /// The operator role that the connected role lacks for a command; nil if no role is missing, or usher can't tell.
    func missing(for words: some Collection<String>) -> String? {
        guard let roles, let role = role(of: Array(words)) else { return nil }
        return roles.contains(Command.database(role: role)) ? nil : role
    }

    /// The role that a command needs; nil if SELECT is enough.
    func role(of words: [String]) -> String? { command(of: words)?.role }

    private func command(of words: [String]) -> Command? {
        guard let first = words.first else { return nil }
        return grammar.command(at: [first]) ?? grammar.command(at: Array(words.prefix(2)))
    }

    /// The options to append to a suggested command in production.
    func options(of words: [String]) -> SafeText {
        command(of: words)?.traits.isSuperset(of: .makesChange) ?? false ? reasonOption : ""
    }

    /// True if the connected role is known to have an operator role.
    func holds(_ role: String) -> Bool { roles?.contains(role) ?? false }

    /// Dims a line of advice and appends the required role, if the connected role can't run a command in the line.
    func marked(_ line: SafeText, commands: [[String]]) -> SafeText {
        guard let words = commands.first(where: { missing(for: $0) != nil }), let command = command(of: words),
            let role = command.role
        else { return line }
        return
            (line + "  (needs " + SafeText(role)
            + (command.traits.contains(.isAskable) ? "; add --request to request the change" : "") + ")")
            .dim
    }
}

extension Command {
    static func database(role: String) -> String { "usher_" + role }
}

extension FilledSentence {
    /// The words of the commands in the sentence, without values.
    var commandWords: [[String]] {
        pieces.compactMap { piece in
            guard case .command(let inner) = piece else { return nil }
            return Self.words(of: inner)
        }
    }

    static func words(of command: [Piece]) -> [String] {
        command.flatMap { piece -> [String] in
            switch piece {
            case .text(let text): text.split(separator: " ").map(String.init)
            case .value(let value): [value.text ?? ""]
            case .hole, .command: []
            }
        }
    }
}
