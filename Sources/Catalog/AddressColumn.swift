package import PQ

/// A column by which users are found, or a value at a path of its JSON, with the indexes on it.
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
    /// The planner's estimate of the rows of its table.
    package let rows: Int
    /// True if its table has partitions.
    package let isPartitioned: Bool
    package let indexes: [Index]

    /// An index on the values.
    package struct Index: Sendable, Hashable {
        package let method: String
        /// True if it indexes the values in lower case.
        package let isLowered: Bool
        package let isUnique: Bool
        /// True if no row with a value is missing from it.
        package let isComplete: Bool
        /// True if its operator class sorts by bytes.
        package let isPattern: Bool
        /// True if it indexes the parts of texts.
        package let isTrigram: Bool
        /// The schema of its operators, as SQL.
        package let operatorSchema: String
        /// The collation as SQL, if it differs from the column's.
        package let collation: String?
        /// True if its collation sorts by code points in every language.
        package let isByCodePoints: Bool
        /// The leading column, which has few values; nil if the values themselves come first.
        package let lead: String?

        /// True if an equality can use the index.
        package var finds: Bool { isComplete && collation == nil && ["btree", "hash"].contains(method) }
        /// True if values with the same prefix are next to each other.
        package var sorts: Bool { isComplete && method == "btree" && (isPattern || isByCodePoints) }
    }

    /// True if its table is big enough for an index to matter.
    package var isOfMany: Bool { rows >= TableSize.many }
}

extension AddressColumn {
    /// Queries emails that begin with a text; an index of this kind answers without reading the table.
    package func addresses(beginning text: String, limit: Int, by index: Index) -> Query? {
        guard name.expression == name.column, index.isComplete, index.method == "btree", index.lead == nil else {
            return nil
        }
        let column = Identifier(name.column)
        let expression = index.isLowered ? "lower(\(column.quoted)::text)" : column.quoted + "::text"
        if index.isPattern {
            return """
                select \(column)::text as address
                  from \(Identifier(name.schema)).\(Identifier(name.table))
                 where \(unsafe: expression) ~>=~ \(text) and \(unsafe: expression) ~<~ \(Self.successor(of: text))
                   and starts_with(\(unsafe: expression), \(text))
                 limit \(unsafe: String(limit))
                """
        }
        // In a language's order the last value with a prefix is unknown, but all such values are near the prefix.
        return """
            select near.address
              from (select \(column)::text as address, \(unsafe: expression) as sorted
                      from \(Identifier(name.schema)).\(Identifier(name.table))
                     where \(unsafe: expression) >= \(text)
                     order by \(unsafe: expression)
                     limit \(unsafe: String(limit * Self.reach))) near
             where starts_with(near.sorted, \(text))
             limit \(unsafe: String(limit))
            """
    }

    /// The number of emails to read for each one wanted.
    private static let reach = 25

    /// The first text, in byte order, after all texts with this prefix.
    private static func successor(of text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.popLast() {
            if let next = Unicode.Scalar(last.value + 1) {
                scalars.append(next)
                break
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
