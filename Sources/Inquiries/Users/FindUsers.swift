package import AppFile
package import Asking
internal import Catalog
package import PQ

/// A search of the directory, stage by stage: each asks an index where one knows, and whoever it finds ends it.
///
/// Stages that cost next to nothing go out together, and the first that found anybody counts. But what is no name from end
/// to end may be what something of somebody else's goes by, and then both are told.
package struct UserSearch {
    let text: String
    let limit: Int
    let inquiry: Inquiry
    let directory: UserDirectory
    /// Whether all users are read for a part of what might be a whole name.
    private let anywhere: Bool
    /// What reading all users came to, where they are so few that it went with the rest.
    private var everybodyRead: FoundUsers?
    /// What was said of what belongs to users: whether that was all read in time is asked where nobody is found.
    private var heard: [Answer] = []
    /// The columns of an answer, for the time when nobody is in any.
    var columns: [Column] = []

    /// Searches the directory: exact id, else exact address, else beginnings, else what is theirs, else anywhere.
    ///
    /// `slowly` is called before all users, or all of what is theirs, are read where they are many, and then `coming` with each who is
    /// found as well as anybody so far; for a whole address or id all users are only read where `anywhere` says so.
    package static func run(
        _ typed: String, limit: Int, anywhere: Bool = false, on connection: Connection, candidates: [App],
        options: InquiryOptions,
        slowly: (SlowSearch) -> Void = { _ in }, coming: (FoundUsers) throws(Failure) -> Void = { _ in }
    ) throws(Failure) -> FoundUsers {
        let text = PastedName.plain(typed)
        guard !text.isEmpty else {
            throw Failure(InquiryRefusal.nothingToFind)
        }
        let inquiry = try Inquiry.open(
            on: connection, candidates: candidates, options: options,
            for: asksForBelongings(typed) ? .belongings : .directory)
        var search = UserSearch(
            text: text, limit: limit, inquiry: inquiry, directory: try inquiry.users(), anywhere: anywhere)
        var stages = search.names
        // Who types the whole of a name is not looking for more.
        let isWhole = search.directory.isWhole(text)
        if !isWhole { stages += search.beginnings }
        let isName = search.directory.isName(text)
        let found = try search.asked(stages, isLast: isName)
        if let found, isName { return found }
        return try search.further(isWhole ? search.beginnings : [], found, slowly, coming)
    }

    /// Whether what belongs to users will most likely be asked for, since a text is not the whole of an address.
    package static func asksForBelongings(_ typed: String) -> Bool { !typed.contains("@") }

    /// Whoever no cheap stage found, by what is theirs and by parts; and whoever goes by the same as those whom one did find.
    private mutating func further(
        _ rest: [Stage], _ named: FoundUsers?, _ slowly: (SlowSearch) -> Void,
        _ coming: (FoundUsers) throws(Failure) -> Void
    ) throws(Failure) -> FoundUsers {
        // What belongs to users stands elsewhere in the app file.
        try inquiry.broaden()
        let belongings = inquiry.belongings
        let answers = try inquiry.briefly(rest.map(\.query) + belongings.questions, isLast: false)
        try inquiry.requireWholeDirectory()
        heard += answers.dropFirst(rest.count)
        let types = belongings.types(answers.dropFirst(rest.count), in: inquiry)
        var found = try beyond(rest, answers, named, types, slowly, coming)
        if found.users.isEmpty {
            try inquiry.requireInTime(heard)
            found.untied = try inquiry.untied(text, types)
            found.near = try inquiry.addresses(near: text)
        }
        return found
    }

    private mutating func beyond(
        _ rest: [Stage], _ known: [Answer], _ named: FoundUsers?, _ types: [String: String],
        _ slowly: (SlowSearch) -> Void, _ coming: (FoundUsers) throws(Failure) -> Void
    ) throws(Failure) -> FoundUsers {
        let belongings = inquiry.belongings
        let begun: FoundUsers?
        if let named { begun = named } else { begun = try first(of: rest, in: known.prefix(rest.count)) }
        let whole = belongings.identifiers(of: text, types, in: inquiry)
        let begins = belongings.identifiers(beginning: text, types, in: inquiry)
        let inside = belongings.identifiers(around: text, in: inquiry)
        let all = begun == nil ? [whole, begins, inside] : [whole]
        let plans = try inquiry.plans(of: all.flatMap { $0.questions(limit + 1, in: inquiry) })
        let identifiers = whole.split(by: plans)
        let parts = begun == nil ? self.parts : []
        var answers = try inquiry.briefly(
            identifiers.quick.questions(limit + 1, in: inquiry) + parts.map(\.query), isLast: begun != nil)
        heard += answers.prefix(identifiers.quick.count)
        var named = identifiers.quick.found(answers.prefix(identifiers.quick.count))
        // Whoever found somebody does not wait for great tables.
        if begun == nil, named.isEmpty { named = try read(identifiers.slow, identifiers.plans, slowly) }
        if let found = try owners(named).map({ $0.joined(to: begun, limit: limit) }) ?? begun { return found }
        let quick = begins.split(by: plans.dropFirst(whole.count)).quick
        if quick.count > 0 {
            let answers = try inquiry.briefly(quick.questions(limit + 1, in: inquiry))
            heard += answers
            if let found = try owners(quick.found(answers[...])) { return found }
        }
        if let found = try first(of: parts, in: answers.suffix(parts.count)) { return found }
        let found: FoundUsers
        if let everybodyRead {
            found = everybodyRead
        } else if !parts.isEmpty, directory.findsAddresses {
            // Indexes knew all parts of all columns.
            found = try nobody(unsearched: [])
        } else if directory.isOfMany, !anywhere, directory.isName(text) {
            return try nobody(unsearched: inquiry.app.users.search)
        } else {
            found = try walk(slowly, coming)
        }
        if !found.users.isEmpty || inside.count == 0 { return found }
        let around = inside.split(by: plans.dropFirst(whole.count + begins.count))
        answers = try inquiry.briefly(around.quick.questions(limit + 1, in: inquiry))
        heard += answers
        if let found = try owners(around.quick.found(answers[...])) { return found }
        return try owners(try read(around.slow, around.plans, slowly)) ?? found
    }

    /// Whom what stands in great tables leads to: each is read for as long as somebody waits.
    private mutating func read(
        _ identifiers: Belongings.Identifiers, _ plans: [ServerPlan], _ slowly: (SlowSearch) -> Void
    ) throws(Failure) -> [Inquiry.Identified] {
        if identifiers.count == 0 { return [] }
        inquiry.reopen()
        _ = try inquiry.look([])
        let reading = inquiry.transaction.longestReading(in: plans)
        slowly(.belongings(remedies: reading?.indexes ?? []))
        let answers = try identifiers.questions(limit + 1, in: inquiry).map { query throws(Failure) in
            try inquiry.patiently(query)
        }
        heard += answers
        return identifiers.found(answers[...])
    }

    /// The users to whom what was found belongs.
    private func owners(_ found: [Inquiry.Identified]) throws(Failure) -> FoundUsers? {
        var seen: Set<String> = []
        let named = found.filter { seen.insert($0.user).inserted }.prefix(limit)
        if named.isEmpty { return nil }
        let users = try inquiry.users(keyed: named.map(\.user), isLast: true)
        guard let first = users.first else { return nil }
        return FoundUsers(
            matches: [.init(way: .object, through: named.map(\.through), users: users.map(\.facts))],
            columns: first.facts.columns, key: inquiry.app.users.key,
            shown: inquiry.app.users.columns, whole: [inquiry.app.users.key] + inquiry.app.users.emails,
            isCut: Set(found.map(\.user)).count > users.count, unsearched: [])
    }

    // MARK: Stages

    /// One way to find users, as a statement that costs next to nothing.
    struct Stage {
        /// What its rows are found by; nil when they tell themselves.
        let way: FoundUsers.Way?
        let query: ComposedQuery
        var unsearched: [String] = []
    }

    /// Whoever is named by a key or an address.
    private var names: [Stage] {
        // What would read all users is part of the walk.
        directory.ways(for: text).filter(directory.isShort).map { way in
            Stage(
                way: way == .typed ? .id : .address,
                query: directory.resolution(of: text, by: way, limit: limit + 1, bindings: inquiry.bindings))
        }
    }

    /// Whoever has a column that begins with the text, as far as indexes know.
    var beginnings: [Stage] {
        // Few users are read as fast as an index, and then nothing is left out.
        if directory.isOfFew { return [Stage(way: nil, query: everybody)] }
        guard directory.isOfMany,
            let (query, unsearched) = directory.beginning(with: text, limit: limit + 1, bindings: inquiry.bindings)
        else { return [] }
        return [Stage(way: .prefix, query: query, unsearched: unsearched)]
    }

    /// Whoever has a column that contains the text, where indexes know of all of them.
    private var parts: [Stage] {
        guard directory.isOfMany,
            let query = directory.containing(text, limit: limit + 1, bindings: inquiry.bindings)
        else { return [] }
        return [Stage(way: .anywhere, query: query)]
    }

    private mutating func asked(_ stages: [Stage], isLast: Bool) throws(Failure) -> FoundUsers? {
        if stages.isEmpty { return nil }
        let answers = try inquiry.briefly(stages.map(\.query), isLast: isLast)
        try inquiry.requireWholeDirectory()
        return try first(of: stages, in: answers[...])
    }

    /// What the first of some stages found that found anybody.
    private mutating func first(of stages: [Stage], in answers: ArraySlice<Answer>) throws(Failure) -> FoundUsers? {
        for (stage, answer) in zip(stages, answers) {
            guard let way = stage.way else {
                // What takes its time is given it later.
                guard case .success(let rows) = answer.reading else { continue }
                let found = try ranked(rows)
                everybodyRead = found
                // A part of a name may be the whole of what is somebody's.
                if found.users.isEmpty || found.way == .anywhere { continue }
                return found
            }
            let rows = try rows(in: answer)
            columns = rows.columns
            if rows.rows.isEmpty { continue }
            let isCut = way == .prefix || way == .anywhere ? isCut(rows) : rows.rows.count > limit
            return try found(rows, by: way, isCut: isCut, unsearched: stage.unsearched)
        }
        return nil
    }

    /// The statement that reads all users, and ranks those who have the text anywhere.
    private var everybody: ComposedQuery {
        directory.directory.search(for: text, limit: limit + 1, bindings: inquiry.bindings)
    }

    /// Those of the best rank.
    private func ranked(_ rows: Rows) throws(Failure) -> FoundUsers {
        let ranks = try rows.rows.map { row throws(Failure) in try decoding(try row.integer(at: 2)) }
        let best = ranks.first
        let isBest = zip(rows.rows, ranks).filter { $1 == best }.map(\.0)
        return try found(
            Rows(columns: rows.columns, rows: isBest, affected: isBest.count),
            by: best.map { FoundUsers.Way.allCases[$0] }, isCut: isBest.count > limit)
    }

    // MARK: Answers

    private func rows(in answer: Answer) throws(Failure) -> Rows {
        switch answer.reading {
        case .success(let rows): return rows
        case .failure(let unreadable): throw inquiry.tooSlow(unreadable, without: try inquiry.indexes(searching: text))
        }
    }

    /// Whether there may be more than came: more users, or more candidates than were looked at.
    private func isCut(_ rows: Rows) -> Bool { rows.rows.count > limit || rows.first?.values[2].boolean == true }

    func nobody(unsearched: [String]) throws(Failure) -> FoundUsers {
        try found(Rows(columns: columns, rows: [], affected: 0), by: nil, isCut: false, unsearched: unsearched)
    }

    func found(
        _ rows: Rows, by way: FoundUsers.Way?, isCut: Bool, unsearched: [String] = []
    ) throws(Failure) -> FoundUsers {
        let users = inquiry.app.users
        let found = rows.rows.compactMap(User.init)
        try inquiry.requireOnce(found.map(\.key))
        let facts = found.prefix(limit).map(\.facts)
        let match = way.map { FoundUsers.Match(way: $0, through: columns(of: facts, by: $0), users: facts) }
        return FoundUsers(
            matches: match.map { [$0] } ?? [], columns: Array(rows.columns.dropFirst(3)), key: users.key,
            shown: users.columns,
            whole: [users.key] + users.emails, isCut: isCut, unsearched: unsearched)
    }
}

extension UserSearch {
    /// The columns in which users have the text, each once.
    private func columns(of users: [Row], by way: FoundUsers.Way) -> [Identification] {
        guard way == .prefix || way == .anywhere else { return [] }
        let wanted = text.lowercased()
        return inquiry.app.users.search.compactMap { column in
            let values = users.lazy.compactMap { $0.shown(column)?.text }
            let value = values.first { value in
                way == .prefix ? value.lowercased().hasPrefix(wanted) : value.lowercased().contains(wanted)
            }
            return value.map { Identification(noun: nil, column: column, value: $0, key: nil) }
        }
    }
}
