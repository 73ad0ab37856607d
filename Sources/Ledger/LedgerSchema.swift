internal import AppFile
internal import EmbeddedSQL
package import PQ

/// The statements that create the audit log and its functions; all may run again where another build of this version ran them.
package enum LedgerSchema {
    /// The files in the order in which they need each other.
    package static let files = [
        "schema", "erasure", "desk", "drop_functions", "leaf", "root", "head", "seal", "outcome",
        "environment_name", "counted_as", "is_distributed", "shape", "has_key", "value", "object", "image", "key_texts",
        "key_join", "ways", "counted_by_all", "counters",
        "relation_name", "targets", "written", "is_passing", "deferred", "judged", "standing", "impacts", "users",
        "concerned", "about", "unkept", "decided", "turned", "answered", "fingerprint", "remade", "refuse_remade",
        "refuse_strange",
        "touched", "refuse_obstacle", "refuse_uncounted", "refuse_hidden",
        "found", "refuse_found", "refuse_stray_rows", "may_see", "guarded", "refuse_beside", "step", "telling", "steps",
        "pass",
        "user_key", "user_columns", "is_untold", "others", "row_users", "users_beside", "refuse_others",
        "refuse_loose", "shapes",
        "tells_all",
        "distinct_keys", "own_transaction", "is_of_own", "row_keys", "written_keys", "images", "differences",
        "new_rows", "account_for", "changes", "objectors", "extensions", "registered", "own_session",
        "perform",
        "refuse_written", "tick", "refuse_stale", "refuse_long", "refuse_late", "open_path", "refuse_open_path", "may",
        "refuse_forbidden", "act_now", "refuse_alone", "missing_role",
        "refuse_needless",
        "refuse_answered",
        "environment_for", "instant", "arguments", "keys", "locks", "holds",
        "salts", "enter", "labelled", "named_users", "said", "plain", "root_name", "find_act", "selected",
        "still_selected", "world",
        "has_moved", "asked_for", "run", "parents_first", "recorded_value", "undo_piece", "undo_steps",
        "undo_acts", "refuse_irrevocable", "act_of", "role_of", "kind_of_undoing", "app_of",
        "changed_since", "restored",
        "taken_back_from", "erased_changes", "first_changes",
        "enter_undo", "left_out", "counted_at_once", "recorded_update", "update_statement", "updated_at_once",
        "restore_statement",
        "taken_back_at_once", "take_back", "undo", "listed", "refuse_strangers",
        "refuse_irrevocable_bulk", "subject_digest", "list_digests",
        "refuse_other_list", "reached", "resumed", "begin", "finish", "part_at_once", "batch",
        "person",
        "ask_deletion", "ask", "answer", "note", "told", "attempt",
        "key_column", "refuse_nobody",
        "account_root", "take_down", "addresses", "written_name", "needles", "naming", "remains", "empty", "claimed",
        "erase", "refuse_root",
        "look_as_operator",
        "guard_erasure", "restore", "part",
        "acts", "version", "definers", "grants", "revoke_writes",
    ]

    /// The statements, in order, for one transaction of the schema's owner.
    package static let statements = files.flatMap(statements)

    /// Makes the roles, as far as the session may.
    package static let roles = statements(of: "roles")

    /// Goes on as the owner of the schema, until the transaction ends or the role is reset.
    package static let asOwner = statements(of: "owner")

    /// Declares which environment the database is.
    package static func mark(_ environment: String) -> Query {
        Query(unsafe: text(of: "mark_environment"), [environment])
    }

    private static func statements(of name: String) -> [Query] {
        let file = SourceFile(name: "usher/\(name).sql", bytes: Array(text(of: name).utf8))
        return SQLScript.statements(of: file).map { Query(unsafe: $0) }
    }

    package static func text(of name: String) -> String { EmbeddedSQL.text(of: "usher/\(name).sql") }
}
