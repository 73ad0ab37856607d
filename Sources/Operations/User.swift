internal import AppFile
package import PQ

/// A user of the app, found and unambiguous.
package struct User: Sendable {
    package let key: String
    /// The Postgres type of the key.
    package let keyType: String
    package let facts: Row

    init?(_ row: Row) {
        guard row.values.count >= 2, let key = row.values[0].text, let type = row.values[1].text else { return nil }
        self.key = key
        keyType = type
        facts = Row(columns: Array(row.columns.dropFirst(2)), values: Array(row.values.dropFirst(2)))
    }
}

extension Inquiry {
    /// What finding a user adds to the parameters of an app file.
    func bindings(for user: User) -> [String: Binding] {
        bindings.merging(["user": Binding(user.key, type: user.keyType)]) { $1 }
    }

    /// Opens an inquiry and finds the one user that a text names, mostly in one round trip.
    ///
    /// The questions are what else to ask of each candidate in the same round trip.
    static func open(
        for text: String, on connection: Connection, candidates: [App], options: InquiryOptions,
        asking questions: (App) -> [ComposedQuery] = { _ in [] }
    ) throws(Failure) -> (inquiry: Inquiry, user: User, answers: ArraySlice<Answer>) {
        let bindings = options.at.map { ["now": Binding($0, type: "timestamptz")] } ?? [:]
        let ways: [App.ResolutionWay] = text.contains("@") ? [.address, .key] : [.key, .address]
        let (inquiry, answers) = try open(on: connection, candidates: candidates, options: options) { app in
            [app.resolution(of: text, by: ways[0], bindings: bindings)] + questions(app)
        }
        try inquiry.requireWholeDirectory()
        if let user = try inquiry.user(named: text, in: answers[0]) { return (inquiry, user, answers.dropFirst()) }
        let user = try inquiry.user(named: text, by: [ways[1]])
        return (inquiry, user, answers.dropFirst())
    }

    /// The one user that a text names, by its key or by an address.
    func user(named text: String) throws(Failure) -> User {
        try user(named: text, by: text.contains("@") ? [.address, .key] : [.key, .address])
    }

    private func user(named text: String, by ways: [App.ResolutionWay]) throws(Failure) -> User {
        for way in ways {
            let answer = try read([app.resolution(of: text, by: way, bindings: bindings)], isLast: false)[0]
            if let user = try user(named: text, in: answer) { return user }
        }
        throw Failure(
            .notFound, "there is no user \(text)", hint: "the match is exact; `usher user find` searches for parts")
    }

    /// The user in an answer, nil when there is none.
    private func user(named text: String, in answer: Answer) throws(Failure) -> User? {
        switch answer.reading {
        case .success(let rows):
            let users = rows.rows.compactMap(User.init)
            if users.count > 1 { throw ambiguity(text, users) }
            return users.first
        case .failure(let unreadable):
            // A text that the key's type cannot hold is nobody's key.
            if unreadable.error.state.category == "22" { return nil }
            throw unreadable.failure
        }
    }

    private func ambiguity(_ text: String, _ users: [User]) -> Failure {
        let shown = users.prefix(App.mostCandidates)
        let lines = shown.map { user in
            let addresses = app.users.emails.compactMap { user.facts.shown($0)?.text }
            return ([user.key] + addresses).joined(separator: "  ")
        }
        let count = users.count > shown.count ? "more than \(shown.count)" : "\(users.count)"
        return Failure(.conflict, "\(count) users have the address \(text)", hint: "name one by its id", details: lines)
    }
}
