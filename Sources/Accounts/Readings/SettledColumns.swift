internal import AppFile
internal import Catalog

/// The columns about which the lines of an app file say what becomes of them.
struct SettledColumns {
    private var columns: Set<Reading.Key> = []
    private var tables: Set<UInt32> = []
    private let plain: [App.Account.Plain]
    private let graph: Graph

    init(_ account: App.Account?, _ graph: Graph, _ readings: Readings) {
        self.graph = graph
        plain = account?.plain ?? []
        guard let account else { return }
        for line in account.kept where line.column == nil {
            if let table = TablePath(line.name, graph) { tables.insert(table.oid) }
        }
        let named =
            account.kept.compactMap(\.column) + account.detached.map(\.column) + account.anonymised.map(\.column)
            + account.mentions.map(\.column) + account.secrets.map(\.column)
        columns = Set((named + account.owned.map(\.from)).compactMap { Reading.Key($0, graph) })
        for reference in account.references {
            if let open = reference.from.firstIndex(of: "(") {
                // An expression settles the columns that stand in it.
                let path = reference.from[..<open].split(separator: " ").joined()
                guard let table = TablePath(path, graph) else { continue }
                let expression = String(reference.from[open...])
                for column in readings.columns where column.table == table.oid && expression.contains(column.name) {
                    columns.insert(column.key)
                }
            } else if let column = Reading.Key(reference.from, graph) {
                columns.insert(column)
            }
        }
    }

    func covers(_ column: Reading.Key) -> Bool {
        guard let table = graph.tables[column.table] else { return true }
        // Stored files are for a storage API to delete, and have lines of their own.
        return columns.contains(column) || tables.contains(column.table) || table.qualifiedName == AccountMap.fileTable
            || plain.contains { $0.covers([table.schema, table.name, column.column]) }
    }

    /// How many there are.
    var count: Int { columns.count + tables.count + plain.count }
}
