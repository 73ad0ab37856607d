package import Asking
internal import Catalog
package import PQ

/// The ledger, opened for reading at one instant.
package struct Audit {
    private let transaction: ReadTransaction

    /// What the ledger is called where it stands beside the sources of an app.
    package static let source = "usher"

    /// Asks the first questions, and refuses where there is no ledger or none that this role may read.
    ///
    /// Functions of the schema are called only when it is known to be the owner's: anybody else's may do anything.
    package static func open(
        _ questions: [Query], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (audit: Audit, answers: [Rows]) {
        let audit = Audit(transaction: ReadTransaction(on: connection, settings: .init(timeout: options.timeout)))
        try Ledger.require(Ledger.installation(try audit.read([Ledger.question])[0]), for: .reading)
        var answers: [Rows] = []
        for result in try audit.read(questions) {
            do throws(ServerError) { answers.append(try result.get()) } catch { throw Failure(error) }
        }
        return (audit, answers)
    }

    private func read(_ queries: [Query]) throws(Failure) -> [Result<Rows, ServerError>] {
        do throws(PQError) { return try transaction.read(queries, isLast: false) } catch { throw Failure(error) }
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
    package static func query(_ name: String, _ values: [String?] = []) -> Query {
        Query(file: "catalog/audit_\(name).sql", values)
    }
}
