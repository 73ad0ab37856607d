internal import Asking
internal import Catalog
internal import PQ

/// Values of undeclared columns, from a sample of each table's rows.
struct Samples {
    /// The limits: rows sampled per table, values per column, and bytes per text.
    static let (rows, values, bytes) = (1000, 200, 4000)
    /// The number of values to look up in tables other than users.
    static let few = 20

    /// The distinct values of a column; for a list, of its elements.
    private(set) var whole: [CatalogColumn.Name: [String]] = [:]
    /// Words in texts and documents that look like emails, uuids or other long keys.
    private(set) var words: [CatalogColumn.Name: [String]] = [:]

    init() {}

    init(of columns: [CatalogColumn], in model: AccountModel, asking ask: Ask) throws(Failure) {
        let readable = columns.filter { column in
            column.isReadable && model.graph.tables[column.name.table].map { !$0.asksElsewhere && !$0.isEmpty } ?? false
        }
        let tables = Dictionary(grouping: readable, by: \.name.table).sorted { $0.key < $1.key }
        let hasTextKeys = model.columns[.init(table: model.root.oid, column: model.root.column)]?.kind == .text
        let queries = tables.compactMap { table, columns in
            model.graph.tables[table].map { Self.query(of: columns, $0, hasTextKeys: hasTextKeys) }
        }
        if queries.isEmpty { return }
        for (table, answer) in zip(tables, try ask(queries)) {
            guard let row = answer.rows.first else { continue }
            for (number, column) in table.value.enumerated() {
                whole[column.name] = try decoding(try row.texts("v\(number)"))
                words[column.name] = try decoding(try row.texts("w\(number)"))
            }
        }
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

    // MARK: Looking values up

    /// Looks up values in key columns; returns the values that exist, with emails in lower case.
    static func lookUp(
        _ questions: [(column: CatalogColumn, isEmail: Bool, values: Set<String>)], in graph: Graph, asking ask: Ask
    ) throws(Failure) -> [Set<String>] {
        let queries = questions.map { column, isEmail, values -> Query in
            let (cell, type) =
                switch column.kind {
                case .number: (column.cell, "int8")
                case .uuid: (column.cell, "uuid")
                default: (isEmail ? "pg_catalog.lower(\(column.text))" : column.text, "text")
                }
            let table = graph.tables[column.name.table]?.ownRows ?? ""
            return Query(
                unsafe:
                    "select distinct \(cell)::pg_catalog.text from \(table) t where \(cell) = any ($1::pg_catalog.\(type)[])",
                [arrayLiteral(values.sorted())])
        }
        let answers = try queries.isEmpty ? [] : ask(queries)
        return try answers.map { answer throws(Failure) in Set(try decoding(try answer.texts())) }
    }

    /// The sampled values of a column that have the type of a key.
    func keys(_ column: CatalogColumn, like key: CatalogColumn) -> [String] {
        (whole[column.name] ?? []).compactMap { Self.key($0, key.kind) }
    }

    static func key(_ text: String, _ kind: CatalogColumn.Kind) -> String? {
        switch kind {
        case .number: Int64(text).map { String($0) }
        case .uuid: isUUID(text) ? text.lowercased() : nil
        default: text.isEmpty ? nil : text
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }
}
