internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What a deletion would write on other servers: here nobody counts those rows, or knows what they were.
extension AccountClosure {
    /// Asks, of tables with partitions of other servers, for those that hold rows which are meant.
    var questionsAboutForeignParts: [Query] {
        writtenTables.sorted().compactMap { oid in
            var bindings = Bindings()
            guard let table = map.graph.tables[oid], table.hasForeignParts, let condition = writing(oid, &bindings)
            else { return nil }
            let parts = map.graph.tables.values.filter { $0.partitionOf == oid && $0.isForeign }.map(\.oid).sorted()
            let places = bindings.bind(parts.map(String.init), of: "oid")
            let sql = """
                select distinct t.tableoid as part from \(table.ownRows) t \
                where t.tableoid = any (\(places)) and (\(condition))
                """
            return Query(unsafe: sql, values: bindings.values)
        }
    }

    /// Those tables and parts, by the answers.
    func foreignTables(_ answers: [Rows]) throws(DecodingFailure) -> [Graph.Table] {
        var tables = writtenTables.sorted().compactMap { map.graph.tables[$0] }.filter(\.isForeign)
        for row in answers.flatMap(\.rows) {
            if let table = map.graph.tables[try row.identifier("part")] { tables.append(table) }
        }
        return tables
    }

    /// The tables in which rows are deleted, emptied or overwritten.
    private var writtenTables: Set<UInt32> {
        let deleted = found.filter { $0.value.rows > 0 }.keys
        let emptied = staying.keys.map { map.links[$0] }.filter { !lost(by: $0).isEmpty }.map(\.child)
        let overwritten = map.anonymised.keys.filter { (stayingRows[$0]?.held ?? 0) > 0 }
        return Set(deleted).union(emptied).union(overwritten)
    }

    /// The condition under which a row of a table is deleted, emptied or overwritten.
    private func writing(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let emptying = staying.keys.sorted().map { map.links[$0] }.filter { $0.child == table && !lost(by: $0).isEmpty }
        let conditions = [
            condition(of: table, &bindings), staying(by: emptying, &bindings),
            map.anonymised[table] == nil ? nil : holding(table, &bindings),
        ].compactMap { $0 }
        return conditions.isEmpty ? nil : conditions.map { "(\($0))" }.joined(separator: " or ")
    }
}

extension AccountSurvey {
    /// Why what lies on other servers is in the way.
    var foreignObstacles: [AccountPlan.Obstacle] {
        let known = Set(held.unanswered + held.untouched)
        return held.open.filter { $0.isForeign && !known.contains($0) }.map { .foreignSuspect($0) }
            + foreignTables.map { table in
                // A row belongs to the whole, so that only the whole can stay.
                let whole = table.partitionOf.flatMap { map.graph.tables[$0]?.path }
                return .foreignTable(path: table.path, partOf: whole)
            }
            + foreignWrites
    }

    /// What triggers do on other servers: what they add may stay uncounted where somebody says so, and of what they change
    /// nobody here could tell what it was.
    private var foreignWrites: [AccountPlan.Obstacle] {
        var obstacles: [AccountPlan.Obstacle] = []
        let away = writes.all.filter(\.table.asksElsewhere)
        for (place, write) in away.enumerated() {
            func isSame(_ other: TriggerWrites.Write) -> Bool {
                (other.trigger, other.table.oid) == (write.trigger, write.table.oid)
            }
            if away[..<place].contains(where: isSame) { continue }
            let adds = away.filter(isSame).allSatisfy { $0.right == .insert }
            if adds, map.lines.written[write.table.oid]?.answer == .keep { continue }
            obstacles.append(
                .foreignWrite(
                    path: write.table.path, by: NamedTrigger(write.trigger, in: map), adds: adds,
                    isPart: !write.table.isForeign))
        }
        return obstacles
    }
}
