internal import Catalog
internal import PQ

/// The columns of some tables.
struct TableColumns {
    struct Column {
        let name: String
        let type: String
        let fullType: String
        let isFillable: Bool
        let isGenerated: Bool
        /// Whether an update may give it nothing but its default.
        let isAlwaysIdentity: Bool
        /// Whether this role may read it.
        let isReadable: Bool
    }

    private var columns: [UInt32: [String: Column]] = [:]
    /// The names in order.
    private(set) var names: [UInt32: [String]] = [:]

    init() {}

    static func query(of tables: [UInt32]) -> Query {
        Query(file: "catalog/graph_columns.sql", [arrayLiteral(Set(tables).sorted().map(String.init))])
    }

    init(_ rows: Rows) throws(DecodingFailure) {
        for row in rows.rows {
            let table = try row.identifier("table")
            let column = Column(
                name: try row.text("name"), type: try row.text("type"), fullType: try row.text("full_type"),
                isFillable: try row.boolean("fillable"), isGenerated: try row.boolean("generated"),
                isAlwaysIdentity: try row.boolean("identity"),
                isReadable: try row.boolean("readable"))
            columns[table, default: [:]][column.name] = column
            names[table, default: []].append(column.name)
        }
    }

    subscript(table: UInt32) -> [String: Column]? { columns[table] }
}
