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

        package var relation: RelationName { RelationName(schema: schema, name: table, column: column) }
    }

    package let name: Name
    package let type: String
    /// The planner's estimate for the number of rows in the table.
    package let rows: Int
    package let isPartitioned: Bool
    /// The indexes that help to find values of the column; empty if all searched tables are small.
    package let indexes: [Index]

    /// An index that contains every row with a value.
    package struct Index: Sendable, Hashable {
        package let isLowered: Bool
        package let isUnique: Bool
        /// True if the index finds equal values.
        package let finds: Bool
        /// The condition for which Postgres can use the index to find texts with a prefix; nil if there is none.
        package let prefix: Prefix?
        /// The schema of the operators of a trigram index; nil for another index.
        package let trigrams: String?
        /// The first column of the index, if it is another column with few values; nil if the searched column is first.
        package let lead: String?
    }

    package enum Prefix: String, Sendable { case pattern, range }

    /// True if the table is so large that searches need an index.
    package var isOfMany: Bool { rows >= TableSize.many }

    /// The indexes on the lower-case text of the column; an index whose first column is the searched one comes first.
    package var lowered: [Index] {
        let all = indexes.filter(\.isLowered)
        return all.filter { $0.lead == nil } + all.filter { $0.lead != nil }
    }

    /// True if a search for an email in any letter case scans a large table.
    package var scansForAddresses: Bool { isOfMany && !lowered.contains(where: \.finds) }

    /// True if a search for an email exactly as stored scans a large table.
    ///
    /// Only a unique index counts, because it shows that the app distinguishes upper and lower case.
    package var scansForLetters: Bool {
        isOfMany && !indexes.contains { !$0.isLowered && $0.finds && $0.isUnique }
    }
}

extension AddressColumn {
    package static func queries(about names: [Name]) -> [Query] {
        [Relations.query(about: names.map(\.relation)), indexes(about: names)]
    }

    /// The query for the indexes of tables; it reads nothing if all tables are small, because scans are as fast then.
    package static func indexes(about names: [Name]) -> Query {
        Relations.query("table_indexes", about: names.map(\.relation), [String(TableSize.many)])
    }

    /// Decodes the result of `indexes`; missing and unreadable columns are left out.
    package static func all(
        _ names: [Name], of tables: Relations, _ answer: Rows
    ) throws(PQError) -> [Name: AddressColumn] {
        var indexes: [String: [Row]] = [:]
        for row in answer.rows { indexes[try row.text("table"), default: []].append(row) }
        var columns: [Name: AddressColumn] = [:]
        for name in names {
            guard let table = tables[name.relation], table.isStored, let column = tables.column(name.relation),
                column.isReadable
            else { continue }
            var useful: [Index] = []
            for row in indexes[table.id] ?? [] {
                if let index = try Index(row, of: name, column) { useful.append(index) }
            }
            columns[name] = AddressColumn(
                name: name, type: column.type, rows: table.rows, isPartitioned: table.isPartitioned, indexes: useful)
        }
        return columns
    }
}

extension AddressColumn.Index {
    /// Reads one of the first two columns of an index; nil if the index doesn't help to find values of the column.
    fileprivate init?(_ row: Row, of name: AddressColumn.Name, _ column: Relations.Column) throws(PQError) {
        // The expression in a normal form, without casts and spaces.
        let wanted = name.expression.filter { !"()\" ".contains($0) }
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
        if let predicate = try row.optionalText("predicate"), predicate != wanted + "ISNOTNULL" { return nil }
        isUnique = try row.boolean("unique")
        let hasSameCollation = try row.text("collation") == column.collation
        finds = try row.boolean("equality") && hasSameCollation
        let prefix = try row.optionalText("prefix").flatMap(AddressColumn.Prefix.init)
        self.prefix = prefix == .range && !hasSameCollation ? nil : prefix
        trigrams = try row.optionalText("trigrams")
    }
}

/// The statement that creates an index; `table` and `keys` must be quoted SQL.
///
/// Postgres can't create an index of a partitioned table concurrently.
package func indexStatement(on table: String, isPartitioned: Bool, keys: String, method: String? = nil) -> String {
    "create index\(isPartitioned ? "" : " concurrently") on \(table) \(method.map { "using \($0) " } ?? "")(\(keys))"
}
