internal import Asking
internal import Catalog
internal import PQ

/// Whom the columns of a database mean that no foreign key explains, as far as evidence speaks.
///
/// - Names come from `catalog/evidence.sql`, their words from `catalog/lexicon.sql`, one `OpenColumn` each.
/// - Values are samples, of what the planner remembers or of blocks spread over the table, looked up in the parents. What
///   counts is surprise: that a small number stands among small numbers says nothing, that a uuid stands says all.
/// - Namesakes that have a foreign key say what the column without one means.
/// - A word beside a key says which table is meant (`Readings.SpokenTables`), whatever its column is called (`SupposedTypes`).
///
/// The parent of each column is decided against all tables; only then `SurveyWalk` walks the account, along what goes by the
/// proposals, all levels at once.
struct Candidates {
    private(set) var columns: [OpenColumn]
    private(set) var samples: Samples
    let lexicon: Lexicon
    /// The readings that ask, of each column the one that most speaks for; several where as much speaks for each.
    var asking: [Candidate] = []
    /// Numbers that all stand among the users' keys, as nearly any would, and of which nothing else says what they mean.
    private(set) var untold: [OpenColumn] = []
    /// The tables in which something names rows of others, by those, as far as anybody looked.
    var claims: [UInt32: Set<UInt32>] = [:]
    let graph: Graph
    let root: Reading.Key
    /// Whether values count, or the catalog alone: what stands in a database today says nothing of tomorrow's.
    let weighsData: Bool
    private let users: Set<UInt32>
    let parents: Parents
    /// What triggers fill, whatever stands there.
    let filled: FilledColumns
    /// What names and functions say of each column, before anybody looks into it.
    private let said: [[Reading.Key: [Evidence]]]
    /// What speaks for each column, by parent; and how the values stand there.
    var evidence: [[Reading.Key: [Evidence]]]
    var standing: [[Reading.Key: Evidence.Standing]]
    var only: [[Reading.Key: Reading.Only]]

    /// Looks at all columns of a database, for the rows of a root and whatever may hang on them.
    init(of map: AccountMap, weighingData: Bool, asking ask: Ask) throws(Failure) {
        let (graph, lexicon) = (map.graph, map.lexicon)
        weighsData = weighingData
        // What a foreign key leaves in place is that key's.
        columns = map.openColumns.filter { !$0.isLeft && $0.kind != .same }
        samples = weighingData ? try Samples(of: columns, in: graph, asking: ask) : Samples()
        parents = Parents(columns, samples, in: graph, users: map.root.oid)
        (self.graph, self.lexicon) = (graph, lexicon)
        (root, users) = (Reading.Key(table: map.root.oid, column: map.root.column), map.userTables)
        let filled = try FilledColumns(of: map, asking: ask)
        said = columns.map { column in
            column.spoken.merging(filled.evidence(for: column).mapValues { [$0] }) { $0 + $1 }
        }
        (self.filled, evidence) = (filled, said)
        standing = Array(repeating: [:], count: columns.count)
        only = Array(repeating: [:], count: columns.count)
        let named = Readings.SpokenTables(graph, users: map.userTables, lexicon)
        var supposed = SupposedTypes(columns, samples, named)
        for (place, column) in supposed.columns { columns[place] = columns[place].typed(by: column) }
        if weighingData { try lookUpTypes(named, &supposed, asking: ask) }
        withdraw(supposed)
        try lookUpWhatIsMeant(asking: ask)
        try lookUpTheRest(asking: ask)
        decide()
        try lookForTheUntold(asking: ask)
    }

    /// Columns that hold what tells people, or speak of them at length: texts and documents that are not known to mean users.
    var texts: [OpenColumn] {
        let settled = Set(asking.filter { users.contains($0.parent.table) || $0.only != nil }.map(\.key))
        return columns.filter { ($0.kind == .text || $0.kind == .document) && !settled.contains($0.key) }
    }

    /// Looks for texts that seldom name somebody, where most of them say something else.
    mutating func lookForNames(besides others: Set<Reading.Key>, asking ask: Ask) throws(Failure) {
        let asUUIDs = others.union([root]).contains { parents[$0]?.kind == .uuid }
        try samples.lookForNames(in: texts, asUUIDs: asUUIDs, of: graph, asking: ask)
    }

    /// Whether a column is read as keys of another table, by every row.
    func reads(_ column: OpenColumn) -> Bool { asking.contains { $0.key == column.key } }

    /// What holds addresses of users means them, whatever else lists the same; and theirs mean nobody else's.
    mutating func yield(to mentioned: Mentioned) {
        let theirs = Set(mentioned.addresses.map(\.column.key) + mentioned.mentions.map(\.column.key))
        asking.removeAll { theirs.contains($0.key) || users.contains($0.table) && theirs.contains($0.parent) }
    }

    // MARK: Values

    /// How the values of a parent are compared; nil of one of which nothing is known.
    func kind(of parent: Reading.Key) -> OpenColumn.Kind? { parents[parent]?.kind }

