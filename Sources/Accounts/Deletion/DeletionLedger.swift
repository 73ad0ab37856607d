internal import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

/// The records of a deletion in the audit log.
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
                ("target", .string(users == 1 ? "one account" : "\(users) accounts")),
                ("arguments", .texts(counts == nil ? tables + request.arguments : tables)),
                ("total", rows.map { JSON(($0[.delete] ?? [:]).values.reduce(0, +)) }),
                ("plan", plan.map { .string($0.fingerprint) }),
                ("reason", isHarmless ? request.reason.map { .string($0) } : nil),
                ("ticket", isHarmless ? request.ticket.map { .string($0) } : nil),
                ("environment", .string(start.environment.name)), ("final", counts == nil ? .bool(true) : nil),
                ("because", failure.map { .string($0.state?.rawValue ?? "refused") }),
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
    func begin() throws(Failure) {
        let whole = entry(.bulk, id: operation, of: plan)
        _ = try runner.run(.init(nothing: .deleted)) { (transaction, _) throws(Failure) in
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

extension AccountRoot {
    var recorded: Ledger.Account { .init(schema: schema, table: name, column: column, keys: values) }
}

/// The results of the finished batches of a deletion; the deleted rows include rows of earlier runs.
package struct DeletionParts {
    private(set) var operation: String?
    /// The numbers of deleted rows by table.
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
        return try decoding { () throws(DecodingFailure) in
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
        let id = try Audit.operation(operation, on: connection, options: options).id
        let rows = try Audit.open(
            [Query(file: "catalog/deletion_accounts.sql", [id])], on: connection, options: options
        )
        .answers[0]
        return try decoding { () throws(DecodingFailure) in
            let row = try rows.only()
            return try row.boolean("open") ? (row.texts("accounts"), nil) : (nil, row.shown("ended"))
        }
    }
}
