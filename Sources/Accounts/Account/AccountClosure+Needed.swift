internal import Asking
internal import Catalog
internal import PQ

/// What rows of an account refer to and would take along, and what rows that stay need of it.
extension AccountClosure {
    /// What stays of one table for the rows of others that refer to it.
    struct Needed {
        var rows = 0
        var by: Set<UInt32> = []
    }

    /// Lets what would go with nothing but what refers to it stay where rows that stay refer to it, too; tells whether there
    /// was any.
    mutating func excludeNeeded(_ ask: Ask) throws(Failure) -> Bool {
        var questions: [(key: KeyColumns, children: [UInt32], query: Query)] = []
        for (table, rows) in found.sorted(by: { $0.key < $1.key }) where rows.rows > 0 {
            let halves = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter {
                $0.isDeleting && $0.reading?.half != nil
            }
            guard let half = halves.first, let relation = map.graph.tables[table] else { continue }
            var bindings = Bindings()
            let needs = needs(of: table, &bindings)
            guard !needs.isEmpty, let goes = condition(of: table, &bindings) else { continue }
            let besides = belonging(to: table, { $0.isDeleting && $0.reading?.half == nil }, &bindings)
            let key = KeyColumns(
                table: table, expressions: half.columns.map(\.expression), types: half.key.types,
                equals: half.columns.map(\.equals))
            let counts = needs.map { "pg_catalog.count(*) filter (where \($0.condition))" }
            let sql = """
                select \((["pg_catalog.count(*)"] + counts + key.gathered()).joined(separator: ", ")) \
                from \(relation.ownRows) t where (\(goes))\(besides.map { " and (\($0)) is not true" } ?? "") \
                and (\(needs.map(\.condition).joined(separator: " or ")))
                """
            questions.append((key, needs.map(\.child), Query(unsafe: sql, values: bindings.values)))
        }
        try requireSight(of: questions.flatMap(\.children))
        var isNew = false
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let row = try decoding(try answer.only())
            let (rows, counts) = try decoding { () throws(DecodingFailure) in
                var counts: [Int] = []
                for place in question.children.indices { counts.append(try row.integer(at: place + 1)) }
                return (try row.integer(at: 0), counts)
            }
            guard rows > 0, let arrays = question.key.arrays(row.values[(counts.count + 1)...]) else { continue }
            let by = Set(zip(question.children, counts).filter { $0.1 > 0 }.map(\.0))
            exclude(question.key, arrays, neededBy: by, rows)
            isNew = true
        }
        return isNew
    }

    /// The condition under which a row belongs to the account by a link: what stays for others does not for being referred to.
    func belonging(by link: AccountLink, _ bindings: inout Bindings) -> String? {
        guard let belongs = link.condition(keys, &bindings) else { return nil }
        guard link.reading?.half != nil, needed[link.child] != nil else { return belongs }
        let stay = excluded(from: link.child, { $0 == nil }, &bindings)
        return stay.isEmpty ? belongs : "(\(belongs) and (\(stay.joined(separator: " or "))) is not true)"
    }

    /// The condition under which a row is not to go with what refers to it, by one of the readings that say so.
    ///
    /// It was found to stay, or rows that stay refer to it; what a line says is followed first, and found to stay then.
    func isNeeded(_ reading: Reading, isFollowed: Bool, _ bindings: inout Bindings) -> String? {
        guard let half = reading.half else { return nil }
        var conditions = excluded(from: reading.table, { $0 == nil }, &bindings)
        let isOpen = isFollowed && map.lines.owned.contains(half)
        if !isOpen { conditions += needs(of: reading.table, &bindings).map(\.condition) }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The conditions under which rows of a table refer to a row, and stay.
    ///
    /// They are other rows of the kind that take such rows along; and where a line says that they do, those that would be
    /// emptied, and those that would go with it though they are somebody else's. What the database's own cascade takes is a
    /// part of it.
    private func needs(of table: UInt32, _ bindings: inout Bindings) -> [(child: UInt32, condition: String)] {
        let halves = Set(map.rowReadings.filter { $0.table == table }.compactMap(\.half))
        let isByLine = halves.contains(where: map.lines.owned.contains)
        return (map.linksByParent[table] ?? []).map { map.links[$0] }.compactMap { link in
            guard link.reading == nil, let child = map.graph.tables[link.child], !child.isEmpty else { return nil }
            let isHalf =
                link.reference.map { halves.contains(.init(table: $0.table, column: $0.columns[0].name)) } ?? false
            guard isHalf || isByLine else { return nil }
            if link.isDeleting, !isHalf, link.reference?.action == .cascade { return nil }
            return bindings.attempt { bindings in
                staysWithout(link, isOthers: link.isDeleting && !isHalf, &bindings).map { stays in
                    // Those rows are called `t` in their own select, so what they refer with goes out under another name.
                    let values = link.columns.enumerated().map { "\($1.expression) as k\($0)" }
                    let pairs = link.columns.indices.map { place in
                        "\(link.key.expressions[place]) \(link.columns[place].equals) needing.k\(place)"
                    }
                    return (
                        link.child,
                        """
                        exists (select from (select \(values.joined(separator: ", ")) from \(child.ownRows) t \
                        where \(stays)\(child.apart)) needing where \(pairs.joined(separator: " and ")))
                        """
                    )
                }
            }
        }
    }

    /// The condition under which a row that refers to something by a link stays for what else it refers to, and does not hold
    /// the users alone; nil where it cannot be another's and has to be.
    private func staysWithout(_ link: AccountLink, isOthers: Bool, _ bindings: inout Bindings) -> String? {
        var parts = [link.isPresent]
        if let goes = belonging(to: link.child, { $0.isDeleting && $0.parent != link.parent }, &bindings) {
            let stays = stays(link.child, &bindings).map { " and (\($0)) is not true" } ?? ""
            parts.append("((\(goes))\(stays)) is not true")
        }
        if isOthers {
            guard let shared = isShared(link.child, &bindings) else { return nil }
            parts.append("(\(shared))")
        } else if !map.userTables.contains(link.child) {
            let straight = (map.linksByChild[link.child] ?? []).map { map.links[$0] }.filter {
                isStraight($0) && $0.parent != link.parent && !$0.isStamp(map.lexicon)
            }.compactMap { $0.condition(ownKeys, as: .own, &bindings) }
            if !straight.isEmpty {
                let shared = isShared(link.child, &bindings).map { " and (\($0)) is not true" } ?? ""
                parts.append("((\(straight.joined(separator: " or ")))\(shared)) is not true")
            }
        }
        return parts.joined(separator: " and ")
    }

    /// The condition under which a row refers by a link to what stays for others.
    func refersToNeeded(by link: AccountLink, _ bindings: inout Bindings) -> String? {
        let conditions = excluded.enumerated().filter {
            needed[link.parent] != nil && $1.line == nil && $1.key.table == link.parent
                && $1.key.expressions == link.key.expressions
        }.map { number, rows in
            match(link.columns, bindings.bind(rows.arrays, of: rows.key, as: .excluded(number)))
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }
}
