internal import AppFile
internal import Catalog
internal import PQ

/// What could belong to an account in this database: every way by which rows refer to it, and the policies on them.
struct AccountMap {
    let graph: Graph
    let root: AccountRoot
    private(set) var links: [AccountLink] = []
    /// The tables whose rows are users: the root, and those that have at most one row a user.
    private(set) var userTables: Set<UInt32> = []
    private(set) var kept: [UInt32: String] = [:]
    private(set) var anonymised: [UInt32: [Overwritten]] = [:]
    /// Declared references of the table of stored files: only a storage API may delete those.
    private(set) var fileLinks: [AccountLink] = []
    /// What of the app file this database does not have.
    private(set) var missing: [String] = []
    private(set) var linksByChild: [UInt32: [Int]] = [:]
    private(set) var linksByParent: [UInt32: [Int]] = [:]
    /// Columns that hold users although nothing declares it; a row that names another there is also that one's.
    private(set) var userColumns = UserColumns()
    /// Columns that refer to rows without a foreign key, whose table their names or their neighbours say.
    private(set) var references = LooseReferences()
    private var looseKeys: [UInt32: Set<KeyColumns>] = [:]
    /// How other users are named, where rows belong to the account for what they say.
    private(set) var others: OtherUsers?
    private var knownChains: Chains?

    /// Those of them that this role may read.
    var loose: [LooseReference] { references.all }

    /// How the references of rows are followed to users.
    var chains: Chains { knownChains ?? Chains(self) }

    /// Tables with at most one row a user, though perhaps with rows of nobody.
    var singleTables: Set<UInt32> {
        userTables.union(links.filter { userTables.contains($0.parent) && $0.reference?.isSingle == true }.map(\.child))
    }

    /// Tables that list the addresses of users, of whom each may have several.
    var addressBooks: Set<UInt32> {
        let listing = links.filter { userTables.contains($0.parent) && $0.reference != nil }.map(\.child)
        return Set(listing.filter { graph.tables[$0].map { Names.isAddressBook($0.name) } ?? false })
    }

    /// A column that is overwritten where its row stays, and why.
    struct Overwritten {
        let column: String
        let expression: String
        let why: String
    }

    /// The table of stored files on a platform that has one.
    static let fileTable = "storage.objects"

    init(_ graph: Graph, root: AccountRoot, account: App.Account?, columns: TableColumns) {
        self.graph = graph
        self.root = root
        for reference in graph.references { add(reference) }
        for reference in account?.references ?? [] { add(reference, columns) }
        findUserTables()
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

    /// A link in words: `public.messages.sender_id → public.profiles`.
    func name(_ link: AccountLink) -> String {
        switch link.source {
        case .key(let reference), .inherited(let reference):
            "\(name(link.child)) (\(reference.columns.map(\.name).joined(separator: ", "))) → \(name(link.parent))"
        case .declared(let from), .suspected(let from): "\(from) → \(name(link.parent))"
        }
    }

    /// The columns of a table that links look up the values of.
    func keys(of table: UInt32) -> [KeyColumns] {
        var keys =
            (linksByParent[table] ?? []).map { links[$0].key } + fileLinks.map(\.key).filter { $0.table == table }
        keys += looseKeys[table] ?? []
        if table == root.oid { keys.append(root.key) }
        var seen: Set<KeyColumns> = []
        return keys.filter { seen.insert($0).inserted }
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
        guard let from = DeclaredSide(declared.from, graph, columns), let to = DeclaredSide(declared.to, graph, columns)
        else {
            missing.append("\(declared.from) -> \(declared.to)")
            return
        }
        let isAddress = to.isTextual && to.expression.contains("mail")
        for lowered in isAddress ? [false, true] : [false] {
            let (column, key) = from.compared(with: to, lowered: lowered)
            if graph.tables[from.table]?.qualifiedName == Self.fileTable {
                fileLinks.append(
                    AccountLink(
                        id: fileLinks.count, child: from.table, key: key, columns: [column],
                        source: .declared(declared.from),
                        effect: .stay))
            } else {
                link(from.table, [column], to: key, as: .declared(declared.from))
            }
        }
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

    // MARK: Policies

    private mutating func keep(_ table: App.Account.Kept) {
        guard let oid = TablePath(table.table, graph)?.oid else { return missing.append(table.table) }
        kept[oid] = table.why
    }

    private mutating func anonymise(_ column: App.Account.Anonymised) {
        guard let parts = SQLName.parts(ofPath: column.column), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return missing.append(column.column) }
        anonymised[table.oid, default: []].append(
            Overwritten(column: parts[2], expression: column.expression, why: column.why))
    }

    /// Whether the app file says that rows of a table stay.
    func hasPolicy(_ table: UInt32) -> Bool { kept[table] != nil || anonymised[table] != nil }

    /// The columns of a link that are overwritten.
    func overwritten(by link: AccountLink) -> [Overwritten] {
        (anonymised[link.child] ?? []).filter { column in
            link.columns.contains { $0.expression.hasPrefix(cell(column.column)) }
        }
    }

    /// What becomes of the rows of a link when what they refer to goes.
    private func effect(of link: AccountLink) -> AccountLink.Effect {
        guard hasPolicy(link.child) else { return fate(of: link) }
        if link.reference == nil || !overwritten(by: link).isEmpty { return .stay }
        return detachable(link) ?? .block("\(name(link)) must not be empty, so its rows cannot stay")
    }

    /// The same where the app file says nothing of their table.
    private func fate(of link: AccountLink) -> AccountLink.Effect {
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
        if link.loose?.half != nil { return true }
        guard let reference = link.reference else { return false }
        return reference.isSingle && reference.columns.allSatisfy(\.isRequired) && userTables.contains(link.parent)
    }

    /// How a row can be kept from referring to anything, nil when it cannot.
    func detachable(_ link: AccountLink) -> AccountLink.Effect? {
        if let suspicion = link.suspicion {
            return suspicion.isDetachable ? .detach([suspicion.candidate.column], toDefault: false) : nil
        }
        if let loose = link.loose { return loose.isFillable ? .detach([loose.column], toDefault: false) : nil }
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

    /// The same map where some links delete after all, since their rows refused to be detached.
    func deleting(_ ids: Set<Int>) -> AccountMap {
        var map = self
        for id in ids { map.links[id].effect = .delete }
        return map
    }

    /// The same map with columns that refer to rows without a foreign key.
    func referring(_ references: LooseReferences) -> AccountMap {
        var map = self
        map.references = references
        map.looseKeys = Dictionary(grouping: references.all.map(\.key), by: \.table).mapValues { Set($0) }
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

    /// The same map, knowing how other users are named.
    func naming(_ others: OtherUsers?) -> AccountMap {
        var map = self
        map.others = others
        return map
    }

    /// The same map with columns that hold users although nothing declares it.
    func holding(_ columns: UserColumns) -> AccountMap {
        var map = self
        map.userColumns = columns
        map.knownChains = Chains(map)
        return map
    }
}
