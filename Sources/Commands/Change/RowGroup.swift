import Acts
import Asking
import Changes

/// Rows to which the same happens, told once.
struct RowGroup: Sendable {
    private(set) var changes: [RowChange]
    /// Columns that do not become the same in all of the rows.
    private(set) var differing: Set<String> = []

    /// What happens to a row.
    private struct Shape: Hashable {
        let table: String
        let kind: RowChange.Kind
        let columns: [[String?]]
        let secrets: [String]

        /// Of columns that a trigger wrote their name alone, and of no column more where `isBare`.
        init(_ change: RowChange, isBare: Bool) {
            (table, kind, secrets) = (change.table, change.kind, change.secrets)
            columns = change.columns.map { column in
                isBare || column.isRewritten ? [column.name] : [column.name, column.before, column.after]
            }
        }
    }

    /// The changes in the order of the first of each group; each alone where they are not told together.
    ///
    /// Where more groups than `most` differ in values alone, they are one: nobody reads the values of hundreds.
    static func of(_ changes: [RowChange], together: Bool, most: Int = .max) -> [RowGroup] {
        let alone = changes.map { RowGroup(changes: [$0]) }
        guard together else { return alone }
        let alike = joined(alone, isBare: false)
        let forms = Dictionary(grouping: alike) { Shape($0.changes[0], isBare: true) }
        let crowded = Set(forms.filter { $0.value.count > most }.keys)
        return joined(alike, isBare: true) { crowded.contains($0) }
    }

    /// The same groups, those of one shape as one, as far as a condition holds for it.
    private static func joined(
        _ groups: [RowGroup], isBare: Bool, where condition: (Shape) -> Bool = { _ in true }
    ) -> [RowGroup] {
        var places: [Shape: Int] = [:]
        var joined: [RowGroup] = []
        for group in groups {
            let shape = Shape(group.changes[0], isBare: isBare)
            if condition(shape), let place = places[shape] {
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
