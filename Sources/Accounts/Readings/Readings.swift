internal import Asking
internal import Catalog
internal import PQ

/// The readings that names and types make candidates, and that no key and no line settles.
///
/// The scale is that of the survey: names give points, and that a key which goes stands there is worth another, or four where
/// it is one thing in the world. So what two points speak for is looked into, and any column that could hold what is one thing.
struct Readings {
    /// Columns that may hold users, or speak of them.
    private(set) var users: [Reading] = []
    /// Those of them that are looked into: all, unless they are narrowed.
    private(set) var searched: [Reading] = []
    /// Those that are not, and that no line lets speak of people.
    private(set) var unsearched: [Reading] = []
    /// Those of tables in which a line keeps what triggers write, as far as nobody looks what stood there before: it stays, too.
    private(set) var standing: [Reading] = []
    /// Columns that may refer to rows of other tables.
    private(set) var rows: [Reading] = []
    /// Columns that this role may not read, with the table of whose rows they may be; nil where a word beside them says that.
    private var hiddenRows: [(column: OpenColumn, table: UInt32?)] = []
    private var hiddenUsers: [Reading] = []
    /// Columns beside which a word says which table they mean.
    private var typed: [OpenColumn] = []

    /// The columns that no key explains and no line of the app file is about, as readings.
    ///
    /// Those of empty tables only when they may fill meanwhile. Unless it reads rows, no words that stand in them.
    init(
        of map: AccountMap, besides secrets: Set<String>, withEmptyTables: Bool,
        readsRows: Bool = true, asking ask: Ask
    ) throws(Failure) {
        let columns = map.openColumns
        var keys: [Reading.Key: OpenColumn] = [:]
        for column in columns where column.isUnique && !column.isList { keys[column.key] = column }
        let own = Dictionary(grouping: keys.values, by: \.table).mapValues { keys in
            keys.first(where: \.isOwnKey) ?? keys.first { $0.name == "id" }
        }
        let open = columns.filter { column in
            !map.isClosed(column.key) && (!column.isLeft || map.leavesUser(column))
                && (withEmptyTables || map.graph.tables[column.table]?.isEmpty == false)
        }
        let named = SpokenTables(map.graph, users: map.userTables, map.lexicon)
        typed = open.filter { $0.typeColumn != nil }
        let asked = (readsRows ? typed : []).compactMap { column in named.question(about: column).map { (column, $0) } }
        var meant: [Reading.Key: [UInt32: [String]]] = [:]
        // Words that say which table is meant, and nobody can tell what they call so: then any row may mean anybody.
        var opaque: Set<Reading.Key> = []
        for ((column, _), answer) in zip(asked, try ask(asked.map(\.1))) {
            let (tables, unknown) = try decoding { () throws(DecodingFailure) in
                try named.read(answer, beside: column)
            }
            meant[column.key] = tables
            if tables.isEmpty, !unknown.isEmpty, column.typeList == nil { opaque.insert(column.key) }
        }
        let root = Reading.Key(table: map.root.oid, column: map.root.column)
        for column in open {
            let meaning = Meaning(
                column, words: meant[column.key] ?? [:], isOpaque: opaque.contains(column.key), root: root)
            if !secrets.contains("\(map.name(column.table)).\(column.name)") { add(meaning, of: map, named) }
            // A key that the database makes up refers to nothing.
            if column.isOwnKey, column.isMadeUp { continue }
            var parents: [(key: OpenColumn, only: Reading.Only?)] = []
            if meaning.isTyped, let type = column.typeColumn {
                for (table, words) in meaning.words.sorted(by: { $0.key < $1.key }) where table != root.table {
                    if let key = own[table] ?? nil { parents.append((key, .init(column: type, words: words))) }
                }
                if !column.isReadable { hide(column, of: map, table: nil) }
            } else if meaning.isSpoken {
                for (parent, _) in column.spoken.sorted(by: { $0.key.table < $1.key.table })
                where column.points(for: parent) == meaning.points && parent != root {
                    if let key = keys[parent] { parents.append((key, nil)) }
                }
            }
            for (parent, only) in parents { add(column, parent, only, of: map) }
        }
        addHalves(of: map, readsRows ? try Outward(of: map, asking: ask) : Outward(of: map))
        searched = users
    }

