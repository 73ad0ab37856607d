package import Acts
package import AppFile
package import Asking
internal import Catalog
internal import EmbeddedSQL
internal import Inquiries
internal import Ledger
package import PQ

/// A change that was found to make sense, ready to be planned.
package enum OpenedChange {
    case one(ChangeSession)
    case bulk(BulkSession)
}

extension OpenedChange {
    /// Finds out what a request means here: the app, the subjects, the parameters, and whether it may be made at all.
    package static func open(
        _ request: ChangeRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        limits: ChangeLimits = ChangeLimits(), elsewhere: @escaping Elsewhere
    ) throws(Failure) -> OpenedChange {
        var request = request
        if case .undo(let text) = request.what {
            request.what = .undo(operation: try Audit.operation(text, on: connection, options: options).id)
        }
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .change)
        try inquiry.requireWritable()
        if case .action(let noun, let verb) = request.what {
            request.values = try inquiry.typed(
                request.values, as: try inquiry.action(noun, verb).parameters.all)
        }
        var (act, parts) = try inquiry.act(for: request)
        // Whoever approves what another asked for looks at it first.
        if request.answers != nil, act.grade == .mild { act.grade = .moderate }
        let scribe = ChangeScribe(
            request: request, act: act, app: inquiry.app, environment: inquiry.environment, worded: options.worded)
        let (found, strangers) = try inquiry.subjects(of: act, request)
        // A selection may have few left by now, of the many that it began with.
        let isMany = parts != nil || found.count > Pace.least || request.resumes != nil
        let runner = ActRunner(on: connection, options: options, elsewhere: elsewhere)
        // No reason makes a test state possible in production, so none is asked for.
        if !request.isDryRun, !act.isForced {
            try scribe.recording(by: runner, found) { () throws(Failure) in
                try scribe.environment.requireReason(request.reason != nil)
            }
        }
        let client = ActClient(app: inquiry.app, act: act, runner: runner)
        guard isMany || !request.selections.isEmpty else {
            inquiry.hand()
            return .one(ChangeSession(client, scribe, on: found, strangers: strangers, limits: limits))
        }
        let subjects =
            if let parts {
                BulkSubjects(
                    origin: .operations(parts.map(\.id)), total: parts.reduce(0) { $0 + $1.users },
                    first: parts.prefix(1).map { ChangeSubject(key: $0.id, label: $0.id) })
            } else {
                try inquiry.manySubjects(of: request, act.subject, found)
            }
        let tally = BulkTally(
            subjects, of: act, keyType: try inquiry.keyType(of: act.subject),
            bindings: try inquiry.bindings(for: request))
        let addresses = act.subject == .users ? try inquiry.addresses() : nil
        inquiry.hand()
        let bulk = BulkSession(
            client, scribe, on: subjects, tally: tally, strangers: strangers, addresses: addresses)
        if request.begins || parts != nil && request.resumes == nil { try bulk.requireNoneUnfinished() }
        return isMany
            ? .bulk(bulk) : .one(ChangeSession(client, scribe, on: found, strangers: strangers, limits: limits))
    }
}

extension Inquiry {
    /// Refuses where nothing could be changed, or could not be recorded.
    func requireWritable() throws(Failure) {
        try ReadOnlySession.requireNone(readOnly)
        try Ledger.require(ledger, for: .changes)
    }

    func action(_ noun: String, _ verb: String) throws(Failure) -> App.Action {
        guard let action = app.actions.first(where: { $0.noun == noun && $0.verb == verb }) else {
            throw Failure(ChangeRefusal.noAction(app: app.name, noun: noun, verb: verb))
        }
        return action
    }

    /// What a request comes to in this app; of the undoing of many also the batches to take back, the latest first.
    func act(
        for request: ChangeRequest
    ) throws(Failure) -> (act: RequestedAct, parts: [(id: String, users: Int)]?) {
        switch request.what {
        case .action(let noun, let verb):
            let action = try action(noun, verb)
            try require(bound: action.unbound, of: "\(noun) \(verb)")
            return (RequestedAct(action, arguments: request.values), nil)
        case .state(let name):
            guard let state = app.states.first(where: { $0.name == name }) else {
                throw Failure(ChangeRefusal.noState(app: app.name, name: name, known: app.states.map(\.name)))
            }
            try require(bound: state.unbound, of: "state force \(name)")
            return (RequestedAct(state), nil)
        case .setting(let name, let key, let column, let value):
            return (try setting(name, key: key, column: column, value: value), nil)
        case .undo(let operation): return try undo(of: operation)
        }
    }

    /// What the statements of a request are bound to.
    fileprivate func bindings(for request: ChangeRequest) throws(Failure) -> [String: Binding] {
        guard case .action(let noun, let verb) = request.what else { return bindings }
        return parameters(try action(noun, verb).parameters.all, values: request.values).merging(bindings) { _, own in
            own
        }
    }

    /// Refuses a change that nothing keeps to its subjects.
    private func require(bound unbound: [Diagnostic], of command: String) throws(Failure) {
        if unbound.isEmpty { return }
        throw Failure(ChangeRefusal.unbound(command: command, unbound))
    }

    /// Taking an operation back: whom it was about, or which parts of it there are to take back.
    private func undo(
        of operation: String
    ) throws(Failure) -> (act: RequestedAct, parts: [(id: String, users: Int)]?) {
        let head = ComposedQuery(engine: EmbeddedSQL.text(of: "catalog/undo_operation.sql"), values: [operation])
        let list = ComposedQuery(engine: EmbeddedSQL.text(of: "catalog/bulk_batches.sql"), values: [operation])
        let answers = try read([head, list], isLast: false)
        guard case .success(let heads) = answers[0].result, let row = heads.first else {
            throw Failure(LedgerRefusal.noOperation(operation, isID: true))
        }
        let (isBulk, users) = try decoding((try row.boolean("is_bulk"), try row.texts("users")))
        let act = RequestedAct(
            origin: .undo(operation: operation), command: "audit undo", subject: users.isEmpty ? .nothing : .users,
            grade: isBulk ? .severe : .moderate, users: users)
        guard isBulk else { return (act, nil) }
        switch answers[1].result {
        case .success(let rows):
            return (
                act,
                try decoding { () throws(DecodingFailure) in
                    try rows.rows.map { row throws(DecodingFailure) in (try row.text("id"), try row.integer("users")) }
                }
            )
        case .failure(let error): throw Failure(error)
        }
    }
}

extension ChangeRequest {
    /// Whether it makes a change that was not begun before.
    var begins: Bool { !isDryRun && resumes == nil }

    /// What it is about, when that is no user.
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
