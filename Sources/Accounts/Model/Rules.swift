internal import AppFile
internal import Catalog

/// What the lines of an app file say of the rows of tables, beside the edges that they declare.
struct Rules: Sendable {
    struct Kept: Sendable {
        let via: String?
        let condition: String?
        let why: String
    }

    /// A column that rows which stay get another value in.
    struct Assignment: Sendable {
        let column: AccountColumn
        let expression: String
        let via: String?
        let condition: String?
        let why: String
    }

    struct Shared: Sendable {
        /// What makes a row another user's, too, besides its edges.
        let condition: String?
        let answer: App.Account.Shared.Answer
        let why: String
    }

    /// What happens to rows that triggers write.
    struct Written: Sendable {
        let isRemoved: Bool
        let why: String
    }

    private(set) var kept: [UInt32: [Kept]] = [:]
    private(set) var assignments: [UInt32: [Assignment]] = [:]
    private(set) var shared: [UInt32: Shared] = [:]
    private(set) var written: [UInt32: Written] = [:]
    /// The tables to which the app file adds rows before a deletion, and what for.
    private(set) var added: [UInt32: String] = [:]
    /// The patterns of columns that are neither references nor secrets to a deletion.
    private let ignored: [App.Account.Ignored]
    private let secrets: Set<String>
    /// The lines of which this database does not have the table or the column.
    private(set) var missing: [String] = []
    /// The columns for which a line has an answer, and of which nothing says what they refer to.
    private(set) var aimless: [String] = []

    init(_ account: App.Account?, _ graph: Graph, _ columns: AccountColumns) {
        ignored = account?.ignored ?? []
        secrets = account?.secretNames ?? []
        for line in account?.kept ?? [] {
            guard let table = find(line.table, graph) else { continue }
            kept[table, default: []].append(
                Kept(via: line.way.column, condition: line.way.condition, why: line.why))
        }
        for line in account?.assignments ?? [] {
            guard let name = AccountColumn.Name(line.column, in: graph), let column = columns[name] else {
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
            shared[table] = Shared(condition: line.condition, answer: line.answer, why: line.why)
        }
        for line in account?.fates ?? [] {
            guard let table = find(line.table, graph) else { continue }
            written[table] = Written(isRemoved: line.answer == .remove, why: line.why)
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

    /// Notes a line that this database cannot follow.
    mutating func miss(_ line: String) { missing.append(line) }
    mutating func miss(target column: String) { aimless.append(column) }

    /// Whether nobody asks about a column: a line ignores it, or it holds a secret.
    func ignores(_ table: Graph.Table, _ column: String) -> Bool {
        ignored.contains { $0.covers([table.schema, table.name, column]) }
            || secrets.contains("\(table.qualifiedName).\(column)")
    }

    /// Whether a line keeps every row of a table that it could be about.
    func keepsWhole(_ table: UInt32) -> Bool {
        kept[table]?.contains { $0.via == nil && $0.condition == nil } ?? false
    }

    /// Whether a line is about the rows that refer by an edge.
    func isWay(_ edge: Edge) -> Bool { ways(of: edge.child).contains { edge.columns.contains($0) } }

    private func ways(of table: UInt32) -> [String] {
        (kept[table] ?? []).compactMap(\.via) + (assignments[table] ?? []).compactMap(\.via)
    }

    /// Whether a line gives a column of a table another value.
    func assigns(_ column: AccountColumn.Name) -> Bool {
        assignments[column.table]?.contains { $0.column.name == column } ?? false
    }
}
