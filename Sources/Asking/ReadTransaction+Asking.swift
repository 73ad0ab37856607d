package import PQ

extension ReadTransaction {
    /// Streams the rows of one statement, without a time limit.
    package func hand(
        _ query: Query, on receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try failing { () throws(PQError) in try liftTimeout() }
        do throws(StreamError<Failure>) { try stream(query, each: receive) } catch { throw failure(error) }
    }

    /// Runs queries in one round trip; an error of the server or the connection is thrown as a failure.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        do throws(PQError) { return try read(together: queries) } catch { throw Failure(error) }
    }

    private func failure(_ error: StreamError<Failure>) -> Failure {
        switch error {
        case .receiver(let failure): failure
        case .server(let error): Failure(error)
        }
    }
}
