import AppFile
import Asking
import CommandLine
import Ledger
import PQ
import Terminal

/// The rights of the connected role, as far as its operator roles show.
struct Permission {
    private let grammar: Grammar
    private let roles: HeldRoles?

    /// The rights for the verbs of an app and of the program, compared with the roles that somebody has.
    init(_ grammar: Grammar, app: App, roles: HeldRoles?) {
        self.grammar = AppVerbs.extending(grammar, by: app)
        self.roles = roles
    }

    /// The role that a command needs and that is missing; nil where it may be run, or nobody knows.
    func missing(for words: some Collection<String>) -> String? {
        guard let roles, let role = role(of: Array(words)) else { return nil }
        return roles.includes(Command.database(role: role)) ? nil : role
    }

    /// The role that a command needs, nil where everybody may run it who may read.
    func role(of words: [String]) -> String? { command(of: words)?.role }

    private func command(of words: [String]) -> Command? {
        guard let first = words.first else { return nil }
        return grammar.command(at: [first]) ?? grammar.command(at: Array(words.prefix(2)))
    }

    /// True if somebody has a role of the database, as far as anybody knows.
    func holds(_ role: String) -> Bool { roles?.includes(role) ?? false }

    /// An advice, dimmed where its commands are for others, with who they are, and how they are asked where that can be.
    func marked(_ line: SafeText, commands: [[String]]) -> SafeText {
        guard let words = commands.first(where: { missing(for: $0) != nil }), let command = command(of: words),
            let role = command.role
        else { return line }
        return
            (line + "  (" + SafeText(role)
            + (command.traits.contains(.isAskable) ? "; add --request to ask for it" : "") + ")")
            .dim
    }
}

extension Command {
    /// The name of an operator role in the database.
    static func database(role: String) -> String { "usher_" + role }
}

extension FilledSentence {
    /// The commands in it, in words; what stands in a value is not looked at.
    var commandWords: [[String]] {
        pieces.compactMap { piece in
            guard case .command(let inner) = piece else { return nil }
            return inner.flatMap { piece -> [String] in
                switch piece {
                case .text(let text): text.split(separator: " ").map(String.init)
                case .value(let value): [value.text ?? ""]
                case .hole, .command: []
                }
            }
        }
    }
}
