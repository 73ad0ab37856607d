package import PQ

/// The state of the pg_trgm extension, whose indexes find parts of a text.
package enum Trigrams: Sendable, Hashable {
    /// The schema of pg_trgm as SQL.
    case installed(schema: String)
    /// The extension is not installed, but the database owner can create it.
    case available
    case unknown

    package static let query = Query(file: "catalog/trigrams.sql")

    package init(_ rows: Rows) throws(PQError) {
        let row = try rows.only()
        if let schema = try row.optionalText("schema") {
            self = .installed(schema: schema)
        } else {
            self = try row.boolean("available") ? .available : .unknown
        }
    }
}
