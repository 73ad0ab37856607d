package import AppFile
package import Asking
internal import Catalog
internal import EmbeddedSQL
internal import Ledger
package import PQ
internal import Terminal

/// The rows of an app file in the schema of the console.
package enum InstalledApp {
    /// The statement that puts a compiled app in the place of what was installed of it.
    static func statement(_ compiled: CompiledApp) -> Query {
        Query(file: "usher/install_acts.sql", [compiled.json])
    }

    /// Refuses, behind what was installed, while somebody else may create where its names are looked up.
    static let requireClosedPath: Query = "select usher.refuse_open_path()"

    /// Which version of an app is installed.
    package struct Version: Sendable {
        package let digest: String
        package let date: String

        /// As much of the digest as people compare.
        package var shortDigest: String { String(digest.prefix(12)) }
    }

    /// The version that is installed, nil where none is, or where the role may not know.
    package static func version(of app: App, on connection: Connection) throws(Failure) -> Version? {
        let rows = try failing { () throws(PQError) -> Rows? in
            try connection.rollbackIfOpen()
            // What is not there, or not for the role, would be an error in the log of the server.
            guard try connection.execute(isKnown).first != nil else { return nil }
            return try connection.execute(
                """
                select encode(a.digest, 'hex') as digest, a.installed_at::date::text as date
                  from usher.act a
                 where a.app = \(app.name) and a.kind = 'app' and a.retired_at is null
                """)
        }
        return try decoding { () throws(DecodingFailure) in
            try rows?.first.map { row throws(DecodingFailure) in
                Version(digest: try row.text("digest"), date: try row.text("date"))
            }
        }
    }

    /// One row where the role may read what was installed.
    private static let isKnown: Query = """
        select
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'usher' and c.relname = 'act'
           and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select')
        """

    /// The statement for `psql`, behind what it installs and what it can't.
    static func script(_ compiled: CompiledApp) -> String {
        let quote = tag(absentFrom: compiled.json)
        // A comment ends with its line, whatever a name in it holds.
        let remarks = [compiled.extent + "."] + compiled.hindrances.map { "Not installed: \($0)" }
        let comments = remarks.map { "-- " + $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        let statement = EmbeddedSQL.text(of: "usher/install_acts.sql")
        return
            (comments + [
                "prepare usher_acts (jsonb) as", statement + ";",
                "execute usher_acts (\(quote)\(compiled.json)\(quote));", "deallocate usher_acts;", "",
                requireClosedPath.sql + ";",
            ]).joined(separator: "\n") + "\n"
    }

    /// A dollar quote that does not end within a text, byte by byte: a `$` that carries a mark ends it all the same.
    private static func tag(absentFrom text: String) -> String {
        var number = 0
        var quote = "$acts$"
        while text.utf8.contains(quote.utf8) {
            number += 1
            quote = "$acts\(number)$"
        }
        return quote
    }

    /// Installs the acts of an app where the schema is, as its owner, and records it if it is to be.
    @discardableResult
    package static func install(
        _ app: App, recorded: Bool = false, on connection: Connection, options: InquiryOptions = InquiryOptions()
    ) throws(Failure) -> CompiledApp {
        defer { try? connection.rollbackIfOpen() }
        let compiled = try CompiledApp.compile(app, on: connection, options: options)
        let steps: [Query] =
            ["begin", "set local search_path = pg_catalog, pg_temp"] + LedgerSchema.asOwner
            + [statement(compiled), requireClosedPath] + (recorded ? [LedgerSchema.record(compiled)] : []) + ["commit"]
        try failing { () throws(PQError) in
            for step in steps { _ = try connection.execute(step) }
        }
        return compiled
    }
}

extension CompiledApp {
    /// All of it as the statement that installs it takes it, an act a line.
    var json: String {
        func row(_ kind: String, _ name: String, _ role: String, _ definition: JSON) -> String {
            JSON([
                ("kind", .string(kind)), ("name", .string(name)), ("role", .string(role)), ("definition", definition),
            ]).text()
        }
        var rows = surroundings.map { [row("app", "", "", $0.definition)] } ?? []
        rows += acts.map { row($0.kind.rawValue, $0.name, $0.role.name, $0.definition) }
        let head = JSON([("app", .string(name)), ("digest", .string(digest))]).text().dropLast()
        return head + ",\"acts\":[\n" + rows.joined(separator: ",\n") + "\n]}"
    }
}
