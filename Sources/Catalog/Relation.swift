package import PQ

/// A table or view that somebody wants to read, and what the connected role may know about it.
package struct Relation: Sendable, Hashable {
    package let schema: String
    package let name: String
    /// Whether it exists.
    package let exists: Bool
    /// Whether the role may read at least one of its columns.
    package let isReadable: Bool
    /// Whether row security may keep rows from the role, so that what it reads may not be all.
    package let hidesRows: Bool

    /// The name with its schema.
    package var qualifiedName: String { "\(schema).\(name)" }

    /// The name as SQL.
    package var sql: String { Identifier(schema).quoted + "." + Identifier(name).quoted }
}

/// A relation, or a column of it, by name.
package struct RelationName: Sendable, Hashable {
    package let schema: String
    package let name: String
    package let column: String?

    /// A relation, or one of its columns.
    package init(schema: String, name: String, column: String? = nil) {
        self.schema = schema
        self.name = name
        self.column = column
    }
}

/// What is known about the relations that were asked about.
package struct Relations: Sendable {
    private var relations: [RelationName: Relation] = [:]
    private var existing: Set<RelationName> = []

    /// The question about relations and columns, to be sent with others.
    package static func query(about names: [RelationName]) -> Query {
        Query(
            file: "catalog/relations.sql",
            [
                arrayLiteral(names.map(\.schema)), arrayLiteral(names.map(\.name)),
                arrayLiteral(names.map { $0.column ?? "" }),
            ])
    }

    /// Reads the answer.
    package init(_ rows: Rows) throws(DecodingFailure) {
        for row in rows.rows {
            let schema = try row.text("schema")
            let name = try row.text("name")
            let column = try row.text("column")
            let exists = try row.boolean("exists")
            let isSecured = try row.boolean("secured")
            let isOpen = try row.boolean("open")
            let isReadable = try row.boolean("readable")
            // Where nothing may be read, that is the trouble, and Postgres says so.
            let relation = Relation(
                schema: schema, name: name, exists: exists, isReadable: isReadable,
                hidesRows: isReadable && isSecured && !isOpen)
            relations[RelationName(schema: schema, name: name)] = relation
            if exists, try row.boolean("has_column") {
                existing.insert(RelationName(schema: schema, name: name, column: column.isEmpty ? nil : column))
            }
        }
    }

    /// Whether a relation, and its column if one is named, exists.
    package func exists(_ name: RelationName) -> Bool { existing.contains(name) }

    /// What is known about a relation.
    package subscript(name: RelationName) -> Relation? { relations[name] }

    /// The relations in alphabetical order.
    package var all: [Relation] { relations.values.sorted { $0.qualifiedName < $1.qualifiedName } }
}
