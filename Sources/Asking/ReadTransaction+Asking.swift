package import PQ

extension ReadTransaction {
    /// Streams the rows of one statement, without a time limit.
    package func streamRows(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        do throws(StreamError<Failure>) { try stream(query, each: receive) } catch { throw Failure(error) }
    }

    /// Runs queries in one round trip; an error of the server or the connection is thrown as a failure.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        do throws(PQError) { return try read(together: queries) } catch { throw Failure(error) }
    }
}

extension Result<Rows, ServerError> {
    /// The rows; an error of the server is thrown as a failure.
    package func rows() throws(Asking.Failure) -> Rows {
        do throws(ServerError) { return try get() } catch { throw Asking.Failure(error) }
    }
}

extension Failure {
    /// Creates a failure from an error that the receiver of a stream or the server raised.
    package init(_ error: StreamError<Failure>) {
        switch error {
        case .receiver(let failure): self = failure
        case .server(let error): self.init(error)
        }
    }
}
