import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The rows that are deleted with an account: row counts by table, and the keys that other rows refer to.
struct Closure: Sendable {
    struct Found: Sendable {
        var rows = 0
        var shared = 0
        /// The edges by which rows of the table refer to deleted rows.
        var edges: [Int] = []
    }

    private(set) var conditions: RowConditions
    private(set) var found: [UInt32: Found] = [:]
    private(set) var users = 0
    /// By table, the last query; an equal query would have the same result.
    private var asked: [UInt32: Query] = [:]
    /// The rows and keys of the users, with which each search begins.
    private var first: (found: [UInt32: Found], keys: [KeyColumns: [BoundValue]]) = ([:], [:])
    /// By table, how often rows left the set.
    private var repeats: [UInt32: Int] = [:]

    var model: AccountModel { conditions.model }
    var tables: [UInt32] { found.filter { $0.value.rows > 0 }.keys.sorted() }

    /// Finds all rows to delete: queries tables with the condition `goes` (see `RowConditions`) until no new rows appear.
    init(_ model: AccountModel, answer: AccountAnswer?, asking ask: Ask) throws(Failure) {
        conditions = RowConditions(model: model, answer: answer)
        try findUsers(ask)
        var open = children(of: Set(found.keys))
        repeat {
            try search(open, ask)
            open = try findOwned(ask)
        } while !open.isEmpty
    }

    private mutating func findUsers(_ ask: Ask) throws(Failure) {
        while true {
            var searches: [Search] = []
            for table in model.userTables.sorted() where asked[table] == nil {
                var bindings = Bindings()
                let edges = model.edges(from: table).filter { model.identity.contains($0.id) && $0.effect == .delete }
                guard let condition = conditions.isUserRow(table, &bindings) else { continue }
                let another = conditions.another(table, &bindings)
                searches.append(Search(table, condition, another, edges.map { ($0.id, condition) }, model, bindings))
            }
            if searches.isEmpty { break }
            try requireReadable(of: searches.map(\.table))
            for (search, answer) in zip(searches, try ask(searches.map(\.query))) {
                let table = search.table
                asked[table] = search.query
                let rows = try failing(try search.read(try answer.only(), into: &conditions.own))
                // A line may keep this row.
                if table == model.root.oid || !search.edges.isEmpty { found[table] = rows }
            }
        }
        users = found[model.root.oid]?.rows ?? 0
        nameRoot(in: &conditions.own)
        conditions.keys = conditions.own.filter { found[$0.key.table] != nil }
        first = (found, conditions.keys)
    }

    /// Adds the typed keys, because a user who is already deleted has no row to read the key from.
    private func nameRoot(in keys: inout [KeyColumns: [BoundValue]]) {
        if keys[model.root.key] == nil, !model.root.values.isEmpty { keys[model.root.key] = [model.root.list] }
    }

    /// Queries the tables level by level, with one round trip for each level, until usher finds no more rows.
    private mutating func search(_ tables: [UInt32], _ ask: Ask) throws(Failure) {
        var open = tables
        while !open.isEmpty {
            var (searches, changed, lost): ([Search], Set<UInt32>, Set<UInt32>) = ([], [], [])
            for table in open where model.graph.tables[table]?.isEmpty != true {
                var bindings = Bindings()
                guard let condition = conditions.goes(table, &bindings) else {
                    if found.removeValue(forKey: table).map({ $0.rows > 0 }) == true { lost.insert(table) }
                    asked[table] = nil
                    for key in model.keys(of: table) { conditions.keys[key] = nil }
                    continue
                }
                let another = bindings.attempt { conditions.another(table, &$0) }
                var ways: [(id: Int, test: String)] = []
                for edge in model.edges(from: table) where edge.effect == .delete {
                    if let test = conditions.refs(edge, &bindings) { ways.append((edge.id, test)) }
                }
                let search = Search(table, condition, another, ways, model, bindings, isOrdered: conditions.mayKeep)
                if search.query != asked[table] { searches.append(search) }
            }
            try requireReadable(of: searches.map(\.table))
            for (search, answer) in zip(searches, try ask(searches.map(\.query))) {
                let table = search.table
                let before = (rows: found[table]?.rows ?? 0, keys: conditions.keys)
                let now = try failing(try search.read(try answer.only(), into: &conditions.keys))
                (found[table], asked[table]) = (now, search.query)
                if table == model.root.oid { nameRoot(in: &conditions.keys) }
                let mayLeave = conditions.mayKeep && conditions.keys != before.keys
                if now.rows != before.rows || mayLeave { changed.insert(table) }
                let keys = mayLeave ? model.keys(of: table) : []
                if keys.contains(where: { $0.loses(before.keys[$0], conditions.keys[$0]) }) { lost.insert(table) }
            }
            let again = lost.reduce(into: Set<UInt32>()) { $0.formUnion(restart(below: $1)) }
            // Without a limit, the search would never end if two lines keep rows because of each other.
            for (table, times) in repeats where times > 1_000 {
                let name = pasted(model.name(table))
                throw Failure(
                    .refused,
                    "two lines of the app file contradict each other: the rows of \(name) that one line keeps depend on the other line",
                    hint: "select the rows of \(name) by their columns, in a `where` of the @keep or @set line")
            }
            open = again.union(children(of: changed)).sorted()
        }
    }

