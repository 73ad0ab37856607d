internal import CPQ

extension Connection {
    /// Runs a statement and passes its rows one by one to a receiver, so that many rows need no more memory.
    ///
    /// An error of the receiver cancels the statement.
    package func stream<Failure: Error>(
        _ query: Query, timeout: Double? = nil, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        var objection: Failure?
        var failure: PQError?
        do throws(PQError) {
            try rows(of: query, timeout: timeout) { row in
                do throws(Failure) {
                    try receive(row)
                    return true
                } catch {
                    objection = error
                    return false
                }
            }
        } catch {
            failure = error
        }
        if let objection { throw .receiver(objection) }
        if let failure { throw .server(failure) }
    }

    /// Streams rows to a receiver, which returns true if it wants more rows; a generic function would be slower.
    private func rows(
        of query: Query, timeout: Double?, each isWanted: (borrowing RowView) -> Bool
    ) throws(PQError) {
        try check(query)
        let exchange = Exchange(on: self, deadline: Deadline(seconds: timeout))
        defer { exchange.settle() }
        try send(query)
        unsafe PQsetSingleRowMode(handle)
        try exchange.flush()
        var columns: [Column]?
        var (isDone, failure) = (false, PQError?.none)
        while let result = try exchange.next() {
            let status = result.status
            if status == PGRES_SINGLE_TUPLE {
                // After Ctrl-C, the remaining rows are skipped.
                if isDone || exchange.isStopping { continue }
                let described = columns ?? result.columns
                columns = described
                if !isWanted(RowView(columns: described, result: result)) {
                    isDone = true
                    exchange.stop()
                }
                continue
            }
            if result.isCopy { throw .copyIsNoAnswer }
            if isDone || exchange.isStopping { continue }
            if ![PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY].contains(status) {
                (isDone, failure) = (true, .server(result.error))
            }
        }
        if let failure { throw failure }
        try exchange.finish()
    }
}

/// A row in libpq's memory; the receiver must copy values that it needs after the call.
package struct RowView: ~Copyable {
    package let columns: [Column]
    private let result: ResultSet

    init(columns: [Column], result: consuming ResultSet) {
        self.columns = columns
        self.result = result
    }

    /// Calls the body with the bytes of a cell; nil for NULL.
    package func withBytes(_ index: Int, _ body: (UnsafeRawBufferPointer?) -> Void) {
        unsafe body(result.cell(row: 0, column: Int32(index)))
    }

    package func append(_ index: Int, to bytes: inout [UInt8]) {
        if let cell = unsafe result.cell(row: 0, column: Int32(index)) { unsafe bytes.append(contentsOf: cell) }
    }

    package func value(_ index: Int) -> Value { result.value(row: 0, column: index, type: columns[index].type) }

    package func copy() -> Row {
        Row(columns: columns, values: columns.indices.map { result.value(row: 0, column: $0, type: columns[$0].type) })
    }
}

/// The reason why a stream ended early: an error of the server or of the receiver.
package enum StreamError<Failure: Error>: Error {
    case server(PQError)
    case receiver(Failure)
}
