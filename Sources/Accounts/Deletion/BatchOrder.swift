internal import Asking
internal import Catalog
internal import PQ

/// In which order the rows of an account go in batches, and which of them wait for the last transaction.
///
/// A row goes before what it was found by, be that a key or a line: behind its parent nobody would find it any more. So the
/// tables go children first, and those that refer to each other, or to themselves, are gone round from their leaves on.
struct BatchOrder {
    let survey: AccountSurvey
    /// The tables of which rows go, those together that refer to each other.
    private(set) var groups: [[UInt32]] = []
    /// The tables that do not go in batches at all, and why.
    private(set) var waiting: [UInt32: AccountPlan.Last.Why] = [:]
    /// How many rows of a table that is gone round may be in a circle, where that was asked.
    private var circling: [UInt32: Int] = [:]

    private var map: AccountMap { survey.map }
    private var closure: AccountClosure { survey.closure }

    /// Looks for what certainly belongs to the account: what only an answer says goes in the end.
    init(of start: AccountStart, _ request: AccountRequest, asking ask: Ask) throws(Failure) {
        survey = try AccountSurvey(of: start, request, for: .init(isWhole: false, isForLater: true), asking: ask)
        let all = survey.closure.found.filter { $0.value.rows > 0 }.keys.sorted()
        for table in all { waiting[table] = reason(table) }
        for column in try survey.closure.columnsLeft(asking: ask) {
            for parent in column.refersTo { holdBack(parent, column.path) }
        }
        let components = Components(from: all) { table in
            holding(table).map(\.child).filter { (survey.closure.found[$0]?.rows ?? 0) > 0 }
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
    private mutating func holdBack(_ name: String, _ column: String) {
        guard let table = map.graph.table(name)?.oid else { return }
        var open = [table]
        while let table = open.popLast() {
            guard closure.found[table] != nil, waiting[table] == nil else { continue }
            waiting[table] = .referredTo(column)
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
            if link.isDeleting { return (closure.found[link.child]?.rows ?? 0) > 0 }
            guard closure.staying[link.id] != nil else { return false }
            return link.reference == nil || link.orders || map.anonymised[link.child] != nil
        }
    }

    /// The condition under which no row that is still there holds a row `t` of a table.
    ///
    /// What the database takes along holds nothing, unless it has to wait or is of the same group.
    func isFree(_ table: UInt32, in group: [UInt32]) -> String? {
        let links = holding(table).filter {
            !$0.cascades || group.contains($0.child) || waiting[$0.child] != nil
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
    /// they are in a circle, or below one.
    mutating func lookForCircles(asking ask: Ask) throws(Failure) {
        let questions = groups.filter(isRound).compactMap { group in
            question(about: group).map { (table: group[0], query: $0) }
        }
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            circling[question.table] = try decoding(try answer.count())
        }
    }

    private func question(about group: [UInt32]) -> Query? {
        guard group.count == 1, let table = map.graph.tables[group[0]], waiting[table.oid] == nil else { return nil }
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
                    select g.place, g.own from going g
                     where not exists (select from going p where p.own \(equals) g.above and p.place <> g.place)
                    union
                    select g.place, g.own from down d join going g on d.own \(equals) g.above
                )
                select (select count(*) from going) - (select count(*) from down)
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
            add(table, found.rows - certain, .answered)
            let staying = holding(table).filter { !$0.isDeleting }.reduce(0) { $0 + (closure.staying[$1.id] ?? 0) }
            if rounds.contains(table) {
                add(table, circling[table] ?? certain, isMost: true, .round)
            } else {
                add(table, min(certain, staying), isMost: true, .heldByStaying)
            }
        }
        return last
    }
}
