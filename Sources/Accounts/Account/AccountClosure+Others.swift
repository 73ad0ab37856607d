internal import Catalog
internal import PQ

/// Whose a row is besides the users who go.
extension AccountClosure {
    /// The condition under which a row is also another user's: it points at one, or its other references lead to one in
    /// no more steps than it is away from those who go.
    ///
    /// So what somebody wrote under another's post is theirs alone, and a message between two accounts is of both.
    func isShared(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        // Whoever invited a user does not share that user's own row.
        if map.userTables.contains(table) {
            let own = isOwn(table, &bindings)
            return own.isEmpty ? "true" : "(\(own.joined(separator: " or "))) is not true"
        }
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }
        var conditions = pointsAtAnother(table, among: links, &bindings)
        if let users = map.graph.tables[map.root.oid] {
            conditions += links.filter(\.isPerson).compactMap { link in
                link.reading.flatMap { reading in
                    bindings.attempt { bindings in
                        link.identity?.isOfAnother(
                            reading, among: users, named: named(in: table, among: users, &bindings), &bindings)
                    }
                }
            }
        }
        conditions += leadsToAnother(table, among: links, &bindings)
        if let mention = mentionsAnother(table, among: links, &bindings) { conditions.append(mention) }
        if let hangs = isNeededByAnother(table, &bindings) { conditions.append(hangs) }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The conditions under any of which a row of a table of users is one of the users themselves.
    func isOwn(_ table: UInt32, _ bindings: inout Bindings) -> [String] {
        var conditions = table == map.root.oid ? [isRoot(&bindings)] : []
        for id in map.linksByChild[table] ?? [] where map.isIdentity(map.links[id]) && map.links[id].parent != table {
            if let condition = map.links[id].condition(ownKeys, as: .own, &bindings) { conditions.append(condition) }
        }
        return conditions
    }

    /// How many steps a row is away from the users who go, by the link that led to it.
    func steps(_ link: AccountLink) -> Int {
        guard let reading = link.reading, reading.isPerson else { return (distance[link.parent] ?? 0) + 1 }
        // A row points at them, or speaks of them from afar.
        return reading.isMention ? Int(UInt16.max) : 1
    }

    /// Whether rows that stay keep what they say by a link: to keep what somebody wrote about another is to keep the words.
    func isLeft(_ link: AccountLink) -> Bool {
        guard let reading = link.reading, reading.isMention, !map.lines.empties(reading) else { return false }
        return answer == .keep || answer == .detach && !reading.isList && link.isDeleting
    }

    /// Whether rows in which others are named too keep what they say by a link that only empties a column: to take somebody
    /// out of what another wrote is to take the words, though not out of a list.
    func isSparing(_ link: AccountLink) -> Bool {
        guard answer != .delete, let reading = link.reading, !map.lines.empties(reading) else { return false }
        switch link.effect {
        case .delete, .stay: return false
        case .detach, .block: break
        }
        return reading.isMention && !reading.isList
    }

    /// The condition under which rows on other servers are those that rows here mean, of what says it there and here.
    typealias Named = (_ there: String, _ equals: String, _ here: String) -> String

    /// What rows of a table mean that belong to the account; nothing where what they mean lies on this server.
    ///
    /// On other servers nobody can be asked for one row at a time, and to fetch all takes as long as there are users.
    func named(in table: UInt32, among rows: Graph.Table, _ bindings: inout Bindings) -> Named? {
        guard rows.isDistributed, let relation = map.graph.tables[table],
            let belongs = belonging(to: table, { _ in true }, &bindings)
        else { return nil }
        return { there, equals, here in
            "\(there) \(equals) any (array(select \(here) from \(relation.ownRows) t where \(belongs)))"
        }
    }

    // MARK: One step

