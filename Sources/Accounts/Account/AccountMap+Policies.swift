internal import AppFile
internal import Catalog

/// What the app file says becomes of rows and columns.
extension AccountMap {
    mutating func keep(_ table: App.Account.Kept) {
        // What stands in one column alone does not keep the row.
        guard table.column == nil else { return }
        guard let oid = graph.table(at: table.name)?.oid else { return missing.append(table.name) }
        if table.way.isAll { kept[oid] = table.why }
    }

    mutating func anonymise(_ column: App.Account.Anonymised) {
        guard let key = Reading.Key(column.column, graph) else { return missing.append(column.column) }
        anonymised[key.table, default: []].append(column)
    }

    /// Whether the app file says that the rows of a table stay, all of them.
    func hasPolicy(_ table: UInt32) -> Bool {
        kept[table] != nil || anonymised[table]?.contains { $0.via == nil } == true
    }

    /// Whether what triggers write about the person into a table is taken away again: a line says so, or that such rows go.
    func removesWritten(_ table: UInt32) -> Bool {
        if let line = lines.written[table] { return line.answer == .remove }
        return (linksByChild[table] ?? []).contains { links[$0].reference == nil && links[$0].isDeleting }
    }

    /// Whether what triggers write into a table stays by a line, though it would go with the account otherwise, or lose it.
    func keepsWrittenOfAccount(_ table: UInt32) -> Bool {
        lines.keepsWritten(table) && (linksByChild[table] ?? []).contains { links[$0].effect != .stay }
    }

    /// Whether nobody has to look into a column: all rows of its table stay, and no line takes the person out of it; it is of
    /// stored files, which have lines of their own and go by a storage API, or a line says what it refers to, or that it
    /// refers to nothing.
    func isClosed(_ column: Reading.Key) -> Bool {
        guard let table = graph.tables[column.table] else { return true }
        return kept[table.oid] != nil && !lines.emptied.contains(column) || table.qualifiedName == Platform.files
            || declares(column) && !isListedElsewhere(column)
    }

    /// Whether a line says that addresses in a column are those of another table, which may list some of the users or none.
    func isListedElsewhere(_ column: Reading.Key) -> Bool { addressed[column]?.isDisjoint(with: userTables) ?? false }

    /// Whether the app file says what becomes of what stands in a column.
    func settles(_ column: Reading.Key) -> Bool { isClosed(column) || lines.names(column) }

    /// The same of all that a deletion would look into: in what triggers write and a line keeps, what is called like somebody's
    /// or found by an index.
    func settles(_ column: OpenColumn) -> Bool {
        settles(column.key) || lines.stays(column.key) && !column.isLookedInto
    }

    /// Whether the app file says what a column refers to, or it is the root itself.
    func declares(_ column: Reading.Key) -> Bool {
        if column == Reading.Key(table: root.oid, column: root.column) { return true }
        if lines.refers(column), !isLeftBehind(column) { return true }
        return graph.tables[column.table].map { lines.isPlain([$0.schema, $0.name, column.column]) } ?? false
    }

    /// Whether a column refers to one that a line overwrites in rows that stay, and would say still what that said.
    private func isLeftBehind(_ column: Reading.Key) -> Bool {
        (linksByChild[column.table] ?? []).map { links[$0] }.contains { link in
            link.column == column.column
                && (anonymised[link.parent] ?? []).contains { overwritten in
                    link.key.expressions.contains { $0.hasPrefix(cell(overwritten.name)) }
                }
        }
    }

    /// The columns of a link that are overwritten.
    func overwritten(by link: AccountLink) -> [App.Account.Anonymised] {
        (anonymised[link.child] ?? []).filter { $0.via == nil && link.holds($0.name) }
    }

    /// Whether rows that come by a link have to be found: they go, or a line is about them although they stay.
    func finds(_ link: AccountLink) -> Bool {
        link.isDeleting || lines.partly[link.child]?.contains { $0.isOverwritten && $0.isBy(link) } == true
    }

    /// What becomes of the rows of a link when what they refer to goes.
    func effect(of link: AccountLink) -> AccountLink.Effect {
        if !overwritten(by: link).isEmpty { return .stay }
        if lines.detaches(link) { return detachable(link) ?? .block(.detached(name(link))) }
        guard hasPolicy(link.child) else { return fate(of: link) }
        if link.reference == nil { return .stay }
        return detachable(link) ?? .block(.kept(name(link)))
    }

    /// The same where the app file says nothing of their table.
    func fate(of link: AccountLink) -> AccountLink.Effect {
        // A list of rows does not go with one of those that it lists.
        if link.reading?.form == .list { return detachable(link) ?? .delete }
        guard let reference = link.reference else { return .delete }
        switch reference.action {
        case .cascade: return .delete
        case .setNull, .setDefault: return detachable(link) ?? .delete
        case .noAction, .restrict:
            // Deleting one account never means deleting another that merely mentions it.
            return userTables.contains(link.child) && !isIdentity(link) ? detachable(link) ?? .delete : .delete
        }
    }

