package import AppFile
package import Asking
internal import Catalog
package import PQ

/// Searches for users in stages: exact matches, names in a pasted text, prefixes, any part of a text, and words in any
/// order.
///
/// Each stage is one round trip, and the first stage with a match ends the search. Every command that names a user runs
/// the first stage. Only `user find` uses inexact matches. Other commands accept a prefix of an id with at least eight
/// characters.
package struct UserSearch {
    private let inquiry: Inquiry
    private var directory: UserDirectory
    private var text: String
    private let limit: Int
    /// True if the search may scan large tables.
    private var readsAll = false
    /// The columns whose search ran out of time, each with the error.
    private var late: [(name: String, reason: Failure)] = []
    /// The columns of large tables that usher doesn't search, because they have no index.
    private var unsearched: [String] = []
    private var searched: [String] = []
    private var columns: [Column] = []

    private init(_ inquiry: Inquiry, _ text: String, limit: Int) throws(Failure) {
        self.inquiry = inquiry
        self.text = text
        self.limit = limit
        directory = try inquiry.users()
    }

    /// A query that searches one column, or all columns of the users.
    private struct Question {
        let way: FoundUsers.Way
        let query: ComposedQuery
        /// The column of the users that the query searches; nil for keys, emails, or all columns.
        var column: String?
        /// The column of objects that the query searches; nil for a search of users.
        var identifier: App.Identifier?
    }

    /// A user whom a query found.
    private struct Hit {
        let key: String
        let way: FoundUsers.Way
        /// The column that contains the text; nil if the text is a key or an email.
        let through: Identification?
        /// The user, if the found row is the user's own row.
        let user: User?
        /// True if there were more candidates than the query checked.
        var isCut = false
    }

    // MARK: Queries

    /// The queries for users whose key or email is the text.
    private func names(_ readings: [(text: String, way: Directory.Way)]) -> [Question] {
        readings.map { reading in
            Question(
                way: reading.way == .key || reading.way == .keyText ? .id : .address,
                query: directory.directory.resolution(of: reading.text, by: reading.way, limit: limit + 1))
        }
    }

    /// The queries for users who have exactly the text in a search column.
    private var values: [Question] {
        directory.callings(text, limit: limit + 1).map { column, query in
            Question(way: .prefix, query: query, column: column)
        }
    }

    /// The query for users whose key begins with the text; empty if such keys are not contiguous.
    private var keys: [Question] {
        let type = directory.keyType
        guard let range = KeyText.beginning(with: text, type) else { return [] }
        let query = directory.directory.beginning(with: text, in: [], keys: range, keyType: type, limit: limit + 1)
        return [Question(way: .prefix, query: query, column: inquiry.app.users.key)]
    }

    /// The kind of match between the text and the columns of objects.
    private enum ObjectStage { case exact, beginning, part }

    /// The queries for objects with the text as their key or in a search column, and for the users who own them.
    private func objects(_ stage: ObjectStage, _ ownership: AppQueries.Ownership = .owned) -> [Question] {
        let identifiers = inquiry.app.identifiers.filter {
            ($0.object.hasOwner || ownership != .owned) && inquiry.hiding([$0.object.select]) == nil
                && (stage == .exact || !isTooLarge($0))
        }
        return identifiers.flatMap { identifier in
            likenesses(of: identifier, stage).map { likeness in
                Question(
                    way: .object,
                    query: inquiry.queries.objects(
                        ownership, with: text, as: identifier, likeness, limit: limit + 1),
                    identifier: identifier)
            }
        }
    }

    /// True if an inexact search of the column would read too many rows.
    private func isTooLarge(_ identifier: App.Identifier) -> Bool {
        !readsAll && !identifier.isKey && inquiry.rows(readBy: identifier.object.select) > TableSize.searchable
    }

    private func likenesses(of identifier: App.Identifier, _ stage: ObjectStage) -> [App.Likeness] {
        guard identifier.isKey else { return stage == .exact ? [.letters] : stage == .part ? [.inside] : [.beginning] }
        // If the text doesn't fit the type of the key, the query would fail.
        let type = inquiry.app.keyName(of: identifier.object).flatMap { inquiry.relations.type(of: $0) }
        switch stage {
        case .exact: return type.flatMap { KeyText.fits(text, $0) } == false ? [] : [.key]
        case .beginning:
            if type.map(KeyText.isAnyText) ?? false { return [.beginning] }
            return KeyText.beginning(with: text, type ?? "uuid").map { [.keys($0)] } ?? []
        case .part: return []
        }
    }

    /// The queries for users with a search column that begins with the text.
    private mutating func beginnings() -> [Question] {
        if let (query, unsearched) = directory.matching(text, anywhere: false, limit: limit + 1) {
            self.unsearched = unsearched
            return [Question(way: .prefix, query: query)]
        }
        if readsAll || directory.isSearchable { return [scan(.prefix)] }
        unsearched = inquiry.app.users.search
        return []
    }

    /// The queries for users with a search column that contains the text, if an index exists or there are few users.
    private mutating func parts() -> [Question] {
        if let (query, unsearched) = directory.matching(text, anywhere: true, limit: limit + 1),
            unsearched.isEmpty || !directory.isSearchable && !readsAll
        {
            self.unsearched = unsearched
            return [Question(way: .anywhere, query: query)]
        }
        unsearched = []
        // A complete id or email is rarely a part of another id or email.
        if readsAll || directory.isSearchable && !(directory.isOfMany && directory.isName(text)) {
            return [scan(.prefix), scan(.anywhere)]
        }
        unsearched = inquiry.app.users.search
        return []
    }

    private func scan(_ way: FoundUsers.Way) -> Question {
        Question(
            way: way,
            query: directory.directory.scan(
                for: text, anywhere: way == .anywhere, limit: limit + 1))
    }

    // MARK: Answers

    /// Finds users with several queries, in one round trip.
    ///
    /// If the text doesn't fit the type of the key, the query finds no user. A query for objects that usher can't read
    /// also finds no user.
    private mutating func hits(of questions: [Question], isLast: Bool = false) throws(Failure) -> [Hit] {
        try hits(ofStages: [questions], isLast: isLast)
    }

    /// The users of the first stage with a match; all stages run in one round trip.
    private mutating func hits(ofStages stages: [[Question]], isLast: Bool = false) throws(Failure) -> [Hit] {
        let questions = stages.flatMap(\.self)
        if questions.isEmpty { return [] }
        inquiry.reopen()
        var answers = try inquiry.read(questions.map(\.query), isLast: isLast)[...]
        try inquiry.requireWholeDirectory()
        for stage in stages {
            var hits: [Hit] = []
            for (question, answer) in zip(stage, answers) { hits += try self.hits(in: answer, of: question) }
            if !hits.isEmpty { return hits }
            answers = answers.dropFirst(stage.count)
        }
        return []
    }

    private mutating func hits(in answer: Answer, of question: Question) throws(Failure) -> [Hit] {
        let name = question.identifier.map { "\($0.object.noun) \($0.column)" } ?? question.column ?? ""
        if !name.isEmpty, !searched.contains(name) { searched.append(name) }
        switch answer.reading {
        case .success(let rows): return try hits(in: rows, of: question)
        case .failure(let failure) where failure.isLate:
            late.append((name.isEmpty ? "the users" : name, failure))
        case .failure(let failure):
            if question.identifier != nil || question.column != nil { break }
            guard let state = failure.state, state.category == "22", state != .characterNotInRepertoire
            else { throw failure }
        }
        return []
    }

    private mutating func hits(in rows: Rows, of question: Question) throws(Failure) -> [Hit] {
        if let identifier = question.identifier {
            return rows.rows.compactMap { row in
                row.values[0].text.map { key in
                    Hit(key: key, way: question.way, through: identification(identifier, row), user: nil)
                }
            }
        }
        columns = Array(rows.columns.dropFirst(3))
        let users = rows.rows.compactMap(User.init)
        try inquiry.requireOnce(users.map(\.key))
        let isCut = rows.first?.values[2].boolean == true
        return users.map { user in
            let through = question.column.map {
                Identification(noun: nil, column: $0, value: user.facts.shown($0)?.text ?? user.key, key: nil)
            }
            return Hit(key: user.key, way: question.way, through: through, user: user, isCut: isCut)
        }
    }

    /// Finds objects without a user; each object appears once.
    private mutating func things(of questions: [Question]) throws(Failure) -> [Identification] {
        inquiry.reopen()
        return things(in: try inquiry.read(questions.map(\.query), isLast: false), of: questions)
    }

    private func things(in answers: some Sequence<Answer>, of questions: [Question]) -> [Identification] {
        var seen: Set<String> = []
        var things: [Identification] = []
        for (question, answer) in zip(questions, answers) {
            guard case .success(let rows) = answer.reading, let identifier = question.identifier else { continue }
            for row in rows.rows where seen.insert("\(identifier.object.noun) \(row.values[1].text ?? "")").inserted {
                things.append(identification(identifier, row))
            }
        }
        return things
    }

    private func identification(_ identifier: App.Identifier, _ row: Row) -> Identification {
        Identification(
            noun: identifier.object.noun, column: identifier.isKey ? nil : identifier.column,
            value: row.values[2].text ?? text, key: row.values[1].text)
    }
}

