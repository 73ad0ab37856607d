internal import Asking
internal import Catalog
internal import PQ

extension ArchiveWriter {
    /// What the rows of an archive need to come back: what they refer to by foreign keys and the archive does not hold, and their
    /// places by every unique key, which no other row may take.
    ///
    /// Gathered before the deletion: behind it the rows are gone.
    struct WayBack {
        private let account: FoundAccount
        private var references: [(link: AccountLink, arrays: [BoundValue])] = []
        private var places: [(key: UniqueKey, values: String)] = []

        /// A unique key, the value by which each row has its place, and which rows have one at all.
        private typealias UniqueKey = (table: Graph.Table, value: String, condition: String)

        init(_ account: FoundAccount, asking ask: Ask) throws(Failure) {
            self.account = account
            try findReferences(asking: ask)
            try findPlaces(asking: ask)
        }

        // MARK: What they refer to

        private mutating func findReferences(asking ask: Ask) throws(Failure) {
            var questions: [(link: AccountLink, query: Query)] = []
            for link in account.map.links where link.reference != nil {
                if let query = Self.question(link, account) { questions.append((link, query)) }
            }
            for ((link, _), answer) in zip(questions, try ask(questions.map(\.query))) {
                // Without any values their arrays are NULL.
                if let arrays = link.key.arrays(try decoding(try answer.only()).values) {
                    references.append((link, arrays))
                }
            }
        }

        /// The values by which rows that go, and columns that are overwritten, refer to rows that do not.
        private static func question(_ link: AccountLink, _ account: FoundAccount) -> Query? {
            let (closure, map) = (account.closure, account.map)
            guard let child = map.graph.tables[link.child], !child.isEmpty else { return nil }
            var bindings = Bindings()
            var rows: [String] = []
            if (closure.found[link.child]?.rows ?? 0) > 0, let goes = closure.condition(of: link.child, &bindings) {
                rows.append("(\(goes))")
            }
            if !map.overwritten(by: link).isEmpty, let holding = closure.holding(link.child, &bindings) {
                rows.append("(\(holding))")
            }
            guard !rows.isEmpty else { return nil }
            let archived = link.condition(closure.keys, &bindings).map { " and \($0) is not true" } ?? ""
            let place = link.partition.map { " and t.tableoid = \($0)::pg_catalog.oid" } ?? ""
            let values = link.columns.enumerated().map { "\($1.expression) as k\($0)" }.joined(separator: ", ")
            let arrays = link.key.gathered(from: link.columns.indices.map { "k\($0)" })
            return Query(
                unsafe: """
                    select \(arrays.joined(separator: ", ")) from (select distinct \(values) from \(child.ownRows) t \
                    where (\(rows.joined(separator: " or "))) and \(link.isPresent)\(archived)\(place)) held
                    """, values: bindings.values)
        }

        /// Refuses where what they refer to has gone besides, in tables of which triggers took rows or changed some, and of which
        /// the archive does not hold those.
        func requireKept(
            _ counts: [UInt32: ChangeCounters.Count]?, besides whole: Set<UInt32>, asking ask: Ask
        ) throws(Failure) {
            let map = account.map
            let doubtful = references.filter { link, _ in
                !whole.contains(link.parent)
                    && (counts.map { ($0[link.parent]?.deleted ?? 0) + ($0[link.parent]?.updated ?? 0) > 0 } ?? true)
            }
            let questions = doubtful.compactMap { link, arrays in
                map.graph.tables[link.parent].map { Self.missing(link, arrays, of: $0) }
            }
            var (tables, links): ([String], [TableRows]) = ([], [])
            for ((link, _), answer) in zip(doubtful, try ask(questions)) {
                let rows = try decoding(try answer.count())
                guard rows > 0 else { continue }
                if !tables.contains(map.name(link.parent)) { tables.append(map.name(link.parent)) }
                links.append(TableRows(map.name(link), rows))
            }
            guard !tables.isEmpty else { return }
            let triggers = account.writes.known.filter(\.firesOnDelete).map { NamedTrigger($0, in: map.graph) }
            throw Failure(ArchiveRefusal.incomplete(tables: tables, links: links, triggers: triggers))
        }

