import Acts
import Asking
import Changes

/// Rows with the same change, which are shown once.
struct RowGroup: Sendable {
    private(set) var changes: [RowChange]
    /// Columns whose new values differ between the rows.
    private(set) var differing: Set<String> = []

    /// The change of a row, without the values of some columns.
    private struct Shape: Hashable {
        let table: String
        let kind: RowChange.Kind
        let columns: [[String?]]
        let secrets: [String]

        init(_ change: RowChange, leavingOut names: Set<String>) {
            (table, kind, secrets) = (change.table, change.kind, change.secrets)
            columns = change.columns.map { column in
                names.contains(column.name) ? [column.name] : [column.name, column.before, column.after]
            }
        }
    }

    /// Groups changes in order of first occurrence.
    ///
    /// Without `together`, each change is a group of its own.
    ///
    /// People can't read hundreds of values. A column with more than `most` values, such as the time of the last
    /// change, doesn't separate groups. If more than `most` groups are left, usher joins them into one group.
    static func of(_ changes: [RowChange], together: Bool, most: Int = .max) -> [RowGroup] {
        let alone = changes.map { RowGroup(changes: [$0]) }
        guard together else { return alone }
        var groups = joined(alone, leavingOut: [:])
        let manifold = Dictionary(grouping: groups, by: \.form).mapValues { groups in
            Set(groups[0].names.filter { name in Set(groups.map { $0.values(of: name) }).count > most })
        }
        groups = joined(groups, leavingOut: manifold)
        let crowded = Dictionary(grouping: groups, by: \.form).filter { $0.value.count > most }.mapValues {
            $0[0].names
        }
        return joined(groups, leavingOut: manifold.merging(crowded) { $1 })
    }

    private var names: Set<String> { Set(changes[0].columns.map(\.name)) }
    private var form: Shape { Shape(changes[0], leavingOut: names) }

    private func values(of name: String) -> [String?] {
        changes[0].columns.first { $0.name == name }.map { [$0.before, $0.after] } ?? []
    }

    /// Joins groups that differ only in ignored columns.
    private static func joined(_ groups: [RowGroup], leavingOut names: [Shape: Set<String>]) -> [RowGroup] {
        var places: [Shape: Int] = [:]
        var joined: [RowGroup] = []
        for group in groups {
            let shape = Shape(group.changes[0], leavingOut: names[group.form] ?? [])
            if let place = places[shape] {
                joined[place].add(group)
            } else {
                places[shape] = joined.count
                joined.append(group)
            }
        }
        return joined
    }

    private mutating func add(_ group: RowGroup) {
        differing.formUnion(group.differing)
        for (first, column) in zip(changes[0].columns, group.changes[0].columns)
        where first.before != column.before || first.after != column.after {
            differing.insert(column.name)
        }
        changes += group.changes
    }
}
