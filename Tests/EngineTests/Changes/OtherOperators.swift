import Foundation
import PQ
import Synchronization
import Testing

/// Something that happens on a thread of its own while a test goes on.
final class Elsewhere<Value: Sendable>: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Value, any Error>?>(nil)

    /// Starts at once.
    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
    }

    /// Waits for its end.
    func value() throws -> Value {
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// Waits until something holds; it has to come true.
func eventually(_ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool) throws {
    for _ in 0..<2000 {
        if try holds() { return }
        usleep(10_000)
    }
    Issue.record("waited in vain until \(what)", sourceLocation: sourceLocation)
}

extension ChangeLab {
    /// How many sessions of the database wait for a lock.
    func waiting() throws -> Int {
        Int(
            try value(
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                ?? "") ?? 0
    }
}
