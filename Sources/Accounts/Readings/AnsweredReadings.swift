internal import Asking
internal import Catalog
internal import PQ

/// What nothing settles about an account, and the account as far as the answers to that let it grow.
struct AnsweredReadings {
    private(set) var closure: AccountClosure
    private(set) var search: ReadingSearch
    /// All that was found, with what somebody answered for.
    private(set) var all: [HeldColumn]
    private let answers: SuspectAnswers
    /// Columns of other users' rows, which stay although they were to go.
    private let untouchable: Set<String>

    /// Nothing, where nobody asks.
    init(none search: ReadingSearch) {
        (closure, self.search, all) = (search.closure, search, [])
        (answers, untouchable) = (SuspectAnswers(), [])
    }

    /// Looks what the columns hold unless that is known; where somebody answered, their rows belong to the account.
    init(
        _ search: ReadingSearch, known: [HeldColumn]?, answers: SuspectAnswers, asking ask: Ask
    ) throws(Failure) {
        let map = search.closure.map
        var held = known?.filter(\.refersTo.isEmpty) ?? []
        if known == nil { held = try search.run(asking: ask) }
        let names = Set(held.filter { $0.trouble == nil }.map(\.name))
        let answered = search.readings.users.filter { reading in
            names.contains(map.name(reading)) && map.graph.tables[reading.table]?.isElsewhere == false
                && map.answer(to: reading, answers) != .keep
        }
        // Nobody touches the rows of other users for a mention of somebody else.
        let isOfOthers: (OpenReading) -> Bool = { reading in
            let isReference = [.key, .list].contains(reading.form) && map.root.type == "uuid"
            return map.userTables.contains(reading.table) && !isReference
        }
        untouchable = Set(answered.filter(isOfOthers).map(map.name))
        self.answers = answers
        (closure, self.search, all) = (search.closure, search, [])
        let reaching = answered.filter { !isOfOthers($0) }
        if !reaching.isEmpty {
            let grown = map.following(reaching, answers, search.identity, besides: search.readings.users)
            closure = try AccountClosure(grown, answer: closure.answer, asking: ask)
        }
        let followed = try closure.following(answers, known: known?.filter { !$0.refersTo.isEmpty }, asking: ask)
        closure = followed.closure
        self.search = search.besides(closure)
        if !reaching.isEmpty || followed.isFurther {
            // The account has grown, perhaps over rows in which the others stand.
            let reached = Set(reaching.map(map.name))
            let rest = names.union(held.map(\.name)).subtracting(reached)
            held = held.filter { reached.contains($0.name) }
            held += try self.search.run(
                search.readings.users.filter { rest.contains(map.name($0)) }, .all, asking: ask)
        }
        all = HeldColumn.inOrder(held + followed.columns)
    }

    /// Those that nobody answered for.
    var unanswered: [HeldColumn] { all.filter { answers[$0.table, $0.column] == nil } }

    /// Those that nobody answered for, or that stay whatever somebody answered.
    var open: [HeldColumn] {
        all.filter { column in
            let answer = answers[column.table, column.column]
            return answer == nil || untouchable.contains(column.name)
                || (column.isCopy || column.trouble != nil) && answer != .keep
        }
    }

    /// Those that stay although they were to go: they stand in rows of other users.
    var untouched: [HeldColumn] { open.filter { untouchable.contains($0.name) } }

    /// Those that stay on request.
    var kept: [HeldColumn] {
        let open = Set(open)
        return all.filter { !open.contains($0) && answers[$0.table, $0.column] == .keep }
    }
}

extension AccountMap {
    func name(_ reading: OpenReading) -> String { "\(name(reading.table)).\(reading.name)" }

    /// What becomes of a column; what nobody answered for stays.
    fileprivate func answer(to reading: OpenReading, _ answers: SuspectAnswers) -> SuspectAnswer {
        answers[name(reading.table), reading.name] ?? .keep
    }

    /// The same map with readings as ways that lead to rows of the account, as the operator answered.
    fileprivate func following(
        _ readings: [OpenReading], _ answers: SuspectAnswers, _ identity: Identity? = nil,
        besides others: [OpenReading] = []
    ) -> AccountMap {
        var map = self
        if let identity { map.know(identity, others) }
        for reading in readings {
            let path = path(reading.table, reading.name)
            // Deleting one account never means deleting another that merely mentions it, nor does a list of rows go with one
            // of those that it lists.
            let isOfUsers = userTables.contains(reading.table)
            let isWhole = reading.isPerson || reading.form != .list
            let isDeleted = answer(to: reading, answers) == .delete && !isOfUsers && isWhole
            // What refers to the other half of somebody else is somebody else's.
            if isDeleted, reading.half != nil, userTables.contains(reading.key.table) {
                map.takeForUsers(reading.table)
            }
            var way = AccountLink(
                id: map.links.count, child: reading.table, key: reading.key, columns: [reading.own],
                source: .suspected(name(reading)), effect: .delete, reading: reading)
            way.identity = reading.isPerson ? identity : nil
            if !isDeleted {
                way.effect =
                    detachable(way) ?? .block(.answered(path: path, isOfUsers: reading.isPerson && isOfUsers))
            }
            map.add(way)
        }
        return map
    }
}

extension AccountClosure {
    /// Goes on over the readings of other rows that somebody answered for, as far as they lead; gives what was found on the
    /// way.
    fileprivate func following(
        _ answers: SuspectAnswers, known: [HeldColumn]?, asking ask: Ask
    ) throws(Failure) -> (closure: AccountClosure, columns: [HeldColumn], isFurther: Bool) {
        var (closure, followed): (AccountClosure, [HeldColumn]) = (self, [])
        while true {
            let found: [HeldColumn]
            if let known { found = known } else { found = try closure.columnsLeft(asking: ask) }
            let names = Set(followed.map(\.name))
            let next = found.filter { column in
                !names.contains(column.name) && !column.isCopy
                    && (answers[column.table, column.column] ?? .keep) != .keep
            }
            guard !next.isEmpty else {
                return (closure, followed + found.filter { !names.contains($0.name) }, !followed.isEmpty)
            }
            let nextNames = Set(next.map(\.name))
            let readings = closure.map.rowReadings.filter { nextNames.contains(closure.map.name($0)) }
            followed += next
            closure = try AccountClosure(closure.map.following(readings, answers), answer: answer, asking: ask)
        }
    }
}