        private static func missing(_ link: AccountLink, _ arrays: [BoundValue], of parent: Graph.Table) -> Query {
            var bindings = Bindings()
            let placeholders = bindings.bind(arrays, of: link.key)
            let sources = placeholders.map { "pg_catalog.unnest(\($0))" }.joined(separator: ", ")
            let names = placeholders.indices.map { "k\($0)" }
            let keys = zip(link.key.expressions, names).map { "\($0) as \($1)" }.joined(separator: ", ")
            let pairs = zip(link.key.equals, names).map { "there.\($1) \($0) held.\($1)" }.joined(separator: " and ")
            return Query(
                unsafe: """
                    select pg_catalog.count(*) as rows from rows from (\(sources)) as held (\(names.joined(separator: ", "))) \
                    where not exists (select from (select \(keys) from \(parent.ownRows) t\(parent.apart)) there where \(pairs))
                    """, values: bindings.values)
        }

        // MARK: Where they stand

        private mutating func findPlaces(asking ask: Ask) throws(Failure) {
            /// What a row of the answer says of a unique key.
            func uniqueKey(_ row: Row, in graph: Graph) throws(DecodingFailure) -> UniqueKey? {
                guard let table = graph.tables[try row.identifier("table")] else { return nil }
                let expressions = try row.texts("expressions")
                let present = try row.boolean("nulls_collide") ? [] : expressions.map { "(\($0)) is not null" }
                let conditions = present + [try row.optionalText("condition")].compactMap { $0.map { "(\($0))" } }
                return (
                    table, "pg_catalog.jsonb_build_array(\(expressions.joined(separator: ", ")))",
                    conditions.isEmpty ? "true" : conditions.joined(separator: " and ")
                )
            }
            let account = account
            let tables = account.closure.found.filter { $0.value.rows > 0 }.keys.sorted()
            let question = Query(file: "catalog/unique_keys.sql", [arrayLiteral(tables.map(String.init))])
            let answer = try ask([question])[0]
            let keys = try decoding { () throws(DecodingFailure) in
                var keys: [UniqueKey] = []
                for row in answer.rows {
                    if let key = try uniqueKey(row, in: account.map.graph) { keys.append(key) }
                }
                return keys
            }
            var questions: [(key: UniqueKey, query: Query)] = []
            for key in keys {
                var bindings = Bindings()
                guard let goes = account.closure.condition(of: key.table.oid, &bindings) else { continue }
                let sql = """
                    select pg_catalog.array_agg(\(key.value))::pg_catalog.text from \(key.table.ownRows) t \
                    where (\(goes)) and \(key.condition)
                    """
                questions.append((key, Query(unsafe: sql, values: bindings.values)))
            }
            for ((key, _), answer) in zip(questions, try ask(questions.map(\.query))) {
                // Without any values their array is NULL.
                if let values = try decoding(try answer.only()).values.first?.text { places.append((key, values)) }
            }
        }

        /// Refuses where triggers wrote other rows into them, in tables that saw writes.
        func requireFree(_ counts: [UInt32: ChangeCounters.Count]?, asking ask: Ask) throws(Failure) {
            let doubtful = places.filter { key, _ in
                counts.map { ($0[key.table.oid]?.inserted ?? 0) + ($0[key.table.oid]?.updated ?? 0) > 0 } ?? true
            }
            let questions = doubtful.map { key, values in
                let sql = """
                    select pg_catalog.count(*) as rows from \(key.table.ownRows) t \
                    where \(ownWrite) and \(key.condition) and \(key.value) = any ($1::pg_catalog.jsonb[])
                    """
                return Query(unsafe: sql, [values])
            }
            var taken: [String: Int] = [:]
            for ((key, _), answer) in zip(doubtful, try ask(questions)) {
                let rows = try decoding(try answer.count())
                if rows > 0 { taken[key.table.qualifiedName] = max(rows, taken[key.table.qualifiedName] ?? 0) }
            }
            guard !taken.isEmpty else { return }
            throw Failure(
                ArchiveRefusal.misplaced(
                    taken.sorted { $0.key < $1.key }.map { TableRows($0.key, $0.value) },
                    triggers: account.writes.known.map { NamedTrigger($0, in: account.map.graph) }))
        }
    }
}
