package import PQ

extension ReadOnlySession {
    /// The reason why the session can't change data, decoded from the result of `question`; nil if it can change data.
    package static func cause(_ answer: Result<Rows, ServerError>) throws(Failure) -> ReadOnlySession? {
        let rows = try answer.rows()
        return try failing(ReadOnlySession(rows.only()))
    }

    /// Throws if the result of `question` shows a read-only session; a preview needs a writable session, too.
    package static func requireNone(_ answer: Result<Rows, ServerError>) throws(Failure) {
        if let cause = try cause(answer) { throw Failure(.readOnly(cause)) }
    }

    /// Queries whether the session of a connection is read-only, and throws if it is.
    package static func requireNone(on connection: Connection, options: InquiryOptions) throws(Failure) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answers = try failing(try transaction.read([question], isLast: true))
        try requireNone(answers[0])
    }
}

extension ReadOnlySession {
    package var sentence: String {
        switch self {
        case .standby: "this is a standby server, which is read-only"
        case .worker: "this is a Citus worker, which has only some of the rows"
        case .byDefault: "default_transaction_read_only is on, so this session can't change anything"
        }
    }

    package var hint: String {
        switch self {
        case .standby: "connect to the primary; with several hosts, add `target_session_attrs=read-write`"
        case .worker(let coordinator): "connect to the coordinator" + (coordinator.map { ", which is \($0)" } ?? "")
        case .byDefault:
            """
            `select source from pg_settings where name = 'default_transaction_read_only'` shows where it is set: for the role, \
            the database, the connection (PGOPTIONS) or the server
            """
        }
    }
}
