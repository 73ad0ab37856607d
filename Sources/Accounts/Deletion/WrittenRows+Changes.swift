internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension WrittenRows {
    /// How many of the rows of a table that this transaction wrote, and that are still there, say something that they did
    /// not say before; nil with the reason where nobody can tell.
    ///
    /// What they said before is what everybody else still sees: another connection looks it up. Numbers, times and words of
    /// a list hold no copy of anything, and what the deletion itself writes is no trigger's work.
    func changed(_ relation: Graph.Table) throws(Failure) -> (rows: Int?, why: Why?) {
        let own = account.closure.ownColumns(relation.oid)
        let question = Query(file: "catalog/copy_columns.sql", [String(relation.oid)])
        let found = try transaction.ask([question])[0]
        let columns = try decoding(
            try found.rows.map { row throws(DecodingFailure) in
                (name: try row.text("name"), isReadable: try row.boolean("readable"))
            }
        ).filter { !own.contains($0.name) }
        if columns.isEmpty { return (0, nil) }
        guard columns.allSatisfy(\.isReadable) else { return (nil, .unreadable) }
        let names = columns.map(\.name)
        switch try count(names, in: relation, compared: { comparison(relation, names, $0, $1) }) {
        case .success(let rows): return (rows, nil)
        case .failure(let error): return (nil, .noWitness(error.heard ?? ""))
        }
    }

    /// Holds the rows of a table that this transaction wrote against what another connection sees, and adds up what a comparison
    /// of some columns of many rows with what stands under their keys says of them; fails where nobody else can look.
    func count(
        _ columns: [String], in relation: Graph.Table,
        where condition: (sql: String, values: [BoundValue?]) = ("true", []),
        compared: (_ rows: String?, _ keys: [String]) -> Query
    ) throws(Failure) -> Result<Int, Failure> {
        let witness: ReadTransaction
        do throws(Failure) {
            witness = ReadTransaction(on: try elsewhere(), settings: .init(timeout: InquiryOptions.witnessTimeout))
        } catch {
            return .failure(error)
        }
        let names = columns.map(cell).joined(separator: ", ")
        // Places hold still as long as nothing is written.
        let order =
            relation.key.isEmpty ? "t.tableoid, t.ctid" : relation.key.map { cell($0.name) }.joined(separator: ", ")
        var (place, sum, isMore) = (0, 0, true)
        while isMore {
            let page = """
                select pg_catalog.count(*), pg_catalog.array_agg(pg_catalog.to_jsonb(page.*) - 'usher key')::pg_catalog.text, \
                pg_catalog.array_agg(page."usher key") as keys \
                from (select \(names), \(relation.keyText) as "usher key" from \(relation.ownRows) t \
                where \(ownWrite) and (\(condition.sql)) order by \(order) \
                offset \(place) limit \(Self.page)) page
                """
            let batch = try transaction.ask([Query(unsafe: page, values: condition.values)])[0]
            let (row, rows) = try decoding((try batch.only(), try batch.count()))
            if rows == 0 { break }
            let keys = try decoding(try row.texts("keys")).map { moved.origin($0, of: relation.oid) }
            switch answer(of: witness, compared(row.values[1].text, keys)) {
            case .success(let count): sum += count
            case .failure(let error): return .failure(error)
            }
            (place, isMore) = (place + rows, rows == Self.page)
        }
        return .success(sum)
    }

    private static let page = 10_000

    /// Takes away the rows of a table that this transaction wrote and that were not there before; nil where nobody can tell them
    /// from those that it changed.
    func takeNew(from relation: Graph.Table) throws(Failure) -> Found? {
        guard added.count(of: relation.oid) == 0, !relation.key.isEmpty, !relation.isDistributed,
            case .success = try transaction.look([
                Query(unsafe: "select t.xmin, t.* from \(relation.ownRows) t limit 0")
            ])[0],
            let other = try? elsewhere()
        else { return nil }
        let witness = ReadTransaction(on: other, settings: .init(timeout: InquiryOptions.witnessTimeout))
        let keys = try transaction.newKeys(in: relation, besides: witness)
        var bindings = Bindings()
        let list = bindings.bind(arrayLiteral(keys), as: "pg_catalog.jsonb[]")
        let isNew = "exists (select from pg_catalog.unnest(\(list)) as n (row) where \(relation.hasKey(in: "n.row")))"
        return try remove(keys.count, from: relation, ("\(isNew) and (\(taken(relation, &bindings)))", bindings.values))
    }

    /// Asks without waiting for long: what the deletion has locked, nobody else can read meanwhile.
    private func answer(of witness: ReadTransaction, _ query: Query) -> Result<Int, Failure> {
        do throws(Failure) {
            let answer = try failing { () throws(PQError) in
                try witness.read(inTurn: ["set local lock_timeout = '5s'", query])
            }
            return .success(try decoding(try answer.count()))
        } catch {
            return .failure(error)
        }
    }

    /// Counts the rows with a value in one of the columns that did not stand there before; where nothing identifies a row,
    /// those that say what none said before.
    private func comparison(
        _ relation: Graph.Table, _ columns: [String], _ rows: String?, _ keys: [String]
    ) -> Query {
        var bindings = Bindings()
        let now = bindings.bind(rows, as: "jsonb[]")
        if relation.key.isEmpty {
            let names = columns.map(cell).joined(separator: ", ")
            let before =
                "select pg_catalog.to_jsonb(old.*) as row from (select \(names) from \(relation.ownRows) t) old"
            let sql = """
                select pg_catalog.count(*) from pg_catalog.unnest(\(now)) as n (row) \
                where not exists (select from (\(before)) before where before.row = n.row)
                """
            return Query(unsafe: sql, values: bindings.values)
        }
        let own = bindings.bind(arrayLiteral(keys), as: "pg_catalog.jsonb[]")
        let names = columns.map(cell).joined(separator: ", ")
        var source = relation.ownRows
        if relation.isDistributed, let key = relation.key.first {
            // What lies on other servers is fetched first, and no more of it than was written.
            let values = "select (n.key ->> 0)::\(key.type) from pg_catalog.unnest(\(own)) as n (key)"
            let meant = "\(cell(key.name)) = any (\(values))"
            source = "(select t.* from \(relation.ownRows) t where \(meant)\(relation.apart))"
        }
        let sql = """
            select pg_catalog.count(*) \
            from rows from (pg_catalog.unnest(\(now)), pg_catalog.unnest(\(own))) as n (row, key) \
            left join lateral (select pg_catalog.to_jsonb(old.*) as row from (select \(names) from \(source) t \
            where \(relation.hasKey(in: "n.key"))) old) before on true \
            where exists (select from pg_catalog.jsonb_each(n.row) as e (name, value) \
            where e.value <> 'null'::pg_catalog.jsonb and e.value is distinct from before.row -> e.name \
            and e.name = any (\(bindings.bind(columns, of: "text"))))
            """
        return Query(unsafe: sql, values: bindings.values)
    }
}

