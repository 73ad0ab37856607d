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
    func lookAgain(_ report: ErasureReport, _ survey: AccountSurvey) -> ErasureReport {
        var report = report
        do throws(Failure) {
            let connection = try runner.alive()
            report.doubt = try OpenWriters(graph: survey.map.graph).wait(on: connection).map { .stillWriting($0) }
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let remaining = try Verification(survey: survey).remaining(.commit, asking: ask)
            let kept = report.keptAsWritten
            report.appeared = remaining.sorted { $0.key < $1.key }.map { (survey.map.name($0.key), $0.value) }.filter {
                survey.map.lines.written[survey.map.graph.table($0.0)?.oid ?? 0]?.answer != .keep
                    || $0.1 > kept[$0.0] ?? 0
            }
            var suspects = try survey.suspectsLeft(asking: ask)
            let known = Set(suspects.map(\.name))
            suspects += try parts.before?.columnsLeft(asking: ask).filter { !known.contains($0.name) } ?? []
            // What triggers wrote and a line keeps is known; more than that came from elsewhere.
            let standing = parts.written.reduce(into: kept) { sums, found in
                if !found.isRemoved, found.isAccepted { sums[found.table, default: 0] += found.rows }
            }
            suspects = HeldColumn.inOrder(suspects).filter { suspect in
                let table = survey.map.graph.table(suspect.table)?.oid ?? 0
                return survey.map.lines.written[table]?.answer != .keep || suspect.rows > standing[suspect.table] ?? 0
            }
            report.suspects = suspects.filter { survey.held.answer(to: $0) != .keep }
            report.keptSuspects = suspects.filter { survey.held.answer(to: $0) == .keep }
            try? transaction.end()
        } catch {
            report.doubt = .noSecondLook(error)
        }
        removeFiles(of: &report)
        return report
    }
}

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
