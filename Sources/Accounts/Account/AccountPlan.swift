package import PQ

/// What a deletion would do, to whom, and what stands in its way.
package struct AccountPlan: Sendable {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, anonymise, keep }

    /// What becomes of some rows of a table.
    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The way from the root to the rows.
        package let via: String
        /// How many of them also point at another user.
        package let collateral: Int
        /// Whether an index serves every search for them.
        package let isIndexed: Bool
        /// Why they stay, in the words of the app file.
        package let why: String?
    }

    /// The column that the users are values of, `auth.users.id`.
    package let root: String
    package let users: [String]
    /// What the app file says about the user, when it is one.
    package internal(set) var facts: Row?
    /// The addresses of the users, any of which confirms the deletion.
    package let addresses: [String]
    package let environment: String
    package let entries: [Entry]
    /// Columns that will hold the person still: nobody answered for them, or what was answered cannot be done.
    package let suspects: [HeldColumn]
    /// Those of them that nobody answered for.
    package let unanswered: [HeldColumn]
    /// All of them, those that somebody answered for too.
    let searched: Searched
    package let files: StoredFiles
    /// What to know beforehand.
    package let warnings: [String]
    /// What makes the deletion impossible as things stand.
    package let obstacles: [String]
    /// Triggers that reach outside of the transaction.
    package let outsideEffects: [String]
    /// What the operator said about rows that also point at another user.
    package let collateralAnswer: CollateralAnswer?
    /// Names the plan: equal plans of an equal schema have equal ones.
    package let fingerprint: String

    /// The rows that go.
    package var total: Int { entries.filter { $0.policy == .delete }.reduce(0) { $0 + $1.rows } }
    package var collateral: Int { entries.reduce(0) { $0 + $1.collateral } }
    /// Whether anything holds the person that nobody classified.
    package var isUnclassified: Bool { !suspects.isEmpty }

    /// The number of rows by table under a policy.
    package func rows(under policy: Policy) -> [(table: String, rows: Int)] {
        var sums: [String: Int] = [:]
        for entry in entries where entry.policy == policy { sums[entry.table, default: 0] += entry.rows }
        return sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
    }
}
