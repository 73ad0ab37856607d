internal import Catalog
internal import PQ

/// What a person is called in other people's columns: the values of the root, and addresses.
struct Needles {
    let root: AccountRoot
    let addresses: [String]

    /// What they are called besides, as the whole of a text: names to log in by, telephone numbers.
    private(set) var names: [String] = []
    /// Addresses that only their books of addresses and their JSON know.
    private(set) var furtherAddresses: [String] = []
    /// The keys of their rows in tables with one row a user, where those name one thing in the world.
    private(set) var ids: [String] = []
    let types: TypeWords
    /// The addresses of all users, as a select of texts in small letters.
    private(set) var users: String?

    private static let numbers = ["smallint", "integer", "bigint", "numeric"]
    private static let floats = ["real", "double precision"]
    /// Numbers of so many digits name one thing in the world, and texts of so many letters stand in no others by chance.
    private static let (fewestDigits, fewestLetters) = (7, 6)
    /// Few words have more letters than that.
    private static let mostLetters = 10

    /// Whether a value of the type names one thing in the world, so that finding it anywhere means something.
    static func isTelling(_ type: String) -> Bool { type == "uuid" || isText(type) }

    private static func isText(_ type: String) -> Bool {
        ["text", "character varying", "bpchar"].contains(type) || isFolded(type)
    }

    /// Whether letter case makes no difference to the type.
    private static func isFolded(_ type: String) -> Bool { type == "citext" || type.hasSuffix(".citext") }

    /// Whether a number is so long that it is nothing else wherever it stands.
    static func isLong(_ number: String) -> Bool { number.utf8.count >= fewestDigits }

    private var isNumber: Bool { Self.numbers.contains(root.type) }
    /// The operator that compares a key column with a value of the root; numbers of all widths compare.
    var equals: String { isNumber ? "operator(pg_catalog.=)" : root.equals }
    private var isText: Bool { Self.isText(root.type) }
    private var isFolded: Bool { Self.isFolded(root.type) }
    private var uuids: [String] { root.values.compactMap(Mentions.uuid) + ids }

    /// What counts where it is the whole of a text.
    private func whole(_ isTelling: Bool) -> [String] {
        if isText { return root.values }
        return root.type == "uuid" ? [] : root.values.filter { isTelling || Self.isLong($0) }
    }

    /// What a text may call them by.
    private var mentions: Mentions {
        var mentions = Mentions()
        mentions.uuids = uuids
        mentions.addresses = (addresses + furtherAddresses).map { $0.lowercased() }
        mentions.others = users
        mentions.own = Self.word(of: root)
        mentions.isFolded = isFolded
        let rest = root.type == "uuid" ? [] : root.values.filter { Mentions.uuid($0) == nil }
        if isText {
            mentions.words = rest.filter { $0.utf8.count >= Self.fewestLetters }
            mentions.shorts = rest.filter { $0.utf8.count < Self.fewestLetters }
            mentions.values = mentions.shorts.filter { $0.utf8.count > 2 }
        } else {
            mentions.longNumbers = isNumber ? rest.filter(Self.isLong) : []
            mentions.shorts = rest
        }
        return mentions
    }

    /// Whether what stands in a column could tell anything, of users who are known.
    func looksInto(_ candidate: SuspectSearch.Candidate) -> Bool {
        var bindings = Bindings()
        return root.values.isEmpty || test(candidate, &bindings) != nil
    }

    /// The condition under which a column of a row `t` holds the person; nil where nothing could tell.
    func test(_ candidate: SuspectSearch.Candidate, _ bindings: inout Bindings) -> String? {
        let column = cell(candidate.column)
        func bind(_ values: [String], _ type: String) -> String {
            bindings.bind(arrayLiteral(values), as: type + "[]")
        }
        switch candidate.kind {
        case .key, .list:
            let own = isNumber && !candidate.isTelling ? root.values.filter(Self.isLong) : root.values
            let values = root.type == "uuid" ? own + ids : own
            guard !values.isEmpty else { return nil }
            if candidate.kind == .list {
                let type = element(of: candidate)
                let lists = "(\(column)::\(type)[] operator(pg_catalog.&&) \(bind(values, type)))"
                let spoken = type == "text" ? mentions.condition("\(column)::pg_catalog.text", .text, &bindings) : nil
                return spoken.map { "(\(lists) or \($0))" } ?? lists
            }
            let isFloat = Self.floats.contains(candidate.type)
            let type = isFloat ? "double precision" : isNumber && root.type != "numeric" ? "bigint" : root.type
            let test = "\(column) \(equals) any (\(bind(values, type)))"
            return isOfUsers(candidate).map { "(\(test) and \($0))" } ?? test
        case .text where candidate.type == "uuid":
            return uuids.isEmpty ? nil : "\(column) operator(pg_catalog.=) any (\(bind(uuids, "uuid")))"
        case .text, .json:
            let text = Mentions.text(of: column, type: candidate.type)
            var tests = [mentions.condition(text, candidate.kind == .json ? .json : .text, &bindings)]
            if candidate.type == "bytea" { tests.append(mentions.bytes(column, &bindings)) }
            if candidate.kind == .text { tests.append(isName(text, candidate.isTelling, &bindings)) }
            if isNumber, candidate.isTelling { tests.append(isListed(text, &bindings)) }
            let found = tests.compactMap { $0 }
            if found.isEmpty { return nil }
            let any = "(\(found.joined(separator: " or ")))"
            return isOfUsers(candidate).map { "(\(any) and \($0))" } ?? any
        }
    }

