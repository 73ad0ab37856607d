package import Acts
internal import AppFile
package import Asking
internal import Catalog
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
        let resolver = ChangeResolver(inquiry)
        let (found, strangers) =
            request.selections.isEmpty
            ? try resolver.subjects(of: act, request)
            : (try resolver.selected(request.selections, of: act.subject, limit: limits.atOnce + 1), [])
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
            inquiry.leaveOpen()
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
        let (keyType, bindings) = (try inquiry.keyType(of: act.subject), try resolver.bindings(for: request))
        inquiry.leaveOpen()
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
        let resolver = ChangeResolver(inquiry)
        try inquiry.requireWritable()
        if case .action(let noun, let verb) = request.what {
            request.values = try inquiry.typed(request.values, as: try resolver.action(noun, verb).parameters.all)
        }
        request.resumes = try request.resumes.map { text throws(Failure) in try resolver.operation(calledBy: text) }
        request.except = try request.except.map { text throws(Failure) in try inquiry.user(named: text).key }
        let (act, parts) = try resolver.act(for: request)
        try request.keepExceptions(of: act, inBatches: parts != nil)
        if case .undo(let operation) = act.origin { request.what = .undo(operation: operation) }
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
