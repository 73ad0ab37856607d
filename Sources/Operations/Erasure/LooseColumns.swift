internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// A column that is called like a reference, and has no foreign key.
struct LooseColumn {
    let table: UInt32
    let name: String
    let type: String
    let isTextual: Bool
    let isFillable: Bool
    /// The column that says which table is meant, where that varies.
    let typeColumn: String?
    /// The table that this one refers to in turn, with its key and its texts.
    let list: (table: UInt32, key: String, texts: [String])?

    init(_ row: Row) throws(DecodingFailure) {
        (table, name) = (try row.identifier("table"), try row.text("column"))
        (type, isTextual) = (try row.text("type"), try row.boolean("textual"))
        isFillable = try row.boolean("fillable")
        typeColumn = try row.optionalText("type_column")
        if let key = try row.optionalText("type_key") {
            list = (try row.identifier("type_table"), key, try row.texts("type_texts"))
        } else {
            list = nil
        }
    }
}

/// The columns that identify rows of tables by themselves.
struct SingleKeys {
    struct Key: Hashable {
        let name: String
        let type: String

        var isText: Bool { ["text", "character varying", "bpchar", "citext"].contains(type) }
    }

    private var keys: [UInt32: [Key]] = [:]

    static let query = Query(EmbeddedSQL.text(of: "catalog/single_keys.sql"))

    init(_ answer: Rows) throws(DecodingFailure) {
        for row in answer.rows {
            keys[try row.identifier("table"), default: []].append(
                Key(name: try row.text("column"), type: try row.text("type")))
        }
    }

    /// What a column means that is called like it: `order_uuid` the one called `uuid`, any other the first, which is the
    /// primary key if that is one column, or else the one called `id`.
    func meant(by column: String, of table: Graph.Table) -> Key? {
        let keys = keys[table.oid] ?? []
        let last = Names.words(of: column).last ?? ""
        return keys.first { last != "id" && $0.name == last }
            ?? keys.first { [$0.name] == table.key.map(\.name) } ?? keys.first { $0.name == "id" }
    }
}

extension LooseReference {
    /// Asks which columns may be some, and what identifies rows.
    static func queries(_ graph: Graph, withEmptyTables: Bool) -> [Query] {
        let tables = graph.tables.values.filter {
            $0.partitionOf == nil && (withEmptyTables || !$0.isEmpty) && !$0.asksElsewhere && $0.isReadable
                && !$0.isSecured
        }
        let oids = arrayLiteral(tables.map(\.oid).sorted().map(String.init))
        return [Query(EmbeddedSQL.text(of: "catalog/loose_references.sql"), [oids]), SingleKeys.query]
    }

    /// Those that answers to `queries` and the names of tables come to.
    static func all(
        _ columns: Rows, _ keys: Rows, of map: AccountMap, asking ask: Ask
    ) throws(Failure) -> [LooseReference] {
        let found = try decoding { () throws(DecodingFailure) in
            var found: [LooseColumn] = []
            for row in columns.rows where try row.boolean("readable") { found.append(try LooseColumn(row)) }
            return found
        }.filter { column in
            map.kept[column.table] == nil && !map.declares(column.name, of: column.table)
                && map.name(column.table) != AccountMap.fileTable
        }
        let keys = try decoding { () throws(DecodingFailure) in try SingleKeys(keys) }
        let tables = LooseTables(map, keys)
        var plain: [LooseReference] = []
        var typed: [(column: LooseColumn, type: String, question: Query)] = []
        for column in found {
            let isMeant = tables.meant(by: column)
            // Where the name alone says it, what is beside it says something else: an order and how it was placed.
            if let type = column.typeColumn, isMeant == nil || column.list != nil {
                if let question = tables.question(about: column) { typed.append((column, type, question)) }
            } else if let isMeant {
                plain += [LooseReference(column, to: isMeant.table, isMeant.key, only: nil)].compactMap { $0 }
            }
        }
        for ((column, type, _), answer) in zip(typed, try ask(typed.map(\.question))) {
            plain += tables.named(in: answer, beside: column, type)
        }
        return plain
    }
}

