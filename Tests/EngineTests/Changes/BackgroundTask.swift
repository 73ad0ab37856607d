import Foundation
import PQ
import Synchronization
import Testing

/// Work on another thread during a test.
final class BackgroundTask<Value: Sendable>: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
    }

    func value() throws -> Value {
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// Waits until a condition holds, and fails if it never does.
func eventually(_ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool) throws {
    for _ in 0..<2000 {
        if try holds() { return }
        usleep(10_000)
    }
    Issue.record("never came true: \(what)", sourceLocation: sourceLocation)
}

extension ChangeLab {
    /// The number of sessions of the database that wait for a lock.
    func waiting() throws -> Int {
        Int(
            try value(
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                ?? "") ?? 0
    }
}
