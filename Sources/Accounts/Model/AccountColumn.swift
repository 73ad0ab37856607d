internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// A column of a table of this database.
struct AccountColumn: Sendable {
    enum Kind: String, Sendable { case number, uuid, text, document, other }

    /// A column by its table and name.
    struct Name: Hashable, Sendable {
        let table: UInt32
        let column: String
    }

    let name: Name
    /// The base type; for a list, the type of its elements.
    let type: String
    let kind: Kind
    let isList: Bool
    let isRequired: Bool
    /// True if the database computes its value.
    let isGenerated: Bool
    /// True if it is the first column of an index.
    let isIndexed: Bool
    let isReadable: Bool

    /// True if an update can set it to NULL.
    var isFillable: Bool { !isRequired && !isGenerated }
    /// The column of the row `t`.
    var cell: String { Accounts.cell(name.column) }
    /// The value as text; a text column is not cast, so that its index serves.
    var text: String {
        ["text", "character varying"].contains(type) && !isList ? cell : "\(cell)::pg_catalog.text"
    }
}

/// All columns of a database.
struct AccountColumns: Sendable {
    private(set) var all: [AccountColumn] = []
    private var places: [AccountColumn.Name: Int] = [:]
    private var tables: [UInt32: Range<Int>] = [:]

    static let query = Query(file: "catalog/account_columns.sql")

    init(_ rows: Rows) throws(DecodingFailure) {
        all.reserveCapacity(rows.rows.count)
        for row in rows.rows {
            let name = AccountColumn.Name(table: try row.identifier("table"), column: try row.text("name"))
            guard let kind = AccountColumn.Kind(rawValue: try row.text("kind")) else {
                throw .notA("kind", column: "kind")
            }
            places[name] = all.count
            let begin = tables[name.table]?.lowerBound ?? all.count
            all.append(
                AccountColumn(
                    name: name, type: try row.text("type"), kind: kind, isList: try row.boolean("list"),
                    isRequired: try row.boolean("required"), isGenerated: try row.boolean("generated"),
                    isIndexed: try row.boolean("indexed"), isReadable: try row.boolean("readable")))
            tables[name.table] = begin..<all.count
        }
    }

    subscript(name: AccountColumn.Name) -> AccountColumn? { places[name].map { all[$0] } }

    /// The columns of a table, in order.
    func of(_ table: UInt32) -> ArraySlice<AccountColumn> { tables[table].map { all[$0] } ?? [] }
}

extension AccountColumn.Name {
    /// Reads `schema.table.column` as SQL does; nil if the table does not exist.
    init?(_ path: String, in graph: Graph) {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return nil }
        self.init(table: table.oid, column: parts[2])
    }
}
