internal import CPQ
import Glibc

/// One statement, or one pipeline, and its answer on the connection.
///
/// After Ctrl-C or a time-out, usher sends a cancel request, which cancels only the statement that runs at that moment.
/// Therefore usher repeats the request until all statements of a pipeline have ended. After a second Ctrl-C, or if the
/// server doesn't react, usher closes the connection.
///
/// A cancel request names a session and not a statement, so a late request would cancel the next statement. Therefore
/// `settle` waits until the server has received the requests.
final class Exchange {
    private let connection: Connection
    private let deadline: Deadline
    private let requestsBefore: Int
    private var ending: PQError?
    private var cancel: CancelRequest?
    private var nextCancel = Deadline(seconds: nil)

    /// True if usher skips the rest of the answer.
    private(set) var isStopping = false

    init(on connection: Connection, deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
        connection.beginWaiting()
        requestsBefore = connection.cancellation.count
        connection.roundTrips += 1
    }

    /// Sends all bytes to the server, and reads at the same time, so that neither side blocks the other side.
    func flush() throws(PQError) {
        while true {
            let left = unsafe PQflush(connection.handle)
            if left == 0 { return }
            if left < 0 { throw connection.loss() }
            try wait(for: POLLIN | POLLOUT)
            try consume()
        }
    }

    /// The next result; nil at the end of a statement's results.
    func next() throws(PQError) -> ResultSet? {
        while unsafe PQisBusy(connection.handle) == 1 { try awaitInput() }
        guard let result = unsafe PQgetResult(connection.handle) else {
            if !connection.isAlive { throw connection.loss() }
            return nil
        }
        let set = unsafe ResultSet(adopting: result)
        // The server's last message may arrive instead of another result or the end of a batch.
        if set.endsConnection {
            connection.giveUp(because: set.error.message)
            throw .connectionLost(connection.lastMessage)
        }
        if !connection.isAlive { throw connection.loss() }
        return set
    }

    func awaitInput() throws(PQError) {
        try wait(for: POLLIN)
        try consume()
    }

    /// Cancels the statement, because the receiver wants no more rows.
    func stop() {
        isStopping = true
        sendCancel()
    }

    /// Throws the error that ended the exchange early; call it after the last result.
    func finish(toleratingTimeout: Bool = false) throws(PQError) {
        guard let ending else { return }
        if toleratingTimeout, case .timedOut = ending { return }
        throw ending
    }

    /// Reads the rest of the answers, or closes the connection; run it in a `defer`.
    func settle() {
        connection.endWaiting()
        // A closed connection needs no further reads.
        guard connection.isAlive else { return }
        if let cancel, !cancel.isReceived(unless: connection.cancellation, within: connection.patience) {
            connection.giveUp()
        }
        if connection.isMidway { connection.giveUp() }
    }

    private func consume() throws(PQError) {
        guard unsafe PQconsumeInput(connection.handle) == 1 else { throw connection.loss() }
    }

    private func wait(for events: Int32) throws(PQError) {
        var silence = Deadline(seconds: isStopping ? connection.patience : nil)
        while true {
            let wait = connection.poll(for: events, until: isStopping ? nextCancel.earlier(silence) : deadline)
            if wait == .cancelled {
                let isSecond = ending == .interrupted || connection.cancellation.count - requestsBefore > 1
                ending = .interrupted
                if isSecond { throw abandon() }
                stop()
                silence = Deadline(seconds: connection.patience)
            } else if !isStopping, deadline.hasPassed {
                ending = .timedOut(seconds: deadline.seconds ?? 0)
                stop()
                silence = Deadline(seconds: connection.patience)
            } else if isStopping, nextCancel.hasPassed {
                sendCancel()
            }
            if wait == .ready { return }
            if silence.hasPassed { throw abandon() }
        }
    }

    private func abandon() -> PQError {
        connection.giveUp()
        return ending ?? .connectionLost("the server did not stop the statement in time")
    }

    private func sendCancel() {
        // If an earlier cancel request has not reached the server yet, usher sends no new one.
        if cancel?.isPending != true { cancel = unsafe CancelRequest(for: connection.handle) }
        nextCancel = Deadline(seconds: Self.secondsBetweenCancels)
    }

    private static let secondsBetweenCancels = 0.1
}