    /// The conditions under which a row points at another user itself.
    ///
    /// `isOwned` asks for those whose row it is, and not for who once wrote it down. Nor does that say anything of a row that is
    /// straight of the users who go, where the row can do without: whoever invited somebody does not share the membership.
    func pointsAtAnother(
        _ table: UInt32, among links: [AccountLink], isOwned: Bool = false, _ bindings: inout Bindings
    ) -> [String] {
        var conditions: [String] = []
        let straight = links.filter { $0.isDeleting && isStraight($0) && !$0.isStamp(map.lexicon) }
        func besidesTheirs(_ isStamp: Bool, _ bindings: inout Bindings) -> String {
            guard isStamp else { return "" }
            let theirs = straight.compactMap { $0.condition(ownKeys, as: .own, &bindings) }
            return theirs.isEmpty ? "" : " and (\(theirs.joined(separator: " or "))) is not true"
        }
        for link in links where map.userTables.contains(link.parent) && link.isPlain {
            if isOwned, link.isStamp(map.lexicon) { continue }
            // What no foreign key holds may point at nobody.
            guard link.key.partition == nil, link.reference != nil || exists(link) else { continue }
            let points =
                link.reference == nil ? refers(link, from: isOwned ? nil : table, &bindings) ?? "false" : link.isPresent
            let own = link.condition(ownKeys, as: .own, &bindings).map { " and \($0) is not true" } ?? ""
            conditions.append(
                "(\(points)\(own)\(besidesTheirs(link.isStamp(map.lexicon) && link.canBeEmpty, &bindings)))")
        }
        guard let root = map.graph.tables[map.root.oid], !map.userTables.contains(table) else { return conditions }
        for reading in map.certain[table] ?? [] where !(isOwned && map.lexicon.isStamp(reading.name)) {
            let isNumber = reading.column.kind == .number
            let value = AccountLink.Column(
                expression: reading.user(as: map.root.type, &bindings),
                equals: isNumber ? "operator(pg_catalog.=)" : map.root.equals)
            let own = match([value], bindings.bind([map.root.list], of: map.root.key, as: .root))
            let meant = isOwned ? nil : named(in: table, among: root, &bindings)
            let among = meant.map { " where \($0(cell(map.root.column), value.equals, value.expression))" } ?? ""
            let users = "select \(cell(map.root.column)) as k0 from \(root.ownRows) t\(among)\(root.apart)"
            conditions.append(
                """
                (\(own) is false and exists (select from (\(users)) users where \(value.expression) \(value.equals) users.k0)\
                \(besidesTheirs(map.lexicon.isStamp(reading.name) && reading.column.isFillable, &bindings)))
                """)
        }
        return conditions
    }

    /// Whether a declared reference can be followed upwards: it compares one column with another.
    private func exists(_ link: AccountLink) -> Bool { link.columns.count == 1 && link.key.expressions.count == 1 }

    /// The condition under which a row refers by a link to a row that is there.
    func refersToSome(by link: AccountLink) -> String? { refers([link], toRowsWhere: nil) }

    /// The condition under which a row of a table that belongs to the account, if one is said, refers by a link to a row that
    /// meets another condition.
    private func refers(
        _ link: AccountLink, from table: UInt32?, toRowsWhere condition: String? = nil, _ bindings: inout Bindings
    ) -> String? {
        guard let table, let parent = map.graph.tables[link.parent],
            let isNamed = named(in: table, among: parent, &bindings)
        else { return refers([link], toRowsWhere: condition) }
        let root = cell(map.root.column)
        let pairs = zip(link.columns, link.key.expressions).map { column, expression in
            // No index knows the key of a user as text.
            link.parent == map.root.oid && map.root.type == "uuid" && expression == asText(map.root.column)
                ? isNamed(root, map.root.equals, uuid(in: column.expression))
                : isNamed(expression, column.equals, column.expression)
        }
        return refers([link], toRowsWhere: (pairs + (condition.map { ["(\($0))"] } ?? [])).joined(separator: " and "))
    }

    /// The condition under which a row refers by one of some links to a row of their table that meets another condition.
    private func refers(_ links: [AccountLink], toRowsWhere condition: String?) -> String? {
        guard let parent = links.first.flatMap({ map.graph.tables[$0.parent] }) else { return nil }
        // That row is called `t` in its own select, so the row in question goes in under another name.
        var values: [String] = []
        let ways = links.map { link in
            let pairs = zip(link.columns, link.key.expressions).map { column, expression in
                values.append("\(expression) as k\(values.count)")
                return "\(column.expression) \(column.equals) others.k\(values.count - 1)"
            }
            return "(\(pairs.joined(separator: " and ")))"
        }
        let rows =
            "select \(values.joined(separator: ", ")) from \(parent.ownRows) t"
            + (condition.map { " where \($0)" } ?? "") + parent.apart
        return "exists (select from (\(rows)) others where \(ways.joined(separator: " or ")))"
    }

