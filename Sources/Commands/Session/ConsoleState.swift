package import AppFile
import CommandLine
import Inquiries
import Synchronization

/// The state that the commands of a console or a script share: the app, the chosen user, and the last command.
package final class ConsoleState: Sendable {
    private struct State {
        /// The app that usher has read; the outer nil means that usher hasn't tried yet.
        var app: App??
        var user: (word: String, label: String, member: String?)?
        var last: (words: [String], operation: String?)?
        var operation: String?
    }

    private let state = Mutex(State())
    let isScript: Bool
    private let chosenApp: String?
    private let rememberedApp: String?

    /// Creates the state of a console; `rememberedApp` is the app of the last session on the same database.
    package init(isScript: Bool = false, chosenApp: String? = nil, rememberedApp: String? = nil) {
        self.isScript = isScript
        (self.chosenApp, self.rememberedApp) = (chosenApp, rememberedApp)
    }

    /// The app of a console, as far as known without a server: chosen, found in the database, or remembered.
    package var app: App? {
        state.withLock { state in
            if let app = state.app { return app }
            let app = (chosenApp ?? rememberedApp).flatMap { try? AppLibrary.app($0, taken: AppVerbs.taken) }
            state.app = .some(app)
            return app
        }
    }

    /// Stores the app of the database, unless the operator chose another app.
    package func found(_ app: App) { if chosenApp == nil { state.withLock { $0.app = .some(app) } } }

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
            if invocation.command.isHidden || Self.own.contains(invocation.command.name) { return }
            state.last = (invocation.words(globals: globals), nil)
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
