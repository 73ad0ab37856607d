internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What could belong to an account in this database: every way by which rows refer to it, and the policies on them.
struct AccountMap {
    let graph: Graph
    let root: AccountRoot
    private(set) var links: [AccountLink] = []
    /// The tables whose rows are users: the root, and those that have at most one row a user.
    private(set) var userTables: Set<UInt32> = []
    /// The columns of which lines say that they refer to addresses, with the tables of those.
    private(set) var addressed: [Reading.Key: Set<UInt32>] = [:]
    var kept: [UInt32: String] = [:]
    /// The columns that are overwritten where their rows stay.
    var anonymised: [UInt32: [App.Account.Anonymised]] = [:]
    /// What the app file says of single columns, of shared rows and of what triggers write.
    private(set) var lines: AccountLines
    /// Declared references of the table of stored files: only a storage API may delete those.
    private(set) var fileLinks: [AccountLink] = []
    /// What of the app file this database does not have.
    var missing: [String] = []
    private(set) var linksByChild: [UInt32: [Int]] = [:]
    private(set) var linksByParent: [UInt32: [Int]] = [:]
    /// Columns that hold users for certain although nothing declares it; a row that names another there is also that one's.
    private(set) var certain: [UInt32: [Reading]] = [:]
    /// Columns that may refer to rows of other tables than the users', and what those identify their rows by.
    private(set) var rowReadings: [Reading] = []
    private var readKeys: [UInt32: Set<KeyColumns>] = [:]
    /// What the person is known by, and the columns that may name other users, where rows belong to the account for what they
    /// say.
    private(set) var identity: Identity?
    private(set) var userReadings: [UInt32: [Reading]] = [:]
    private var knownChains: Chains?
    /// What names say, and what they say of the columns that no foreign key explains.
    let lexicon: Lexicon
    let openColumns: [OpenColumn]
    /// The columns with emails of users, in the order of `@email`, and then others that are called so.
    private(set) var emails: [Reading.Key] = []

    /// How the references of rows are followed to users.
    var chains: Chains { knownChains ?? Chains(self) }

    /// Tables with at most one row a user, though perhaps with rows of nobody.
    var singleTables: Set<UInt32> {
        userTables.union(links.filter { userTables.contains($0.parent) && $0.reference?.isSingle == true }.map(\.child))
    }

    /// Tables that list the addresses of users, of whom each may have several.
    var addressBooks: Set<UInt32> {
        let listing = links.filter { userTables.contains($0.parent) && $0.reference != nil }.map(\.child)
        return Set(listing.filter { graph.tables[$0].map { lexicon.isAddressBook($0.name) } ?? false })
    }

    /// Reads it off the catalog: what an account is made of is read at one instant, and asked for once.
    init(of start: AccountStart, asking ask: Ask) throws(Failure) {
        let catalog = try ask(Graph.queries(apart: start.apart) + [Lexicon.query])
        let (graph, lexicon) = (try Graph(followed: catalog), try decoding(try Lexicon(catalog[2])))
        guard graph.tables[start.root.oid]?.qualifiedName == start.root.table else {
            throw Failure(AccountRefusal.otherTable(start.root.table))
        }
        let tables = [start.root.oid] + (start.account.map { AccountMap.DeclaredSide.tables(of: $0, in: graph) } ?? [])
        let answers = try ask([
            TableColumns.query(of: tables),
            OpenColumn.query(in: graph, root: start.root.oid, type: start.root.type, lexicon),
        ])
        let (columns, open) = try decoding { () throws(DecodingFailure) in
            (try TableColumns(answers[0]), try OpenColumn.all(answers[1], graph))
        }
        self.init(graph, lexicon, of: start, columns, open: open)
    }

    /// The same of what was read: the columns of tables that lines name, and those that no key explains.
    init(
        _ graph: Graph, _ lexicon: Lexicon, of start: AccountStart, _ columns: TableColumns, open: [OpenColumn]
    ) {
        (self.graph, self.lexicon, openColumns) = (graph, lexicon, open)
        let account = start.account
        root = start.root
        lines = AccountLines(account, graph)
        for reference in graph.references { add(reference) }
        findUserTables()
        findEmails(named: start.app?.addressColumns ?? [])
        for reference in account?.references ?? [] { add(reference, columns) }
        for table in account?.kept ?? [] { keep(table) }
        for column in account?.anonymised ?? [] { anonymise(column) }
        index()
        for id in links.indices {
            links[id].isOwning = fate(of: links[id]) == .delete
            links[id].effect = effect(of: links[id])
        }
    }

