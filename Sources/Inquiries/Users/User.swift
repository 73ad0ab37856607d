package import AppFile
package import Asking
package import PQ

package struct User: Sendable {
    package let key: String
    package let keyType: String
    package let facts: Row

    /// Creates a user from a result row: the key, its type, an internal column, and the facts.
    init?(_ row: Row) {
        guard row.values.count >= 3, let key = row.values[0].text, let type = row.values[1].text else { return nil }
        self.key = key
        keyType = type
        facts = Row(columns: Array(row.columns.dropFirst(3)), values: Array(row.values.dropFirst(3)))
    }

    /// The user's emails, in the order of `@email`.
    package func emails(in app: App) -> [String] { app.users.emails.compactMap { facts.shown($0)?.text } }

    /// The user's first email, or the key if the user has none.
    package func label(in app: App) -> String { emails(in: app).first ?? key }
}

extension Inquiry {
    func bindings(for user: User) -> [String: Binding] {
        bindings(for: .known(user.key, type: user.keyType))
    }

    /// The values for a statement about a user; an earlier statement may look up the user's key.
    func bindings(for key: UserKey) -> [String: Binding] { bindings.merging(["user": key.binding]) { $1 } }

    package func user(named text: String) throws(Failure) -> User {
        try user(named: text, isLast: false) { _ in [] }.user
    }

    /// Finds the user with a typed name, and runs other queries, in one round trip if possible.
    ///
    /// The most likely lookup runs together with the other queries, which read the user's key from a transaction
    /// setting. If this lookup finds no user, one round trip searches for all exact matches, and another round trip
    /// searches for prefixes of ids.
    func user(
        named text: String, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>) {
        let users = try users()
        var ways = PastedName.readings(of: text).flatMap { reading in users.ways(for: reading).map { (reading, $0) } }
        if let (reading, way) = ways.first, way == .key || reading.contains("@") {
            ways.removeFirst()
            let found = try user(named: reading, by: way, isLast: isLast, asking: questions)
            if let found { return found }
        }
        let name = PastedName.plain(text)
        reopen()
        var search = try UserSearch(self, name, limit: App.mostCandidates)
        let names = search.names(ways)
        let values = name.isEmpty ? [] : search.values
        var hits = try search.hits(of: names + values + (name.isEmpty ? [] : search.objects(.exact)))
        if let user = try only(hits.filter { $0.through == nil }, of: text)?.user {
            return (user, try asked(questions, about: user, isLast: isLast))
        }
        if name.isEmpty { throw Failure(noUser: text) }
        // A prefix of an id can name a user; a prefix of an email can't.
        if hits.isEmpty, name.utf8.count >= Self.leastOfKey, !name.contains("@") {
            hits = try search.hits(of: search.keys + search.objects(.beginning))
        }
        guard let found = try only(hits, of: name) else {
            throw try missing(text, name, &search, looked: values.compactMap(\.column))
        }
        let way = users.ways(for: found.key)[0]
        guard let owner = try user(named: found.key, by: way, isLast: isLast, asking: questions) else {
            throw Failure(.notFound, "\(name) belongs to the user \(found.key), who no longer exists")
        }
        guard let through = found.through else { return owner }
        if options.isExact {
            throw Failure(
                .notFound, "\(name) is not an id or email of a user",
                hint: "\(name) belongs to \(line(owner.user.key, owner.user)), by \(through.words); "
                    + "use the id or the email of the account")
        }
        options.identified?(name, through.kind, line(owner.user.key, owner.user))
        return owner
    }

    /// The minimum length of a prefix of an id that can name a user.
    static let leastOfKey = 8

    private func missing(
        _ text: String, _ name: String, _ search: inout UserSearch, looked: [String]
    ) throws(Failure) -> Failure {
        if let (_, reason) = search.late.first { return reason }
        let things = try search.things(of: search.objects(.exact, .ownerless))
        if !things.isEmpty {
            let commands = things.prefix(3).map { "`usher \($0.showCommand)`" }
            return Failure(
                .notFound, Identification.ofNobody(things), hint: "see " + commands.joined(separator: ", "))
        }
        let users = try users()
        return Failure(
            noUser: text, near: try addresses(near: name),
            unsearched: users.isWhole(name) ? [] : users.uncalled(by: looked), elsewhere: app.elsewhere(for: name))
    }

