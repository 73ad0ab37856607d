internal import Asking
internal import Catalog
internal import PQ

/// The rows that belong to an account: how many of each table, and the values by which others refer to them.
struct AccountClosure {
    /// What was found in one table.
    struct Found {
        var rows = 0
        /// Rows that also point at another user.
        var collateral = 0
        /// Others that stand in what other users have.
        var seen = 0
        /// Rows that the database's own cascade would take along.
        var cascaded = 0
        /// Rows by the link that leads to them; a row may come by several.
        var byLink: [Int: Int] = [:]
    }

    /// The rows of one table that stay.
    struct Staying {
        var rows = 0
        /// Those that hold the users, whom a policy of the table is about.
        var held = 0
        /// The others that lose a reference.
        var losing = 0
        /// Those that stay by lines about a part of the table, line by line, each row once.
        var kept: [Int] = []
    }

    let map: AccountMap
    /// What becomes of rows that also point at another user; nil counts them as deleted until somebody answers.
    let answer: AccountAnswer?
    private(set) var found: [UInt32: Found] = [:]
    private(set) var keys: [KeyColumns: [BoundValue]] = [:]
    /// How many steps the nearest rows of a table are away from the users.
    private(set) var distance: [UInt32: Int] = [:]
    /// How many of the users there are.
    private(set) var users = 0
    /// The values in the rows that are the users themselves: what points at a user and at none of these is shared.
    private(set) var ownKeys: [KeyColumns: [BoundValue]] = [:]
    /// Rows that stay because rows that stay need them, or because the line of that number about their table says so.
    private(set) var excluded: [(key: KeyColumns, arrays: [BoundValue], line: Int?)] = []
    /// What stays though rows that go refer to it, for those of others that do.
    private(set) var needed: [UInt32: Needed] = [:]
    /// Rows that lose a reference, are overwritten or stay, by link.
    private(set) var staying: [Int: Int] = [:]
    /// The same by table, each row once.
    private(set) var stayingRows: [UInt32: Staying] = [:]

    /// Finds the rows, in as many questions at once as do not depend on each other.
    init(_ map: AccountMap, answer: AccountAnswer?, asking ask: Ask) throws(Failure) {
        self.map = map
        self.answer = answer
        try findUsers(ask)
        try search(ask)
        while try excludeMore(ask) {
            (found, keys, distance) = ([:], [:], [:])
            try search(ask)
        }
        try countStaying(ask)
    }

    /// The tables with rows to delete, each before those that its rows refer to.
    ///
    /// Those that no key ties to another go before all: behind the others there would be rows in them that triggers wrote
    /// meanwhile, of which lines of their own say what becomes.
    var deletionOrder: [[UInt32]] {
        let tables = found.filter { $0.value.rows > 0 }.keys.sorted()
        func children(of table: UInt32) -> [UInt32] {
            (map.linksByParent[table] ?? []).map { map.links[$0] }
                .filter { $0.orders && (found[$0.child]?.rows ?? 0) > 0 && keys[$0.key] != nil }.map(\.child)
        }
        let ordered = Components(from: tables, next: children).levels.reversed().flatMap { $0 }
        let tied = Set(tables.flatMap { table in children(of: table).filter { $0 != table }.flatMap { [table, $0] } })
        func isLoose(_ component: [UInt32]) -> Bool {
            component.allSatisfy { $0 != map.root.oid && !tied.contains($0) }
        }
        return ordered.filter(isLoose) + ordered.filter { !isLoose($0) }
    }

    var total: Int { found.values.reduce(0) { $0 + $1.rows } }

    // MARK: Searching

    /// Finds the rows that are the users: the root's, and those that hang on them one to one.
    private mutating func findUsers(_ ask: Ask) throws(Failure) {
        var known: Set<UInt32> = []
        var isGrowing = true
        while isGrowing {
            var questions: [(table: UInt32, question: Question)] = []
            for table in map.userTables.sorted() where !known.contains(table) {
                if let question = ownQuestion(table) { questions.append((table, question)) }
            }
            try requireSight(of: questions.map(\.table))
            for ((table, question), answer) in zip(questions, try ask(questions.map(\.question.query))) {
                known.insert(table)
                let found = try decoding(try question.read(try answer.only(), into: &ownKeys))
                if table == map.root.oid { users = found.rows }
            }
            isGrowing = !questions.isEmpty
        }
        Self.name(map.root, in: &ownKeys)
    }

    /// Whoever's row is gone already is known by the key alone.
    private static func name(_ root: AccountRoot, in keys: inout [KeyColumns: [BoundValue]]) {
        if keys[root.key] == nil, !root.values.isEmpty { keys[root.key] = [root.list] }
    }

    /// Whether none of the users have their rows any more.
    var isRootGone: Bool { users == 0 }

    private mutating func search(_ ask: Ask) throws(Failure) {
        let map = map
        let components = Components(from: [map.root.oid]) { table in
            (map.linksByParent[table] ?? []).map { map.links[$0] }.filter(map.finds).map(\.child)
        }
        for level in components.levels {
            // A circle is gone round until nothing new turns up.
            var open = level
            while !open.isEmpty {
                let tables = open.flatMap { $0 }
                let changed = try find(tables, ask)
                open = open.filter { component in
                    (component.count > 1 || refersToItself(component[0])) && component.contains { changed.contains($0) }
                }
            }
        }
    }

    private func refersToItself(_ table: UInt32) -> Bool {
        (map.linksByParent[table] ?? []).contains { map.links[$0].child == table && map.links[$0].effect == .delete }
    }

