internal import Acts
internal import AppFile
internal import Asking
internal import Inquiries
internal import PQ

extension Inquiry {
    /// The subjects of a request, and unknown names with the reasons; throws if it finds no subject.
    func subjects(
        of act: RequestedAct, _ request: ChangeRequest
    ) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark]) {
        // usher also refuses an undo if row security hides users from the role.
        if act.undoes != nil {
            let users = try named(act.users.filter { !request.except.contains($0) })
            if act.subject == .users { try requireWholeDirectory() }
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

    private func many(
        _ names: [String]
    ) throws(Failure) -> (found: [ChangeSubject], strangers: [SubjectRemark]) {
        var found: [ChangeSubject] = []
        var seen: Set<String> = []
        var strangers: [SubjectRemark] = []
        try users(named: names) { name, users throws(Failure) in
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
            let user = try user(named: name)
            return [(user.key, user.emails(in: app).first)]
        } catch {
            guard error.kind == .notFound || error.kind == .conflict else { throw error }
            return []
        }
    }

    private static let mostPasted = 100

    /// The users with the given keys, including deleted users.
    private func named(_ keys: [String]) throws(Failure) -> [ChangeSubject] {
        let addresses = try addresses(ofKeys: keys)
        return keys.map { ChangeSubject(key: $0, label: addresses[$0] ?? $0) }
    }

    private func subject(named text: String, of subject: App.Subject) throws(Failure) -> ChangeSubject {
        switch subject {
        case .users:
            let user = try self.user(named: text)
            return ChangeSubject(key: user.key, label: user.label(in: app))
        case .object(let noun):
            let object = try kind(noun)
            let row = try self.object(object, named: text, isLast: false)
            let key = row.shown(object.key)?.text ?? text
            // An operator knows a name better than a uuid, but recognizes any other key.
            let names = try keyType(of: subject) == "uuid" ? object.search : []
            return ChangeSubject(key: key, label: names.lazy.compactMap { row.shown($0)?.text }.first ?? key)
        case .nothing:
            throw Failure(.usage, "this action doesn't change users or objects", hint: "remove the argument \(text)")
        }
    }

    func selected(
        _ names: [String], of subject: App.Subject, limit: Int
    ) throws(Failure) -> [ChangeSubject] {
        switch subject {
        case .users: try requireWholeDirectory()
        case .object(let noun): try requireWhole(app.objects.filter { $0.noun == noun }.map(\.select))
        case .nothing: break
        }
        let selections = app.selections(names, of: subject)
        guard let query = app.queries(bindings).selected(selections, of: subject, limit: limit) else { return [] }
        let found = try read([query], isLast: false)[0].get().rows.compactMap { row in
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
