package import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import EmbeddedSQL
package import Inquiries
internal import Ledger
internal import PQ

/// A valid change, ready for its plan.
package enum OpenedChange {
    case one(ChangeSession)
    case bulk(BulkSession)
}

extension OpenedChange {
    /// Resolves the app, subjects and parameters of a change, and refuses if the session can't make the change.
    package static func open(
        _ request: ChangeRequest, in inquiry: Inquiry, limits: ChangeLimits = ChangeLimits(),
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> OpenedChange {
        let (client, parts) = try ActClient.open(request, in: inquiry, elsewhere: elsewhere)
        let (request, act) = (client.request, client.act)
        let (found, strangers) =
            request.selections.isEmpty
            ? try inquiry.subjects(of: act, request)
            : (try inquiry.selected(request.selections, of: act.subject, limit: limits.atOnce + 1), [])
        // On resume, a selection may contain fewer users than at the start.
        let isMany = parts != nil || found.count > limits.atOnce || request.resumes != nil
        // A change that usher refuses anyway needs no --reason: a forced state in production, or a missing role.
        if !request.isDryRun, !act.isForced, inquiry.mayHold(act.role) {
            try client.recording(found) { () throws(Failure) in
                try client.environment.requireReason(request.reason != nil)
                if request.answers == nil, request.resumes == nil { try act.requireOnePerson(in: client.environment) }
            }
        }
        guard isMany || !request.selections.isEmpty else {
            inquiry.hand()
            return .one(ChangeSession(client, on: found, strangers: strangers, limits: limits))
        }
        let subjects =
            if let parts {
                BulkSubjects(
                    origin: .operations(parts.map(\.id)), total: parts.reduce(0) { $0 + $1.done },
                    first: parts.prefix(1).map { ChangeSubject(key: $0.id, label: $0.id) })
            } else if request.selections.isEmpty {
                BulkSubjects(origin: .subjects(found), total: found.count, first: found)
            } else {
                BulkSubjects(
                    origin: .selection(inquiry.app.selections(request.selections, of: act.subject)),
                    total: found.count, first: found)
            }
        let (keyType, bindings) = (try inquiry.keyType(of: act.subject), try inquiry.bindings(for: request))
        inquiry.hand()
        let bulk = BulkSession(
            client, on: subjects, keyType: keyType, bindings: bindings, strangers: strangers, in: inquiry)
        if request.begins || parts != nil && request.resumes == nil { try bulk.requireNoneUnfinished() }
        return isMany
            ? .bulk(bulk) : .one(ChangeSession(client, on: found, strangers: strangers, limits: limits))
    }
}

extension ActClient {
    /// Resolves the app, the action and the typed values of a request; for the undo of a bulk change, also its batches.
    static func open(
        _ request: ChangeRequest, in inquiry: Inquiry, elsewhere: @escaping Elsewhere
    ) throws(Failure) -> (client: ActClient, parts: [(id: String, done: Int)]?) {
        var request = request
        try inquiry.requireWritable()
        if case .action(let noun, let verb) = request.what {
            request.values = try inquiry.typed(
                request.values, as: try inquiry.action(noun, verb).parameters.all)
        }
        request.resumes = try request.resumes.map { text throws(Failure) in try inquiry.operation(calledBy: text) }
        request.except = try request.except.map { text throws(Failure) in try inquiry.user(named: text).key }
        var (act, parts) = try inquiry.act(for: request)
        try request.keepExceptions(of: act, inBatches: parts != nil)
        if case .undo(let operation) = act.origin { request.what = .undo(operation: operation) }
        // The approver of a request must confirm the change, so the grade is at least moderate.
        if request.answers != nil, act.grade == .mild { act.grade = .moderate }
        let client = ActClient(
            request: request, act: act, app: inquiry.app, environment: inquiry.environment,
            runner: ActRunner(in: inquiry, elsewhere: elsewhere))
        return (client, parts)
    }
}

extension ActRunner {
    /// Creates a runner on the connection of an inquiry, whose transaction ends before the first run.
    convenience init(in inquiry: Inquiry, elsewhere: @escaping Elsewhere) {
        self.init(on: inquiry.connection, options: inquiry.options, elsewhere: elsewhere)
    }
}

extension ChangeRequest {
    /// Refuses users of `--except` whom the undone operation didn't change.
    fileprivate mutating func keepExceptions(of act: RequestedAct, inBatches isBulk: Bool) throws(Failure) {
        if !except.isEmpty, isBulk {
            throw Failure(
                .usage, "the undo of a bulk change doesn't support --except",
                hint: "remove --except; the undo of a bulk change already skips rows that changed since")
        }
        if isOneOfSeveral {
            let users = Set(act.users)
            except.removeAll { !users.contains($0) }
            if !users.isEmpty, users == Set(except) {
                throw Failure(
                    .refused, "--except skips all users of the operation, so nothing is left to undo",
                    code: Failure.isExcepted)
            }
        } else if let stranger = except.first(where: { !act.users.contains($0) }) {
            throw Failure(
                .notFound, "--except: the operation did not change the user \(stranger)",
                hint: "`usher audit show \(act.undoes ?? "ID")` lists the users that the operation changed")
        }
    }
}

extension Inquiry {
    /// True if the session has an operator role, or usher can't tell; the database checks the role again.
    fileprivate func mayHold(_ role: OperatorRole?) -> Bool {
        guard let role, let roles = ledger?.roles else { return true }
        return roles.contains(role.name)
    }

