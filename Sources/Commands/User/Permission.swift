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

    /// True if the connected role is known to lack the role of a command.
    private func isForbidden(_ command: Command) -> Bool {
        guard let roles, let role = command.role else { return false }
        return !roles.contains("usher_" + role)
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
        guard let command = commands.compactMap(command(of:)).first(where: isForbidden), let role = command.role
        else { return line }
        return
            (line + "  (needs " + SafeText(role)
            + (command.traits.contains(.isAskable) ? "; add --request to request the change" : "") + ")")
            .dim
    }
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
