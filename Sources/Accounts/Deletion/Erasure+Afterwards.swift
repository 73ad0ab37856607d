internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// What is done behind a deletion, when nothing can be taken back any more, and looked at once more.
extension Erasure {
    /// Has the store remove the files, once nothing can be taken back any more.
    private func removeFiles(of report: inout ErasureReport) {
        guard let storage = request.storage, !report.filesLeft.isEmpty else { return }
        (report.outbox.files, report.filesWhy) = report.outbox.drain(by: storage, runner)
    }

    /// Writes down what has to be removed from the store, before anything is deleted that could tell.
    func listFiles() throws(Failure) {
        guard let path = request.fileList, !request.isDryRun else { return }
        let file = try PrivateFile(path)
        for stored in plan?.files.files ?? [] {
            let line = JSONPayload.object([
                ("bucket", .text(stored.bucket)), ("path", .text(stored.path)), ("bytes", .number(stored.bytes)),
            ])
            try file.write(Array((line + "\n").utf8))
        }
        try file.close()
    }

    /// Looks once more, at what is committed: rows without foreign keys slip in at any time.
    func lookAgain(_ report: ErasureReport, _ account: FoundAccount) -> ErasureReport {
        var report = report
        do throws(Failure) {
            let connection = try runner.alive()
            report.doubt = try waitForWriters(to: account.map.graph, on: connection).map { .stillWriting($0) }
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let remaining = try Verification(account: account).remaining(.commit, asking: ask)
            // What triggers wrote and a line keeps is known; more than that came from elsewhere.
            func isNew(_ rows: Int, in table: String, besides known: [String: Int]) -> Bool {
                let line = account.map.graph.table(table).flatMap { account.map.lines.written[$0.oid] }
                return line?.answer != .keep || rows > known[table] ?? 0
            }
            let kept = report.keptAsWritten
            report.appeared = remaining.sorted { $0.key < $1.key }.map { (account.map.name($0.key), $0.value) }.filter {
                isNew($0.1, in: $0.0, besides: kept)
            }
            var suspects = try account.suspectsLeft(asking: ask)
            let known = Set(suspects.map(\.name))
            let before = try parts.before?.columnsLeft(behind: true, asking: ask) ?? []
            suspects += before.filter { !known.contains($0.name) }
            let standing = parts.written.reduce(into: kept) { sums, found in
                if !found.isRemoved, found.isAccepted { sums[found.table, default: 0] += found.rows }
            }
            suspects = HeldColumn.inOrder(suspects).filter { isNew($0.rows, in: $0.table, besides: standing) }
            report.suspects = suspects.filter { account.held.answer(to: $0) != .keep }
            report.keptSuspects = suspects.filter { account.held.answer(to: $0) == .keep }
            try? transaction.end()
        } catch {
            report.doubt = .noSecondLook(error)
        }
        removeFiles(of: &report)
        return report
    }
}

// MARK: Who still writes

extension Erasure {
    /// So long it is waited for open transactions at most; whoever leaves one open for longer may do so for hours.
    private static let (patience, pause) = (5.0, 0.05)

    /// Waits for transactions that were writing while an account went, since what they say about it shows only when they have
    /// ended; comes back with a table into which some still are after that.
    private func waitForWriters(to graph: Graph, on connection: Connection) throws(Failure) -> String? {
        var open = try writers(to: graph, on: connection, among: nil, after: 0)
        var waited = 0.0
        while !open.isEmpty, waited < Self.patience {
            waited += Self.pause
            let known = try decoding(try open.map { row throws(DecodingFailure) in try row.text("writer") })
            open = try writers(to: graph, on: connection, among: known, after: Self.pause)
        }
        guard let writer = open.first else { return nil }
        return try decoding(try writer.text("table"))
    }

    private func writers(
        to graph: Graph, on connection: Connection, among known: [String]?, after pause: Double
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
