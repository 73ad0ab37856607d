internal import Asking
internal import Catalog
internal import PQ

extension Readings.Search {
    /// Looks what the columns hold unless that is known, and lets the account grow by what was answered: where somebody
    /// answered, their rows belong to it.
    func answered(
        _ answers: AccountAnswers, known: HeldColumns?, since: String?, asking ask: Ask
    ) throws(Failure) -> (search: Readings.Search, held: HeldColumns) {
        let map = closure.map
        var held = known?.all.filter(\.refersTo.isEmpty) ?? []
        if known == nil { held = try run(asking: ask) }
        let names = Set(held.filter { $0.trouble == nil }.map(\.name))
        let answered = readings.users.filter { reading in
            names.contains(map.name(reading)) && map.graph.tables[reading.table]?.isElsewhere == false
                && map.answer(to: reading, answers) != .keep
        }
        // Nobody touches the rows of other users for a mention of somebody else.
        let isOfOthers: (Reading) -> Bool = { reading in
            let isReference = [.key, .list].contains(reading.form) && map.root.type == "uuid"
            return map.userTables.contains(reading.table) && !isReference
        }
        var closure = closure
        let reaching = answered.filter { !isOfOthers($0) }
        if !reaching.isEmpty {
            let grown = map.following(reaching, answers, identity, besides: readings.users)
            closure = try AccountClosure(grown, answer: closure.answer, asking: ask)
        }
        let followed = try closure.following(answers, known: known?.all.filter { !$0.refersTo.isEmpty }, asking: ask)
        let search = Readings.Search(closure: followed.closure, readings: readings, identity: identity)
        if !reaching.isEmpty || followed.isFurther {
            // The account has grown, perhaps over rows in which the others stand.
            let reached = Set(reaching.map(map.name))
            let rest = names.union(held.map(\.name)).subtracting(reached)
            held = held.filter { reached.contains($0.name) }
            held += try search.run(readings.users.filter { rest.contains(map.name($0)) }, .all, asking: ask)
        }
        return (
            search,
            HeldColumns(
                held + followed.columns, since: known?.since ?? since, answers,
                untouchable: Set(answered.filter(isOfOthers).map(map.name)))
        )
    }
}

extension AccountMap {
    func name(_ reading: Reading) -> String { "\(name(reading.table)).\(reading.name)" }

    /// What becomes of a column; what nobody answered for stays.
    fileprivate func answer(to reading: Reading, _ answers: AccountAnswers) -> AccountAnswer {
        answers[name(reading.table), reading.name] ?? .keep
    }

    /// The same map with readings as ways that lead to rows of the account, as the operator answered.
    fileprivate func following(
        _ readings: [Reading], _ answers: AccountAnswers, _ identity: Identity? = nil,
        besides others: [Reading] = []
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
        _ answers: AccountAnswers, known: [HeldColumn]?, asking ask: Ask
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
