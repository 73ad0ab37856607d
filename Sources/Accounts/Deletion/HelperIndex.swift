import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// A helper index for a foreign key; usher drops it after the deletion.
struct HelperIndex {
    let reference: Graph.Reference
    let table: Graph.Table

    /// The name contains the oid of the foreign key, so that a later run finds an index that was not dropped.
    private var name: Identifier { Identifier("usher_helper_\(reference.oid)") }
    var qualifiedName: String { "\(table.schema).\(name.name)" }

    func build(on connection: Connection) throws(Failure) {
        drop(on: connection)
        let list = reference.columns.map { Identifier($0.name).quoted }.joined(separator: ", ")
        do throws(PQError) {
            _ = try connection.execute(
                "create index concurrently \(name) on \(unsafe: table.sql) (\(unsafe: list))")
        } catch {
            guard case .server(let server) = error else { throw Failure(error) }
            drop(on: connection)
            let statement = indexStatement(on: table.sql, isPartitioned: table.isPartitioned, keys: list)
            throw Failure(
                .refused, "can't build an index on \(pasted(table.qualifiedName)): \(server.message)",
                nothing: .deleted, hint: "ask the owner of the table to run: \(statement)", state: server.state)
        }
    }

    /// Drops the index; returns false on failure.
    @discardableResult
    func drop(on connection: Connection) -> Bool {
        try? connection.rollbackIfOpen()
        return (try? connection.execute("drop index concurrently if exists \(Identifier(table.schema)).\(name)")) != nil
    }
}

extension AccountPlan {
    /// The helper indexes of this deletion, if the operator wants them.
    var helpers: [HelperIndex] {
        if !buildsIndexes { return [] }
        return slowSearches.map(\.edge).compactMap(\.reference).compactMap { reference in
            model.graph.tables[reference.table].map { HelperIndex(reference: reference, table: $0) }
        }
    }
}
