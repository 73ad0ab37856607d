internal import Asking
internal import Catalog
internal import PQ

/// Transactions that were writing while an account went: what they say about it shows only when they have ended.
struct OpenWriters {
    let graph: Graph

    /// So long it is waited for them at most; whoever leaves a transaction open for longer may do so for hours.
    private static let patience = 5.0
    private static let pause = 0.05

    /// Waits for all that are writing now; comes back with a table into which some still are after that.
    func wait(on connection: Connection) throws(Failure) -> String? {
        var open = try writers(on: connection, among: nil, after: 0)
        var waited = 0.0
        while !open.isEmpty, waited < Self.patience {
            waited += Self.pause
            let known = try decoding(try open.map { row throws(DecodingFailure) in try row.text("writer") })
            open = try writers(on: connection, among: known, after: Self.pause)
        }
        guard let writer = open.first else { return nil }
        return try decoding(try writer.text("table"))
    }

    private func writers(
        on connection: Connection, among known: [String]?, after pause: Double
    ) throws(Failure) -> [Row] {
        let tables = arrayLiteral(graph.tables.keys.sorted().map(String.init))
        let question = Query(
            file: "catalog/open_writers.sql", [tables, known.map { arrayLiteral($0) }])
        let steps: [Query] = ["select pg_catalog.pg_sleep(\(String(pause))::float8)", question]
        let answers = try failing { () throws(PQError) in
            try connection.pipeline([steps], timeout: pause + connection.patience)[0]
        }
        switch answers[1] {
        case .success(let rows): return rows.rows
        case .failure(let error): throw Failure(error)
        }
    }
}
