internal import AppFile
internal import Catalog
internal import PQ

/// What changes leave empty that must hold something.
extension AppCheck {
    private struct Column {
        let name: String
        let demands: Bool
        let holds: Bool
        /// Whether a trigger may see to it, of a row that is made and of one that is changed.
        let isSeenTo: (made: Bool, changed: Bool)
    }

    mutating func checkEmptied() throws(PQError) {
        let done = app.changes.flatMap { change in change.sql.writings.map { ($0, change.parameters) } }
        if done.isEmpty { return }
        let tables = try columns(of: Set(done.map(\.0.table)))
        for (writing, parameters) in done {
            guard let columns = tables[writing.table] else { continue }
            let path = [writing.table.schema, writing.table.name]
            judgeValues(of: writing, columns, path, parameters)
            guard writing.leavesOut else { continue }
            let missing = columns.filter { column in
                column.demands && !column.holds && !column.isSeenTo.made && !writing.columns.contains(column.name)
            }
            if !missing.isEmpty {
                report(.leftOut(missing.map { SQLName.path(of: path + [$0.name]) }), at: writing.place)
            }
        }
    }

    private mutating func judgeValues(
        of writing: Writing, _ columns: [Column], _ path: [String], _ parameters: [ParameterDeclaration]
    ) {
        let names = writing.columns.isEmpty ? columns.map(\.name) : writing.columns
        for (name, value) in writing.rows.flatMap({ zip(names, $0) }) {
            guard let column = columns.first(where: { $0.name == name }), column.demands,
                !(writing.makesRows ? column.isSeenTo.made : column.isSeenTo.changed)
            else { continue }
            let whole = SQLName.path(of: path + [name])
            if let place = value.writtenNull {
                report(.mustNotBeEmpty(whole), at: place)
            } else if let parameter = value.onlyParameter, parameters.contains(where: { $0.name == parameter }) {
                report(.mayBeEmpty(column: whole, parameter: parameter), at: value.place)
            }
        }
    }

    private func columns(of tables: Set<TableName>) throws(PQError) -> [TableName: [Column]] {
        let rows = try transaction.read(
            Query(
                file: "catalog/demanding_columns.sql",
                [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))]))
        var columns: [TableName: [Column]] = [:]
        do throws(DecodingFailure) {
            for row in rows.rows {
                let table = TableName(schema: try row.text("schema"), name: try row.text("name"))
                let isSeenTo = (made: try row.boolean("is_made_ready"), changed: try row.boolean("is_kept_ready"))
                columns[table, default: []].append(
                    Column(
                        name: try row.text("column"), demands: try row.boolean("demands"),
                        holds: try row.boolean("holds"), isSeenTo: isSeenTo))
            }
        } catch {
            throw .decoding(error)
        }
        return columns
    }
}

extension App {
    /// What changes do, each with the parameters that may be left out and that nothing refuses to do without.
    fileprivate var changes: [(sql: Fragment, parameters: [ParameterDeclaration])] {
        let ofActions = actions.flatMap { action in
            let refused = Set(action.refusals.flatMap { $0.condition.parameters.map(\.name) })
            let open = action.parameters.all.filter {
                $0.isOptional && !$0.isSecret && $0.defaultValue == nil && !refused.contains($0.name)
            }
            return action.statements.map { ($0.sql, open) }
        }
        let others = states.flatMap(\.statements) + examples.flatMap(\.statements) + (account?.statements ?? [])
        return ofActions + others.map { ($0.sql, []) }
    }
}
