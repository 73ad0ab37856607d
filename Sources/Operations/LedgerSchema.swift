internal import AppFile
internal import EmbeddedSQL
package import PQ

/// What makes the ledger; every statement may run again on a database that has it, or has an earlier one.
package enum LedgerSchema {
    /// The files in the order in which they need each other.
    private static let files = [
        "schema", "record", "record_changes", "leaf", "root", "head", "seal", "outcome", "forget", "verify", "tally",
        "version", "grants",
    ]

    /// The statements, in order, for one transaction of the schema's owner.
    package static var statements: [Query] { files.flatMap(statements) }

    /// Makes the roles, as far as the session may.
    package static var roles: [Query] { statements(of: "roles") }

    /// Goes on as the owner of the schema, until the transaction ends or the role is reset.
    static var asOwner: [Query] { statements(of: "owner") }

    /// Declares which environment the database is.
    package static func mark(_ environment: String) -> Query {
        Query(unsafe: text(of: "mark_environment"), [environment])
    }

    /// All of it for `psql`, with the reasons.
    package static func script(environment: String?) -> String {
        var parts = ["begin;\n\nset local search_path = pg_catalog, pg_temp;\n"]
        parts += (["roles", "owner"] + files).map { Self.text(of: $0).trimmed + "\n" }
        if let environment {
            let mark = text(of: "mark_environment").trimmed
            parts.append(
                "prepare usher_mark (text) as\n\(mark)\nexecute usher_mark('\(environment)');\ndeallocate usher_mark;\n"
            )
        }
        let record = "gen_random_uuid(), 'install', 'committed', 'install', null, null, null"
        let payload = "jsonb_build_object('target', current_database(), 'users', '[]'::jsonb)"
        parts.append("select usher.record(\(record), \(payload));\n\ncommit;\n\nselect usher.seal();\n")
        return parts.joined(separator: "\n")
    }

    private static func statements(of name: String) -> [Query] {
        let file = SourceFile(name: "usher/\(name).sql", bytes: Array(text(of: name).utf8))
        return SQLScript.statements(of: file).map { Query(unsafe: $0) }
    }

    private static func text(of name: String) -> String { EmbeddedSQL.text(of: "usher/\(name).sql") }
}

extension String {
    /// Without the space at its end, and with a semicolon there.
    fileprivate var trimmed: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.hasSuffix(";") ? text : text + ";"
    }
}
