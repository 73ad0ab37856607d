internal import CPQ
import Glibc

/// One connection to a server, used by one thread.
///
/// Every wait is a `poll`, which Ctrl-C or a deadline can end. usher then cancels the statement, reads the rest of the
/// answer, and can use the connection again.
@safe
package final class Connection {
    let handle: OpaquePointer
    let cancellation: Cancellation
    /// True if usher sends several statements before the answer to the first statement.
    package let isPipelining: Bool
    private let inbox = NoticeInbox()
    private var isGivenUp = false
    /// The message with which the server ended the connection.
    private var ownClosingMessage: String?

    package internal(set) var roundTrips = 0

    /// The time in seconds that usher waits for the end of a cancelled statement, before it closes the connection.
    package var patience = 10.0
    /// Called for each second of waiting for an answer, and with nil after the answer.
    package var waiting: ((_ seconds: Int?) -> Void)?
    /// Called with the delay of the standby, if usher reads from a standby.
    package var followed: ((Lag) -> Void)?
    private var askedAt = Moment.now
    private var hasReportedWaiting = false

    /// Connects, or throws the reason for the failure.
    ///
    /// The time limit is the shorter of `seconds` and libpq's `connect_timeout` (by default ten seconds per host). Runs
    /// `meanwhile` before the first wait for an answer, while the server starts its process.
    package init(
        _ conninfo: Conninfo, cancellation: Cancellation = .interrupt, isPipelining: Bool = Connection.isToPipeline,
        within seconds: Double? = nil, meanwhile: () -> Void = {}
    ) throws(PQError) {
        try LibPQ.open()
        self.isPipelining = isPipelining
        let fixed = [
            Conninfo.Setting(keyword: "fallback_application_name", value: "usher"),
            Conninfo.Setting(keyword: "client_encoding", value: "UTF8"),
        ]
        let passwords = conninfo.refusedPasswords == nil ? [] : [RefusedPasswords.none]
        guard let handle = unsafe beginConnecting(conninfo.settings + passwords + fixed) else {
            throw .cannotConnect(Unreachable("out of memory", at: .options))
        }
        unsafe self.handle = unsafe handle
        self.cancellation = cancellation
        unsafe PQsetNoticeReceiver(handle, receiveNotice, Unmanaged.passUnretained(inbox).toOpaque())
        // libpq's messages contain the SQLSTATE of a refusal only in the verbose form.
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        do throws(PQError) {
            try establish(within: seconds, meanwhile)
        } catch {
            guard case .cannotConnect(var unreachable) = error else { throw error }
            unreachable.unknownService = conninfo.unknownService
            throw .cannotConnect(unreachable)
        }
        unsafe PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        // A blocking send would ignore Ctrl-C while the server waits until usher reads.
        guard unsafe PQsetnonblocking(handle, 1) == 0 else {
            throw .cannotConnect(Unreachable(lastMessage, at: .session))
        }
    }

    deinit { unsafe PQfinish(handle) }

    private func establish(within chosen: Double?, _ meanwhile: () -> Void) throws(PQError) {
        let deadline = Deadline(seconds: [chosen, connectTimeout].compactMap { $0 }.min())
        var state = PGRES_POLLING_WRITING
        var reached = CONNECTION_BAD
        var hasWaited = false
        while state != PGRES_POLLING_OK {
            let status = unsafe PQstatus(handle)
            guard state != PGRES_POLLING_FAILED, status != CONNECTION_BAD else {
                throw .cannotConnect(unreachable(behind: reached))
            }
            reached = status
            let direction = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            if direction == POLLIN, !hasWaited {
                hasWaited = true
                meanwhile()
            }
            switch poll(for: direction, until: deadline) {
            case .ready: state = unsafe PQconnectPoll(handle)
            case .cancelled: throw .interrupted
            case .timedOut:
                let seconds = deadline.seconds ?? 0
                let reason = "no answer within \(seconds.rounded() == seconds ? "\(Int(seconds))" : "\(seconds)") s"
                throw .cannotConnect(Unreachable(reason, at: .answer, target: target))
            }
        }
    }

    private var connectTimeout: Double? {
        let hosts = max(1, (option("hostaddr") ?? option("host") ?? "").split(separator: ",").count)
        guard let text = option("connect_timeout"), let seconds = Double(text) else { return 10 * Double(hosts) }
        return seconds > 0 ? max(2, seconds) * Double(hosts) : nil
    }

    // MARK: Properties without a round trip

    package var isAlive: Bool { unsafe PQstatus(handle) == CONNECTION_OK && !isGivenUp }

    /// Reads messages that the server sent while no statement ran, for example before a shutdown.
    package func noticeEnd() {
        // PQconsumeInput reads the available bytes. Only a call after the last bytes notices the end of the stream.
        if isIdle, !isGivenUp { readTheRest() }
    }

    package var isIdle: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// True if an answer was not read to its end, so that the next statement would get the rest of this answer.
    var isMidway: Bool {
        unsafe PQtransactionStatus(handle) == PQTRANS_ACTIVE || PQpipelineStatus(handle) != PQ_PIPELINE_OFF
    }

    package var database: String { unsafe text(PQdb(handle)) }
    package var host: String { unsafe text(PQhost(handle)) }
    package var port: String { unsafe text(PQport(handle)) }
    package var user: String { unsafe text(PQuser(handle)) }

    /// The server's version as a number, 150018 for 15.18.
    package var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

    /// The process id of the server process; a pooler returns an invented id.
    package var backendPID: Int { Int(unsafe PQbackendPID(handle)) }

    package var usesTLS: Bool { unsafe PQsslInUse(handle) == 1 }

    /// A parameter that the server reported, such as `server_version`.
    package func parameterStatus(_ name: String) -> String? {
        unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
    }

    /// True for a read-only standby; the server reports the state on connecting, and each change.
    package var isStandby: Bool { parameterStatus("in_hot_standby") == "on" }

    package func takeNotices() -> [Notice] { inbox.take() }

    var lastMessage: String {
        closingMessage
            ?? (isGivenUp ? "the connection was already closed" : unsafe text(PQerrorMessage(handle)).trimmed)
    }

    /// The message with which the server ended the connection, if it did.
    package var closingMessage: String? { ownClosingMessage ?? inbox.closingMessage }

    /// The error for a lost connection, with the server's last message.
    ///
    /// The message may have arrived before a statement was sent, and may still be in the socket or in libpq.
    func loss() -> PQError {
        guard closingMessage == nil, !isGivenUp else { return .connectionLost(lastMessage) }
        readTheRest()
        // In a pipeline, libpq returns nil both at the end of one statement's results and at the end of all results.
        var isAtEnd = false
        while unsafe PQisBusy(handle) == 0 {
            guard let result = unsafe PQgetResult(handle) else {
                if isAtEnd { break }
                isAtEnd = true
                continue
            }
            isAtEnd = false
            let set = unsafe ResultSet(adopting: result)
            if set.endsConnection { ownClosingMessage = set.error.message }
            if set.isCopy || ownClosingMessage != nil { break }
        }
        return .connectionLost(lastMessage)
    }

    private func readTheRest() {
        var descriptor = pollfd(fd: unsafe PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard descriptor.fd >= 0 else { return }
        while unsafe PQstatus(handle) == CONNECTION_OK, unsafe Glibc.poll(&descriptor, 1, 0) > 0,
            unsafe PQconsumeInput(handle) == 1
        { descriptor.revents = 0 }
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    // MARK: Waiting

    enum Wait { case ready, cancelled, timedOut }

    /// Sleeps until the socket is ready, the operator asks to stop, or the deadline passes.
    func poll(for events: Int32, until deadline: Deadline) -> Wait {
        while true {
            let socket = unsafe PQsocket(handle)
            // Without a socket, no bytes will arrive; the next call of libpq reports the reason.
            if socket < 0 { return .ready }
            var descriptors = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: cancellation.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe Glibc.poll(&descriptors, 2, waiting == nil ? deadline.milliseconds : deadline.nextSecond)
            if ready < 0 { continue }  // EINTR: if Ctrl-C was pressed, its handler has written to the pipe
            if ready == 0, !deadline.hasPassed {
                reportWaiting()
                continue
            }
            if descriptors[1].revents != 0 {
                cancellation.drain()
                return .cancelled
            }
            return ready == 0 ? .timedOut : .ready
        }
    }

    func beginWaiting() { askedAt = Moment.now }

    private func reportWaiting() {
        let seconds = Int(Moment.now - askedAt)
        guard seconds > 0, let waiting else { return }
        hasReportedWaiting = true
        waiting(seconds)
    }

    /// Reports the end of the wait if `waiting` was called before.
    func endWaiting() {
        guard hasReportedWaiting else { return }
        hasReportedWaiting = false
        waiting?(nil)
    }

    /// Closes the connection when statements and answers may no longer match, or the server doesn't answer.
    func giveUp(because reason: String? = nil) {
        isGivenUp = true
        ownClosingMessage = ownClosingMessage ?? reason
        // usher shuts the socket down, so that later calls of libpq fail. libpq owns the descriptor and closes it.
        let socket = unsafe PQsocket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
