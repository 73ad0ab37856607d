internal import Catalog
internal import PQ

// MARK: What the rows of the users themselves hold

extension Identity {
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
    init(_ map: AccountMap, _ answers: [Rows], everybody: String?) throws(DecodingFailure) {
        var found: [Holding: Set<String>] = [:]
        for row in answers.flatMap(\.rows) {
            guard let holding = Holding(rawValue: try row.text("holding")) else {
                throw .notA("kind of name", column: "holding")
            }
            found[holding, default: []].insert(try row.text("value"))
        }
        let addresses = found[.address] ?? []
        self.init(
            root: map.root, addresses: addresses.sorted(), word: map.lexicon.pattern(of: map.root.name),
            users: map.graph.tables[map.root.oid]?.rows ?? 0)
        furtherAddresses = (found[.further] ?? []).subtracting(addresses).sorted()
        names = (found[.name] ?? []).subtracting(addresses).subtracting(map.root.values).sorted()
        ids = (found[.id] ?? []).subtracting(map.root.values).sorted()
        self.everybody = everybody
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
                        in: name, of: relation, isSingle: single.contains(table), map, columns, users)
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
        in name: String, of relation: Graph.Table, isSingle: Bool, _ map: AccountMap, _ columns: TableColumns,
        _ users: String?
    ) -> Values? {
        let (table, lexicon) = (relation.oid, map.lexicon)
        // A column may compare in a way of its own, which patterns do not take.
        let text = "(\(cell(name))::pg_catalog.text collate pg_catalog.\"default\")"
        let others =
            users.map { " and not exists (select from (\($0)) users (one) where one = pg_catalog.lower(value))" } ?? ""
        guard isSingle else {
            let isCalledSo = ["address", "value"].contains { name.lowercased().hasSuffix($0) }
            let isAddress = isCalledSo && columns.isText(table, name) && !lexicon.isOfAnother(name)
            return isAddress || columns.isAddress(table, name, lexicon)
                ? Values(holding: .further, expression: text, besides: others) : nil
        }
        if columns.isAddress(table, name, lexicon) { return Values(holding: .address, expression: text) }
        if columns.isName(table, name, lexicon) { return Values(holding: .name, expression: text) }
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
        return isKey && table != map.root.oid ? Values(holding: .id, expression: text) : nil
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
                columns.isAddress(table, name, map.lexicon) && !secrets.contains("\(relation.qualifiedName).\(name)")
            }.map { "select pg_catalog.lower(\(cell($0))::pg_catalog.text) from \(relation.ownRows) t" }
        }
        return selects.isEmpty ? nil : selects.joined(separator: " union all ")
    }
}
