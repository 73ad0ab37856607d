package import PQ

/// The tables of a database and the references between them.
package struct Schema: Sendable {
    package let tables: [Table]
    package let references: [Reference]

    /// A table with its columns in order.
    package struct Table: Sendable, Hashable {
        package let schema: String
        package let name: String
        /// The name as SQL, quoted if necessary.
        package let sql: String
        /// The planner's estimate for the number of rows.
        package let rows: Int
        package fileprivate(set) var columns: [TableColumn]

        package var qualifiedName: String { "\(schema).\(name)" }

        /// The columns of the primary key; empty without a primary key.
        package var key: [TableColumn] { columns.filter(\.isInKey) }

        package func column(_ name: String) -> TableColumn? { columns.first { $0.name == name } }
    }

    package struct TableColumn: Sendable, Hashable {
        package let name: String
        /// The name as SQL, quoted if necessary.
        package let sql: String
        package let type: String
        /// True if the type of the column is a text type.
        package let isTextual: Bool
        package let isRequired: Bool
        package let isInKey: Bool
        package let origin: DescribedColumn.Origin
    }

    /// A foreign key, or a reference that only the name of a column suggests.
    package struct Reference: Sendable, Hashable {
        package let table: String
        package let columns: [String]
        package let referenced: String
        package let referencedColumns: [String]

        package init(of column: String, in table: String, to key: String, of referenced: String) {
            (self.table, columns, self.referenced, referencedColumns) = (table, [column], referenced, [key])
        }

        fileprivate init?(_ key: Graph.Reference, in graph: Graph) {
            guard let table = graph.tables[key.table], let other = graph.tables[key.referenced] else { return nil }
            (self.table, referenced) = (table.qualifiedName, other.qualifiedName)
            (columns, referencedColumns) = (key.columns.map(\.name), key.columns.map(\.referenced))
        }
    }

    package static let query = Query(file: "catalog/columns.sql")

    /// Creates a schema from the result of `query` and the foreign keys of a graph.
    package init(_ columns: Rows, _ graph: Graph) throws(PQError) {
        tables = try Self.tables(columns)
        references = graph.references.compactMap { Reference($0, in: graph) }.sorted {
            ($0.table, $0.columns[0]) < ($1.table, $1.columns[0])
        }
    }

    package init(tables: [Table], references: [Reference]) {
        self.tables = tables
        self.references = references
    }

    package func table(_ qualifiedName: String) -> Table? { tables.first { $0.qualifiedName == qualifiedName } }

    private static func tables(_ rows: Rows) throws(PQError) -> [Table] {
        var tables: [Table] = []
        for row in rows.rows {
            let name = try row.text("table_sql")
            if tables.last?.sql != name {
                tables.append(
                    Table(
                        schema: try row.text("schema"), name: try row.text("table"), sql: name,
                        rows: try row.integer("rows"), columns: []))
            }
            tables[tables.count - 1].columns.append(
                TableColumn(
                    name: try row.text("column"), sql: try row.text("column_sql"), type: try row.text("type"),
                    isTextual: try row.boolean("textual"), isRequired: try row.boolean("required"),
                    isInKey: try row.boolean("in_key"),
                    origin: .init(table: try row.identifier("table_oid"), column: try row.integer("number"))))
        }
        return tables
    }
}
