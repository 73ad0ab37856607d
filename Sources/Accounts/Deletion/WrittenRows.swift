internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// Rows that triggers wrote while an account was deleted, and that speak of the person again: audits, queues, tombstones.
package struct WrittenRows {
    let account: FoundAccount
    let transaction: ActTransaction
    /// What the server counted since the deletion began; nil where it does not count.
    var counts: [UInt32: ChangeCounters.Count]?
    /// How many rows of tables that refer to the account were taken away again.
    var removed: [UInt32: Int] = [:]
    /// Identifiers of rows that go, by which others are told from what is left.
    var keys: [String] = []
    var answers = AccountAnswers()
    /// What the account itself added, which is no trigger's work.
    var added: [QueuedRows] = []
    /// How many rows of each table the deletion's own statements changed.
    var changed: [UInt32: Int] = [:]
    /// Which of those stand under another key.
    var moved = MovedRows()
    /// Whether more is deleted in transactions to come.
    var isPart = false
    /// Makes a connection that does not see what this transaction does.
    let elsewhere: () throws(Failure) -> Connection

    var map: AccountMap { account.map }

    /// The identifiers of the rows that triggers see going, where they name one thing in the world.
    ///
    /// Gathered beforehand: an audit that copies a row holds its key, and need not hold the person's.
    static func keys(of account: FoundAccount, asking ask: Ask) throws(Failure) -> [String] {
        var questions: [Query] = []
        for table in Set(account.writes.known.filter(\.firesOnDelete).map(\.table)).sorted() {
            guard let relation = account.map.graph.tables[table] else { continue }
            for column in tellingKeys(of: relation, account) {
                var bindings = Bindings()
                guard let condition = account.closure.condition(of: table, &bindings) else { continue }
                questions.append(
                    Query(
                        unsafe:
                            "select distinct \(cell(column.name))::pg_catalog.text as key from \(relation.ownRows) t where \(condition)",
                        values: bindings.values))
            }
        }
        let rows = try ask(questions).flatMap(\.rows)
        return try decoding(try rows.map { row throws(DecodingFailure) in try row.text("key") })
    }

    /// The columns by which a row that a trigger sees going is told from all others.
    static func tellingKeys(of relation: Graph.Table, _ account: FoundAccount) -> [Graph.KeyColumn] {
        guard account.writes.known.contains(where: { $0.table == relation.oid && $0.firesOnDelete }) else { return [] }
        // What a row of several keys refers to is another row, which may stay.
        let referring = relation.key.count == 1 ? [] : account.map.columns(referringFrom: relation.oid)
        return relation.key.filter { $0.type == "uuid" && !referring.contains($0.name) }
    }

    /// Finds them in the tables that the server counted writes in, and what becomes of them.
    ///
    /// They are kept: a queue of the app's work is for the app. Those that hold the id, an address or the key of a row that went are what
    /// remains of the person, unless the operator says what becomes of them.
    func judged(_ counts: [UInt32: ChangeCounters.Count]) throws(Failure) -> [Found] {
        var found: [Found] = []
        for (table, count) in counts.sorted(by: { $0.key < $1.key })
        where count.inserted + count.updated > added.count(of: table) {
            guard let relation = map.graph.tables[table] else { continue }
            if try isOwn(relation, count) { continue }
            let takesNew = map.lines.written[table]?.answer == .remove
            var count = count
            // Of rows that were there some may be changed besides, which stay.
            if takesNew, count.inserted > 0, count.updated > 0, let taken = try takeNew(from: relation) {
                if taken.rows > 0 { found.append(taken) }
                count.inserted = 0
            }
            var bindings = Bindings()
            // What goes later may lose its references first; what came now goes now.
            var rest = ""
            if isPart, !takesNew, let belongs = account.closure.condition(of: table, &bindings) {
                rest = " and (\(belongs)) is not true"
            }
            let takesAll = takesNew && count.updated == 0
            let any = takesAll ? taken(relation, &bindings) : condition(relation, besides: [], &bindings)
            let named = bindings.values
            // What a line lets stand in a column stands there by it; what goes, goes for whatever holds the person.
            let free = isRemoved(relation) ? [] : map.lines.stayingColumns(of: table)
            let about = free.isEmpty ? any : condition(relation, besides: free, &bindings)
            // Who wrote a row on another server is told there, and what the row says here.
            let isApart = relation.isDistributed
            let source =
                isApart ? "(select t.* from \(relation.ownRows) t where \(ownWrite) offset 0)" : relation.ownRows
            let written = (isApart ? "true" : ownWrite) + rest
            let sql = """
                select pg_catalog.count(*) filter (where \(about)), pg_catalog.count(*), \
                pg_catalog.count(*) filter (where \(any)) \
                from \(source) t where \(written)
                """
            switch try transaction.look([Query(unsafe: sql, values: bindings.values)])[0] {
            case .success(let answer):
                let rows = try decoding(try answer.only().integers())
                let altered = try altered(relation, count, takesNew: takesNew)
                found += try judge(
                    relation, count, about: rows[0], all: rows[1], altered: altered, isNamed: rows[2] > rows[0],
                    ("(\(any))\(rest)", named))
            case .failure(let error):
                guard error.state == .insufficientPrivilege else { throw Failure(error) }
                // What this role may not look into was written by others' means; its own updates it could look at.
                found.append(left(relation, count.inserted + count.updated, .unseen))
            }
        }
        return found
    }

    /// Whether all that was written in a table is what the deletion itself emptied there, and says nothing else that it did
    /// not say before.
    ///
    /// Where the server counted no more changes than the deletion's own statements made, nobody else has made any: only a trigger
    /// before them may have had them say more, and then what they said before is looked up.
    private func isOwn(_ relation: Graph.Table, _ count: ChangeCounters.Count) throws(Failure) -> Bool {
        guard count.inserted == 0 else { return false }
        if count.updated == changed[relation.oid], !account.hasOthersSay(in: relation, on: \.firesOnUpdate) {
            return true
        }
        let own = ownUpdates(relation.oid)
        guard own > 0 else { return false }
        if account.writes.known.isEmpty { return true }
        // More was changed than by the deletion's own statements.
        if count.updated > changed[relation.oid] ?? 0 { return false }
        let all = Query(unsafe: "select pg_catalog.count(*) from \(relation.ownRows) t where \(ownWrite)")
        guard case .success(let answer) = try transaction.look([all])[0], try decoding(try answer.count()) == own else {
            return false
        }
        return try changed(relation).rows == 0
    }

    /// What becomes of the rows of a table that this transaction wrote and that are still there.
    ///
    /// A row is new where its table saw inserts and no updates; what the deletion itself emptied or overwrote is no trigger's work,
    /// unless a trigger altered the row besides.
    private func judge(
        _ relation: Graph.Table, _ count: ChangeCounters.Count, about: Int, all: Int, altered: Int?, isNamed: Bool,
        _ condition: (sql: String, values: [BoundValue?])
    ) throws(Failure) -> [Found] {
        let own = added.count(of: relation.oid)
        let (all, about) = (all - own, Swift.max(0, about - own))
        let told = altered.map { $0 - own } ?? all - ownUpdates(relation.oid)
        if about == 0 { return told > 0 ? [kept(relation, told, isNamed: isNamed)] : [] }
        if count.updated == 0 {
            let found =
                isRemoved(relation)
                ? try remove(about, from: relation, condition) : left(relation, about, .holdsPerson)
            return all > about ? [found, kept(relation, all - about, isNamed: isNamed)] : [found]
        }
        // What speaks of the person in a row that the deletion changes as well may have stood there, and been left there.
        let others = min(told, all - ownUpdates(relation.oid))
        if others > 0 {
            let named = min(about, others)
            let found = left(relation, named, isUntold(relation, count) ? .untold : .holdsPerson)
            return told > named ? [found, kept(relation, told - named, isNamed: isNamed)] : [found]
        }
        guard !account.writes.known.isEmpty else { return [] }
        let (changed, why) = try changed(relation)
        if let why { return [left(relation, all, why)] }
        let copied = changed ?? 0
        return (copied > 0 ? [left(relation, copied, .copied)] : [])
            + (told > copied ? [kept(relation, told - copied, isNamed: isNamed)] : [])
    }

    /// Why the app file says that what is written there stays.
    private func stays(_ relation: Graph.Table) -> Why? {
        if let line = map.lines.written[relation.oid], line.answer == .keep { return .declared(line.why) }
        let why =
            map.kept[relation.oid]
            ?? (map.hasPolicy(relation.oid) ? map.anonymised[relation.oid]?.first { $0.via == nil }?.why : nil)
        return why.map { .declared($0) }
    }

    /// Whether a line takes new rows away, and nobody can tell them from those that were changed.
    private func isUntold(_ relation: Graph.Table, _ count: ChangeCounters.Count) -> Bool {
        map.lines.written[relation.oid]?.answer == .remove
            && relation.mixes(inserted: count.inserted > 0, updated: count.updated > 0)
    }

    private func isRemoved(_ relation: Graph.Table) -> Bool {
        map.lines.written[relation.oid].map { $0.answer == .remove } ?? (answers[relation.qualifiedName] == .delete)
    }

    /// Rows in which nothing of the person was found, with what was looked for: a copy of a text says nothing of its origin; or in
    /// which lines let them be named.
    private func kept(_ relation: Graph.Table, _ rows: Int, isNamed: Bool) -> Found {
        var why: Why = keys.isEmpty ? .nothingFound : .nothingFoundByKey
        if account.search.identity.isCommon { why = .nothingTold }
        if isNamed { why = .mentions }
        return Found(
            table: relation.qualifiedName, rows: rows, isRemoved: false, why: stays(relation) ?? why,
            isChanged: hasOnlyChanges(relation), isAccepted: true)
    }

    /// Rows in which something of the person remains, or may.
    private func left(_ relation: Graph.Table, _ rows: Int, _ why: Why) -> Found {
        let accepted = stays(relation) ?? (answers[relation.qualifiedName] == .keep ? .onRequest : nil)
        return Found(
            table: relation.qualifiedName, rows: rows, isRemoved: false, why: accepted ?? why,
            isChanged: hasOnlyChanges(relation), isAccepted: accepted != nil)
    }

    /// Whether nothing came into a table, so that whatever was written was there before.
    private func hasOnlyChanges(_ relation: Graph.Table) -> Bool {
        counts.map { $0[relation.oid]?.inserted ?? 0 == 0 } ?? false
    }

    /// How many rows of a table the deletion itself changes and leaves.
    private func ownUpdates(_ table: UInt32) -> Int {
        let found = account.closure.stayingRows[table] ?? .init()
        if map.hasPolicy(table), map.anonymised[table] != nil { return found.held + found.losing }
        let links = account.closure.staying.keys.map { map.links[$0] }.filter { $0.child == table }
        let isChanged = map.anonymised[table] != nil || links.contains { !account.closure.lost(by: $0).isEmpty }
        return isChanged ? found.rows : 0
    }

    func remove(
        _ rows: Int, from relation: Graph.Table, _ condition: (sql: String, values: [BoundValue?])
    ) throws(Failure) -> Found {
        let path = SQLName.path(of: [relation.schema, relation.name])
        let deletion = Query(
            unsafe: "delete from \(relation.ownRows) t where \(ownWrite) and (\(condition.sql))",
            values: condition.values)
        switch try transaction.attempt([deletion]) {
        case .success(let answers):
            let rows = try decoding(try answers[0].written())
            return Found(table: relation.qualifiedName, rows: rows, isRemoved: true, why: nil, isAccepted: true)
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            throw Failure(
                ErasureRefusal.writtenByTriggers(TableRows(relation.qualifiedName, rows), path: path, error))
        }
    }

    /// The condition under which a row that was added goes where a line takes such rows away: it need not name anybody, since
    /// nobody else has added it, but what is about somebody else and not about the person is theirs.
    func taken(_ relation: Graph.Table, _ bindings: inout Bindings) -> String {
        var others = [account.closure.isShared(relation.oid, &bindings)].compactMap(\.self)
        let settled = account.search.readings.users.filter { $0.table == relation.oid && $0.isSettled }
        if let users = map.graph.tables[map.root.oid],
            let names = account.search.identity.namesAnother(settled, among: users, named: nil, &bindings)
        {
            others.append(names)
        }
        if others.isEmpty { return "true" }
        let own = condition(relation, besides: [], &bindings)
        return "(\(own)) or (\(others.joined(separator: " or "))) is not true"
    }

    /// The condition under which a row holds the id, an address, or the key of a row that went, in other columns than some.
    private func condition(_ relation: Graph.Table, besides free: [String], _ bindings: inout Bindings) -> String {
        let readings = account.search.readings.users.filter {
            $0.table == relation.oid && !free.contains($0.column.name)
        }
        func row(without names: [String]) -> String {
            if names.isEmpty { return "(t.*)::pg_catalog.text" }
            let none = "pg_catalog.jsonb_object_agg(free.name, null)"
            let all = "pg_catalog.unnest(\(bindings.bind(names, of: "text"))) as free (name)"
            return "(pg_catalog.jsonb_populate_record(t.*, (select \(none) from \(all))))::pg_catalog.text"
        }
        // Where a line takes the person out, the column tells by itself whether it is certainly them.
        let settled = readings.filter(\.isSettled).map(\.column.name)
        let rest = row(without: free + settled)
        var tests = [account.search.identity.isSpokenOf(in: readings, row: rest, &bindings)].compactMap { $0 }
        if !keys.isEmpty {
            tests.append(
                """
                exists (select from pg_catalog.regexp_matches(\(settled.isEmpty ? rest : row(without: free)), '\(Self.uuid)', 'gi') as m (parts) \
                where m.parts[1]::pg_catalog.uuid = any (\(bindings.bind(keys, of: "uuid"))))
                """)
        }
        return tests.isEmpty ? "false" : tests.joined(separator: " or ")
    }

    private static let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
}

/// The condition under which a row `t` was written by this very transaction, subtransactions included.
///
/// It is visible, and its writer still in progress. Asked in turn, since the numbers of older writers need not be any more.
let ownWrite = """
    case when pg_catalog.age(t.xmin) <= pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) \
    then pg_catalog.pg_xact_status((pg_catalog.pg_current_xact_id()::pg_catalog.text::pg_catalog.numeric \
    + pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) - pg_catalog.age(t.xmin)\
    )::pg_catalog.text::pg_catalog.xid8) operator(pg_catalog.=) 'in progress' else false end
    """

/// The condition under which a row `t` was written by a transaction or by later ones.
func writtenSince(_ transaction: String) -> String {
    "pg_catalog.age(t.xmin) <= pg_catalog.age(\(transaction)::pg_catalog.xid)"
}
