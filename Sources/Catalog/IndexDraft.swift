internal import PQ

/// An index that is missing: what makes it is written here alone.
package struct IndexDraft: Sendable, Hashable {
    /// The table as SQL.
    private let table: String
    /// The indexed expressions, as SQL.
    private let keys: String
    /// The method, where it is not the usual one.
    private let method: String?
    /// True if the table has partitions: over those a server makes none beside those who write.
    private let isPartitioned: Bool

    /// An index on a table, which is given as SQL.
    package init(on table: String, isPartitioned: Bool, keys: String, method: String? = nil) {
        self.table = table
        self.keys = keys
        self.method = method
        self.isPartitioned = isPartitioned
    }

    /// The statement that makes it.
    package var statement: String {
        "create index\(isPartitioned ? "" : " concurrently") on \(table) \(method.map { "using \($0) " } ?? "")(\(keys))"
    }
}
