internal import AppFile
internal import Catalog
internal import Inquiries

/// Walks an account along what goes by keys, lines and proposals, and asks about every reading on the way.
struct SurveyWalk {
    var questions: [Survey.Question] = []
    var hidden: Set<String> = []
    /// How many foreign keys refer to rows of the account.
    private(set) var keys = 0
    let map: AccountMap
    let candidates: Candidates
    /// What the data say of columns about which names alone ask; nil where the data ask.
    private let weighed: Candidates?
    private let outward: Readings.Outward
    let answers: [Survey.Answer]
    let columns: [Reading.Key: OpenColumn]
    /// What the foreign keys of the columns of a name do to their rows.
    private let habits: [String: [Graph.Action: Int]]
    /// The tables of which rows go.
    private(set) var reached: Set<UInt32>
    /// The tables to which triggers write while an account goes.
    var written: Set<UInt32> = []
    /// The tables of which users share rows.
    var shared: Set<UInt32> = []
    private var asked: Set<Reading.Key> = []

    init(
        _ map: AccountMap, _ candidates: Candidates, _ weighed: Candidates?, _ outward: Readings.Outward,
        _ answers: [Survey.Answer]
    ) {
        (self.map, self.candidates, self.outward, self.answers) = (map, candidates, outward, answers)
        self.weighed = weighed
        columns = Dictionary(candidates.columns.map { ($0.key, $0) }) { first, _ in first }
        var habits: [String: [Graph.Action: Int]] = [:]
        for reference in map.graph.references where reference.columns.count == 1 {
            habits[reference.columns[0].name.lowercased(), default: [:]][reference.action, default: 0] += 1
        }
        self.habits = habits
        reached = [map.root.oid]
    }

    /// All levels at once: what goes by one proposal opens the next.
    mutating func go() {
        let byParent = Dictionary(grouping: candidates.asking, by: \.parent.table)
        var open = [map.root.oid]
        while let table = open.popLast() {
            for id in map.linksByParent[table] ?? [] {
                if map.links[id].reference != nil { keys += 1 }
                if map.opens(map.links[id]), reached.insert(map.links[id].child).inserted {
                    open.append(map.links[id].child)
                }
            }
            for reading in byParent[table] ?? [] {
                let key = Reading.Key(table: reading.table, column: reading.column)
                guard let column = columns[key], !map.settles(column), map.graph.tables[key.table]?.isCopy != true
                else {
                    continue
                }
                guard column.isReadable else {
                    hidden.insert("\(map.name(key.table)).\(key.column)")
                    continue
                }
                // A column that means several tables asks once.
                guard asked.insert(key).inserted else { continue }
                let all = candidates.asking.filter { $0.key == key }
                if let weighed {
                    ask(column, calledLike: all, in: weighed)
                    continue
                }
                let effect = proposal(column, reading)
                ask(column, all, effect)
                if effect == .delete, reached.insert(key.table).inserted { open.append(key.table) }
            }
            for id in map.linksByChild[table] ?? [] {
                guard let owned = owned(map.links[id]) else { continue }
                if reached.insert(owned).inserted { open.append(owned) }
            }
        }
    }

    /// Asks about texts and documents: whoever may be mentioned there is a person, whatever else the account holds.
    mutating func add(_ mentioned: Candidates.Mentioned) {
        guard let root = map.graph.tables[map.root.oid] else { return }
        for (column, evidence) in mentioned.addresses where isOpen(column) {
            guard let email = map.emails.first else { continue }
            let reading = Candidate(table: column.table, column: column.name, parent: email, because: evidence)
            ask(column, [reading], answer(column.key) ?? (column.isDetachable ? .detach : .delete))
        }
        for (column, evidence, isWhole) in mentioned.mentions where isOpen(column) && column.table != root.oid {
            // Of what somebody else wrote the words are kept; what is nothing but a name says nothing without it.
            // Where the database does not take what would stand there instead, nobody can be made unknown.
            let isFixed = mentioned.fixed.contains(column.key)
            let without: Survey.Effect = !isFixed ? .anonymise : column.isFillable ? .detach : .ask
            let unknown = isWhole ? without : .mention
            let effect = answer(column.key) == .plain ? .plain : unknown
            let lines: [Survey.Proposal] =
                switch effect {
                case .plain: [.init("@plain \(path(column.key))", .namesNobody)]
                case .anonymise, .detach: [.init("@mention \(path(column.key)) : \(effect.rawValue)")]
                case .ask: []
                default: [.init("@mention \(path(column.key)) : keep")]
                }
            add(column, evidence, parent: nil, effect, lines)
        }
    }

