package import AppFile
package import Asking
package import Catalog
package import PQ

/// Where a connection leads, as far as a prompt tells.
package struct Surroundings: Sendable {
    /// The app that fits, nil where none or several do.
    package let app: App?
    package let environment: Environment
    /// Whether the session could not change anything of the app.
    package let isReadOnly: Bool

    /// Looks around, without a word about what cannot be seen.
    package static func look(
        on connection: Connection, candidates: [App], timeout: Double
    ) throws(Failure) -> Surroundings {
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
            let answers = try connection.pipeline([[Environment.query], [writable]], timeout: timeout)
            let mayWrite = try? answers[1][0].get().only().boolean("writable")
            return Surroundings(app: app, environment: Environment(answers[0][0]), isReadOnly: mayWrite == false)
        } catch {
            throw Failure(error)
        }
    }
}
