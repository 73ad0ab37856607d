package import PQ

package struct SessionFacts: Sendable {
    package let role: String
    package let login: String
    package let database: String
    package let address: String
    package let isSuperuser: Bool
    package let bypassesRowSecurity: Bool
    package let backend: Int
    package let version: String
    /// The server's clock, in seconds since 1970.
    package let clock: Double

    package static let query = Query(file: "catalog/session.sql")

    package init(_ rows: Rows) throws(PQError) {
        guard let row = rows.first else { throw .noSuchColumn("role") }
        role = try row.text("role")
        login = try row.text("login")
        database = try row.text("database")
        address = try row.text("address")
        isSuperuser = try row.boolean("superuser")
        bypassesRowSecurity = try row.boolean("bypasses_row_security")
        backend = try row.integer("backend")
        version = try row.text("version")
        guard let clock = Double(try row.text("clock")) else { throw .notA("number", column: "clock") }
        self.clock = clock
    }
}
