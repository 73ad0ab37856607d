package import PQ

/// A foreign key without an index on its referring columns.
package struct UnindexedReference: Sendable, Hashable {
    package let table: String
    package let columns: String
    package let referenced: String
    /// The planner's estimate for the number of rows in the table.
    package let rows: Int
    package let isPartitioned: Bool

    package var index: String { indexStatement(on: table, isPartitioned: isPartitioned, keys: columns) }

    package static let query = Query(file: "catalog/unindexed_references.sql")

    package static func all(_ rows: Rows) throws(PQError) -> [UnindexedReference] {
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

/// The statement that creates an index; `table` and `keys` must be quoted SQL.
///
/// Postgres can't create an index of a partitioned table concurrently.
package func indexStatement(on table: String, isPartitioned: Bool, keys: String, method: String? = nil) -> String {
    "create index\(isPartitioned ? "" : " concurrently") on \(table) \(method.map { "using \($0) " } ?? "")(\(keys))"
}
