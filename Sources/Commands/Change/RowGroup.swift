import Acts
import Asking
import Changes

/// Rows to which the same happens, told once.
struct RowGroup: Sendable {
    private(set) var changes: [RowChange]
    /// Columns that a trigger wrote, and not the same in all of the rows.
    private(set) var differing: Set<String> = []

    /// What happens to a row, besides what triggers make of it.
    private struct Shape: Hashable {
        let table: String
        let kind: RowChange.Kind
        let columns: [[String?]]
        let secrets: [String]

        init(_ change: RowChange) {
            (table, kind, secrets) = (change.table, change.kind, change.secrets)
            columns = change.columns.map { column in
                column.isRewritten ? [column.name] : [column.name, column.before, column.after]
            }
        }
    }

    /// The changes in the order of the first of each group; each alone where they are not told together.
    static func of(_ changes: [RowChange], together: Bool) -> [RowGroup] {
        guard together else { return changes.map { RowGroup(changes: [$0]) } }
        var places: [Shape: Int] = [:]
        var groups: [RowGroup] = []
        for change in changes {
            let shape = Shape(change)
            if let place = places[shape] {
                groups[place].add(change)
            } else {
                places[shape] = groups.count
                groups.append(RowGroup(changes: [change]))
            }
        }
        return groups
    }

    private mutating func add(_ change: RowChange) {
        for (first, column) in zip(changes[0].columns, change.columns)
        where first.isRewritten && (first.before != column.before || first.after != column.after) {
            differing.insert(column.name)
        }
        changes.append(change)
    }
}
