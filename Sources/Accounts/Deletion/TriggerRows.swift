import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// The rows that triggers wrote during a deletion: the server's row counts minus the rows of usher's own statements.
///
/// Rows of triggers that contain a key, an email or the id of the account are leftovers, unless a line `@written` keeps
/// or removes them. Only rows that this transaction wrote are read.
package struct TriggerRows {
    package struct Found: Sendable, Hashable {
        package let table: String
        package var rows: Int
        package let isChanged: Bool
        /// True if usher deleted these rows again.
        package let isRemoved: Bool
        /// The number of leftovers among the rows; nil if this role can't read the table.
        package var leftover: Int?
        /// The reason of the `@written` line.
        package let why: String?
    }

    let account: FoundAccount
    let transaction: ActTransaction
    let answers: AccountAnswers
    private(set) var removed: [UInt32: Int] = [:]

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount, _ answers: AccountAnswers, in transaction: ActTransaction) {
        (self.account, self.answers, self.transaction) = (account, answers, transaction)
    }

    /// The row counts of triggers by table, with partitions added to their table.
    func unexplained(
        _ counters: [ChangeCounters], besides expected: [UInt32: ChangeCounters.Count]
    ) -> [UInt32: ChangeCounters.Count] {
        var sums: [UInt32: ChangeCounters.Count] = [:]
        for (text, count) in counters.flatMap(\.counts) {
            guard let oid = UInt32(text), model.graph.tables[oid] != nil else { continue }
            let whole = model.graph.whole(oid)
            sums[whole] = (sums[whole] ?? .init()) + count
        }
        for (table, count) in expected {
            sums[table, default: .init()].inserted -= count.inserted
            sums[table, default: .init()].updated -= count.updated
            sums[table, default: .init()].deleted -= count.deleted
        }
        return sums
    }

    /// The tables whose new rows a line or the operator keeps.
    var keeping: Set<UInt32> {
        Set(
            model.graph.tables.keys.filter { table in
                model.rules.written[table].map { !$0.isRemoved } ?? (answers[model.name(table)] == .keep)
            })
    }

    /// Deletes the rows that triggers inserted: all if a line says so, else those that belong to the account.
    mutating func remove(_ counts: [UInt32: ChangeCounters.Count]) throws(Failure) {
        for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count.inserted > 0 {
            guard let relation = model.graph.tables[table], !keeping.contains(table) else { continue }
            var bindings = Bindings()
            let isRemoved = model.rules.written[table]?.isRemoved ?? (answers[relation.qualifiedName] == .delete)
            if isRemoved, count.updated > 0 {
                let name = pasted(relation.qualifiedName)
                throw Failure(
                    .refused,
                    "triggers add rows to \(name) and change others, so usher can't tell which rows `@written … : remove` means",
                    hint: "write `@written \(name) : keep`")
            }
            guard let rows = isRemoved ? ownWrite : account.conditions.goes(table, &bindings) else { continue }
            let statement = Query(unsafe: "delete from \(relation.ownRows) t where \(rows)", values: bindings.values)
            switch try transaction.attempt([statement]) {
            case .success(let answers): removed[table] = answers[0].affected ?? 0
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                throw Failure(
                    error.kind(unless: .refused),
                    "triggers wrote \(count.inserted == 1 ? "a row" : "\(count.inserted) rows") about this user into "
                        + "\(pasted(relation.qualifiedName)), which usher can't remove: \(error.message)",
                    hint: error.state == .insufficientPrivilege
                        ? "grant delete on \(relation.path) to this role"
                        : "to keep these rows, add --undeclared '\(relation.path)=keep'", state: error.state)
            }
        }
    }

    /// The rows that triggers wrote, and the number of leftovers.
    func found(_ counts: [UInt32: ChangeCounters.Count]) throws(Failure) -> [Found] {
        var found = removed.filter { $0.value > 0 }.map { table, rows in
            Found(
                table: model.name(table), rows: rows, isChanged: false, isRemoved: true, leftover: 0,
                why: model.rules.written[table]?.why)
        }
        var questions: [(found: Found, query: Query?)] = []
        for (table, count) in counts {
            guard let relation = model.graph.tables[table] else { continue }
            let added = max(0, count.inserted - (removed[table] ?? 0))
            let rows = added + max(0, count.updated)
            if rows == 0 { continue }
            let isKept = keeping.contains(table)
            let one = Found(
                table: relation.qualifiedName, rows: rows, isChanged: added == 0, isRemoved: false,
                leftover: isKept ? 0 : nil, why: model.rules.written[table]?.why)
            questions.append((one, isKept || !relation.isReadable ? nil : question(relation)))
        }
        var answers = try transaction.ask(questions.compactMap(\.query))[...]
        for (one, query) in questions {
            var one = one
            if query != nil { one.leftover = try decoding(try answers.removeFirst().count()) }
            found.append(one)
        }
        return found.sorted { ($0.table, $0.rows) < ($1.table, $1.rows) }
    }

    /// Counts the rows of a table that this transaction wrote and that are about the account.
    private func question(_ table: Graph.Table) -> Query {
        var bindings = Bindings()
        var tests = model.edges(from: table.oid).filter { $0.effect != .keep || $0.isAsked }.map {
            account.conditions.refs($0, &bindings)
        }
        if !needles.isEmpty {
            let texts = bindings.bind(needles, of: "text")
            tests.append(
                "exists (select from pg_catalog.unnest(\(texts)) n where pg_catalog.strpos(pg_catalog.lower(t::pg_catalog.text), n) > 0)"
            )
        }
        let test = any(tests).map { " and \($0)" } ?? " and false"
        return Query(
            unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite)\(test)",
            values: bindings.values)
    }

    /// The texts that make a row a leftover: emails, and ids that are long and not numbers.
    private var needles: [String] {
        let ids = model.root.values.filter { $0.count >= Self.fewestLetters && Int64($0) == nil }
        return (account.emails + ids).map { $0.lowercased() }
    }

    private static let fewestLetters = 6
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

/// The condition that this transaction or one of its savepoints wrote the row `t`.
///
/// The row is visible, and its writer is still in progress. The tests run in this order because old transaction ids may
/// no longer exist.
let ownWrite = """
    case when pg_catalog.age(t.xmin) <= pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) \
    then pg_catalog.pg_xact_status((pg_catalog.pg_current_xact_id()::pg_catalog.text::pg_catalog.numeric \
    + pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) - pg_catalog.age(t.xmin)\
    )::pg_catalog.text::pg_catalog.xid8) operator(pg_catalog.=) 'in progress' else false end
    """
