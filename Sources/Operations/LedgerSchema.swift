internal import AppFile
internal import EmbeddedSQL
package import PQ

/// What makes the ledger; every statement may run again on a database that has it, or has an earlier one.
package enum LedgerSchema {
    /// The files in the order in which they need each other.
    private static let files = [
        "schema", "record", "record_changes", "leaf", "root", "head", "seal", "outcome", "forget", "verify", "tally",
        "version",
        "grants",
    ]

    /// The statements, in order, for one transaction of the schema's owner.
    package static var statements: [Query] {
        files.flatMap { name in
            let path = "usher/\(name).sql"
            let file = SourceFile(name: path, bytes: EmbeddedSQL.bytes(of: path) ?? [])
            return SQLScript.statements(of: file).map { Query($0) }
        }
    }

    /// Declares which environment the database is.
    package static func mark(_ environment: String) -> Query {
        Query(EmbeddedSQL.text(of: "usher/mark_environment.sql"), [environment])
    }
}
