package import PQ

/// The names of types by their identifiers.
package enum TypeNames {
    /// Queries the names of some types.
    package static func query(of types: [UInt32]) -> Query {
        Query(file: "catalog/types.sql", [arrayLiteral(types.map(String.init))])
    }

    /// Reads the answer.
    package static func read(_ rows: Rows) throws(DecodingFailure) -> [UInt32: String] {
        var names: [UInt32: String] = [:]
        for row in rows.rows {
            guard let type = UInt32(try row.text("oid")) else { throw .notA("type", column: "oid") }
            names[type] = try row.text("name")
        }
        return names
    }
}
