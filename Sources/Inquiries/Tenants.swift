package import AppFile
package import Asking
package import Catalog
package import PQ

/// Finds the schemas of tenants, which one app file describes.
package enum Tenants {
    /// Queries the names of the tenants' schemas, in alphabetical order.
    ///
    /// If the file has a pattern, every schema that matches the pattern is a tenant, and usher reports missing tables.
    /// Otherwise, the tenants are the schemas with all required tables.
    package static func of(
        _ app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [String] {
        let question = question(about: app)
        let answer = try failing(try connection.pipeline([[question]], timeout: options.timeout)[0][0])
        let rows = try answer.rows()
        return try failing(try rows.texts())
    }

    /// The schema of the chosen tenant, and the schemas of the other tenants; nil if the app file contains its schema
    /// names.
    package static func apart(
        _ app: App, asking ask: ([Query]) throws(Failure) -> [Rows]
    ) throws(Failure) -> Graph.Apart? {
        guard let own = app.schemas?.name else { return nil }
        let answer = try ask([question(about: app)])[0]
        let names = try failing(try answer.texts())
        return Graph.Apart(schema: own, others: names.filter { $0 != own })
    }

    private static func question(about app: App) -> Query {
        let parts = app.requiredOfSchema.enumerated().flatMap { index, alternatives in
            alternatives.map { (part: index + 1, path: $0) }
        }
        return Query(
            file: "catalog/tenants.sql",
            [
                app.schemas?.pattern, arrayLiteral(parts.map { String($0.part) }),
                arrayLiteral(parts.map(\.path.table.name)), arrayLiteral(parts.map { $0.path.column ?? "" }),
            ])
    }
}
