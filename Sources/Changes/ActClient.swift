internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// Runs a change of an app in the database, each call in its own transaction, and records failed attempts.
struct ActClient {
    let request: ChangeRequest
    let act: RequestedAct
    let app: App
    let environment: Environment
    let runner: ActRunner
    /// The number of retries; a bulk change tries a smaller batch instead.
    var mostRetries = 20

    /// True if the undo of this change runs an action again that needs two people.
    var takesTwoToUndo: Bool { act.redoTakesTwo && environment.name == "production" }

    /// Calls a database function; if the connection is lost during the commit, usher records `entry`.
    func call(
        _ function: ActFunction, _ request: String, as entry: Ledger.Entry, isTrial: Bool = false,
        nothing: Failure.Nothing? = nil
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        let terms = ActRunner.Terms(mostRetries: mostRetries, nothing: nothing, secrets: secrets, isTrial: isTrial)
        return try runner.call(function, request, as: entry, terms)
    }

    private var secrets: KnownSecrets {
        let values = act.secretNames.sorted().compactMap { act.arguments[$0] }
        // The JSON request contains the secrets in escaped form, which usher must also mask.
        return KnownSecrets(values: values + values.map { String(JSON.string($0).text().dropFirst().dropLast()) })
    }

    /// The JSON for the database function: the operation id, the change, and the operator's texts.
    ///
    /// With `answers: false` the JSON leaves out the approved request, because a preview doesn't approve a request.
    func text(_ id: String, keys: [String]? = nil, answers: Bool = true, more: JSON.Members = []) -> String {
        var members: JSON.Members = [("id", id)]
        switch act.origin {
        case .installed(let kind, let name):
            members += [
                ("app", app.name), ("digest", app.digest), ("kind", kind), ("name", name), ("keys", keys),
                ("arguments", JSON.texts(act.arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })),
            ]
        case .undo(let operation):
            members.append(("operation", operation))
            if !request.except.isEmpty { members.append(("except", request.except)) }
        }
        members += [
            ("reason", request.reason), ("ticket", request.ticket),
        ]
        if answers, let answered = request.answers {
            members += [("request", answered.request), ("moved", answered.hasMoved ? true : nil)]
        }
        return JSON.present(members + more).text()
    }

    /// The record of an operation that failed, or whose outcome is unknown.
    func attempt(
        _ id: String, _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome, on subjects: [ChangeSubject],
        because: Failure? = nil
    ) -> Ledger.Entry {
        func few(_ names: [String]) -> String {
            names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", ..." : "")
        }
        func short(_ text: String) -> String { Ledger.Entry.short(text) }
        let target = subjects.isEmpty ? few(request.targets) : few(subjects.prefix(21).map(recorded))
        let arguments = request.values.filter { !act.secretNames.contains($0.key) }.sorted { $0.key < $1.key }
        let payload = JSON.present(
            [
                ("target", short(target)),
                (
                    "users",
                    act.subject == .users || act.undoes != nil
                        ? Ledger.Entry.short(subjects.map(\.key)) : nil
                ),
                (
                    "arguments",
                    arguments.isEmpty
                        ? nil : JSON.texts(arguments.map { ($0.key, Ledger.Entry.short($0.value)) })
                ),
                ("reason", request.reason.map(short)), ("ticket", request.ticket.map(short)),
                ("environment", environment.name), ("final", act.isFinal ? true : nil), ("undoes", act.undoes),
                ("because", because.map { short($0.message) }), ("hint", because?.hint.map(short)),
            ]).text()
        return Ledger.Entry(
            id: id, kind: kind, outcome: outcome, command: act.command, app: app.name, payload: payload)
    }

    /// The name of a subject in the audit log: the email of a user, the key of an object.
    func recorded(_ subject: ChangeSubject) -> String { act.subject == .users ? subject.label : subject.key }

    var kind: Ledger.Entry.Kind { act.undoes == nil ? .change : .undo }

    /// Records an attempt that was refused or failed, in its own transaction; dry runs leave no record.
    func recording<Value>(
        _ subjects: [ChangeSubject], _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try runner.recording(
            { failure, outcome in
                request.isDryRun ? nil : attempt(OperationID.make(), kind, outcome, on: subjects, because: failure)
            }, body)
    }
}

extension ActRunner {
    /// Calls a function of the schema `usher` as the only statement of a transaction.
    func call(
        _ function: ActFunction, _ request: String, as entry: Ledger.Entry, _ terms: Terms = Terms(nothing: .done)
    ) throws(Failure) -> (answer: ActAnswer, warnings: [Notice]) {
        options.trace?(
            ComposedQuery(engine: "select usher.\(function.rawValue)($1)", values: [terms.secrets.masked(request)]))
        let done = try run(terms, opening: ActAnswer.query(function, request)) {
            (transaction) throws(Failure) -> Step<ActAnswer> in
            guard let rows = transaction.opening else { throw Failure.noAnswer }
            let answer = try failing(try ActAnswer(rows))
            switch answer.outcome {
            case .objected: throw answer.error.map { Failure($0) } ?? .noAnswer
            case .locked: return .locked(by: answer.locks)
            case _ where terms.isTrial: return .left(answer)
            // The database records every batch of a bulk change, with any outcome.
            case .done, .begun: return .done(answer, entry)
            case _ where function == .batch: return .done(answer, entry)
            default: return .left(answer)
            }
        }
        return (done.value, done.warnings)
    }
}

extension Failure {
    fileprivate static let noAnswer = Failure(.failed, "the database function returned no result")
}
