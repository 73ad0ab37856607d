internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The rows that refer to what goes, and stay.
extension AccountClosure {
    /// How many rows stay and lose a reference, are overwritten, or stay as they are.
    ///
    /// Each table is asked once, whatever leads to its rows: a way that no index serves reads all of it. A row that stays by
    /// several links is one row all the same.
    mutating func countStaying(_ ask: Ask) throws(Failure) {
        var questions: [(table: UInt32, links: [AccountLink], query: Query)] = []
        for (table, ids) in map.linksByChild.sorted(by: { $0.key < $1.key }) {
            guard let relation = map.graph.tables[table], !relation.isEmpty else { continue }
            var bindings = Bindings()
            var (links, conditions): ([AccountLink], [String]) = ([], [])
            for link in ids.map({ map.links[$0] }) {
                guard let stays = staying(link, &bindings) else { continue }
                links.append(link)
                conditions.append("(\(stays))")
            }
            if links.isEmpty { continue }
            var outputs = links.count == 1 ? [] : conditions
            if map.hasPolicy(table) {
                outputs += [holding(table, &bindings), losing(by: links, &bindings)].map { $0 ?? "false" }
            } else {
                outputs += keptByLine(table, &bindings)
            }
            let counts = outputs.map { ", pg_catalog.count(*) filter (where \($0))" }.joined()
            let sql =
                "select pg_catalog.count(*)\(counts) from \(relation.ownRows) t where \(conditions.joined(separator: " or "))"
            questions.append((table, links, Query(unsafe: sql, values: bindings.values)))
        }
        try requireSight(of: questions.map(\.table))
        for ((table, links, _), answer) in zip(questions, try ask(questions.map(\.query))) {
            let counts = try decoding(try answer.only().integers())
            let rows = counts[0]
            guard rows > 0 else { continue }
            let byLink = links.count == 1 ? [rows] : Array(counts[1...links.count])
            for (link, rows) in zip(links, byLink) { count(rows, stayingBy: link.id) }
            let rest = counts.dropFirst(links.count == 1 ? 1 : 1 + links.count)
            // Only where there is a policy it matters which rows it is about.
            if map.hasPolicy(table) {
                count(Staying(rows: rows, held: rest[rest.startIndex], losing: rest[rest.startIndex + 1]), in: table)
            } else {
                count(Staying(rows: rows, kept: Array(rest)), in: table)
            }
        }
    }

    /// The condition under which a row refers to what goes by a link, and stays.
    func staying(_ link: AccountLink, _ bindings: inout Bindings) -> String? {
        if link.isDeleting {
            return bindings.attempt { bindings in
                guard let belongs = belonging(by: link, &bindings) else { return nil }
                return stays(link.child, &bindings).map { "\(belongs) and (\($0))" }
            }
        }
        guard !isLeft(link), let belongs = link.condition(keys, &bindings) else { return nil }
        let shared = isSparing(link) ? isShared(link.child, &bindings) : nil
        let belongsAlone = shared.map { "\(belongs) and (\($0)) is not true" } ?? belongs
        return condition(of: link.child, &bindings).map { "\(belongsAlone) and (\($0)) is not true" } ?? belongsAlone
    }

    /// Whether all rows that refer to what goes by a link are known to go themselves: those that would stay were counted.
    func isKnownToLeaveNone(_ link: AccountLink) -> Bool {
        !link.isDeleting && !isLeft(link) && !isSparing(link) && staying[link.id, default: 0] == 0
    }

    /// The same for any of some links.
    func staying(by links: [AccountLink], _ bindings: inout Bindings) -> String? {
        let conditions = links.compactMap { staying($0, &bindings) }.map { "(\($0))" }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    // MARK: Lines about a part of a table

    /// Finds the rows that lines about a part of their table say stay, of those that belong to the account as far as is known:
    /// what whoever deletes answers about others' rows, and what a key says of rows that stay anyway, changes nothing of it.
    ///
    /// They are told by their keys from then on: what led to them, or met the condition, may be emptied or overwritten.
    mutating func excludeKept(of tables: [UInt32], _ ask: Ask) throws(Failure) {
        var questions: [(key: KeyColumns, line: Int, query: Query)] = []
        for table in tables {
            guard let lines = map.lines.partly[table], let relation = map.graph.tables[table], !relation.isEmpty else {
                continue
            }
            guard !relation.key.isEmpty else { throw Failure(AccountRefusal.noKey(table: relation.qualifiedName)) }
            let key = KeyColumns(of: relation)
            for (number, line) in lines.enumerated() {
                var bindings = Bindings()
                guard let belongs = comes(to: table, by: line, &bindings), let stays = meets(line.way, table, &bindings)
                else { continue }
                let found = isKept(table, &bindings).map { " and \($0) is not true" } ?? ""
                let sql =
                    "select \(key.gathered().joined(separator: ", ")) from \(relation.ownRows) t where (\(belongs)) and (\(stays))\(found)"
                questions.append((key, number, Query(unsafe: sql, values: bindings.values)))
            }
        }
        try requireSight(of: questions.map(\.key.table))
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            guard let arrays = question.key.arrays(try decoding(try answer.only()).values) else { continue }
            exclude(question.key, arrays, by: question.line)
        }
    }

