internal import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

package struct DeletionReport: Sendable {
    /// The plan of the last transaction.
    package let plan: AccountPlan
    /// The plan of the whole deletion, which the operator saw.
    package let planned: AccountPlan
    /// The operation id; nil for a dry run.
    package var operation: String?
    package var isDryRun: Bool { operation == nil }
    /// The deleted rows by table, without rows that triggers deleted.
    package internal(set) var deleted: [String: Int]
    /// The rows that triggers wrote, and the rows that triggers deleted.
    package internal(set) var written: [TriggerRows.Found]
    package let further: [String: Int]
    /// The rows that the `@do` statements of the `@account` block added, with their reason.
    package internal(set) var added: [QueuedRows]
    /// The number of audit log entries from which usher removed the user's data.
    package let forgotten: Int
    /// The rows that usher found after the commit, by table; nil if usher didn't search.
    package var appeared: [String: Int]?
    /// The undeclared columns that contain a key or an email after the commit.
    package internal(set) var undeclared: [UndeclaredColumn] = []
    package let searched: (columns: Int, textsNotRead: Int)
    /// True if the server counted rows; otherwise usher can't see the rows of triggers.
    let isCounted: Bool
    /// The stored files that still exist, and the reason.
    package internal(set) var filesLeft: [StoredFile]
    package internal(set) var filesWhy: Failure?
    package internal(set) var remarks: [String] = []
    /// The sentence about a failed search for leftovers after the commit.
    package var doubt: String?
    package internal(set) var commitWarnings: [Notice] = []

    package var leftByTriggers: [TriggerRows.Found] { written.filter { $0.leftover != 0 } }

    /// The reasons why usher could not verify the whole deletion.
    package var doubts: [String] {
        let uncounted = "the server does not count rows (track_counts is off), so usher can't see what triggers wrote"
        return [doubt].compactMap(\.self) + commitWarnings.map { "the server warned at the commit: \($0.sentence)" }
            + (isCounted ? [] : [uncounted])
    }

    /// True if usher could check everything and found no leftover.
    private var isClean: Bool { doubts.isEmpty && plan.hidden.isEmpty && undeclared.isEmpty && leftByTriggers.isEmpty }

    /// True if usher searched the columns after the deletion; a dry run searches them before the rollback.
    package var isSearched: Bool { isDryRun || appeared != nil }

    /// True if the searches before and after the commit found no leftover.
    package var isVerified: Bool { isClean && appeared?.isEmpty == true }

    /// True if no row and no stored file is left; for a dry run, if no row and no file would be left.
    package var isComplete: Bool { isClean && filesLeft.isEmpty && (isDryRun || appeared?.isEmpty == true) }

    mutating func add(_ parts: DeletionParts) {
        deleted.merge(parts.deleted, uniquingKeysWith: +)
        added += parts.added
        written = (parts.written + written).merged
        commitWarnings += parts.warnings.filter { !commitWarnings.contains($0) }
    }
}

