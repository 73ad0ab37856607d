package import PQ

/// What a trigger may do besides, as far as the sources of its functions tell.
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
    /// Whether it reaches something that no rollback takes back: another server, a program.
    package let reachesOutside: Bool
    /// Whether it may refuse.
    package let mayRefuse: Bool
    /// Whether it asks who acts.
    package let asksWhoActs: Bool
    /// The settings by which it may do so.
    package let settings: [String]
    /// What its statements do to tables.
    package let uses: [Use]
    /// Whether they do so with the rights of another role than whoever changes the table.
    package let runsAsAnother: Bool

    /// How a statement changes a table, as it names it.
    package struct Use: Sendable, Hashable {
        package enum Right: String, Sendable { case insert, update, delete }

        package let right: Right
        package let table: String
    }

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
                    settings: try row.texts("settings"),
                    uses: try row.texts("uses").map(Use.init), runsAsAnother: try row.boolean("as_another")))
        }
        return effects
    }
}

extension TriggerEffect.Use {
    /// Reads `insert public.log`.
    fileprivate init(_ text: String) throws(DecodingFailure) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let right = Right(rawValue: String(parts[0])) else {
            throw .notA("right", column: "uses")
        }
        self.init(right: right, table: String(parts[1]))
    }
}
