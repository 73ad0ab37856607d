internal import CPQ

/// The server's answer to COMMIT; if the server refuses the commit, usher throws an error instead.
package struct CommitAnswer: Sendable {
    /// The reason why no answer came, so that the outcome is unknown; nil after a commit.
    package let silence: PQError?
    /// The server's warnings, for example that a replica did not confirm the commit.
    package let warnings: [Notice]
}

extension Connection {
    /// The time after which a commit counts as slow, in seconds.
    private static let slow = 2.0

    /// Commits the transaction; throws if the server refuses.
    ///
    /// An answer that arrives after Ctrl-C or a time-out still counts.
    package func commit(within seconds: Double, whileWaiting: @escaping () -> Void = {}) throws(PQError) -> CommitAnswer
    {
        // COMMIT of a failed transaction rolls back, but the server reports no error.
        guard unsafe PQtransactionStatus(handle) != PQTRANS_INERROR else {
            throw .server(ServerError(state: .inFailedTransaction, message: "an earlier statement failed"))
        }
        _ = takeNotices()
        let exchange = Exchange(on: self, deadline: Deadline(seconds: seconds))
        defer { exchange.settle() }
        exchange.remind(after: Self.slow, whileWaiting)
        let answer: Result<Rows, ServerError>
        do throws(PQError) {
            try send("commit")
            try exchange.flush()
            answer = try self.answer(exchange)
        } catch {
            return CommitAnswer(silence: error, warnings: takeNotices().filter(\.isWarning))
        }
        if case .failure(let error) = answer {
            if error.state == .queryCanceled { try exchange.finish() }
            throw .server(error)
        }
        return CommitAnswer(silence: nil, warnings: takeNotices().filter(\.isWarning))
    }
}
