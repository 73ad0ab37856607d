package import PQ

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
