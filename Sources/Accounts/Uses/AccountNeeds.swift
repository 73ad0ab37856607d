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
        let start = try AccountStart.find(try AccountRoot.Name(account.root), account: account, asking: ask)
        map = try AccountMap(of: start, asking: ask)
        let graph = map.graph
        let answer = try ask([TableColumns.query(of: Array(graph.tables.keys))])[0]
        columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        let writes = try TriggerWrites(of: map, asking: ask)
        needAccount()
        for write in writes.all { need(write) }
        // Who restores sets off what fires on rows that come, and finds it done by others' rights or does it.
        let restoring = try TriggerWrites(of: map, restoring: true, asking: ask)
        for write in restoring.all where write.isOwn { need(write) }
        try need(writes.uses + restoring.uses, asking: ask)
        // What a trigger sets in rows that stay is looked through for the person, and set back by whoever restores.
        for trigger in writes.known where trigger.isBefore && trigger.isForEachRow && trigger.firesOnUpdate {
            for privilege in [Need.Privilege.select, .update] { needAll(privilege, of: trigger.table) }
        }
        for (table, line) in map.lines.written where line.answer == .remove {
            needDelete(from: table)
            needAll(.select, of: table)
        }
        for (table, overwritten) in map.anonymised {
            for column in overwritten {
                need(.select, table, [column.name])
                need(.update, table, [column.name])
            }
        }
        // What the database writes along with it an archive holds; what it empties somebody has to fill again.
        for reference in map.carrying {
            let table = graph.whole(reference.table)
            needAll(.select, of: table)
            if reference.actionOnUpdate != .cascade { need(.update, table, reference.columns.map(\.name)) }
        }
        for column in map.lines.emptied {
            let key = graph.tables[column.table]?.key.map(\.name) ?? []
            need(.select, column.table, key + [column.column])
            need(.update, column.table, [column.column])
        }
        // A restoration takes out of the app's own queue what the deletion added.
        for table in map.lines.added.keys {
            needDelete(from: table)
            needAll(.select, of: table)
        }
        // Behind a deletion files are searched for the person as everything is.
        if let files = graph.table(Platform.files) { needAll(.select, of: files.oid) }
        let secrets = account.secretNames
        let readings = try Readings(
            of: map, besides: [], withEmptyTables: true, readsRows: false, asking: ask)
        for (table, columns) in readings.needed(among: map.reached) {
            need(.select, table, columns.filter { !secrets.contains("\(map.name(table)).\($0)") })
        }
    }

    /// What a trigger does with the rights of whoever deletes, in columns that nobody knows; what it takes
    /// and what it sets a restoration puts back, whoever did it.
    ///
    /// What was written is looked through for the person, unless a line keeps it.
    private mutating func need(_ write: TriggerWrites.Write) {
        let table = write.table.oid
        let isOwn = write.isOwn
        switch write.right {
        case .insert: if isOwn { needAll(.insert, of: table) }
        case .update: needAll(.update, of: table)
        case .delete:
            needAll(.insert, of: table)
            if isOwn { needDelete(from: table) }
        }
        if write.right != .insert || !map.lines.keepsWritten(table) { needAll(.select, of: table) }
    }

    /// What else triggers need of whoever deletes or restores: what they read, and what they call that is not everybody's.
    private mutating func need(_ uses: [TriggerWrites.Use], asking ask: Ask) throws(Failure) {
        var objects: Set<NeededRight> = []
        for use in uses {
            switch use.right {
            case .on(.select, let table, let names):
                let read = (columns.names[table] ?? []).filter(names.contains)
                need(.select, table, read.isEmpty ? Array((columns.names[table] ?? []).prefix(1)) : read)
            case .onAll(let privilege, let table): needAll(privilege, of: table)
            case .call, .count: objects.insert(use.right)
            // To fill a column is to insert, and what stands for others is granted with that.
            case .on, .defaults: continue
            }
        }
        all.formUnion(try NeededRight.missing(Array(objects), ofEverybody: true, asking: ask).values.joined())
    }

    /// All that goes from the root on, and what is emptied on the way.
    private mutating func needAccount() {
        for (table, events) in map.events where events.contains(.delete) {
            needDelete(from: table)
            for privilege in [Need.Privilege.select, .insert, .update] { needAll(privilege, of: table) }
            for link in (map.linksByParent[table] ?? []).map({ map.links[$0] }) {
                need(.select, link.child, names(in: link))
                // In rows that a line keeps a foreign key is emptied.
                let isKept = link.isDeleting && !map.opens(link) && link.reference != nil
                if case .detach(let columns, _)? = isKept ? map.detachable(link) : link.effect {
                    need(.update, link.child, columns)
                }
            }
        }
    }

    private mutating func needDelete(from table: UInt32) {
        guard let relation = map.graph.tables[table] else { return }
        all.insert(Need(.delete, relation.schema, relation.name))
    }

    private mutating func needAll(_ privilege: Need.Privilege, of table: UInt32) {
        need(privilege, table, columns.names[table] ?? [])
    }

    /// The columns that a link compares; an expression may use any.
    private func names(in link: AccountLink) -> [String] {
        link.reference?.columns.map(\.name)
            ?? (columns.names[link.child] ?? []).filter { name in
                name == link.column || link.columns.contains { $0.expression.contains(name) }
            }
    }

    private mutating func need(_ privilege: Need.Privilege, _ table: UInt32, _ columns: [String]) {
        guard let relation = map.graph.tables[table] else { return }
        all.formUnion(columns.map { Need(privilege, relation.schema, relation.name, $0) })
    }
}
