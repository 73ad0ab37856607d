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
        let form = type == "uuid" ? "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$" : "^[0-9]{1,9}$"
        let isSo = ["\(text) ~ '\(form)'", only?.condition(&bindings)].compactMap(\.self).joined(separator: " and ")
        return "case when \(isSo) then \(text)::\(type) end"
    }
}

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
        let value = isNumber ? "([0-9]{1,18})" : "([^\"]+)"
        if reading.form == .json { return "\"[a-z_]*\(word)[a-z_]*\"+ *: *\"*\(value)(?![0-9.])" }
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
