internal import AppFile
package import Catalog

/// What triggers write to.
extension Graph {
    /// What a trigger does to tables; of several of the name that it says, to the one beside its own.
    func uses(of trigger: TriggerEffect) -> [(right: TriggerEffect.Use.Right, table: Graph.Table)] {
        trigger.uses.compactMap { use in
            guard let parts = SQLName.parts(ofPath: use.table), let last = parts.last else { return nil }
            let named = tables.values.filter { $0.name == last && (parts.count == 1 || $0.schema == parts[0]) }
            let table = named.first { $0.schema == tables[trigger.table]?.schema } ?? named.first
            return table.map { (use.right, $0) }
        }
    }

    /// What it does with the rights of whoever changes its own.
    func rightsNeeded(by trigger: TriggerEffect) -> [(right: TriggerEffect.Use.Right, table: Graph.Table)] {
        trigger.runsAsAnother ? [] : uses(of: trigger)
    }

    /// What of it this role may not do.
    func missingRights(of trigger: TriggerEffect) -> [MissingRight] {
        rightsNeeded(by: trigger).filter { !$0.table.grants($0.right) }.map {
            MissingRight($0.right, on: $0.table.path)
        }
    }
}

/// A right on a table that this role lacks.
package struct MissingRight: Sendable, Hashable {
    package let right: TriggerEffect.Use.Right
    /// The table as SQL reads it.
    package let path: String

    package init(_ right: TriggerEffect.Use.Right, on path: String) { (self.right, self.path) = (right, path) }
}

extension Graph.Table {
    /// Whether this role has a right.
    func grants(_ right: TriggerEffect.Use.Right) -> Bool {
        switch right {
        case .insert: isInsertable
        case .update: isUpdatable
        case .delete: isDeletable
        }
    }
}
