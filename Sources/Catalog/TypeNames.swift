package import PQ

package enum TypeNames {
    package static func query(of types: [UInt32]) -> Query {
        Query(file: "catalog/types.sql", [arrayLiteral(types.map(String.init))])
    }

    package static func read(_ rows: Rows) throws(PQError) -> [UInt32: String] {
        var names: [UInt32: String] = [:]
        for row in rows.rows {
            guard let type = UInt32(try row.text("oid")) else { throw .notA("type", column: "oid") }
            names[type] = try row.text("name")
        }
        return names
    }
}