    /// The condition under which what stands beside a column says that it holds users; nil where nothing does.
    func isOfUsers(_ candidate: SuspectSearch.Candidate) -> String? {
        candidate.typeColumn.map { types.areOfUsers($0, ofAny: candidate.isOfAny) }
    }

    /// The condition under which a text that is called like users lists a key: `[7, 42]`, `7,42` or `{"42": "guest"}`.
    private func isListed(_ text: String, _ bindings: inout Bindings) -> String {
        let keys = "(?:\(root.values.joined(separator: "|")))"
        let list = bindings.bind("(?:^|[^0-9.])\(keys)(?![0-9.])", as: "text")
        let member = bindings.bind("\"\(keys)\" *:", as: "text")
        let exact = "(\(text) collate pg_catalog.\"C\")"
        return "(\(exact) ~ '^[][0-9\",;| ]+$' and \(exact) ~ \(list) or \(exact) ~ \(member))"
    }

    /// As what the elements of a list are compared with values of the root: numbers may be written out in it.
    func element(of candidate: SuspectSearch.Candidate) -> String {
        guard isNumber else { return root.type }
        return (Self.numbers + Self.floats).contains { candidate.type == $0 + "[]" } ? "numeric" : "text"
    }

    /// The condition under which a text is one of the names as a whole.
    private func isName(_ text: String, _ isTelling: Bool, _ bindings: inout Bindings) -> String? {
        let keys = whole(isTelling)
        var tests: [String] = []
        func equal(_ text: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            tests.append("\(text) = any (\(bindings.bind(arrayLiteral(values), as: "text[]")))")
        }
        // A name of nothing but letters may be a word of another kind where the column does not speak of users.
        let names = names.filter { name in
            isTelling || name.count >= Self.mostLetters || name.contains { !$0.isLetter }
        }
        equal(text, isFolded ? names : keys + names)
        if isFolded { equal("pg_catalog.lower(\(text))", keys.map { $0.lowercased() }) }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// The condition under which a text column is the person as a whole; nil where that says nothing.
    func isWhole(_ candidate: SuspectSearch.Candidate, _ bindings: inout Bindings) -> String? {
        guard candidate.kind == .text else { return nil }
        let known = root.values + ids + addresses + furtherAddresses + names
        let texts = bindings.bind(arrayLiteral(known.map { $0.lowercased() }), as: "text[]")
        return "pg_catalog.lower(\(cell(candidate.column))::pg_catalog.text) = any (\(texts))"
    }

    /// The condition under which a row `t`, or JSON in it, speaks of the person; nil where nothing could tell.
    func isSpokenOf(in candidates: [SuspectSearch.Candidate], _ bindings: inout Bindings) -> String? {
        // A number means the user only in a column, or behind a name in JSON, that says so.
        var tests = candidates.filter { $0.kind == .key || $0.kind == .list }.compactMap { test($0, &bindings) }
        if let mentions = mentions.condition("(t.*)::pg_catalog.text", .row, &bindings) { tests.append(mentions) }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// What a member of JSON that holds a user is called, as a pattern.
    var word: String { PersonNames.word(Self.word(of: root)) }

    /// What one row of the root's table is called, as a further branch of a pattern; empty where it is no plain word.
    static func word(of root: AccountRoot) -> String {
        let table = root.table.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let own = table.hasSuffix("s") ? String(table.dropLast()) : table
        return own.utf8.count > 2 && own.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
            ? "|\(own)" : ""
    }
}

// MARK: What the rows of the users themselves hold

extension Needles {
    /// A column of a table of users that says who somebody is.
    private enum Holding: String {
        case address, further, name, id
        /// A name of fewer letters is a word like others.
        var condition: String {
            switch self {
            case .address, .further: "like '%_@_%'"
            case .name: "like '____%'"
            case .id: "is not null"
            }
        }
    }

    /// What was found with `queries`.
    init(_ map: AccountMap, _ answers: [Rows], users: String?) throws(DecodingFailure) {
        var found: [Holding: Set<String>] = [:]
        for row in answers.flatMap(\.rows) {
            guard let holding = Holding(rawValue: try row.text("holding")) else {
                throw .notA("kind of name", column: "holding")
            }
            found[holding, default: []].insert(try row.text("value"))
        }
        let addresses = found[.address] ?? []
        self.init(root: map.root, addresses: addresses.sorted(), types: TypeWords(map))
        furtherAddresses = (found[.further] ?? []).subtracting(addresses).sorted()
        names = (found[.name] ?? []).subtracting(addresses).subtracting(map.root.values).sorted()
        ids = (found[.id] ?? []).subtracting(map.root.values).sorted()
        self.users = users
    }

    /// Asks for the addresses, names and keys in the rows of users that go, and in their books of addresses.
    static func queries(_ closure: AccountClosure, _ columns: TableColumns, besides secrets: Set<String>) -> [Query] {
        let map = closure.map
        let users = addresses(of: map, columns, besides: secrets)
        let single = map.singleTables
        return single.union(map.addressBooks).sorted().flatMap { table -> [Query] in
            guard let relation = map.graph.tables[table], (closure.found[table]?.rows ?? 0) > 0 else { return [] }
            let names = (columns.names[table] ?? []).filter { !secrets.contains("\(relation.qualifiedName).\($0)") }
            return names.compactMap { name in
                var bindings = Bindings()
                guard
                    let values = values(
                        in: name, of: relation, isSingle: single.contains(table), map.root, columns, users)
                else { return nil }
                guard var condition = closure.condition(of: table, &bindings) else { return nil }
                // Another's row that goes along says nothing about this person.
                if let shared = closure.isShared(table, &bindings) {
                    condition = "(\(condition)) and (\(shared)) is not true"
                }
                let rows =
                    "select distinct \(values.expression) as value from \(relation.ownRows) t\(values.source) where \(condition)"
                let holding = values.holding == .further ? "further" : "address"
                return Query(
                    unsafe:
                        "select case when value like '%_@_%' then '\(holding)' else '\(values.holding.rawValue)' end as holding, "
                        + "value from (\(rows)) held where value \(values.holding.condition)\(values.besides) limit 1000",
                    bindings.values)
            }
        }
    }

    /// What a column holds of the person, as texts of a row `t`.
    private struct Values {
        let holding: Holding
        let expression: String
        /// What is read beside the row.
        var source = ""
        /// A condition for those that are not somebody else's.
        var besides = ""
    }

    private static func values(
        in name: String, of relation: Graph.Table, isSingle: Bool, _ root: AccountRoot, _ columns: TableColumns,
        _ users: String?
    ) -> Values? {
        let table = relation.oid
        // A column may compare in a way of its own, which patterns do not take.
        let text = "(\(cell(name))::pg_catalog.text collate pg_catalog.\"default\")"
        let others =
            users.map { " and not exists (select from (\($0)) users (one) where one = pg_catalog.lower(value))" } ?? ""
        guard isSingle else {
            let isCalledSo = ["address", "value"].contains { name.lowercased().hasSuffix($0) }
            let isAddress = isCalledSo && columns.isText(table, name) && !PersonNames.isOfAnother(name)
            return isAddress || columns.isAddress(table, name)
                ? Values(holding: .further, expression: text, besides: others) : nil
        }
        if columns.isAddress(table, name) { return Values(holding: .address, expression: text) }
        if columns.isName(table, name) { return Values(holding: .name, expression: text) }
        if columns.isJSON(table, name) {
            // What lies deeper may be of a company, or of whoever invited them.
            let members = """
                , lateral (select j.value from pg_catalog.jsonb_each_text(\
                case when pg_catalog.jsonb_typeof(\(cell(name))::pg_catalog.jsonb) = 'object' \
                then \(cell(name))::pg_catalog.jsonb else '{}' end) as j (key, value) where j.key ~* '\(jsonAddress)') m
                """
            let expression = "(pg_catalog.regexp_matches(m.value, '[^][\"@ ,]+@[^][\"@ ,]+', 'g'))[1]"
            return Values(holding: .further, expression: expression, source: members, besides: others)
        }
        let isKey = relation.key.map(\.name) == [name] && relation.key[0].type == "uuid"
        return isKey && table != root.oid ? Values(holding: .id, expression: text) : nil
    }

    /// A member of JSON that holds an address and is called like nobody else's.
    private static let jsonAddress = """
        ^(?:e_?-?mail|mail|(?:user|primary|own|login|private|personal|work|new|recovery|backup|secondary|alternate|contact\
        |account|billing)_?e?_?mail)s?(?:_?address(?:es)?)?$
        """

    /// The addresses of all users, in small letters; nil where no column is called as if it held some.
    static func addresses(of map: AccountMap, _ columns: TableColumns, besides secrets: Set<String>) -> String? {
        let selects = map.userTables.sorted().flatMap { table -> [String] in
            guard let relation = map.graph.tables[table] else { return [] }
            return (columns.names[table] ?? []).filter { name in
                columns.isAddress(table, name) && !secrets.contains("\(relation.qualifiedName).\(name)")
            }.map { "select pg_catalog.lower(\(cell($0))::pg_catalog.text) from \(relation.ownRows) t" }
        }
        return selects.isEmpty ? nil : selects.joined(separator: " union all ")
    }
}
