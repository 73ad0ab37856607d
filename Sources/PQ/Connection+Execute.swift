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

    /// Sends batches of statements at once and returns one outcome a statement, in order.
    ///
    /// Each batch ends in a sync: a statement that fails takes the rest of its own batch with it and no other. The
    /// corresponding C functions are `PQenterPipelineMode` and `PQpipelineSync`. When the time is over, what still
    /// runs is cancelled, and its outcome says so.
    package func pipeline(
        _ batches: [[Query]], timeout: Double? = nil
    ) throws(PQError) -> [[Result<Rows, ServerError>]] {
        let exchange = Exchange(on: self, timeout: timeout)
        // A blocking send could wait for a server that waits for us to read.
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw .misuse(lastMessage) }
        defer {
            unsafe PQexitPipelineMode(handle)
            unsafe PQsetnonblocking(handle, 0)
        }
        for batch in batches {
            for query in batch { try send(query) }
            guard unsafe PQpipelineSync(handle) == 1 else { throw .connectionLost(lastMessage) }
        }
        try exchange.flush()
        var outcomes: [[Result<Rows, ServerError>]] = []
        for batch in batches {
            var answers: [Result<Rows, ServerError>] = []
            for _ in batch {
                var answer: Result<Rows, ServerError>?
                while let result = try exchange.next() { answer = outcome(of: result) }
                guard let answer else { throw .misuse("a statement of the pipeline has no result") }
                answers.append(answer)
            }
            guard let sync = try exchange.next(), sync.status == PGRES_PIPELINE_SYNC else {
                throw .misuse("the pipeline is out of step")
            }
            outcomes.append(answers)
        }
        try exchange.finish(toleratingTimeout: true)
        return outcomes
    }

    /// Runs a statement and hands its rows on one by one; memory stays flat whatever their number.
    ///
    /// The corresponding C function is `PQsetSingleRowMode`. An error thrown by the receiver cancels the statement.
    package func stream<Failure: Error>(
        _ query: Query, timeout: Double? = nil, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        let exchange = Exchange(on: self, timeout: timeout)
        var failure: StreamError<Failure>?
        do throws(PQError) {
            try send(query)
            unsafe PQsetSingleRowMode(handle)
            try exchange.flush()
            var columns: [Column]?
            while let result = try exchange.next() {
                if failure != nil { continue }
                failure = deliver(result, &columns, to: receive)
                if failure != nil { cancelOnServer() }
            }
            try exchange.finish()
        } catch {
            throw .server(error)
        }
        if let failure { throw failure }
    }

    private func deliver<Failure: Error>(
        _ result: consuming ResultSet, _ columns: inout [Column]?,
        to receive: (borrowing RowView) throws(Failure) -> Void
    ) -> StreamError<Failure>? {
        let status = result.status
        if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return nil }
        guard status == PGRES_SINGLE_TUPLE else { return .server(.server(result.error)) }
        let described = columns ?? result.columns
        columns = described
        let row = RowView(columns: described, result: result)
        do throws(Failure) {
            try receive(row)
            return nil
        } catch {
            return .receiver(error)
        }
    }

    /// Runs a `COPY … TO STDOUT` and hands on its bytes as they arrive.
    ///
    /// The corresponding C function is `PQgetCopyData`.
    package func copyOut(
        _ sql: String, timeout: Double? = nil, each receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PQError) {
        let exchange = Exchange(on: self, timeout: timeout)
        try send(Query(sql))
        try exchange.flush()
        var failure: ServerError?
        while let result = try exchange.next() {
            switch result.status {
            case PGRES_COPY_OUT: try unsafe receiveCopy(exchange, receive)
            case PGRES_COMMAND_OK: break
            case PGRES_FATAL_ERROR: failure = result.error
            default: throw .misuse("the statement is no COPY … TO STDOUT")
            }
        }
        try exchange.finish()
        if let failure { throw .server(failure) }
    }

    private func receiveCopy(
        _ exchange: Exchange, _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PQError) {
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &buffer, 1)
            switch count {
            case 0: try exchange.awaitInput()
            case ..<0: return
            default:
                unsafe receive(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
                unsafe PQfreemem(buffer)
            }
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

/// A row that still lies in libpq's memory; what must outlive the call is copied.
package struct RowView: ~Copyable {
    package let columns: [Column]
    private let result: ResultSet

    init(columns: [Column], result: consuming ResultSet) {
        self.columns = columns
        self.result = result
    }

    /// Calls the body with the bytes of a cell, nil for NULL.
    package func withBytes<R>(_ index: Int, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        unsafe body(result.cell(row: 0, column: Int32(index)))
    }

    /// The row as a plain value.
    package func copy() -> Row {
        Row(columns: columns, values: columns.indices.map { result.value(row: 0, column: $0, type: columns[$0].type) })
    }
}

/// Why a stream ended early: the server's side, or the receiver's own error.
package enum StreamError<Failure: Error>: Error {
    case server(PQError)
    case receiver(Failure)
}
