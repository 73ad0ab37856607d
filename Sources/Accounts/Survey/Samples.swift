internal import Asking
internal import Catalog
internal import PQ

/// Values of undeclared columns, from a sample of each table's rows, and the keys and emails among them.
struct Samples {
    /// The limits: rows sampled per table, values per column, and bytes per text.
    static let (rows, values, bytes) = (1000, 200, 4000)
    /// The number of values per column that usher also searches in tables that the column's name doesn't suggest.
    static let few = 20

    /// The distinct values of each column; for an array column, the distinct elements.
    private(set) var whole: [CatalogColumn.Name: [String]] = [:]
    /// Words in texts and documents that look like emails, uuids or other long keys.
    private(set) var words: [CatalogColumn.Name: [String]] = [:]
    /// All values of `*_type` columns, by the key column in the same table.
    private(set) var types: [CatalogColumn.Name: [String]] = [:]
    /// The sampled values that exist in a key column.
    private(set) var stored: [CatalogColumn.Name: Set<String>] = [:]
    /// The sampled emails that belong to users, in lower case.
    private(set) var emails: Set<String> = []

    init() {}

    init(_ candidates: Candidates, in model: AccountModel, asking ask: Ask) throws(Failure) {
        func isHere(_ column: CatalogColumn) -> Bool {
            column.isReadable && model.graph.tables[column.name.table]?.asksElsewhere == false
        }
        let sampled = candidates.columns.filter { $0.kind != .other && isHere($0) }
        let tables = Dictionary(grouping: sampled, by: \.name.table).sorted { $0.key < $1.key }.compactMap {
            model.graph.tables[$0.key]?.isEmpty == true ? nil : (model.graph.tables[$0.key], $0.value)
        }
        let hasTextKeys = model.rootColumn?.kind == .text
        let types = candidates.types.filter { isHere($0.value) }.sorted { $0.key.table < $1.key.table }
        var queries = tables.compactMap { table, columns in
            table.map { Self.query(of: columns, $0, hasTextKeys: hasTextKeys) }
        }
        queries += types.map { _, type in
            let table = model.graph.tables[type.name.table]?.ownRows ?? ""
            let text = asText(type.name.column)
            return Query(unsafe: "select distinct \(text) from \(table) t where \(type.cell) is not null order by 1")
        }
        var answers = try queries.isEmpty ? [][...] : ask(queries)[...]
        for (_, columns) in tables {
            guard let row = answers.removeFirst().rows.first else { continue }
            for (number, column) in columns.enumerated() {
                whole[column.name] = try decoding(try row.texts("v\(number)"))
                words[column.name] = try decoding(try row.texts("w\(number)"))
            }
        }
        for (key, _) in types { self.types[key] = try decoding(try answers.removeFirst().texts()) }
        try searchValues(candidates, in: model, asking: ask)
    }

    private static func query(of columns: [CatalogColumn], _ table: Graph.Table, hasTextKeys: Bool) -> Query {
        let share = 200 * Double(rows) / Double(max(table.rows, 1))
        let isPart = share < 50 && !table.isDistributed && !table.isCopy
        let source = "\(table.ownRows) t" + (isPart ? " tablesample system (\(share))" : "")
        let pattern =
            "[[:alnum:]._%+-]+@[[:alnum:].-]*[[:alnum:]]|[[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}"
            + (hasTextKeys ? "|[[:alnum:]_-]{16,}" : "")
        let cells = columns.enumerated().map {
            "\($1.cell)\($1.kind == .document ? "::pg_catalog.text" : "") as c\($0)"
        }
        let outputs = columns.enumerated().map { number, column -> String in
            let isList = column.isList && column.kind != .document
            let value = isList ? "e.v" : "s.c\(number)"
            let from = isList ? "s, pg_catalog.unnest(s.c\(number)) e (v)" : "s"
            let whole = """
                array(select distinct pg_catalog.left(\(value)::pg_catalog.text, 400) from \(from) \
                where \(value) is not null limit \(values)) as v\(number)
                """
            guard [.text, .document].contains(column.kind) else {
                return "\(whole), null::pg_catalog.text[] as w\(number)"
            }
            let text = "pg_catalog.left(\(value)::pg_catalog.text, \(bytes))"
            let words = """
                array(select distinct m.w[1] from \(from), \
                pg_catalog.regexp_matches(\(text), '(\(pattern))', 'gi') m (w) limit \(values)) as w\(number)
                """
            return column.kind == .document ? "null::pg_catalog.text[] as v\(number), \(words)" : "\(whole), \(words)"
        }
        return Query(
            unsafe: """
                with s as materialized (select \(cells.joined(separator: ", ")) from \(source) limit \(rows))
                select \(outputs.joined(separator: ", "))
                """)
    }

