internal import CPQ

extension Connection {
    /// Runs a statement and hands its rows on one by one; memory stays flat whatever their number.
    ///
    /// The corresponding C function is `PQsetSingleRowMode`. An error thrown by the receiver cancels the statement.
    package func stream<Failure: Error>(
        _ query: Query, timeout: Double? = nil, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(StreamError<Failure>) {
        var failure: StreamError<Failure>?
        do throws(PQError) {
            try check(query)
            let exchange = Exchange(on: self, timeout: timeout)
            defer { exchange.settle() }
            try send(query)
            unsafe PQsetSingleRowMode(handle)
            try exchange.flush()
            var columns: [Column]?
            while let result = try exchange.next() {
                if result.isCopy { throw .copyIsNoAnswer }
                // The rows after a Ctrl-C are on their way already, and nobody wants them.
                if failure != nil || exchange.isStopping { continue }
                failure = deliver(result, &columns, to: receive)
                if case .receiver? = failure { exchange.stop() }
            }
            try exchange.finish()
        } catch {
            throw failure ?? .server(error)
        }
        if let failure { throw failure }
    }

    private func deliver<Failure: Error>(
        _ result: consuming ResultSet, _ columns: inout [Column]?,
        to receive: (borrowing RowView) throws(Failure) -> Void
    ) -> StreamError<Failure>? {
        let status = result.status
        if [PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY].contains(status) { return nil }
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

    /// One cell as a plain value, of a row of which no more is wanted.
    package func value(_ index: Int) -> Value { result.value(row: 0, column: index, type: columns[index].type) }

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
