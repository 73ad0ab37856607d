internal import CPQ

extension Connection {
    /// Commits the transaction; throws if the server refuses.
    ///
    /// `silence` is the reason why no answer came, so that the outcome is unknown; nil after a commit. `warnings` say, for
    /// example, that a replica did not confirm the commit.
    ///
    /// An answer that arrives after Ctrl-C or a time-out still counts.
    package func commit(within seconds: Double) throws(PQError) -> (silence: PQError?, warnings: [Notice]) {
        // COMMIT of a failed transaction rolls back, but the server reports no error.
        guard unsafe PQtransactionStatus(handle) != PQTRANS_INERROR else {
            throw .server(ServerError(state: .inFailedTransaction, message: "an earlier statement failed"))
        }
        _ = takeNotices()
        let exchange = Exchange(on: self, deadline: Deadline(seconds: seconds))
        defer { exchange.settle() }
        let answer: Result<Rows, ServerError>
        do throws(PQError) {
            try send("commit")
            try exchange.flush()
            answer = try self.answer(exchange) { $0.rows }
        } catch {
            return (error, takeNotices().filter(\.isWarning))
        }
        if case .failure(let error) = answer {
            if error.state == .queryCanceled { try exchange.finish() }
            throw .server(error)
        }
        return (nil, takeNotices().filter(\.isWarning))
    }
}
