internal import Catalog
package import PQ

/// Rows of a table.
package struct TableRows: Sendable, Hashable {
    package let table: String
    package let rows: Int

    package init(_ table: String, _ rows: Int) {
        self.table = table
        self.rows = rows
    }
}

/// A trigger, where it is, and what it calls.
package struct NamedTrigger: Sendable, Hashable {
    package let name: String
    package let table: String
    package let function: String
    /// The settings that it reads, by which somebody can say who acts.
    package let settings: [String]

    package init(_ name: String, on table: String, calling function: String, reading settings: [String] = []) {
        self.name = name
        self.table = table
        self.function = function
        self.settings = settings
    }

    init(_ trigger: TriggerEffect, in map: AccountMap) { self.init(trigger, in: map.graph) }

    init(_ trigger: TriggerEffect, in graph: Graph) {
        self.init(
            trigger.name, on: graph.tables[trigger.table]?.qualifiedName ?? "?", calling: trigger.function,
            reading: trigger.settings)
    }
}

/// Rows that stay although what they refer to goes, and the trigger that may keep them.
package struct RowsLeft: Sendable, Hashable {
    package let rows: TableRows
    package let trigger: NamedTrigger?

    package init(rows: TableRows, by trigger: NamedTrigger? = nil) {
        self.rows = rows
        self.trigger = trigger
    }
}

/// What the server refused, and what may be behind it.
package struct RefusedDeletion: Sendable, Hashable {
    /// The table that it is about, and the one whose rows were to go.
    package let place: String?
    package let table: String?
    package let error: ServerError
    /// The trigger whose function failed.
    package let culprit: NamedTrigger?
    /// Triggers that may have kept rows back without a word.
    package let silent: [NamedTrigger]
    /// What else than a trigger of the app may be behind it.
    package let others: [String]
    /// Whether a trigger asks who acts, and the settings that it may read for it.
    package let asksWhoActs: Bool
    package let settings: [String]
    /// What the trigger does to tables and this role may not.
    package let forbidden: [MissingRight]

    package init(
        _ error: ServerError, place: String? = nil, table: String? = nil, culprit: NamedTrigger? = nil,
        silent: [NamedTrigger] = [], others: [String] = [], asksWhoActs: Bool = false,
        settings: [String] = [],
        forbidden: [MissingRight] = []
    ) {
        self.error = error
        self.place = place
        self.table = table
        self.culprit = culprit
        self.silent = silent
        self.others = others
        self.asksWhoActs = asksWhoActs
        self.settings = settings
        self.forbidden = forbidden
    }
}
