internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The rows that triggers wrote during a deletion: the server's row counts minus the rows of usher's own statements.
///
/// Rows of triggers that contain a key or an email of the account are leftovers, unless a `@written` line keeps or
/// removes them. usher reads only rows that this transaction wrote.
package struct TriggerRows {
    package struct Found: Sendable, Hashable {
        package let table: String
        package var rows: Int
        package let isChanged: Bool
        /// True if usher deleted these rows again.
        package let isRemoved: Bool
        /// The number of leftovers among the rows; nil if this role can't read the table.
        package var leftover: Int?
        package let why: String?
    }

    let account: AccountPlan
    let transaction: ActTransaction
    /// The row counts of triggers by table, without rows that usher removed again.
    private(set) var counts: [UInt32: ChangeCounters.Count] = [:]
    private(set) var removed: [UInt32: Int] = [:]
    /// True if the server counted rows; otherwise usher can't see what triggers wrote.
    private(set) var isCounted = true

    private var model: AccountModel { account.model }
    private var request: AccountRequest { account.start.request }

    /// Counts the rows of triggers, and removes rows that a `@written` line removes or that belong to the account.
    ///
    /// The rows that the server counted since `before`, without the `expected` rows of usher's own statements, are rows of
    /// triggers.
    mutating func find(since before: ChangeCounters, except expected: [UInt32: ChangeCounters.Count]) throws(Failure) {
        counts = try unexplained(since: before, expected)
        for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count.inserted > 0 {
            try remove(count, from: table)
        }
        if removed.isEmpty { return }
        // The removal may have fired other triggers, so usher counts again.
        let all = expected.merging(removed.mapValues { .init(inserted: $0, deleted: $0) }, uniquingKeysWith: +)
        counts = try unexplained(since: before, all)
    }

    /// The counted rows without the expected rows; empty if the server doesn't count rows.
    ///
    /// Refuses if a trigger truncated, altered, created or dropped a table, or wrote a foreign table, because usher can't
    /// count or restore the rows.
    private mutating func unexplained(
        since before: ChangeCounters, _ expected: [UInt32: ChangeCounters.Count]
    ) throws(Failure) -> [UInt32: ChangeCounters.Count] {
        let since = try transaction.counters(everywhere: model.graph.isSpread).since(before)
        if since.hasRemade {
            throw Failure(
                .refused,
                "a trigger truncates, alters, creates or drops a table; usher can't list or restore the affected rows",
                nothing: .deleted,
                hint: "change the trigger: use DELETE instead of TRUNCATE, and don't create or alter tables")
        }
        if let table = since.elsewhere.first {
            throw Failure(
                .refused, "a trigger writes the foreign table \(pasted(table)); usher can't list or restore these rows",
                nothing: .deleted, hint: "change the trigger, so that it writes only tables of this database")
        }
        isCounted = isCounted && since.areKept
        if !isCounted { return [:] }
        var rest = since.byTable(in: model.graph)
        for (table, count) in expected { rest[table] = (rest[table] ?? .init()) - count }
        return rest
    }

    /// The numbers of rows that triggers deleted, by table.
    var further: [String: Int] {
        let deleted = counts.filter { $0.value.deleted > 0 }
        return Dictionary(deleted.map { (model.name($0.key), $0.value.deleted) }, uniquingKeysWith: +)
    }

    /// The tables in which a line of the app file, or the operator, keeps the rows that triggers wrote.
    var keeping: Set<UInt32> {
        Set(
            model.graph.tables.keys.filter { table in
                model.rules.written[table].map { $0.answer == .keep }
                    ?? (request.answer(about: model.name(table)) == .keep)
            })
    }

    /// Deletes rows that triggers inserted: all rows if a line or an answer removes them, else rows of the account.
    private mutating func remove(_ count: ChangeCounters.Count, from table: UInt32) throws(Failure) {
        guard let relation = model.graph.tables[table], !keeping.contains(table) else { return }
        let name = pasted(relation.qualifiedName)
        var bindings = Bindings()
        let isRemoved =
            model.rules.written[table].map { $0.answer == .remove }
            ?? (request.answer(about: relation.qualifiedName) == .delete)
        if isRemoved, count.updated > 0 || account.changed.contains(table) {
            throw Failure(
                .refused,
                "triggers insert rows into \(name), and the deletion also updates rows of this table, so usher can't tell which rows to remove",
                hint: "declare `@written \(name) : keep` in the app file, instead of `remove`")
        }
        guard let rows = isRemoved ? ownWrite : account.conditions.goes(table, &bindings) else { return }
        let statement = Query(unsafe: "delete from \(relation.ownRows) t where \(rows)", values: bindings.values)
        switch try transaction.attempt([statement]) {
        case .success(let answers): removed[table] = answers[0].affected ?? 0
        case .failure(let error):
            throw Failure(
                error.kind(unless: .refused),
                "triggers wrote \(count.inserted.of("row")) about this user into \(name), which usher can't remove: \(error.message)",
                hint: error.state == .insufficientPrivilege
                    ? "grant delete on \(relation.path) to this role"
                    : "to keep these rows, add --undeclared '\(relation.path)=keep'", state: error.state)
        }
    }

    /// The rows that triggers wrote, with the number of leftovers among them.
    func found() throws(Failure) -> [Found] {
        func one(_ table: UInt32, _ rows: Int, isChanged: Bool, isRemoved: Bool, leftover: Int?) -> Found {
            Found(
                table: model.name(table), rows: rows, isChanged: isChanged, isRemoved: isRemoved, leftover: leftover,
                why: model.rules.written[table]?.why)
        }
        var found = removed.filter { $0.value > 0 }.map {
            one($0.key, $0.value, isChanged: false, isRemoved: true, leftover: 0)
        }
        for (table, count) in counts {
            let rows = max(0, count.inserted) + max(0, count.updated)
            guard rows > 0, let relation = model.graph.tables[table] else { continue }
            var leftover: Int?
            if keeping.contains(table) {
                leftover = 0
            } else if relation.isReadable {
                let answer = try transaction.ask([leftovers(in: relation)])[0]
                leftover = try failing(try answer.count())
            }
            found.append(one(table, rows, isChanged: count.inserted <= 0, isRemoved: false, leftover: leftover))
        }
        return found.sorted { ($0.table, $0.rows) < ($1.table, $1.rows) }
    }

    /// Counts the rows of a table that this transaction wrote and that are about the account.
    private func leftovers(in table: Graph.Table) -> Query {
        var bindings = Bindings()
        var tests = model.edges(from: table.oid).filter { $0.effect != .keep || $0.isAsked }.map {
            account.conditions.refs($0, &bindings)
        }
        // A number or a short id may be part of another text.
        let ids = model.root.values.filter { $0.count >= 6 && Int64($0) == nil }
        let texts = (account.emails + ids).map { $0.lowercased() }
        if !texts.isEmpty {
            let list = bindings.bind(texts, of: "text")
            let columns = model.columns.of(table.oid).map(\.name.column).filter { !model.rules.ignores(table, $0) }
            let row = "pg_catalog.lower(row(\(columns.map(cell).joined(separator: ", ")))::pg_catalog.text)"
            tests.append(
                "exists (select from pg_catalog.unnest(\(list)) n where pg_catalog.strpos(\(row), n) > 0)")
        }
        let test = any(tests).map { " and \($0)" } ?? " and false"
        return Query(
            unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite)\(test)",
            values: bindings.values)
    }
}

