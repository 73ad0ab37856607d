package import PQ

/// Tables, views, and columns of them, as the catalog knows them by name.
///
/// Each question reads one catalog by an index of it, and the answers are put together here: to plan a join of catalogs takes
/// a server that was just connected to several times as long as to run it.
package struct NamedTables: Sendable {
    /// A table or view.
    struct Table: Sendable {
        let id: String
        /// Whether it holds rows itself.
        let isStored: Bool
        /// How many rows it has, as far as the planner knows.
        let rows: Int
        let isReadable: Bool
        /// Whether row security holds for the connected role.
        let isSecured: Bool
    }

    /// A column of a table.
    struct Column: Sendable {
        let number: Int
        let type: String
        let collation: String
        let isReadable: Bool
    }

    private struct Place: Hashable {
        let table: String
        let column: String
    }

    private var tables: [RelationName: Table] = [:]
    private var columns: [Place: Column] = [:]

    /// The questions about some tables and columns.
    package static func queries(about names: [RelationName]) -> [Query] {
        [
            query("tables", about: names),
            query("table_columns", about: names, [arrayLiteral(distinct(names.compactMap(\.column)))]),
        ]
    }

    /// A question about the tables of some names.
    static func query(_ file: String, about names: [RelationName], _ more: [String] = []) -> Query {
        let tables = [arrayLiteral(distinct(names.map(\.schema))), arrayLiteral(distinct(names.map(\.name)))]
        return Query(file: "catalog/\(file).sql", tables + more)
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Reads the answers to `queries`.
    package init(_ answers: [Rows]) throws(DecodingFailure) {
        guard answers.count == 2 else { throw .notA("answer", column: "table") }
        for row in answers[0].rows {
            tables[RelationName(schema: try row.text("schema"), name: try row.text("name"))] = Table(
                id: try row.text("oid"), isStored: try row.boolean("stored"), rows: try row.integer("rows"),
                isReadable: try row.boolean("readable"), isSecured: try row.boolean("secured"))
        }
        for row in answers[1].rows {
            columns[Place(table: try row.text("table"), column: try row.text("name"))] = Column(
                number: try row.integer("number"), type: try row.text("type"), collation: try row.text("collation"),
                isReadable: try row.boolean("readable"))
        }
    }

    /// The table of a name, whatever column the name has.
    func table(_ name: RelationName) -> Table? { tables[name.table] }

    /// The column of a name.
    func column(_ name: RelationName) -> Column? {
        guard let table = table(name), let column = name.column else { return nil }
        return columns[Place(table: table.id, column: column)]
    }
}
