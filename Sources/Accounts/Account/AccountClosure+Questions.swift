internal import Asking
internal import Catalog
internal import PQ

extension AccountClosure {
    /// A question about the rows of one table, and how its answer is read.
    struct Question {
        let query: Query
        let links: [Int]
        let keys: [KeyColumns]

        /// Reads the answer; the values of keys go where the next questions find them.
        func read(_ row: Row, into values: inout [KeyColumns: [BoundValue]]) throws(DecodingFailure) -> Found {
            var found = Found(
                rows: try row.integer(at: 0), collateral: try row.integer(at: 1), seen: try row.integer(at: 2),
                cascaded: try row.integer(at: 3))
            var place = 4
            for link in links {
                found.byLink[link] = try row.integer(at: place)
                place += 1
            }
            for key in keys {
                values[key] = key.arrays(row.values[place..<(place + key.expressions.count)])
                place += key.expressions.count
            }
            return found
        }
    }

    /// The question about the rows of a table that are the users themselves; nil before it can be asked.
    func ownQuestion(_ table: UInt32) -> Question? {
        guard let relation = map.graph.tables[table], !map.keys(of: table).isEmpty else { return nil }
        var bindings = Bindings()
        let conditions = isOwn(table, &bindings)
        guard !conditions.isEmpty else { return nil }
        let keys = map.keys(of: table)
        let isRow = table == map.root.oid ? isRoot(&bindings) : "true"
        let outputs =
            ["pg_catalog.count(*) filter (where \(isRow))", "0", "0", "0"]
            + keys.flatMap { $0.gathered(of: $0.partition) }
        let sql =
            "select \(outputs.joined(separator: ", ")) from \(relation.ownRows) t where \(conditions.joined(separator: " or "))"
        return Question(query: Query(unsafe: sql, values: bindings.values), links: [], keys: keys)
    }

    /// The question about a table; nil when nothing can be there.
    func question(_ table: UInt32) -> Question? {
        guard let relation = map.graph.tables[table] else { return nil }
        var bindings = Bindings()
        guard let condition = condition(of: table, &bindings) else { return nil }
        var outputs = ["pg_catalog.count(*)"]
        func count(_ condition: String?) {
            outputs.append(condition.map { "pg_catalog.count(*) filter (where \($0))" } ?? "0")
        }
        let shared = isShared(table, &bindings)
        count(shared)
        count(isSeen(table, &bindings).map { seen in shared.map { "(\(seen)) and (\($0)) is not true" } ?? seen })
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter {
            $0.isDeleting && self.keys[$0.key] != nil
        }
        if table != map.root.oid, links.allSatisfy(\.cascades) {
            outputs.append("pg_catalog.count(*)")
        } else {
            count(
                belonging(to: table, { $0.cascades }, &bindings).map {
                    table == map.root.oid ? "not \(isRoot(&bindings)) and (\($0))" : $0
                })
        }
        outputs += links.map { byLink($0, among: links, isRoot: table == map.root.oid, &bindings) }
        let keys = map.keys(of: table)
        outputs += keys.flatMap { $0.gathered(of: $0.partition) }
        let sql = "select \(outputs.joined(separator: ", ")) from \(relation.ownRows) t where \(condition)"
        return Question(query: Query(unsafe: sql, values: bindings.values), links: links.map(\.id), keys: keys)
    }

    /// How many rows a link leads to; to test each row against a long list once more costs as much as finding it.
    ///
    /// So the link with the longest list counts the rows that no other one leads to.
    private func byLink(
        _ link: AccountLink, among links: [AccountLink], isRoot: Bool, _ bindings: inout Bindings
    ) -> String {
        if links.count == 1, !isRoot { return "pg_catalog.count(*)" }
        func length(_ link: AccountLink) -> Int { keys[link.key]?.reduce(0) { $0 + $1.length } ?? 0 }
        let longest = links.max { length($0) < length($1) }
        guard longest == link, length(link) > 10_000, !isRoot else {
            return link.condition(keys, &bindings).map { "pg_catalog.count(*) filter (where \($0))" } ?? "0"
        }
        let others = links.filter { $0 != link }.compactMap { $0.condition(keys, &bindings) }
        return "pg_catalog.count(*) filter (where (\(others.joined(separator: " or "))) is not true)"
    }

    /// Lets the rows stay that rows which stay cannot do without; tells whether there were any.
    mutating func excludeParents(_ ask: Ask) throws(Failure) -> Bool {
        var questions: [(key: KeyColumns, query: Query)] = []
        for table in map.linksByChild.keys.sorted() {
            for id in map.linksByChild[table] ?? [] where map.links[id].isDeleting {
                let link = map.links[id]
                guard map.sharedEffect(link) == nil, answer(of: table) == .keep, !map.userTables.contains(link.parent),
                    link.reference != nil,
                    let relation = map.graph.tables[table]
                else { continue }
                var bindings = Bindings()
                guard let belongs = link.condition(keys, &bindings), let stays = stays(table, &bindings) else {
                    continue
                }
                let columns = link.key.gathered(from: link.columns.map(\.expression))
                let sql = """
                    select \(columns.joined(separator: ", ")) from \(relation.ownRows) t \
                    where \(belongs) and (\(stays))
                    """
                questions.append((link.key, Query(unsafe: sql, values: bindings.values)))
            }
        }
        var isNew = false
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            guard let arrays = question.key.arrays(try decoding(try answer.only()).values) else { continue }
            // What is excluded is not in the closure any more, so that whatever turns up is new.
            exclude(question.key, arrays)
            isNew = true
        }
        return isNew
    }
}