    /// Lists what this role may not read and could hold a person, whatever it is called.
    mutating func addHidden() {
        let keys = Set(
            candidates.columns.filter { $0.key == candidates.root || $0.isOther(keyOf: map.root.oid) }.map(\.kind))
        for column in candidates.columns where !column.isReadable && !column.isMadeUp {
            let isText = column.kind == .text || column.kind == .document
            // What a user's own row says is that user's.
            guard keys.contains(column.kind) || isText, !isText || !map.userTables.contains(column.table) else {
                continue
            }
            _ = isOpen(column)
        }
    }

    private mutating func isOpen(_ column: OpenColumn) -> Bool {
        if map.settles(column) || map.graph.tables[column.table]?.isCopy == true { return false }
        if column.isReadable, map.graph.tables[column.table]?.asksElsewhere == false { return true }
        hidden.insert("\(map.name(column.table)).\(column.name)")
        return false
    }

    // MARK: Proposals

    /// What most likely becomes of a row when what it refers to goes.
    private func proposal(_ column: OpenColumn, _ reading: Candidate) -> Survey.Effect {
        if let answer = answer(column.key) { return answer }
        if reading.isGuess { return .ask }
        // Deleting one account never means deleting another that merely mentions it.
        if map.userTables.contains(column.table), !column.isOwnKey { return column.isDetachable ? .detach : .keep }
        if column.isList { return .detach }
        if !column.isDetachable { return .delete }
        let habits = self.habits[column.name.lowercased()] ?? [:]
        let all = habits.values.reduce(0, +)
        if all >= 2 {
            if 10 * (habits[.cascade] ?? 0) >= 7 * all { return .delete }
            if 10 * (habits[.setNull] ?? 0) >= 7 * all { return .detach }
        }
        return reading.because.contains(where: \.isPlainName) || reading.only != nil ? .delete : .detach
    }

    /// Asks about a column whose name and values disagree: it refers to what the values are keys of, or to nothing.
    private mutating func ask(_ column: OpenColumn, calledLike named: [Candidate], in weighed: Candidates) {
        let meant = weighed.asking.filter { $0.key == column.key }
        if let first = meant.first { return ask(column, meant, proposal(column, first)) }
        ask(column, named.map(weighed.judging), answer(column.key) ?? .plain)
    }

    private mutating func ask(_ column: OpenColumn, _ candidates: [Candidate], _ effect: Survey.Effect) {
        let own = path(column.key)
        var lines: [Survey.Proposal] = []
        switch effect {
        case .keep: lines = [.init("@keep \(own)", .namesForGood)]
        case .plain: lines = [.init("@plain \(own)", .refersToNobody)]
        case .ask: lines = []
        default: lines = self.lines(column, candidates, effect)
        }
        let parents = candidates.map { path($0.parent) }.sorted()
        add(column, candidates[0].because, parent: parents.joined(separator: " or "), effect, lines)
    }

    private func lines(_ column: OpenColumn, _ candidates: [Candidate], _ effect: Survey.Effect) -> [Survey.Proposal] {
        let own = path(column.key)
        var lines: [Survey.Proposal] = []
        // Whoever is in a list of users is known there by more than a key.
        for reading in candidates where !column.isList || !map.userTables.contains(reading.parent.table) {
            let from = isAddress(reading) && !column.isList ? folded(column) : own
            lines.append(.init("@reference \(from) -> \(parent(of: column, reading))" + (reading.only?.line ?? "")))
        }
        if effect == .detach { lines.append(.init("@detach \(own)", .staysWithout)) }
        return lines
    }

