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
    /// Else all ways go together, with whatever else costs as little. What belongs to users is asked for last.
    func user(
        named text: String, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>) {
        let users = try users()
        var ways = PastedName.readings(of: text).flatMap { reading in users.ways(for: reading).map { (reading, $0) } }
        if let (reading, way) = ways.first, users.isLikely(way, for: reading) {
            ways.removeFirst()
            let found = try user(named: reading, by: way, isLast: isLast, asking: questions)
            if let found { return found }
        }
        let name = PastedName.plain(text)
        let callings = name.isEmpty ? [] : try callings(name)
        let belongings = self.belongings
        reopen()
        let answers = try read(
            ways.map { users.resolution(of: $0, by: $1, bindings: bindings) } + callings.map(\.query)
                + (name.isEmpty ? [] : belongings.questions), isLast: false)
        try requireWholeDirectory()
        for ((reading, _), answer) in zip(ways, answers) {
            guard let user = try user(named: reading, in: answer) else { continue }
            return (user, try asked(questions, about: user, isLast: isLast))
        }
        if name.isEmpty { throw Failure(InquiryRefusal.noUser(text, near: [], unsearched: [])) }
        let rest = answers.dropFirst(ways.count)
        var heard = Array(rest)
        func hear(_ questions: [ComposedQuery]) throws(Failure) -> ArraySlice<Answer> {
            if questions.isEmpty { return [] }
            let answers = try read(questions, isLast: false)
            heard += answers
            return answers[...]
        }
        let types = belongings.types(rest.dropFirst(callings.count), in: self)
        var identified = called(callings.map(\.column), rest.prefix(callings.count))
        var identifiers = belongings.identifiers(of: name, types, in: self)
        // Whoever is called so does not wait for great tables.
        if !identified.isEmpty { identifiers = try identifiers.quick(App.mostCandidates + 1, in: self) }
        identified += identifiers.found(try hear(identifiers.questions(App.mostCandidates + 1, in: self)))
        // Nobody is called so, and it may be how something begins, be it a user's key.
        let isBegun = identified.allSatisfy { $0.through.noun == nil && $0.through.column == app.users.key }
        if isBegun, name.utf8.count >= Self.leastOfKey {
            let begun = try belongings.identifiers(beginning: name, types, in: self).quick(
                App.mostCandidates + 1, in: self)
            identified += begun.found(try hear(begun.questions(App.mostCandidates + 1, in: self)))
        }
        guard let found = try only(identified, of: name) else {
            try requireInTime(heard)
            let things = try untied(name, types)
            if !things.isEmpty { throw Failure(InquiryRefusal.untied(things)) }
            if options.isExact, !name.contains("@"), try !mayBeKey(name) {
                throw Failure(InquiryRefusal.noKey(name, type: users.keyType))
            }
            throw Failure(
                InquiryRefusal.noUser(
                    text, near: try addresses(near: name),
                    unsearched: users.isWhole(name) ? [] : users.uncalled(by: callings.map(\.column))))
        }
        let way = users.ways(for: found.user)[0]
        let owner = try user(named: found.user, by: way, isLast: isLast, asking: questions)
        guard let owner else { throw Failure(InquiryRefusal.goneUser(name, user: found.user)) }
        if options.isExact {
            throw Failure(InquiryRefusal.inexact(name, found.through, user: line(owner.user.key, owner.user)))
        }
        options.identified?(name, found.through, line(owner.user.key, owner.user))
        return owner
    }

    /// The one user whom a text names in one way, nil when there is none, with what is asked about that user.
    private func user(
        named text: String, by way: UserDirectory.Way, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>)? {
        let users = try users()
        var asked = questions(.found(type: users.keyType))
        // Statements that are shown should be such as can be run elsewhere.
        // Where tables lie on other servers, those do not know what is put here.
        if isTraced || isSpread || !users.isShort(way) { asked = [] }
        reopen()
        let answers = try read(
            [users.resolution(of: text, by: way, bindings: bindings)] + asked, isLast: isLast && !asked.isEmpty,
            keepingFirst: !asked.isEmpty)
        try requireWholeDirectory()
        guard let user = try user(named: text, in: answers[0]) else { return nil }
        return (user, asked.isEmpty ? try self.asked(questions, about: user, isLast: isLast) : answers.dropFirst())
    }

    /// What is asked about a user who is known.
    private func asked(
        _ questions: (UserKey) -> [ComposedQuery], about user: User, isLast: Bool
    ) throws(Failure) -> ArraySlice<Answer> {
        let queries = questions(.known(user.key, type: user.keyType))
        return queries.isEmpty ? [] : try read(queries, isLast: isLast)[...]
    }

    /// The users of some keys, in one round trip however many they are.
    func users(keyed keys: [String], isLast: Bool = false) throws(Failure) -> [User] {
        guard !keys.isEmpty else { return [] }
        let users = try users()
        reopen()
        let answers = try read(
            keys.map { users.resolution(of: $0, by: users.ways(for: $0)[0], bindings: bindings) }, isLast: isLast)
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
            // A text that the encoding of the database cannot hold is nobody's key; bytes that are no text are in the row.
            if let state = unreadable.error?.state, state.category == "22", state != .characterNotInRepertoire {
                return nil
            }
            throw tooSlow(unreadable, without: try indexesOfAddresses())
        }
    }

    private func ambiguity(_ text: String, _ users: [User]) -> Failure {
        let isOne = users.allSatisfy { $0.key == users[0].key }
        if isOne { return Failure(InquiryRefusal.repeatedUser(users[0].key)) }
        let shown = users.prefix(App.mostCandidates)
        let lines = shown.map { line($0.key, $0) }
        return Failure(InquiryRefusal.severalUsers(text, count: users.count, through: nil, first: lines))
    }

    /// Whether a text could be the key of somebody.
    package func mayBeKey(_ text: String) throws(Failure) -> Bool { KeyText.fits(text, try users().keyType) ?? true }

    // MARK: Many

    /// Hands on each of many texts, in their order, with whom it names; who is not there is named by no key.
    package func users(
        named texts: [String], each receive: (String, [NamedUser]) throws(Failure) -> Void
    ) throws(Failure) {
        let users = try users()
        for start in stride(from: 0, to: texts.count, by: Self.mostAtOnce) {
            let part = texts[start..<min(start + Self.mostAtOnce, texts.count)]
            let query = users.resolution(ofMany: Array(part), bindings: bindings)
            let answer = try read([query], isLast: false, preparing: [Self.withoutBitmaps])[0]
            try requireWholeDirectory()
            var matches: [String: [NamedUser]] = [:]
            switch answer.reading {
            case .failure(let unreadable): throw tooSlow(unreadable, without: try indexesOfAddresses())
            case .success(let rows):
                for row in rows.rows {
                    let (text, key) = try decoding((try row.text(at: 0), try row.text(at: 1)))
                    matches[text, default: []].append(NamedUser(key: key, address: row.values[3].text))
                }
            }
            for text in part { try receive(text, matches[text] ?? []) }
        }
    }

    /// Keeps to indexes that hold texts in their order.
    ///
    /// One of their parts takes an equality too, at the price of a search, which Postgres expects to be cheap: a thousand
    /// names by such an index take longer than reading all users.
    private static let withoutBitmaps = ComposedQuery.plain(
        "select pg_catalog.set_config('enable_bitmapscan', 'off', true)")

    /// So many names are one question: what a question costs by itself is little beside them, and so is the memory they take.
    private static let mostAtOnce = 5_000
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
