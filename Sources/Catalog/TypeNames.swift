package import PQ

package enum TypeNames {
    /// The names of types by oid, as SQL for a cast.
    package static func of(
        _ types: [UInt32], asking ask: (Query) throws(PQError) -> Rows
    ) throws(PQError) -> [UInt32: String] {
        var names: [UInt32: String] = [:]
        for row in try ask(Query(file: "catalog/types.sql", [arrayLiteral(types.map(String.init))])).rows {
            names[try row.identifier("oid")] = try row.text("name")
        }
        return names
    }
}