// MARK: Search

extension UserSearch {
    /// Finds the users for a typed text; the first stage with a match ends the search.
    ///
    /// `anywhere` allows full scans without an index, which may take minutes; usher calls `reading` before such a scan.
    package static func find(
        _ typed: String, limit: Int, anywhere: Bool = false, on connection: Connection, candidates: [App],
        options: InquiryOptions, reading: () -> Void = {}
    ) throws(Failure) -> FoundUsers {
        let text = PastedName.plain(typed)
        guard !text.isEmpty else {
            throw Failure(.usage, "the search text is empty", hint: "write a part of an email, a name or an id")
        }
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .search)
        var search = try UserSearch(inquiry, text, limit: limit)
        search.readsAll = anywhere
        var found = try search.find(typed, reading)
        found.late = search.late
        if !found.users.isEmpty, found.way != .someWords { return found }
        if found.users.isEmpty, let (_, reason) = search.late.first { throw reason }
        if found.users.isEmpty, found.close.isEmpty {
            found.close = Nearest.names(to: text, among: try search.emails(near: text))
        }
        let texts = [text] + PastedName.names(in: typed)
        found.elsewhere = texts.map { ($0, inquiry.app.elsewhere(for: $0)) }.max { $0.1.count < $1.1.count } ?? ("", [])
        return found
    }

    private mutating func find(_ typed: String, _ reading: () -> Void) throws(Failure) -> FoundUsers {
        let names = names(directory.ways(for: text).map { (text, $0) })
        let isName = directory.isName(text)
        var hits = try hits(of: names + (isName ? [] : objects(.exact) + values), isLast: isName)
        if hits.isEmpty, isName { hits = try self.hits(of: objects(.exact)) }
        // If only whole columns such as a first name match, the search also returns prefix matches, unless an object
        // matches.
        if hits.contains(where: { $0.way != .prefix }) { return try found(hits, isExact: true) }
        if hits.isEmpty {
            hits = try self.hits(ofStages: try pastedNames(in: typed))
            if !hits.isEmpty { return try found(hits, isExact: true) }
            // Apps store the digits of a phone number without separators, and perhaps without leading zeros.
            if "+(0".contains(text.prefix(1)) { text = PastedName.phoneDigits(text) ?? text }
        }
        if readsAll, directory.isOfMany {
            reading()
            try inquiry.reopen(timeout: inquiry.options.patientTimeout)
        }
        let beginnings = beginnings() + objects(.beginning)
        if readsAll || directory.isOfMany {
            hits = try self.hits(of: beginnings)
            if !hits.isEmpty { return try found(hits) }
            hits = try self.hits(of: parts() + objects(.part))
        } else {
            hits = try self.hits(ofStages: [beginnings, parts() + objects(.part)])
            if hits.contains(where: { $0.way == .prefix }) { return try found(hits) }
        }
        unsearched += inquiry.app.identifiers.filter { $0.object.hasOwner && isTooLarge($0) }.map {
            "\($0.object.noun) \($0.column)"
        }
        if !hits.isEmpty { return try found(hits) }
        return try resembling()
    }

    /// The queries for the names in a pasted text, in stages: exact matches, prefixes of ids, and prefixes of object
    /// names.
    private func pastedNames(in typed: String) throws(Failure) -> [[Question]] {
        var (exact, ids, objects): ([Question], [Question], [Question]) = ([], [], [])
        for name in PastedName.names(in: typed) {
            let part = try UserSearch(inquiry, name, limit: limit)
            exact += part.names(directory.ways(for: name).map { (name, $0) }) + part.values + part.objects(.exact)
            guard name.utf8.count >= Self.leastOfKey else { continue }
            ids += part.keys
            objects += part.objects(.beginning)
        }
        return [exact, ids, objects]
    }

    /// Finds users who have all words of the text, in any order and without accents.
    ///
    /// If there are no such users, the search returns objects without a user, names with one or two typing mistakes, or
    /// users with most of the words.
    private func resembling() throws(Failure) -> FoundUsers {
        let ownerless = objects(.exact, .ownerless)
        let folded = FoldedText.fold(text)
        let similar = similar(to: folded)
        inquiry.reopen()
        let answers = try inquiry.read(
            similar.map { [$0] + ownerless.map(\.query) } ?? ownerless.map(\.query), isLast: true)
        let (all, close, some) = similar == nil ? ([], [], []) : resembling(folded, in: answers[0])
        let untied = all.isEmpty ? things(in: answers.suffix(ownerless.count), of: ownerless) : []
        var found = try found(all.isEmpty && close.isEmpty && untied.isEmpty ? some : all)
        (found.close, found.untied) = (close, untied)
        return found
    }

    /// The query for users with similar names; nil if no index helps or the text can't be a name.
    private func similar(to folded: String) -> ComposedQuery? {
        let words = Self.words(of: folded)
        // In an email, the part before the @ distinguishes users, and the domain doesn't.
        let names = Self.words(of: String(folded.prefix { $0 != "@" }))
        // A name in Chinese or Japanese can have only two characters, which are six bytes.
        guard names.contains(where: { $0.utf8.count > 2 }), words.count <= Self.mostWords,
            readsAll || !directory.isOfMany || !directory.isName(text)
        else { return nil }
        // A text with many words is not a name, so usher doesn't search for typing mistakes in it.
        let pieces =
            names.count > Self.mostOfName
            ? names.filter { $0.utf8.count > 2 } : Array(names.flatMap(Self.pieces).prefix(Self.mostPieces))
        var query = directory.resembling(
            words: words, near: names.joined(separator: " "), pieces: pieces,
            readsAll: readsAll || directory.isSearchable,
            limit: Self.mostCandidates)
        query?.setting = Self.similarity
        return query
    }

    private func resembling(_ folded: String, in answer: Answer) -> (all: [Hit], close: [String], some: [Hit]) {
        guard case .success(let rows) = answer.reading else { return ([], [], []) }
        let (words, errors) = (Self.words(of: folded), text.count < 8 ? 1 : 2)
        var (all, some): ([Hit], [Hit]) = ([], [])
        var close: [(errors: Int, name: String)] = []
        // usher suggests a user if the matching words have at least half of the text's letters, or if two words with at
        // least six letters match.
        let half = max(3, (words.reduce(0) { $0 + $1.count } + 1) / 2)
        var most = 0
        for row in rows.rows {
            guard let user = User(row) else { continue }
            let names = names(of: user)
            // A text with @ is an email, so a similar email has a typing mistake, not another order of words.
            if row.values[2].boolean == true, !text.contains("@") {
                all.append(Hit(key: user.key, way: .words, through: nil, user: user))
            } else if let distance = distance(from: folded, to: names), distance <= errors {
                close.append((distance, user.emails(in: inquiry.app).first ?? user.key))
            } else if !text.contains("@") {
                let own = words.filter(names.contains)
                let letters = own.reduce(0) { $0 + $1.count }
                guard letters >= most, letters >= half || own.count > 1 && letters > 5 else { continue }
                if letters > most { some = [] }
                most = letters
                let through = Identification(noun: nil, column: nil, value: own.joined(separator: " "), key: nil)
                some.append(Hit(key: user.key, way: .someWords, through: through, user: user))
            }
        }
        return (all, close.sorted { $0.errors < $1.errors }.prefix(3).map(\.name), some)
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Splits a word into parts: after one typing mistake, or two in a long word, at least one part is still correct.
    private static func pieces(of word: String) -> [String] {
        let letters = Array(word)
        // If two letters are swapped, two parts can be wrong.
        let count = letters.count < 4 ? 1 : letters.count < 8 ? 3 : 4
        return (0..<count).map { String(letters[(letters.count * $0 / count)..<(letters.count * ($0 + 1) / count)]) }
    }

    /// The values of a user's search columns, whole and as separate words.
    private func names(of user: User) -> [String] {
        let values = inquiry.app.users.search.compactMap { user.facts.shown($0)?.text }.map(FoldedText.fold)
        return values + values.flatMap(Self.words)
    }

    /// The smallest number of typing mistakes between a text and one of some names.
    private func distance(from folded: String, to names: [String]) -> Int? {
        names.filter { abs($0.count - folded.count) <= 2 }.map { editDistance($0, folded) }.min()
    }

    /// The largest number of words in a text that usher searches for, and in a name.
    private static let mostWords = 40
    private static let mostOfName = 8
    private static let mostPieces = 12
    private static let mostCandidates = 200
    /// The smallest similarity of a candidate; `kjaergard` and `kjærgård` share three of ten trigrams.
    private static let similarity =
        "select pg_catalog.set_config('pg_trgm.word_similarity_threshold', '0.25', true)"

    /// The users with the best kind of match, up to the limit; an exact search can have several kinds.
    private func found(_ hits: [Hit], isExact: Bool = false) throws(Failure) -> FoundUsers {
        // Exact matches of different kinds have equal rank.
        let order: [FoundUsers.Way] = isExact ? [.id, .address, .object, .prefix] : FoundUsers.Way.allCases
        let ways = order.filter { way in hits.contains { $0.way == way } }
        let best = isExact ? ways : Array(ways.prefix(1))
        var seen: Set<String> = []
        var count = 0
        var isCut = false
        var matches: [FoundUsers.Match] = []
        for way in best {
            let own = hits.filter { $0.way == way && seen.insert($0.key).inserted }
            if own.isEmpty { continue }
            isCut = isCut || own.contains(where: \.isCut) || count + own.count > limit
            let shown = Array(own.prefix(limit - count))
            count += shown.count
            let users =
                way == .object
                ? try users(keyed: shown.map(\.key), isLast: true).map(\.facts)
                : shown.compactMap { $0.user?.facts }
            if users.isEmpty { continue }
            let through = shown.compactMap(\.through)
            matches.append(
                .init(way: way, through: through.isEmpty ? identifications(of: users, by: way) : through, users: users))
        }
        let users = inquiry.app.users
        return FoundUsers(
            matches: matches, columns: matches.first?.users.first?.columns ?? columns, key: users.key,
            shown: users.columns, whole: [users.key] + users.emails, isCut: isCut, searched: allSearched,
            unsearched: unsearched)
    }

    /// The columns that usher searched, for the message of a search without a match.
    private var allSearched: [String] {
        let users = inquiry.app.users
        let own = [users.key] + users.emails + users.search.filter { $0 != users.key && !users.emails.contains($0) }
        return (own + searched.filter { !own.contains($0) }).filter { !unsearched.contains($0) }
    }

    /// The columns that contain the text, each once.
    private func identifications(of users: [Row], by way: FoundUsers.Way) -> [Identification] {
        guard way == .prefix || way == .anywhere else { return [] }
        let wanted = text.lowercased()
        return ([inquiry.app.users.key] + inquiry.app.users.search).compactMap { column in
            let values = users.lazy.compactMap { $0.shown(column)?.text }
            let value = values.first { value in
                way == .prefix ? value.lowercased().hasPrefix(wanted) : value.lowercased().contains(wanted)
            }
            return value.map { Identification(noun: nil, column: column, value: $0, key: nil) }
        }
    }
}

