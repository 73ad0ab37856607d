internal import CPQ
import Glibc

/// Another try at a server that was refused or has refused, for what it tells; it asks for less, or for somebody else.
struct Look {
    private let settings: [Conninfo.Setting]
    private let cancellation: Cancellation

    /// A path below a file, where nothing is.
    static let nothing = "/dev/null/none"
    /// Seconds that a server has that was there a moment ago.
    private static let patience = 5.0

    /// Begins with the same settings, at the place that was reached and without a password, and with other terms.
    init(
        at target: Unreachable.Target, _ settings: [Conninfo.Setting], _ terms: [(String, String)],
        _ cancellation: Cancellation
    ) {
        let place = [
            ("host", target.host), ("port", target.port), ("hostaddr", target.givenAddress ?? ""),
            ("password", ""), ("passfile", Self.nothing),
        ]
        self.settings = settings + (place + terms).map { Conninfo.Setting(keyword: $0.0, value: $0.1) }
        self.cancellation = cancellation
    }

    /// What is seen first of a connection that comes about.
    func first<Found>(_ find: (OpaquePointer) -> Found?) -> Found? {
        guard let handle = unsafe beginConnecting(settings) else { return nil }
        defer { unsafe PQfinish(handle) }
        return unsafe follow(handle, find)
    }

    /// What a server says that refuses it; nil where it does not.
    func refusal() -> RefusedGreeting? {
        guard let handle = unsafe beginConnecting(settings) else { return nil }
        defer { unsafe PQfinish(handle) }
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        _ = unsafe follow(handle) { _ -> Bool? in nil }
        guard unsafe PQstatus(handle) == CONNECTION_BAD, let message = unsafe PQerrorMessage(handle) else { return nil }
        return RefusedGreeting(unsafe String(cString: message))
    }

    @unsafe private func follow<Found>(_ handle: OpaquePointer, _ find: (OpaquePointer) -> Found?) -> Found? {
        let deadline = Deadline(seconds: Self.patience)
        var state = PGRES_POLLING_WRITING
        while state == PGRES_POLLING_WRITING || state == PGRES_POLLING_READING {
            if let found = unsafe find(handle) { return found }
            var descriptors = [
                pollfd(
                    fd: unsafe PQsocket(handle), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                    revents: 0),
                pollfd(fd: cancellation.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&descriptors, 2, deadline.milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, descriptors[1].revents == 0 else { return nil }
            state = unsafe PQconnectPoll(handle)
        }
        return nil
    }
}

extension Connection {
    /// The same, where no connection could be made, with what is known of it by who asked for it, and by another look where
    /// libpq or the server says the same of several things.
    func explained(_ error: PQError, by conninfo: Conninfo) -> PQError {
        guard case .cannotConnect(var unreachable) = error else { return error }
        unreachable.unknownService = conninfo.unknownService
        guard let target = unreachable.target else { return .cannotConnect(unreachable) }
        func look(_ terms: [(String, String)]) -> Look { Look(at: target, conninfo.settings, terms, cancellation) }
        switch unreachable.obstacle {
        case .socket, .network, .encryption:
            if option("gssencmode") == "require", isThere(look([("gssencmode", "disable")])) {
                unreachable.obstacle = .kerberos
            } else if unreachable.obstacle == .encryption, isVerifying {
                CertificateFlaw(conninfo.settings, look).map { unreachable.obstacle = .certificate($0) }
            } else if unreachable.obstacle == .network, target.hasRoute == false {
                unreachable.obstacle = .noRoute
            }
        case .role:
            // Nobody can be called so, as names that begin like this are the server's.
            guard let other = look([("user", "pg_nobody")]).refusal(), let origin = other.origin,
                origin.routine == unreachable.origin?.routine
            else { break }
            unreachable.obstacle = origin == unreachable.origin ? .noRole : .lockedRole
        case .password: unreachable.passwordOrigin = passwordOrigin(of: conninfo)
        default: break
        }
        return .cannotConnect(unreachable)
    }

    /// Whether somebody takes the call.
    private func isThere(_ look: Look) -> Bool {
        unsafe look.first { handle in
            let waiting = [CONNECTION_NEEDED, CONNECTION_STARTED, CONNECTION_BAD]
            return unsafe waiting.contains(PQstatus(handle)) ? nil : true
        } == true
    }
}
