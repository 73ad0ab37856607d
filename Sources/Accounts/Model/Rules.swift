internal import AppFile
internal import Catalog

/// The lines of an app file about rows, without the lines that declare edges.
struct Rules: Sendable {
    /// A `@set` line or `@shared … : give` line: kept rows get a new value.
    struct Assignment: Sendable {
        let column: CatalogColumn
        let expression: String
        let way: App.Account.Way
        let why: String
        /// The edge of a `@shared … : give` line, which writes another user into shared rows; nil for a `@set` line.
        var given: Edge?
    }

    private(set) var kept: [UInt32: [App.Account.Kept]] = [:]
    private(set) var assignments: [UInt32: [Assignment]] = [:]
    /// The `@shared` lines, with the `where` that makes a row shared.
    private(set) var shared: [UInt32: App.Account.Shared] = [:]
    private(set) var written: [UInt32: App.Account.Written] = [:]
    /// The tables to which a `@do` of the `@account` block adds rows, with the reason.
    private(set) var added: [UInt32: String] = [:]
    private let ignored: [App.Account.Ignored]
    private let secrets: Set<String>
    /// The lines whose table or column does not exist.
    var missing: [String] = []
    /// The columns of `@refers` lines that have an answer but no known target table.
    var aimless: [String] = []

    init(_ account: App.Account?, _ graph: Graph, _ columns: CatalogColumns) {
        ignored = account?.ignored ?? []
        secrets = account?.secretNames ?? []
        for line in account?.kept ?? [] {
            if let table = find(line.table, graph) { kept[table, default: []].append(line) }
        }
        for line in account?.assignments ?? [] {
            guard let name = CatalogColumn.Name(line.column, in: graph), let column = columns[name] else {
                missing.append(line.column)
                continue
            }
            assignments[name.table, default: []].append(
                Assignment(column: column, expression: line.expression, way: line.way, why: line.why))
        }
        for line in account?.shared ?? [] {
            if let table = find(line.table, graph) { shared[table] = line }
        }
        for line in account?.fates ?? [] {
            if let table = find(line.table, graph) { written[table] = line }
        }
        for (target, statement) in account?.additions ?? [] {
            if let table = graph.table("\(target.table.schema).\(target.table.name)") {
                added[table.oid] = statement.summary
            }
        }
    }

    private mutating func find(_ table: String, _ graph: Graph) -> UInt32? {
        if let found = graph.table(at: table) { return found.oid }
        missing.append(table)
        return nil
    }

    mutating func give(_ column: CatalogColumn, of edge: Edge, to heir: String, because why: String) {
        assignments[edge.child, default: []].append(
            Assignment(column: column, expression: heir, way: .init(via: nil), why: why, given: edge))
    }

    /// True if `@ignore` or `@secret` covers a column.
    func ignores(_ table: Graph.Table, _ column: String) -> Bool {
        ignored.contains { $0.covers([table.schema, table.name, column]) }
            || secrets.contains("\(table.qualifiedName).\(column)")
    }

    /// True if `@keep` keeps the whole table.
    func keepsWhole(_ table: UInt32) -> Bool {
        kept[table]?.contains(where: \.way.isAll) ?? false
    }

    /// The `via` and `where` of the `@keep` and `@set` lines of a table.
    func ways(of table: UInt32) -> [App.Account.Way] {
        (kept[table] ?? []).map(\.way) + (assignments[table] ?? []).map(\.way)
    }

    /// The SQL of the @keep, @set and @shared lines of the table: conditions and values.
    func sql(of table: UInt32) -> [String] {
        (ways(of: table).map(\.condition) + [shared[table]?.condition]).compactMap(\.self)
            + (assignments[table] ?? []).map(\.expression)
    }

    /// True if the `via` of a line names a column of the edge.
    func isWay(_ edge: Edge) -> Bool {
        ways(of: edge.child).compactMap(\.column).contains(where: edge.columns.contains)
    }

    /// True if a `@set` line changes the column.
    func assigns(_ column: CatalogColumn.Name) -> Bool {
        assignments[column.table]?.contains { $0.column.name == column } ?? false
    }
}
