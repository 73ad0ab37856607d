package import PQ

/// A foreign key without an index on its referring columns.
package struct UnindexedReference: Sendable, Hashable {
    package let table: String
    package let columns: String
    package let referenced: String
    /// The planner's estimate for the number of rows in the table.
    package let rows: Int
    /// True if the table has partitions.
    package let isPartitioned: Bool

    /// The statement that creates the index.
    package var index: String { IndexDraft(on: table, isPartitioned: isPartitioned, keys: columns).statement }

    package static let query = Query(file: "catalog/unindexed_references.sql")

    /// Reads the answer to `query`.
    package static func all(_ rows: Rows) throws(DecodingFailure) -> [UnindexedReference] {
        var references: [UnindexedReference] = []
        for row in rows.rows {
            references.append(
                UnindexedReference(
                    table: try row.text("table"), columns: try row.text("columns"),
                    referenced: try row.text("referenced"), rows: try row.integer("rows"),
                    isPartitioned: try row.boolean("partitioned")))
        }
        return references
    }
}
