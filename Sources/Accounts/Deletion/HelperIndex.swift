internal import Asking
internal import Catalog
internal import PQ

/// An index that serves the server's searches while an account is deleted, and goes afterwards.
struct HelperIndex {
    private let name: Identifier
    private let schema: Identifier
    /// What it is to be built on; nil where it is one that a deletion which was cut off has left behind.
    private let place: (table: Graph.Table, columns: [String])?

    /// The index that a foreign key lacks.
    init?(_ edge: Edge, _ graph: Graph) {
        guard let reference = edge.reference, let table = graph.tables[reference.table] else { return nil }
        // Always the same for the same key, so that one that a lost connection left behind is found again.
        name = Identifier("usher_helper_\(reference.oid)")
        schema = Identifier(table.schema)
        place = (table, reference.columns.map(\.name))
    }

    private init(schema: String, name: String) {
        (self.schema, self.name, place) = (Identifier(schema), Identifier(name), nil)
    }

    var qualifiedName: String { "\(schema.name).\(name.name)" }

    /// Builds it without blocking anybody.
    func build(on connection: Connection) throws(Failure) {
        guard let (table, columns) = place else { return }
        drop(on: connection)
        let list = columns.map { Identifier($0).quoted }.joined(separator: ", ")
        do throws(PQError) {
            _ = try connection.execute(
                "create index concurrently \(name) on \(unsafe: table.sql) (\(unsafe: list))")
            // Whose it is, so that nobody else takes it for one that was left behind.
            _ = try connection.execute(
                "comment on index \(schema).\(name) is \(unsafe: "'\(connection.backendPID)'")")
        } catch {
            guard case .server(let server) = error else { throw Failure(error) }
            drop(on: connection)
            throw Failure(
                DeletionRefusal.noIndex(
                    table: table.qualifiedName,
                    remedy: IndexDraft(on: table.sql, isPartitioned: table.isPartitioned, keys: list).statement,
                    server))
        }
    }

    /// Drops it, and tells whether that worked; one that stays behind is dropped by the next deletion.
    @discardableResult
    func drop(on connection: Connection) -> Bool {
        try? connection.rollbackIfOpen()
        return (try? connection.execute("drop index concurrently if exists \(schema).\(name)")) != nil
    }

    static let question = Query(file: "catalog/helper_indexes.sql")

    /// Those that deletions which were cut off have left behind, and that this role may drop.
    static func abandoned(_ answer: Result<Rows, ServerError>) throws(Failure) -> [HelperIndex] {
        let rows: Rows
        do throws(ServerError) { rows = try answer.get() } catch { throw Failure(error) }
        let all = try decoding(
            try rows.rows.map { row throws(DecodingFailure) in
                let index = HelperIndex(schema: try row.text("schema"), name: try row.text("name"))
                return (index: index, isDroppable: try row.boolean("droppable"))
            })
        return all.filter(\.isDroppable).map(\.index)
    }
}