    /// Searches sampled values in tables that column names suggest, in tables with uuid keys, and in emails of users.
    private mutating func searchValues(_ candidates: Candidates, in model: AccountModel, asking ask: Ask)
        throws(Failure)
    {
        var (keys, texts): ([CatalogColumn.Name: Set<String>], Set<String>) = ([:], [])
        var uuids: Set<String> = []
        for column in candidates.columns {
            let words = words[column.name] ?? []
            texts.formUnion(((whole[column.name] ?? []) + words).map { $0.lowercased() }.filter { $0.contains("@") })
            if let key = candidates.named[column.name]?.key {
                keys[key.name, default: []].formUnion(values(column, of: key.kind))
            }
            guard let root = model.rootColumn, root.kind != .number else { continue }
            keys[root.name, default: []].formUnion(values(column, of: root.kind))
            keys[root.name, default: []].formUnion(words.compactMap { Self.key($0, root.kind) })
        }
        for column in candidates.columns where candidates.named[column.name] == nil {
            if [.uuid, .text].contains(column.kind) { uuids.formUnion(values(column, of: .uuid).prefix(Self.few)) }
        }
        let others = model.graph.tables.keys.compactMap { model.keyColumn(of: $0) }.filter { $0.kind == .uuid }
        for key in others where !uuids.isEmpty { keys[key.name, default: []].formUnion(uuids) }
        func isAsked(_ name: CatalogColumn.Name) -> Bool {
            model.columns[name]?.isReadable == true && model.graph.tables[name.table]?.asksElsewhere == false
        }
        let known = keys.filter { isAsked($0.key) && !$0.value.isEmpty }.sorted { $0.key.table < $1.key.table }
        let addresses = texts.isEmpty ? [] : model.emails.filter(isAsked)
        let queries =
            known.compactMap { name, values in
                model.columns[name].map { Self.query(of: $0, $0.cell, values, in: model.graph) }
            }
            + addresses.compactMap { name in
                model.columns[name].map { Self.query(of: $0, "pg_catalog.lower(\($0.text))", texts, in: model.graph) }
            }
        let answers = try queries.isEmpty ? [] : ask(queries)
        for (key, answer) in zip(known, answers) { stored[key.key] = Set(try decoding(try answer.texts())) }
        for answer in answers.dropFirst(known.count) { emails.formUnion(try decoding(try answer.texts())) }
    }

    /// The query for the given values that exist in a column.
    private static func query(
        of column: CatalogColumn, _ cell: String, _ values: Set<String>, in graph: Graph
    ) -> Query {
        let type = column.kind == .number ? "int8" : column.kind == .uuid ? "uuid" : "text"
        let table = graph.tables[column.name.table]?.ownRows ?? ""
        return Query(
            unsafe:
                "select distinct \(cell)::pg_catalog.text from \(table) t where \(cell) = any ($1::pg_catalog.\(type)[])",
            [arrayLiteral(values.sorted())])
    }

    /// The sampled values of a column that have the type of a key.
    func values(_ column: CatalogColumn, of kind: CatalogColumn.Kind) -> [String] {
        (whole[column.name] ?? []).compactMap { Self.key($0, kind) }
    }

    private static func key(_ text: String, _ kind: CatalogColumn.Kind) -> String? {
        switch kind {
        case .number: Int64(text).map { String($0) }
        case .uuid: AccountSearch.isUUID(text) ? text.lowercased() : nil
        default: text.isEmpty ? nil : text
        }
    }
}
