internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What a deletion would write on other servers: here nobody counts those rows, or knows what they were.
struct ForeignTargets {
    private(set) var tables: [Graph.Table] = []

    /// Asks, of tables with partitions of other servers, for those that hold rows which are meant.
    static func questions(_ closure: AccountClosure) -> [Query] {
        let graph = closure.map.graph
        return closure.writtenTables.sorted().compactMap { oid in
            var bindings = Bindings()
            guard let table = graph.tables[oid], table.hasForeignParts,
                let condition = closure.writing(oid, &bindings)
            else { return nil }
            let parts = graph.tables.values.filter { $0.partitionOf == oid && $0.isForeign }.map(\.oid).sorted()
            let places = bindings.bind(parts.map(String.init), of: "oid")
            let sql = """
                select distinct t.tableoid as part from \(table.ownRows) t \
                where t.tableoid = any (\(places)) and (\(condition))
                """
            return Query(unsafe: sql, values: bindings.values)
        }
    }

    /// Finds them by the answers.
    init(_ closure: AccountClosure, _ answers: [Rows]) throws(DecodingFailure) {
        let graph = closure.map.graph
        tables = closure.writtenTables.sorted().compactMap { graph.tables[$0] }.filter(\.isForeign)
        for row in answers.flatMap(\.rows) {
            if let table = graph.tables[try row.identifier("part")] { tables.append(table) }
        }
    }
}

extension AccountClosure {
    /// The tables in which rows are deleted, emptied or overwritten.
    fileprivate var writtenTables: Set<UInt32> {
        let deleted = found.filter { $0.value.rows > 0 }.keys
        let emptied = staying.keys.map { map.links[$0] }.filter { !lost(by: $0).isEmpty }.map(\.child)
        let overwritten = map.anonymised.keys.filter { (stayingRows[$0]?.held ?? 0) > 0 }
        return Set(deleted).union(emptied).union(overwritten)
    }

    /// The condition under which a row of a table is deleted, emptied or overwritten.
    fileprivate func writing(_ table: UInt32, _ bindings: inout Bindings) -> String? {
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
        let known = Set(unanswered + untouched)
        return suspects.filter { $0.isForeign && !known.contains($0) }.map { .foreignSuspect($0) }
            + foreignTargets.tables.map { .foreignTable(path: $0.path) }
    }
}