// MARK: Emails

extension UserSearch {
    /// The known emails that begin with a text, if an index finds them or there are few users.
    ///
    /// `isWhole` is false if there are more users than the limit, or the search ran out of time.
    static func emails(
        beginning text: String, limit: Int, in inquiry: Inquiry
    ) throws(Failure) -> (emails: [String], isWhole: Bool) {
        var search = try UserSearch(inquiry, text, limit: limit)
        search.directory = search.directory.ofEmails
        // A scan of many users would take too long for a suggestion.
        if search.directory.isOfMany, search.directory.matching(text, anywhere: false, limit: limit) == nil {
            return ([], false)
        }
        let hits = try search.hits(of: search.beginnings(), isLast: true)
        let emails = hits.compactMap(\.user).flatMap { $0.emails(in: inquiry.app) }
        return (emails, search.late.isEmpty && hits.count <= limit)
    }

    /// The known emails that begin like an unknown email, if an index finds them or there are few users.
    ///
    /// The list is empty if a query fails.
    private func emails(near text: String) throws(Failure) -> [String] {
        guard let local = text.split(separator: "@").first, local.count < text.count, local.count > 3 else { return [] }
        let beginning = String(local.prefix(max(2, local.count / 2)))
        do {
            return try Self.emails(beginning: beginning, limit: Self.mostNear, in: inquiry).emails
        } catch  where inquiry.connection.isAlive && error.kind != .interrupted {
            return []
        }
    }

