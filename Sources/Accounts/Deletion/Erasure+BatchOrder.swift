internal import Acts
internal import Asking
internal import Catalog
internal import PQ

extension Erasure {
    /// In which order the rows of an account go in batches, and which of them wait for the last transaction.
    ///
    /// A row goes before what it was found by, be that a key or a line: behind its parent nobody would find it any more. So the
    /// tables go children first, and those that refer to each other, or to themselves, are gone round from their leaves on.
    struct BatchOrder {
        /// What certainly belongs to the account: what only an answer says goes in the end.
        private let closure: AccountClosure
        /// The tables of which rows go, those together that refer to each other.
        private(set) var groups: [[UInt32]] = []
        /// The tables that do not go in batches at all, and why.
        private(set) var waiting: [UInt32: AccountPlan.Last.Why] = [:]
        /// How many rows of a table that is gone round may be in a circle, and how many may be left of long chains, where that was
        /// asked.
        private var circling: [UInt32: (circle: Int, chain: Int)] = [:]

        private var map: AccountMap { closure.map }

        init(of account: FoundAccount, asking ask: Ask) throws(Failure) {
            closure = account.certain
            let closure = closure
            let all = closure.found.filter { $0.value.rows > 0 }.keys.sorted()
            for table in all { waiting[table] = reason(table) }
            for column in try closure.columnsLeft(asking: ask) {
                for parent in column.refersTo {
                    holdBack(parent, column.isHalf ? .owner(of: column.table) : .referredTo(column.path))
                }
            }
            let components = Components(from: all) { table in
                holding(table).map(\.child).filter { (closure.found[$0]?.rows ?? 0) > 0 }
            }
            groups = sessionsFirst(components.levels.reversed().flatMap { $0 })
        }

        /// Why none of the rows of a table go in batches.
        private func reason(_ table: UInt32) -> AccountPlan.Last.Why? {
            if map.userTables.contains(table) { return .users }
            if map.anonymised[table] != nil { return .overwritten }
            // Where Citus keeps the rows, the place of one is that of others too, so they go by the ladder.
            return map.graph.tables[table]?.isDistributed == true ? .elsewhere : nil
        }

        /// Lets the tables wait whose rows something refers to that no batch takes; and what takes those along has to wait with them.
        private mutating func holdBack(_ name: String, _ why: AccountPlan.Last.Why) {
            guard let table = map.graph.table(name)?.oid else { return }
            var open = [table]
            while let table = open.popLast() {
                guard closure.found[table] != nil, waiting[table] == nil else { continue }
                waiting[table] = why
                open += (map.linksByChild[table] ?? []).map { map.links[$0] }.filter(\.cascades).map(\.parent)
            }
        }

        /// A platform's sessions go first, so that nothing new is written meanwhile.
        private func sessionsFirst(_ groups: [[UInt32]]) -> [[UInt32]] {
            guard let sessions = map.graph.table(Platform.sessions)?.oid else { return groups }
            let hanging = Set(map.links.filter { $0.parent == sessions }.map(\.child)).union([sessions])
            return groups.filter { $0.contains(where: hanging.contains) }
                + groups.filter { !$0.contains(where: hanging.contains) }
        }

        // MARK: Rows

        /// Whether the tables of a group are gone round: their rows refer to each other.
        func isRound(_ group: [UInt32]) -> Bool {
            group.count > 1 || group.contains { table in holding(table).contains { $0.child == table } }
        }

        /// The links by which rows are held: they do not go before what refers to them.
        ///
        /// What the database itself empties holds nothing, unless the rows that are emptied are to be overwritten besides.
        private func holding(_ table: UInt32) -> [AccountLink] {
            (map.linksByParent[table] ?? []).map { map.links[$0] }.filter { link in
                guard closure.keys[link.key] != nil else { return false }
                let areStaying = closure.staying[link.id] != nil
                if link.isDeleting { return areStaying || (closure.found[link.child]?.rows ?? 0) > 0 }
                guard areStaying else { return false }
                return link.reference == nil || link.orders || map.anonymised[link.child] != nil
            }
        }

        /// The condition under which no row that is still there holds a row `t` of a table.
        ///
        /// What the database takes along holds nothing, unless it has to wait, is of the same group, or is to stay.
        func isFree(_ table: UInt32, in group: [UInt32]) -> String? {
            let links = holding(table).filter {
                !$0.cascades || group.contains($0.child) || waiting[$0.child] != nil || closure.staying[$0.id] != nil
            }
            let conditions = links.compactMap { link -> String? in
                guard let child = map.graph.tables[link.child] else { return nil }
                // Those rows are called `t` in their own select, so what they refer with goes out under another name.
                let pairs = Array(zip(link.columns, link.key.expressions))
                var values = pairs.enumerated().map { "\($1.0.expression) as k\($0)" }
                var matches = pairs.enumerated().map { "\($1.1) \($1.0.equals) hanging.k\($0)" }
                if link.child == table {
                    values.append("(t.tableoid, t.ctid) as place")
                    matches.append("hanging.place is distinct from (t.tableoid, t.ctid)")
                }
                let rows = "select \(values.joined(separator: ", ")) from \(child.ownRows) t\(child.apart)"
                return "not exists (select from (\(rows)) hanging where \(matches.joined(separator: " and ")))"
            }
            return conditions.isEmpty ? nil : conditions.joined(separator: " and ")
        }

