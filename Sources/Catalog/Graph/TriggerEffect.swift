package import PQ

/// The side effects of a trigger, found in the source of its function.
package struct TriggerEffect: Sendable, Hashable {
    package let table: UInt32
    package let name: String
    package let function: String
    package let isForEachRow: Bool
    package let isBefore: Bool
    package let firesOnInsert: Bool
    package let firesOnDelete: Bool
    package let firesOnUpdate: Bool
    /// True if the function affects another server or program, which a rollback doesn't undo.
    package let reachesOutside: Bool
    /// True if the function reads the identity of the acting operator.
    package let asksWhoActs: Bool
    /// The settings from which the function may read the operator's identity.
    package let settings: [String]
    package static func query(of tables: [UInt32]) -> Query {
        Query(file: "catalog/trigger_effects.sql", [arrayLiteral(tables.map(String.init))])
    }

    package static func all(_ rows: Rows) throws(PQError) -> [TriggerEffect] {
        var effects: [TriggerEffect] = []
        for row in rows.rows {
            effects.append(
                TriggerEffect(
                    table: try row.identifier("table"), name: try row.text("trigger"),
                    function: try row.optionalText("function") ?? "", isForEachRow: try row.boolean("each_row"),
                    isBefore: try row.boolean("before"), firesOnInsert: try row.boolean("on_insert"),
                    firesOnDelete: try row.boolean("on_delete"),
                    firesOnUpdate: try row.boolean("on_update"), reachesOutside: try row.boolean("outside"),
                    asksWhoActs: try row.boolean("asks"), settings: try row.texts("settings")))
        }
        return effects
    }
}