    /// The values of a column that could be keys of a kind.
    ///
    /// A reference compares a text with what a uuid is written as: of those written otherwise a search alone knows.
    private func values(_ place: Int, as kind: OpenColumn.Kind) -> [String] {
        let (column, values) = (columns[place], samples[columns[place].key].filter { Parents.says($0, kind) })
        let isCompared = column.kind != .text || column.isList || kind != .uuid
        return isCompared || values.allSatisfy { Spellings.uuid($0) == $0 } ? values : []
    }

    /// What a number beside a name of a table means, type by type.
    private mutating func lookUpTypes(
        _ named: Readings.SpokenTables, _ supposed: inout SupposedTypes, asking ask: Ask
    ) throws(Failure) {
        let keys = Dictionary(grouping: columns.filter { $0.isOwnKey && !$0.isList }, by: \.table)
        let places = columns.indices.filter { columns[$0].typeColumn != nil }
        let typed = places.compactMap { place in named.question(about: columns[place]).map { (place, $0) } }
        var questions: [(place: Int, key: Reading.Key, query: Query)] = []
        for ((place, _), answer) in zip(typed, try ask(typed.map(\.1))) {
            let column = columns[place]
            guard let typeColumn = column.typeColumn, let table = graph.tables[column.table] else { continue }
            let (tables, unknown) = try decoding { () throws(DecodingFailure) in try named.read(answer, beside: column)
            }
            guard column.isTyped(by: tables) else { continue }
            let some = Array(unknown.prefix(5))
            if tables.isEmpty {
                guard !unknown.isEmpty else { continue }
                let opaque = Evidence(.untyped(column: typeColumn, words: some), points: 0)
                for key in evidence[place].keys { evidence[place][key]?.append(opaque) }
                continue
            }
            evidence[place] = [:]
            for (parent, words) in tables {
                guard let key = keys[parent]?.first, key.kind == column.kind || column.kind == .text else { continue }
                only[place][key.key] = Reading.Only(column: typeColumn, words: words)
                evidence[place][key.key] = [Evidence(.typed(column: typeColumn, words: words), points: 3)]
                if !unknown.isEmpty { evidence[place][key.key]?.append(Evidence(.unknownWords(some), points: 0)) }
                guard !table.asksElsewhere else { continue }
                let value = "\(cell(column.name))::pg_catalog.text"
                let type = "\(cell(typeColumn))::pg_catalog.text = any ($1::pg_catalog.text[])"
                let rows = "select \(value) as v from \(table.ownRows) t where \(type) limit 1000"
                questions.append(
                    (
                        place, key.key,
                        Query(
                            unsafe: "select distinct r.v from (\(rows)) r where r.v is not null limit \(Samples.most)",
                            [arrayLiteral(words)])
                    ))
            }
        }
        var asked: [Reading.Key: [(place: Int, values: [String])]] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            guard let kind = parents[question.key]?.kind else { continue }
            let values = try decoding(try answer.texts()).filter { Parents.says($0, kind) }
            asked[question.key, default: []].append((question.place, values))
            supposed.note(values, at: question.place, meaning: question.key)
        }
        try lookUp(asked, asking: ask)
    }

    /// What words beside them do not tell apart means what its name says.
    private mutating func withdraw(_ supposed: SupposedTypes) {
        for place in supposed.columns.keys where !only[place].isEmpty {
            if supposed.holds(at: place, standing[place], parents) { continue }
            (evidence[place], only[place], standing[place]) = (said[place], [:], [:])
        }
    }

    /// Looks up the values of columns in the parents that something speaks for.
    private mutating func lookUpWhatIsMeant(asking ask: Ask) throws(Failure) {
        var asked: [Reading.Key: [(place: Int, values: [String])]] = [:]
        for place in columns.indices where columns[place].isReadable {
            for key in evidence[place].keys where only[place][key] == nil {
                guard let parent = parents[key] else { continue }
                asked[key, default: []].append((place, values(place, as: parent.kind)))
            }
        }
        try lookUp(asked, asking: ask)
        // What is written in no way that a key of the parent could be is none.
        for place in columns.indices {
            let all = samples[columns[place].key].filter { !["0", "-1", ""].contains($0) }
            for key in evidence[place].keys {
                if all.count > 2, let parent = parents[key], values(place, as: parent.kind).isEmpty {
                    evidence[place][key]?.append(Evidence(.noKeys, points: -4))
                } else if all.isEmpty, isText(place, besides: key),
                    evidence[place][key]?.contains(where: \.isPlainName) == false
                {
                    // The key that another system knows somebody by is called so, too.
                    evidence[place][key]?.append(Evidence(.textForNumbers, points: -1))
                }
            }
        }
    }

    /// Whether it is the number of its own row, which nothing but values could say to be that of another.
    func isCounted(_ place: Int, besides key: Reading.Key) -> Bool {
        let column = columns[place]
        return column.isOwnKey && column.kind == .number && column.spoken[key] == nil && only[place][key] == nil
    }

    /// Whether a column holds texts where the keys that it may refer to are numbers.
    private func isText(_ place: Int, besides key: Reading.Key) -> Bool {
        columns[place].kind == .text && columns.first { $0.key == key }?.kind == .number
    }

    /// Looks up the values of columns that nothing speaks for, or that do not stand where their names say, in all parents
    /// that they could hardly stand in by chance.
    private mutating func lookUpTheRest(asking ask: Ask) throws(Failure) {
        var asked: [Reading.Key: [(place: Int, values: [String])]] = [:]
        for (place, column) in columns.enumerated() {
            let best = evidence[place].values.map { $0.reduce(0) { $0 + $1.points } }.max() ?? 0
            let isContradicted = standing[place].values.contains { $0.values > 0 && 5 * $0.hits < $0.values }
            // What the database counts is nobody else's, nor is a key that it makes up.
            guard column.isReadable, ![.document, .word].contains(column.kind), only[place].isEmpty,
                !(column.isMadeUp && (column.kind == .number || column.isOwnKey)),
                best < Evidence.asking || isContradicted
            else { continue }
            let values = samples[column.key]
            let telling = parents.telling(values, besides: column.key)
            let few = telling.count > 200 ? values.prefix(8) : values[...]
            for parent in telling where standing[place][parent.key] == nil {
                let compared = Set(self.values(place, as: parent.kind))
                asked[parent.key, default: []].append((place, few.filter(compared.contains)))
            }
        }
        try lookUp(asked, asking: ask)
        for place in columns.indices {
            let away = standing[place].filter { $0.value.values > 0 && 5 * $0.value.hits < $0.value.values }
            guard !away.isEmpty,
                let other = standing[place].first(where: {
                    $0.value.bits >= Evidence.Standing.telling && away[$0.key] == nil
                })
            else { continue }
            let name = "\(graph.tables[other.key.table]?.qualifiedName ?? "").\(other.key.column)"
            for key in away.keys where evidence[place][key] != nil {
                evidence[place][key]?.append(Evidence(.elsewhere(name), points: -4))
            }
        }
    }

    private mutating func lookUp(
        _ asked: [Reading.Key: [(place: Int, values: [String])]], asking ask: Ask
    ) throws(Failure) {
        let questions = asked.sorted { ($0.key.table, $0.key.column) < ($1.key.table, $1.key.column) }.compactMap {
            key, columns -> (key: Reading.Key, columns: [(place: Int, values: [String])], query: Query)? in
            let some = columns.filter { !$0.values.isEmpty }
            guard let parent = parents[key], !some.isEmpty else { return nil }
            let pairs = some.flatMap { column in
                Set(column.values.prefix(Samples.most)).sorted().map { (place: column.place, value: $0) }
            }
            return parents.question(key, parent.kind, pairs).map { (key, some, $0) }
        }
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            var hits: [Int: Int] = [:]
            try decoding { () throws(DecodingFailure) in
                for row in answer.rows { hits[try row.integer(at: 0)] = try row.integer(at: 1) }
            }
            for column in question.columns {
                let density = parents[question.key]?.density(among: column.values) ?? 1
                let standing = Evidence.Standing(
                    hits: hits[column.place] ?? 0, of: Set(column.values.prefix(Samples.most)).count, density: density,
                    isCounted: isCounted(column.place, besides: question.key))
                self.standing[column.place][question.key] = standing
                let spoken = evidence[column.place][question.key]
                let found = standing.evidence(isCalledSo: spoken?.contains(where: \.isPlainName) ?? false)
                if spoken != nil || found.contains(where: { $0.points > 1 }) {
                    evidence[column.place][question.key, default: []] += found
                }
            }
        }
    }

    /// Looks which numbers might as well be users' as anything, where there are so many users that it says nothing.
    private mutating func lookForTheUntold(asking ask: Ask) throws(Failure) {
        let keys = [root] + columns.filter { $0.isOther(keyOf: root.table) }.map(\.key)
        let places = columns.indices.filter { place in
            let column = columns[place]
            return column.kind == .number && column.isReadable && !column.isOwnKey && !column.isMadeUp
                && !keys.contains(column.key)
                && only[place].isEmpty && evidence[place].isEmpty && values(place, as: .number).count >= Self.fewest
        }
        let numbers = places.map { (place: $0, values: values($0, as: .number)) }
        var asked: [Reading.Key: [(place: Int, values: [String])]] = [:]
        for key in keys {
            guard let parent = parents[key], parent.kind == .number else { continue }
            let dense = numbers.filter { parent.density(among: $0.values) >= Parents.most }
            if !dense.isEmpty { asked[key] = dense }
        }
        try lookUp(asked, asking: ask)
        untold = places.filter { place in
            asked.contains { key, dense in
                dense.contains { $0.place == place } && (standing[place][key].map { $0.hits == $0.values } ?? false)
            }
        }.map { columns[$0] }
    }

    /// Fewer different values are those of a list of choices.
    private static let fewest = 4
}
