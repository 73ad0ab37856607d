package import AppFile
package import PQ

/// Why an operation did not do what it was asked; the kind decides the exit code.
package struct Failure: Error, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case failed, usage, refused, notFound, connection, forbidden, conflict, partial, interrupted
    }

    /// What somebody could give so that the same succeeds.
    package enum Want: Sendable { case reason, app, field }

    /// What certainly did not happen.
    package enum Nothing: String, Sendable { case changed, deleted, restored, done }

    package let kind: Kind
    /// What went wrong, without what it left behind.
    package let complaint: String
    package let nothing: Nothing?
    package let want: Want?
    package let hint: String?
    package let state: SQLState?
    /// What the message is about, one a line: the users an address belongs to, the mistakes in a file.
    package let details: [String]
    /// What became of the commit that it is about, where it came to one: the ledger has that already, or cannot have it.
    package let fate: Fate?

    /// A failure with what the operator can do about it.
    package init(
        _ kind: Kind, _ complaint: String, nothing: Nothing? = nil, want: Want? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [String] = [], fate: Fate? = nil
    ) {
        self.kind = kind
        self.complaint = complaint
        self.nothing = nothing
        self.want = want
        self.hint = hint
        self.state = state
        self.details = details
        self.fate = fate
    }

    /// The whole sentence.
    package var message: String { nothing.map { "\(complaint); nothing was \($0.rawValue)" } ?? complaint }

    /// The same, with more of what it is about.
    package func adding(details more: [String]) -> Failure {
        Failure(
            kind, complaint, nothing: nothing, want: want, hint: hint, state: state, details: details + more,
            fate: fate)
    }

    /// The same, with something else to do about it.
    package func advising(_ hint: String) -> Failure {
        Failure(
            kind, complaint, nothing: nothing, want: want, hint: hint, state: state, details: details, fate: fate)
    }

    /// The same, with what did not happen, unless that is said already.
    package func saying(nothing: Nothing) -> Failure {
        Failure(
            kind, complaint, nothing: self.nothing ?? nothing, want: want, hint: hint, state: state, details: details,
            fate: fate)
    }
}

extension Failure {
    /// An error of the wire or the server, in the words of an operator.
    package init(_ error: PQError) {
        switch error {
        case .unusableConninfo(let reason):
            self.init(
                .usage, "the connection string cannot be used: \(reason)",
                hint: "write a URI, key=value pairs, or the name of a service; see `usher help connection`")
        case .cannotConnect(let unreachable):
            self.init(.connection, unreachable.reason, hint: unreachable.obstacle.remedy)
        case .connectionLost(let reason):
            self.init(
                .connection, "the connection was lost: \(reason)", hint: "nothing was repeated; run the command again")
        case .server(let error): self.init(error)
        case .interrupted: self.init(.interrupted, "interrupted; the server was told to stop")
        case .timedOut(let seconds):
            self.init(.failed, "no answer within \(Int(seconds)) s", hint: Self.slowness)
        case .decoding(let failure): self.init(.failed, "unexpected result: \(failure)")
        case .treacherousPath(let first):
            self.init(
                .refused,
                "the search path puts \(first) before pg_catalog, so names would not mean what they say",
                nothing: .changed,
                hint: "`alter role … set search_path` without pg_catalog, which is searched first then")
        case .readOnly(let cause): self.init(cause)
        case .misuse(let reason): self.init(.failed, "unexpected answer of the server: \(reason)")
        }
    }

    /// A session that reads only, and how to get one that does not.
    init(_ cause: ReadOnlySession) {
        switch cause {
        case .standby:
            self.init(
                .refused, "this is a standby, which can be read only", nothing: .changed,
                hint: "connect to the primary; of several hosts, target_session_attrs=read-write finds it")
        case .byDefault(let origin):
            let (place, remedy) = origin.words
            self.init(
                .refused,
                "default_transaction_read_only is on \(place), so this session reads only", nothing: .changed,
                hint: remedy)
        }
    }

    /// What helps where something was not read in time.
    private static let slowness =
        "`usher doctor` names the indexes that are missing; --timeout SECONDS gives it more time"

    /// What a server refused.
    package init(_ error: ServerError) {
        if let kind = Kind(ofState: error.state) {
            self.init(
                kind, error.message, hint: error.hint, state: error.state,
                details: error.detail?.split(separator: "\n").map(String.init) ?? [])
            return
        }
        let kind: Kind =
            switch error.state.category {
            case "42" where error.state == .insufficientPrivilege: .forbidden
            case "08", "28", "53", "3D": .connection
            case "57" where error.state != .queryCanceled: .connection
            default: .failed
            }
        let hint =
            switch kind {
            case _ where error.state == .queryCanceled: Self.slowness
            case .forbidden: error.hint ?? "`usher doctor` says what this role may not read"
            default: error.searchPathHint ?? error.hint ?? error.detail
            }
        self.init(kind, error.message, hint: hint, state: error.state)
    }

    /// An app file that cannot be used, with everything that is wrong with it.
    package init(_ invalid: InvalidApp) {
        let count = invalid.diagnostics.filter { $0.severity == .error }.count
        self.init(
            .failed, count == 1 ? "the app file has a mistake" : "the app file has \(count) mistakes",
            details: invalid.diagnostics.flatMap(\.report))
    }
}

extension Failure.Kind {
    /// What the functions of the schema `usher` mean by their states, nil for a state of Postgres.
    fileprivate init?(ofState state: SQLState) {
        switch state.rawValue {
        case "US001": self = .failed
        case "US002": self = .usage
        case "US003", "US008", "US009", "US010": self = .refused
        case "US004": self = .notFound
        case "US005": self = .forbidden
        case "US006": self = .conflict
        default: return nil
        }
    }
}

extension Unreachable.Obstacle {
    /// What to check.
    package var remedy: String {
        switch self {
        case .library: "install libpq: libpq5 on Debian and Ubuntu, libpq on Fedora"
        case .options: "a word alone is the name of a service in pg_service.conf; a database is dbname=NAME"
        case .socket: "check whether the server runs, or name one with --db or PGHOST"
        case .network: "check host and port, and whether the server runs; see `usher help connection`"
        case .encryption: "check sslmode, and whether the server encrypts; see `usher help connection`"
        case .authority(let path):
            """
            there is no certificate at \(path): name the authority's with sslrootcert=FILE, or where a public one signed \
            the server's, sslrootcert=/etc/ssl/certs/ca-certificates.crt
            """
        case .certificate:
            """
            the server's certificate is not from the authority in sslrootcert, or for another name than the host's: take \
            the authority's from whoever runs the server, and the host name that stands in the server's
            """
        case .missingPassword:
            "put the password into ~/.pgpass, a service file, or PGPASSWORD; `usher connect NAME` does it for you"
        case .password: "check the user name, and the password in ~/.pgpass or PGPASSWORD"
        case .server: "check the name of the database and of the user"
        }
    }
}

/// Turns an error of the wire into a failure.
package func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

/// Turns a result of another shape than expected into a failure.
package func decoding<Value>(_ value: @autoclosure () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try value() } catch { throw Failure(.decoding(error)) }
}

/// The same for several readings.
package func decoding<Value>(_ body: () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try body() } catch { throw Failure(.decoding(error)) }
}
