import Dispatch
package import Testing

/// Threads for tests that mostly wait for a server.
///
/// Swift's own pool has one thread for each core, so a core would be idle while its test waits.
package final class WaitingThreads: TaskExecutor {
    package static let shared = WaitingThreads()

    private let queue = DispatchQueue(label: "waiting tests", attributes: .concurrent)
    private let free = DispatchSemaphore(value: 2)
    private let entrance = DispatchQueue(label: "tests that will wait")

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        entrance.async { [self] in
            free.wait()
            queue.async { [self] in
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
                free.signal()
            }
        }
    }
}

/// Marks a suite of tests that wait.
package struct Waiting: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared, operation: function)
    }
}

extension Trait where Self == Waiting {
    /// Runs each test on its own thread.
    package static var waiting: Self { Self() }
}
