import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// A helper index for a foreign key; usher drops it after the deletion.
struct HelperIndex {
    private let name: Identifier
    private let schema: Identifier
    private let table: Graph.Table
    private let columns: [String]

    init?(_ edge: Edge, _ graph: Graph) {
        guard let reference = edge.reference, let table = graph.tables[reference.table] else { return nil }
        // The name contains the oid of the foreign key, so that a later run finds an index that was not dropped.
        name = Identifier("usher_helper_\(reference.oid)")
        schema = Identifier(table.schema)
        (self.table, columns) = (table, reference.columns.map(\.name))
    }

    var qualifiedName: String { "\(schema.name).\(name.name)" }

    func build(on connection: Connection) throws(Failure) {
        drop(on: connection)
        let list = columns.map { Identifier($0).quoted }.joined(separator: ", ")
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
        return (try? connection.execute("drop index concurrently if exists \(schema).\(name)")) != nil
    }
}

extension AccountPlan {
    /// The helper indexes of this deletion, if the operator wants them.
    var helpers: [HelperIndex] {
        buildsIndexes ? slowSearches.compactMap { HelperIndex($0.edge, model.graph) } : []
    }
}
