package import Asking
package import PQ

/// The plan of a deletion, with the obstacles that block it.
package struct AccountPlan: Sendable {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, set, keep }

    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The path from the user's row to the rows, as text.
        package let via: String
        package let shared: Int
        package let isIndexed: Bool
        /// The reason from a line of the app file or from the operator's answer.
        package let why: String?
        /// True if shared rows can be detached.
        package var mayStay = true
    }

    package struct Group: Sendable {
        package enum Kind: String, Sendable, CaseIterable { case owned, shared, detached, changed, kept }

        package let kind: Kind
        package let tables: [(name: String, rows: Int)]
        package let why: String?
        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    /// A table with a `@written` line, or a table to which the app file adds rows.
    package struct Written: Sendable, Hashable {
        package let table: String
        package let isRemoved: Bool
        /// The reason why the app file adds rows; nil for rows of triggers.
        package let why: String?
    }

    /// The key column of the users, such as `auth.users.id`, as shown to people and quoted for SQL.
    package let root: String
    package let rootPath: String
    package let users: [String]
    /// The facts about the user from the app file; nil for several users.
    package internal(set) var facts: Row?
    /// The emails of the users; the operator types an email to confirm the deletion.
    package let emails: [String]
    package let environment: String
    /// True if the users' own rows are deleted already.
    package let isRootGone: Bool
    package let entries: [Entry]
    /// Undeclared columns that contain a key or an email, without an answer.
    package let undeclared: [UndeclaredColumn]
    /// Undeclared columns in tables that are too big to search, and undeclared columns that this role can't read.
    package let unsearched: [String]
    package let hidden: [String]
    package let files: StoredFiles
    /// Warnings of the app file, and other notes to read before the deletion.
    package let appWarnings: [FilledSentence]
    package let warnings: [String]
    package var obstacles: [Obstacle]
    package let written: [Written]
    /// The warnings about triggers with effects outside the transaction.
    package let outsideEffects: [String]
    package let sharedAnswer: AccountAnswer?
    /// True for a deletion in batches, which writes no archive.
    package internal(set) var isInParts = false
    /// A digest: equal plans of an equal schema have equal fingerprints.
    package let fingerprint: String

    package var total: Int { rows(under: .delete).reduce(0) { $0 + $1.rows } }
    package var shared: Int { entries.reduce(0) { $0 + $1.shared } }

    /// The sentence about undeclared columns that usher doesn't search, with names if `named`; nil if there are none.
    package func unsearchedSentence(named: Bool) -> String? {
        guard !unsearched.isEmpty else { return nil }
        let names = named ? ": \(unsearched.joined(separator: ", "))" : ""
        return "\(unsearched.count.of("undeclared column")) in large tables without an index\(names); "
            + "`usher account search` searches them"
    }

    /// All obstacles that block the deletion; with `together`, columns of the same name are one obstacle.
    package func blocking(together: Bool = false) -> [Obstacle] {
        var all = obstacles
        let alike =
            together
            ? Array(Dictionary(grouping: undeclared) { [$0.column, $0.why] }.values) : undeclared.map { [$0] }
        all += alike.sorted { ($1.count, $0[0].path) < ($0.count, $1[0].path) }.map { .init(undeclared: $0) }
        if !unanswered.isEmpty { all.append(.init(shared: unanswered)) }
        return all
    }

    /// The shared rows without an answer.
    var unanswered: [Entry] { sharedAnswer == nil ? entries.filter { $0.shared > 0 && $0.why == nil } : [] }

    package var groups: [Group] {
        Group.Kind.allCases.flatMap { kind -> [Group] in
            var sums: [String?: [String: Int]] = [:]
            for entry in entries {
                let rows = entry.rows(of: kind)
                if rows > 0 {
                    sums[[.changed, .kept].contains(kind) ? entry.why : nil, default: [:]][entry.table, default: 0] +=
                        rows
                }
            }
            return sums.map { why, tables in
                let inOrder = tables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                return Group(kind: kind, tables: inOrder.map { ($0.key, $0.value) }, why: why)
            }.sorted { ($1.rows, $0.why ?? "") < ($0.rows, $1.why ?? "") }
        }
    }

    package func rows(under policy: Policy) -> [(table: String, rows: Int)] {
        var sums: [String: Int] = [:]
        for entry in entries where entry.policy == policy { sums[entry.table, default: 0] += entry.rows }
        return sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
    }
}

extension AccountPlan.Entry {
    /// The group of the entry; a deleted entry with shared rows belongs to the group of shared rows.
    package var kind: AccountPlan.Group.Kind {
        switch policy {
        case .delete: shared > 0 ? .shared : .owned
        case .detach: .detached
        case .set: .changed
        case .keep: .kept
        }
    }

    fileprivate func rows(of kind: AccountPlan.Group.Kind) -> Int {
        if policy == .delete { return kind == .owned ? rows - shared : kind == .shared ? shared : 0 }
        return kind == self.kind ? rows : 0
    }
}

/// An undeclared column that contains a key or an email of the account as a whole value.
package struct UndeclaredColumn: Sendable, Hashable {
    package let table: String
    package let column: String
    /// The column with SQL quotes, as in `--undeclared` and in app files.
    package let path: String
    /// The number of rows that contain a key or an email and that the deletion doesn't delete.
    package let rows: Int
    package let why: String

    package var name: String { "\(table).\(column)" }
}
