internal import EmbeddedSQL
internal import PQ

/// The ledger, opened for reading at one instant.
package struct Audit {
    private let transaction: ReadTransaction

    /// Asks the first question, and refuses where there is no ledger or none that this role may read.
    static func open(
        _ questions: [Query], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (audit: Audit, answers: [Rows]) {
        let audit = Audit(transaction: ReadTransaction(on: connection, settings: .init(timeout: options.timeout)))
        let results: [Result<Rows, ServerError>]
        do throws(PQError) {
            results = try audit.transaction.read([Ledger.question] + questions, isLast: false)
        } catch {
            throw Failure(error)
        }
        try Ledger.requireReadable(results[0])
        var answers: [Rows] = []
        for result in results.dropFirst() {
            do throws(ServerError) { answers.append(try result.get()) } catch { throw Failure(error) }
        }
        return (audit, answers)
    }

    /// Hands on the rows of one statement, which may take its time.
    func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        do throws(PQError) { try transaction.liftTimeout() } catch { throw Failure(error) }
        do throws(StreamError<Failure>) {
            try transaction.stream(query, each: receive)
        } catch {
            switch error {
            case .receiver(let failure): throw failure
            case .server(let error): throw Failure(error)
            }
        }
    }

    /// One of the fixed questions to the ledger.
    static func query(_ name: String, _ values: [String?] = []) -> Query {
        Query(EmbeddedSQL.text(of: "catalog/audit_\(name).sql"), values)
    }
}
