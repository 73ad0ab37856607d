internal import AppFile
internal import Asking
internal import EmbeddedSQL
internal import Ledger
internal import PQ

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
        parts.append("\(record(app).sql);\n\ncommit;\n\nselect usher.seal();\n")
        return parts.joined(separator: "\n")
    }

    static func record(_ app: CompiledApp?) -> Query {
        let (name, digest) = (Composer.literal(app?.name), Composer.literal(app?.digest))
        let record =
            "gen_random_uuid(), 'install', 'committed', 'install', \(name), decode(\(digest), 'hex'), null, null, null, null"
        let payload =
            "jsonb_build_object('target', current_database(), 'users', '[]'::jsonb, 'app', \(name), 'digest', \(digest), "
            + "'acts', usher.acts(\(name), decode(\(digest), 'hex')))"
        return Query(unsafe: "select usher.record(\(record), \(payload))")
    }
}

extension String {
    /// The statement with one semicolon at its end.
    fileprivate var ended: String {
        let text = trimmed
        return text.hasSuffix(";") ? text : text + ";"
    }
}