    /// The condition under which a row belongs to the account, as a line about a part of its table takes it: a line that names
    /// the way says enough.
    private func comes(to table: UInt32, by line: AccountLines.Partly, _ bindings: inout Bindings) -> String? {
        belonging(to: table, { $0.isDeleting || line.isOverwritten && line.isBy($0) }, &bindings)
    }

    /// The condition under which a row is one of those that a line is about; nil where nothing leads to such rows.
    private func meets(_ way: App.Account.Way, _ table: UInt32, _ bindings: inout Bindings) -> String? {
        var parts: [String] = []
        if let name = way.column {
            let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter { $0.holds(name) }
            let ways = links.compactMap { $0.condition(keys, &bindings) }
            guard !ways.isEmpty else { return nil }
            parts.append("(\(ways.joined(separator: " or ")))")
        }
        if let condition = way.condition { parts.append("(\(condition))") }
        return parts.joined(separator: " and ")
    }

    /// For each line about a part of a table the condition under which a row stays by it, and by none before it.
    private func keptByLine(_ table: UInt32, _ bindings: inout Bindings) -> [String] {
        var before: [String] = []
        return (map.lines.partly[table] ?? []).indices.map { line in
            guard let own = isKept(table, by: line, &bindings) else { return "false" }
            defer { before.append(own) }
            return before.isEmpty ? own : "\(own) and (\(before.joined(separator: " or "))) is not true"
        }
    }

    // MARK: Policies

    /// Whether a link leads straight to rows that are users.
    func isStraight(_ link: AccountLink) -> Bool {
        map.userTables.contains(link.parent) && link.reading == nil
    }

