package import PQ

/// The tables, views and columns with the requested names, from the catalog.
package struct NamedTables: Sendable {
    struct Table: Sendable {
        let id: String
        /// True if the relation stores rows itself.
        let isStored: Bool
        let isPartitioned: Bool
        let isView: Bool
        /// The planner's estimate for the number of rows.
        let rows: Int
        let isReadable: Bool
        let isSecured: Bool
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

    static func query(_ file: String, about names: [RelationName], _ more: [String] = []) -> Query {
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
            let table = Table(
                id: try row.text("oid"), isStored: Self.storedKinds.contains(kind), isPartitioned: kind == "p",
                isView: kind == "v", rows: try Self.rows(row), isReadable: try row.boolean("readable"),
                isSecured: try row.boolean("secured"))
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
    private static let storedKinds: Set<String> = ["r", "p", "m"]
    /// The fields of a column: name, number, type, collation, and whether it can be read.
    private static let partsOfColumn = 5
    private static let defaultCollation = "100"
    private static let bytesOfRow = 200

    func table(_ name: RelationName) -> Table? { tables[name.table] }

    func column(_ name: RelationName) -> Column? {
        guard let table = table(name), let column = name.column else { return nil }
        return columns[table.id]?[column]
    }
}
