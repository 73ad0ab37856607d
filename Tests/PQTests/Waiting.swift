import Foundation
import PQ
import Support
import Synchronization
import Testing

/// Polls a condition, and records a failure if it never becomes true.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows {
    for _ in 0..<3000 {
        if try condition() { return }
        usleep(10_000)
    }
    Issue.record("never came true: \(what)", sourceLocation: sourceLocation)
}

/// Work on another thread while the test waits for the server.
final class BackgroundTask: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
    }

    /// Starts the work on a separate connection as soon as the session sleeps in `pg_sleep`.
    convenience init(
        asSoonAs pid: Int, sleepsIn database: TestDatabase, _ body: @escaping @Sendable (Connection) throws -> Void
    ) {
        self.init {
            let watcher = try database.connect()
            try eventually("session \(pid) sleeps") { try isAsleep(pid, watcher) }
            try body(watcher)
        }
    }

    /// Waits for the end and rethrows its error.
    func join() throws {
        done.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// True if a session is in `pg_sleep`.
func isAsleep(_ pid: Int, _ watcher: Connection) throws -> Bool {
    try !watcher.execute(
        "select 1 from pg_stat_activity where pid = \(String(pid))::int and wait_event = 'PgSleep'"
    ).rows.isEmpty
}

func setting(_ name: String, of connection: Connection) throws -> String? {
    try connection.execute("select current_setting(\(name)) as value").first?.shown("value")?.text
}

/// Checks that the next statement on the connection gets its own answer.
func expectUsable(_ connection: Connection, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(connection.isAlive, sourceLocation: sourceLocation)
    let answer = try connection.execute("select 'still ' || \("here") as word")
    #expect(answer.first?.shown("word")?.text == "still here", sourceLocation: sourceLocation)
    #expect(connection.isIdle, sourceLocation: sourceLocation)
}

/// Returns the server error that the body throws; another end of the body fails the test.
func serverError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> ServerError {
    let error = try #require(throws: PQError.self, sourceLocation: sourceLocation) { try body() }
    guard case .server(let refusal) = error else {
        Issue.record("\(error) is no error of the server", sourceLocation: sourceLocation)
        throw error
    }
    return refusal
}