    /// The only user among the found users; if there are several, throws an error that lists how usher found each user.
    private func only(_ hits: [UserSearch.Hit], of text: String) throws(Failure) -> UserSearch.Hit? {
        var keys: Set<String> = []
        let firsts = hits.filter { keys.insert($0.key).inserted }
        guard let first = firsts.first, firsts.count > 1 else { return firsts.first }
        let shown = firsts.prefix(App.mostCandidates)
        // For a deleted user, the list contains only the key.
        let owners = (try? users(keyed: shown.filter { $0.user == nil }.map(\.key))) ?? []
        let lines = shown.map { hit in
            line(hit.key, hit.user ?? owners.first { $0.key == hit.key }) + (hit.through.map { "  " + $0.words } ?? "")
        }
        throw Failure(
            .conflict,
            first.through.map { "\(text) belongs to \(App.candidates(keys.count)) users, by \($0.words)" }
                ?? "\(App.candidates(keys.count)) users have the email \(text)",
            hint: "name one of these users by id", details: lines)
    }

    /// The line for one of several users: the key, and the columns that a table of users shows.
    func line(_ key: String, _ user: User?) -> String {
        let names = app.users.columns.isEmpty ? app.users.emails : app.users.columns
        let shown = names.compactMap { user?.facts.shown($0)?.text }
        return ([key] + shown).joined(separator: "  ")
    }

    /// Looks up a user by key or by email, and runs other queries; nil if there is no such user.
    private func user(
        named text: String, by way: Directory.Way, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>)? {
        let users = try users()
        var asked = questions(.found(type: users.keyType))
        // With `--show-sql`, operators copy a statement and run it alone. With Citus, other servers lack the setting
        // with the key.
        if options.trace != nil || isSpread { asked = [] }
        reopen()
        let answers = try read(
            [users.directory.resolution(of: text, by: way)] + asked, isLast: isLast && !asked.isEmpty,
            keepingFirst: !asked.isEmpty)
        try requireWholeDirectory()
        guard let user = try user(named: text, in: answers[0]) else { return nil }
        return (user, asked.isEmpty ? try self.asked(questions, about: user, isLast: isLast) : answers.dropFirst())
    }

    private func asked(
        _ questions: (UserKey) -> [ComposedQuery], about user: User, isLast: Bool
    ) throws(Failure) -> ArraySlice<Answer> {
        let queries = questions(.known(user.key, type: user.keyType))
        return queries.isEmpty ? [] : try read(queries, isLast: isLast)[...]
    }

    /// The users with some keys, in one round trip for any number of keys.
    func users(keyed keys: [String], isLast: Bool = false) throws(Failure) -> [User] {
        guard !keys.isEmpty else { return [] }
        let users = try users()
        reopen()
        let answers = try read(
            keys.map { users.directory.resolution(of: $0, by: users.ways(for: $0)[0]) }, isLast: isLast)
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

    /// The only user in a result; nil if there is no user; throws if there are several users.
    private func user(named text: String, in answer: Answer) throws(Failure) -> User? {
        switch answer.reading {
        case .success(let rows):
            let users = rows.rows.compactMap(User.init)
            try requireOnce(users.map(\.key))
            return try only(users.map { .init(key: $0.key, way: .address, through: nil, user: $0) }, of: text)?.user
        case .failure(let failure):
            // A text with characters outside the database's encoding can't be a key. An error about invalid bytes is
            // not about the text.
            if let state = failure.state, state.category == "22", state != .characterNotInRepertoire {
                return nil
            }
            throw failure
        }
    }

    package func mayBeKey(_ text: String) throws(Failure) -> Bool { KeyText.fits(text, try users().keyType) ?? true }

    // MARK: Many users

    /// Finds the users for many texts, in the order of the texts; a text without a user gets an empty list.
    package func users(
        named texts: [String], each receive: (String, [(key: String, email: String?)]) throws(Failure) -> Void
    ) throws(Failure) {
        let users = try users()
        for start in stride(from: 0, to: texts.count, by: Self.mostAtOnce) {
            let part = texts[start..<min(start + Self.mostAtOnce, texts.count)]
            var query = users.resolution(ofMany: Array(part))
            query.setting = Self.withoutBitmaps
            let answer = try read([query], isLast: false)[0]
            try requireWholeDirectory()
            var matches: [String: [(key: String, email: String?)]] = [:]
            for row in try answer.get().rows {
                let (text, key) = try failing((try row.text(at: 0), try row.text(at: 1)))
                matches[text, default: []].append((key, row.values[3].text))
            }
            for text in part { try receive(text, matches[text] ?? []) }
        }
    }

    /// Turns bitmap scans off.
    ///
    /// Postgres would underestimate the cost of a trigram index for equality. A search for a thousand names
    /// would then take longer than a full scan.
    private static let withoutBitmaps = "select pg_catalog.set_config('enable_bitmapscan', 'off', true)"

    /// The number of names per query: large enough for few round trips, and small enough for memory.
    private static let mostAtOnce = 5_000
}