extension [TriggerRows.Found] {
    var merged: [TriggerRows.Found] {
        reduce(into: []) { all, one in
            let same = all.firstIndex {
                ($0.table, $0.isChanged, $0.isRemoved) == (one.table, one.isChanged, one.isRemoved)
            }
            guard let same else { return all.append(one) }
            all[same].rows += one.rows
            all[same].leftover = all[same].leftover.flatMap { sum in one.leftover.map { sum + $0 } }
        }
    }
}

/// The rows that a `@do` of the `@account` block adds before the deletion, for example to a queue.
package struct QueuedRows: Sendable {
    let relation: Graph.Table
    package let why: String
    package let rows: Int

    package var table: String { relation.qualifiedName }

    /// Runs the `@do` statements with the operator's rights, before rows are deleted.
    ///
    /// Refuses if the deletion would also delete the added rows.
    static func add(
        _ start: AccountStart, _ closure: Closure, in transaction: ActTransaction
    ) throws(Failure) -> [QueuedRows] {
        guard let app = start.app, let additions = start.account?.additions else { return [] }
        var added: [QueuedRows] = []
        for (target, statement) in additions {
            let name = "\(target.table.schema).\(target.table.name)"
            guard let table = closure.model.graph.table(name) else {
                throw Failure(
                    .refused, "the app file adds a row to \(pasted(name)), but this table doesn't exist",
                    nothing: .deleted,
                    hint: "create the table, or remove this INSERT from the @account block of the app file")
            }
            let keys = Binding.keys(start.root.values, type: start.root.type)
            let now = Binding(expression: "pg_catalog.now()", type: "timestamptz")
            let query = app.queries(["users": keys, "now": now]).statement(statement)
            switch try transaction.attempt([Query(query)]) {
            case .failure(let error):
                throw Failure(
                    error.kind(unless: .refused),
                    "\(pasted(name)) rejects the row that the app file adds (\(statement.summary)): \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            case .success(let answers):
                let rows = answers[0].affected ?? 0
                if rows > 0 { added.append(QueuedRows(relation: table, why: statement.summary, rows: rows)) }
            }
        }
        for table in Set(added.map(\.relation)) {
            var bindings = Bindings()
            guard let goes = closure.conditions.goes(table.oid, &bindings) else { continue }
            let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite) and (\(goes))"
            let answer = try transaction.ask([Query(unsafe: sql, values: bindings.values)])[0]
            if try failing(try answer.count()) == 0 { continue }
            let name = pasted(table.qualifiedName)
            throw Failure(
                .refused, "the deletion would delete the rows that the app file adds to \(name)",
                nothing: .deleted,
                hint: "insert NULL instead of the reference to the user, or add `@keep \(name) : WHY`")
        }
        return added
    }
}
