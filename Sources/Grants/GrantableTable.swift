internal import PQ

/// The catalog data about a table for which roles need rights.
struct GrantableTable: Sendable {
    let schema: String
    let name: String
    /// The name of the table as SQL, with quotes if needed.
    let sql: String
    let owner: String
    let isSecured: Bool
    /// The tables whose deleted rows cascade to this table, as `schema.table`.
    let cascadesFrom: Set<String>
    /// The trigger functions that run with the rights of the role that changes the table.
    let triggers: String?
    /// The system columns of every table; a grant for single columns must name them.
    static let systemColumns = ["tableoid", "ctid", "xmin", "xmax"]

    /// The columns in the order of the table, each with its plain and its quoted name.
    var columns: [(name: String, sql: String)] = []
    var sequences: [String] = []

    static func all(_ rows: Rows) throws(PQError) -> [GrantableTable] {
        var tables: [GrantableTable] = []
        for row in rows.rows {
            let schema = try row.text("schema")
            let name = try row.text("name")
            if tables.last?.schema != schema || tables.last?.name != name {
                tables.append(
                    GrantableTable(
                        schema: schema, name: name, sql: try row.text("sql"), owner: try row.text("owner"),
                        isSecured: try row.boolean("secured"),
                        cascadesFrom: Set(
                            arrayElements(try row.optionalText("cascaded_from") ?? "{}").compactMap { $0 }),
                        triggers: try row.optionalText("triggers")))
            }
            tables[tables.count - 1].columns.append((try row.text("column"), try row.text("column_sql")))
            if let sequence = try row.optionalText("sequence") { tables[tables.count - 1].sequences.append(sequence) }
        }
        return tables
    }
}
