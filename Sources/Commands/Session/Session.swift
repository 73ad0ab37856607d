package import AppFile
import CommandLine
import Synchronization

/// The state that the commands of a console or a script share: the chosen user, and the last command.
package final class Session: Sendable {
    private struct State {
        var user: (word: String, label: String, member: String?)?
        var last: (words: [String], operation: String?)?
        var operation: String?
    }

    private let state = Mutex(State())
    /// True if its lines come from a file and not from a person.
    let isScript: Bool
    /// The app that it is about, as far as that is known without asking.
    let app: @Sendable () -> App?

    /// A session that is about nobody yet.
    package init(isScript: Bool = false, app: @escaping @Sendable () -> App? = { nil }) {
        self.isScript = isScript
        self.app = app
    }

    /// The commands that only a session understands.
    var verbs: [Verb] { [.use(self), .last(self), .again] }

    /// The user for commands that name none.
    package var user: String? { state.withLock { $0.user?.word } }

    /// The label of the chosen user in a prompt.
    package var userLabel: String? {
        state.withLock { state in
            state.user.map { $0.label + ($0.member.map { " in \($0)" } ?? "") }
        }
    }

    /// The database of a fleet that the current user is in.
    var member: String? { state.withLock { $0.user?.member } }

    func use(_ word: String, label: String, member: String?) {
        state.withLock { $0.user = (word, label, member) }
    }

    func forgetUser() { state.withLock { $0.user = nil } }

    /// The words of the last command that did something, in full, and the operation it was recorded as.
    var last: (words: [String], operation: String?)? { state.withLock(\.last) }

    /// The words of the last command, with those behind `again` added; nil for a line that is no `again`, or where nothing ran yet.
    package func repeating(_ words: [String]) -> [String]? {
        words.first == Verb.again.command.name ? last.map { $0.words + words.dropFirst() } : nil
    }

    /// The operation that the command is recorded as.
    package var operation: String? { state.withLock(\.operation) }

    /// Forgets what the command before was recorded as.
    package func forgetOperation() { state.withLock { $0.operation = nil } }

    /// Notes what is about to run.
    func begin(_ invocation: Invocation, globals: [Option]) {
        state.withLock { state in
            state.operation = nil
            if !Self.own.contains(invocation.command.name) { state.last = (invocation.words(globals: globals), nil) }
        }
    }

    /// Notes what the running command is recorded as.
    func note(operation: String) {
        state.withLock { state in
            state.operation = operation
            state.last?.operation = operation
        }
    }

    /// Commands about the session itself are not worth handing on.
    private static let own = ["use", "last", "again", "help"]
}

extension Session {
    /// The commands of a session, for help outside of one.
    static let commands = Session().verbs.map(\.command)
}
