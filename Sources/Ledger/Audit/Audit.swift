package import Asking
internal import Catalog
package import PQ

package struct Audit {
    private let transaction: ReadTransaction

    /// The name of the audit log as a source of a timeline, next to the app's own sources.
    package static let source = "usher"

    /// Runs the first queries on the audit log; throws unless it exists and this role can read it.
    ///
    /// usher calls functions of the schema only if the owner of the schema is trusted, because functions of another
    /// owner could run any code.
    package static func open(
        _ questions: [Query], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (audit: Audit, answers: [Rows]) {
        let audit = Audit(transaction: ReadTransaction(on: connection, settings: .init(timeout: options.timeout)))
        let ledger = try failing(try audit.transaction.read([Ledger.question], isLast: false)[0])
        try Ledger.require(Ledger.installation(ledger), for: .reading)
        return (audit, try audit.transaction.ask(questions))
    }

    /// Streams the rows of one statement, without a time limit.
    func stream(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        try transaction.streamRows(query, each: receive)
    }

    /// The rows of one statement, which must end within the usual time limit.
    func rows(of query: Query) throws(Failure) -> Rows { try transaction.ask([query])[0] }

    package static func query(_ name: String, _ values: [String?] = []) -> Query {
        Query(file: "catalog/audit_\(name).sql", values)
    }

    /// The query for a few operations; it always uses indexes, because an operation may have many users.
    package static func lookUp(_ name: String, _ values: [String?] = []) -> Query { query(name, values).byIndex }

    /// The name of the connected role, as the audit log records it.
    package static func sessionUser(on connection: Connection, options: InquiryOptions) throws(Failure) -> String {
        let rows = try open(["select session_user::text"], on: connection, options: options).answers[0]
        return try failing(try rows.only().text(at: 0))
    }
}
