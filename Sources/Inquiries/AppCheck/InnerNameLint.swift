internal import AppFile
internal import PQ

/// Warns about a name in a subquery that could be a fact or a column of the subquery's table; Postgres uses the column.
struct InnerNameLint {
    let app: App
    let transaction: ReadTransaction

    init(_ app: App, _ transaction: ReadTransaction) { (self.app, self.transaction) = (app, transaction) }

    func findings() throws(PQError) -> [AppFinding] {
        let scopes = app.conditionScopes.map { scope in
            (select: scope.select, conditions: scope.conditions.filter { !$0.innerNames.isEmpty })
        }.filter { !$0.conditions.isEmpty }
        let tables = Array(Set(scopes.flatMap(\.conditions).flatMap { app.tables(readBy: [$0]) }))
        let columns = Dictionary(
            uniqueKeysWithValues: zip(tables, try transaction.describe(tables.map { "select * from \($0.quoted)" })).map
            {
                ($0, Set(((try? $1.get())?.columns ?? []).map(\.name)))
            })
        let facts = try transaction.describe(scopes.map(\.select)).map {
            Set(((try? $0.get())?.columns ?? []).map(\.name))
        }
        return zip(scopes, facts).flatMap { scope, facts in
            scope.conditions.flatMap { condition in
                condition.innerNames.compactMap { name, place in
                    let table = condition.tables.first { columns[$0]?.contains(name) ?? false }
                    guard facts.contains(name), let table else { return nil }
                    let path = SQLName.path(of: [table.schema, table.name, name])
                    return AppFinding(
                        "here \(name) means \(path), not the fact \(name)",
                        hint: "write facts.\(name) for the fact, or TABLE.\(name) for the column", severity: .warning,
                        at: place)
                }
            }
        }
    }
}
