package import AppFile
import CommandLine
import Synchronization

/// The state that the commands of a console or a script share: the chosen user, and the last command.
package final class ConsoleState: Sendable {
    private struct State {
        var user: (word: String, label: String, member: String?)?
        var last: (words: [String], operation: String?)?
        var operation: String?
    }

    private let state = Mutex(State())
    let isScript: Bool
    /// The app of the session, if usher already knows the app.
    let app: @Sendable () -> App?

    package init(isScript: Bool = false, app: @escaping @Sendable () -> App? = { nil }) {
        self.isScript = isScript
        self.app = app
    }

    var verbs: [Verb] { [.use(self), .last(self)] }

    package var user: String? { state.withLock { $0.user?.word } }

    package var userLabel: String? {
        state.withLock { state in
            state.user.map { $0.label + ($0.member.map { " in \($0)" } ?? "") }
        }
    }

    var member: String? { state.withLock { $0.user?.member } }

    func use(_ word: String, label: String, member: String?) {
        state.withLock { $0.user = (word, label, member) }
    }

    func forgetUser() { state.withLock { $0.user = nil } }

    /// The full words of the last command that wasn't `use`, `last` or `help`, and its operation.
    var last: (words: [String], operation: String?)? { state.withLock(\.last) }

    package var operation: String? { state.withLock(\.operation) }

    package func forgetOperation() { state.withLock { $0.operation = nil } }

    func begin(_ invocation: Invocation, globals: [Option]) {
        state.withLock { state in
            state.operation = nil
            if !Self.own.contains(invocation.command.name) { state.last = (invocation.words(globals: globals), nil) }
        }
    }

    func note(operation: String) {
        state.withLock { state in
            state.operation = operation
            state.last?.operation = operation
        }
    }

    /// Commands about the session itself, which `last` skips.
    private static let own = ["use", "last", "help"]
}

extension ConsoleState {
    static let commands = ConsoleState().verbs.map(\.command)
}