    /// What a reading refers to; as a text, where a text says which number it means.
    private func parent(of column: OpenColumn, _ reading: Candidate) -> String {
        guard reading.only == nil, column.kind == .text, columns[reading.parent]?.kind == .number,
            let table = map.graph.tables[reading.parent.table]
        else { return path(reading.parent) }
        return SQLName.path(of: [table.schema, table.name]) + " (\(SQLName.path(of: [reading.parent.column]))::text)"
    }

    private func isAddress(_ reading: Candidate) -> Bool {
        map.emails.contains(reading.parent) || columns[reading.parent]?.isAddress == true
    }

    /// A column in small letters: addresses are the same however somebody wrote them.
    private func folded(_ column: OpenColumn) -> String {
        "\(map.path(column.table)) (lower(\(SQLName.path(of: [column.name]))))"
    }

    private mutating func add(
        _ column: OpenColumn, _ because: [Evidence], parent: String?, _ effect: Survey.Effect,
        _ lines: [Survey.Proposal]
    ) {
        questions.append(
            Survey.Question(
                matter: .column, table: map.name(column.table), column: column.name, path: path(column.key),
                because: because,
                parent: parent, effect: effect, proposal: lines, rows: rows(column)))
    }

    /// The table of rows that go with the one that refers to them, where nobody else does; nil where that is not so, or
    /// settled.
    private mutating func owned(_ link: AccountLink) -> UInt32? {
        guard let reference = link.reference, reference.columns.count == 1, !reached.contains(link.parent),
            !map.userTables.contains(link.parent), map.kept[link.parent] == nil
        else { return nil }
        let column = Reading.Key(table: link.child, column: reference.columns[0].name)
        let parent = Reading.Key(table: link.parent, column: reference.columns[0].referenced)
        if map.lines.owned.contains(column) { return link.parent }
        let children = (map.linksByParent[link.parent] ?? []).map { map.links[$0] }.filter {
            $0.reference?.action == .cascade
        }
        let naming = (candidates.claims[link.parent] ?? []).subtracting(children.map(\.child))
        let claims = map.claims(besides: reference).union(naming.map { map.name($0) })
        let isOwned = reference.isSingle && claims.isEmpty
        guard !map.settles(column), isOwned || outward.isHalf(reference, in: map), asked.insert(column).inserted else {
            return nil
        }
        let answer = answer(column).map { $0 == .delete ? .owned : $0 == .detach ? .keep : $0 }
        let effect = answer ?? (isOwned ? .owned : .ask)
        let lines: [Survey.Effect: [Survey.Proposal]] = [
            .owned: [.init("@owns \(path(column)) -> \(path(parent))")],
            .keep: [.init("@keep \(path(column))", .staysForOthers)],
            .plain: [.init("@plain \(path(column))", .nobodys)],
        ]
        let alone = reference.isSingle || outward.unshared.contains(column)
        let fact: Evidence.Fact = alone ? .owned(claims: claims.sorted()) : .personal
        questions.append(
            Survey.Question(
                matter: .column, table: map.name(link.child), column: column.column, path: path(column),
                because: [Evidence(fact, points: 3)], parent: path(parent), effect: effect,
                proposal: lines[effect] ?? [],
                rows: map.graph.tables[link.parent].flatMap { $0.rows > 0 ? $0.rows : nil }))
        return effect == .owned ? link.parent : nil
    }

    private func rows(_ column: OpenColumn) -> Int? {
        guard let table = map.graph.tables[column.table], table.rows > 0 else { return nil }
        return Int((Double(table.rows) * (1 - (candidates.samples.empty[column.key] ?? 0))).rounded())
    }

    private func path(_ key: Reading.Key) -> String { map.path(key.table, key.column) }
}

extension Reading.Only {
    /// The condition of a line: the words stand in single quotes, in which a quote stands twice.
    fileprivate var line: String {
        let quoted = words.map {
            "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        return " where \(SQLName.path(of: [column]))::text in (\(quoted.joined(separator: ", ")))"
    }
}
