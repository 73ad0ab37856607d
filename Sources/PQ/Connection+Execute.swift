internal import CPQ
import Glibc

extension Connection {
    package func execute(_ query: Query, timeout: Double? = nil) throws(PQError) -> Rows {
        try check(query)
        let exchange = Exchange(on: self, deadline: Deadline(seconds: timeout))
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

    /// Ends any open transaction, so that the connection can be used again.
    package func rollbackIfOpen() throws(PQError) {
        if isAlive, !isIdle { _ = try execute("rollback", timeout: patience) }
    }

    /// The outcome of one statement, after reading all its results.
    func answer(_ exchange: Exchange) throws(PQError) -> Result<Rows, ServerError> {
        var answer: Result<Rows, ServerError>?
        while let result = try exchange.next() {
            if result.isCopy { throw .copyIsNoAnswer }
            answer = outcome(of: result)
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

private func outcome(of result: borrowing ResultSet) -> Result<Rows, ServerError> {
    switch result.status {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .success(result.rows)
    case PGRES_PIPELINE_ABORTED: .failure(.skipped)
    default: .failure(result.error)
    }
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
