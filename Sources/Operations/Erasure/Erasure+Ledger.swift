internal import Catalog
internal import PQ

/// What the ledger is told about a deletion, and what it tells when the connection died.
extension Erasure {
    /// Finds out what became of a commit whose answer never came, and gives a connection on which to go on.
    func settle() throws(Failure) -> Connection {
        let unknown = Failure(
            .failed, "the connection was lost during the commit, and what became of it is unknown",
            hint: "`usher audit show \(operation)` tells when the server can be reached again")
        let fresh: Connection
        let isFenced: Bool
        do throws(Failure) {
            fresh = try reconnect()
            let answers = try failing { () throws(PQError) in
                try fresh.pipeline([
                    ["begin", "set local lock_timeout = '10s'", Ledger.record(entry(.lost)), "commit"]
                ])[0]
            }
            guard case .success(let rows) = answers[2], let recorded = rows.first?["recorded"]?.boolean else {
                throw unknown
            }
            isFenced = recorded
        } catch {
            throw unknown
        }
        guard isFenced else { return fresh }
        throw Failure(
            .connection, "the connection was lost before the commit; nothing was deleted",
            hint: "run the command again; operation \(operation) can no longer happen")
    }

    /// What is recorded names nobody: numbers of rows, the reason, the plan.
    func entry(_ outcome: Ledger.Entry.Outcome, because: Failure? = nil, id: String? = nil) -> Ledger.Entry {
        let tables = AccountPlan.Policy.allCases.flatMap { policy in
            (plan?.rows(under: policy) ?? []).map { ("\(policy.rawValue) \($0.table)", String($0.rows) as String?) }
        }
        let settings = request.settings.map { ("set \($0.name)", "…" as String?) }
        let payload = JSONPayload.object([
            ("target", .text(start.root.values.count == 1 ? "one account" : "\(start.root.values.count) accounts")),
            ("arguments", .object(tables + settings + [("collateral", request.account.collateral?.rawValue)])),
            ("total", plan.map { .number($0.total) }), ("plan", plan.map { .text($0.fingerprint) }),
            ("reason", request.reason.map { .text($0) }), ("ticket", request.ticket.map { .text($0) }),
            ("environment", .text(environment)), ("final", .flag(true)),
            ("because", because.map { .text($0.state?.rawValue ?? "refused") }),
        ])
        return Ledger.Entry(
            id: id ?? operation, kind: .erasure, outcome: outcome, command: "account delete", app: appName,
            payload: payload)
    }

    /// Takes down an attempt that was refused or failed, as far as that is possible.
    func record(_ failure: Failure) {
        guard !request.isDryRun else { return }
        let outcome: Ledger.Entry.Outcome = [.refused, .conflict].contains(failure.kind) ? .refused : .failed
        _ = try? connection.execute(Ledger.record(entry(outcome, because: failure, id: OperationID.make())))
    }

    /// Takes down that a deletion in batches stopped on the way; each batch has its own record.
    func recordPart(_ failure: Failure) {
        do throws(Failure) {
            let connection = connection.isAlive ? connection : try reconnect()
            try? connection.rollbackIfOpen()
            _ = try? connection.execute(Ledger.record(entry(.partial, because: failure)))
        } catch {
            // Where nothing can be written, the batches speak for themselves.
        }
    }

    func batchEntry(_ id: String, _ table: String, _ rows: Int) -> Ledger.Entry {
        Ledger.Entry(
            id: id, kind: .batch, outcome: .committed, command: "account delete", app: appName, parent: operation,
            payload: JSONPayload.object([
                ("target", .text("one account")), ("arguments", .object([("delete \(table)", String(rows))])),
                ("total", .number(rows)), ("environment", .text(environment)),
            ]))
    }
}
