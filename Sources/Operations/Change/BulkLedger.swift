internal import Catalog
internal import PQ

/// What the ledger holds of a bulk change: its beginning, its batches and its end, and how far it had come when it was
/// stopped.
struct BulkLedger {
    let scribe: ChangeScribe
    let source: BulkSource
    /// The operation that all batches are parts of.
    private(set) var operation = OperationID.make()

    init(_ scribe: ChangeScribe, _ source: BulkSource) {
        self.scribe = scribe
        self.source = source
    }

    /// The latest change with the same digest that nobody finished.
    fileprivate static func unfinished(_ digest: String) -> Query {
        Query(file: "catalog/bulk_unfinished.sql", [digest])
    }

    /// Refuses when there is one.
    fileprivate static func requireNone(_ unfinished: Rows) throws(Failure) {
        guard let row = unfinished.first else { return }
        let other = try decoding(row.text("id"))
        throw Failure(
            .conflict, "the same change was begun and not finished, as operation \(other)",
            hint: "the same command with --resume \(other) continues it; nothing is done twice")
    }

    /// Where an unfinished change stands.
    struct Position {
        let cursor: String?
        let progress: BulkProgress
        let now: String?
    }

    /// Takes an unfinished change up again.
    mutating func resume(_ text: String, _ setting: ChangeSetting, strangers: Int) throws(Failure) -> Position {
        let id = try Audit.operation(text, on: setting.connection, options: setting.options).id
        let rows = try ask(Query(file: "catalog/bulk_progress.sql", [id]), on: setting.connection)
        guard let row = rows.first else { throw Failure(.notFound, "there is no bulk change \(id)") }
        let outcome = try decoding(try row.text("outcome"))
        guard outcome == "running" else { throw Failure(.refused, "\(id) is not unfinished: it is \(outcome)") }
        guard try decoding(try row.optionalText("input")) == source.digest else {
            throw Failure(
                .usage, "\(id) was another change, or one of other users",
                hint: "repeat the command with the same words and the same file")
        }
        guard try decoding(try row.integer("undone")) == 0 else {
            throw Failure(
                .refused, "parts of \(id) are undone; going on would leave them so", hint: "undo the rest of it")
        }
        operation = id
        return try decoding { () throws(DecodingFailure) in
            var state = BulkProgress(total: try row.integer("total"))
            state.done = try row.integer("done")
            state.refused = try row.integer("refused") + strangers
            state.changes = try row.integer("changes")
            state.batches = try row.integer("number")
            return Position(cursor: try row.optionalText("cursor"), progress: state, now: try row.optionalText("now"))
        }
    }

    /// Records that it begins; of two who begin the same at once, the second one sees the first.
    func begin(now: String, on connection: Connection, by settlement: Settlement) throws(Failure) -> [Notice] {
        let request = scribe.request
        let selected = request.selections.map { "--\($0)" }.joined(separator: " ")
        let target = selected.isEmpty ? "\(source.total) users" : selected
        let entry = scribe.entry(
            operation, .bulk, .committed, on: [], undoes: scribe.work.undoes,
            more: [
                ("target", .text(scribe.work.undoes ?? target)), ("input", .text(source.digest)), ("now", .text(now)),
                ("total", .number(source.total)),
            ])
        let outcomes = try failing { () throws(PQError) in
            try connection.pipeline(
                [
                    [
                        "begin isolation level read committed",
                        "select pg_advisory_xact_lock(hashtextextended(\(source.digest), 0))",
                    ],
                    [Self.unfinished(source.digest)],
                ], timeout: connection.patience)
        }
        defer { try? connection.rollbackIfOpen() }
        switch outcomes[1][0] {
        case .failure(let error): throw Failure(error)
        case .success(let rows): try Self.requireNone(rows)
        }
        try ask(Ledger.record(entry), on: connection)
        return try settlement.commit(entry, on: connection)
    }

    /// Takes down a batch of which nothing was changed, so that going on begins behind it and counts it.
    func pass(
        _ batch: BulkSource.Batch, number: Int, done: Int, refused: Int, because: Failure?, on connection: Connection
    ) throws(Failure) {
        let entry = scribe.entry(
            OperationID.part(number, of: operation), .batch, because?.kind == .failed ? .failed : .refused, on: [],
            parent: operation, because: because, more: Self.position(batch, number, done, refused))
        do throws(Failure) { try ask(Ledger.record(entry), on: connection) } catch { throw error.orDoneMeanwhile }
    }

    private static func position(
        _ batch: BulkSource.Batch, _ number: Int, _ done: Int, _ refused: Int
    ) -> [(String, JSONPayload.Item?)] {
        [
            ("cursor", .text(batch.cursor)), ("number", .number(number)), ("done", .number(done)),
            ("refused", .number(refused)),
        ]
    }

    /// The record of a batch.
    ///
    /// Its id is that of its number, so that of two who continue the same change one gives way.
    func record(_ batch: BulkSource.Batch, number: Int) -> ChangeRecord {
        let (scribe, parent) = (scribe, operation)
        let id = OperationID.part(number, of: parent)
        return ChangeRecord(id: id) { subjects in
            let refused = batch.operation == nil ? batch.subjects.count - subjects.count : 0
            return scribe.entry(
                id, .batch, .committed, on: subjects, parent: parent, undoes: batch.operation,
                more: Self.position(batch, number, batch.count ?? subjects.count, refused))
        }
    }

    func end(_ state: BulkProgress, on connection: Connection) throws(Failure) {
        let outcome: Ledger.Entry.Outcome = state.refused == 0 ? .committed : .partial
        let entry = scribe.entry(
            OperationID.make(), .end, outcome, on: [], parent: operation,
            more: [("done", .number(state.done)), ("refused", .number(state.refused))])
        try ask(Ledger.record(entry), on: connection)
    }

    @discardableResult
    private func ask(_ query: Query, on connection: Connection) throws(Failure) -> Rows {
        try failing { () throws(PQError) in try connection.execute(query, timeout: connection.patience) }
    }
}

extension Inquiry {
    /// Refuses when the same change of many was begun before and is not finished.
    func requireNoneUnfinished(_ digest: String) throws(Failure) {
        try BulkLedger.requireNone(try ask([BulkLedger.unfinished(digest)])[0])
    }
}
