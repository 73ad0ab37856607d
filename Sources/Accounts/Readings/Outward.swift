internal import Asking
internal import Catalog
internal import PQ

extension Readings {
    /// References that lead outward, from rows of an account to rows that nobody else has: what is known of somebody may stand
    /// there.
    ///
    /// A survey and a deletion ask by the same test, so that what one of them calls settled the other does not ask about.
    struct Outward {
        /// Columns of which no two rows hold the same value, though nothing enforces it.
        private(set) var unshared: Set<Reading.Key> = []
        private let reached: Set<UInt32>
        /// The tables whose rows are an account's, be it that such references lead there: what belongs to a profile that belongs to a
        /// user is that user's, too.
        private var held: Set<UInt32>

        /// Fewer values are different by chance; in more than so many one value may stand twice behind those that were read.
        private static let (fewest, most) = (20, 20_000)

        /// Without a look at values.
        init(of map: AccountMap) {
            reached = map.reached
            held = reached
            while goFurther(in: map) {}
        }

        /// Looks which columns hold no value twice, step by step away from the users.
        init(of map: AccountMap, asking ask: Ask) throws(Failure) {
            reached = map.reached
            held = reached
            var seen: Set<Reading.Key> = []
            repeat { try look(of: map, &seen, ask) } while goFurther(in: map)
        }

        /// Takes what such references lead to for the account's, with what hangs on it; tells whether that was anything new.
        private mutating func goFurther(in map: AccountMap) -> Bool {
            let before = held.count
            for reference in map.graph.references where reference.columns.count == 1 && held.contains(reference.table) {
                let column = Reading.Key(table: reference.table, column: reference.columns[0].name)
                guard map.lines.owned.contains(column) || isHalf(reference, in: map) else { continue }
                held.formUnion(map.reached(from: reference.referenced))
            }
            return held.count > before
        }

        /// Looks into columns that are not known yet: what the planner remembers, else what stands in them.
        private mutating func look(of map: AccountMap, _ seen: inout Set<Reading.Key>, _ ask: Ask) throws(Failure) {
            let open = map.graph.references.filter { reference in
                guard !reference.isSingle, mayBeHalf(reference, in: map), let table = map.graph.tables[reference.table]
                else { return false }
                return table.isReadable && !table.isSecured && !table.isEmpty && !table.asksElsewhere
            }
            let columns = open.map { Reading.Key(table: $0.table, column: $0.columns[0].name) }.filter {
                seen.insert($0).inserted
            }
            if columns.isEmpty { return }
            let remembered = Query(
                file: "catalog/unshared_columns.sql",
                [
                    arrayLiteral(columns.map { String($0.table) }), arrayLiteral(columns.map(\.column)),
                    String(Self.fewest),
                ])
            let answer = try ask([remembered])[0]
            var unknown: [Reading.Key] = []
            try decoding { () throws(DecodingFailure) in
                for (column, row) in zip(columns, answer.rows) {
                    switch try row.optionalBoolean("unshared") {
                    case true?: unshared.insert(column)
                    case false?: continue
                    case nil: if try row.boolean("readable") { unknown.append(column) }
                    }
                }
            }
            let questions = unknown.compactMap { column in
                map.graph.tables[column.table].map { table in
                    let value = cell(column.column)
                    let some =
                        "select \(value) as v from \(table.ownRows) t where \(value) is not null limit \(Self.most + 1)"
                    return Query(
                        unsafe: """
                            select pg_catalog.count(*), pg_catalog.count(distinct s.v::pg_catalog.text) from (\(some)) s
                            """)
                }
            }
            for (column, answer) in zip(unknown, try ask(questions)) {
                let counts = try decoding(try answer.only().integers())
                let isKnown = (Self.fewest...Self.most).contains(counts[0])
                if isKnown, counts[0] == counts[1] { unshared.insert(column) }
            }
        }

        /// Whether what a row of an account refers to may be that account's alone.
        func isHalf(_ reference: Graph.Reference, in map: AccountMap) -> Bool {
            guard mayBeHalf(reference, in: map) else { return false }
            let isOfUsers = map.userTables.contains(reference.table)
            let arePeople = map.graph.tables[reference.referenced].map { map.lexicon.arePeople($0.name) } ?? false
            let column = Reading.Key(table: reference.table, column: reference.columns[0].name)
            return reference.isSingle || isOfUsers && arePeople || unshared.contains(column)
        }

        /// Whether a reference leads from rows of an account to others of which no line says what becomes of them; and further away
        /// than from the users themselves, to rows on which nothing else has a claim.
        private func mayBeHalf(_ reference: Graph.Reference, in map: AccountMap) -> Bool {
            guard reference.columns.count == 1, held.contains(reference.table),
                !map.userTables.contains(reference.referenced), map.kept[reference.referenced] == nil
            else { return false }
            let column = Reading.Key(table: reference.table, column: reference.columns[0].name)
            let key = Reading.Key(table: reference.referenced, column: reference.columns[0].referenced)
            if map.settles(column) || map.declares(key) { return false }
            return map.userTables.contains(reference.table)
                || !reached.contains(reference.referenced) && map.claims(besides: reference).isEmpty
        }
    }
}

extension AccountMap {
    /// The tables whose rows have a claim on what a reference leads to: its own children go with it, and what else refers to it
    /// needs it.
    func claims(besides reference: Graph.Reference) -> Set<String> {
        let others = (linksByParent[reference.referenced] ?? []).map { links[$0] }.filter {
            $0.reference != reference && $0.reference?.action != .cascade
        }
        return Set(others.map { name($0.child) })
    }
}
