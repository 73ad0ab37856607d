internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// Builds the JSON of a change for the database functions, and its record in the audit log.
struct ActRequestBuilder {
    let request: ChangeRequest
    let act: RequestedAct
    let app: App
    let environment: Environment

    /// The JSON for the database function: the operation id, the change, and the operator's texts.
    ///
    /// A sample for the preview of a bulk change doesn't approve a request.
    func text(
        _ id: String, keys: [String]? = nil, answers: Bool = true, more: [(String, JSON?)] = []
    ) -> String {
        var members: [(String, JSON?)] = [("id", .string(id))]
        switch act.origin {
        case .installed(let kind, let name):
            members += [
                ("app", .string(app.name)), ("digest", .string(app.digest)), ("kind", .string(kind)),
                ("name", .string(name)),
                ("keys", keys.map { .strings($0) }),
                ("arguments", .texts(act.arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })),
            ]
        case .undo(let operation):
            members.append(("operation", .string(operation)))
            if !request.except.isEmpty { members.append(("except", .strings(request.except))) }
        }
        members += [
            ("reason", request.reason.map { .string($0) }), ("ticket", request.ticket.map { .string($0) }),
        ]
        if answers, let answered = request.answers {
            members += [("request", .string(answered.request)), ("moved", answered.hasMoved ? .bool(true) : nil)]
        }
        return JSON.present(members + more).text()
    }

    /// The record of an operation that failed, or whose outcome is unknown.
    func attempt(
        _ id: String, _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome, on subjects: [ChangeSubject],
        because: Failure? = nil
    ) -> Ledger.Entry {
        func few(_ names: [String]) -> String {
            names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        }
        func short(_ text: String) -> JSON { .string(Ledger.Entry.short(text)) }
        let target = subjects.isEmpty ? few(request.targets) : few(subjects.prefix(21).map(recorded))
        let arguments = request.values.filter { !act.secretNames.contains($0.key) }.sorted { $0.key < $1.key }
        let payload = JSON.present(
            [
                ("target", short(target)),
                (
                    "users",
                    act.subject == .users || act.undoes != nil
                        ? .strings(Ledger.Entry.short(subjects.map(\.key))) : nil
                ),
                (
                    "arguments",
                    arguments.isEmpty
                        ? nil : .texts(arguments.map { ($0.key, Ledger.Entry.short($0.value)) })
                ),
                ("reason", request.reason.map(short)), ("ticket", request.ticket.map(short)),
                ("environment", .string(environment.name)), ("final", act.isFinal ? .bool(true) : nil),
                ("undoes", act.undoes.map { .string($0) }), ("because", because.map { short($0.message) }),
                ("hint", because?.hint.map(short)),
            ]).text()
        return Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: act.command, app: app.name, payload: payload)
    }

    /// The name of a subject in the audit log: the email of a user, the key of an object.
    func recorded(_ subject: ChangeSubject) -> String { act.subject == .users ? subject.label : subject.key }

    /// The kind of the operation in the audit log.
    var kind: Ledger.Entry.Kind { act.undoes == nil ? .change : .undo }

    /// Records an attempt that was refused or failed, in its own transaction; dry runs leave no record.
    func recording<Value>(
        by runner: ActRunner, _ subjects: [ChangeSubject], _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try runner.recording(
            { failure, outcome in
                request.isDryRun ? nil : attempt(OperationID.make(), kind, outcome, on: subjects, because: failure)
            }, body)
    }
}
