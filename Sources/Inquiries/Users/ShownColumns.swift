internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Columns of views, and those of tables that they show.
///
/// A view of one table or of several is read through: a condition on its column becomes one on that of the table, and the
/// indexes of that serve. What Postgres would read for the column alone says which one it is, whatever lies in between.
extension AddressColumn.Reading {
    /// What the catalog says of columns where some are such of views; nil where none is.
    static func behindViews(
        of names: [AddressColumn.Name], in tables: NamedTables, _ transaction: ReadTransaction
    ) throws(Failure) -> AddressColumn.Reading? {
        let shown = AddressColumn.shown(among: names, in: tables)
        if shown.isEmpty { return nil }
        let plans = try failing { () throws(PQError) in
            try transaction.read(
                shown.map { ServerPlan.query(of: Query(unsafe: $0.select)) }, isLast: false)
        }
        var behind: [AddressColumn.Name: AddressColumn.Name] = [:]
        for (name, plan) in zip(shown, plans) {
            guard case .success(let rows) = plan, let (table, column) = ServerPlan(rows).onlyColumn else { continue }
            behind[name] = name.moved(to: column, of: table.name, in: table.schema)
        }
        let answers = try transaction.ask(AddressColumn.queries(about: names.map { behind[$0] ?? $0 }))
        return try decoding(try AddressColumn.Reading(names, answers, behind: behind))
    }
}
