internal import Catalog

/// What an engineer said instead of what would be proposed.
extension SurveyWalk {
    /// What somebody said instead, about the one column rather than about all that are called so.
    func answer(_ key: Reading.Key) -> Survey.Effect? {
        guard let table = map.graph.tables[key.table] else { return nil }
        let whole = answers.last { $0.column == [table.schema, table.name, key.column] }
        return (whole ?? answers.last { $0.column == [key.column] })?.effect
    }

    /// What somebody said of the rows that triggers write into a table.
    func answer(written table: UInt32) -> Survey.Effect? {
        answers.last { map.isTable(table, at: $0.column) }?.effect
    }

    /// An answer about a column that there is not, or about a table that no trigger writes to.
    var idleAnswer: Survey.Answer? {
        let referring = map.graph.references.flatMap { reference in
            reference.columns.map { Reading.Key(table: reference.table, column: $0.name) }
        }
        let known = Set(columns.keys).union(referring)
        let names = Set(known.map(\.column))
        return answers.first { answer in
            if answer.column.count == 2 { return !written.contains { map.isTable($0, at: answer.column) } }
            if let name = answer.column.first, answer.column.count == 1 { return !names.contains(name) }
            return !known.contains { key in
                map.graph.tables[key.table].map { [$0.schema, $0.name, key.column] } == answer.column
            }
        }
    }
}

extension AccountMap {
    fileprivate func isTable(_ table: UInt32, at path: [String]) -> Bool {
        graph.tables[table].map { [$0.schema, $0.name] } == path
    }
}
