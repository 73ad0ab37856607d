package import AppFile
internal import Catalog
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
        limits: ChangeLimits = ChangeLimits(), reconnect: @escaping () throws(Failure) -> Connection
    ) throws(Failure) -> OpenedChange {
        var request = request
        if case .undo(let text) = request.what {
            request.what = .undo(operation: try Audit.operation(text, on: connection, options: options).id)
        }
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        try inquiry.requireWritable(isDryRun: request.isDryRun)
        if let parts = try inquiry.parts(of: request) {
            if !request.isDryRun { try inquiry.environment.requireReason(request.reason != nil) }
            return .bulk(try inquiry.bulkUndo(of: parts, request, on: connection, options, reconnect))
        }
        if case .action(let noun, let verb) = request.what {
            request.values = try inquiry.typed(
                request.values, as: try inquiry.action(noun, verb).parameters.all)
        }
        let works = try inquiry.works(for: request)
        let scribe = ChangeScribe(
            request: request, work: works[0], app: inquiry.app.name, environment: inquiry.environment)
        let (subjects, strangers, keyType) = try inquiry.subjects(of: works[0], request)
        let userType = try inquiry.keyType(of: .users)
        let digest = BulkSource.digest(of: request, works[0], subjects)
        // A selection may have few left by now, of the many that it began with.
        let isMany = subjects.count > BulkPace.least || !request.selections.isEmpty
        if isMany, request.begins { try inquiry.requireNoneUnfinished(digest) }
        // No reason makes a test state possible in production, so none is asked for.
        if !request.isDryRun, !works[0].isForced {
            try scribe.recording(on: connection, subjects) { () throws(Failure) in
                try scribe.environment.requireReason(request.reason != nil)
            }
        }
        let setting = ChangeSetting(
            app: inquiry.app, work: works[0], subjects: subjects, keyType: keyType ?? userType, userType: userType,
            connection: connection, options: options, hasReason: request.reason != nil)
        let runner = ChangeRunner(setting: setting, alternatives: Array(works.dropFirst()), reconnect: reconnect)
        guard subjects.count > BulkPace.least || request.resumes != nil else {
            try inquiry.close()
            return .one(ChangeSession(runner, scribe, strangers: strangers, limits: limits))
        }
        let source = try inquiry.source(of: request, works[0], subjects, digest)
        try inquiry.close()
        return .bulk(BulkSession(runner, scribe, source: source, strangers: strangers))
    }
}

extension Environment {
    /// In production somebody has to say why.
    func requireReason(_ isGiven: Bool, for what: String = "a change") throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(
            .refused, "\(what) in production needs a reason" + (doubt.map { ", and here \($0)" } ?? ""),
            want: .reason, hint: "add --reason TEXT, and --ticket ID if there is one")
    }
}

extension Inquiry {
    /// Refuses where nothing could be changed, or could not be recorded.
    fileprivate func requireWritable(isDryRun: Bool) throws(Failure) {
        let answers = try look([ReadOnlySession.question] + (isDryRun ? [] : [Ledger.question]))
        try ReadOnlySession.requireNone(answers[0])
        if !isDryRun { try Ledger.requireWritable(answers[1]) }
    }

    fileprivate func action(_ noun: String, _ verb: String) throws(Failure) -> App.Action {
        guard let action = app.actions.first(where: { $0.noun == noun && $0.verb == verb }) else {
            throw Failure(.usage, "\(app.name) has no \(noun) \(verb)")
        }
        return action
    }

    /// What a request comes to in this app; the first way to do it that works is the one.
    fileprivate func works(for request: ChangeRequest) throws(Failure) -> [ChangeWork] {
        switch request.what {
        case .action(let noun, let verb):
            let action = try action(noun, verb)
            try require(bound: action.unbound, of: "\(noun) \(verb)")
            return [
                ChangeWork(
                    action, of: app, writing: try relations(writtenBy: action.statements),
                    parameters: parameters(action.parameters.all, values: request.values))
            ]
        case .state(let name):
            guard let state = app.states.first(where: { $0.name == name }) else {
                throw Failure(
                    .usage, "\(app.name) has no test state \(name)",
                    hint: "one of \(app.states.map(\.name).joined(separator: ", "))")
            }
            try require(bound: state.unbound, of: "state force \(name)")
            return [ChangeWork(state, of: app, writing: try relations(writtenBy: state.statements))]
        case .setting(let name, let key, let column, let value):
            return [try setting(name, key: key, column: column, value: value)]
        case .undo(let operation):
            let undo = try undo(of: operation)
            return Undo.orders.map(undo.work)
        }
    }

    /// Refuses a change that nothing keeps to its subjects.
    private func require(bound unbound: [Diagnostic], of command: String) throws(Failure) {
        if unbound.isEmpty { return }
        throw Failure(
            .refused, "`\(command)` would not keep to its subjects", nothing: .changed,
            details: unbound.flatMap(\.report))
    }

    /// What the relations are that statements write.
    private func relations(writtenBy statements: [App.Statement]) throws(Failure) -> WrittenRelations {
        let rows = try ask([WrittenRelations.query(of: statements.compactMap(\.sql.target?.relation))])[0]
        return try decoding(WrittenRelations(rows))
    }

