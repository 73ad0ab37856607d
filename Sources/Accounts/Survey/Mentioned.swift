internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

extension Candidates {
    /// Texts and documents that speak of people: by an address, by the key of one, or by a name of a number that means people.
    struct Mentioned {
        /// Columns that are called an address and nothing besides, or hold each address once.
        ///
        /// The row is of whoever is reached so.
        private(set) var addresses: [(column: OpenColumn, evidence: [Evidence])] = []
        /// The others, and whether such an address or key is all that a text says, wherever one stands in it.
        private(set) var mentions: [(column: OpenColumn, evidence: [Evidence], isWhole: Bool)] = []
        /// Columns in which nothing could stand instead of it.
        private(set) var fixed: Set<Reading.Key> = []

        /// Looks into the samples of columns that are no keys.
        init(
            in candidates: Candidates, of map: AccountMap, asking ask: Ask
        ) throws(Failure) {
            let (graph, users, root) = (map.graph, map.userTables, candidates.root)
            guard let table = graph.tables[root.table] else { return }
            let (key, lexicon) = (candidates.columns.first { $0.key == root }, candidates.lexicon)
            let own = candidates.columns.filter { users.contains($0.table) && map.emails.contains($0.key) }
            let others = candidates.texts.filter { !users.contains($0.table) }
            var (keys, addressed): ([(place: Int, value: String)], [(place: Int, value: String)]) = ([], [])
            var isWhole: [Int: Bool] = [:]
            let parents = candidates.parents
            let columns = Set(graph.names(referringTo: root.column, of: root.table))
            func isCalled(_ name: String) -> Bool { columns.contains(Spellings.small(name)) }
            for (place, column) in others.enumerated() {
                for text in candidates.samples[column.key] + candidates.samples.naming(column.key) {
                    let tokens = Tokens(of: text)
                    addressed += tokens.addresses.map { (place, $0.lowercased()) }
                    let named = tokens.addresses + (key?.kind == .uuid ? tokens.uuids : [])
                    if let first = named.first {
                        isWhole[place] = (isWhole[place] ?? true) && first.utf8.count == text.utf8.count
                    }
                    guard let parent = parents[root] else { continue }
                    keys += tokens.keys(
                        of: parent, isDocument: column.kind == .document,
                        isMember: { lexicon.meansPeople($0, of: table) || isCalled($0) },
                        leadsOn: { lexicon.leadsToPeople($0, of: table) || isCalled($0) }
                    ).map { (place, $0) }
                }
            }
            var queries: [Query] = []
            if let key, !keys.isEmpty, let question = parents.question(root, key.kind, keys) {
                queries.append(question)
            }
            let asksKeys = queries.count
            if !addressed.isEmpty { queries += own.compactMap { Self.question($0, addressed, graph) } }
            // Where addresses of users stand that this role may read, those that stand nowhere there are somebody else's.
            let areKnown = own.contains { $0.isReadable && graph.tables[$0.table]?.isEmpty == false }
            let values = Dictionary(grouping: addressed, by: \.place).mapValues { Set($0.map(\.value)).count }
            var found: [Int: (keys: Int, addresses: Int)] = [:]
            for (number, answer) in try ask(queries).enumerated() {
                try decoding { () throws(DecodingFailure) in
                    for row in answer.rows {
                        let (place, hits) = (try row.integer(at: 0), try row.integer(at: 1))
                        if number < asksKeys {
                            found[place, default: (0, 0)].keys += hits
                        } else {
                            found[place, default: (0, 0)].addresses += hits
                        }
                    }
                }
            }
            // Of keys that somebody chose, some look like addresses.
            func isNothingElse(_ column: OpenColumn) -> Bool {
                candidates.samples[column.key].allSatisfy { Tokens(of: $0).addresses.first == $0 }
            }
            var speaking: [(place: Int, column: OpenColumn, evidence: [Evidence])] = []
            for (place, column) in others.enumerated() {
                let hits = found[place] ?? (0, 0)
                if candidates.reads(column), hits.addresses == 0 || !isNothingElse(column) { continue }
                var evidence: [Evidence] = []
                if column.isAddress, column.kind == .text {
                    evidence.append(Evidence(.calledAddress, points: 3))
                }
                let filled = own.isEmpty ? nil : candidates.filled.addresses(in: column)
                if let filled { evidence.append(filled) }
                if hits.addresses > 0 {
                    evidence.append(Evidence(.addresses(hits.addresses), points: 4))
                } else if areKnown, let values = values[place] {
                    evidence += Evidence.Standing(hits: 0, of: values, density: 0).evidence(isCalledSo: false)
                }
                if hits.keys > 0 { evidence.append(Evidence(.keys(hits.keys), points: 4)) }
                if evidence.reduce(0, { $0 + $1.points }) >= Evidence.asking {
                    speaking.append((place, column, evidence))
                }
            }
            let obstacles = try Self.obstacles(to: speaking.map(\.column), in: graph, asking: ask)
            for (number, (place, column, evidence)) in speaking.enumerated() {
                let hits = found[place] ?? (0, 0)
                let isCalledSo = column.isAddress || !own.isEmpty && candidates.filled.addresses(in: column) != nil
                let against = obstacles[number] ?? []
                if !against.isEmpty { fixed.insert(column.key) }
                let isAlone = column.kind == .text && !column.isList && (isWhole[place] ?? isCalledSo)
                if column.kind == .text, !evidence.isEmpty, !own.isEmpty, hits.keys == 0,
                    column.isList
                        ? column.isAddress || isWhole[place] == true
                        : isAlone && (lexicon.isAddress(column.name) || against.contains(.once) && hits.addresses > 0)
                {
                    addresses.append((column, evidence))
                } else if hits.keys + hits.addresses > 0 || isCalledSo && isAlone && !own.isEmpty {
                    mentions.append((column, evidence, isAlone))
                }
            }
        }

        /// What stands against making somebody unknown in columns, by their places.
        private static func obstacles(
            to columns: [OpenColumn], in graph: Graph, asking ask: Ask
        ) throws(Failure) -> [Int: [MarkedColumns.Obstacle]] {
            if columns.isEmpty { return [:] }
            let paths = columns.map { column in
                graph.tables[column.table].map { SQLName.path(of: [$0.schema, $0.name, column.name]) } ?? ""
            }
            let answer = try ask([MarkedColumns.query(of: paths)])[0]
            var marked = try decoding { () throws(DecodingFailure) in try MarkedColumns(answer) }
            let answers = try ask(marked.steps)
            try decoding { () throws(DecodingFailure) in try marked.take(answers) }
            return marked.obstacles
        }

        private static func question(_ column: OpenColumn, _ addressed: [(place: Int, value: String)], _ graph: Graph)
            -> Query?
        {
            guard let table = graph.tables[column.table], column.isReadable else { return nil }
            let value = "pg_catalog.lower(\(cell(column.name))::pg_catalog.text)"
            let known =
                "select \(value) as v from \(table.ownRows) t where \(value) = any ($2::pg_catalog.text[])"
            return Query(
                unsafe: """
                    select s.place, pg_catalog.count(distinct s.value) from rows from (\
                    pg_catalog.unnest($1::pg_catalog.int4[]), pg_catalog.unnest($2::pg_catalog.text[])) as s (place, value) where s.value in (\(known)) group by 1
                    """, [arrayLiteral(addressed.map { String($0.place) }), arrayLiteral(addressed.map(\.value))])
        }
    }
}
