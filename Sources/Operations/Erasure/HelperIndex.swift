internal import Catalog
internal import PQ

/// An index that serves the server's searches while an account is deleted, and goes afterwards.
struct HelperIndex {
    private let name: Identifier
    private let schema: Identifier
    private let table: Graph.Table
    private let columns: [String]

    /// The index that a foreign key lacks.
    init?(_ link: AccountLink, _ map: AccountMap) {
        guard let reference = link.reference, let table = map.graph.tables[reference.table] else { return nil }
        // Always the same for the same key, so that one that a lost connection left behind is found again.
        name = Identifier("usher_helper_\(reference.oid)")
        schema = Identifier(table.schema)
        self.table = table
        columns = reference.columns.map(\.name)
    }

    /// Builds it without blocking anybody.
    func build(on connection: Connection) throws(Failure) {
        drop(on: connection)
        let list = columns.map { Identifier($0).quoted }.joined(separator: ", ")
        do throws(PQError) {
            _ = try connection.execute("create index concurrently \(name) on \(sql: table.sql) (\(sql: list))")
        } catch {
            guard case .server(let server) = error else { throw Failure(error) }
            drop(on: connection)
            throw Failure(
                .refused, "no index can be built on \(table.qualifiedName): \(server.message); nothing was deleted",
                hint: "have its owner run: create index concurrently on \(table.sql) (\(list))", state: server.state)
        }
    }

    /// Drops it; one that stays behind is dropped by the next deletion.
    func drop(on connection: Connection) {
        _ = try? connection.execute("drop index concurrently if exists \(schema).\(name)")
    }
}