    /// The Postgres type of the keys of a kind of subject.
    func keyType(of subject: App.Subject) throws(Failure) -> String {
        guard let query = app.keyType(of: subject, bindings: bindings) else { return "text" }
        switch try read([query], isLast: false)[0].reading {
        case .success(let rows): return rows.first?.values.first?.text ?? "text"
        case .failure(let unreadable): throw unreadable.failure
        }
    }

    /// Who or what a request is about; names that lead nowhere come back with the reason, unless it is the only one.
    fileprivate func subjects(
        of work: ChangeWork, _ request: ChangeRequest
    ) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark], type: String?) {
        if !request.selections.isEmpty {
            switch work.subject {
            case .users: try requireWholeDirectory()
            case .object(let noun): try requireWhole(app.objects.filter { $0.noun == noun }.map(\.select))
            case .nothing: break
            }
            let (found, type) = try selected(request.selections, of: work.subject)
            return (found, [], type)
        }
        if work.subject == .users { try requireWholeDirectory() }
        if work.undoes != nil { return (named(work.users), [], nil) }
        if work.subject == .users, request.subjects.count > 1 { return try many(request.subjects) }
        var found: [ChangeSubject] = []
        var seen: Set<String> = []
        var strangers: [(SubjectRemark, Failure)] = []
        var type: String?
        for text in request.subjects {
            do throws(Failure) {
                let (subject, keyType) = try self.subject(named: text, of: work.subject)
                type = keyType
                if seen.insert(subject.key).inserted { found.append(subject) }
            } catch {
                guard error.kind == .notFound || error.kind == .conflict else { throw error }
                let stranger = ChangeSubject(key: text, label: text)
                strangers.append(
                    (SubjectRemark(subject: stranger, sentence: FilledSentence(text: error.message)), error))
            }
        }
        if found.isEmpty, let (_, failure) = strangers.first { throw failure }
        return (found, strangers.map(\.0), type)
    }

    private func many(
        _ names: [String]
    ) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark], type: String?) {
        let (matches, type) = try users(named: names)
        var found: [ChangeSubject] = []
        var seen: Set<String> = []
        var strangers: [SubjectRemark] = []
        for name in names {
            let users = matches[name] ?? []
            if users.count == 1 {
                if seen.insert(users[0].key).inserted {
                    found.append(ChangeSubject(key: users[0].key, label: users[0].address ?? users[0].key))
                }
                continue
            }
            let reason = users.isEmpty ? "there is no user \(name)" : "\(users.count) users have the address \(name)"
            strangers.append(
                SubjectRemark(subject: ChangeSubject(key: name, label: name), sentence: FilledSentence(text: reason)))
        }
        guard !found.isEmpty || strangers.isEmpty else {
            throw Failure(
                .notFound, "none of \(names.count) names is a user's",
                details: strangers.prefix(10).map(\.sentence.plain))
        }
        return (found, strangers, type)
    }

    /// Users by their keys, also those who are gone.
    private func named(_ keys: [String]) -> [ChangeSubject] {
        keys.map { key in
            let facts = keys.count > 20 ? nil : try? user(named: key).facts
            let address = app.users.emails.lazy.compactMap { facts?.shown($0)?.text }.first
            return ChangeSubject(key: key, label: address ?? key)
        }
    }

    private func subject(
        named text: String, of subject: App.Subject
    ) throws(Failure) -> (subject: ChangeSubject, type: String) {
        switch subject {
        case .users:
            let user = try self.user(named: text)
            let address = app.users.emails.lazy.compactMap { user.facts.shown($0)?.text }.first
            return (ChangeSubject(key: user.key, label: address ?? user.key), user.keyType)
        case .object(let noun):
            guard let object = app.objects.first(where: { $0.noun == noun }) else {
                throw Failure(.usage, "\(app.name) knows no \(noun)")
            }
            let answer = try read([app.resolution(ofObject: object, key: text, bindings: bindings)], isLast: false)[0]
            switch answer.reading {
            case .success(let rows):
                if let row = rows.first, let key = row.values[0].text {
                    return (ChangeSubject(key: key, label: key), row.values[1].text ?? "text")
                }
            case .failure(let unreadable):
                if unreadable.error.state.category != "22" { throw unreadable.failure }
            }
            throw Failure(.notFound, "there is no \(noun) \(text)", hint: "`usher \(noun) list` lists them")
        case .nothing: throw Failure(.usage, "this takes no \(text)")
        }
    }

    private func selected(
        _ names: [String], of subject: App.Subject
    ) throws(Failure) -> (found: [ChangeSubject], type: String?) {
        let selections = app.selections(of: subject).filter { names.contains($0.name) }
        guard
            let query = app.selected(
                selections, of: subject, after: nil, limit: BulkPace.least + 1, withAddress: true, bindings: bindings)
        else { return ([], nil) }
        switch try read([query], isLast: false)[0].reading {
        case .success(let rows):
            let found = rows.rows.compactMap { row in
                row.values[0].text.map { ChangeSubject(key: $0, label: row.values.dropFirst(3).first?.text ?? $0) }
            }
            return (found, rows.first?.values[1].text)
        case .failure(let unreadable): throw unreadable.failure
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
