internal import CPQ

/// The answer of a server to COMMIT; a refusal is thrown as an error.
package struct CommitAnswer: Sendable {
    /// The reason why no answer came, so that nobody knows yet what became of it; nil when it lasts.
    package let silence: PQError?
    /// The warnings of the server meanwhile, for example that it waited for a replica in vain.
    package let warnings: [Notice]
}

extension Connection {
    /// Seconds after which a server that commits is said to take long.
    private static let slow = 2.0

    /// Makes the open transaction last; throws when the server says that it does not.
    ///
    /// Whatever the operator or the time asked meanwhile, an answer that came is the answer.
    package func commit(within seconds: Double, whileWaiting: @escaping () -> Void = {}) throws(PQError) -> CommitAnswer
    {
        // A failed transaction ends with a rollback that looks like any success.
        guard unsafe PQtransactionStatus(handle) != PQTRANS_INERROR else {
            throw .server(ServerError(state: .inFailedTransaction, message: "an earlier statement failed"))
        }
        _ = takeNotices()
        let exchange = Exchange(on: self, timeout: seconds)
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