    /// Removes the rows of all tables below a table from the set, because rows of the table left the set.
    ///
    /// Otherwise rows that refer to each other would stay in the set. Returns the tables to search again.
    private mutating func restart(below table: UInt32) -> Set<UInt32> {
        repeats[table, default: 0] += 1
        var (below, open): (Set<UInt32>, [UInt32]) = ([], [table])
        while let next = open.popLast() {
            let owned = model.owned.map { model.edges[$0] }.filter { $0.child == next }
            for edge in owned { conditions.owned[edge.id] = nil }
            open += (children(of: [next]) + owned.map(\.parent)).filter { below.insert($0).inserted }
        }
        // A line keeps the row of a user (a profile), so the search doesn't begin with this row any more.
        for key in model.keys(of: table) where first.keys[key] != nil { first.keys[key] = conditions.keys[key] }
        for table in below {
            (found[table], asked[table]) = (first.found[table], nil)
            for key in model.keys(of: table) { conditions.keys[key] = first.keys[key] }
        }
        return below
    }

    /// Reads the keys of the rows where lines decide: of the rows to delete, and of the rows that stay and may change.
    ///
    /// Also reads the keys in tables where a rule or trigger may keep a row: the trigger may remove the row's reference and
    /// delete another row, so that the numbers of rows are as planned. Refuses if there are other rows to delete than planned.
    mutating func freeze(_ tables: Set<UInt32>, and keeping: Set<UInt32>, _ ask: Ask) throws(Failure) {
        for table in tables.filter({ conditions.isFrozen($0) || keeping.contains($0) }).sorted().compactMap({
            model.graph.tables[$0]
        })
        where !table.isDistributed || !table.key.isEmpty {
            var bindings = Bindings()
            let goes = conditions.goes(table.oid, &bindings) ?? "false"
            let stays = all([conditions.affects(table.oid, &bindings), not(goes)]) ?? "false"
            // Citus can't update rows with values from a list.
            let change = table.isDistributed ? nil : conditions.changes(table.oid, &bindings)
            let (keys, width) = (table.rowKey.gathered(), table.rowKey.types.count)
            let new = change.map { change in
                [change.condition] + change.values.map { "case when \(change.condition) then \($0) end" }
            }
            let lists = (new ?? []).map { "pg_catalog.array_agg((\($0))::pg_catalog.text)::pg_catalog.text" }
            let parts = [(["pg_catalog.count(*)"] + keys, goes), (keys + lists, stays)].map { columns, condition in
                "(select \(columns.joined(separator: ", ")) from \(table.ownRows) t where \(condition))"
            }
            let sql = "select * from \(parts[0]) a, \(parts[1]) b"
            let answer = try newValues(of: table, Query(unsafe: sql, values: bindings.values), ask)
            let values = try failing(try answer.only()).values
            conditions.frozen[table.oid] = table.rowKey.arrays(values[1...width]) ?? []
            let staying = table.rowKey.arrays(values[(1 + width)...(2 * width)]) ?? []
            if change != nil {
                let new = values[(1 + 2 * width)...].compactMap(\.text).map { BoundValue.text($0) }
                conditions.newValues[table.oid] = (staying, new)
            }
            var unused = Bindings()
            let changed = conditions.changes(table.oid, &unused)?.columns ?? []
            if !table.key.isEmpty, !table.key.contains(where: { changed.contains($0.name) }) {
                conditions.staying[table.oid] = staying
            }
            let isPlanned = values[0].text == String(found[table.oid]?.rows ?? 0)
            if !isPlanned { throw Failure(unplanned: [table.qualifiedName]) }
        }
    }

    /// Reads the new values of kept rows; refuses values that don't fit into an array of the server.
    private func newValues(of table: Graph.Table, _ query: Query, _ ask: Ask) throws(Failure) -> Rows {
        do {
            return try ask([query])[0]
        } catch {
            guard error.state == .programLimitExceeded else { throw error }
            throw Failure(
                .refused,
                "lines of the app file change the values of a column in \(pasted(table.qualifiedName)), and these values have more than a gigabyte",
                nothing: .deleted, hint: "change these values with your own SQL, then delete the account")
        }
    }

    /// The tables with rows that depend on deleted rows of the given tables.
    private func children(of tables: Set<UInt32>) -> [UInt32] {
        let edges = tables.flatMap(model.edges(to:)).filter { $0.effect == .delete || model.rules.isWay($0) }
        return Set(edges.map(\.child)).sorted()
    }

    /// Refuses tables that this role can't read; the failure lists all these tables.
    private func requireReadable(of tables: [UInt32]) throws(Failure) {
        let isReadable = tables.allSatisfy { model.graph.tables[$0]?.isReadable ?? true }
        let all = isReadable ? Set(tables) : model.reached.union(tables)
        try all.compactMap { model.graph.tables[$0] }.requireReadable()
    }

