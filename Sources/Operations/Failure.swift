package import AppFile
package import PQ

/// Why an operation did not do what it was asked; the kind decides the exit code.
package struct Failure: Error, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case failed, usage, refused, notFound, connection, forbidden, conflict, partial, interrupted
    }

    package let kind: Kind
    package let message: String
    package let hint: String?
    package let state: SQLState?
    /// What the message is about, one a line: the users an address belongs to, the mistakes in a file.
    package let details: [String]

    /// A failure with what the operator can do about it.
    package init(
        _ kind: Kind, _ message: String, hint: String? = nil, state: SQLState? = nil, details: [String] = []
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.state = state
        self.details = details
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
        case .passwordOnCommandLine:
            self.init(
                .usage, "a password on the command line can be read by every user of this machine",
                hint: "leave it out and use ~/.pgpass, a service file, or PGPASSWORD; see `usher help connection`")
        case .cannotConnect(let reason): self = Self.unreachable(reason)
        case .connectionLost(let reason):
            self.init(
                .connection, "the connection was lost: \(reason)", hint: "nothing was repeated; run the command again")
        case .server(let error): self.init(error)
        case .interrupted: self.init(.interrupted, "interrupted; the server was told to stop")
        case .timedOut(let seconds):
            self.init(.failed, "no answer within \(Int(seconds)) s", hint: "give it more time with --timeout SECONDS")
        case .decoding(let failure): self.init(.failed, "unexpected result: \(failure)")
        case .treacherousPath(let first):
            self.init(
                .refused,
                "the search path puts \(first) before pg_catalog, so names would not mean what they say; nothing was changed",
                hint: "`alter role … set search_path` without pg_catalog, which is searched first then")
        case .misuse(let reason): self.init(.failed, "unexpected answer of the server: \(reason)")
        }
    }

    /// What a server refused.
    package init(_ error: ServerError) {
        let kind: Kind =
            switch error.state.category {
            case "42" where error.state == .insufficientPrivilege: .forbidden
            case "08", "28", "53", "3D": .connection
            case "57" where error.state != .queryCanceled: .connection
            default: .failed
            }
        let hint =
            switch kind {
            case _ where error.state == .queryCanceled: "give it more time with --timeout SECONDS"
            case .forbidden: error.hint ?? "`usher doctor` says what this role may not read"
            default: error.searchPathHint ?? error.hint ?? error.detail
            }
        self.init(kind, error.message, hint: hint, state: error.state)
    }

    /// What to check depends on what libpq says.
    private static func unreachable(_ reason: String) -> Failure {
        let checks = [
            (
                "definition of service",
                "look into pg_service.conf, or name a database with --db; see `usher help connection`"
            ),
            ("no password supplied", "put the password into ~/.pgpass, a service file, or PGPASSWORD"),
            ("password authentication failed", "check the user name, and the password in ~/.pgpass or PGPASSWORD"),
            ("does not exist", "check the name of the database and of the user"),
            ("could not translate host name", "check the name of the host"),
            ("Connection refused", "check host and port, and whether the server runs"),
            ("No such file or directory", "check whether the server runs, or name one with --db or PGHOST"),
        ]
        let hint =
            checks.first { reason.contains($0.0) }?.1 ?? "check host, port, and network; see `usher help connection`"
        return Failure(.connection, reason, hint: hint)
    }

    /// An app file that cannot be used, with everything that is wrong with it.
    package init(_ invalid: InvalidApp) {
        let count = invalid.diagnostics.filter { $0.severity == .error }.count
        self.init(
            .failed, count == 1 ? "the app file has a mistake" : "the app file has \(count) mistakes",
            details: invalid.diagnostics.flatMap(\.report))
    }
}
