package import PQ

/// A column by which usher finds users, or a value in a JSON column, with the indexes on these values.
package struct AddressColumn: Sendable, Hashable {
    /// A table, a column of it, and the expression over the column as indexes define it.
    package struct Name: Sendable, Hashable {
        package let schema: String
        package let table: String
        package let column: String
        package let expression: String

        /// An expression over a column of a table.
        package init(schema: String, table: String, column: String, expression: String) {
            self.schema = schema
            self.table = table
            self.column = column
            self.expression = expression
        }
    }

    package let name: Name
    /// The Postgres type of the column.
    package let type: String
    /// The planner's estimate for the number of rows in the table.
    package let rows: Int
    /// True if the table has partitions.
    package let isPartitioned: Bool
    package let indexes: [Index]

    /// An index on the values.
    package struct Index: Sendable, Hashable {
        package let method: String
        /// True if the index contains the values in lower case.
        package let isLowered: Bool
        package let isUnique: Bool
        /// True if the index contains every row with a value.
        package let isComplete: Bool
        /// True if the operator class of the index sorts by bytes.
        package let isPattern: Bool
        /// True if the index is a trigram index.
        package let isTrigram: Bool
        /// The schema of the index's operators, as SQL.
        package let operatorSchema: String
        /// The collation as SQL, if it differs from the column's.
        package let collation: String?
        /// True if the index's collation sorts by code points.
        package let isByCodePoints: Bool
        /// The first column of the index, if this is another column with few values; nil if the values come first.
        package let lead: String?

        /// True if an equality can use the index.
        package var finds: Bool { isComplete && collation == nil && ["btree", "hash"].contains(method) }
        /// True if values with the same prefix are next to each other.
        package var sorts: Bool { isComplete && method == "btree" && (isPattern || isByCodePoints) }
    }

    /// True if the table is so big that searches need an index.
    package var isOfMany: Bool { rows >= TableSize.many }
}

extension AddressColumn {
    /// The queries for tables, columns and their indexes.
    package static func queries(about names: [Name]) -> [Query] {
        [NamedTables.query(about: names.map(\.relation)), indexes(about: names)]
    }

    /// Queries the indexes of the tables.
    package static func indexes(about names: [Name]) -> Query {
        NamedTables.query("table_indexes", about: names.map(\.relation))
    }

    /// The catalog data about columns.
    package struct Reading: Sendable {
        private let names: [Name]
        private let tables: NamedTables
        private let places: [String: [Place]]

        /// Reads the answers to `queries`.
        package init(_ names: [Name], _ answers: [Rows]) throws(DecodingFailure) {
            guard answers.count == 2 else { throw .notA("answer", column: "table") }
            self.names = names
            tables = try NamedTables(answers[0])
            var places: [String: [Place]] = [:]
            for row in answers[1].rows { places[try row.text("table"), default: []].append(try Place(row)) }
            self.places = places
        }

        /// The columns with their indexes, without columns that don't exist or can't be read.
        package var columns: [Name: AddressColumn] {
            var columns: [Name: AddressColumn] = [:]
            for name in names {
                guard let (table, column) = found(name) else { continue }
                columns[name] = AddressColumn(
                    name: name, type: column.type, rows: table.rows, isPartitioned: table.isPartitioned,
                    indexes: held(name, table, column))
            }
            return columns
        }

        private func found(_ name: Name) -> (NamedTables.Table, NamedTables.Column)? {
            guard let table = tables.table(name.relation), table.isStored, let column = tables.column(name.relation),
                column.isReadable
            else { return nil }
            return (table, column)
        }

        /// The indexes that contain a column, the most useful first.
        private func held(_ name: Name, _ table: NamedTables.Table, _ column: NamedTables.Column) -> [Index] {
            var held: [Index] = []
            for place in places[table.id] ?? [] {
                guard let isLowered = place.holds(name, column),
                    // A case-sensitive index is useful only if the column is the first one of the index.
                    place.isFirst || isLowered && place.lead != nil
                else { continue }
                held.append(place.index(of: name, column, isLowered: isLowered))
            }
            return held.enumerated().sorted { first, second in
                let (one, other) = (first.element, second.element)
                for (a, b) in [
                    (one.lead == nil, other.lead == nil), (one.isLowered, other.isLowered),
                    (one.isComplete, other.isComplete), (one.isPattern, other.isPattern),
                ] where a != b { return a }
                return first.offset < second.offset
            }.map(\.element)
        }
    }

    /// One of the first two columns of an index.
    private struct Place {
        /// The number of the column; 0 for an expression.
        let number: Int
        let isFirst: Bool
        /// The name of the column before this column, if that column has few values.
        let lead: String?
        let expression: String?
        let isUnique: Bool
        let predicate: String?
        let method: String
        let operators: String
        let operatorSchema: String
        let collation: String
        let collationName: String
        let isByCodePoints: Bool

        init(_ row: Row) throws(DecodingFailure) {
            number = try row.integer("number")
            isFirst = try row.integer("place") == 1
            lead = try row.optionalText("lead")
            expression = try row.optionalText("key")
            isUnique = try row.boolean("unique")
            predicate = try row.optionalText("predicate")
            let words = try row.text("class").split(separator: " ", maxSplits: 2)
            guard words.count == 3 else { throw .notA("class", column: "class") }
            (method, operators, operatorSchema) = (String(words[0]), String(words[1]), String(words[2]))
            collation = try row.text("collation")
            collationName = try row.text("collation_name")
            isByCodePoints = try row.optionalBoolean("codepoints") ?? false
        }

        /// True if the index has the column in lower case, false if unchanged, nil if it doesn't have the column.
        func holds(_ name: Name, _ column: NamedTables.Column) -> Bool? {
            let wanted = name.plainExpression
            guard let expression else { return number == column.number && name.expression == name.column ? false : nil }
            return expression == wanted ? false : expression == "lower" + wanted ? true : nil
        }

        func index(of name: Name, _ column: NamedTables.Column, isLowered: Bool) -> Index {
            Index(
                method: method, isLowered: isLowered, isUnique: isUnique,
                isComplete: predicate.map { $0 == name.plainExpression + "ISNOTNULL" } ?? true,
                isPattern: operators.hasSuffix("pattern_ops"),
                isTrigram: ["gin_trgm_ops", "gist_trgm_ops"].contains(operators), operatorSchema: operatorSchema,
                collation: collation == column.collation ? nil : collationName, isByCodePoints: isByCodePoints,
                lead: lead)
        }
    }
}

extension AddressColumn.Name {
    /// The name of the column for queries of the catalog.
    package var relation: RelationName { RelationName(schema: schema, name: table, column: column) }

    /// The expression in a normal form, without casts and spaces.
    fileprivate var plainExpression: String { expression.filter { !"()\" ".contains($0) } }
}
