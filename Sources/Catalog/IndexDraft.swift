internal import PQ

/// A missing index, with the statement that creates it.
package struct IndexDraft: Sendable, Hashable {
    /// The table as SQL.
    private let table: String
    /// The indexed expressions, as SQL.
    private let keys: String
    /// The index method, if it isn't the default.
    private let method: String?
    /// True if the table has partitions: then Postgres can't create the index concurrently.
    private let isPartitioned: Bool

    /// Drafts an index; `table` is the name of the table as SQL.
    package init(on table: String, isPartitioned: Bool, keys: String, method: String? = nil) {
        self.table = table
        self.keys = keys
        self.method = method
        self.isPartitioned = isPartitioned
    }

    /// The statement that creates the index.
    package var statement: String {
        "create index\(isPartitioned ? "" : " concurrently") on \(table) \(method.map { "using \($0) " } ?? "")(\(keys))"
    }
}
