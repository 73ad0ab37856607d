internal import CPQ
import Glibc

/// One question and its answer on the wire: sends, waits, and drains whatever happens.
///
/// When the operator asks to stop or the time is over, the server is told, and told again as long as something of
/// ours still runs (a pipeline holds many statements, a cancel request ends only one). A second Ctrl-C gives up the
/// connection.
final class Exchange {
    private let connection: Connection
    private let deadline: Deadline
    private let requestsBefore: Int
    private var ending: PQError?

    init(on connection: Connection, timeout: Double?) {
        self.connection = connection
        deadline = Deadline(seconds: timeout)
        requestsBefore = connection.cancellation.count
    }

    /// Pushes what was sent to the server, reading meanwhile so that neither side waits for the other.
    func flush() throws(PQError) {
        while true {
            let left = unsafe PQflush(connection.handle)
            if left == 0 { return }
            if left < 0 { throw .connectionLost(connection.lastMessage) }
            try wait(for: POLLIN | POLLOUT)
            try consume()
        }
    }

    /// The next result, or nil at the end of a statement's results.
    func next() throws(PQError) -> ResultSet? {
        while unsafe PQisBusy(connection.handle) == 1 { try awaitInput() }
        guard let result = unsafe PQgetResult(connection.handle) else {
            if !connection.isAlive { throw .connectionLost(connection.lastMessage) }
            return nil
        }
        let set = unsafe ResultSet(adopting: result)
        if !connection.isAlive { throw .connectionLost(set.error.message) }
        return set
    }

    /// Waits for bytes from the server and reads them.
    func awaitInput() throws(PQError) {
        try wait(for: POLLIN)
        try consume()
    }

    /// Says how the exchange ended, once everything is drained.
    func finish(toleratingTimeout: Bool = false) throws(PQError) {
        guard let ending else { return }
        if toleratingTimeout, case .timedOut = ending { return }
        throw ending
    }

    private func consume() throws(PQError) {
        guard unsafe PQconsumeInput(connection.handle) == 1 else { throw .connectionLost(connection.lastMessage) }
    }

    private func wait(for events: Int32) throws(PQError) {
        while true {
            let patience = ending == nil ? deadline : Deadline(seconds: Self.secondsBetweenCancels)
            switch connection.poll(for: events, until: patience) {
            case .ready: return
            case .cancelled:
                if connection.cancellation.count - requestsBefore > 1 { try giveUp() }
                ending = .interrupted
            case .timedOut:
                if ending == nil { ending = .timedOut(seconds: deadline.seconds ?? 0) }
            }
            connection.cancelOnServer()
        }
    }

    private func giveUp() throws(PQError) {
        // Shutting the socket down, not closing it, leaves libpq its descriptor and makes every later call fail.
        shutdown(unsafe PQsocket(connection.handle), Int32(SHUT_RDWR))
        throw .interrupted
    }

    private static let secondsBetweenCancels = 0.1
}
