internal import AppFile
internal import Catalog
internal import PQ

/// What the ledger is told about a request, the same words for everything that becomes of it.
struct ChangeScribe {
    let request: ChangeRequest
    let work: ChangeWork
    let app: String
    let environment: Environment

    /// An operation on some subjects.
    func entry(
        _ id: String, _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome, on subjects: [ChangeSubject],
        parent: String? = nil, undoes: String? = nil, because: Failure? = nil, more: [(String, JSONPayload.Item?)] = []
    ) -> Ledger.Entry {
        func few(_ names: [String]) -> String {
            names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        }
        let target = subjects.isEmpty ? few(request.targets) : few(subjects.prefix(21).map(\.label))
        let arguments = request.values.filter { !work.secretNames.contains($0.key) }.sorted { $0.key < $1.key }
        let payload = JSONPayload.object(
            [
                ("target", .text(target)),
                ("users", work.subject == .users || work.undoes != nil ? .list(subjects.map(\.key)) : nil),
                ("arguments", arguments.isEmpty ? nil : .object(arguments.map { ($0.key, $0.value) })),
                ("reason", request.reason.map { .text($0) }), ("ticket", request.ticket.map { .text($0) }),
                ("environment", .text(environment.name)), ("final", work.isFinal ? .flag(true) : nil),
                ("because", because.map { .text($0.message) }), ("hint", because?.hint.map { .text($0) }),
            ] + more)
        return Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: work.command, app: app, parent: parent, undoes: undoes,
            payload: payload)
    }

    /// Takes down an attempt that was refused or failed, in a transaction of its own; dry runs leave nothing behind.
    func recording<Value>(
        on connection: Connection, _ subjects: [ChangeSubject], _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(Failure) { return try body() } catch {
            let outcome: Ledger.Entry.Outcome? =
                switch error.kind {
                case _ where error.fate != nil: nil
                case .refused, .conflict: .refused
                case .failed, .forbidden: .failed
                default: nil
                }
            guard !request.isDryRun, let outcome else { throw error }
            let entry = entry(
                OperationID.make(), kind, outcome, on: subjects, undoes: work.undoes, because: error)
            do throws(PQError) {
                try connection.rollbackIfOpen()
                _ = try connection.execute(Ledger.record(entry), timeout: connection.patience)
            } catch {}
            throw error
        }
    }
}
