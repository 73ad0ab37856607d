internal import AppFile
internal import Catalog
internal import EmbeddedSQL
package import PQ

/// The statements that install the audit log and its functions; a newer build of the same version can run them again.
package enum LedgerSchema {
    /// The SQL files in order: tables, functions, then rights; Postgres checks the body of a function only when it
    /// runs.
    package static let files =
        ["usher/schema.sql"] + EmbeddedSQL.paths(below: "usher/functions/")
        + [citus, "usher/definers.sql", "usher/grants.sql", "usher/revoke_writes.sql"]

    /// The file with functions that replace the usual functions on a server with Citus.
    package static let citus = "usher/citus.sql"

    /// The statements of all files in order, for one transaction of the schema's owner.
    package static let statements = files.flatMap(statements)

    /// The statements that create the operator roles, if the session can create roles.
    package static let roles = statements(of: "usher/roles.sql")

    /// The statements that switch to the schema's owner, until a reset or the end of the transaction.
    package static let asOwner = statements(of: "usher/owner.sql")

    /// The statement that declares the environment of the database.
    package static func mark(_ environment: String) -> Query {
        Query(file: "usher/mark_environment.sql", [environment])
    }

    /// The expected digests of the schema's functions, triggers and tables, one per line, with separate digests for
    /// Citus.
    package static let digests = EmbeddedSQL.text(of: "catalog/audit_digests.sql")

    /// The text of an SQL file; the text of the Citus file does nothing on servers without Citus.
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

    package static func statements(of path: String) -> [Query] {
        SourceFile(name: path, text: text(of: path)).statements.map { Query(unsafe: $0) }
    }
}
