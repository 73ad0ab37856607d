package import AppFile
package import Asking
package import Catalog
import Ledger
package import PQ

/// The app and the environment of a connection, for the prompt of a console.
package struct ConnectionSummary {
    /// The app that fits the database, and the catalog data that a search for users needs; nil if none or several fit.
    let inquiry: Inquiry?
    package let environment: Environment
    package let isReadOnly: Bool
    /// The number of open requests that the connected role can approve.
    package let waiting: Int

    package var app: App? { inquiry?.app }

    /// Reads the summary, and leaves out values that usher can't read.
    package static func look(
        on connection: Connection, candidates: [App], timeout: Double
    ) throws(Failure) -> ConnectionSummary {
        var inquiry: Inquiry?
        do {
            inquiry = try Inquiry.open(
                on: connection, candidates: candidates, options: InquiryOptions(timeout: timeout), for: .search,
                isLast: true)
        } catch  where connection.isAlive && error.kind != .interrupted {
            // Without an app, the summary still contains the environment.
        }
        let tables = (inquiry?.app.requires ?? []).compactMap(\.alternatives.first?.table)
        let writable = Query(
            file: "catalog/writable.sql",
            [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))])
        return try failing { () throws(PQError) in
            let answers = try connection.pipeline(
                [[Environment.query], [writable], [Ledger.question]], timeout: timeout)
            let mayWrite = try? answers[1][0].get().only().boolean("writable")
            let ledger = try? Ledger.installation(answers[2][0])
            var waiting: Int?
            // A query on a missing schema would write an error to the server's log.
            if ledger?.isReadable == true {
                let count = try connection.pipeline([[Query(file: "catalog/waiting.sql")]], timeout: timeout)[0][0]
                waiting = try? count.get().only().integer("waiting")
            }
            return ConnectionSummary(
                inquiry: inquiry, environment: Environment(answers[0][0]), isReadOnly: mayWrite == false,
                waiting: waiting ?? 0)
        }
    }
}
