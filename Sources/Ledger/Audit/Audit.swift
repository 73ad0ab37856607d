package import Asking
internal import Catalog
package import PQ

/// The audit log in a read transaction.
package struct Audit {
    private let transaction: ReadTransaction

    /// The source name of the audit log, next to the sources of an app.
    package static let source = "usher"

    /// Runs the first queries, and refuses without an audit log that this role can read.
    ///
    /// usher calls functions of the schema only if they belong to the database owner. Other functions may do anything.
    package static func open(
        _ questions: [Query], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (audit: Audit, answers: [Rows]) {
        let audit = Audit(transaction: ReadTransaction(on: connection, settings: .init(timeout: options.timeout)))
        let ledger = try failing { () throws(PQError) in
            try audit.transaction.read([Ledger.question], isLast: false)[0]
        }
        try Ledger.require(Ledger.installation(ledger), for: .reading)
        return (audit, try audit.transaction.ask(questions))
    }

    /// Streams the rows of one statement, without a time limit.
    func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try transaction.hand(query, on: receive)
    }

    /// The rows of one statement, with the usual time limit.
    func rows(of query: Query) throws(Failure) -> Rows { try transaction.ask([query])[0] }

    /// A named query on the audit log.
    package static func query(_ name: String, _ values: [String?] = []) -> Query {
        Query(file: "catalog/audit_\(name).sql", values)
    }

    /// A named query about a few operations; it always uses indexes, because each operation may have many users.
    package static func lookUp(_ name: String, _ values: [String?] = []) -> Query { query(name, values).byIndex }

    /// The name of the connected role in the audit log.
    package static func sessionUser(on connection: Connection, options: InquiryOptions) throws(Failure) -> String {
        let rows = try open(["select session_user::text"], on: connection, options: options).answers[0]
        return try decoding { () throws(DecodingFailure) in try rows.only().text(at: 0) }
    }
}
