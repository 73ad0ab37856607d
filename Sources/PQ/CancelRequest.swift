internal import CPQ
import Glibc

/// A cancel request to the server.
///
/// libpq sends the request on a separate connection and may wait without a limit. So a separate thread sends the
/// request, and usher still reacts to the next Ctrl-C.
final class CancelRequest {
    /// The pipe that the thread closes when libpq is done.
    private let readEnd: Int32

    /// Sends the request; nil if no statement runs on the connection, or if no thread can start.
    @unsafe init?(for handle: OpaquePointer) {
        guard let cancel = unsafe PQgetCancel(handle) else { return nil }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            unsafe PQfreeCancel(cancel)
            return nil
        }
        readEnd = ends[0]
        let work = unsafe Unmanaged.passRetained(RequestThread(cancel: cancel, writeEnd: ends[1])).toOpaque()
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, runRequestThread, work) == 0 else {
            unsafe Unmanaged<RequestThread>.fromOpaque(work).release()
            close(readEnd)
            return nil
        }
        pthread_detach(thread)
    }

    deinit { close(readEnd) }

    /// True if libpq is still sending the request.
    var isPending: Bool {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) <= 0
    }

    /// Waits until the server has received the request or can't be reached; false after a time-out or another Ctrl-C.
    func isReceived(unless cancellation: Cancellation, within seconds: Double) -> Bool {
        let deadline = Deadline(seconds: seconds)
        while isPending {
            var descriptors = [
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancellation.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            _ = unsafe poll(&descriptors, 2, deadline.milliseconds)
            if descriptors[1].revents != 0 || deadline.hasPassed { return !isPending }
        }
        return true
    }
}

/// The memory that belongs to the thread of a request.
@safe
private final class RequestThread {
    private let cancel: OpaquePointer
    private let writeEnd: Int32

    @unsafe init(cancel: OpaquePointer, writeEnd: Int32) {
        unsafe self.cancel = unsafe cancel
        self.writeEnd = writeEnd
    }

    deinit {
        unsafe PQfreeCancel(cancel)
        close(writeEnd)
    }

    func run() {
        // Only the thread that waits for the operator handles signals.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        var complaint = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(cancel, &complaint, 256)
    }
}

private func runRequestThread(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work = unsafe work { unsafe Unmanaged<RequestThread>.fromOpaque(work).takeRetainedValue().run() }
    return nil
}
