package import PQ

extension ReadOnlySession {
    /// The hint that names the coordinator, for a session on a worker.
    package static func way(to coordinator: String?) -> String {
        "connect to the coordinator" + (coordinator.map { ", which is \($0)" } ?? "")
    }
}

extension ReadOnlySession.Origin {
    /// The scope of the setting, and the command that resets it.
    package var words: (place: String, remedy: String) {
        switch self {
        case .role:
            (
                "for this role",
                "connect as another role, or run `alter role … reset default_transaction_read_only`"
            )
        case .database:
            (
                "for this database",
                "connect to another database, or run `alter database … reset default_transaction_read_only`"
            )
        case .roleInDatabase:
            (
                "for this role in this database",
                "connect as another role, or run `alter role … in database … reset default_transaction_read_only`"
            )
        case .connection:
            ("in the options of the connection", "remove it from PGOPTIONS and from options= in the connection string")
        case .session: ("in this session", "a pooler kept the setting of another client; connect again")
        case .server: ("on this server", "connect to a server that allows changes")
        }
    }
}

extension ReadOnlySession {
    /// The reason why the session can't change data, from the answer to `question`; nil if it can.
    package static func cause(_ answer: Result<Rows, ServerError>) throws(Failure) -> ReadOnlySession? {
        let rows: Rows
        do throws(ServerError) { rows = try answer.get() } catch { throw Failure(error) }
        return try decoding(ReadOnlySession(rows.only()))
    }

    /// Refuses, also for a dry run, if the answer to `question` shows a read-only session.
    package static func requireNone(_ answer: Result<Rows, ServerError>) throws(Failure) {
        try requireNone(try cause(answer))
    }

    /// Refuses if the session is known to be read-only.
    package static func requireNone(_ cause: ReadOnlySession?) throws(Failure) {
        if let cause { throw Failure(.readOnly(cause)) }
    }

    /// Asks on a connection, and refuses if the session is read-only.
    package static func requireNone(on connection: Connection, options: InquiryOptions) throws(Failure) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answers = try failing { () throws(PQError) in try transaction.read([question], isLast: true) }
        try requireNone(answers[0])
    }
}
