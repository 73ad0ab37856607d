internal import Asking
internal import Catalog
internal import Glibc
internal import PQ

/// Values of undeclared columns, from a sample of each table's rows.
struct Samples {
    /// So many rows of each table are looked at, so many values of each column, and so many bytes of each text.
    static let (rows, values, bytes) = (1000, 200, 4000)
    /// Values that are looked up in tables other than that of users.
    static let few = 20

    /// The different values of a column; of a list, its elements.
    private(set) var whole: [AccountColumn.Name: [String]] = [:]
    /// What in texts and documents is written like an email, a uuid or another long key.
    private(set) var words: [AccountColumn.Name: [String]] = [:]

    init() {}

    init(of columns: [AccountColumn], in model: AccountModel, asking ask: Ask) throws(Failure) {
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

    private static func query(of columns: [AccountColumn], _ table: Graph.Table, hasTextKeys: Bool) -> Query {
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

    /// The values among some that stand in a column, each as the column's type writes it; emails in small letters.
    static func lookUp(
        _ questions: [(column: AccountColumn, isEmail: Bool, values: Set<String>)], in graph: Graph, asking ask: Ask
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

    /// The values of a column that could be keys of a kind, as that kind writes them.
    func keys(_ column: AccountColumn, like key: AccountColumn) -> [String] {
        (whole[column.name] ?? []).compactMap { Self.key($0, key.kind) }
    }

    static func key(_ text: String, _ kind: AccountColumn.Kind) -> String? {
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

    /// By how much every number that stands among the users' keys narrows down what it is, in bits; nil where keys are no numbers.
    static func surprise(at root: AccountColumn, in graph: Graph, asking ask: Ask) throws(Failure) -> Double? {
        guard root.kind == .number, let table = graph.tables[root.name.table] else { return nil }
        let query = Query(
            unsafe: """
                select pg_catalog.count(*)::pg_catalog.text as n, (max(\(root.cell)) - min(\(root.cell)) + 1)::pg_catalog.text as width
                  from \(table.ownRows) t
                """)
        guard let row = try ask([query])[0].rows.first, let count = Double(try decoding(try row.text("n"))), count > 0,
            let width = Double(try decoding(try row.optionalText("width")) ?? "")
        else { return 0 }
        return Glibc.log2(max(width / count, 1))
    }
}
