package import AppFile
package import Asking
internal import Catalog
package import Inquiries
internal import PQ

/// What a role needs to delete accounts and to restore them: rows of whatever hangs on a user, by the references of the
/// database and the policies of the app file, and a sight of the columns that may hold a user besides.
///
/// What goes into an archive and comes back from it is all of a row, and so also what is never shown.
package struct AccountNeeds {
    private let map: AccountMap
    private let columns: TableColumns
    private var all: Set<Need> = []

    /// Reads them off the catalog, without any user.
    package static func all(of account: App.Account, by reader: NeedReader) -> Result<Set<Need>, Failure> {
        do throws(Failure) {
            return .success(
                try AccountNeeds(account) { queries throws(Failure) in
                    try failing { () throws(PQError) in
                        try queries.map { query throws(PQError) in try reader.read(query) }
                    }
                }.all)
        } catch {
            return .failure(error)
        }
    }

    private init(_ account: App.Account, asking ask: Ask) throws(Failure) {
        let start = try AccountStart.find(try RootName(account.root), account: account, asking: ask)
        map = try AccountMap(of: start, asking: ask)
        let graph = map.graph
        let answer = try ask([TableColumns.query(of: Array(graph.tables.keys))])[0]
        columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        let effects = try ask([TriggerEffect.query(of: follow().sorted())])[0]
        for trigger in try decoding({ () throws(DecodingFailure) in try TriggerEffect.all(effects) }) {
            for (right, table) in graph.rightsNeeded(by: trigger) { need(right, on: table) }
            // What it sets in rows that stay is looked through for the person, and set back by whoever restores.
            if trigger.isBefore, trigger.isForEachRow, trigger.firesOnUpdate {
                for privilege in [Need.Privilege.select, .update] {
                    need(privilege, trigger.table, columns.names[trigger.table] ?? [])
                }
            }
        }
        for (table, overwritten) in map.anonymised {
            for column in overwritten {
                need(.select, table, [column.column])
                need(.update, table, [column.column])
            }
        }
        for column in map.lines.emptied {
            let key = graph.tables[column.table]?.key.map(\.name) ?? []
            need(.select, column.table, key + [column.column])
            need(.update, column.table, [column.column])
        }
        // A restoration takes out of the app's own queue what the deletion added.
        for table in map.lines.added.keys {
            guard let relation = graph.tables[table] else { continue }
            all.insert(Need(.delete, relation.schema, relation.name))
            need(.select, table, columns.names[table] ?? [])
        }
        if let files = graph.table(Platform.files) {
            let read = ["bucket_id", "name", "metadata", "owner", "owner_id"]
            need(.select, files.oid, read.filter { columns[files.oid]?[$0] != nil })
        }
        let secrets = account.secretNames
        let readings = try Readings(
            of: map, besides: [], withEmptyTables: true, readsRows: false, asking: ask)
        for (table, columns) in readings.needed(among: map.reached) {
            need(.select, table, columns.filter { !secrets.contains("\(map.name(table)).\($0)") })
        }
    }

    /// What a trigger does there, with the rights of whoever deletes or restores; in which columns, nobody knows.
    private mutating func need(_ right: TriggerEffect.Use.Right, on table: Graph.Table) {
        let names = columns.names[table.oid] ?? []
        switch right {
        case .insert: need(.insert, table.oid, names)
        case .update: need(.update, table.oid, names)
        case .delete:
            all.insert(Need(.delete, table.schema, table.name))
            // A restoration puts it back.
            need(.insert, table.oid, names)
        }
        // Whoever says which rows has to read them.
        if right != .insert { need(.select, table.oid, names) }
    }

    /// Goes from the root to everything that a deletion reaches, and gives the tables that it changes.
    private mutating func follow() -> Set<UInt32> {
        var open = [map.root.oid]
        var (reached, changed): (Set<UInt32>, Set<UInt32>) = ([], [])
        while let table = open.popLast() {
            guard reached.insert(table).inserted, let relation = map.graph.tables[table] else { continue }
            all.insert(Need(.delete, relation.schema, relation.name))
            for privilege in [Need.Privilege.select, .insert, .update] {
                need(privilege, table, columns.names[table] ?? [])
            }
            for link in (map.linksByChild[table] ?? []).map({ map.links[$0] }) {
                let columns = link.reference?.columns.map { Reading.Key(table: table, column: $0.name) } ?? []
                if columns.contains(where: map.lines.owned.contains) { open.append(link.parent) }
            }
            for link in (map.linksByParent[table] ?? []).map({ map.links[$0] }) {
                need(.select, link.child, names(in: link))
                switch link.effect {
                case .delete: open.append(link.child)
                case .detach(let columns, _):
                    changed.insert(link.child)
                    need(.update, link.child, columns)
                case .stay, .block: continue
                }
            }
        }
        return reached.union(changed)
    }

    /// The columns that a link compares; an expression may use any.
    private func names(in link: AccountLink) -> [String] {
        link.reference?.columns.map(\.name)
            ?? (columns.names[link.child] ?? []).filter { name in
                link.columns.contains { $0.expression.contains(name) }
            }
    }

    private mutating func need(_ privilege: Need.Privilege, _ table: UInt32, _ columns: [String]) {
        guard let relation = map.graph.tables[table] else { return }
        all.formUnion(columns.map { Need(privilege, relation.schema, relation.name, $0) })
    }
}
