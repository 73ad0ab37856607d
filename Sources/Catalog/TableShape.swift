package import PQ

/// A table as far as it takes to tell its rows apart, to read them, and to write them back.
package struct TableShape: Sendable {
    package let oid: String
    package let schema: String
    package let name: String
    /// The name as SQL, quoted where it has to be.
    package let sql: String
    package let isTemporary: Bool
    /// Whether the role may lock its rows.
    package let isLockable: Bool
    /// Whether the table has triggers of its own that an UPDATE fires.
    package let isTriggered: Bool
    /// Whether triggers of its own may write into a row before it is inserted.
    package let isTriggeredByInsert: Bool
    /// The table and those it is a part of, by schema and name, as statements may call it.
    package let ancestors: [(schema: String, name: String)]
    package let columns: [Column]

    /// A column of the table.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// The name as SQL, quoted where it has to be.
        package let sql: String
        package let type: String
        package let typeID: TypeID
        package let form: Form
        package let isGenerated: Bool
        package let isInKey: Bool
        /// Whether the role may read it.
        package let isReadable: Bool
    }

    /// How far JSON holds the values of a column exactly.
    package enum Form: String, Sendable {
        /// Whatever it is.
        case plain
        /// But for negative zero.
        case float
        /// But for bounds that do not begin at one.
        case array
        /// But for what is no object and no array, where the null of JSON would be that of SQL.
        case jsonb
        /// Not: `json` is its text.
        case json
        /// Not at all.
        case text
    }

    package var qualifiedName: String { "\(schema).\(name)" }

    /// The columns that tell rows apart; empty where nothing does.
    package var key: [Column] { columns.filter(\.isInKey) }

    /// Asks about tables by their object identifiers.
    package static func query(of tables: [String]) -> Query {
        Query(file: "catalog/table_shapes.sql", [arrayLiteral(tables)])
    }

    /// Reads the answer, one shape a table.
    package static func shapes(_ rows: Rows) throws(DecodingFailure) -> [String: TableShape] {
        var shapes: [String: TableShape] = [:]
        var columns: [Column] = []
        for (index, row) in rows.rows.enumerated() {
            columns.append(
                Column(
                    name: try row.text("column"), sql: try row.text("column_sql"), type: try row.text("type"),
                    typeID: try row.type("type_oid"),
                    form: Form(rawValue: try row.text("form")) ?? .text, isGenerated: try row.boolean("generated"),
                    isInKey: try row.boolean("in_key"), isReadable: try row.boolean("readable")))
            let oid = try row.text("oid")
            if index + 1 < rows.rows.count, try rows.rows[index + 1].text("oid") == oid { continue }
            shapes[oid] = TableShape(
                oid: oid, schema: try row.text("schema"), name: try row.text("table"), sql: try row.text("table_sql"),
                isTemporary: try row.boolean("temporary"), isLockable: try row.boolean("lockable"),
                isTriggered: try row.boolean("triggered"),
                isTriggeredByInsert: try row.boolean("insert_triggered"), ancestors: try ancestors(row),
                columns: columns)
            columns = []
        }
        return shapes
    }

    /// Schemas and names, one after the other.
    private static func ancestors(_ row: Row) throws(DecodingFailure) -> [(schema: String, name: String)] {
        let words = arrayElements(try row.text("ancestors")).map { $0 ?? "" }
        return stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
    }
}
