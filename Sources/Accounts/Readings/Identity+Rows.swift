internal import AppFile
internal import Asking
internal import Catalog
package import PQ

// MARK: What the rows of the users themselves hold

extension Identity {
    /// A column of a table of users that says who somebody is.
    private enum Holding: String {
        case address, further, name, key, id
        /// A name of fewer letters is a word like others, unless others refer to it, and it is no number.
        var condition: String {
            switch self {
            case .address, .further: "like '%_@_%'"
            case .name: "like '____%'"
            case .key: "~ '[^0-9]|.{4}'"
            case .id: "is not null"
            }
        }
    }

    /// Reads it in the rows of users that go.
    init(
        of closure: AccountClosure, _ columns: TableColumns, besides secrets: Set<String>, asking ask: Ask
    ) throws(Failure) {
        let map = closure.map
        let questions = Self.queries(closure, columns, besides: secrets)
        let row = Person.query(map.root, map.graph, columns, map.lexicon, besides: secrets)
        let answers = try ask(questions + [row].compactMap(\.self))
        var found: [Holding: Set<String>] = [:]
        try decoding { () throws(DecodingFailure) in
            for row in answers.prefix(questions.count).flatMap(\.rows) {
                guard let holding = Holding(rawValue: try row.text("holding")) else {
                    throw .notA("kind", column: "holding")
                }
                found[holding, default: []].insert(try row.text("value"))
            }
        }
        let addresses = found[.address] ?? []
        self.init(
            root: map.root, addresses: addresses.sorted(),
            speech: map.lexicon.speech(of: map.root.name, calledBy: map.namesOfUsers),
            users: map.graph.tables[map.root.oid]?.rows ?? 0)
        person = answers.dropFirst(questions.count).first?.first.map { Person($0, map.lexicon) }
        names = (found[.name] ?? []).union(found[.key] ?? []).subtracting(addresses).subtracting(map.root.values)
            .sorted()
        ids = (found[.id] ?? []).subtracting(map.root.values).sorted()
        let users = UserAddresses(in: map.userTables, map.graph, columns, map.lexicon, besides: secrets)
        everybody = users.select()
        furtherAddresses = try ofNobodyElse((found[.further] ?? []).subtracting(addresses).sorted(), asking: ask)
        mentions = spellings(besides: try users.others(like: self.addresses + furtherAddresses, asking: ask))
    }

    /// Those of some addresses, which only books of addresses and JSON know, that are not somebody else's.
    ///
    /// That looks through all users, and most people have no such address.
    private func ofNobodyElse(_ addresses: [String], asking ask: Ask) throws(Failure) -> [String] {
        guard let everybody, !addresses.isEmpty else { return addresses }
        let query = Query(
            unsafe: """
                select f.value from pg_catalog.unnest($1::text[]) as f (value) \
                where not exists (select from (\(everybody)) users (one) where one = pg_catalog.lower(f.value)) order by 1
                """, [arrayLiteral(addresses)])
        let answer = try ask([query])[0]
        return try decoding(try answer.texts())
    }

    /// Asks for the addresses, names and keys in the rows of users that go, and in their books of addresses.
    private static func queries(_ closure: AccountClosure, _ columns: TableColumns, besides secrets: Set<String>)
        -> [Query]
    {
        let map = closure.map
        let single = map.singleTables
        return single.union(map.addressBooks).sorted().compactMap { table -> Query? in
            guard let relation = map.graph.tables[table], (closure.found[table]?.rows ?? 0) > 0 else { return nil }
            let names = (columns.names[table] ?? []).filter { !secrets.contains("\(relation.qualifiedName).\($0)") }
            let most = mostOfOne * max(1, map.root.values.count)
            let held = names.compactMap { name in
                select(name, of: relation, isSingle: single.contains(table), most: most, map, columns).map {
                    (name, $0)
                }
            }
            var bindings = Bindings()
            guard !held.isEmpty, var condition = closure.condition(of: table, &bindings) else { return nil }
            // Another's row that goes along says nothing about this person.
            if let shared = closure.isShared(table, &bindings) {
                condition = "(\(condition)) and (\(shared)) is not true"
            }
            let own = held.map { cell($0.0) }.joined(separator: ", ")
            let selects = held.map(\.1).joined(separator: " union all ")
            return Query(
                unsafe:
                    "with own as materialized (select \(own) from \(relation.ownRows) t where \(condition)) \(selects)",
                values: bindings.values)
        }
    }

    /// Of one person no column holds more names than these; what does is no column of names.
    private static let mostOfOne = 1_000

    /// Selects what a column holds of the person from rows `t` that are called `own`.
    private static func select(
        _ name: String, of relation: Graph.Table, isSingle: Bool, most: Int, _ map: AccountMap, _ columns: TableColumns
    ) -> String? {
        /// Perhaps with something that is read beside the row.
        func select(_ holding: Holding, _ expression: String, beside source: String = "") -> String {
            let address = holding == .further ? Holding.further : .address
            let kind = "case when value like '%_@_%' then '\(address.rawValue)' else '\(holding.rawValue)' end"
            return """
                (select \(kind) as holding, value from (select distinct \(expression) as value from own t\(source)) held \
                where value \(holding.condition) limit \(most))
                """
        }
        let (table, lexicon) = (relation.oid, map.lexicon)
        // A column may compare in a way of its own, which patterns do not take.
        let text = "(\(cell(name))::pg_catalog.text collate pg_catalog.\"default\")"
        guard isSingle else {
            let isAddress = lexicon.isWhereReached(name) && columns.isText(table, name) && !lexicon.isOfAnother(name)
            return isAddress || columns.isAddress(table, name, lexicon)
                ? select(.further, text) : nil
        }
        if columns.isAddress(table, name, lexicon) { return select(.address, text) }
        if columns.isName(table, name, lexicon) {
            return select(map.graph.isReferred(Reading.Key(table: table, column: name)) ? .key : .name, text)
        }
        if columns.isJSON(table, name) {
            // What lies deeper may be of a company, or of whoever invited them.
            let members = """
                , lateral (select j.value from pg_catalog.jsonb_each_text(\
                case when pg_catalog.jsonb_typeof(\(cell(name))::pg_catalog.jsonb) = 'object' \
                then \(cell(name))::pg_catalog.jsonb else '{}' end) as j (key, value) where j.key ~* '\(lexicon.ownAddress)') m
                """
            let expression = "(pg_catalog.regexp_matches(m.value, '[^][\"@ ,]+@[^][\"@ ,]+', 'g'))[1]"
            return select(.further, expression, beside: members)
        }
        let isKey = relation.key.map(\.name) == [name] && relation.key[0].type == "uuid"
        return isKey && table != map.root.oid ? select(.id, text) : nil
    }
}