        // MARK: Circles

        /// Counts the rows of tables that refer to themselves by one column, and that no way leads down to from a row without a parent:
        /// they are in a circle, or below one; and those of which no more than a few are free at a time, with which batches stop.
        mutating func lookForCircles(batches size: Int, asking ask: Ask) throws(Failure) {
            let questions = groups.filter(isRound).compactMap { group in
                question(about: group, few: Erasure.Batches.pace(of: size).least).map { (table: group[0], query: $0) }
            }
            for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
                let rows = try decoding(try answer.only().integers())
                circling[question.table] = (rows[0], rows[1])
            }
        }

        /// Of a chain there is a row free at a time, so that of each length fewer are left than batches stop with; what has nothing
        /// below it, or only such rows, goes before.
        private func question(about group: [UInt32], few: Int) -> Query? {
            guard group.count == 1, let table = map.graph.tables[group[0]], waiting[table.oid] == nil else {
                return nil
            }
            let links = holding(table.oid).filter { $0.child == table.oid }
            var bindings = Bindings()
            guard links.count == 1, links[0].columns.count == 1, links[0].key.expressions.count == 1,
                let condition = closure.condition(of: table.oid, &bindings)
            else { return nil }
            let (own, equals) = (links[0].columns[0].expression, links[0].columns[0].equals)
            return Query(
                unsafe: """
                    with recursive going (place, own, above) as materialized (
                        select (t.tableoid, t.ctid)::pg_catalog.text, \(links[0].key.expressions[0]), \(own)
                          from \(table.ownRows) t where \(condition)
                    ), down as (
                        select g.place, g.own, 0 as depth from going g
                         where not exists (select from going p where p.own \(equals) g.above and p.place <> g.place)
                        union
                        select g.place, g.own, d.depth + 1 from down d join going g on d.own \(equals) g.above
                    ), above (place, own) as (
                        select g.place, g.own from going g
                         where exists (select from going b where b.above \(equals) g.own and b.place <> g.place)
                    ), high (place) as (
                        select a.place from above a
                         where (select pg_catalog.count(*) from going) - (select pg_catalog.count(*) from above) < \(few)
                            or exists (select from going b join above c on c.place = b.place
                                        where b.above \(equals) a.own and b.place <> a.place)
                    ), chains (rows) as (
                        select least(pg_catalog.count(*), \(few) - 1) from down d where d.place in (select h.place from high h)
                         group by d.depth
                    )
                    select (select pg_catalog.count(*) from going) - (select pg_catalog.count(*) from down),
                           (select coalesce(pg_catalog.sum(c.rows), 0) from chains c)::bigint
                    """, values: bindings.values)
        }

        // MARK: What waits

        /// What goes in the last transaction, of all that goes: as many rows of each table, or at most so many.
        func last(of whole: AccountClosure) -> [AccountPlan.Last] {
            var last: [AccountPlan.Last] = []
            func add(_ table: UInt32, _ rows: Int, isMost: Bool = false, _ why: AccountPlan.Last.Why) {
                if rows > 0 { last.append(.init(table: map.name(table), rows: rows, isMost: isMost, why: why)) }
            }
            let rounds = Set(groups.filter(isRound).flatMap { $0 })
            for (table, found) in whole.found.sorted(by: { $0.key < $1.key }) {
                let certain = closure.found[table]?.rows ?? 0
                if let why = waiting[table] {
                    add(table, found.rows, why)
                    continue
                }
                add(table, found.rows - certain, whole.isOwned(table) ? .owned : .answered)
                let staying = holding(table).filter { !$0.isDeleting }.reduce(0) { $0 + (closure.staying[$1.id] ?? 0) }
                if rounds.contains(table) {
                    let left = circling[table] ?? (certain, 0)
                    add(table, left.circle, isMost: true, .round)
                    add(table, left.chain, isMost: true, .chained)
                } else {
                    add(table, min(certain, staying), isMost: true, .heldByStaying)
                }
            }
            return last
        }
    }
}

extension AccountClosure {
    /// Whether rows of a table are found by nothing but that those which go refer to them, or hang on such rows.
    fileprivate func isOwned(_ table: UInt32) -> Bool {
        var (open, seen, isOwned): ([UInt32], Set<UInt32>, Bool) = ([table], [table], false)
        while let table = open.popLast() {
            for link in (found[table]?.byLink ?? [:]).filter({ $0.value > 0 }).keys.map({ map.links[$0] }) {
                if link.reading?.half != nil {
                    isOwned = true
                } else if link.reading != nil {
                    return false
                } else if seen.insert(link.parent).inserted {
                    open.append(link.parent)
                }
            }
        }
        return isOwned
    }
}

extension FoundAccount {
    /// What goes in the last transaction, where all goes in batches of so many rows.
    func last(ofBatches size: Int, asking ask: Ask) throws(Failure) -> [AccountPlan.Last] {
        var order = try Erasure.BatchOrder(of: self, asking: ask)
        try order.lookForCircles(batches: size, asking: ask)
        return order.last(of: closure)
    }
}
