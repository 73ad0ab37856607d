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
    /// Rows with columns that triggers set to the time of the restore.
    package var dated: [(table: String, rows: Int, columns: [String])] = []
    /// Sentences about rows that usher couldn't restore or that differ from the archive.
    package var missed: [String] = []
    package internal(set) var commitWarnings: [Notice] = []

    mutating func add(_ rows: Int, of table: String, _ words: String) {
        if rows > 0 { missed.append("\(pasted(table)): \(rows.of("row")) \(words)") }
    }
}

/// Restores the deleted rows of an archive.
///
/// usher restores the tables in the order of the current foreign keys. If triggers change restored rows, usher corrects
/// these rows. usher reports other rows that triggers write.
package struct Restore {
    private let archive: Archive
    private let claim: String
    private let runner: ActRunner
    package let environment: String

    package var total: Int { archive.total }

    package static func open(
        _ path: String, reason: String?, isDryRun: Bool, on connection: Connection, options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> Restore {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let archive = try Archive(try ArchiveFile(path), asking: transaction.ask)
        guard let claim = archive.claim else { throw Failure(noArchive: path) }
        let answers = try failing { () throws(PQError) in
            try transaction.read([Ledger.question, Environment.query, ReadOnlySession.question], isLast: false)
        }
        try ReadOnlySession.requireNone(answers[2])
        let installation = try Ledger.installation(answers[0])
        // A dry run writes no record, but fails early if the role can't restore.
        if !isDryRun {
            try Ledger.require(installation, for: .accounts)
        } else if let refusal = installation?.refusal(for: .accounts) {
            throw refusal
        }
        if installation?.isReadable == true {
            let record = try transaction.ask([Query(file: "catalog/archive_record.sql", [archive.operation])])[0].first
            try requireOriginal(archive, record)
        }
        try failing { () throws(PQError) in try transaction.end() }
        let environment = Environment(answers[1])
        if !isDryRun { try environment.requireReason(reason != nil) }
        return Restore(
            archive: archive, claim: claim, runner: ActRunner(on: connection, options: options, elsewhere: elsewhere),
            environment: environment.name)
    }

    /// Refuses an archive of another database, a wrong checksum, and a second restore.
    private static func requireOriginal(
        _ archive: Archive, _ record: Row?
    ) throws(Failure) {
        let (file, operation) = (archive.file, archive.operation)
        guard let record else {
            throw Failure(
                .refused,
                "\(file.path) is from another database: this audit log doesn't contain the deletion \(operation)",
                nothing: .restored,
                hint:
                    "the archive comes from the database \(archive.database); connect to that database with -d to restore it"
            )
        }
        let (seal, restored) = try decoding((try record.optionalText("seal"), try record.optionalText("restored")))
        if let seal, seal != file.seal {
            throw Failure(
                .refused,
                "\(file.path) is not the file that the deletion \(operation) wrote: the audit log has another checksum",
                nothing: .restored, hint: ArchiveFile.original)
        }
        if let restored {
            throw Failure(
                .conflict, "the archive was already restored, by operation \(restored)", nothing: .restored,
                hint: "`usher audit show \(restored)` shows that restore")
        }
    }

    package func run(reason: String?, ticket: String?, isDryRun: Bool) throws(Failure) -> RestoreReport {
        let entry = Ledger.Entry(
            id: OperationID.make(), kind: .restore, outcome: .committed, command: "account restore",
            payload: JSON.present([
                ("total", JSON(total)), ("reason", reason.map { .string($0) }),
                ("ticket", ticket.map { .string($0) }), ("environment", .string(environment)), ("final", .bool(true)),
            ]).text())
        let terms = ActRunner.Terms(mostRetries: 4, timeout: runner.options.patientTimeout, nothing: .restored)
        var (report, warnings) = try runner.run(terms) { (transaction, _) throws(Failure) in
            if isDryRun { return .left(try restored(in: transaction)) }
            let answer = try transaction.run([Ledger.restore(entry, claim)])[0]
            let locks = try decoding { () throws(DecodingFailure) in try answer.only().texts("locks") }
            return locks.isEmpty ? .done(try restored(in: transaction), entry) : .locked(by: locks)
        }
        if !isDryRun { report.operation = entry.id }
        report.commitWarnings = warnings
        return report
    }

    private func restored(in transaction: ActTransaction) throws(Failure) -> RestoreReport {
        let graph = try Graph(followed: try transaction.ask(Graph.queries))
        if graph.isSpread { _ = try transaction.ask([Graph.oneSession]) }
        var restoration = try Restoration(archive, graph: graph, in: transaction)
        try restoration.run()
        return restoration.report
    }
}
