internal import AppFile
internal import Catalog
internal import EmbeddedSQL
package import PQ

/// The statements that create the audit log and its functions; all may run again where another build of this version ran them.
package enum LedgerSchema {
    /// The tables, then all functions, which Postgres does not look into before they run, then who may do what.
    package static let files =
        ["usher/schema.sql"] + EmbeddedSQL.paths(below: "usher/functions/")
        + ["usher/definers.sql", "usher/grants.sql", "usher/revoke_writes.sql"]

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

    private static func statements(of path: String) -> [Query] {
        let file = SourceFile(name: path, bytes: EmbeddedSQL.bytes(of: path) ?? [])
        return SQLScript.statements(of: file).map { Query(unsafe: $0) }
    }
}