    // MARK: Several steps

    /// The conditions under which a further reference of a row leads to another user, over rows that stay.
    private func leadsToAnother(
        _ table: UInt32, among links: [AccountLink], _ bindings: inout Bindings
    ) -> [String] {
        let ways = links.filter { ($0.isDeleting || $0.isOwning) && keys[$0.key] != nil }
        let lengths = Set(ways.map(steps)).filter { $0 > 1 }.sorted()
        var conditions: [String] = []
        for link in links where map.chains.isStep(link) {
            for length in lengths {
                // Whatever came by a shorter way is theirs who are nearer, and nobody is led astray by the way he came.
                let nearer = ways.filter { steps($0) < length || $0 == link }
                guard nearer.count < ways.count else { continue }
                var most = Self.mostTables
                guard let other = belongsToAnother(link.parent, within: length - 1, [table], &most, &bindings),
                    let leads = refers(link, from: table, toRowsWhere: other, &bindings)
                else { continue }
                let others = nearer.contains(link) ? nearer : nearer + [link]
                let parts = others.compactMap { $0.condition(keys, &bindings) }.map { "(\($0)) is not true" } + [leads]
                conditions.append("(\(parts.joined(separator: " and ")))")
            }
        }
        return conditions
    }

    /// The condition under which a row belongs to another user over at most so many links that keep it in being.
    ///
    /// Behind the last table of one question a row counts as another user's unless it belongs to the account: a search that
    /// gives up lets no row go.
    private func belongsToAnother(
        _ table: UInt32, within steps: Int, _ path: Set<UInt32>, _ most: inout Int, _ bindings: inout Bindings
    ) -> String? {
        guard map.chains.lead(from: table, within: steps) else { return nil }
        guard most > 0 else {
            return belonging(to: table, \.isDeleting, &bindings).map { "(\($0)) is not true" } ?? "true"
        }
        most -= 1
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter(map.chains.binds)
        var conditions = pointsAtAnother(table, among: links, isOwned: true, &bindings)
        let further = Dictionary(grouping: links.filter(map.chains.isStep), by: \.parent)
        for (parent, links) in further.sorted(by: { $0.key < $1.key }) where !path.contains(parent) {
            guard let other = belongsToAnother(parent, within: steps - 1, path.union([table]), &most, &bindings),
                let leads = refers(links, toRowsWhere: other)
            else { continue }
            conditions.append(leads)
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The most tables that one question follows references over.
    static var mostTables: Int { 32 }

    /// The condition under which a row stands in what other users have: it refers to a row that stays, and that leads to one
    /// of them.
    func isSeen(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if map.userTables.contains(table) { return nil }
        let ways = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter { $0.isDeleting && keys[$0.key] != nil }
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter { link in
            link.isDeleting && link.reference != nil && map.chains.isStep(link) && map.chains.lead(from: link.parent)
                // What came by the only way there is refers by it to what goes.
                && ways != [link]
        }
        let conditions = links.map { link in
            let goes = link.condition(keys, &bindings).map { " and \($0) is not true" } ?? ""
            return "(\(link.isPresent)\(goes))"
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    // MARK: Mentions

    /// The condition under which a row that came for nothing but a mention names another user as well.
    private func mentionsAnother(
        _ table: UInt32, among links: [AccountLink], _ bindings: inout Bindings
    ) -> String? {
        guard let identity = map.identity, links.contains(where: { $0.reading?.isMention == true }),
            let users = map.graph.tables[map.root.oid],
            let names = identity.namesAnother(
                map.userReadings[table] ?? [], among: users, named: named(in: table, among: users, &bindings),
                &bindings)
        else { return nil }
        let certain = links.filter { $0.isDeleting && $0.reading?.isMention != true }
        let parts = certain.compactMap { $0.condition(keys, &bindings) }.map { "(\($0)) is not true" }
        return "((\(names))\(parts.map { " and " + $0 }.joined()))"
    }
}
