internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import EmbeddedSQL
internal import Inquiries
internal import Ledger
internal import PQ

/// Finds the action, the arguments and the subjects of a change request in the app and the database.
struct ChangeResolver {
    private let inquiry: Inquiry

    init(_ inquiry: Inquiry) { self.inquiry = inquiry }

    func action(_ noun: String, _ verb: String) throws(Failure) -> App.Action {
        guard let action = inquiry.app.action(noun, verb) else {
            throw Failure(
                .usage, "the app \(inquiry.app.name) has no action `\(noun) \(verb)`",
                hint: "`usher help` lists the actions")
        }
        return action
    }

    /// The action of a request in this app; for the undo of a bulk change, also the batches, the latest first.
    func act(for request: ChangeRequest) throws(Failure) -> (act: RequestedAct, parts: [(id: String, done: Int)]?) {
        switch request.what {
        case .action(let noun, let verb):
            let action = try action(noun, verb)
            try require(bound: action.subject.unbound(action.statements), of: "\(noun) \(verb)")
            return (RequestedAct(action, arguments: request.values), nil)
        case .state(let name):
            guard let state = inquiry.app.states.first(where: { $0.name == name }) else {
                throw Failure(
                    .usage, "the app \(inquiry.app.name) has no test state \(name)",
                    hint: "choose one of: \(inquiry.app.states.map(\.name).joined(separator: ", "))")
            }
            try require(bound: state.subject.unbound(state.statements), of: "state force \(name)")
            return (RequestedAct(state), nil)
        case .setting(let name, let key, let column, let value):
            return (try setting(name, key: key, column: column, value: value), nil)
        case .undo(let operation): return try undo(of: operation)
        }
    }

