internal import Asking
internal import Catalog
internal import PQ

extension Candidates {
    /// Looks which tables name rows with some keys: in columns that are read as such keys, in texts and in documents.
    ///
    /// Who goes does not take along what others name, be it by no foreign key.
    mutating func lookForClaims(on keys: Set<Reading.Key>, asking ask: Ask) throws(Failure) {
        for reading in asking { claims[reading.parent.table, default: []].insert(reading.table) }
        if keys.isEmpty { return }
        let texts = self.texts.map { column in
            (column, tokens: (samples[column.key] + samples.naming(column.key)).map { Tokens(of: $0) })
        }
        // Those of some kinds are keys wherever they stand; a number may be any.
        typealias Said = (table: UInt32, values: [String], isNamed: Bool)
        var asked: [(parent: Parents.Parent, said: [Said], query: Query)] = []
        for key in keys.sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) }) {
            guard let parent = parents[key], let table = graph.tables[key.table] else { continue }
            let said = texts.filter { $0.0.table != key.table }.flatMap { column, tokens -> [Said] in
                let named = tokens.flatMap { tokens in
                    tokens.keys(
                        of: parent, isDocument: column.kind == .document, isMember: { lexicon.meansKey($0, of: table) },
                        leadsOn: { lexicon.isCalled($0, of: table) })
                }
                let isSparse = parent.kind == .number && parent.density < Parents.most
                let numbers = isSparse ? tokens.flatMap(\.words).map(\.word).filter { Parents.says($0, .number) } : []
                return [(named, true), (numbers, false)].map { values, isNamed in
                    (column.table, Array(Set(values).sorted().prefix(1000)), isNamed)
                }
            }.filter { !$0.values.isEmpty }
            let pairs = said.enumerated().flatMap { place, said in said.values.map { (place, $0) } }
            guard let query = pairs.isEmpty ? nil : parents.question(key, parent.kind, pairs) else { continue }
            asked.append((parent, said, query))
        }
        for ((parent, said, _), answer) in zip(asked, try ask(asked.map(\.query))) {
            try decoding { () throws(DecodingFailure) in
                for row in answer.rows {
                    let (said, hits) = (said[try row.integer(at: 0)], try row.integer(at: 1))
                    let standing = Evidence.Standing(
                        hits: hits, of: said.values.count, density: parent.density(among: said.values))
                    guard said.isNamed || standing.bits >= Evidence.Standing.telling else { continue }
                    claims[parent.key.table, default: []].insert(said.table)
                }
            }
        }
    }
}

extension AccountMap {
    /// The keys by which single rows refer outward, so that what they refer to may be theirs alone.
    var outwardKeys: Set<Reading.Key> {
        Set(
            graph.references.filter { $0.isSingle && $0.columns.count == 1 && !userTables.contains($0.referenced) }.map
            {
                Reading.Key(table: $0.referenced, column: $0.columns[0].referenced)
            })
    }
}
