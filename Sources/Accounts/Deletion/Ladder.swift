internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Deletes the rows of a closure by the gentlest way that works, and says which that was.
///
/// First the database's own cascade, with explicit statements only for what it would not reach. Where that fails,
/// children before parents; within a circle, one statement, or nullable references emptied first, or constraints
/// checked at the end. Rows of which triggers change others go one by one. A table that lets nobody but its parent's
/// cascade delete is left to it.
struct Ladder {
    let transaction: ActTransaction
    let account: FoundAccount
    /// By which way the rows of each table went.
    private(set) var ways: [UInt32: ErasureReport.Way] = [:]
    /// What the server had counted before the statements that worked.
    private(set) var baseline = ChangeCounters.none
    /// The statements that worked, in order.
    private var script: [Query] = []
    private var hasFailed = false

    var closure: AccountClosure { account.closure }
    var map: AccountMap { account.map }
    private static let start = Identifier("usher ladder")

    init(_ account: FoundAccount, in transaction: ActTransaction) {
        self.account = account
        self.transaction = transaction
    }

    /// Deletes everything, or says what stands in the way.
    mutating func climb() throws(Failure) {
        let all = closure.found.filter { $0.value.rows > 0 }
        let explicit = Set(all.filter { $0.value.rows > $0.value.cascaded }.keys)
        try transaction.mark(Self.start)
        baseline = try transaction.counters(of: map.graph)
        // A root that is gone takes nothing along.
        if explicit.count == all.count || closure.isRootGone {
            try climbAll(all)
        } else {
            do throws(FailedRung) {
                try delete(explicit, mayLeave: false)
                try settle()
                for table in all.keys where !explicit.contains(table) { ways[table] = .cascade }
            } catch {
                if error.error.state.endsAttempt { throw Failure(error.error) }
                if let failure = error.failure { throw failure }
                try begin()
                ways = [:]
                try climbAll(all)
            }
        }
        guard hasFailed else { return }
        // The server goes on counting what was rolled back: run what works once more, from the beginning.
        let steps = script
        try begin()
        // To roll back does not bring back when constraints were checked; in the end all of them are again.
        try transaction.run(["set constraints all deferred"] + steps)
    }

    /// Deletes the rows of every table by a statement of their own, as far as the tables let anybody.
    private mutating func climbAll(_ tables: [UInt32: AccountClosure.Found]) throws(Failure) {
        do throws(FailedRung) {
            try delete(Set(tables.keys), mayLeave: true)
            try settle()
        } catch {
            if let failure = error.failure { throw failure }
            throw try explained(error.error, error.table)
        }
    }

    private mutating func begin() throws(Failure) {
        try transaction.rollBack(to: Self.start)
        baseline = try transaction.counters(of: map.graph)
        (script, hasFailed) = ([], false)
    }

    /// Has deferred constraints and triggers speak now.
    private mutating func settle() throws(FailedRung) {
        if let error = try error(of: ["set constraints all immediate"]) { throw FailedRung(table: nil, error: error) }
    }

    // MARK: Statements

    private mutating func delete(_ tables: Set<UInt32>, mayLeave: Bool) throws(FailedRung) {
        var done: [UInt32] = []
        for component in closure.deletionOrder {
            let members = component.filter { tables.contains($0) }
            if members.count > 1 {
                try goRound(members)
            } else if let table = members.first {
                try delete(table, after: done, mayLeave: mayLeave)
            }
            done += members
        }
    }

    /// Deletes the rows of one table; what triggers put in the way meanwhile is swept away.
    private mutating func delete(_ table: UInt32, after done: [UInt32], mayLeave: Bool) throws(FailedRung) {
        guard let statement = statement(table) else { return }
        var sweeps = 0
        while true {
            guard let error = try error(of: [statement]) else {
                ways[table] = ways[table] ?? .children
                return
            }
            if error.state.endsAttempt { throw FailedRung(table: table, error: error) }
            if error.state == .triggeredDataChange, let steps = try singly(table), try self.error(of: steps) == nil {
                ways[table] = .single
                return
            }
            if error.state == .foreignKeyViolation, sweeps < 2 {
                sweeps += 1
                let children = done.filter { child in
                    map.linksByChild[child]?.contains { map.links[$0].parent == table } ?? false
                }
                let again = children.compactMap { self.statement($0) }
                if !again.isEmpty, try self.error(of: again) == nil { continue }
            }
            guard mayLeave, isLeftBehindSafely(table) else { throw FailedRung(table: table, error: error) }
            ways[table] = .parent
            return
        }
    }

    /// Whether the cascade of what its rows refer to takes a whole table.
    private func isLeftBehindSafely(_ table: UInt32) -> Bool {
        guard table != map.root.oid, let found = closure.found[table] else { return false }
        return found.cascaded == found.rows
    }

    func statement(_ table: UInt32) -> Query? {
        var bindings = Bindings()
        return deletion(table, &bindings).map { Query(unsafe: $0, values: bindings.values) }
    }

    private func deletion(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        guard let relation = map.graph.tables[table], let condition = closure.condition(of: table, &bindings) else {
            return nil
        }
        return "delete from \(relation.ownRows) t where \(condition)"
    }