extension Deletion {
    /// A record of a deletion, of one batch, or of all batches together.
    ///
    /// The payload contains no key and no email. usher leaves out the reason and the ticket if one of them contains a
    /// key or an email, or if there is no plan. usher also records refused attempts.
    func entry(
        _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome = .committed, id: String = OperationID.make(),
        of plan: AccountPlan? = nil, counting counts: [AccountPlan.Policy: [String: Int]]? = nil,
        because failure: Failure? = nil
    ) -> Ledger.Entry {
        let isHarmless = plan.map { !request.names($0) } ?? false
        let rows = counts ?? plan?.rows
        let tables = AccountPlan.Policy.allCases.flatMap { policy in
            (rows?[policy] ?? [:]).sorted { $0.key < $1.key }.map { table, rows in
                ("\(policy.rawValue) \(table)", String(rows) as String?)
            }
        }
        let users = start.root.values.count
        return Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: "account delete", app: start.app?.name,
            parent: isInParts && kind != .bulk ? operation : nil,
            payload: JSON.present([
                ("target", users == 1 ? "one account" : "\(users) accounts"),
                ("arguments", JSON.texts(counts == nil ? tables + request.arguments : tables)),
                ("total", rows.map { ($0[.delete] ?? [:]).values.reduce(0, +) }),
                ("plan", plan?.fingerprint),
                ("reason", isHarmless ? request.reason : nil),
                ("ticket", isHarmless ? request.ticket : nil),
                ("environment", start.environment.name), ("final", counts == nil ? true : nil),
                ("because", failure.map { $0.state?.rawValue ?? "refused" }),
            ]).text())
    }

    /// The record of the end of a deletion in batches, with the row counts of all batches and of the last transaction.
    func end(with last: AccountPlan) -> Ledger.Entry {
        let deleted = parts.deleted.merging(last.rows(under: .delete), uniquingKeysWith: +)
        return entry(.end, counting: [.delete: deleted, .detach: last.rows(under: .detach)])
    }

    /// Records the start of a deletion in batches, and runs the `@do` statements while all rows of the account exist.
    ///
    /// A resumed run finds the deletion by the accounts in this record; the last transaction removes these accounts.
    func begin(_ plan: AccountPlan) throws(Failure) {
        let whole = entry(.bulk, id: operation, of: plan)
        _ = try runner.run(.init(nothing: .deleted)) { (transaction) throws(Failure) in
            try transaction.run([Ledger.part(.begin, whole, of: start.root.recorded)])
            if start.account?.additions.isEmpty == false {
                try set(in: transaction)
                parts.added = try QueuedRows.add(start, plan.closure, in: transaction)
            }
            return .done((), whole)
        }
    }

    func set(in transaction: ActTransaction) throws(Failure) {
        try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
    }

    /// Records that a deletion in batches stopped; each batch has its own record.
    func recordStop(_ failure: Failure) {
        let isRefused = [.refused, .conflict].contains(failure.kind)
        let outcome: Ledger.Entry.Outcome = parts.deleted.isEmpty ? isRefused ? .refused : .failed : .partial
        // If the record can't be written, the audit log shows the operation as running.
        runner.tryToRecord(
            Ledger.part(.end, entry(.end, outcome, counting: [.delete: parts.deleted], because: failure)))
    }
}

/// The results of the finished batches of a deletion; the deleted rows include rows of earlier runs.
package struct DeletionParts {
    private(set) var operation: String?
    var deleted: [String: Int] = [:]
    var written: [TriggerRows.Found] = []
    var warnings: [Notice] = []
    var added: [QueuedRows] = []

    /// Finds an unfinished deletion of the same accounts in the audit log; the next run continues that deletion.
    static func unfinished(_ root: AccountRoot, asking ask: Ask) throws(Failure) -> DeletionParts? {
        let query = Query(
            file: "catalog/deletion_unfinished.sql",
            values: [BoundValue(root.values), .text(root.name), .text(root.schema)])
        let rows = try ask([query])[0].rows
        guard let first = rows.first else { return nil }
        return try failing { () throws(PQError) in
            var done = DeletionParts(operation: try first.text("id"))
            for row in rows {
                // The table is NULL if no batch has ended yet.
                guard let table = try row.optionalText("table") else { continue }
                done.deleted[table] = try row.optionalInteger("rows")
            }
            return done
        }
    }

    /// The account keys of an unfinished deletion in batches; for any other operation, nil and its end time.
    package static func accounts(
        of operation: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (accounts: [String]?, ended: Value?) {
        let found = try Audit.operation(operation, on: connection, options: options)
        guard found.summary.shown("command")?.text == "account delete" else {
            throw Failure(
                .usage, "operation \(found.id) is not a deletion",
                hint: "`usher audit list` shows unfinished deletions")
        }
        let query = Query(file: "catalog/deletion_accounts.sql", [found.id])
        let rows = try Audit.open([query], on: connection, options: options).answers[0]
        return try failing { () throws(PQError) in
            let row = try rows.only()
            return try row.boolean("open") ? (row.texts("accounts"), nil) : (nil, row.shown("ended"))
        }
    }
}
