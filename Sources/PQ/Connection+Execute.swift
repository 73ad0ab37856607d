internal import CPQ
import Glibc

extension Connection {
    /// Runs one statement and returns its rows.
    ///
    /// The corresponding C function is `PQsendQueryParams`: one statement a call, never prepared by name.
    package func execute(_ query: Query, timeout: Double? = nil) throws(PQError) -> Rows {
        let exchange = Exchange(on: self, timeout: timeout)
        try send(query)
        try exchange.flush()
        var answer: Result<Rows, ServerError>?
        while let result = try exchange.next() {
            answer = outcome(of: result)
        }
        try exchange.finish()
        switch answer {
        case .success(let rows): return rows
        case .failure(let error): throw .server(error)
        case nil: throw .misuse("the server gave no result")
        }
    }

    /// Ends whatever transaction is open, so that the connection can be used again.
    package func rollbackIfOpen() throws(PQError) {
        if isAlive, !isIdle { _ = try execute("rollback") }
    }

    func send(_ query: Query) throws(PQError) {
        // libpq wants C strings that live during the call; one buffer holds them all.
        let sent = unsafe withCStrings(query.parameters) { pointers in
            unsafe PQsendQueryParams(
                handle, query.sql, Int32(query.parameters.count), nil, pointers.baseAddress, nil, nil, 0)
        }
        guard sent == 1 else { throw isAlive ? .misuse(lastMessage) : .connectionLost(lastMessage) }
    }
}

func outcome(of result: borrowing ResultSet) -> Result<Rows, ServerError> {
    switch result.status {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .success(result.rows)
    case PGRES_PIPELINE_ABORTED:
        .failure(ServerError(state: .inFailedTransaction, message: "not run, because an earlier statement failed"))
    default: .failure(result.error)
    }
}

/// Calls the body with C strings for the texts, nil for NULL.
private func withCStrings<R>(_ texts: [String?], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> R) -> R {
    var bytes: [CChar] = []
    let offsets = texts.map { text -> Int? in
        guard let text else { return nil }
        defer {
            bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
            bytes.append(0)
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
