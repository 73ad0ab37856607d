import Commands
import Glibc
import Synchronization

/// The history of the environment, and the notes that the console has printed about the server.
final class ConsoleHistory: Sendable {
    private let environment = Mutex(History.unknown)
    private let trouble = Mutex<String?>(nil)

    var history: History {
        History(environment: environment.withLock { $0 }) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// True if a trouble is new, or none at all; commands tell their own, and what was told is not told again.
    func firstTime(_ trouble: String?) -> Bool {
        self.trouble.withLock { known in
            defer { known = trouble }
            return known != trouble
        }
    }

    /// Turns to another environment, and returns whether it is another.
    func turn(to name: String) -> Bool {
        environment.withLock { current in
            defer { current = name }
            return current != name
        }
    }
}