    /// The name of a table, for people.
    func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "?" }

    /// A column as people write it, with its table.
    func path(_ table: UInt32, _ column: String) -> String {
        graph.tables[table].map { SQLName.path(of: [$0.schema, $0.name, column]) } ?? column
    }

    /// A table as an app file writes it.
    func path(_ table: UInt32) -> String { graph.tables[table]?.path ?? "?" }

    /// A link in words: `public.messages.sender_id → public.profiles`.
    func name(_ link: AccountLink) -> String {
        switch link.source {
        case .key(let reference), .inherited(let reference):
            "\(path(link.child)) (\(reference.columns.map { SQLName.path(of: [$0.name]) }.joined(separator: ", "))) → \(path(link.parent))"
        case .declared(let from), .suspected(let from): "\(from) → \(path(link.parent))"
        }
    }

    /// The columns of a table that links look up the values of.
    func keys(of table: UInt32) -> [KeyColumns] {
        var keys =
            (linksByParent[table] ?? []).map { links[$0].key } + fileLinks.map(\.key).filter { $0.table == table }
        keys += readKeys[table] ?? []
        if table == root.oid { keys.append(root.key) }
        var seen: Set<KeyColumns> = []
        return keys.filter { seen.insert($0).inserted }
    }

    /// The columns of a table that refer to something.
    func columns(referringFrom table: UInt32) -> Set<String> {
        var columns: Set<String> = []
        for link in (linksByChild[table] ?? []).map({ links[$0] }) {
            columns.formUnion(link.reference?.columns.map(\.name) ?? [])
            if let column = link.column { columns.insert(column) }
        }
        return columns
    }

    // MARK: Links

    private mutating func link(
        _ child: UInt32, _ columns: [AccountLink.Column], to key: KeyColumns, as source: AccountLink.Source,
        partition: UInt32? = nil
    ) {
        links.append(
            AccountLink(
                id: links.count, child: child, key: key, columns: columns, source: source, partition: partition,
                effect: .delete))
    }

    private mutating func add(_ reference: Graph.Reference) {
        let (child, partition) = whole(reference.table)
        let (parent, parentPartition) = whole(reference.referenced)
        let key = KeyColumns(of: reference, table: parent, partition: parentPartition)
        let columns = reference.columns.map(AccountLink.Column.init)
        link(child, columns, to: key, as: .key(reference), partition: partition)
        for heir in heirs(of: reference.table) where !hasOwn(reference, heir) {
            link(heir, columns, to: key, as: .inherited(reference))
        }
    }

    /// A table, or the partitioned table that it is a part of.
    private func whole(_ table: UInt32) -> (table: UInt32, partition: UInt32?) {
        graph.tables[table]?.partitionOf.map { ($0, table) } ?? (table, nil)
    }

    private func heirs(of table: UInt32) -> [UInt32] {
        let children = graph.heirs[table] ?? []
        return children + children.flatMap { heirs(of: $0) }
    }

    /// A table with all that inherit from it.
    func withHeirs(of table: Graph.Table) -> [Graph.Table] {
        [table] + heirs(of: table.oid).compactMap { graph.tables[$0] }
    }

    private func hasOwn(_ reference: Graph.Reference, _ table: UInt32) -> Bool {
        graph.references.contains {
            $0.table == table && $0.referenced == reference.referenced
                && $0.columns.map(\.name) == reference.columns.map(\.name)
        }
    }

    private mutating func add(_ declared: App.Account.Reference, _ columns: TableColumns) {
        guard let from = AccountMap.DeclaredSide(declared.from, graph, columns),
            let to = AccountMap.DeclaredSide(declared.to, graph, columns)
        else {
            missing.append("\(declared.from) -> \(declared.to)")
            return
        }
        let own = AccountMap.DeclaredSide.key(declared.from, graph)
        // What stands in a column for good leads nowhere.
        if let own, lines.kept[own] != nil { return }
        let target = AccountMap.DeclaredSide.key(declared.to, graph)
        let isEmail = target.map(emails.contains) ?? false
        // Who is meant by one email is meant by each.
        let others = isEmail ? emails.filter { $0 != target && $0 != own }.map(DeclaredSide.init(email:)) : []
        let isAddress = isEmail || target.map { columns.isAddress($0.table, $0.column, lexicon) } ?? false
        for to in [to] + others {
            if isAddress, let own { addressed[own, default: []].insert(to.table) }
            let (column, key) = from.each.compared(with: to, isAddress: isAddress, where: declared.condition)
            if graph.tables[from.table]?.qualifiedName == Platform.files {
                fileLinks.append(
                    AccountLink(
                        id: fileLinks.count, child: from.table, key: key, columns: [column],
                        source: .declared(declared.from), effect: .stay))
                continue
            }
            link(from.table, [column], to: key, as: .declared(declared.from))
            links[links.count - 1].column = own?.column
            links[links.count - 1].isFillable = own.flatMap { columns[$0.table]?[$0.column]?.isFillable } ?? false
            if let list = openColumns.first(where: { $0.isList && $0.key == own }) {
                links[links.count - 1].reading = Reading(list, of: column, to: key)
            }
        }
    }

    /// Finds the columns with emails of users: those that `@email` names, and what is called so in tables of users and in those
    /// that list their emails.
    private mutating func findEmails(named: [DirectorySource.Base]) {
        let tables = userTables.union(addressBooks)
        let texts = openColumns.filter { $0.kind == .text && !$0.isList }
        let first = named.compactMap { base in
            texts.first { $0.name == base.column && name($0.table) == "\(base.table.schema).\(base.table.name)" }
        }
        let called = texts.filter { column in
            tables.contains(column.table) && column.isAddress && !lexicon.isOfAnother(column.name)
        }
        var seen: Set<Reading.Key> = []
        let plain = called.filter { lexicon.isAddress($0.name) }
        emails = (first + plain + called).map(\.key).filter { seen.insert($0).inserted }
    }

    private mutating func findUserTables() {
        userTables = [root.oid]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for link in links where userTables.contains(link.parent) && !userTables.contains(link.child) {
                guard let reference = link.reference, reference.isSingle, reference.columns.allSatisfy(\.isRequired)
                else { continue }
                userTables.insert(link.child)
                isGrowing = true
            }
        }
    }

    private mutating func index() {
        for link in links {
            linksByChild[link.child, default: []].append(link.id)
            linksByParent[link.parent, default: []].append(link.id)
        }
    }

    /// The same map where some links delete after all, since their rows refused to be detached.
    func deleting(_ ids: Set<Int>) -> AccountMap {
        var map = self
        for id in ids { map.links[id].effect = .delete }
        return map
    }

    /// The same map with readings that nothing settles.
    func reading(_ readings: Readings) -> AccountMap {
        var map = self
        map.rowReadings = readings.rows
        map.readKeys = Dictionary(grouping: readings.rows.map(\.key), by: \.table).mapValues { Set($0) }
        map.certain = readings.certain(in: self)
        map.knownChains = Chains(map)
        return map
    }

    /// Takes the rows of a table for users, for as long as its rows are followed as their other halves.
    mutating func takeForUsers(_ table: UInt32) {
        userTables.insert(table)
        knownChains = Chains(self)
    }

    /// Adds a way that leads to rows of the account.
    mutating func add(_ way: AccountLink) {
        links.append(way)
        linksByChild[way.child, default: []].append(way.id)
        linksByParent[way.parent, default: []].append(way.id)
    }

    /// Learns what the person is known by, and where others may be named.
    mutating func know(_ identity: Identity, _ readings: [Reading]) {
        self.identity = identity
        userReadings = Dictionary(grouping: readings, by: \.table)
    }
}

extension Graph.Table {
    /// The name as SQL reads it.
    var path: String { SQLName.path(of: [schema, name]) }
}
