internal import AppFile
internal import PQ

/// Warns about a name in a subquery that could be a fact or a column of the subquery's table; Postgres uses the column.
struct InnerNameLint {
    /// The statements without an error, each with its description.
    let described: [AppCheck.Described]
    let transaction: ReadTransaction

    func findings() throws(PQError) -> [Diagnostic] {
        let checked = described.compactMap { probe, answer in
            probe.condition.map { (condition: $0, names: $0.innerNames, facts: Set(answer.columns.map(\.name))) }
        }.filter { !$0.names.isEmpty }
        let columns = try transaction.columns(of: Set(checked.flatMap(\.condition.relations).compactMap(\.table)))
        return checked.flatMap { condition, names, facts in
            names.compactMap { name, place in
                let table = condition.relations.compactMap(\.table).first { table in
                    columns[table]?.contains { $0.name == name } ?? false
                }
                guard facts.contains(name), let table else { return nil }
                let path = SQLName.path(of: [table.schema, table.name, name])
                return Diagnostic(
                    "here \(name) means \(path), not the fact \(name)", at: place,
                    hint: "write facts.\(name) for the fact, or TABLE.\(name) for the column", severity: .warning)
            }
        }
    }
}