    /// A statement a row, by what identifies it; nil where nothing does.
    private func singly(_ table: UInt32) throws(FailedRung) -> [Query]? {
        var bindings = Bindings()
        guard let relation = map.graph.tables[table], !relation.key.isEmpty,
            let condition = closure.condition(of: table, &bindings)
        else { return nil }
        let query = Query(
            unsafe: "select \(relation.keyText) as key from \(relation.ownRows) t where \(condition)",
            values: bindings.values)
        let keys = try FailedRung.passing { () throws(Failure) in
            let answer = try transaction.ask([query])[0]
            return try decoding(try answer.texts())
        }
        return keys.map { key in
            let row = relation.hasKey(in: "$1::pg_catalog.jsonb")
            return Query(unsafe: "delete from \(relation.ownRows) t where \(row)", [key])
        }
    }

    private mutating func error(of statements: [Query]) throws(FailedRung) -> ServerError? {
        let transaction = transaction
        switch try FailedRung.passing({ () throws(Failure) in try transaction.attempt(statements) }) {
        case .success:
            script += statements
            return nil
        case .failure(let error):
            hasFailed = true
            return error
        }
    }

    // MARK: Circles

    private mutating func goRound(_ members: [UInt32]) throws(FailedRung) {
        var bindings = Bindings()
        let deletions = members.compactMap { deletion($0, &bindings) }
        let parts = deletions.enumerated().map { "d\($0) as (\($1) returning 1)" }
        let counts = deletions.indices.map { "(select pg_catalog.count(*) from d\($0))" }
        let whole = Query(
            unsafe: "with \(parts.joined(separator: ", ")) select \(counts.joined(separator: ", "))",
            values: bindings.values)
        guard let first = try error(of: [whole]) else { return note(members, .statement) }
        if first.state.endsAttempt { throw FailedRung(table: members.first, error: first) }
        if let steps = try emptying(members), try error(of: steps) == nil { return note(members, .emptied) }
        let individually = members.compactMap { statement($0) }
        let constraints: [Query] = ["set constraints all deferred"]
        if try error(of: constraints + individually + ["set constraints all immediate"]) == nil {
            return note(members, .deferred)
        }
        throw FailedRung(table: members.first, error: first)
    }

    private mutating func note(_ tables: [UInt32], _ way: ErasureReport.Way) {
        for table in tables { ways[table] = way }
    }

    /// Statements that empty the nullable references of a circle and then delete row by row's own key, nil when that
    /// does not open it.
    private func emptying(_ members: [UInt32]) throws(FailedRung) -> [Query]? {
        let inside = map.links.filter { members.contains($0.child) && members.contains($0.parent) && $0.orders }
        var emptied: [AccountLink: [String]] = [:]
        for link in inside {
            if case .detach(let columns, toDefault: false)? = map.detachable(link) { emptied[link] = columns }
        }
        let order = Components(from: members) { table in
            inside.filter { $0.parent == table && emptied[$0] == nil }.map(\.child)
        }.ordered
        guard !emptied.isEmpty, order.allSatisfy({ $0.count == 1 }) else { return nil }
        var keys: [UInt32: [BoundValue]] = [:]
        for table in members {
            guard let relation = map.graph.tables[table], !relation.key.isEmpty else { return nil }
            var bindings = Bindings()
            guard let condition = closure.condition(of: table, &bindings) else { return nil }
            let key = KeyColumns(of: relation)
            let query = Query(
                unsafe:
                    "select \(key.gathered().joined(separator: ", ")) from \(relation.ownRows) t where \(condition)",
                values: bindings.values)
            keys[table] = try FailedRung.passing { () throws(Failure) in
                let answer = try transaction.ask([query])[0]
                return key.arrays(try decoding(try answer.only()).values) ?? []
            }
        }
        var steps: [Query] = []
        for (link, columns) in emptied.sorted(by: { $0.key.id < $1.key.id }) {
            let values = columns.map { "\(Identifier($0).quoted) = null" }.joined(separator: ", ")
            guard let step = step("update", link.child, " set \(values)", keys) else { return nil }
            steps.append(step)
        }
        for table in order.joined().reversed() {
            guard let step = step("delete from", table, "", keys) else { return nil }
            steps.append(step)
        }
        return steps
    }

    /// A statement about the rows of a table that have certain keys.
    private func step(_ verb: String, _ table: UInt32, _ what: String, _ keys: [UInt32: [BoundValue]]) -> Query? {
        guard let relation = map.graph.tables[table], let arrays = keys[table], arrays.count == relation.key.count
        else { return nil }
        var bindings = Bindings()
        let condition = KeyColumns(of: relation).matches(arrays, as: .deleted, &bindings)
        return Query(unsafe: "\(verb) \(relation.ownRows) t\(what) where \(condition)", values: bindings.values)
    }
}

/// A statement that the server refused, or a failure of another kind on the way.
private struct FailedRung: Error {
    let table: UInt32?
    let error: ServerError
    var failure: Failure?

    init(table: UInt32?, error: ServerError) {
        self.table = table
        self.error = error
    }

    /// Lets a failure through unchanged.
    static func passing<Value>(_ body: () throws(Failure) -> Value) throws(FailedRung) -> Value {
        do throws(Failure) { return try body() } catch {
            var refusal = FailedRung(table: nil, error: ServerError(state: SQLState(rawValue: ""), message: ""))
            refusal.failure = error
            throw refusal
        }
    }
}

extension AccountLink: Hashable {
    static func == (a: AccountLink, b: AccountLink) -> Bool { a.id == b.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