    /// Refuses if the session can't change anything or record a change.
    func requireWritable() throws(Failure) {
        if let readOnly { throw Failure(.readOnly(readOnly)) }
        try Ledger.require(ledger, for: .changes)
    }

    func action(_ noun: String, _ verb: String) throws(Failure) -> App.Action {
        guard let action = app.actions.first(where: { $0.noun == noun && $0.verb == verb }) else {
            throw Failure(
                .usage, "the app \(app.name) has no action `\(noun) \(verb)`", hint: "`usher help` lists the actions")
        }
        return action
    }

    /// The action of a request in this app; for the undo of a bulk change, also the batches, the latest first.
    func act(
        for request: ChangeRequest
    ) throws(Failure) -> (act: RequestedAct, parts: [(id: String, done: Int)]?) {
        switch request.what {
        case .action(let noun, let verb):
            let action = try action(noun, verb)
            try require(bound: action.subject.unbound(action.statements), of: "\(noun) \(verb)")
            return (RequestedAct(action, arguments: request.values), nil)
        case .state(let name):
            guard let state = app.states.first(where: { $0.name == name }) else {
                throw Failure(
                    .usage, "the app \(app.name) has no test state \(name)",
                    hint: "choose one of: \(app.states.map(\.name).joined(separator: ", "))")
            }
            try require(bound: state.subject.unbound(state.statements), of: "state force \(name)")
            return (RequestedAct(state), nil)
        case .setting(let name, let key, let column, let value):
            return (try setting(name, key: key, column: column, value: value), nil)
        case .undo(let operation): return try undo(of: operation)
        }
    }

    fileprivate func bindings(for request: ChangeRequest) throws(Failure) -> [String: Binding] {
        guard case .action(let noun, let verb) = request.what else { return bindings }
        return try parameters(try action(noun, verb).parameters.all, values: request.values).merging(bindings) {
            _, own in
            own
        }
    }

    /// Refuses a change whose statements aren't limited to its subjects.
    private func require(bound unbound: [Diagnostic], of command: String) throws(Failure) {
        if unbound.isEmpty { return }
        throw Failure(
            .refused, "`\(command)` could also change users that you didn't name", nothing: .changed,
            hint: "limit each @do of the app file to the named users, as in `where id = any (:users)`",
            details: unbound.flatMap(\.report))
    }

    /// The id of the single operation whose id begins with the typed text.
    fileprivate func operation(calledBy text: String) throws(Failure) -> String {
        let found = try rows(of: ["undo_operation"], calledBy: text)
        return try failing(try found.one.text("id"))
    }

    /// The undo of the single operation whose id begins with the typed text; for a bulk change, also its batches.
    private func undo(
        of text: String
    ) throws(Failure) -> (act: RequestedAct, parts: [(id: String, done: Int)]?) {
        let (row, others) = try rows(of: ["undo_operation", "bulk_batches"], calledBy: text)
        let (operation, isBulk, users, command, target) = try failing(
            (
                try row.text("id"), try row.boolean("is_bulk"), try row.texts("users"),
                try row.optionalText("command"), try row.optionalText("target")
            ))
        let action = app.actions.first { "\($0.noun) \($0.verb)" == command }
        let act = RequestedAct(
            origin: .undo(operation: operation), command: "audit undo", subject: users.isEmpty ? .nothing : .users,
            grade: isBulk ? .severe : .moderate, users: users,
            undone: [command, users.isEmpty ? target : nil].compactMap(\.self).joined(separator: " "),
            undoneSubject: action?.subject, redoTakesTwo: action?.approver != nil)
        guard isBulk else { return (act, nil) }
        let parts = try failing(
            try others[0].rows.map { row throws(PQError) in (try row.text("id"), try row.integer("done")) })
        return (act, parts)
    }

    /// The row of the single operation whose id begins with the typed text, and the results of the other queries.
    private func rows(of questions: [String], calledBy text: String) throws(Failure) -> (one: Row, others: [Rows]) {
        let range = try IDRange.require(text)
        let questions = questions.map { name in
            ComposedQuery(engine: EmbeddedSQL.text(of: "catalog/\(name).sql"), values: range)
        }
        let found = try read(questions, isLast: false).map { answer throws(Failure) in try answer.result.rows() }
        return (try Audit.only(found[0], calledBy: text), Array(found.dropFirst()))
    }
}

extension ChangeRequest {
    /// True if the command starts a new change.
    var begins: Bool { !isDryRun && resumes == nil }

    /// The targets of the change, if they are not users.
    var targets: [String] {
        switch what {
        case .action: subjects
        case .state(let name): [name]
        case .setting(let table, let key, let column, _):
            [[table, key, column].compactMap { $0 }.joined(separator: " ")]
        case .undo(let operation): [operation]
        }
    }
}

extension Failure {
    /// The failure code of an undo that skips all of its users.
    package static let isExcepted = "excepted"
}
