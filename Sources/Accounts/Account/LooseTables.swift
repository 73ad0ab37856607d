internal import Catalog
internal import PQ

/// The tables that may be referred to, by what they and their rows are called.
struct LooseTables {
    private let map: AccountMap
    private let keys: SingleKeys
    private let byName: [String: [Graph.Table]]
    /// Those of them whose rows may be meant.
    private let filled: Set<UInt32>
    /// What foreign keys refer to, by what their columns are called besides the word for a key.
    private let byColumn: [String: Set<UInt32>]

    init(_ map: AccountMap, _ keys: SingleKeys, withEmptyTables: Bool = false) {
        (self.map, self.keys) = (map, keys)
        byColumn = map.referencedTables.reduce(into: [:]) { tables, column in
            tables[Names.stem(ofReference: column.key).joined(separator: "_"), default: []].formUnion(column.value)
        }
        let tables = map.graph.tables.values.filter {
            $0.partitionOf == nil && !$0.isElsewhere
                && (withEmptyTables || !$0.isEmpty || map.graph.heirs[$0.oid] != nil)
        }
        filled = Set(tables.map(\.oid))
        byName = Dictionary(grouping: tables.sorted { $0.oid < $1.oid }) {
            Names.words(of: $0.name).joined(separator: "_")
        }
    }

    /// The tables that a column means by its name, each with the key of it: one with those that inherit from it, or where
    /// several are called so, all whose keys are nothing else in the world.
    func meant(by column: LooseColumn) -> [(table: Graph.Table, key: SingleKeys.Key)] {
        guard let own = map.graph.tables[column.table] else { return [] }
        let words = Names.stem(ofReference: column.name)
        if words.isEmpty { return [] }
        if Self.above.contains(words.joined(separator: "_")), column.typeColumn == nil {
            // A version of something says which one that had above it.
            return Names.isRecord(own.name) ? [] : keyed([own], by: column.name)
        }
        // `last_order_id` is one of the orders, and `order_id` of `shop_lines` one of the `shop_orders`; but an order of
        // somebody else's is none of them.
        let bare = words.indices.dropFirst().map { Array(words[$0...]) }
        let shorter = Self.foreign.contains(words[0]) ? [] : bare
        let prefix = Array(Names.words(of: own.name).prefix(1))
        for stem in [words] + shorter + [prefix + words] {
            let called = Names.plurals(of: stem).flatMap { byName[$0] ?? [] }
            let near = called.filter { $0.schema == own.schema }
            let tables = near.count == 1 ? near : called
            // Users are looked for as such.
            if tables.count == 1, tables[0].oid == map.root.oid { return [] }
            if tables.count == 1, tables[0].oid == own.oid { continue }
            let found = keyed(tables, by: column.name).filter { tables.count == 1 || $0.key.type == "uuid" }
            if !found.isEmpty { return found }
        }
        // What is called so elsewhere refers to one table, always the same.
        guard column.typeColumn == nil else { return [] }
        for stem in [words] + shorter {
            guard let tables = byColumn[stem.joined(separator: "_")], tables.count == 1 else { continue }
            let others = tables.intersection(filled).subtracting(map.userTables)
            return keyed(others.compactMap { map.graph.tables[$0] }, by: column.name)
        }
        return []
    }

    /// Tables and what inherits from them, with the keys that a column means by its name.
    private func keyed(
        _ tables: [Graph.Table], by column: String
    ) -> [(table: Graph.Table, key: SingleKeys.Key)] {
        tables.flatMap { table in
            keys.meant(by: column, of: table).map { key in map.withHeirs(of: table).map { ($0, key) } } ?? []
        }
    }

    private static let above = Names.list("parent root ancestor original reply_to in_reply_to replied_to")
    private static let foreign = Names.list(
        "external remote legacy foreign third upstream imported import provider vendor partner client api ext stripe paypal"
    )

    /// Asks what stands beside a column for tables: words, or rows of a list of tables with their texts.
    func question(about column: LooseColumn) -> Query? {
        guard let type = column.typeColumn, let child = map.graph.tables[column.table], !child.isEmpty else {
            return nil
        }
        let rows = values(of: cell(type), in: child)
        guard let list = column.list else { return Query("\(unsafe: rows)") }
        guard let table = map.graph.tables[list.table], table.isReadable, !table.isSecured, !list.texts.isEmpty else {
            return nil
        }
        let texts = list.texts.map { "t.\(Identifier($0).quoted)::pg_catalog.text" }.joined(separator: ", ")
        let key = "\(cell(list.key))::pg_catalog.text"
        let sql = """
            select \(key) as type, array[\(texts)]::pg_catalog.text as texts from \(table.ownRows) t \
            where \(key) in (\(rows))
            """
        return Query(unsafe: sql)
    }

    /// What stands in a column; in a big table one value after the other, as an index serves it.
    private func values(of column: String, in table: Graph.Table) -> String {
        let rows = "from \(table.ownRows) t where"
        guard table.pages > Self.manyPages else {
            return "select distinct \(column)::pg_catalog.text as type \(rows) \(column) is not null limit 1000"
        }
        return """
            with recursive types (type) as ((select \(column) \(rows) \(column) is not null order by 1 limit 1) union all \
            select (select \(column) \(rows) \(column) > types.type order by 1 limit 1) from types where types.type is not null) \
            select type::pg_catalog.text as type from types where type is not null limit 1000
            """
    }

    private static let manyPages = 8192

    /// What the words beside a column come to: `Post` and `Blog::Post` are of `posts`, but where there is a table of
    /// `blog_posts`, the second is of those.
    func named(
        in answer: Rows, beside column: LooseColumn, _ type: String
    ) throws(DecodingFailure) -> [LooseReference] {
        var types: [UInt32: [String]] = [:]
        for row in answer.rows {
            let text = try row.text("type")
            let texts = column.list == nil ? [text] : try row.texts("texts")
            guard let table = table(called: texts) else { continue }
            // The users themselves are looked for as such where a word says what is meant.
            if table.oid == map.root.oid, column.list == nil { continue }
            types[table.oid, default: []].append(text)
        }
        return types.sorted { $0.key < $1.key }.flatMap { oid, types in
            keyed(map.graph.tables[oid].map { [$0] } ?? [], by: "id").compactMap {
                LooseReference(column, to: $0.table, $0.key, only: .init(column: type, words: types))
            }
        }
    }

    /// The table that texts name: one text with what stands before the name or without, several all together, though a
    /// title may come first.
    private func table(called texts: [String]) -> Graph.Table? {
        let parts = texts.map { text in
            text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { Names.words(of: String($0)) }
        }
        let names =
            parts.count == 1
            ? parts[0].indices.map { parts[0][$0...].flatMap(\.self) }
            : parts.indices.dropLast().map { parts[$0...].flatMap { $0.flatMap(\.self) } }
        for words in names {
            let tables = Names.plurals(of: words).flatMap { byName[$0] ?? [] }
            if tables.count == 1 { return tables[0] }
        }
        // The table of users may be called otherwise than the others of its kind.
        let users = Names.plurals(of: parts.last?.flatMap(\.self) ?? []).flatMap { byName[$0] ?? [] }
        return users.first { map.userTables.contains($0.oid) }
    }
}
