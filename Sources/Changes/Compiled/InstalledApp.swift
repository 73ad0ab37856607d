package import AppFile
package import Asking
internal import Catalog
internal import EmbeddedSQL
internal import Ledger
package import PQ
internal import Terminal

/// The rows that describe an app file in the schema `usher`.
package enum InstalledApp {
    static func statement(_ compiled: CompiledApp) -> Query {
        Query(file: "usher/install_acts.sql", [compiled.json])
    }

    /// Refuses, after the installation, if other roles can create objects in a schema of the search path.
    static let requireClosedPath: Query = "select usher.refuse_open_path()"

    package struct Version: Sendable {
        package let digest: String
        package let date: String

        /// The first characters of the digest, for comparison by people.
        package var shortDigest: String { String(digest.prefix(12)) }
    }

    /// The installed version of an app; nil if the app isn't installed, or if the role can't read the actions.
    package static func version(of app: App, on connection: Connection) throws(Failure) -> Version? {
        let rows = try failing { () throws(PQError) -> Rows? in
            try connection.rollbackIfOpen()
            // A query of a missing or unreadable table would write an error into the server's log.
            guard try connection.execute(isKnown).first != nil else { return nil }
            return try connection.execute(
                """
                select encode(a.digest, 'hex') as digest, a.installed_at::date::text as date
                  from usher.act a
                 where a.app = \(app.name) and a.kind = 'app' and a.retired_at is null
                """)
        }
        return try failing(
            try rows?.first.map { row throws(PQError) in
                Version(digest: try row.text("digest"), date: try row.text("date"))
            })
    }

    /// Returns one row if the role can read the installed version.
    private static let isKnown: Query = """
        select
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'usher' and c.relname = 'act'
           and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select')
        """

    /// The `psql` script that installs the actions, with comments about actions that can't be installed.
    static func script(_ compiled: CompiledApp) -> String {
        // A name may contain a newline, which would end the SQL comment.
        let remarks = [compiled.extent + "."] + compiled.hindrances.map { "Not installed: \($0)" }
        let comments = remarks.map { "-- " + $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        let statement = EmbeddedSQL.text(of: "usher/install_acts.sql")
        return
            (comments + [
                "prepare usher_acts (jsonb) as", statement + ";",
                "execute usher_acts (\(Composer.literal(compiled.json)));", "deallocate usher_acts;", "",
                requireClosedPath.sql + ";",
            ]).joined(separator: "\n") + "\n"
    }

    @discardableResult
    package static func install(
        _ app: App, recorded: Bool = false, on connection: Connection, options: InquiryOptions = InquiryOptions()
    ) throws(Failure) -> CompiledApp {
        defer { try? connection.rollbackIfOpen() }
        let compiled = try CompiledApp.compile(app, on: connection, options: options)
        let record = recorded ? [LedgerSchema.record(compiled, environment: nil)] : []
        let steps: [Query] =
            ["begin", "set local search_path = pg_catalog, pg_temp"] + LedgerSchema.asOwner
            + [statement(compiled), requireClosedPath] + record + ["commit"]
        try failing { () throws(PQError) in
            for step in steps { _ = try connection.execute(step) }
        }
        return compiled
    }
}

extension CompiledApp {
    /// The whole app as JSON, one action per line.
    var json: String {
        func row(_ kind: String, _ name: String, _ role: String, _ definition: JSON) -> String {
            JSON([
                ("kind", kind), ("name", name), ("role", role), ("definition", definition),
            ]).text()
        }
        var rows = surroundings.map { [row("app", "", "", $0.definition)] } ?? []
        rows += acts.map { row($0.kind.rawValue, $0.name, $0.role.name, $0.definition) }
        let head = JSON([("app", name), ("digest", digest)]).text().dropLast()
        return head + ",\"acts\":[\n" + rows.joined(separator: ",\n") + "\n]}"
    }
}

extension LedgerSchema {
    /// The script for `psql` that installs the schema `usher` and the actions of an app.
    package static func script(environment: String?, app: CompiledApp? = nil) -> String {
        var parts = ["begin;\n\nset local search_path = pg_catalog, pg_temp;\n"]
        parts += (["usher/roles.sql", "usher/owner.sql"] + files).map { text(of: $0).ended + "\n" }
        if let environment {
            let mark = EmbeddedSQL.text(of: "usher/mark_environment.sql").ended
            parts.append(
                "prepare usher_mark (text) as\n\(mark)\nexecute usher_mark('\(environment)');\ndeallocate usher_mark;\n"
            )
        }
        if let app { parts.append(InstalledApp.script(app)) }
        parts.append("\(record(app, environment: environment).sql);\n\ncommit;\n\nselect usher.seal();\n")
        return parts.joined(separator: "\n")
    }

    /// Records an installation in the audit log; without an id, the database makes one.
    static func record(
        _ app: CompiledApp?, id: String? = nil, environment: String?, from previous: Int? = nil,
        reason: String? = nil, ticket: String? = nil
    ) -> Query {
        let (name, digest) = (Composer.literal(app?.name) + "::text", Composer.literal(app?.digest))
        let version = "decode(\(digest), 'hex')"
        let operation = id.map { Composer.literal($0) } ?? "gen_random_uuid()"
        return Query(
            unsafe: """
                select usher.record(
                    \(operation), 'install', 'committed', 'install', \(name), \(version), null, null, null, null,
                    jsonb_build_object(
                        'target', current_database(), 'users', '[]'::jsonb,
                        'reason', \(Composer.literal(reason)), 'ticket', \(Composer.literal(ticket)),
                        'app', \(name), 'digest', \(digest), 'acts', usher.acts(\(name), \(version)),
                        'arguments', jsonb_build_object(
                            'environment', \(Composer.literal(environment)), 'from', \(previous.map(String.init) ?? "null"),
                            'to', usher.version())))
                """)
    }
}

extension String {
    /// The statement with one semicolon at its end.
    fileprivate var ended: String {
        let text = trimmed
        return text.hasSuffix(";") ? text : text + ";"
    }
}
