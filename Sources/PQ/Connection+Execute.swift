internal import CPQ
import Glibc

extension Connection {
    /// Runs one statement and returns its rows.
    ///
    /// The corresponding C function is `PQsendQueryParams`: one statement a call, never prepared by name.
    package func execute(_ query: Query, timeout: Double? = nil) throws(PQError) -> Rows {
        try check(query)
        let exchange = Exchange(on: self, timeout: timeout)
        defer { exchange.settle() }
        try send(query)
        try exchange.flush()
        let answer = try answer(exchange)
        try exchange.finish()
        switch answer {
        case .success(let rows): return rows
        case .failure(let error): throw .server(error)
        }
    }

    /// Ends whatever transaction is open, so that the connection can be used again.
    package func rollbackIfOpen() throws(PQError) {
        if isAlive, !isIdle { _ = try execute("rollback", timeout: patience) }
    }

    /// The outcome of one statement, all of its results read.
    func answer(_ exchange: Exchange) throws(PQError) -> Result<Rows, ServerError> {
        var answer: Result<Rows, ServerError>?
        while let result = try exchange.next() {
            if result.isCopy { throw .copyIsNoAnswer }
            answer = outcome(of: result)
        }
        guard let answer else { throw .misuse("the server gave no result") }
        return answer
    }

    /// Refuses what libpq would not send as it stands.
    func check(_ query: Query) throws(PQError) {
        // C strings end at a NUL: a shorter text than the operator's would be sent.
        guard isCString(query.sql), query.parameters.allSatisfy({ $0.map(isCString) ?? true }) else {
            let message = "a text with a NUL character cannot be sent to Postgres"
            throw .server(ServerError(state: .characterNotInRepertoire, message: message))
        }
        guard query.parameters.count <= UInt16.max else { throw .misuse("a statement has more than 65535 values") }
    }

    func send(_ query: Query) throws(PQError) {
        // libpq wants C strings that live during the call; one buffer holds them all.
        let sent = unsafe withCStrings(query.parameters) { pointers in
            unsafe PQsendQueryParams(
                handle, query.sql, Int32(query.parameters.count), nil, pointers.baseAddress, nil, nil, 0)
        }
        guard sent == 1 else { throw refusal() }
    }

    /// Why libpq did not take a call.
    func refusal() -> PQError { isAlive ? .misuse(lastMessage) : loss() }
}

private func outcome(of result: borrowing ResultSet) -> Result<Rows, ServerError> {
    switch result.status {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .success(result.rows)
    case PGRES_PIPELINE_ABORTED: .failure(.skipped)
    default: .failure(result.error)
    }
}

/// Whether a text arrives whole where texts end at the first NUL.
private func isCString(_ text: String) -> Bool { unsafe text.withCString { unsafe strlen($0) } == text.utf8.count }

/// Calls the body with C strings for the texts, nil for NULL.
private func withCStrings<R>(_ texts: [String?], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> R) -> R {
    var bytes: [CChar] = []
    let offsets = texts.map { text -> Int? in
        guard let text else { return nil }
        defer {
            bytes.append(contentsOf: text.utf8CString)
        }
        return bytes.count
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        let pointers = unsafe offsets.map { offset in
            unsafe offset.flatMap { unsafe buffer.baseAddress?.advanced(by: $0) }
        }
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) }
    }
}

extension PQError {
    /// A copy where rows were expected: the connection is given up, since libpq repeats a copy until somebody does it.
    static let copyIsNoAnswer = PQError.misuse("COPY is no statement to be asked for rows")
}
