package import PQ

/// A column or JSON value that usher searches for users, with its indexes.
package struct AddressColumn: Sendable, Hashable {
    /// A column of a table, and the SQL of the searched value, written as in an index definition.
    package struct Name: Sendable, Hashable {
        package let schema: String
        package let table: String
        package let column: String
        package let expression: String

        package init(schema: String, table: String, column: String, expression: String) {
            self.schema = schema
            self.table = table
            self.column = column
            self.expression = expression
        }
    }

    package let name: Name
    package let type: String
    /// The planner's estimate for the number of rows in the table.
    package let rows: Int
    package let isPartitioned: Bool
    /// The indexes with the column or value; empty if all searched tables are small.
    package let indexes: [Index]

    package struct Index: Sendable, Hashable {
        package let method: String
        package let isLowered: Bool
        package let isUnique: Bool
        /// True if the index contains every row with a value.
        package let isComplete: Bool
        /// True if the operator class of the index sorts by bytes.
        package let isPattern: Bool
        package let isTrigram: Bool
        package let operatorSchema: String
        /// The collation of the index as SQL; nil if the column has the same collation.
        package let collation: String?
        package let isByCodePoints: Bool
        /// The first column of the index, if it is another column with few values; nil if the searched column is first.
        package let lead: String?

        package var finds: Bool { isComplete && collation == nil && ["btree", "hash"].contains(method) }
        /// True if values with the same prefix are next to each other.
        package var sorts: Bool { isComplete && method == "btree" && (isPattern || isByCodePoints) }
    }

    /// True if the table is so large that searches need an index.
    package var isOfMany: Bool { rows >= TableSize.many }
}

extension AddressColumn {
    package static func queries(about names: [Name]) -> [Query] {
        [NamedTables.query(about: names.map(\.relation)), indexes(about: names)]
    }

    /// The query for the indexes of tables; it reads nothing if all tables are small, because scans are as fast then.
    package static func indexes(about names: [Name]) -> Query {
        NamedTables.query("table_indexes", about: names.map(\.relation), [String(TableSize.many)])
    }

    /// Decodes the results of `queries`; missing and unreadable columns are left out.
    package static func all(_ names: [Name], _ answers: [Rows]) throws(PQError) -> [Name: AddressColumn] {
        guard answers.count == 2 else { throw .notA("answer", column: "table") }
        let tables = try NamedTables(answers[0])
        var indexes: [String: [Row]] = [:]
        for row in answers[1].rows { indexes[try row.text("table"), default: []].append(row) }
        var columns: [Name: AddressColumn] = [:]
        for name in names {
            guard let table = tables.table(name.relation), table.isStored, let column = tables.column(name.relation),
                column.isReadable
            else { continue }
            columns[name] = AddressColumn(
                name: name, type: column.type, rows: table.rows, isPartitioned: table.isPartitioned,
                indexes: try Index.all(indexes[table.id] ?? [], of: name, column))
        }
        return columns
    }
}

extension AddressColumn.Index {
    /// The indexes that contain a column, the most useful first.
    fileprivate static func all(
        _ rows: [Row], of name: AddressColumn.Name, _ column: NamedTables.Column
    ) throws(PQError) -> [Self] {
        var indexes: [Self] = []
        for row in rows {
            if let index = try Self(row, of: name, column) { indexes.append(index) }
        }
        return indexes.enumerated().sorted { first, second in
            let (one, other) = (first.element, second.element)
            for (a, b) in [
                (one.lead == nil, other.lead == nil), (one.isLowered, other.isLowered),
                (one.isComplete, other.isComplete), (one.isPattern, other.isPattern),
            ] where a != b { return a }
            return first.offset < second.offset
        }.map(\.element)
    }

    /// Reads one of the first two columns of an index; nil if the index doesn't help to find values of the column.
    private init?(_ row: Row, of name: AddressColumn.Name, _ column: NamedTables.Column) throws(PQError) {
        let wanted = name.plainExpression
        if let expression = try row.optionalText("key") {
            guard [wanted, "lower" + wanted].contains(expression) else { return nil }
            isLowered = expression != wanted
        } else {
            guard try row.integer("number") == column.number, name.expression == name.column else { return nil }
            isLowered = false
        }
        lead = try row.optionalText("lead")
        // A case-sensitive index is useful only if the searched column is its first column.
        let isFirst = try row.integer("place") == 1
        guard isFirst || isLowered && lead != nil else { return nil }
        let words = try row.text("class").split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3 else { throw .notA("class", column: "class") }
        (method, operatorSchema) = (words[0], words[2])
        isPattern = words[1].hasSuffix("pattern_ops")
        isTrigram = ["gin_trgm_ops", "gist_trgm_ops"].contains(words[1])
        isUnique = try row.boolean("unique")
        isComplete = try row.optionalText("predicate").map { $0 == wanted + "ISNOTNULL" } ?? true
        collation = try row.text("collation") == column.collation ? nil : row.text("collation_name")
        isByCodePoints = try row.optionalBoolean("codepoints") ?? false
    }
}

extension AddressColumn.Name {
    package var relation: RelationName { RelationName(schema: schema, name: table, column: column) }

    /// The expression in a normal form, without casts and spaces.
    fileprivate var plainExpression: String { expression.filter { !"()\" ".contains($0) } }
}
