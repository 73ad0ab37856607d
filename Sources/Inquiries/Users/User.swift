internal import AppFile
package import Asking
internal import Catalog
package import PQ

/// A user of the app, found and unambiguous.
package struct User: Sendable {
    package let key: String
    /// The Postgres type of the key.
    package let keyType: String
    package let facts: Row

    /// Reads what a look-up or a search answers: key and type, a column of the engine's own, and the facts.
    init?(_ row: Row) {
        guard row.values.count >= 3, let key = row.values[0].text, let type = row.values[1].text else { return nil }
        self.key = key
        keyType = type
        facts = Row(columns: Array(row.columns.dropFirst(3)), values: Array(row.values.dropFirst(3)))
    }
}

extension Inquiry {
    /// What finding a user adds to the parameters of an app file.
    func bindings(for user: User) -> [String: Binding] {
        bindings(for: .known(user.key, type: user.keyType))
    }

    /// The same for a user who is about to be found.
    func bindings(for key: UserKey) -> [String: Binding] { bindings.merging(["user": key.binding]) { $1 } }

    /// Opens an inquiry and finds the one user that a text names.
    static func open(
        for text: String, on connection: Connection, candidates: [App], options: InquiryOptions,
        asking questions: (App) -> [ComposedQuery] = { _ in [] }
    ) throws(Failure) -> (inquiry: Inquiry, user: User, answers: ArraySlice<Answer>) {
        let inquiry = try open(on: connection, candidates: candidates, options: options, for: .users)
        let asked = questions(inquiry.app)
        let (user, answers) = try inquiry.user(named: text, isLast: false) { _ in asked }
        return (inquiry, user, answers)
    }

    /// The one user that a text names, by its key or by an address.
    package func user(named text: String) throws(Failure) -> User {
        try user(named: text, isLast: false) { _ in [] }.user
    }

    /// The one user that a text names, and what else is asked about that user, in one round trip where that can be.
    ///
    /// The likeliest way to look the text up goes together with the questions: they take the key from where it was put.
    func user(
        named text: String, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>) {
        for reading in PastedName.readings(of: text) {
            if let found = try exactly(reading, isLast: isLast, asking: questions) { return found }
        }
        let name = PastedName.plain(text)
        guard !name.isEmpty, let found = try only(try identified(name), of: name) else {
            throw Failure(InquiryRefusal.noUser(text))
        }
        guard let (user, answers) = try exactly(found.user, isLast: isLast, asking: questions) else {
            throw Failure(InquiryRefusal.goneUser(name, user: found.user))
        }
        options.identified?(name, found.through, line(user.key, user))
        return (user, answers)
    }

    /// The one user whom a text names by its key or an address, nil when there is none.
    private func exactly(
        _ text: String, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>)? {
        let users = try users()
        let ways = users.ways(for: text)
        var asked = questions(.found(type: users.keyType))
        // Statements that are shown should be such as can be run elsewhere.
        // Where tables lie on other servers, those do not know what is put here.
        if isTraced || isSpread || !users.isShort(ways[0]) { asked = [] }
        for way in ways {
            let query = users.resolution(of: text, by: way, bindings: bindings)
            reopen()
            let answers = try read([query] + asked, isLast: isLast && !asked.isEmpty, keepingFirst: !asked.isEmpty)
            try requireWholeDirectory()
            if let user = try user(named: text, in: answers[0]) {
                if !asked.isEmpty { return (user, answers.dropFirst()) }
                let rest = questions(.known(user.key, type: user.keyType))
                return (user, rest.isEmpty ? [] : try read(rest, isLast: isLast)[...])
            }
            asked = []
        }
        return nil
    }

    /// The users of some keys, in one round trip however many they are.
    func users(keyed keys: [String]) throws(Failure) -> [User] {
        guard !keys.isEmpty else { return [] }
        let users = try users()
        let answers = try read(
            keys.map { users.resolution(of: $0, by: users.ways(for: $0)[0], bindings: bindings) }, isLast: false)
        try requireWholeDirectory()
        var found: [User] = []
        for (key, answer) in zip(keys, answers) {
            if let user = try user(named: key, in: answer) {
                found.append(user)
            } else {
                found.append(try user(named: key))
            }
        }
        return found
    }

    /// The user in an answer, nil when there is none.
    private func user(named text: String, in answer: Answer) throws(Failure) -> User? {
        switch answer.reading {
        case .success(let rows):
            let users = rows.rows.compactMap(User.init)
            if users.count > 1 { throw ambiguity(text, users) }
            return users.first
        case .failure(let unreadable):
            // A text that the encoding of the database cannot hold is nobody's key.
            if unreadable.error?.state.category == "22" { return nil }
            throw try tooSlow(unreadable.failure, [.address])
        }
    }

    private func ambiguity(_ text: String, _ users: [User]) -> Failure {
        let shown = users.prefix(App.mostCandidates)
        let lines = shown.map { line($0.key, $0) }
        return Failure(InquiryRefusal.severalUsers(text, count: users.count, through: nil, first: lines))
    }

    // MARK: Many

    /// The users that many texts name, by text, with an address of each; who is not there is named by no key.
    package func users(named texts: [String]) throws(Failure) -> (matches: [String: [NamedUser]], keyType: String) {
        let users = try users()
        var matches: [String: [NamedUser]] = [:]
        for start in stride(from: 0, to: texts.count, by: Self.mostAtOnce) {
            let part = Array(texts[start..<min(start + Self.mostAtOnce, texts.count)])
            let query = users.resolution(ofMany: part, bindings: bindings)
            let answer = try read([query], isLast: false, preparing: [Self.withoutBitmaps])[0]
            try requireWholeDirectory()
            switch answer.reading {
            case .failure(let unreadable): throw try tooSlow(unreadable.failure, [.address])
            case .success(let rows):
                for row in rows.rows {
                    let (text, key) = try decoding((try row.text(at: 0), try row.text(at: 1)))
                    matches[text, default: []].append(NamedUser(key: key, address: row.values[3].text))
                }
            }
        }
        return (matches, users.keyType)
    }

    /// Keeps to indexes that hold texts in their order.
    ///
    /// One of their parts takes an equality too, at the price of a search, which Postgres expects to be cheap: a thousand
    /// names by such an index take longer than reading all users.
    private static let withoutBitmaps = ComposedQuery.plain(
        "select pg_catalog.set_config('enable_bitmapscan', 'off', true)")

    /// So many names are one question.
    private static let mostAtOnce = 50_000

    // MARK: What is missing

    /// A failure for want of time, with the indexes that are missing; any other as it is.
    func tooSlow(_ failure: Failure, _ purposes: [MissingIndex.Purpose]) throws(Failure) -> Failure {
        guard failure.state == .queryCanceled, let remedy = try users().remedy(purposes) else { return failure }
        return Failure(InquiryRefusal.withoutIndex(failure, remedy: remedy))
    }
}

/// A user as one of many who are named.
package struct NamedUser: Sendable, Hashable {
    package let key: String
    package let address: String?

    /// A user that was found by key, with an address where there is one.
    package init(key: String, address: String?) {
        self.key = key
        self.address = address
    }
}
