internal import Acts
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What a restoration may not do, told all at once and before it begins.
extension Restoration {
    /// Refuses where this role lacks a right for rows that come back, or for the work of triggers that run with its own rights as
    /// they do.
    func requireRights() throws(Failure) {
        var events: TriggerWrites.Events = [:]
        for table in deleted.keys { events[table, default: []].insert(.insert) }
        for (table, rows) in changed where !rows.section.rows.isEmpty { events[table, default: []].insert(.update) }
        for (table, _) in added { events[table, default: []].insert(.delete) }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let answer = try ask([TriggerWrites.query(of: events)])[0]
        let writes = try TriggerWrites(events, direct: events, answer, in: .init(graph), asking: ask)
        let running = writes.runningAsDeleter
        let own = deleted.sorted { name($0.key) < name($1.key) }.map { table, rows in
            (right: NeededRight.on(.insert, table, columns: Set(rows.section.columns)), use: TriggerWrites.Use?.none)
        }
        let needed = own + writes.uses.filter { running.contains($0.trigger) }.map { ($0.right, $0) }
        let missing = try NeededRight.missing(needed.map(\.right), asking: ask)
        let lacking = needed.enumerated().flatMap { place, needed in
            (missing[place] ?? []).map { AccountSurvey.Lacking(need: $0, use: needed.use) }
        }
        let obstacles = lacking.told.map { right, trigger in
            AccountPlan.Obstacle.mayNot(right, by: trigger.map { NamedTrigger($0, in: graph) })
        }
        if !obstacles.isEmpty { throw Failure(ArchiveRefusal.forbidden(obstacles)) }
    }
}
