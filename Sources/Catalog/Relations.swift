package import PQ

package struct RelationName: Sendable, Hashable {
    package let schema: String
    package let name: String
    package let column: String?

    /// Creates the name of a relation; with `column`, the name of a column.
    package init(schema: String, name: String, column: String? = nil) {
        self.schema = schema
        self.name = name
        self.column = column
    }

    fileprivate var table: RelationName { column == nil ? self : RelationName(schema: schema, name: name) }
}

/// The tables, views and columns with the requested names, from the catalog.
package struct Relations: Sendable {
    package struct Table: Sendable {
        let id: String
        /// The kind of relation, as in pg_class.
        fileprivate let kind: String
        /// The planner's estimate for the number of rows.
        package let rows: Int
        /// True if the role can read at least one column of the relation.
        package let isReadable: Bool
        /// True if row security may hide rows from the role.
        package let hidesRows: Bool

        var isPartitioned: Bool { kind == "p" }
        /// True for a table, partitioned or not.
        var isTable: Bool { kind == "r" || isPartitioned }
        /// True if the relation stores rows itself.
        var isStored: Bool { isTable || kind == "m" }
    }

    struct Column: Sendable {
        let number: Int
        let type: String
        let collation: String
        let isReadable: Bool
    }

    private var tables: [RelationName: Table] = [:]
    /// The columns by the id of the table and by name.
    private var columns: [String: [String: Column]] = [:]

    package static func query(about names: [RelationName]) -> Query {
        query("tables", about: names, [arrayLiteral(distinct(names.compactMap(\.column)))])
    }

    static func query(_ file: String, about names: [RelationName], _ more: [String]) -> Query {
        let tables = [arrayLiteral(distinct(names.map(\.schema))), arrayLiteral(distinct(names.map(\.name)))]
        return Query(file: "catalog/\(file).sql", tables + more)
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    package init(_ answer: Rows) throws(PQError) {
        for row in answer.rows {
            let kind = try row.text("kind")
            // An index or a sequence may have the same name.
            guard Self.kinds.contains(kind) else { continue }
            let isReadable = try row.boolean("readable")
            let table = Table(
                id: try row.text("oid"), kind: kind, rows: try Self.rows(row), isReadable: isReadable,
                // If the role can't read the relation, Postgres reports an error, so hidden rows don't matter.
                hidesRows: try row.boolean("hides_rows") && isReadable)
            tables[RelationName(schema: try row.text("schema"), name: try row.text("name"))] = table
            try read(columns: try row.texts("columns"), of: table.id)
        }
    }

    private mutating func read(columns texts: [String], of table: String) throws(PQError) {
        for start in stride(from: 0, to: texts.count, by: Self.partsOfColumn) {
            let parts = Array(texts[start...].prefix(Self.partsOfColumn))
            guard parts.count == Self.partsOfColumn, let number = Int(parts[1]) else {
                throw .notA("list", column: "columns")
            }
            columns[table, default: [:]][parts[0]] = Column(
                number: number, type: parts[2], collation: parts[3] == "0" ? Self.defaultCollation : parts[3],
                isReadable: parts[4] == "true")
        }
    }

    /// The estimated number of rows: from the planner, else from the size on disk.
    private static func rows(_ row: Row) throws(PQError) -> Int {
        if let bytes = try row.optionalInteger("bytes") { return bytes / bytesOfRow }
        guard let rows = Double(try row.text("rows")) else { throw .notA("number", column: "rows") }
        return Int(max(0, rows))
    }

    /// The kinds of relations that can be read: tables, partitioned tables, views, materialized views and foreign
    /// tables.
    private static let kinds: Set<String> = ["r", "p", "v", "m", "f"]
    /// The fields of a column: name, number, type, collation, and whether it can be read.
    private static let partsOfColumn = 5
    private static let defaultCollation = "100"
    private static let bytesOfRow = 200

    /// The table or view with a name; nil if it doesn't exist.
    package subscript(name: RelationName) -> Table? { tables[name.table] }

    func column(_ name: RelationName) -> Column? {
        guard let table = self[name], let column = name.column else { return nil }
        return columns[table.id]?[column]
    }

    /// True if the relation exists, and also the column if the name has one.
    package func exists(_ name: RelationName) -> Bool {
        name.column == nil ? self[name] != nil : column(name) != nil
    }

    /// True if the column belongs to a table, not to a view.
    package func isOfTable(_ name: RelationName) -> Bool { self[name]?.isTable ?? false && column(name) != nil }

    /// The type of a column as SQL for a cast, if known.
    package func type(of name: RelationName) -> String? { column(name)?.type }
}
