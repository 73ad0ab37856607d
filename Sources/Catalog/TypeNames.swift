package import PQ

package enum TypeNames {
    package static func query(of types: [UInt32]) -> Query {
        Query(file: "catalog/types.sql", [arrayLiteral(types.map(String.init))])
    }

    package static func read(_ rows: Rows) throws(PQError) -> [UInt32: String] {
        var names: [UInt32: String] = [:]
        for row in rows.rows {
            names[try row.identifier("oid")] = try row.text("name")
        }
        return names
    }
}
