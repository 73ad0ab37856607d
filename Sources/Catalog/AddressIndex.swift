package import PQ

/// An index that finds addresses by their beginning.
package struct AddressIndex: Sendable, Hashable {
    package let schema: String
    package let table: String
    package let column: String
    /// Whether it holds addresses in lower case.
    package let isLowered: Bool
    /// Whether its order is that of the bytes, whatever the language of the database.
    package let isBytewise: Bool

    /// Asks for the indexes of tables.
    package static func query(_ tables: [(schema: String, name: String)]) -> Query {
        Query(
            file: "catalog/address_indexes.sql",
            [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))])
    }

    /// Reads the answer to `query`.
    package static func all(_ rows: Rows) throws(DecodingFailure) -> [AddressIndex] {
        var indexes: [AddressIndex] = []
        for row in rows.rows {
            indexes.append(
                AddressIndex(
                    schema: try row.text("schema"), table: try row.text("name"), column: try row.text("column"),
                    isLowered: try row.boolean("lowered"), isBytewise: try row.boolean("bytewise")))
        }
        return indexes
    }

    /// Asks for addresses that begin with a text, which an index of this shape answers without reading the table.
    package func addresses(beginning text: String, limit: Int) -> Query {
        let column = Identifier(column)
        let expression = isLowered ? "lower(\(column.quoted)::text)" : column.quoted + "::text"
        if isBytewise {
            return """
                select \(column)::text as address
                  from \(Identifier(schema)).\(Identifier(table))
                 where \(unsafe: expression) ~>=~ \(text) and \(unsafe: expression) ~<~ \(Self.successor(of: text))
                   and starts_with(\(unsafe: expression), \(text))
                 limit \(unsafe: String(limit))
                """
        }
        // In the order of a language nothing is known of what comes last, only that what begins with a text is near it.
        return """
            select near.address
              from (select \(column)::text as address, \(unsafe: expression) as sorted
                      from \(Identifier(schema)).\(Identifier(table))
                     where \(unsafe: expression) >= \(text)
                     order by \(unsafe: expression)
                     limit \(unsafe: String(limit * Self.reach))) near
             where starts_with(near.sorted, \(text))
             limit \(unsafe: String(limit))
            """
    }

    /// How many addresses are read for one that is wanted.
    private static let reach = 25

    /// The first text, by its bytes, behind all those that begin with this one.
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
