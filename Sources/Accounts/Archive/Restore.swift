package import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

package struct RestoreReport: Sendable {
    package var operation: String?
    package var restored: [(table: String, rows: Int)] = []
    /// Rows that got their old values back.
    package var reattached: [(table: String, rows: Int)] = []
    /// Rows that differ only in the time of writing, which triggers set.
    package var dated: [(table: String, rows: Int, columns: [String])] = []
    /// Sentences about rows that couldn't be restored, or that differ, one per table.
    package var missed: [String] = []
    package internal(set) var commitWarnings: [Notice] = []

    mutating func miss(_ rows: Int, of table: String, _ one: String, _ many: String) {
        missed.append("\(pasted(table)): \(rows.of("row")) \(rows == 1 ? one : many)")
    }
}

/// Restores a deletion from its archive.
///
/// The order follows the current foreign keys. If triggers change restored rows, usher corrects them; it reports other
/// rows that triggers write.
package struct Restore {
    private let archive: Archive
    private let claim: Archive.Claim
    private let runner: ActRunner
    package let environment: String

    package var total: Int { archive.total }

    /// Reads an archive, and refuses an incomplete one.
    package static func open(
        _ path: String, reason: String?, isDryRun: Bool, on connection: Connection, options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> Restore {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let archive = try Archive(try ArchiveFile(path)) { queries throws(Failure) in try transaction.ask(queries) }
        guard let claim = archive.claim else { throw Failure(noArchive: path) }
        let answers = try failing { () throws(PQError) in
            try transaction.read([Ledger.question, Environment.query, ReadOnlySession.question], isLast: false)
        }
        try ReadOnlySession.requireNone(answers[2])
        let installation = try Ledger.installation(answers[0])
        // A dry run records nothing, but a role that can't restore should learn that early.
        if !isDryRun {
            try Ledger.require(installation, for: .accounts)
        } else if let refusal = installation?.refusal(for: .accounts) {
            throw refusal
        }
        if installation?.isReadable == true {
            try archive.requireOriginal(claim) { queries throws(Failure) in try transaction.ask(queries) }
        }
        try failing { () throws(PQError) in try transaction.end() }
        let environment = Environment(answers[1])
        if !isDryRun { try environment.requireReason(reason != nil) }
        return Restore(
            archive: archive, claim: claim, runner: ActRunner(on: connection, options: options, elsewhere: elsewhere),
            environment: environment.name)
    }

    package func run(reason: String?, ticket: String?, isDryRun: Bool) throws(Failure) -> RestoreReport {
        let entry = isDryRun ? nil : entry(reason: reason, ticket: ticket)
        let terms = ActRunner.Terms(mostRetries: 4, timeout: runner.options.patientTimeout, nothing: .restored)
        var (report, warnings) = try runner.run(terms) { (transaction, _) throws(Failure) in
            try attempt(entry, transaction)
        }
        report.commitWarnings = warnings
        return report
    }

    private func attempt(
        _ entry: Ledger.Entry?, _ transaction: ActTransaction
    ) throws(Failure) -> ActRunner.Step<RestoreReport> {
        guard let entry else { return .left(try restored(transaction)) }
        let answer = try transaction.run([Ledger.restore(entry, claim.text)])[0]
        let locks = try decoding { () throws(DecodingFailure) in try answer.only().texts("locks") }
        if !locks.isEmpty { return .locked(by: locks) }
        var report = try restored(transaction)
        report.operation = entry.id
        return .done(report, entry)
    }

    private func restored(_ transaction: ActTransaction) throws(Failure) -> RestoreReport {
        let graph = try graph(transaction)
        var restoration = try Restoration(archive, graph: graph, in: transaction)
        try restoration.putBack()
        var report = restoration.report
        for (table, rows) in archive.written {
            report.miss(
                rows, of: table, "added during the deletion still exists",
                "added during the deletion still exist")
        }
        return report
    }

    private func entry(reason: String?, ticket: String?) -> Ledger.Entry {
        Ledger.Entry(
            id: OperationID.make(), kind: .restore, outcome: .committed, command: "account restore",
            payload: JSON.present([
                ("total", JSON(total)), ("reason", reason.map { .string($0) }),
                ("ticket", ticket.map { .string($0) }), ("environment", .string(environment)), ("final", .bool(true)),
            ]).text())
    }

    private func graph(_ transaction: ActTransaction) throws(Failure) -> Graph {
        let answers = try transaction.ask(Graph.queries)
        let graph = try Graph(followed: answers)
        if graph.isSpread { _ = try transaction.ask([Graph.oneSession]) }
        return graph
    }
}
