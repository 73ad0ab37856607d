package import PQ

extension ReadOnlySession {
    /// The reason why nothing can be changed, by the answer to `question`; nil where something can.
    package static func cause(_ answer: Result<Rows, ServerError>) throws(Failure) -> ReadOnlySession? {
        let rows: Rows
        do throws(ServerError) { rows = try answer.get() } catch { throw Failure(error) }
        return try decoding(ReadOnlySession(rows.only()))
    }

    /// Refuses where the answer to `question` says that nothing can be changed, a dry run included.
    package static func requireNone(_ answer: Result<Rows, ServerError>) throws(Failure) {
        try requireNone(try cause(answer))
    }

    /// The same, where the answer is known.
    package static func requireNone(_ cause: ReadOnlySession?) throws(Failure) {
        if let cause { throw Failure(.readOnly(cause)) }
    }

    /// The same, asked on a connection.
    package static func requireNone(on connection: Connection, options: InquiryOptions) throws(Failure) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answers = try failing { () throws(PQError) in try transaction.read([question], isLast: true) }
        try requireNone(answers[0])
    }
}
