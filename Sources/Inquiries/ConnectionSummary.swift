package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

/// The facts about a connection that a prompt shows.
package struct ConnectionSummary: Sendable {
    /// The app that fits, nil where none or several do.
    package let app: App?
    package let environment: Environment
    /// True if the session could not change anything of the app.
    package let isReadOnly: Bool
    /// The number of open requests that the connected role can answer.
    package let waiting: Int
    /// The roles of operators that the session has; nil where there is no ledger to tell.
    package let roles: HeldRoles?

    /// Looks around, without a word about what cannot be seen.
    package static func look(
        on connection: Connection, candidates: [App], timeout: Double
    ) throws(Failure) -> ConnectionSummary {
        var app: App?
        do {
            app = try Inquiry.open(
                on: connection, candidates: candidates, options: InquiryOptions(timeout: timeout), isLast: true
            ).app
        } catch  where connection.isAlive && error.kind != .interrupted {
            // Any database may be looked at, whether an app knows it or not.
        }
        let tables = (app?.requires ?? []).map { (schema: $0.schema, name: $0.table) }
        let writable = Query(
            file: "catalog/writable.sql",
            [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))])
        do throws(PQError) {
            let answers = try connection.pipeline(
                [[Environment.query], [writable], [Ledger.question]], timeout: timeout)
            let mayWrite = try? answers[1][0].get().only().boolean("writable")
            let ledger = try? Ledger.installation(answers[2][0])
            var waiting: Int?
            // What is asked of a schema that is not there is an error in the server's log.
            if let ledger, ledger.version == Ledger.version, ledger.isReadable {
                let count = try connection.pipeline([[Query(file: "catalog/waiting.sql")]], timeout: timeout)[0][0]
                waiting = try? count.get().only().integer("waiting")
            }
            return ConnectionSummary(
                app: app, environment: Environment(answers[0][0]), isReadOnly: mayWrite == false,
                waiting: waiting ?? 0, roles: ledger?.roles)
        } catch {
            throw Failure(error)
        }
    }
}

extension ConnectionSummary {
    /// The same place by another reading of its app.
    package func by(_ app: App) -> ConnectionSummary {
        ConnectionSummary(
            app: app, environment: environment, isReadOnly: isReadOnly, waiting: waiting, roles: roles)
    }
}
