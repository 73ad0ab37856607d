import Commands
import Glibc
import Synchronization

/// The history of whatever environment the console is in.
final class Diary: Sendable {
    private let environment = Mutex(Diary.unknown)

    /// Lines that were entered before anything was known of the place.
    private static let unknown = "offline"

    var history: History {
        History(environment: environment.withLock { $0 }) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
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
