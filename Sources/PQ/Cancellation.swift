import Glibc
import Synchronization

/// The operator's requests to stop, by Ctrl-C; a request ends every wait for the server.
///
/// A request writes to a pipe, because `poll` can wait for a pipe, and a signal handler can write to a pipe at any time.
package final class Cancellation: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32
    private let requests = Atomic<Int>(0)
    private let termination = Atomic<Bool>(false)

    package init() {
        var ends: (Int32, Int32) = (-1, -1)
        let made = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        precondition(made == 0, "usher can't open another file descriptor; raise the limit with `ulimit -n`")
        (readEnd, writeEnd) = ends
        for end in [readEnd, writeEnd] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    package var count: Int { requests.load(ordering: .acquiring) }

    package var isRequested: Bool { count > 0 }

    /// Requests to stop; a signal handler may call this function.
    package func request() {
        requests.add(1, ordering: .acquiringAndReleasing)
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Discards earlier requests, before the next command of a console.
    package func reset() {
        requests.store(0, ordering: .releasing)
        drain()
    }

    /// Empties the pipe, so that the next wait for the server sleeps until a new request; `count` stays unchanged.
    func drain() {
        var buffer: (UInt64, UInt64) = (0, 0)
        while unsafe withUnsafeMutableBytes(of: &buffer, { unsafe read(readEnd, $0.baseAddress, $0.count) }) > 0 {}
    }

    /// True if the whole program must end, not just its current command.
    package var isTermination: Bool { termination.load(ordering: .acquiring) }

    private func terminate() { termination.store(true, ordering: .releasing) }

    /// The cancellation that SIGINT (Ctrl-C), SIGTERM and SIGHUP request, after a call of `listenForInterrupts`.
    package static let interrupt = Cancellation()

    /// Turns SIGINT, SIGTERM and SIGHUP into requests on `interrupt`.
    package static func listenForInterrupts() {
        // Opens the pipe now, because a signal handler can't initialize a lazy static.
        _ = interrupt.readEnd
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { signal in
                if signal != SIGINT { Cancellation.interrupt.terminate() }
                Cancellation.interrupt.request()
            }
            _ = unsafe sigaction(signal, &action, nil)
        }
    }
}
