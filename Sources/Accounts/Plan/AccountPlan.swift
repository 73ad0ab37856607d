package import PQ

/// What a deletion would do, to whom, and what blocks it.
package struct AccountPlan: Sendable {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, set, keep }

    /// What becomes of some rows of a table.
    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The way from the root to the rows.
        package let via: String
        /// How many of them are another user's, too.
        package let shared: Int
        /// Whether an index serves every search for them.
        package let isIndexed: Bool
        /// Why they stay.
        package let why: Reason?
        /// Whether rows that other users share could stay without what they refer to.
        package var mayStay = true
    }

    /// Why rows stay: in the words of the app file, or because the operator answered so for a column.
    package enum Reason: Sendable, Hashable {
        case declared(String)
        case onRequest(column: String)

        /// What puts reasons in order.
        var given: String {
            switch self {
            case .declared(let words): words
            case .onRequest(let column): column
            }
        }
    }

    /// Rows to which the same happens.
    package struct Group: Sendable {
        package enum Kind: String, Sendable, CaseIterable { case alone, shared, detached, set, kept }

        package let kind: Kind
        /// The tables, those with the most rows first.
        package let tables: [(name: String, rows: Int)]
        package let why: Reason?
        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    /// A table of which a line says what happens to the rows that triggers write there, or to which the app file adds rows.
    package struct Written: Sendable, Hashable {
        package let table: String
        package let isRemoved: Bool
        /// What the app file adds them for; nil for the work of triggers.
        package let why: String?
    }

    /// The column that the users are values of, `auth.users.id`, and the same as SQL reads it.
    package let root: String
    package let rootPath: String
    package let users: [String]
    /// What the app file says about the user, if there is one.
    package internal(set) var facts: Row?
    /// The emails of the users, any of which confirms the deletion.
    package let emails: [String]
    package let environment: String
    /// Whether the users' own rows are gone already.
    package let isRootGone: Bool
    package let entries: [Entry]
    /// Undeclared columns that hold a key or an email, and that nobody answered for.
    package let undeclared: [UndeclaredColumn]
    /// Undeclared columns that are too big to search, and those that this role cannot read.
    package let unsearched: [String]
    package let hidden: [String]
    package let files: StoredFiles
    /// What to know beforehand, and what makes the deletion impossible as things are.
    package let warnings: [Remark]
    package let obstacles: [Obstacle]
    package let written: [Written]
    /// Triggers that reach outside of the transaction.
    package let outsideEffects: [NamedTrigger]
    /// What the operator said about shared rows.
    package let sharedAnswer: AccountAnswer?
    /// Whether it goes in batches, which no archive holds.
    package internal(set) var isInParts = false
    /// Names the plan: equal plans of an equal schema have equal ones.
    package let fingerprint: String

    /// The rows that go, and how many of them are another user's, too.
    package var total: Int { rows(under: .delete).reduce(0) { $0 + $1.rows } }
    package var shared: Int { entries.reduce(0) { $0 + $1.shared } }

    /// All that blocks the deletion; with `together`, columns of one name count as one.
    package func blocking(together: Bool = false) -> [Obstacle] {
        var all = obstacles
        let alike =
            together
            ? Array(Dictionary(grouping: undeclared) { [$0.column] + $0.refersTo }.values) : undeclared.map { [$0] }
        all += alike.sorted { ($1.count, $0[0].path) < ($0.count, $1[0].path) }.map { .undeclared($0) }
        let open = entries.filter { $0.shared > 0 && $0.why == nil }
        if !open.isEmpty, sharedAnswer == nil { all.append(.shared(open)) }
        return all
    }

    /// The rows by what becomes of them.
    package var groups: [Group] {
        Group.Kind.allCases.flatMap { kind -> [Group] in
            var sums: [Reason?: [String: Int]] = [:]
            for entry in entries {
                let rows = entry.rows(of: kind)
                if rows > 0 {
                    sums[[.set, .kept].contains(kind) ? entry.why : nil, default: [:]][entry.table, default: 0] += rows
                }
            }
            return sums.map { why, tables in
                let inOrder = tables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                return Group(kind: kind, tables: inOrder.map { ($0.key, $0.value) }, why: why)
            }.sorted { ($1.rows, $0.why?.given ?? "") < ($0.rows, $1.why?.given ?? "") }
        }
    }

    /// The number of rows by table under a policy.
    package func rows(under policy: Policy) -> [(table: String, rows: Int)] {
        var sums: [String: Int] = [:]
        for entry in entries where entry.policy == policy { sums[entry.table, default: 0] += entry.rows }
        return sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
    }
}

extension AccountPlan.Entry {
    fileprivate func rows(of kind: AccountPlan.Group.Kind) -> Int {
        switch (kind, policy) {
        case (.alone, .delete): rows - shared
        case (.shared, .delete): shared
        case (.detached, .detach), (.set, .set), (.kept, .keep): rows
        default: 0
        }
    }
}

/// How much of a database was searched for an account.
package struct SearchExtent: Sendable, Hashable {
    /// Columns in which its keys and emails were looked for as whole values.
    package let columns: Int
    /// Text and JSON columns that were not read for what they mention.
    package let textsNotRead: Int
}

/// An undeclared column that holds a key or an email of the account as a whole value.
package struct UndeclaredColumn: Sendable, Hashable {
    package let table: String
    package let column: String
    /// The column as `--undeclared` and an app file take it.
    package let path: String
    /// The rows that hold one, besides those that go.
    package let rows: Int
    /// The tables to whose rows it refers; none where it holds an email.
    package let refersTo: [String]
    /// Whether it is in a materialized view or a foreign table, which a deletion cannot change.
    package let isCopy: Bool
    package let isForeign: Bool

    /// The column with its table.
    package var name: String { "\(table).\(column)" }
}

/// Rows of a table.
package struct TableRows: Sendable, Hashable {
    package let table: String
    package let rows: Int

    package init(_ table: String, _ rows: Int) {
        self.table = table
        self.rows = rows
    }
}
