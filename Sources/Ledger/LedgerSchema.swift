internal import AppFile
internal import Catalog
internal import EmbeddedSQL
package import PQ

/// The statements that create the audit log and its functions; all may run again where another build of this version ran them.
package enum LedgerSchema {
    /// The tables, then all functions, which Postgres does not look into before they run, then who may do what.
    package static let files =
        ["usher/schema.sql"] + EmbeddedSQL.paths(below: "usher/functions/")
        + [citus, "usher/definers.sql", "usher/grants.sql", "usher/revoke_writes.sql"]

    /// The functions that replace others where Citus is.
    package static let citus = "usher/citus.sql"

    /// The statements, in order, for one transaction of the schema's owner.
    package static let statements = files.flatMap(statements)

    /// Makes the roles, as far as the session may.
    package static let roles = statements(of: "usher/roles.sql")

    /// Goes on as the owner of the schema, until the transaction ends or the role is reset.
    package static let asOwner = statements(of: "usher/owner.sql")

    /// Declares which environment the database is.
    package static func mark(_ environment: String) -> Query {
        Query(file: "usher/mark_environment.sql", [environment])
    }

    /// The digest of each function, trigger and table of the schema, one a line; those of the functions for Citus apart.
    package static let digests = EmbeddedSQL.text(of: "catalog/audit_digests.sql")

    /// The functions that `install` adds for Citus.
    package static let functionsForCitus =
        statements(in: EmbeddedSQL.text(of: citus), named: citus) + statements(of: "usher/definers.sql")

    /// The text of a file as it is installed: the one for Citus does nothing anywhere else.
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
