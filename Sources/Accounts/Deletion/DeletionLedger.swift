internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

extension Deletion {
    /// The audit log entry of the last transaction, and the end of a deletion in batches.
    func entries(_ found: AccountPlan) -> Attempt.Opening {
        guard isInParts else { return (entry(.committed), nil) }
        func tables(_ policy: AccountPlan.Policy) -> [String: Int] {
            Dictionary(found.rows(under: policy).map { ($0.table, $0.rows) }) { $0 + $1 }
        }
        var all = parts
        all += DeletionParts(deleted: tables(.delete), detached: tables(.detach))
        return (entry(.committed, of: found), end(.committed, all))
    }

    private func entry(
        _ outcome: Ledger.Entry.Outcome, of found: AccountPlan? = nil, because: Failure? = nil, id: String? = nil
    ) -> Ledger.Entry {
        Ledger.Entry(
            id: id ?? last, kind: .erasure, outcome: outcome, command: Self.command, app: appName,
            parent: isInParts ? operation : nil, payload: payload(of: found ?? plan, because: because))
    }

    /// The payload of the entry: row counts and the plan.
    ///
    /// The payload names no user: it contains the reason and the ticket only if usher checked them for names.
    /// usher records refused attempts, too.
    private func payload(of plan: AccountPlan?, because: Failure? = nil) -> String {
        let isHarmless = plan.map { !request.names($0) } ?? false
        let tables = AccountPlan.Policy.allCases.flatMap { policy in
            (plan?.rows(under: policy) ?? []).map { ("\(policy.rawValue) \($0.table)", String($0.rows) as String?) }
        }
        return JSON.present([
            ("target", .string(target)),
            ("arguments", .texts(tables + request.arguments)),
            ("total", plan.map { JSON($0.total) }), ("plan", plan.map { .string($0.fingerprint) }),
            ("reason", isHarmless ? request.reason.map { .string($0) } : nil),
            ("ticket", isHarmless ? request.ticket.map { .string($0) } : nil),
            ("environment", .string(environment)), ("final", .bool(true)),
            ("because", because.map { .string($0.state?.rawValue ?? "refused") }),
        ]).text()
    }

    private var target: String {
        start.root.values.count == 1 ? "one account" : "\(start.root.values.count) accounts"
    }

    private static let command = "account delete"

    /// The entry of an attempt that was refused or failed; nil for a dry run.
    func attempt(_ outcome: Ledger.Entry.Outcome, because failure: Failure) -> Ledger.Entry? {
        request.isDryRun ? nil : entry(outcome, because: failure, id: OperationID.make())
    }

    // MARK: Parts

    /// Records the start of a deletion in batches, and its accounts.
    ///
    /// The next run continues from this record, and the last batch removes it.
    func begin() throws(Failure) {
        let whole = Ledger.Entry(
            id: operation, kind: .bulk, outcome: .committed, command: Self.command, app: appName,
            payload: payload(of: plan))
        _ = try runner.run(.init(nothing: .deleted)) { (transaction, _) throws(Failure) in
            try transaction.run([Ledger.part(.begin(start.root.recorded), whole)])
            parts.added = try add(in: transaction)
            return .done((), whole)
        }
    }

    /// Runs the `@do` of the account before the first batch, while all rows exist.
    private func add(in transaction: ActTransaction) throws(Failure) -> [QueuedRows] {
        guard start.account?.additions.isEmpty == false else { return [] }
        try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let account = try FoundAccount(of: start, request.account, asking: ask)
        return try QueuedRows.add(start, account.closure, in: transaction)
    }

    /// Records that a deletion in batches stopped; each batch has its own entry.
    func recordPart(_ failure: Failure) {
        let outcome = parts.deleted.isEmpty ? failure.outcome : .partial
        // If this fails, the audit log shows the operation as running.
        runner.takeDown(Ledger.part(.end, end(outcome, parts, because: failure)))
    }

    /// The entry of a batch, with the rows that triggers wrote, for the report of a resumed deletion.
    func batchEntry(_ id: String, _ done: DeletionParts) -> Ledger.Entry {
        part(id, .batch, .committed, done, written: done.written)
    }

    private func end(
        _ outcome: Ledger.Entry.Outcome, _ counts: DeletionParts, because: Failure? = nil
    ) -> Ledger.Entry {
        part(OperationID.make(), .end, outcome, counts, because: because)
    }

    private func part(
        _ id: String, _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome, _ counts: DeletionParts,
        because: Failure? = nil, written: [TriggerRows.Found] = []
    ) -> Ledger.Entry {
        Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: Self.command, app: appName, parent: operation,
            payload: JSON.present([
                ("target", .string(target)), ("arguments", .texts(counts.arguments)),
                ("total", JSON(counts.deleted.values.reduce(0, +))), ("environment", .string(environment)),
                ("because", because.map { .string($0.state?.rawValue ?? "refused") }),
                ("written", written.isEmpty ? nil : .array(written.map { .present($0.payload) })),
            ]).text())
    }
}

extension Failure {
    fileprivate var outcome: Ledger.Entry.Outcome { [.refused, .conflict].contains(kind) ? .refused : .failed }
}

extension AccountRoot {
    var recorded: Ledger.Account { .init(schema: schema, table: name, column: column, keys: values) }
}