/// Where the addresses of users stand: in what is called as if it held some.
struct UserAddresses {
    /// Each in small letters, as SQL reads it off rows `t`, and those.
    private let columns: [(address: String, rows: String)]
    /// Whether they lie on other servers, and what keeps a question to those by itself.
    private let (areElsewhere, apart): (Bool, String)

    /// Those of some tables, as far as this role may read them where it may not read all.
    init(
        in tables: Set<UInt32>, _ graph: Graph, _ columns: TableColumns, _ lexicon: Lexicon,
        besides secrets: Set<String> = [], asFarAsReadable: Bool = false
    ) {
        self.columns = tables.sorted().flatMap { table -> [(address: String, rows: String)] in
            guard let relation = graph.tables[table], relation.isReadable || !asFarAsReadable else { return [] }
            return (columns.names[table] ?? []).filter { name in
                columns.isAddress(table, name, lexicon) && !secrets.contains("\(relation.qualifiedName).\(name)")
                    && (!asFarAsReadable || columns[table]?[name]?.isReadable == true)
            }.map { ("pg_catalog.lower(\(cell($0))::pg_catalog.text)", relation.ownRows) }
        }
        let distributed = tables.compactMap { graph.tables[$0] }.first(where: \.isDistributed)
        (areElsewhere, apart) = (distributed != nil, distributed?.apart ?? "")
    }

    /// A select of them, or of those for which a condition holds; nil where there are none.
    func select(where condition: ((String) -> String)? = nil) -> String? {
        if columns.isEmpty { return nil }
        return columns.map { column in
            "select \(column.address) from \(column.rows) t" + (condition.map { " where \($0(column.address))" } ?? "")
        }.joined(separator: " union all ") + apart
    }

    /// Those that begin or end like some, and are other users' as far as this role may know them all.
    func others(like addresses: [String], asking ask: Ask) throws(Failure) -> Spellings.Others {
        let longer = Spellings.Others(list: Spellings.longer(than: addresses)) { list in
            select { Spellings.isLonger($0, like: list) }
        }
        // A server asks in a statement only where it comes to that; one whose users lie on others asks them beforehand.
        guard areElsewhere, let users = longer.select("$1::text[]") else { return longer }
        let answer = try ask([Query(unsafe: users, values: [longer.list])])[0]
        let others = try decoding(try answer.texts())
        return Spellings.Others(list: BoundValue(others, of: "text")) { "select pg_catalog.unnest(\($0))" }
    }
}

/// Who somebody is, for whoever decides about the account: what others call them, and since when anything is known of them.
package struct Person: Sendable, Hashable {
    package let name: String?
    /// The earliest instant in the row of the user.
    package let since: Value?

    /// Reads what an app file says of a user, or what stands in the user's own row.
    init(_ facts: Row, _ lexicon: Lexicon) {
        func first(_ sense: String) -> String? {
            for (column, value) in zip(facts.columns, facts.values) {
                let words = Lexicon.words(of: column.name).joined(separator: "_")
                if lexicon.has(words, sense), let text = value.text, !text.isEmpty { return text }
            }
            return nil
        }
        let halves = [first("first name"), first("last name")].compactMap(\.self)
        name = first("called") ?? (halves.isEmpty ? nil : halves.joined(separator: " "))
        let instants = facts.values.filter { value in
            // What is infinite tells of no time.
            [.timestamp, .timestamptz].contains(value.type) && value.text?.first?.isNumber == true
        }
        since = instants.min { ($0.text ?? "") < ($1.text ?? "") }
    }

    /// Asks for what stands in the row of the one user who is meant; nil where several are.
    static func query(
        _ root: AccountRoot, _ graph: Graph, _ columns: TableColumns, _ lexicon: Lexicon, besides secrets: Set<String>
    ) -> Query? {
        guard root.values.count == 1, let table = graph.tables[root.oid] else { return nil }
        let names = (columns.names[root.oid] ?? []).filter { name in
            guard let column = columns[root.oid]?[name], column.isReadable, !secrets.contains("\(root.table).\(name)")
            else { return false }
            let words = Lexicon.words(of: name).joined(separator: "_")
            let isName = ["called", "first name", "last name"].contains { lexicon.has(words, $0) }
            return column.isInstant || column.isTextual && isName
        }
        guard !names.isEmpty else { return nil }
        var bindings = Bindings()
        let condition = root.key.matches([root.list], as: .root, &bindings)
        let cells = names.map(cell).joined(separator: ", ")
        return Query(unsafe: "select \(cells) from \(table.ownRows) t where \(condition)", values: bindings.values)
    }
}
