internal import Catalog
internal import PQ

/// What readings yield besides the person: users who stay, and whose row it is then, too.
extension Reading {
    /// The key of a user in the column, as one of that type; NULL where it is none.
    func user(as type: String, _ bindings: inout Bindings) -> String {
        guard column.kind == .text, column.type != type else {
            return only.map { "case when \($0.condition(&bindings)) then \(cell(name)) end" } ?? cell(name)
        }
        let text = "(\(cell(name))::pg_catalog.text collate pg_catalog.\"C\")"
        let form = type == "uuid" ? "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" : number
        let isSo = ["\(text) ~ '^(\(form))$'", only?.condition(&bindings)].compactMap(\.self).joined(separator: " and ")
        return "case when \(isSo) then \(text)::\(type == "uuid" ? type : "bigint") end"
    }
}

/// What a number in a text looks like, as long as a `bigint` may be.
private let number = "[0-9]{1,18}|[1-8][0-9]{18}"

/// The uuid that a text is; NULL where it is none.
func uuid(in text: String) -> String {
    // A column may compare in a way of its own, which patterns do not take.
    let plain = "((\(text))::pg_catalog.text collate pg_catalog.\"C\")"
    return "case when \(plain) ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then \(plain)::uuid end"
}

extension Identity {
    /// The condition under which a row `t` holds the key of another user in a column that was answered for; nil where only
    /// texts could tell.
    func isOfAnother(
        _ reading: Reading, among users: Graph.Table, named: AccountClosure.Named? = nil, _ bindings: inout Bindings
    ) -> String? {
        let column = cell(reading.name)
        // The row of the user is called `t` in its own select, so the row in question goes in under another name.
        func somebody(_ condition: String, _ here: String, _ type: String = "", _ equals: String? = nil) -> String {
            let meant = named?(cell(root.column) + type, equals ?? "operator(pg_catalog.=)", here)
            let among = meant.map { " where \($0)" } ?? ""
            return """
                exists (select from (select \(cell(root.column)) as k0 from \(users.ownRows) t\(among)\(users.apart)) users \
                where \(condition))
                """
        }
        var other: String
        switch reading.form {
        case .key: other = somebody("\(column) \(equals) users.k0", column, "", equals)
        case .text:
            // Whatever it mentions besides, the key of another is that other's.
            let values = bindings.bind(root.values, of: "text")
            let text = "\(column)::pg_catalog.text"
            let isSame = "users.k0::pg_catalog.text = \(text)"
            let exists =
                root.type == "uuid"
                ? somebody(isSame, uuid(in: text), "", equals) : somebody(isSame, text, "::pg_catalog.text")
            other = "(\(exists) and \(text) <> all (\(values)))"
        case .list:
            let type = element(of: reading)
            let values = bindings.bind(root.values, of: type)
            let key = "users.k0::\(type)"
            other = somebody(
                "\(key) operator(pg_catalog.=) any (\(column)::\(type)[]) and \(key) operator(pg_catalog.<>) all (\(values))",
                "pg_catalog.unnest(\(column)::\(type)[])", "::\(type)")
        case .json: return nil
        }
        if let only = reading.only { other = "(\(only.condition(&bindings)) and \(other))" }
        // A list may hold both.
        if reading.form == .list { return other }
        return test(reading, &bindings).map { "(\(other) and (\($0)) is not true)" }
    }

    /// The condition under which a row `t` names a user who stays, in a list, a text or a document of it.
    func namesAnother(
        _ readings: [Reading], among users: Graph.Table, named: AccountClosure.Named?, _ bindings: inout Bindings
    ) -> String? {
        var tests: [String] = []
        for reading in readings {
            let text = "\(cell(reading.name))::pg_catalog.text"
            switch reading.form {
            case .key: continue
            case .list where isNumber && !reading.isTelling: continue
            case .list:
                if let other = isOfAnother(reading, among: users, named: named, &bindings) { tests.append(other) }
            case .text, .json:
                if let pattern = pattern(reading) { tests.append(holdsKey(text, pattern, users, named, &bindings)) }
                if let everybody { tests.append(holdsAddress(text, of: everybody, &bindings)) }
            }
        }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// What the key of a user looks like in a column, its value in parentheses; nil where it looks like anything else.
    private func pattern(_ reading: Reading) -> String? {
        if root.type == "uuid" { return "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})" }
        let value = isNumber ? "(\(number))" : "([^\"]+)"
        if reading.form == .json { return "\"[a-z_]*\(speech.user)[a-z_]*\"+ *: *\"*\(value)(?![0-9.])" }
        return reading.isTelling ? "^\(value)$" : nil
    }

    private func holdsKey(
        _ text: String, _ pattern: String, _ users: Graph.Table, _ named: AccountClosure.Named?,
        _ bindings: inout Bindings
    ) -> String {
        let type = isNumber ? "bigint" : root.type
        let found = "m.parts[1]::\(type)"
        let own = bindings.bind(root.values, of: isNumber ? "numeric" : root.type)
        let matches = "pg_catalog.regexp_matches(\(text), \(bindings.bind(pattern, as: "text")), 'gi')"
        let among = named.map { " where \($0(cell(root.column), equals, "((\(matches))[1])::\(type)"))" } ?? ""
        return """
            exists (select from \(matches) as m (parts) \
            where (\(found) \(equals) any (\(own))) is not true \
            and exists (select from (select \(cell(root.column)) as k0 from \(users.ownRows) t\(among)\(users.apart)) users \
            where users.k0 \(equals) \(found)))
            """
    }

    private func holdsAddress(_ text: String, of users: String, _ bindings: inout Bindings) -> String {
        let own = bindings.bind((addresses + furtherAddresses).map { $0.lowercased() }, of: "text")
        return """
            exists (select from pg_catalog.regexp_matches(pg_catalog.lower(\(text)), \
            '[[:alnum:]._%+-]+@[[:alnum:].-]*[[:alnum:]]', 'g') as m (parts) \
            where m.parts[1] <> all (\(own)) and m.parts[1] = any (\(users)))
            """
    }
}

/// What other users have below a row.
extension AccountClosure {
    /// The condition under which a row that could go over to somebody is needed by another user, who would lose with it what
    /// hangs on it: a company has its members, whoever owns it.
    ///
    /// Only where a line says whom such rows go over to; elsewhere what others lose is asked about row by row.
    func isNeededByAnother(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        guard map.lines.shared[table]?.heir != nil else { return nil }
        var most = Self.mostTables
        return carriesAnother(table, [table], &most, &bindings)
    }

