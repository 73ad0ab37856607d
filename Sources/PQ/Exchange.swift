internal import CPQ
import Glibc

/// One question and its answer on the wire: sends, waits, and drains whatever happens.
///
/// When the operator asks to stop or the time is over, the server is told, and told again as long as something of
/// ours still runs (a pipeline holds many statements, a cancel request ends only one). A second Ctrl-C, or a server
/// that stays silent after it was told, gives up the connection.
///
/// A cancel request names a session, not a statement: one that arrived late would end the next statement. So an
/// exchange is over only when its requests are: the server closes the connection a request came by after it has
/// signalled the session, and a session that waits for a statement throws the signal away.
final class Exchange {
    private let connection: Connection
    private let deadline: Deadline
    private let requestsBefore: Int
    private var ending: PQError?
    private var cancel: CancelRequest?
    private var nextCancel = Deadline(seconds: nil)
    /// The callback for an answer that takes long.
    private var reminder: (due: Deadline, tell: () -> Void)?

    /// True if the rest of the answer is only drained.
    private(set) var isStopping = false

    convenience init(on connection: Connection, timeout: Double?) {
        self.init(on: connection, deadline: Deadline(seconds: timeout))
    }

    init(on connection: Connection, deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
        connection.beginWaiting()
        requestsBefore = connection.cancellation.count
        connection.roundTrips += 1
    }

    /// Has something told when there is no answer after a while.
    func remind(after seconds: Double, _ tell: @escaping () -> Void) {
        reminder = (Deadline(seconds: seconds), tell)
    }

    /// Pushes what was sent to the server, reading meanwhile so that neither side waits for the other.
    func flush() throws(PQError) {
        while true {
            let left = unsafe PQflush(connection.handle)
            if left == 0 { return }
            if left < 0 { throw connection.loss() }
            try wait(for: POLLIN | POLLOUT)
            try consume()
        }
    }

    /// The next result, or nil at the end of a statement's results.
    func next() throws(PQError) -> ResultSet? {
        while unsafe PQisBusy(connection.handle) == 1 { try awaitInput() }
        guard let result = unsafe PQgetResult(connection.handle) else {
            if !connection.isAlive { throw connection.loss() }
            return nil
        }
        let set = unsafe ResultSet(adopting: result)
        // The server's last words; they may come where another result, or the end of a batch, is expected.
        if set.endsConnection {
            connection.giveUp(because: set.error.message)
            throw .connectionLost(connection.lastMessage)
        }
        if !connection.isAlive { throw connection.loss() }
        return set
    }

    /// Waits for bytes from the server and reads them.
    func awaitInput() throws(PQError) {
        try wait(for: POLLIN)
        try consume()
    }

    /// Has the server stop, for a receiver that wants no more.
    func stop() {
        isStopping = true
        tellServer()
    }

    /// Says how the exchange ended, once everything is drained.
    func finish(toleratingTimeout: Bool = false) throws(PQError) {
        guard let ending else { return }
        if toleratingTimeout, case .timedOut = ending { return }
        throw ending
    }

    /// Leaves the connection in step or gives it up; whoever begins an exchange defers this.
    func settle() {
        connection.endWaiting()
        // A connection that was given up has no next statement.
        guard connection.isAlive else { return }
        if let cancel, !cancel.hasArrived(unless: connection.cancellation, within: connection.patience) {
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
            var end = isStopping ? nextCancel.earlier(silence) : deadline
            if let reminder { end = end.earlier(reminder.due) }
            let wait = connection.poll(for: events, until: end)
            if let due = reminder, due.due.hasPassed {
                reminder = nil
                due.tell()
            }
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
                tellServer()
            }
            if wait == .ready { return }
            if silence.hasPassed { throw abandon() }
        }
    }

    private func abandon() -> PQError {
        connection.giveUp()
        return ending ?? .connectionLost("the server did not stop the statement in time")
    }

    private func tellServer() {
        // One that is still on its way is as good as a new one.
        if cancel?.isOnItsWay != true { cancel = unsafe CancelRequest(for: connection.handle) }
        nextCancel = Deadline(seconds: Self.secondsBetweenCancels)
    }

    private static let secondsBetweenCancels = 0.1
}
