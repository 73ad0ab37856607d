internal import AppFile
internal import Catalog
internal import EmbeddedSQL
package import PQ

/// The statements that create the audit log and its functions; all can run again after another build of this version.
package enum LedgerSchema {
    /// First the tables, then all functions, which Postgres checks only when they run, then the rights.
    package static let files =
        ["usher/schema.sql"] + EmbeddedSQL.paths(below: "usher/functions/")
        + [citus, "usher/definers.sql", "usher/grants.sql", "usher/revoke_writes.sql"]

    /// The functions that replace others on Citus.
    package static let citus = "usher/citus.sql"

    /// The statements, in order, for one transaction of the schema's owner.
    package static let statements = files.flatMap(statements)

    /// Creates the roles that the session is allowed to create.
    package static let roles = statements(of: "usher/roles.sql")

    /// Continues as the owner of the schema, until the end of the transaction or a reset.
    package static let asOwner = statements(of: "usher/owner.sql")

    /// Declares the environment of the database.
    package static func mark(_ environment: String) -> Query {
        Query(file: "usher/mark_environment.sql", [environment])
    }

    /// The digests of functions, triggers and tables of the schema, one per line; functions for Citus are separate.
    package static let digests = EmbeddedSQL.text(of: "catalog/audit_digests.sql")

    /// The functions that `install` adds for Citus.
    package static let functionsForCitus =
        statements(in: EmbeddedSQL.text(of: citus), named: citus) + statements(of: "usher/definers.sql")

    /// The text of a file as installed; the file for Citus does nothing on other servers.
    package static func text(of path: String) -> String {
        let text = EmbeddedSQL.text(of: path)
        guard path == citus else { return text }
        return """
            do $citus$
            begin
            if pg_catalog.to_regclass('pg_catalog.pg_dist_partition') is null then return; end if;
            execute $functions$
            \(text)$functions$;
            end
            $citus$
            """
    }

    package static func statements(of path: String) -> [Query] { statements(in: text(of: path), named: path) }

    private static func statements(in text: String, named path: String) -> [Query] {
        SQLScript.statements(of: SourceFile(name: path, bytes: Array(text.utf8))).map { Query(unsafe: $0) }
    }
}
