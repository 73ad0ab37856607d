internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// The entries of a deletion in the audit log.
extension Deletion {
    /// An entry about a plan, or about the rows of one batch or of all batches.
    ///
    /// The payload names no user: it contains the reason and the ticket only if usher checked them for names.
    /// usher records refused attempts, too.
    func entry(
        _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome = .committed, id: String = OperationID.make(),
        of plan: AccountPlan? = nil, counting counts: DeletionParts? = nil, because failure: Failure? = nil
    ) -> Ledger.Entry {
        let isHarmless = plan.map { !request.names($0) } ?? false
        let tables = AccountPlan.Policy.allCases.flatMap { policy in
            (plan?.rows(under: policy) ?? []).map { ("\(policy.rawValue) \($0.table)", String($0.rows) as String?) }
        }
        let users = reading.start.root.values.count
        return Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: "account delete", app: reading.app,
            parent: isInParts && kind != .bulk ? operation : nil,
            payload: JSON.present([
                ("target", .string(users == 1 ? "one account" : "\(users) accounts")),
                ("arguments", .texts(counts?.arguments ?? tables + request.arguments)),
                ("total", (counts?.total ?? plan?.total).map { JSON($0) }),
                ("plan", plan.map { .string($0.fingerprint) }),
                ("reason", isHarmless ? request.reason.map { .string($0) } : nil),
                ("ticket", isHarmless ? request.ticket.map { .string($0) } : nil),
                ("environment", .string(reading.environment.name)), ("final", counts == nil ? .bool(true) : nil),
                ("because", failure.map { .string($0.state?.rawValue ?? "refused") }),
            ]).text())
    }

    /// The entry that ends a deletion in batches, with the rows of the last transaction.
    func end(with last: AccountPlan) -> Ledger.Entry {
        func tables(_ policy: AccountPlan.Policy) -> [String: Int] {
            Dictionary(last.rows(under: policy).map { ($0.table, $0.rows) }) { $0 + $1 }
        }
        var all = parts
        all += DeletionParts(deleted: tables(.delete), detached: tables(.detach))
        return entry(.end, counting: all)
    }

    /// Records the start of a deletion in batches and its accounts, and runs the `@do` of the account while all rows exist.
    ///
    /// The next run continues from this record, and the last batch removes it.
    func begin() throws(Failure) {
        let whole = entry(.bulk, id: operation, of: plan)
        _ = try runner.run(.init(nothing: .deleted)) { (transaction, _) throws(Failure) in
            try transaction.run([Ledger.part(.begin(reading.start.root.recorded), whole)])
            if reading.start.account?.additions.isEmpty == false {
                try set(in: transaction)
                let account = try FoundAccount(of: reading.start, request.account, asking: transaction.ask)
                parts.added = try QueuedRows.add(reading.start, account.closure, in: transaction)
            }
            return .done((), whole)
        }
    }

    /// Makes the settings that triggers need.
    func set(in transaction: ActTransaction) throws(Failure) {
        try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
    }

    /// Records that a deletion in batches stopped; each batch has its own entry.
    func recordStop(_ failure: Failure) {
        let isRefused = [.refused, .conflict].contains(failure.kind)
        let outcome: Ledger.Entry.Outcome = parts.deleted.isEmpty ? isRefused ? .refused : .failed : .partial
        // If this fails, the audit log shows the operation as running.
        runner.takeDown(Ledger.part(.end, entry(.end, outcome, counting: parts, because: failure)))
    }
}

extension AccountRoot {
    var recorded: Ledger.Account { .init(schema: schema, table: name, column: column, keys: values) }
}
