package import PQ

/// The other effects of a trigger, as far as the source of its function shows.
package struct TriggerEffect: Sendable, Hashable {
    package let table: UInt32
    package let name: String
    /// The function, with its schema.
    package let function: String
    package let isForEachRow: Bool
    package let isBefore: Bool
    package let firesOnInsert: Bool
    package let firesOnDelete: Bool
    package let firesOnUpdate: Bool
    /// True if it reaches something that no rollback takes back: another server, a program.
    package let reachesOutside: Bool
    /// True if it may refuse.
    package let mayRefuse: Bool
    /// True if it asks who acts.
    package let asksWhoActs: Bool
    /// The settings by which it may do so.
    package let settings: [String]
    /// Asks about the triggers of some tables.
    package static func query(of tables: [UInt32]) -> Query {
        Query(file: "catalog/trigger_effects.sql", [arrayLiteral(tables.map(String.init))])
    }

    /// Reads the answer.
    package static func all(_ rows: Rows) throws(DecodingFailure) -> [TriggerEffect] {
        var effects: [TriggerEffect] = []
        for row in rows.rows {
            effects.append(
                TriggerEffect(
                    table: try row.identifier("table"), name: try row.text("trigger"),
                    function: try row.optionalText("function") ?? "", isForEachRow: try row.boolean("each_row"),
                    isBefore: try row.boolean("before"), firesOnInsert: try row.boolean("on_insert"),
                    firesOnDelete: try row.boolean("on_delete"),
                    firesOnUpdate: try row.boolean("on_update"), reachesOutside: try row.boolean("outside"),
                    mayRefuse: try row.boolean("raises"), asksWhoActs: try row.boolean("asks"),
                    settings: try row.texts("settings")))
        }
        return effects
    }
}