    /// Finds owned rows that no other row refers to; returns the tables with newly found rows.
    private mutating func findOwned(_ ask: Ask) throws(Failure) -> [UInt32] {
        var (queries, changed): ([(edge: Edge, query: Query)], Set<UInt32>) = ([], [])
        for edge in model.owned.map({ model.edges[$0] }) {
            if let query = ownedQuery(edge) {
                queries.append((edge, query))
            } else if conditions.owned.removeValue(forKey: edge.id) != nil {
                changed.insert(edge.parent)
            }
        }
        for ((edge, _), answer) in zip(queries, try ask(queries.map(\.query))) {
            let arrays = edge.key.arrays(try failing(try answer.only()).values)
            if arrays == conditions.owned[edge.id] { continue }
            conditions.owned[edge.id] = arrays
            changed.insert(edge.parent)
        }
        return changed.sorted()
    }

    private func ownedQuery(_ edge: Edge) -> Query? {
        var bindings = Bindings()
        guard let parent = model.graph.tables[edge.parent] else { return nil }
        let holders = model.edges(to: edge.parent).filter { holder in
            !holder.isAsked && (!holder.cascades || model.owned.contains(holder.id))
        }
        var (columns, tests): ([String], [String]) = ([], [])
        for (place, holder) in ([edge] + holders).enumerated() {
            let goes = conditions.goes(holder.child, &bindings)
            guard let table = model.graph.tables[holder.child], place > 0 || goes != nil else { return nil }
            columns += holder.key.expressions.indices.map { "\(holder.key.expressions[$0]) as k\(place)_\($0)" }
            let same = holder.terms.indices.map { number in
                holder.isList
                    ? "b.k\(place)_\(number) \("operator(pg_catalog.=)") any (\(holder.terms[number].expression))"
                    : "\(holder.terms[number].expression) \(holder.terms[number].equals) b.k\(place)_\(number)"
            }
            // A deleted row refers to the owned row by the edge, and no other row that stays refers to it.
            let all = same + [holder.condition.map { "(\($0))" }, place == 0 ? goes : not(goes)].compactMap(\.self)
            let exists = "exists (select from \(table.ownRows) t where \(all.joined(separator: " and ")))"
            tests.append(place == 0 ? exists : not(exists))
        }
        let own = edge.key.expressions.indices.map { "\(edge.key.expressions[$0]) as own_\($0)" }
        let rows = "(select \((own + columns).joined(separator: ", ")) from \(parent.ownRows) t\(parent.apart)) b"
        let outputs = edge.key.gathered(from: edge.key.expressions.indices.map { "b.own_\($0)" })
        let sql = "select \(outputs.joined(separator: ", ")) from \(rows) where \(tests.joined(separator: " and "))"
        return Query(unsafe: sql, values: bindings.values)
    }

    /// A query about the rows of one table that meet a condition, and the reader of its answer.
    private struct Search {
        let table: UInt32
        let query: Query
        let edges: [Int]
        private let keys: [KeyColumns]

        init(
            _ table: UInt32, _ condition: String, _ another: String?, _ ways: [(id: Int, test: String)],
            _ model: AccountModel, _ bindings: Bindings, isOrdered: Bool = false
        ) {
            self.table = table
            keys = model.keys(of: table)
            edges = ways.map(\.id)
            var outputs = ["pg_catalog.count(*)"]
            outputs.append(another.map { "pg_catalog.count(*) filter (where \($0))" } ?? "0")
            outputs += ways.map { way in
                way.test == condition ? "pg_catalog.count(*) > 0" : "coalesce(pg_catalog.bool_or(\(way.test)), false)"
            }
            let relation = model.graph.tables[table]
            let isLocal = relation?.isDistributed == false
            outputs += keys.flatMap { $0.gathered(isSorted: isLocal, isOrdered: isLocal && isOrdered) }
            let rows = relation?.ownRows ?? ""
            query = Query(
                unsafe: "select \(outputs.joined(separator: ", ")) from \(rows) t where \(condition)",
                values: bindings.values)
        }

        /// Reads the counts, and stores the keys for the next queries.
        func read(_ row: Row, into values: inout [KeyColumns: [BoundValue]]) throws(PQError) -> Found {
            var found = Found(rows: try row.integer(at: 0), shared: try row.integer(at: 1))
            found.edges = edges.indices.filter { row.values[2 + $0].text == "t" }.map { edges[$0] }
            var place = 2 + edges.count
            for key in keys {
                values[key] = key.arrays(row.values[place..<(place + key.expressions.count)])
                place += key.expressions.count
            }
            return found
        }
    }

    /// The tables with deleted rows, children first; tables that need each other's deletion form one group.
    var order: [[UInt32]] {
        func levels(_ tables: [UInt32], _ isHeld: (Edge) -> Bool) -> [[UInt32]] {
            let all = Set(tables)
            let components = Components(from: tables) { table in
                model.edges(to: table).filter { all.contains($0.child) && isHeld($0) }.map(\.child)
            }
            return components.levels.reversed().flatMap { $0 }
        }
        // A key with SET NULL requires no order. But if its rows are deleted first, the server changes none of them.
        return levels(tables) { $0.reference != nil }.flatMap { levels($0, \.blocks) }
    }
}