    private static let mostNear = 200
}

// MARK: One user

extension UserSearch {
    /// Finds the user with a typed name, and runs other queries, in one round trip if possible.
    ///
    /// The most likely lookup runs together with the other queries, which read the user's key from a transaction
    /// setting. If this lookup finds no user, one round trip searches for all exact matches, and another round trip
    /// searches for prefixes of ids.
    static func one(
        _ typed: String, in inquiry: Inquiry, isLast: Bool = false,
        asking questions: (UserKey) -> [ComposedQuery] = { _ in [] }
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>) {
        var search = try UserSearch(inquiry, PastedName.plain(typed), limit: App.mostCandidates)
        return try search.one(typed, isLast, questions)
    }

    private mutating func one(
        _ typed: String, _ isLast: Bool, _ questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>) {
        var ways = PastedName.readings(of: typed).flatMap { reading in
            directory.ways(for: reading).map { (reading, $0) }
        }
        if let (reading, way) = ways.first, way == .key || reading.contains("@") {
            ways.removeFirst()
            let found = try user(named: reading, by: way, isLast: isLast, asking: questions)
            if let found { return found }
        }
        let values = text.isEmpty ? [] : values
        var hits = try hits(of: names(ways) + values + (text.isEmpty ? [] : objects(.exact)))
        if let user = try only(hits.filter { $0.through == nil }, of: typed)?.user {
            return (user, try asked(questions, about: user, isLast: isLast))
        }
        if text.isEmpty { throw Failure(noUser: typed) }
        // A prefix of an id can name a user; a prefix of an email can't.
        if hits.isEmpty, text.utf8.count >= Self.leastOfKey, !text.contains("@") {
            hits = try self.hits(of: keys + objects(.beginning))
        }
        guard let found = try only(hits, of: text) else {
            throw try missing(typed, looked: values.compactMap(\.column))
        }
        let way = directory.ways(for: found.key)[0]
        guard let owner = try user(named: found.key, by: way, isLast: isLast, asking: questions) else {
            throw Failure(.notFound, "\(text) belongs to the user \(found.key), who no longer exists")
        }
        guard let through = found.through else { return owner }
        if inquiry.options.isExact {
            throw Failure(
                .notFound, "\(text) is not an id or email of a user",
                hint: "\(text) belongs to \(line(owner.user.key, owner.user)), by \(through.words); "
                    + "use the id or the email of the account")
        }
        inquiry.options.identified?(text, through.kind, line(owner.user.key, owner.user))
        return owner
    }

