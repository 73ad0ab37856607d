internal import Asking
internal import Catalog
internal import PQ

extension SurveyWalk {
    /// Asks about the tables to which triggers add rows while an account goes, and about those to which these rows have others
    /// added: copies of what went, as audits and queues are.
    ///
    /// A trigger that changes rows which are there counts something, as a rule; what it copies a deletion tells.
    mutating func addWritten(asking ask: Ask) throws(Failure) {
        var filled = Set(map.lines.added.keys)
        var open = reached.union(emptied).union(filled)
        while !open.isEmpty {
            let answer = try ask([TriggerEffect.query(of: open.sorted())])[0]
            open = []
            for trigger in try decoding({ () throws(DecodingFailure) in try TriggerEffect.all(answer) }) {
                guard
                    trigger.firesOnDelete && reached.contains(trigger.table)
                        || trigger.firesOnUpdate && emptied.contains(trigger.table)
                        || trigger.firesOnInsert && filled.contains(trigger.table)
                else { continue }
                for (_, table) in map.graph.uses(of: trigger).filter({ $0.right == .insert }) {
                    writers[table.oid, default: []].insert(trigger.function)
                    if filled.insert(table.oid).inserted { open.insert(table.oid) }
                }
            }
        }
        for (table, functions) in writers where !settlesWritten(table) { add(table, by: functions.sorted()) }
    }

    /// Whether lines say what becomes of all that triggers could copy into a table; numbers are no copies, and its own key is
    /// made up.
    private func settlesWritten(_ table: UInt32) -> Bool {
        if map.lines.written[table] != nil || map.removesWritten(table) || map.hasPolicy(table) { return true }
        if map.graph.tables[table]?.isCopy == true { return true }
        return readings.columns.allSatisfy { column in
            column.table != table || column.kind == .number || column.isOwnKey || map.lines.stays(column.key)
        }
    }

    /// They tell others what went; in a table of the account they are of the account, too.
    private mutating func add(_ table: UInt32, by functions: [String]) {
        let effect = answer(written: table) ?? (reached.contains(table) ? .delete : .keep)
        let path = map.path(table)
        let line: Survey.Proposal =
            effect == .delete
            ? .init("@written \(path) : remove", .namesWhoWent) : .init("@written \(path) : keep", .tellsWhatWent)
        questions.append(
            Survey.Question(
                table: map.name(table), column: nil, path: path,
                because: [Evidence(.written(by: functions), points: Evidence.asking)], parent: nil, effect: effect,
                proposal: [line], rows: nil))
    }
}