    /// The condition under which rows of another user hang on a row, over links by which they would go with it.
    ///
    /// Behind the last table of one question whatever hangs on the row counts as another user's.
    private func carriesAnother(
        _ table: UInt32, _ path: Set<UInt32>, _ most: inout Int, _ bindings: inout Bindings
    ) -> String? {
        var conditions: [String] = []
        let links = (map.linksByParent[table] ?? []).map { map.links[$0] }.filter {
            $0.isDeleting && map.chains.binds($0)
        }
        for link in links where !path.contains(link.child) {
            guard let child = map.graph.tables[link.child], !child.isEmpty else { continue }
            var others = ["true"]
            if most > 0 {
                most -= 1
                others = isAnothers(link.child, &bindings)
                if let below = carriesAnother(link.child, path.union([link.child]), &most, &bindings) {
                    others.append(below)
                }
            }
            guard !others.isEmpty else { continue }
            // Those rows are called `t` in their own select, so what they refer with goes out under another name.
            let values = link.columns.enumerated().map { "\($1.expression) as k\($0)" }
            let pairs = link.columns.indices.map { place in
                "\(link.key.expressions[place]) \(link.columns[place].equals) hanging.k\(place)"
            }
            conditions.append(
                """
                exists (select from (select \(values.joined(separator: ", ")) from \(child.ownRows) t \
                where \(others.joined(separator: " or "))\(child.apart)) hanging where \(pairs.joined(separator: " and ")))
                """)
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The conditions under any of which a row is another user's, or is that user.
    private func isAnothers(_ table: UInt32, _ bindings: inout Bindings) -> [String] {
        if map.userTables.contains(table) {
            let own = isOwn(table, &bindings)
            return [own.isEmpty ? "true" : "(\(own.joined(separator: " or "))) is not true"]
        }
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter(map.chains.binds)
        return pointsAtAnother(table, among: links, isOwned: true, &bindings)
    }
}

extension AccountMap {
    /// Which references of rows lead to users, and over how many links.
    struct Chains {
        private let userTables: Set<UInt32>
        private let emptyTables: Set<UInt32>
        /// The fewest links between the rows of a table and users.
        private var lengths: [UInt32: Int] = [:]

        init(_ map: AccountMap) {
            userTables = map.userTables
            emptyTables = Set(map.graph.tables.values.filter(\.isEmpty).map(\.oid))
            for table in map.certain.keys { lengths[table] = 1 }
            let binding = map.links.filter { binds($0) && !emptyTables.contains($0.parent) }
            var (length, isGrowing) = (1, true)
            while isGrowing {
                // A column that holds users for certain is one link long itself.
                isGrowing = length == 1
                for link in binding where lengths[link.child] == nil {
                    let isNext = length == 1 ? userTables.contains(link.parent) : lengths[link.parent] == length - 1
                    if isNext { (lengths[link.child], isGrowing) = (length, true) }
                }
                length += 1
            }
        }

        /// Whether a row belongs to whomever what it refers to belongs to: it would go with that, if no line let it stay.
        func binds(_ link: AccountLink) -> Bool {
            if case .detach = link.effect, !link.isOwning { return false }
            return link.isPlain && link.key.partition == nil
        }

        /// Whether a link leads to rows that are no users themselves, and can be followed.
        func isStep(_ link: AccountLink) -> Bool {
            link.isPlain && link.key.partition == nil && link.columns.count == link.key.expressions.count
                && !userTables.contains(link.parent) && !emptyTables.contains(link.parent)
        }

        func lead(from table: UInt32, within steps: Int = .max) -> Bool {
            lengths[table].map { $0 <= steps } ?? false
        }
    }
}
