internal import AppFile
internal import Catalog

/// The lines of an app file about rows, without the lines that declare edges.
struct Rules: Sendable {
    struct Kept: Sendable {
        let via: String?
        let condition: String?
        let why: String
    }

    /// A `@set` line or `@shared … : give` line: kept rows get a new value.
    struct Assignment: Sendable {
        let column: CatalogColumn
        let expression: String
        let via: String?
        let condition: String?
        let why: String
        /// The edge of a `@shared … : give` line, which writes another user into shared rows; nil for a `@set` line.
        var given: Edge?
    }

    private(set) var kept: [UInt32: [Kept]] = [:]
    private(set) var assignments: [UInt32: [Assignment]] = [:]
    /// The `@shared` lines, with the `where` that makes a row shared.
    private(set) var shared: [UInt32: (condition: String?, answer: App.Account.Shared.Answer, why: String)] = [:]
    private(set) var written: [UInt32: (isRemoved: Bool, why: String)] = [:]
    /// The tables to which a `@do` of the account adds rows, with the reason.
    private(set) var added: [UInt32: String] = [:]
    private let ignored: [App.Account.Ignored]
    private let secrets: Set<String>
    /// The lines whose table or column does not exist.
    private(set) var missing: [String] = []
    /// The columns of `@refers` lines that have an answer but no known target table.
    private(set) var aimless: [String] = []

    init(_ account: App.Account?, _ graph: Graph, _ columns: CatalogColumns) {
        ignored = account?.ignored ?? []
        secrets = account?.secretNames ?? []
        for line in account?.kept ?? [] {
            guard let table = find(line.table, graph) else { continue }
            kept[table, default: []].append(
                Kept(via: line.way.column, condition: line.way.condition, why: line.why))
        }
        for line in account?.assignments ?? [] {
            guard let name = CatalogColumn.Name(line.column, in: graph), let column = columns[name] else {
                missing.append(line.column)
                continue
            }
            assignments[name.table, default: []].append(
                Assignment(
                    column: column, expression: line.expression, via: line.way.column, condition: line.way.condition,
                    why: line.why))
        }
        for line in account?.shared ?? [] {
            guard let table = find(line.table, graph) else { continue }
            shared[table] = (line.condition, line.answer, line.why)
        }
        for line in account?.fates ?? [] {
            guard let table = find(line.table, graph) else { continue }
            written[table] = (line.answer == .remove, line.why)
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
            Assignment(column: column, expression: heir, via: nil, condition: nil, why: why, given: edge))
    }

    mutating func reportMissing(_ line: String) { missing.append(line) }
    mutating func reportAimless(_ column: String) { aimless.append(column) }

    /// True if `@ignore` or `@secret` covers a column.
    func ignores(_ table: Graph.Table, _ column: String) -> Bool {
        ignored.contains { $0.covers([table.schema, table.name, column]) }
            || secrets.contains("\(table.qualifiedName).\(column)")
    }

    /// True if `@keep` keeps the whole table.
    func keepsWhole(_ table: UInt32) -> Bool {
        kept[table]?.contains { $0.via == nil && $0.condition == nil } ?? false
    }

    /// True if the `via` of a line names a column of the edge.
    func isWay(_ edge: Edge) -> Bool { ways(of: edge.child).contains { edge.columns.contains($0) } }

    private func ways(of table: UInt32) -> [String] {
        (kept[table] ?? []).compactMap(\.via) + (assignments[table] ?? []).compactMap(\.via)
    }

    /// True if a `@set` line changes the column.
    func assigns(_ column: CatalogColumn.Name) -> Bool {
        assignments[column.table]?.contains { $0.column.name == column } ?? false
    }
}
