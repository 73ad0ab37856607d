package import PQ

extension ReadTransaction {
    /// Hands on the rows of one statement as they come, however long that takes.
    package func hand(
        _ query: Query, on receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try failing { () throws(PQError) in try liftTimeout() }
        do throws(StreamError<Failure>) { try stream(query, each: receive) } catch { throw failure(error) }
    }

    /// Asks some questions at once, whose refusal is a failure.
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
