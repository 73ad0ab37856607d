package import PQ

extension ReadTransaction {
    /// Hands on the rows of one statement as they come, however long that takes.
    package func hand(
        _ query: Query, on receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try failing { () throws(PQError) in try liftTimeout() }
        do throws(StreamError<Failure>) { try stream(query, each: receive) } catch { throw failure(error, of: query) }
    }

    /// Hands on the rows of one statement as they are found, until no more are wanted.
    package func seek(
        _ query: Query, timeout: Double?, until isWanted: (Row) throws(Failure) -> Bool
    ) throws(Failure) {
        do throws(StreamError<Failure>) { try seek(query, timeout: timeout, each: isWanted) } catch {
            throw failure(error, of: query)
        }
    }

    /// Asks some questions at once, whose refusal is a failure.
    package func ask(_ queries: [Query]) throws(Failure) -> [Rows] {
        do throws(PQError) { return try read(together: queries) } catch { throw failure(error, of: queries) }
    }

    private func failure(_ error: StreamError<Failure>, of query: Query) -> Failure {
        switch error {
        case .receiver(let failure): failure
        case .server(let error): failure(error, of: [query])
        }
    }

    /// Why some statements failed; of one that took too long, what took it so long.
    private func failure(_ error: PQError, of queries: [Query]) -> Failure {
        guard case .server(let late) = error, let slowness = slowness(of: queries, after: late) else {
            return Failure(error)
        }
        return Failure(AskingRefusal.late(late, slowness))
    }
}
