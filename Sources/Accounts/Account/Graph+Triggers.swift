internal import AppFile
internal import Catalog

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

    /// The tables that a trigger adds rows to as this role, which may not.
    func forbiddenInserts(of trigger: TriggerEffect) -> [String] {
        tables(named: trigger.inserts, in: trigger).filter { !$0.isInsertable }.map(\.path)
    }
}
