package import AppFile
package import Asking
internal import EmbeddedSQL
internal import Inquiries
internal import Ledger
package import PQ

/// A database with the schema and sample data of an app, for the demo.
package enum DemoDatabase {
    package static var apps: [String] {
        let paths = EmbeddedSQL.paths(below: "demo/")
        return AppLibrary.names.filter { paths.contains("demo/\($0)_sample.sql") }
    }

    /// The default app of the demo: the app whose sample data contains `-- @default`.
    package static var standard: String? { apps.first { !notes("default", of: $0).isEmpty } }

    /// Command lines to try on an app's sample data, from its lines `-- @tour …`.
    package static func tour(of app: String) -> [String] { notes("tour", of: app) }

    private static func notes(_ word: String, of app: String) -> [String] {
        let text = EmbeddedSQL.text(of: "demo/\(app)_sample.sql")
        let mark = "-- @" + word
        return text.split(separator: "\n").filter { $0.hasPrefix(mark) }.map { line in
            String(line.dropFirst(mark.count).drop { $0 == " " })
        }
    }

    /// The role that owns the database.
    ///
    /// Like the owner of a hosted database, the role is not a superuser.
    package static let owner = "operator"

    /// Gives the schema public of future databases to their owner, as Postgres 15 and later do.
    package static func prepare(_ template: Connection) throws(Failure) {
        try run("alter schema public owner to pg_database_owner", on: template)
        try run("revoke create on schema public from public", on: template)
    }

    package static func create(_ app: String, on connection: Connection) throws(Failure) {
        let missing = try run("select 1 from pg_roles where rolname = \(owner)", on: connection).rows.isEmpty
        if missing { try run("create role \(Identifier(owner)) login bypassrls", on: connection) }
        try run("create database \(Identifier(app)) owner \(Identifier(owner))", on: connection)
    }

    @discardableResult
    package static func fill(
        _ app: String, installing own: App? = nil, recorded: Bool = false, on connection: Connection
    ) throws(Failure) -> CompiledApp {
        let installed = if let own { own } else { try AppLibrary.app(app) }
        let files = ["demo/supabase_schema.sql", "demo/\(app)_schema.sql", "demo/\(app)_sample.sql"]
        var statements: [Query] = ["begin"]
        for path in files {
            let file = SourceFile(name: path, bytes: EmbeddedSQL.bytes(of: path) ?? [])
            statements += file.statements.map { Query(unsafe: $0) }
        }
        statements += LedgerSchema.statements + [LedgerSchema.mark("test"), "commit", "analyze"]
        for outcome in try failing(try connection.pipeline(statements.map { [$0] })) { _ = try outcome[0].rows() }
        return try InstalledApp.install(installed, recorded: recorded, on: connection)
    }

    @discardableResult
    private static func run(_ query: Query, on connection: Connection) throws(Failure) -> Rows {
        try failing(try connection.execute(query))
    }
}
