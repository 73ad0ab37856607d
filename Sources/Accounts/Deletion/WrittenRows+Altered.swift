internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Rows that triggers changed in tables in which the deletion changes rows as well, or the database behind what it writes.
extension WrittenRows {
    /// Columns that the deletion writes in some rows, or the database behind it, and in which of those that were there.
    private typealias Own = (columns: [String], rows: String)

    /// How many of the rows of a table that this transaction wrote, besides those that go in parts to come, are new or say
    /// something else than before that the deletion did not have them say; nil where all are triggers' work, or nobody can tell.
    func altered(
        _ relation: Graph.Table, _ count: ChangeCounters.Count, takesNew: Bool
    ) throws(Failure) -> Int? {
        // Where no more was changed than the deletion itself did, nobody has changed anything besides.
        guard count.updated > changed[relation.oid] ?? 0, !relation.key.isEmpty, !relation.isDistributed else {
            return nil
        }
        var bindings = Bindings()
        let own = own(relation, &bindings)
        if own.isEmpty { return nil }
        let answer = try transaction.ask([TableColumns.query(of: [relation.oid])])[0]
        let known = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        let all = (known.names[relation.oid] ?? []).compactMap { known[relation.oid]?[$0] }
        guard all.allSatisfy(\.isReadable) else { return nil }
        // What is generated says nothing of its own.
        let columns = all.filter { !$0.isGenerated }.map(\.name)
        var still = Bindings()
        let goes = isPart && !takesNew ? account.closure.condition(of: relation.oid, &still) : nil
        let stays = goes.map { "(\($0)) is not true" } ?? "true"
        let found = try self.count(columns, in: relation, where: (stays, still.values)) { rows, keys in
            difference(relation, columns, own, rows, keys, bindings)
        }
        return try? found.get()
    }

    /// Counts the rows that were not there, or of which a column says something else that is nobody's own.
    private func difference(
        _ relation: Graph.Table, _ columns: [String], _ own: [Own], _ rows: String?, _ keys: [String], _ given: Bindings
    ) -> Query {
        var bindings = given
        let now = bindings.bind(rows, as: "jsonb[]")
        let places = bindings.bind(arrayLiteral(keys), as: "pg_catalog.jsonb[]")
        let marks = own.enumerated().map { ", coalesce((\($1.rows)), false) as \"usher \($0)\"" }.joined()
        let excused = own.enumerated().map { number, own in
            " and not (before.row ->> 'usher \(number)' = 'true' and e.name = any (\(bindings.bind(own.columns, of: "text"))))"
        }.joined()
        let sql = """
            select pg_catalog.count(*) \
            from rows from (pg_catalog.unnest(\(now)), pg_catalog.unnest(\(places))) as n (row, key) \
            left join lateral (select pg_catalog.to_jsonb(old.*) as row \
            from (select \(columns.map(cell).joined(separator: ", "))\(marks) from \(relation.ownRows) t \
            where \(relation.hasKey(in: "n.key"))) old) before on true \
            where before.row is null or exists (select from pg_catalog.jsonb_each(n.row) as e (name, value) \
            where e.value is distinct from before.row -> e.name\(excused))
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    /// What is nobody's work but the deletion's, as the rows were before.
    private func own(_ relation: Graph.Table, _ bindings: inout Bindings) -> [Own] {
        var own: [Own] = []
        let columns = account.closure.ownColumns(relation.oid).sorted()
        if !columns.isEmpty, let rows = account.closure.changing(relation.oid, &bindings) {
            own.append((columns, rows))
        }
        for key in map.carrying where map.graph.whole(key.table) == relation.oid {
            guard let rows = carried(by: key, [], &bindings) else { continue }
            own.append((key.columns.map(\.name), rows))
        }
        return own
    }

    /// The condition under which a row refers by a key to one that is written, and is written with it.
    private func carried(by key: Graph.Reference, _ way: [UInt32], _ bindings: inout Bindings) -> String? {
        guard let parent = map.graph.tables[map.graph.whole(key.referenced)], !way.contains(parent.oid) else {
            return nil
        }
        let further = map.carrying.filter { map.graph.whole($0.table) == parent.oid }
        let behind = further.compactMap { carried(by: $0, way + [parent.oid], &bindings) }
        let written = ([account.closure.changing(parent.oid, &bindings)].compactMap(\.self) + behind).map { "(\($0))" }
        if written.isEmpty { return nil }
        let names = key.columns.map { cell($0.name) }.joined(separator: ", ")
        let referred = key.columns.map { cell($0.referenced) }.joined(separator: ", ")
        return "(\(names)) in (select \(referred) from \(parent.ownRows) t where \(written.joined(separator: " or ")))"
    }
}