    /// The minimum length of a prefix of an id that can name a user.
    private static let leastOfKey = 8

    private mutating func missing(_ typed: String, looked: [String]) throws(Failure) -> Failure {
        if let (_, reason) = late.first { return reason }
        let things = try things(of: objects(.exact, .ownerless))
        if !things.isEmpty {
            let commands = things.prefix(3).map { "`usher \($0.showCommand)`" }
            return Failure(
                .notFound, Identification.ofNobody(things), hint: "see " + commands.joined(separator: ", "))
        }
        return Failure(
            noUser: typed, near: try emails(near: text),
            unsearched: directory.isWhole(text) ? [] : directory.uncalled(by: looked),
            elsewhere: inquiry.app.elsewhere(for: text))
    }

    /// The only user among the found users; if there are several, throws an error that lists how usher found each user.
    private func only(_ hits: [Hit], of text: String) throws(Failure) -> Hit? {
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
    private func line(_ key: String, _ user: User?) -> String {
        let users = inquiry.app.users
        let names = users.columns.isEmpty ? users.emails : users.columns
        let shown = names.compactMap { user?.facts.shown($0)?.text }
        return ([key] + shown).joined(separator: "  ")
    }

    /// Looks up a user by key or by email, and runs other queries; nil if there is no such user.
    private func user(
        named text: String, by way: Directory.Way, isLast: Bool, asking questions: (UserKey) -> [ComposedQuery]
    ) throws(Failure) -> (user: User, answers: ArraySlice<Answer>)? {
        var asked = questions(.found(type: directory.keyType))
        // With `--show-sql`, operators copy a statement and run it alone. With Citus, other servers lack the setting
        // with the key.
        if inquiry.options.trace != nil || inquiry.isSpread { asked = [] }
        inquiry.reopen()
        let answers = try inquiry.read(
            [directory.directory.resolution(of: text, by: way)] + asked, isLast: isLast && !asked.isEmpty,
            keepingFirst: !asked.isEmpty)
        try inquiry.requireWholeDirectory()
        guard let user = try user(named: text, in: answers[0]) else { return nil }
        return (user, asked.isEmpty ? try self.asked(questions, about: user, isLast: isLast) : answers.dropFirst())
    }

    private func asked(
        _ questions: (UserKey) -> [ComposedQuery], about user: User, isLast: Bool
    ) throws(Failure) -> ArraySlice<Answer> {
        let queries = questions(.known(user.key, type: user.keyType))
        return queries.isEmpty ? [] : try inquiry.read(queries, isLast: isLast)[...]
    }

    /// The users with some keys, in one round trip for any number of keys.
    private func users(keyed keys: [String], isLast: Bool = false) throws(Failure) -> [User] {
        guard !keys.isEmpty else { return [] }
        inquiry.reopen()
        let answers = try inquiry.read(
            keys.map { directory.directory.resolution(of: $0, by: directory.ways(for: $0)[0]) }, isLast: isLast)
        try inquiry.requireWholeDirectory()
        return try zip(keys, answers).map { key, answer throws(Failure) in
            if let user = try user(named: key, in: answer) { return user }
            return try inquiry.user(named: key)
        }
    }

    /// The only user in a result; nil if there is no user; throws if there are several users.
    private func user(named text: String, in answer: Answer) throws(Failure) -> User? {
        switch answer.reading {
        case .success(let rows):
            let users = rows.rows.compactMap(User.init)
            try inquiry.requireOnce(users.map(\.key))
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
}