    func bindings(for request: ChangeRequest) throws(Failure) -> [String: Binding] {
        guard case .action(let noun, let verb) = request.what else { return inquiry.bindings }
        return try inquiry.parameters(try action(noun, verb).parameters.all, values: request.values).merging(
            inquiry.bindings
        ) { _, own in own }
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
    func operation(calledBy text: String) throws(Failure) -> String {
        let found = try rows(of: ["undo_operation"], calledBy: text)
        return try failing(try found.one.text("id"))
    }

    /// The undo of the single operation whose id begins with the typed text; for a bulk change, also its batches.
    private func undo(of text: String) throws(Failure) -> (act: RequestedAct, parts: [(id: String, done: Int)]?) {
        let (row, others) = try rows(of: ["undo_operation", "bulk_batches"], calledBy: text)
        let (operation, isBulk, users, command, target, again) = try failing(
            (
                try row.text("id"), try row.boolean("is_bulk"), try row.texts("users"),
                try row.optionalText("command"), try row.optionalText("target"), try row.optionalText("again")
            ))
        func action(_ command: String?) -> App.Action? {
            inquiry.app.actions.first { "\($0.noun) \($0.verb)" == command }
        }
        let act = RequestedAct(
            origin: .undo(operation: operation), command: "audit undo", subject: users.isEmpty ? .nothing : .users,
            grade: .moderate, users: users,
            undone: [command, users.isEmpty ? target : nil].compactMap(\.self).joined(separator: " "),
            undoneSubject: action(command)?.subject, redoTakesTwo: action(again)?.approver != nil)
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
        let answers = try inquiry.read(questions, isLast: false)
        let found = try answers.map { answer throws(Failure) in try answer.result.rows() }
        return (try Audit.only(found[0], calledBy: text), Array(found.dropFirst()))
    }

    // MARK: Settings

    /// A change of one cell in an editable table.
    private func setting(_ name: String?, key: String, column: String, value: String) throws(Failure) -> RequestedAct {
        let settings = try inquiry.app.settings(name)
        guard let declaration = settings.columns.first(where: { $0.name == column }) else {
            throw Failure(
                .usage, "\(settings.name) has no column \(column) that operators can edit",
                hint: "the columns are: \(settings.columns.map(\.name).joined(separator: ", "))")
        }
        let value = try checked(value, for: declaration)
        try require(key, in: settings.table.quoted, Identifier(settings.key).quoted, of: settings)
        return RequestedAct(
            settings, column: column, of: key, to: value, as: name == nil ? "quota set" : "settings set")
    }

    /// The value to write, converted to the type of the column; nil for NULL.
    private func checked(_ value: String, for declaration: ParameterDeclaration) throws(Failure) -> String? {
        if value == "null", declaration.isOptional { return nil }
        try declaration.require(value)
        return try inquiry.typed([declaration.name: value], as: [declaration])[declaration.name]
    }

    /// Refuses a key that no row has; compares the key as the UPDATE does.
    private func require(
        _ key: String, in table: String, _ column: String, of settings: App.Settings
    ) throws(Failure) {
        let query = ComposedQuery(
            engine: """
                select t.\(column)::text, (t.\(column)::text = $1) is true as fits from \(table) t order by fits desc, 1 limit 20
                """, values: [key])
        let rows = try inquiry.read([query], isLast: false)[0].result.rows().rows
        if rows.first?.values[1].boolean == true { return }
        let known = rows.compactMap { $0.values[0].text }
        throw Failure(
            .notFound, "\(settings.name) has no row with the \(settings.key) \(key)",
            hint: "choose one of: \(known.joined(separator: ", "))")
    }

    // MARK: Subjects

    /// The subjects of a request, and unknown names with the reasons; throws if it finds no subject.
    func subjects(
        of act: RequestedAct, _ request: ChangeRequest
    ) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark]) {
        // usher also refuses an undo if row security hides users from the role.
        if act.undoes != nil {
            let users = try named(act.users.filter { !request.except.contains($0) })
            if act.subject == .users { try inquiry.requireWholeDirectory() }
            return (users, [])
        }
        if act.subject == .users, request.subjects.count > 1 { return try many(request.subjects) }
        var found: [ChangeSubject] = []
        var seen: Set<String> = []
        var strangers: [(SubjectRemark, Failure)] = []
        for text in request.subjects {
            do throws(Failure) {
                let subject = try self.subject(named: text, of: act.subject)
                if seen.insert(subject.key).inserted { found.append(subject) }
            } catch {
                guard error.kind == .notFound || error.kind == .conflict else { throw error }
                let stranger = ChangeSubject(key: text, label: text)
                strangers.append((SubjectRemark(error.message, about: stranger), error))
            }
        }
        if found.isEmpty, let (_, failure) = strangers.first { throw failure }
        return (found, strangers.map(\.0))
    }

    private func many(_ names: [String]) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark]) {
        var found: [ChangeSubject] = []
        var seen: Set<String> = []
        var strangers: [SubjectRemark] = []
        try inquiry.users(named: names) { name, users throws(Failure) in
            let users = users.isEmpty ? try pasted(name, among: names.count) : users
            if users.count == 1 {
                if seen.insert(users[0].key).inserted {
                    found.append(ChangeSubject(key: users[0].key, label: users[0].email ?? users[0].key))
                }
                return
            }
            strangers.append(
                SubjectRemark(
                    users.isEmpty ? "there is no user \(name)" : "\(users.count) users have the email \(name)",
                    about: ChangeSubject(key: name, label: name)))
        }
        guard !found.isEmpty || strangers.isEmpty else {
            throw Failure(
                .notFound, "none of the \(names.count) names belongs to exactly one user",
                details: strangers.prefix(10).map(\.sentence.plain))
        }
        return (found, strangers)
    }

    /// The users for a name that isn't an exact key or email; empty if there are more than 100 names to search for.
    private func pasted(_ name: String, among count: Int) throws(Failure) -> [(key: String, email: String?)] {
        guard count <= Self.mostPasted else { return [] }
        do throws(Failure) {
            let user = try inquiry.user(named: name)
            return [(user.key, user.emails(in: inquiry.app).first)]
        } catch {
            guard error.kind == .notFound || error.kind == .conflict else { throw error }
            inquiry.reopen()
            return []
        }
    }

    private static let mostPasted = 100

    /// The users with the given keys, including deleted users.
    private func named(_ keys: [String]) throws(Failure) -> [ChangeSubject] {
        let addresses = try inquiry.addresses(ofKeys: keys)
        return keys.map { ChangeSubject(key: $0, label: addresses[$0] ?? $0) }
    }

    private func subject(named text: String, of subject: App.Subject) throws(Failure) -> ChangeSubject {
        switch subject {
        case .users:
            let user = try inquiry.user(named: text)
            return ChangeSubject(key: user.key, label: user.label(in: inquiry.app))
        case .object(let noun):
            let lookup = try ObjectLookup(noun, in: inquiry)
            let row = try lookup.row(named: text)
            let key = row.shown(lookup.object.key)?.text ?? text
            // An operator knows a name better than a uuid, but recognizes any other key.
            let names = try inquiry.keyType(of: subject) == "uuid" ? lookup.object.search : []
            return ChangeSubject(key: key, label: names.lazy.compactMap { row.shown($0)?.text }.first ?? key)
        case .nothing:
            throw Failure(.usage, "this action doesn't change users or objects", hint: "remove the argument \(text)")
        }
    }

    func selected(_ names: [String], of subject: App.Subject, limit: Int) throws(Failure) -> [ChangeSubject] {
        switch subject {
        case .users: try inquiry.requireWholeDirectory()
        case .object(let noun): try inquiry.requireWhole(inquiry.app.objects.filter { $0.noun == noun }.map(\.select))
        case .nothing: break
        }
        let selections = inquiry.app.selections(names, of: subject)
        guard let query = inquiry.queries.selected(selections, of: subject, limit: limit) else { return [] }
        let found = try inquiry.read([query], isLast: false)[0].get().rows.compactMap { row in
            row.values[0].text.map { ChangeSubject(key: $0, label: row.values.dropFirst().first?.text ?? $0) }
        }
        // If the select returns two rows for a key, usher can't tell which row has the right facts.
        var seen: Set<String> = []
        if let twice = found.first(where: { !seen.insert($0.key).inserted }) {
            throw Failure(
                .refused, "the select of the app file returns the key \(twice.key) more than once",
                nothing: .changed, hint: "the select in the app file must return one row for each key")
        }
        return found
    }
}