    /// Looks into what is soon read, and besides into no more than what names and keys make candidates, and there for the person
    /// as a whole; what somebody answered for by its name is looked into whatever it is called.
    ///
    /// To find whom nothing speaks for is to read everything, which costs as much as there is in the database: what an app file
    /// does not speak of, its survey has looked into. Where there is none, nobody has.
    mutating func narrow(by answers: AccountAnswers, in map: AccountMap, isSurveyed: Bool) {
        /// What a line lets stand where triggers write is nobody's to look for in every row.
        func isWhole(_ reading: Reading) -> Bool {
            answers.isNamed(map.name(reading.table), reading.name)
                || reading.isCheap(map.graph) && !map.lines.stays(reading.column.key)
        }
        for place in users.indices {
            let (column, table) = (users[place].column, map.graph.tables[users[place].table])
            users[place].isExact = !isWhole(users[place])
            users[place].needsIndex = column.isIndexed && (table?.pages ?? 0) > Reading.manyPages
        }
        func isSearched(_ reading: Reading) -> Bool {
            !reading.isExact || map.isListedElsewhere(reading.column.key) || !isSurveyed && reading.isUUID
                || reading.isCandidate(besides: map.userTables) && !reading.isCostly(map.graph)
        }
        searched = users.filter(isSearched)
        standing = users.filter { reading in
            reading.isExact && map.lines.keepsWritten(reading.table)
                && !(reading.form == .key && isSearched(reading))
        }
        unsearched = users.filter { !isSearched($0) && !map.lines.stays($0.column.key) }
    }

    private mutating func hide(_ column: OpenColumn, of map: AccountMap, table: UInt32?) {
        guard map.graph.tables[column.table]?.isEmpty == false else { return }
        hiddenRows.append((column, table))
    }

    private mutating func add(
        _ column: OpenColumn, _ parent: OpenColumn, _ only: Reading.Only?, of map: AccountMap
    ) {
        guard let table = map.graph.tables[column.table], !table.asksElsewhere,
            let whole = map.graph.tables[parent.table], !whole.isElsewhere
        else { return }
        guard column.isReadable else { return hide(column, of: map, table: parent.table) }
        for table in map.withHeirs(of: whole) {
            if let reading = Reading(column, to: table.oid, parent, only: only) { rows.append(reading) }
        }
    }

    /// What names say of a column, and words beside it.
    private struct Meaning {
        let column: OpenColumn
        /// How much its name says for the table that it most speaks for; and whether that is enough to look.
        let points: Int
        var isSpoken: Bool { points >= Evidence.speaking }
        /// Whether its name means users.
        let isNamed: Bool
        /// Whether words beside it say which table each row means; and those that do, by table.
        let isTyped: Bool
        let words: [UInt32: [String]]

        init(_ column: OpenColumn, words: [UInt32: [String]], isOpaque: Bool, root: Reading.Key) {
            (self.column, self.words) = (column, words)
            points = column.spoken.keys.map(column.points).max() ?? 0
            isNamed = column.isLeft || column.points(for: root) >= max(Evidence.speaking, points)
            isTyped = !isOpaque && column.isTyped(by: words)
        }
    }

    /// Adds a column that may hold a user.
    private mutating func add(_ meaning: Meaning, of map: AccountMap, _ named: SpokenTables) {
        let (column, words) = (meaning.column, meaning.words[map.root.oid])
        guard let form = Self.form(column, isNamed: meaning.isNamed || words != nil, root: map.root) else { return }
        var only: Reading.Only?
        // A key that is one thing in the world is a user's whatever stands beside it.
        if let type = column.typeColumn, meaning.isTyped, !Identity.isTelling(map.root.type) {
            let standard = column.typeList == nil ? named.words(for: map.root.oid) : []
            only = .init(
                column: type, words: Set((words ?? []) + standard).sorted(),
                isStandard: meaning.isNamed && column.typeList == nil)
            if column.typeList != nil, words == nil { return }
        }
        if form == .key || form == .list, column.kind == .number, !meaning.isNamed, only == nil {
            // However long a number is, it may be that of another row; and its own key is nobody else's.
            let isOfOthers = meaning.isSpoken || column.isOwnKey
            if isOfOthers || !map.root.values.contains(where: { Identity.isLong($0) }) { return }
        }
        if column.isOwnKey, column.isMadeUp, column.kind == .number { return }
        var reading = Reading(column, form, of: map.root, isTelling: meaning.isNamed || only != nil, only: only)
        reading.isSettled = map.lines.emptied.contains(column.key)
        reading.isOverwritten = map.anonymised[column.table]?.contains { $0.name == column.name } ?? false
        if column.isReadable { users.append(reading) } else { hiddenUsers.append(reading) }
    }

    /// How a key of the root may stand in a column; nil where it cannot.
    private static func form(_ column: OpenColumn, isNamed: Bool, root: AccountRoot) -> HeldColumn.Kind? {
        let isNumber = ["smallint", "integer", "bigint", "numeric"].contains(root.type)
        switch column.kind {
        case .number: return isNumber ? column.isList ? .list : .key : nil
        case .uuid where root.type == "uuid": return column.isList ? .list : .key
        // Numbers may be written out in a list.
        case .text where isNumber && isNamed && column.isList: return .list
        case .same: return column.isList ? .list : .key
        case .document: return ["json", "jsonb"].contains(column.type) && !column.isList ? .json : .text
        case .uuid, .text, .bytes: return .text
        case .word: return nil
        }
    }

