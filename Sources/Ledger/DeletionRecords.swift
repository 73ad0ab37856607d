package import PQ
internal import Terminal

/// The queries that record deletions and restores in the audit log.
extension Ledger {
    /// The users of a deletion: the schema, table and key column of the users, and their keys.
    package struct Account: Sendable {
        private let place: [(String, String?)]
        private let keys: [String]

        package init(schema: String, table: String, column: String, keys: [String]) {
            place = [("schema", schema), ("table", table), ("key", column)]
            self.keys = keys
        }

        fileprivate var members: JSON.Members { [("root", JSON.texts(place)), ("keys", keys)] }
    }

    /// A step of a deletion in batches.
    ///
    /// The first step records the table and the keys, so that the next run can find an unfinished deletion.
    package enum Part: String { case begin, batch, end, archive }

    /// Records a deletion before its transaction writes anything else, and empties older entries about the users.
    ///
    /// The query returns the number of emptied entries, the locks of other sessions, and the claim: a document with a
    /// secret, which a restore needs. Only the archive contains the claim. `rootless` has the installed apps whose table
    /// of users is unknown, so that usher can't empty their entries. Attempts are emptied, and have no digest of the app.
    package static func erase(_ entry: Entry, _ account: Account) -> Query {
        let request = JSON.present(members(of: entry) + account.members).text()
        return """
            select emptied, locks, claim, array(
                       select a.app from usher.act a
                        where a.kind = 'app' and a.retired_at is null and a.definition -> 'root' = 'null'
                          and exists (select from usher.operation o where o.app = a.app and o.root is null
                                                                      and o.app_digest is not null and o.kind <> 'install')
                        order by 1) as rootless
              from usher.erase(\(entry.payload)::jsonb || \(request)::jsonb)
            """
    }

    /// Records a restore before its transaction writes anything else; the query returns the locks of other sessions.
    package static func restore(_ entry: Entry, _ claim: String) -> Query {
        let request = JSON.present(members(of: entry)).text()
        return """
            select usher.restore(
                \(entry.payload)::jsonb || \(request)::jsonb || jsonb_build_object('claim', \(claim)::jsonb)) as locks
            """
    }

    package static func part(_ part: Part, _ entry: Entry, of account: Account? = nil) -> Query {
        let request = members(of: entry) + [("part", part.rawValue)] + (account?.members ?? [])
        return "select usher.record_deletion_step(\(entry.payload)::jsonb || \(JSON.present(request).text())::jsonb)"
    }

    private static func members(of entry: Entry) -> JSON.Members {
        [
            ("operation", entry.id), ("parent", entry.parent), ("app", entry.app), ("outcome", entry.outcome.rawValue),
        ]
    }
}
