internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The rows that a `@do` of the `@account` block adds before the deletion, for example to a queue.
package struct QueuedRows: Sendable {
    let relation: Graph.Table
    package let why: String
    package let rows: Int

    package var table: String { relation.qualifiedName }

    /// Runs the `@do` statements with the operator's rights, before rows are deleted.
    ///
    /// Refuses if the deletion would also delete the added rows.
    static func add(
        _ start: AccountStart, _ closure: Closure, in transaction: ActTransaction
    ) throws(Failure) -> [QueuedRows] {
        guard let app = start.app, let additions = start.account?.additions else { return [] }
        var added: [QueuedRows] = []
        for (target, statement) in additions {
            let name = "\(target.table.schema).\(target.table.name)"
            guard let table = closure.model.graph.table(name) else {
                throw Failure(
                    .refused, "the app file adds a row to \(pasted(name)), but this table doesn't exist",
                    nothing: .deleted,
                    hint: "create the table, or remove this INSERT from the @account block of the app file")
            }
            let keys = Binding.keys(start.root.values, type: start.root.type)
            let now = Binding(expression: "pg_catalog.now()", type: "timestamptz")
            let query = app.changes(["users": keys, "now": now]).statement(statement)
            switch try transaction.attempt([Query(query)]) {
            case .failure(let error):
                throw Failure(
                    error.kind(unless: .refused),
                    "\(pasted(name)) rejects the row that the app file adds (\(statement.summary)): \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            case .success(let answers):
                let rows = answers[0].affected ?? 0
                if rows > 0 { added.append(QueuedRows(relation: table, why: statement.summary, rows: rows)) }
            }
        }
        for table in Set(added.map(\.relation)) {
            var bindings = Bindings()
            guard let goes = closure.conditions.goes(table.oid, &bindings) else { continue }
            let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite) and (\(goes))"
            let answer = try transaction.ask([Query(unsafe: sql, values: bindings.values)])[0]
            if try decoding(try answer.count()) == 0 { continue }
            let name = pasted(table.qualifiedName)
            throw Failure(
                .refused, "the deletion would delete the rows that the app file adds to \(name)",
                nothing: .deleted,
                hint: "insert NULL instead of the reference to the user, or add `@keep \(name) : WHY`")
        }
        return added
    }
}