    /// Adds the rows that those of an account refer to one to one: what is known of somebody may stand there, and only there.
    private mutating func addHalves(of map: AccountMap, _ outward: Outward) {
        for reference in map.graph.references {
            guard reference.columns.count == 1, !reference.columns[0].isList,
                let rows = map.graph.tables[reference.table], rows.partitionOf == nil,
                let other = map.graph.tables[reference.referenced], other.partitionOf == nil,
                !map.userTables.contains(other.oid), map.kept[other.oid] == nil, other.isReadable, !other.isSecured,
                !other.isEmpty, !other.asksElsewhere,
                !map.declares(.init(table: other.oid, column: reference.columns[0].referenced))
            else { continue }
            let isOwned = map.lines.owned.contains(Reading.Key(table: rows.oid, column: reference.columns[0].name))
            guard isOwned || outward.isHalf(reference, in: map) else { continue }
            let column = OpenColumn(keyOf: other.oid, reference.columns[0].referenced)
            self.rows.append(Reading(column, by: reference))
        }
    }

    // MARK: Whom they mean for certain

    /// Columns that hold users for certain: of the type of the key, and called so where their values could count anything.
    func certain(in map: AccountMap) -> [UInt32: [Reading]] {
        let isWritten = ["uuid", "integer", "bigint"].contains(map.root.type)
        let found = users.filter { reading in
            let column = reading.column
            guard !column.isLeft else { return false }
            switch reading.form {
            // A key that the database makes up is nobody else's, nor are those of more rows than there are users.
            case .key:
                return (reading.isTelling || column.kind == .uuid)
                    && !(column.isOwnKey && (column.isMadeUp || map.hasMoreRows(column.table, than: map.root.oid)))
            // A key that is written as a text has to be told from any other text.
            case .text:
                let isSame = column.type == map.root.type && !column.isList
                return column.kind == .text && !column.isList && reading.isTelling && (isWritten || isSame)
            case .list, .json: return false
            }
        }
        return Dictionary(grouping: found, by: \.table)
    }

    /// The columns of tables that hold something which this role may not see whole, and that may hold the person, or refer
    /// to rows that go.
    func hidden(_ closure: AccountClosure, _ identity: Identity) -> [String] {
        let map = closure.map
        let users = hiddenUsers.filter { map.graph.tables[$0.table]?.isEmpty != true && identity.looksInto($0) }
        let rows = hiddenRows.filter { $0.table.map { (closure.found[$0]?.rows ?? 0) > 0 } ?? true }
        return Set((users.map(\.column) + rows.map(\.column)).map { "\(map.name($0.table)).\($0.name)" }).sorted()
    }

    /// What a role has to read to look for all of them, by table, where they mean users or rows of some tables.
    func needed(among reached: Set<UInt32>) -> [(table: UInt32, columns: [String])] {
        let meant =
            rows.filter { reached.contains($0.key.table) }.map(\.column)
            + hiddenRows.filter { $0.table.map(reached.contains) ?? true }.map(\.column)
        let columns = (users + hiddenUsers).map(\.column) + meant + typed
        let lists = typed.compactMap(\.typeList).map { (table: $0.table, columns: [$0.key] + $0.texts) }
        return columns.map { (table: $0.table, columns: [$0.name] + [$0.typeColumn].compactMap(\.self)) } + lists
    }
}

extension AccountMap {
    /// Whether a table has certainly more rows than another, as far as the planner's figures tell.
    fileprivate func hasMoreRows(_ table: UInt32, than other: UInt32) -> Bool {
        guard let table = graph.tables[table], let other = graph.tables[other] else { return false }
        return table.rows > 2 * other.rows + 1000
    }

    /// Whether a foreign key refers to users by a column, and leaves it as it is when it sets others of its columns.
    fileprivate func leavesUser(_ column: OpenColumn) -> Bool {
        (linksByChild[column.table] ?? []).contains { id in
            guard let reference = links[id].reference, userTables.contains(links[id].parent),
                !reference.setColumns.contains(column.name),
                let referenced = reference.columns.first(where: { $0.name == column.name })?.referenced
            else { return false }
            return isKey(referenced, ofUsers: links[id].parent)
        }
    }

    /// Whether a column of a table of users is what tells one from the other.
    private func isKey(_ column: String, ofUsers table: UInt32) -> Bool {
        if table == root.oid { return column == root.column }
        return (linksByChild[table] ?? []).contains { id in
            isIdentity(links[id]) && links[id].reference?.columns.map(\.name) == [column]
        }
    }
}
