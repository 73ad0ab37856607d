package import PQ
internal import EmbeddedSQL

/// A table as far as it takes to tell its rows apart, to read them, and to write them back.
package struct TableShape: Sendable, Hashable {
    package let oid: String
    package let schema: String
    package let name: String
    /// The name as SQL, quoted where it has to be.
    package let sql: String
    package let isTemporary: Bool
    /// Whether the role may lock its rows.
    package let isLockable: Bool
    package let columns: [Column]

    /// A column of the table.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// The name as SQL, quoted where it has to be.
        package let sql: String
        package let type: String
        /// Whether it holds `json`, whose text is more than its value.
        package let isJSON: Bool
        package let isGenerated: Bool
        /// Whether only OVERRIDING SYSTEM VALUE may write it.
        package let isIdentity: Bool
        package let isInKey: Bool
    }

    package var qualifiedName: String { "\(schema).\(name)" }

    /// The columns that tell rows apart; empty where nothing does.
    package var key: [Column] { columns.filter(\.isInKey) }

    /// Asks about tables by their object identifiers.
    package static func query(of tables: [String]) -> Query {
        Query(EmbeddedSQL.text(of: "catalog/table_shapes.sql"), [arrayLiteral(tables)])
    }

    /// Reads the answer, one shape a table.
    package static func shapes(_ rows: Rows) throws(DecodingFailure) -> [String: TableShape] {
        var shapes: [String: TableShape] = [:]
        var columns: [Column] = []
        for (index, row) in rows.rows.enumerated() {
            columns.append(
                Column(
                    name: try row.text("column"), sql: try row.text("column_sql"), type: try row.text("type"),
                    isJSON: try row.boolean("json"), isGenerated: try row.boolean("generated"),
                    isIdentity: try row.boolean("identity"), isInKey: try row.boolean("in_key")))
            let oid = try row.text("oid")
            if index + 1 < rows.rows.count, rows.rows[index + 1]["oid"]?.text == oid { continue }
            shapes[oid] = TableShape(
                oid: oid, schema: try row.text("schema"), name: try row.text("table"), sql: try row.text("table_sql"),
                isTemporary: try row.boolean("temporary"), isLockable: try row.boolean("lockable"), columns: columns)
            columns = []
        }
        return shapes
    }
}
