internal import Asking
internal import Catalog
internal import PQ

/// Values of columns, spread over all that there are: what the planner remembers, else what stands in some blocks.
struct Samples {
    /// By table and column.
    private(set) var values: [Reading.Key: [String]] = [:]
    /// The share of rows that have none.
    private(set) var empty: [Reading.Key: Double] = [:]

    /// How many rows tables have that the planner knows nothing of.
    private(set) var rows: [UInt32: Double] = [:]

    /// Texts that may name somebody, of columns of which most say something else.
    private var named: [Reading.Key: [String]] = [:]

    /// How many values of a column are looked up.
    static let most = 30
    private static let pages = 30
    /// To look through half a megabyte for texts that name somebody takes some milliseconds.
    private static let namingPages = 64

    init(of columns: [OpenColumn], in graph: Graph, asking ask: Ask) throws(Failure) {
        let seen = columns.filter { column in
            column.isReadable && graph.tables[column.table].map { !$0.isEmpty && !$0.isForeign } ?? false
        }
        let remembered = Query(
            file: "catalog/samples.sql",
            [arrayLiteral(seen.map { String($0.table) }), arrayLiteral(seen.map(\.name))])
        let answer = try ask([remembered])[0]
        try decoding { () throws(DecodingFailure) in
            for row in answer.rows {
                let key = Reading.Key(table: try row.identifier("table"), column: try row.text("column"))
                values[key] = try row.texts("values")
                empty[key] = Double(try row.text("empty"))
            }
        }
        // What is written out at length is remembered by nobody.
        let unknown = seen.filter { column in
            let key = column.key
            return values[key].map { $0.isEmpty && empty[key] != 1 } ?? true
        }
        let tables = Dictionary(grouping: unknown, by: \.table).sorted { $0.key < $1.key }.filter { table, _ in
            graph.tables[table]?.asksElsewhere == false
        }
        let answers = try ask(
            tables.compactMap { table, columns in graph.tables[table].map { Self.blocks(columns, $0) } })
        for ((table, columns), answer) in zip(tables, answers) {
            try decoding { () throws(DecodingFailure) in
                let row = try answer.only()
                rows[table] =
                    Double(try row.integer("n")) * 100 / (graph.tables[table].map { Self.share(of: $0) } ?? 100)
                for (place, column) in columns.enumerated() { values[column.key] = try row.texts("v\(place)") }
            }
        }
    }

    subscript(key: Reading.Key) -> [String] { values[key] ?? [] }

    /// Those texts of a column that may name somebody, though few do.
    func naming(_ key: Reading.Key) -> [String] { named[key] ?? [] }

    /// Looks through some blocks of each table for texts that hold addresses, or uuids where those are keys: of what is seldom a
    /// sample of all values shows nothing.
    mutating func lookForNames(
        in columns: [OpenColumn], asUUIDs: Bool, of graph: Graph, asking ask: Ask
    ) throws(Failure) {
        let texts = columns.filter { $0.kind == .text && !$0.isList && !$0.isOwnKey && $0.isReadable }
        let tables = Dictionary(grouping: texts, by: \.table).sorted { $0.key < $1.key }.compactMap { oid, columns in
            graph.tables[oid].flatMap { $0.isEmpty || $0.isForeign || $0.asksElsewhere ? nil : ($0, columns) }
        }
        for ((_, columns), answer) in zip(tables, try ask(tables.map { Self.naming($1, $0, asUUIDs: asUUIDs) })) {
            try decoding { () throws(DecodingFailure) in
                let row = try answer.only()
                for (place, column) in columns.enumerated() { named[column.key] = try row.texts("v\(place)") }
            }
        }
    }

    private static func naming(_ columns: [OpenColumn], _ table: Graph.Table, asUUIDs: Bool) -> Query {
        let cells = columns.enumerated().map { "\(cell($1.name))::pg_catalog.text as c\($0)" }
        let patterns = ["%_@_%"] + (asUUIDs ? ["%________-____-____-____-____________%"] : [])
        let lists = columns.indices.map { place in
            let tests = patterns.map { "c\(place) operator(pg_catalog.~~) '\($0)'" }.joined(separator: " or ")
            let texts = "select distinct pg_catalog.left(c\(place), 4000) as v from s where \(tests)"
            return "array(select d.v from (\(texts)) d order by pg_catalog.md5(d.v) limit \(most)) as v\(place)"
        }
        let rows =
            "select \(cells.joined(separator: ", ")) from \(table.ownRows) t\(sample(of: table, pages: namingPages)) limit 20000"
        return Query(unsafe: "with s as materialized (\(rows)) select \(lists.joined(separator: ", "))")
    }

    /// The share of a table that is read, in hundredths.
    private static func share(of table: Graph.Table, pages: Int = pages) -> Double {
        table.isPartitioned ? 100 : min(100, 100 * Double(pages) / Double(max(1, table.pages)))
    }

    private static func sample(of table: Graph.Table, pages: Int = pages) -> String {
        let share = share(of: table, pages: pages)
        return share < 100 ? " tablesample system (\(share)) repeatable (1)" : ""
    }

    /// Asks some blocks of a table, never its first ones alone.
    private static func blocks(_ columns: [OpenColumn], _ table: Graph.Table) -> Query {
        let sample = sample(of: table)
        let cells = columns.enumerated().map { place, column in
            let value = cell(column.name)
            return (column.isList ? value : "pg_catalog.left(\(value)::pg_catalog.text, 4000)") + " as c\(place)"
        }
        let lists = columns.enumerated().map { place, column in
            let from = column.isList ? "s, pg_catalog.unnest(c\(place)) as l (k)" : "s"
            let value = column.isList ? "k::pg_catalog.text" : "c\(place)"
            let all = "select distinct \(value) as v from \(from) where \(value) is not null"
            return "array(select d.v from (\(all)) d order by pg_catalog.md5(d.v) limit \(most)) as v\(place)"
        }
        let rows = "select \(cells.joined(separator: ", ")) from \(table.ownRows) t\(sample) limit 20000"
        return Query(
            unsafe:
                "with s as materialized (\(rows)) select \(lists.joined(separator: ", ")), (select pg_catalog.count(*) from s) as n"
        )
    }
}
