internal import CPQ
import Glibc

/// Sends statements and reads their answers.
extension Connection {
    package func execute(_ query: Query, timeout: Double? = nil) throws(PQError) -> Rows {
        try check(query)
        switch try alone(.run(query), Deadline(seconds: timeout), toleratingTimeout: false, reading: { $0.rows }) {
        case .success(let rows): return rows
        case .failure(let error): throw .server(error)
        }
    }

    /// Commits the transaction; throws if the server refuses.
    ///
    /// `silence` is the reason why no answer came, so that the outcome is unknown; nil after a commit. `warnings` say, for
    /// example, that a replica did not confirm the commit.
    ///
    /// An answer that arrives after Ctrl-C or a time-out still counts.
    package func commit(within seconds: Double) throws(PQError) -> (silence: PQError?, warnings: [Notice]) {
        // COMMIT of a failed transaction rolls back, but the server reports no error.
        guard unsafe PQtransactionStatus(handle) != PQTRANS_INERROR else {
            throw .server(ServerError(state: .inFailedTransaction, message: "an earlier statement failed"))
        }
        _ = takeNotices()
        let exchange = Exchange(on: self, deadline: Deadline(seconds: seconds))
        defer { exchange.settle() }
        let answer: Result<Rows, ServerError>
        do throws(PQError) {
            try send("commit")
            try exchange.flush()
            answer = try self.answer(exchange) { $0.rows }
        } catch {
            return (error, takeNotices().filter(\.isWarning))
        }
        if case .failure(let error) = answer {
            if error.state == .queryCanceled { try exchange.finish() }
            throw .server(error)
        }
        return (nil, takeNotices().filter(\.isWarning))
    }

    /// Parses and describes statements on the server, each independently, without running them.
    ///
    /// The prepared statement has no name, so the session keeps no statement. Parsing needs no rights and works on a
    /// standby.
    ///
    /// `preparation`, such as ROLLBACK TO SAVEPOINT, runs before each description. The time limit is for all
    /// descriptions together. The server describes equal statements once.
    package func describe(
        _ statements: [String], after preparation: Query, timeout: Double? = nil
    ) throws(PQError) -> [Result<Description, ServerError>] {
        let (distinct, places) = statements.distinct
        for statement in distinct { try check(Query(unsafe: statement)) }
        let batches = distinct.map { [Step.run(preparation), .parse($0), .describe] }
        let outcomes = try outcomes(of: batches, Deadline(seconds: timeout)) { $0.description }
        // The first error causes the later errors.
        let answers = outcomes.map { steps in steps.first(where: \.isFailure) ?? steps[2] }
        return places.map { answers[$0] }
    }

    /// Ends any open transaction, so that the connection can be used again.
    package func rollbackIfOpen() throws(PQError) {
        if isAlive, !isIdle { _ = try execute("rollback", timeout: patience) }
    }

    /// Sends one step, and returns its outcome.
    func alone<Answer>(
        _ step: Step, _ deadline: Deadline, toleratingTimeout: Bool, reading read: (borrowing ResultSet) -> Answer
    ) throws(PQError) -> Result<Answer, ServerError> {
        let exchange = Exchange(on: self, deadline: deadline)
        defer { exchange.settle() }
        try send(step)
        try exchange.flush()
        let answer = try answer(exchange, reading: read)
        try exchange.finish(toleratingTimeout: toleratingTimeout)
        return answer
    }

    /// The outcome of one step, after reading all its results.
    func answer<Answer>(
        _ exchange: Exchange, reading read: (borrowing ResultSet) -> Answer
    ) throws(PQError) -> Result<Answer, ServerError> {
        var answer: Result<Answer, ServerError>?
        while let result = try exchange.next() {
            if result.isCopy { throw .copyIsNoAnswer }
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: answer = .success(read(result))
            case PGRES_PIPELINE_ABORTED: answer = .failure(.skipped)
            default: answer = .failure(result.error)
            }
        }
        guard let answer else { throw .misuse("the server gave no result") }
        return answer
    }

    func check(_ query: Query) throws(PQError) {
        // C strings end at a NUL, so libpq would send only the part before it.
        guard isCString(query.sql), query.values.allSatisfy(isWhole) else {
            let message = "a text with a NUL character can't be sent to Postgres"
            throw .server(ServerError(state: .characterNotInRepertoire, message: message))
        }
        guard query.values.count <= UInt16.max else { throw .misuse("a statement has more than 65535 values") }
    }

    func send(_ step: Step) throws(PQError) {
        let sent: Int32
        switch step {
        case .run(let query): return try send(query)
        case .parse(let sql): sent = unsafe PQsendPrepare(handle, "", sql, 0, nil)
        case .describe: sent = unsafe PQsendDescribePrepared(handle, "")
        }
        guard sent == 1 else { throw refusal() }
    }

    func send(_ query: Query) throws(PQError) {
        // libpq needs values that live during the call; one buffer contains all of them.
        let sent = unsafe withBuffers(query.values) { values, lengths, formats in
            unsafe PQsendQueryParams(
                handle, query.sql, Int32(query.values.count), nil, values.baseAddress, lengths.baseAddress,
                formats.baseAddress, 0)
        }
        guard sent == 1 else { throw refusal() }
    }

    func refusal() -> PQError { isAlive ? .misuse(lastMessage) : loss() }
}

/// A request to the server, which it answers with one result or error.
enum Step {
    case run(Query)
    /// Parses a statement that has no name.
    case parse(String)
    /// Describes the parsed statement.
    case describe
}

private func isCString(_ text: String) -> Bool { unsafe text.withCString { unsafe strlen($0) } == text.utf8.count }

/// True if libpq sends a value completely.
private func isWhole(_ value: BoundValue?) -> Bool {
    if case .text(let text)? = value { isCString(text) } else { true }
}

/// Calls the body with the values in libpq's form: the address (nil for NULL), the length and the format of each.
private func withBuffers<R>(
    _ values: [BoundValue?],
    _ body: (
        UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>
    ) -> R
) -> R {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.reduce(0) { $0 + ($1?.length ?? 0) + 1 })
    var (offsets, lengths, formats): ([Int?], [Int32], [Int32]) = ([], [], [])
    for value in values {
        offsets.append(value == nil ? nil : bytes.count)
        lengths.append(Int32(value?.length ?? 0))
        switch value {
        case .text(let text)?:
            formats.append(0)
            bytes.append(contentsOf: text.utf8)
            bytes.append(0)
        case .list(let list)?:
            formats.append(1)
            bytes.append(contentsOf: list.bytes)
        case nil: formats.append(0)
        }
    }
    return unsafe bytes.withUnsafeBytes { buffer in
        let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress
        let pointers = unsafe offsets.map { offset in unsafe offset.flatMap { unsafe start?.advanced(by: $0) } }
        return unsafe pointers.withUnsafeBufferPointer { pointers in
            unsafe lengths.withUnsafeBufferPointer { lengths in
                unsafe formats.withUnsafeBufferPointer { unsafe body(pointers, lengths, $0) }
            }
        }
    }
}

extension PQError {
    /// The error for a statement that is a COPY.
    ///
    /// usher then closes the connection, because libpq would return the same COPY result again and again.
    static let copyIsNoAnswer = PQError.misuse("usher can't run COPY")
}
