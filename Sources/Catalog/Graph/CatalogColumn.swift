package import PQ

/// A column of a table, with its base type.
package struct CatalogColumn: Sendable {
    package enum Kind: String, Sendable {
        case number, uuid, text, document, bytes
        /// A type that contains texts, such as tsvector or a composite type.
        case composed
        case other
    }

    package struct Name: Hashable, Sendable {
        package let table: UInt32
        package let column: String

        package init(table: UInt32, column: String) { (self.table, self.column) = (table, column) }
    }

    package let name: Name
    /// The base type; for a list, the type of its elements.
    package let type: String
    package let kind: Kind
    package let isList: Bool
    package let isRequired: Bool
    /// True if an UPDATE can't set the column: it is computed, or an identity column with GENERATED ALWAYS.
    package let isGenerated: Bool
    /// True if an INSERT can't set the column, because the column is computed.
    package let isComputed: Bool
    /// True if the column is the first one of an index.
    package let isIndexed: Bool
    /// True if no two rows have the same value.
    package let isUnique: Bool
    package let isReadable: Bool
    package let isUpdatable: Bool

    /// The SQL type, with `[]` for a list.
    package var wholeType: String { isList ? "\(type)[]" : type }
    /// True if an update can set the column to NULL.
    package var isFillable: Bool { !isRequired && !isGenerated }
    package var cell: String { "t." + Identifier(name.column).quoted }
    /// The value as text; a text column isn't cast, so that the server can use its index.
    package var text: String {
        ["text", "character varying"].contains(type) && !isList ? cell : "\(cell)::pg_catalog.text"
    }
}

package struct CatalogColumns: Sendable {
    package private(set) var all: [CatalogColumn] = []
    private var places: [CatalogColumn.Name: Int] = [:]
    private var tables: [UInt32: Range<Int>] = [:]

    package static func query(withAuditLog: Bool = false) -> Query {
        Query(file: "catalog/account_columns.sql", [withAuditLog ? "t" : "f"])
    }

    package init(_ rows: Rows) throws(PQError) {
        all.reserveCapacity(rows.rows.count)
        for row in rows.rows {
            let name = CatalogColumn.Name(table: try row.identifier("table"), column: try row.text("name"))
            guard let kind = CatalogColumn.Kind(rawValue: try row.text("kind")) else {
                throw .notA("kind", column: "kind")
            }
            places[name] = all.count
            let begin = tables[name.table]?.lowerBound ?? all.count
            all.append(
                CatalogColumn(
                    name: name, type: try row.text("type"), kind: kind, isList: try row.boolean("list"),
                    isRequired: try row.boolean("required"), isGenerated: try row.boolean("generated"),
                    isComputed: try row.boolean("computed"), isIndexed: try row.boolean("indexed"),
                    isUnique: try row.boolean("unique"), isReadable: try row.boolean("readable"),
                    isUpdatable: try row.boolean("updatable")))
            tables[name.table] = begin..<all.count
        }
    }

    package subscript(name: CatalogColumn.Name) -> CatalogColumn? { places[name].map { all[$0] } }

    package func of(_ table: UInt32) -> ArraySlice<CatalogColumn> { tables[table].map { all[$0] } ?? [] }
}
