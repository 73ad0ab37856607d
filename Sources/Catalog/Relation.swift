package import PQ

/// A table or view to read, with the rights of the connected role.
package struct Relation: Sendable, Hashable {
    package let schema: String
    package let name: String
    package let exists: Bool
    /// True if the role can read at least one column of the relation.
    package let isReadable: Bool
    package let hidesRows: Bool
    /// The planner's estimate for the number of rows.
    package let rows: Int

    package var qualifiedName: String { "\(schema).\(name)" }
}

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

    var table: RelationName { column == nil ? self : RelationName(schema: schema, name: name) }
}

package struct Relations: Sendable {
    private let names: [RelationName]
    private let tables: NamedTables
    private var relations: [RelationName: Relation] = [:]
    /// True if usher has read the policies or doesn't need them; otherwise usher assumes that row security hides rows.
    package let isSettled: Bool

    package static func queries(about names: [RelationName]) -> [Query] {
        [NamedTables.query(about: names), policies(about: names)]
    }

    private static func policies(about names: [RelationName]) -> Query {
        NamedTables.query("table_policies", about: names)
    }

    /// Queries the policies of the relations; needed if row security applies to a relation.
    package var policies: Query { Self.policies(about: names) }

    package init(_ names: [RelationName], _ answers: [Rows]) throws(PQError) {
        guard let tables = answers.first else { throw .notA("answer", column: "table") }
        try self.init(names, NamedTables(tables), policies: answers.dropFirst().first)
    }

    /// The relations with their tables, and with their policies if these were read.
    package init(_ names: [RelationName], _ tables: NamedTables, policies: Rows? = nil) throws(PQError) {
        var open: Set<String> = []
        for row in policies?.rows ?? [] {
            if try row.optionalBoolean("open") ?? false { open.insert(try row.text("table")) }
        }
        var isSecured = false
        for name in names.map(\.table) {
            let table = tables.table(name)
            // If the role can't read the relation, Postgres reports an error, so hidden rows don't matter.
            let hides = table.map { $0.isReadable && $0.isSecured } ?? false
            isSecured = isSecured || hides
            relations[name] = Relation(
                schema: name.schema, name: name.name, exists: table != nil, isReadable: table?.isReadable ?? false,
                hidesRows: hides && !(table.map { open.contains($0.id) } ?? false),
                rows: table?.rows ?? 0)
        }
        self.names = names
        self.tables = tables
        isSettled = policies != nil || !isSecured
    }

    package func settled(by policies: Rows) throws(PQError) -> Relations {
        try Relations(names, tables, policies: policies)
    }

    /// True if the relation exists, and also the column if the name has one.
    package func exists(_ name: RelationName) -> Bool {
        name.column == nil ? tables.table(name) != nil : tables.column(name) != nil
    }

    /// The type of a column as SQL for a cast, if known.
    package func type(of name: RelationName) -> String? { tables.column(name)?.type }

    package subscript(name: RelationName) -> Relation? { relations[name] }
}
