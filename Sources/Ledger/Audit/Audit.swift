package import Asking
internal import Catalog
package import PQ

/// The ledger, opened for reading at one instant.
package struct Audit {
    private let transaction: ReadTransaction

    /// The name of the audit log beside the sources of an app.
    package static let source = "usher"

    /// Asks the first questions, and refuses where there is no ledger or none that this role may read.
    ///
    /// Functions of the schema are called only when it is known to be the owner's: anybody else's may do anything.
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

    /// Hands on the rows of one statement, which may take its time.
    func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try transaction.hand(query, on: receive)
    }

    /// The rows of one statement, in the time that each has.
    func rows(of query: Query) throws(Failure) -> Rows { try transaction.ask([query])[0] }

    /// One of the fixed questions to the ledger.
    package static func query(_ name: String, _ values: [String?] = []) -> Query {
        Query(file: "catalog/audit_\(name).sql", values)
    }

    /// One of them that is about a few of the operations.
    ///
    /// There may be few altogether, and each of many users: reading all of them is never as cheap as it seems.
    package static func lookUp(_ name: String, _ values: [String?] = []) -> Query { query(name, values).byIndex }

    /// The role that the ledger calls the operator of this connection.
    package static func sessionUser(on connection: Connection, options: InquiryOptions) throws(Failure) -> String {
        let rows = try open(["select session_user::text"], on: connection, options: options).answers[0]
        return try decoding { () throws(DecodingFailure) in try rows.only().text(at: 0) }
    }
}
