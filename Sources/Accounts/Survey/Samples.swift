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

    /// How many values of a column are looked up.
    static let most = 30
    private static let pages = 30

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
                rows[table] = Double(try row.integer("n")) * 100 / (graph.tables[table].map(Self.share(of:)) ?? 100)
                for (place, column) in columns.enumerated() { values[column.key] = try row.texts("v\(place)") }
            }
        }
    }

    subscript(key: Reading.Key) -> [String] { values[key] ?? [] }

    /// The share of a table that is read, in hundredths.
    private static func share(of table: Graph.Table) -> Double {
        table.isPartitioned ? 100 : min(100, 100 * Double(pages) / Double(max(1, table.pages)))
    }

    /// Asks some blocks of a table, never its first ones alone.
    private static func blocks(_ columns: [OpenColumn], _ table: Graph.Table) -> Query {
        let share = share(of: table)
        let sample = share < 100 ? " tablesample system (\(share)) repeatable (1)" : ""
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