    /// Looks into tables at once and tells which of them have more rows than before.
    private mutating func find(_ tables: [UInt32], _ ask: Ask) throws(Failure) -> Set<UInt32> {
        try excludeKept(of: tables, ask)
        var questions: [(table: UInt32, question: Question)] = []
        for table in tables {
            if map.graph.tables[table]?.isEmpty == true { continue }
            if let question = question(table) { questions.append((table, question)) }
        }
        try requireSight(of: questions.map(\.table))
        let answers = try ask(questions.map(\.question.query))
        var changed: Set<UInt32> = []
        for ((table, question), answer) in zip(questions, answers) {
            let before = found[table]?.rows
            let now = try decoding(try question.read(try answer.only(), into: &keys))
            if now.rows != before ?? 0 { changed.insert(table) }
            found[table] = now
            if table == map.root.oid { Self.name(map.root, in: &keys) }
            let ways = now.byLink.filter { $0.value > 0 }.map { steps(map.links[$0.key]) }
            if let nearest = ways.min(), !map.userTables.contains(table) {
                distance[table] = min(distance[table] ?? nearest, nearest)
            }
        }
        return changed
    }

    /// Lets rows stay that rows which stay need; tells whether there were any.
    private mutating func excludeMore(_ ask: Ask) throws(Failure) -> Bool {
        if try excludeNeeded(ask) { return true }
        return keepsSome ? try excludeParents(ask) : false
    }

    mutating func exclude(_ key: KeyColumns, _ arrays: [BoundValue], neededBy tables: Set<UInt32>, _ rows: Int) {
        exclude(key, arrays)
        needed[key.table, default: Needed()].rows += rows
        needed[key.table]?.by.formUnion(tables)
    }

    mutating func exclude(_ key: KeyColumns, _ arrays: [BoundValue], by line: Int? = nil) {
        excluded.append((key, arrays, line))
    }

    mutating func count(_ rows: Int, stayingBy link: Int) { staying[link] = rows > 0 ? rows : nil }

    mutating func count(_ rows: Staying, in table: UInt32) { stayingRows[table] = rows }

    /// What a deletion may not see it cannot delete, and would not know of.
    ///
    /// Where one of them may not be seen, all are named that could not be seen next: nobody asks for rights table by table.
    func requireSight(of tables: [UInt32]) throws(Failure) {
        let tables = tables.compactMap { map.graph.tables[$0] }
        if tables.contains(where: { !$0.isReadable }) {
            let all = Set(tables.map(\.oid)).union(map.reached).compactMap { map.graph.tables[$0] }
            throw Failure(
                AccountRefusal.unreadable(tables: all.filter { !$0.isReadable }.map(\.qualifiedName).sorted()))
        }
        let hidden = tables.filter(\.isSecured).map(\.qualifiedName)
        if !hidden.isEmpty {
            throw Failure(AccountRefusal.hidden(tables: hidden))
        }
    }
}

/// Asks some questions at once, whose refusal is a failure.
typealias Ask = ([Query]) throws(Failure) -> [Rows]

// MARK: Conditions

extension AccountClosure {
    /// The condition under which a row `t` of a table is to be deleted; nil when none is.
    func condition(of table: UInt32, _ bindings: inout Bindings) -> String? {
        guard let belongs = belonging(to: table, \.isDeleting, &bindings) else { return nil }
        guard let stays = stays(table, &bindings) else { return belongs }
        return "(\(belongs)) and (\(stays)) is not true"
    }

    /// The condition under which a row belongs to the account by one of some links, or is the root itself.
    func belonging(
        to table: UInt32, _ isWanted: (AccountLink) -> Bool, _ bindings: inout Bindings
    ) -> String? {
        var conditions: [String] = []
        if table == map.root.oid { conditions.append(isRoot(&bindings)) }
        for id in map.linksByChild[table] ?? [] where isWanted(map.links[id]) {
            if let condition = belonging(by: map.links[id], &bindings) { conditions.append(condition) }
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    func isRoot(_ bindings: inout Bindings) -> String {
        map.root.key.matches([map.root.list], as: .root, &bindings)
    }

    /// What becomes of rows of a table that others share: what a line of the app file says, else what the operator does.
    func answer(of table: UInt32) -> AccountAnswer? {
        map.lines.shared[table]?.fate ?? answer
    }

    private var keepsSome: Bool { answer == .keep || map.lines.shared.values.contains { $0.fate == .keep } }

    /// The condition under which a row that belongs to the account stays all the same.
    func stays(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        var conditions: [String] = []
        let answer = answer(of: table)
        if answer == .keep || answer == .detach, let shared = isShared(table, &bindings) { conditions.append(shared) }
        conditions += excluded(from: table, { _ in true }, &bindings)
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The conditions under any of which a row is one of those that were found to stay, by some lines or for others.
    func excluded(from table: UInt32, _ isWanted: (Int?) -> Bool, _ bindings: inout Bindings) -> [String] {
        excluded.enumerated().filter { $1.key.table == table && isWanted($1.line) }.map { number, rows in
            rows.key.matches(rows.arrays, as: .excluded(number), &bindings)
        }
    }

    /// The condition under which a row stays by a line about a part of its table; nil where none does.
    func isKept(_ table: UInt32, by line: Int? = nil, _ bindings: inout Bindings) -> String? {
        let conditions = excluded(from: table, { found in found != nil && (line == nil || found == line) }, &bindings)
        return conditions.isEmpty ? nil : "(\(conditions.joined(separator: " or ")))"
    }
}

extension AccountLink {
    var isDeleting: Bool { effect == .delete }
}