    /// The condition under which a row holds the users who go, whom a policy of its table is about: it refers to one of them, or
    /// would go with something of theirs and is nobody else's.
    ///
    /// Whatever else refers to rows that go loses the reference and nothing besides.
    func holding(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if map.userTables.contains(table) {
            let own = isOwn(table, &bindings)
            return own.isEmpty ? nil : own.joined(separator: " or ")
        }
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }
        var conditions = links.filter(isStraight).compactMap { link in
            link.condition(ownKeys, as: .own, &bindings).map { own in
                refersToNeeded(by: link, &bindings).map { "(\(own) and (\($0)) is not true)" } ?? own
            }
        }
        let owning = links.filter { $0.isOwning && !isStraight($0) }.compactMap { $0.condition(keys, &bindings) }
        if !owning.isEmpty {
            let belongs = "(\(owning.joined(separator: " or ")))"
            conditions.append(isShared(table, &bindings).map { "(\(belongs) and (\($0)) is not true)" } ?? belongs)
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The tables that lines keep and whose rows nothing of the account leads to but rows which stay with the users in them.
    ///
    /// What a line keeps with them is theirs as those are, and nobody looks into it.
    var hanging: [(link: AccountLink, query: Query)] {
        var ways: [UInt32: AccountLink] = [:]
        var open = stayingRows.filter { map.hasPolicy($0.key) && $0.value.held > 0 }.keys.sorted()
        while let parent = open.first {
            open.removeFirst()
            for link in (map.linksByParent[parent] ?? []).map({ map.links[$0] }) {
                let child = link.child
                guard link.reference != nil, map.kept[child] != nil, stayingRows[child] == nil, ways[child] == nil,
                    let relation = map.graph.tables[child], relation.isReadable, !relation.isEmpty
                else { continue }
                ways[child] = link
                open.append(child)
            }
        }
        return ways.values.sorted { $0.id < $1.id }.compactMap { link in
            var bindings = Bindings()
            guard let child = map.graph.tables[link.child], let hangs = hanging(by: link, ways, &bindings) else {
                return nil
            }
            let sql = "select pg_catalog.count(*) as rows from \(child.ownRows) t where \(hangs)"
            return (link, Query(unsafe: sql, values: bindings.values))
        }
    }

    private func hanging(
        by link: AccountLink, _ ways: [UInt32: AccountLink], _ bindings: inout Bindings
    ) -> String? {
        let further = ways[link.parent]
        let stays = further.map { hanging(by: $0, ways, &bindings) } ?? holding(link.parent, &bindings)
        guard let parent = map.graph.tables[link.parent], let stays else { return nil }
        let keys = link.key.expressions.enumerated().map { "\($1) as k\($0)" }.joined(separator: ", ")
        let own = link.columns.map(\.expression).joined(separator: ", ")
        let names = link.columns.indices.map { "k\($0)" }.joined(separator: ", ")
        return "(\(own)) in (select \(names) from (select \(keys) from \(parent.ownRows) t where \(stays)) kept)"
    }

    /// The columns that a row which stays loses with a reference, besides what a policy says of rows that hold the users.
    func lost(by link: AccountLink) -> [String] {
        if isLeft(link) { return [] }
        let overwritten = map.overwritten(by: link).map(\.name)
        let effect = link.isDeleting ? map.sharedEffect(link) : link.effect
        if case .detach(let columns, _)? = effect { return columns + overwritten.filter { !columns.contains($0) } }
        return overwritten
    }

    /// Asks of each table whose shared rows a line gives to others whether it gives one to somebody who goes, or who is not
    /// there at all.
    var reassigning: [(table: UInt32, parent: UInt32, query: Query)] {
        staying.keys.sorted().compactMap { id in
            var link = map.links[id]
            guard link.isDeleting, link.columns.count == 1, let relation = map.graph.tables[link.child],
                let expression = map.lines.shared[link.child]?.heir
            else { return nil }
            var bindings = Bindings()
            guard let stays = staying(link, &bindings) else { return nil }
            link.columns = [.init(expression: "h.heir", equals: link.columns[0].equals)]
            guard let refers = link.condition(keys, &bindings), let parent = map.graph.tables[link.parent] else {
                return nil
            }
            let (key, type, equals) = (link.key.expressions[0], link.key.types[0], link.key.equals[0])
            let sql = """
                select coalesce(\(refers), false) as goes from \(relation.ownRows) t \
                cross join lateral (select (\(expression))::\(type) as heir) h where (\(stays)) and (coalesce(\(refers), false) \
                or not exists (select from \(parent.sql) t where \(key) \(equals) h.heir)) order by 1 desc limit 1
                """
            return (link.child, link.parent, Query(unsafe: sql, values: bindings.values))
        }
    }

    /// The columns that a deletion itself empties or overwrites in the rows of a table that stay.
    func ownColumns(_ table: UInt32) -> Set<String> {
        let links = staying.keys.map { map.links[$0] }.filter { $0.child == table }
        return Set(links.flatMap { lost(by: $0) } + (map.anonymised[table] ?? []).map(\.name))
    }

    /// The condition under which it does so in a row.
    func changing(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let links = staying.keys.sorted().map { map.links[$0] }.filter { $0.child == table }
        let held = map.hasPolicy(table) && !links.isEmpty ? holding(table, &bindings) : nil
        let conditions = [staying(by: links, &bindings), held].compactMap(\.self)
        return conditions.isEmpty ? nil : conditions.map { "(\($0))" }.joined(separator: " or ")
    }

    /// The condition under which a row loses a reference by one of some links, and does not hold the users.
    func losing(by links: [AccountLink], _ bindings: inout Bindings) -> String? {
        guard let loses = staying(by: links.filter { !lost(by: $0).isEmpty }, &bindings) else { return nil }
        return holding(links[0].child, &bindings).map { "(\(loses)) and (\($0)) is not true" } ?? loses
    }

    /// The conditions under which a row refers to what goes with a column that is to be overwritten in it.
    func toOverwrite(_ table: UInt32, _ bindings: inout Bindings) -> [String] {
        var conditions: [String] = []
        for id in map.linksByChild[table] ?? [] {
            for column in map.anonymised[table] ?? [] where map.links[id].holds(column.name) {
                guard let refers = map.links[id].condition(keys, &bindings) else { continue }
                var parts = [refers] + (column.condition.map { ["(\($0))"] } ?? [])
                if let via = column.via {
                    let lines = (map.lines.partly[table] ?? []).enumerated().filter {
                        $1.isOverwritten && $1.way.via == via
                    }
                    let kept = lines.compactMap { isKept(table, by: $0.offset, &bindings) }
                    parts.append(kept.isEmpty ? "false" : "(\(kept.joined(separator: " or ")))")
                }
                conditions.append(parts.joined(separator: " and "))
            }
        }
        return conditions
    }
}