/// The tables that may be referred to, by what they and their rows are called.
private struct LooseTables {
    private let map: AccountMap
    private let keys: SingleKeys
    private let byName: [String: [Graph.Table]]

    init(_ map: AccountMap, _ keys: SingleKeys) {
        (self.map, self.keys) = (map, keys)
        let tables = map.graph.tables.values.filter { $0.partitionOf == nil && !$0.isElsewhere && !$0.isEmpty }
        byName = Dictionary(grouping: tables.sorted { $0.oid < $1.oid }) {
            Names.words(of: $0.name).joined(separator: "_")
        }
    }

    /// The table that a column means by its name, and the key of it.
    func meant(by column: LooseColumn) -> (table: Graph.Table, key: SingleKeys.Key)? {
        guard let own = map.graph.tables[column.table] else { return nil }
        let words = Array(Names.words(of: column.name).dropLast())
        if words.isEmpty { return nil }
        if words == ["parent"], column.typeColumn == nil {
            return keys.meant(by: column.name, of: own).map { (own, $0) }
        }
        // `last_order_id` is one of the orders, and `order_id` of `shop_lines` one of the `shop_orders`.
        let bare = words.count > 1 && Self.which.contains(words[0]) ? Array(words.dropFirst()) : words
        let prefix = Names.words(of: own.name).prefix(1)
        for stem in [words, bare, prefix + words] {
            let tables = Names.plurals(of: stem).flatMap { byName[$0] ?? [] }
            let near = tables.filter { $0.schema == own.schema }
            guard let table = near.count == 1 ? near.first : tables.count == 1 ? tables.first : nil else { continue }
            // Users are looked for as such.
            guard table.oid != map.root.oid, table.oid != own.oid else { return nil }
            return keys.meant(by: column.name, of: table).map { (table, $0) }
        }
        return nil
    }

    private static let which: Set = [
        "last", "first", "latest", "current", "previous", "next", "original", "source", "target", "parent", "related",
        "main", "default", "primary",
    ]

    /// Asks what stands beside a column for tables: words, or rows of a list of tables with their texts.
    func question(about column: LooseColumn) -> Query? {
        guard let type = column.typeColumn, let child = map.graph.tables[column.table], !child.isEmpty else {
            return nil
        }
        let rows = values(of: cell(type), in: child)
        guard let list = column.list else { return Query("\(sql: rows)") }
        guard let table = map.graph.tables[list.table], table.isReadable, !table.isSecured, !list.texts.isEmpty else {
            return nil
        }
        let texts = list.texts.map { "t.\(Identifier($0).quoted)::pg_catalog.text" }.joined(separator: ", ")
        let key = "\(cell(list.key))::pg_catalog.text"
        let sql = """
            select \(key) as type, array[\(texts)]::pg_catalog.text as texts from \(table.ownRows) t \
            where \(key) in (\(rows))
            """
        return Query(sql)
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
    func named(in answer: Rows, beside column: LooseColumn, _ type: String) -> [LooseReference] {
        var types: [UInt32: [String]] = [:]
        for row in answer.rows {
            guard let text = row["type"]?.text else { continue }
            let texts = column.list == nil ? [text] : ((try? row.texts("texts")) ?? [])
            guard let table = table(called: texts) else { continue }
            // The users themselves are looked for as such where a word says what is meant.
            if table.oid == map.root.oid, column.list == nil { continue }
            types[table.oid, default: []].append(text)
        }
        return types.sorted { $0.key < $1.key }.compactMap { oid, types in
            guard let table = map.graph.tables[oid], let key = keys.meant(by: "id", of: table) else { return nil }
            return LooseReference(column, to: table, key, only: .init(column: type, words: types))
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
