internal import AppFile
package import Catalog

/// What triggers write to.
extension Graph {
    /// The tables that a trigger names; of several of one name the one beside its own.
    func tables(named names: [String], in trigger: TriggerEffect) -> [Graph.Table] {
        names.compactMap { name in
            guard let parts = SQLName.parts(ofPath: name), let last = parts.last else { return nil }
            let named = tables.values.filter { $0.name == last && (parts.count == 1 || $0.schema == parts[0]) }
            return named.first { $0.schema == tables[trigger.table]?.schema } ?? named.first
        }
    }

    /// What a trigger does to tables with the rights of whoever changes its own.
    func uses(of trigger: TriggerEffect) -> [(right: TriggerEffect.Use.Right, table: Graph.Table)] {
        trigger.uses.flatMap { use in tables(named: [use.table], in: trigger).map { (use.right, $0) } }
    }

    /// What of it this role may not do.
    func missingRights(of trigger: TriggerEffect) -> [MissingRight] {
        uses(of: trigger).filter { !$0.table.grants($0.right) }.map { MissingRight($0.right, on: $0.table.path) }
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