    /// Whether a link is what makes its table one of users.
    func isIdentity(_ link: AccountLink) -> Bool {
        if link.reading?.half != nil { return userTables.contains(link.parent) }
        guard let reference = link.reference else { return false }
        return reference.isSingle && reference.columns.allSatisfy(\.isRequired) && userTables.contains(link.parent)
    }

    /// What becomes of a reference in a row that others share, and that stays for them.
    func sharedEffect(_ link: AccountLink) -> AccountLink.Effect? {
        guard lines.shared[link.child]?.heir != nil else { return detachable(link) }
        let columns = link.column.map { [$0] } ?? link.reference.map { $0.columns.map(\.name) } ?? []
        return columns.count == 1 ? .detach(columns, toDefault: false) : detachable(link)
    }

    /// How a row can be kept from referring to anything, nil when it cannot.
    func detachable(_ link: AccountLink) -> AccountLink.Effect? {
        if let reading = link.reading {
            return reading.isDetachable || lines.rewrites(reading) ? .detach([reading.name], toDefault: false) : nil
        }
        if let column = link.column { return link.isFillable ? .detach([column], toDefault: false) : nil }
        guard let reference = link.reference else { return nil }
        if reference.action == .setDefault, reference.columns.contains(where: { $0.standard != "null" }) {
            return .detach(reference.setColumns, toDefault: true)
        }
        let columns = reference.columns.filter { reference.setColumns.contains($0.name) && $0.isFillable }.map(\.name)
        guard !columns.isEmpty else { return nil }
        // Columns that say something else besides stay as they are, if that is possible.
        let shared = Set(
            (linksByChild[link.child] ?? []).compactMap { links[$0].reference }.filter { $0 != reference }
                .flatMap { $0.columns.map(\.name) })
        let own = columns.filter { !shared.contains($0) }
        return .detach(own.isEmpty || reference.action == .setNull ? columns : own, toDefault: false)
    }
}

extension AccountMap {
    /// Whether rows may go by a link: they do not where a line keeps all that come by it.
    func opens(_ link: AccountLink) -> Bool {
        link.isDeleting && !(lines.partly[link.child] ?? []).contains { $0.isBy(link) && $0.way.condition == nil }
    }

    /// The tables whose rows may belong to users, and go with them.
    var reached: Set<UInt32> { reached(from: root.oid) }

    /// A table, and those whose rows may go with its rows.
    func reached(from table: UInt32) -> Set<UInt32> {
        var (reached, open): (Set<UInt32>, [UInt32]) = ([table], [table])
        while let table = open.popLast() {
            for id in linksByParent[table] ?? [] where opens(links[id]) {
                if reached.insert(links[id].child).inserted { open.append(links[id].child) }
            }
        }
        return reached
    }
}

extension AccountMap {
    /// What deletions do to rows, of whatever accounts.
    var events: TriggerWrites.Events {
        var events: TriggerWrites.Events = [:]
        var open = [root.oid]
        while let table = open.popLast() {
            guard events[table, default: []].insert(.delete).inserted else { continue }
            for link in (linksByChild[table] ?? []).map({ links[$0] }) where lines.owns(link) {
                open.append(link.parent)
            }
            for link in (linksByParent[table] ?? []).map({ links[$0] }) {
                switch link.effect {
                case .delete where !opens(link): events[link.child, default: []].insert(.update)
                // What lines want to stay and cannot would go.
                case .delete, .block: open.append(link.child)
                case .detach: events[link.child, default: []].insert(.update)
                case .stay: continue
                }
            }
        }
        for table in anonymised.keys { events[table, default: []].insert(.update) }
        for column in lines.emptied { events[column.table, default: []].insert(.update) }
        for reference in carrying { events[graph.whole(reference.table), default: []].insert(.update) }
        for table in lines.added.keys { events[table, default: []].insert(.insert) }
        return events
    }

    /// The foreign keys by which the database writes other rows along with what lines have written, of whatever accounts.
    var carrying: [Graph.Reference] {
        var written = anonymised.mapValues { Set($0.map(\.name)) }
        for column in lines.emptied { written[column.table, default: []].insert(column.column) }
        for (table, line) in lines.shared where line.heir != nil {
            written[table, default: []].formUnion(columns(referringFrom: table))
        }
        return graph.carrying(written)
    }
}

extension Graph {
    /// A table, or the partitioned table that it is a part of.
    func whole(_ table: UInt32) -> UInt32 { tables[table]?.partitionOf ?? table }

    /// The foreign keys by which the database itself writes rows that refer to others, where some columns of those are written.
    func carrying(_ written: [UInt32: Set<String>]) -> [Reference] {
        var (found, open): ([Reference], [UInt32: Set<String>]) = ([], written)
        while let (parent, columns) = open.popFirst() {
            for reference in references
            where whole(reference.referenced) == parent && reference.isEnforced && !found.contains(reference)
                && ![.noAction, .restrict].contains(reference.actionOnUpdate)
                && reference.columns.contains(where: { columns.contains($0.referenced) })
            {
                found.append(reference)
                open[whole(reference.table), default: []].formUnion(reference.columns.map(\.name))
            }
        }
        return found.sorted { $0.oid < $1.oid }
    }
}