/// Rows that triggers wrote behind the deletion into tables that refer to the account: the lines about their tables hold for
/// them as for those that were there before, unless a line says what becomes of what triggers write.
extension WrittenRows {
    /// Does with them what the lines say; `found` are the tables in which there are some.
    ///
    /// Gives whether anything was written for it.
    mutating func settle(_ found: [UInt32: Int], _ detachment: inout Detachment) throws(Failure) -> Bool {
        var hasWritten = false
        for table in found.keys.sorted() where mayHave(table) && !map.lines.keepsWritten(table) {
            hasWritten = true
            try remove(from: table)
            if map.lines.written[table] == nil { try detachment.detach(table) }
        }
        for table in map.anonymised.keys.sorted() where counts?[table].map({ $0.inserted > 0 }) == true {
            guard map.lines.written[table] == nil else { continue }
            hasWritten = true
            try detachment.overwrite(table)
        }
        // Whatever becomes of the rows, the lines about their columns hold for them.
        let rewritten = Set(account.search.readings.users.filter(map.lines.rewrites).map(\.table))
        for table in rewritten.sorted() where mayHave(table) {
            hasWritten = true
            try detachment.rewrite(table)
        }
        (changed, moved) = (detachment.changed, detachment.moved)
        return hasWritten
    }

    /// Takes away what came and belongs to the account, where no line about what triggers write says otherwise; gives whether there
    /// was any.
    mutating func takeOwn() throws(Failure) -> Bool {
        let own = (counts ?? [:]).filter { $1.inserted > 0 && map.lines.written[$0] == nil }.keys
        for table in own.sorted() { try remove(from: table) }
        return !removed.isEmpty
    }

    /// What is left without the rows that a line about what triggers write keeps.
    ///
    /// No more than the server saw coming: what was there before is to go.
    func unexcused(_ found: [UInt32: Int]) -> [UInt32: Int] {
        found.filter { table, rows in
            !map.lines.keepsWritten(table) || rows > (counts?[table]?.inserted ?? 0)
        }
    }

    /// What a report says of those that were taken away: in parts no more than at once, where what the database's own cascade
    /// takes in the end is not told.
    var takenAway: [Found] {
        removed.sorted { $0.key < $1.key }.compactMap { table, rows in
            let cascades = (map.linksByChild[table] ?? []).contains { map.links[$0].cascades }
            return isPart && cascades
                ? nil : Found(table: map.name(table), rows: rows, isRemoved: true, why: nil, isAccepted: true)
        }
    }

    private func mayHave(_ table: UInt32) -> Bool { counts.map { ($0[table]?.inserted ?? 0) > 0 } ?? true }

    private mutating func remove(from table: UInt32) throws(Failure) {
        var bindings = Bindings()
        let isRemoved = map.lines.written[table]?.answer == .remove
        let goes =
            isRemoved
            ? account.closure.belonging(to: table, { _ in true }, &bindings)
            : account.closure.condition(of: table, &bindings)
        guard let relation = map.graph.tables[table], let goes else { return }
        let deletion = Query(
            unsafe: "delete from \(relation.ownRows) t where \(ownWrite) and (\(goes))", values: bindings.values)
        switch try transaction.attempt([deletion]) {
        case .success(let answers):
            let rows = try decoding(try answers[0].written())
            if rows > 0 { removed[table] = rows }
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            let path = SQLName.path(of: [relation.schema, relation.name])
            let rows = TableRows(relation.qualifiedName, counts?[table]?.inserted ?? 1)
            throw Failure(ErasureRefusal.writtenByTriggers(rows, path: path, error))
        }
    }
}
