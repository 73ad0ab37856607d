internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Looks whether what was to go is gone: rows, references to them, and what the server counted.
struct Verification {
    let account: FoundAccount

    private var closure: AccountClosure { account.closure }
    private var map: AccountMap { account.map }

    /// What tells without a question that nothing remains.
    enum Proof {
        case none
        /// What the server counted since the deletion began, and how many rows of each table the deletion's own statements
        /// changed.
        case counts([UInt32: ChangeCounters.Count], changed: [UInt32: Int])
        /// That all was held against the rows before it was committed: by a key that the database enforces nobody can refer any
        /// more to what is gone.
        case commit
    }

    /// The rows that still belong to the account or refer to a value that it had, by table, as far as nothing proves that there
    /// are none.
    func remaining(_ proof: Proof = .none, asking ask: Ask) throws(Failure) -> [UInt32: Int] {
        var questions: [(table: UInt32, query: Query)] = []
        let tables = Set(map.linksByChild.keys).union([map.root.oid]).sorted()
        for table in tables where !isProved(table, by: proof) {
            var bindings = Bindings()
            guard let relation = map.graph.tables[table] else { continue }
            let condition = closure.belonging(
                to: table,
                { link in
                    link.effect != .stay && !closure.isLeft(link) && !closure.isSparing(link)
                        && !isProved(link, by: proof)
                }, &bindings)
            // What stays by a line keeps what no foreign key refers by.
            let others = condition.map { condition in
                closure.isKept(table, &bindings).map { "(\(condition)) and \($0) is not true" } ?? condition
            }
            let conditions = [others].compactMap(\.self) + closure.toOverwrite(table, &bindings)
            if conditions.isEmpty { continue }
            let sql =
                "select pg_catalog.count(*) from \(relation.ownRows) t where \(conditions.map { "(\($0))" }.joined(separator: " or "))"
            questions.append((table, Query(unsafe: sql, values: bindings.values)))
        }
        var remaining: [UInt32: Int] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { remaining[question.table] = rows }
        }
        return remaining
    }

    /// Whether nothing remains in a table since nothing but the deletion's own statements wrote there, and they reached all that
    /// was found: each row went, or lost its references.
    private func isProved(_ table: UInt32, by proof: Proof) -> Bool {
        guard case .counts(let counts, let changed) = proof, isAlone(in: table, counts, changed: changed),
            let relation = map.graph.tables[table], !relation.isElsewhere, !relation.isDistributed,
            map.anonymised[table] == nil
        else { return false }
        let staying = closure.staying.keys.map { map.links[$0] }.filter { $0.child == table }
        return (counts[table]?.deleted ?? 0) == closure.found[table]?.rows ?? 0
            && (changed[table] ?? 0) == closure.stayingRows[table]?.rows ?? 0 && staying.allSatisfy(\.isEmptied)
    }

    /// Whether nothing refers by a link any more.
    ///
    /// What goes with what it refers to need not be asked about again where the database enforces that and nobody else wrote
    /// where it is referred from: only who does so without having keys checked breaks one in silence.
    /// Of what was to stay without its reference no count says whether the reference is gone.
    private func isProved(_ link: AccountLink, by proof: Proof) -> Bool {
        guard link.reference?.isEnforced == true else { return false }
        return switch proof {
        case .none: false
        case .counts(let counts, let changed):
            link.isDeleting && closure.staying[link.id] == nil && isAlone(in: link.child, counts, changed: changed)
        case .commit: true
        }
    }

    /// Whether nothing but the deletion's own statements wrote in a table, and nothing may have kept a row from them.
    private func isAlone(
        in table: UInt32, _ counts: [UInt32: ChangeCounters.Count], changed: [UInt32: Int]
    ) -> Bool {
        guard let relation = map.graph.tables[table] else { return false }
        let count = counts[table] ?? ChangeCounters.Count()
        let isToGo = (closure.found[table]?.rows ?? 0) > 0
        let isToChange = (changed[table] ?? 0) > 0 || closure.stayingRows[table] != nil
        return count.inserted == 0 && count.updated == changed[table] ?? 0
            && !(isToGo && account.hasOthersSay(in: relation, on: \.firesOnDelete))
            && !(isToChange && account.hasOthersSay(in: relation, on: \.firesOnUpdate))
    }

    /// Refuses where something emptied, altered or made a table as a whole: of that nothing is counted, nor could it be restored.
    func requireUnmade(_ difference: ChangeCounters, asking ask: Ask) throws(Failure) {
        guard difference.hasRemade else { return }
        let answer = try ask(["select pg_catalog.unnest(usher.remade())"])[0]
        throw Failure(ErasureRefusal.remade(try decoding(try answer.texts())))
    }

    /// Refuses where rows that were to stay still refer to what would take them along.
    func requireFreed(asking ask: Ask) throws(Failure) {
        var questions: [(table: UInt32, query: Query)] = []
        for link in closure.staying.keys.sorted().map({ map.links[$0] }) where link.cascades {
            var bindings = Bindings()
            guard let relation = map.graph.tables[link.child], let stays = closure.staying(link, &bindings) else {
                continue
            }
            let sql = "select pg_catalog.count(*) from \(relation.ownRows) t where \(stays)"
            questions.append((link.child, Query(unsafe: sql, values: bindings.values)))
        }
        var bound: [UInt32: Int] = [:]
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let rows = try decoding(try answer.count())
            if rows > 0 { bound[question.table, default: 0] += rows }
        }
        if !bound.isEmpty { throw try explained(bound, asking: ask) }
    }

    /// Refuses where anything remains that no line about what triggers write keeps.
    func requireNone(besides written: WrittenRows, asking ask: Ask) throws(Failure) {
        let left = written.unexcused(try remaining(asking: ask))
        if !left.isEmpty { throw try explained(left, asking: ask) }
    }

    /// What the server counted, with the counts of partitions added up in their table.
    func counts(_ counters: ChangeCounters) -> [UInt32: ChangeCounters.Count] {
        var sums: [UInt32: ChangeCounters.Count] = [:]
        for (text, count) in counters.counts {
            guard let oid = UInt32(text), map.graph.tables[oid] != nil else { continue }
            let whole = map.graph.whole(oid)
            sums[whole] = sums[whole].map { $0 + count } ?? count
        }
        return sums
    }

    /// Refuses where fewer rows went than were planned, and tells where triggers deleted more; `all` is what the whole
    /// transaction did, and `removed` the rows of triggers that it took away again itself.
    func further(
        _ counts: [UInt32: ChangeCounters.Count], of all: [UInt32: ChangeCounters.Count], removed: [UInt32: Int],
        asking ask: Ask
    ) throws(Failure) -> [(table: UInt32, rows: Int)] {
        for (table, found) in closure.found.sorted(by: { $0.key < $1.key }) where found.rows > 0 {
            let deleted = counts[table]?.deleted ?? 0
            guard deleted < found.rows else { continue }
            let trigger = account.writes.known.first { $0.table == table && $0.firesOnDelete && $0.isBefore }
            let keepers = try keepers(of: [table], asking: ask)
            throw Failure(
                ErasureRefusal.notDeleted(
                    TableRows(map.name(table), deleted), of: found.rows,
                    by: trigger.map { NamedTrigger($0, in: map.graph) }, keepers: keepers))
        }
        var further: [(table: UInt32, rows: Int)] = []
        for (table, count) in counts.sorted(by: { $0.key < $1.key }) {
            var rows = count.deleted - (closure.found[table]?.rows ?? 0)
            if rows > 0 {
                rows -=
                    count.inserted > 0
                    ? try passing(all[table] ?? count, in: table, asking: ask) : removed[table] ?? 0
            }
            if rows > 0 { further.append((table, rows)) }
        }
        return further
    }

    /// The tables in which triggers changed rows, by what the server counted besides the deletion's own statements.
    ///
    /// Where rows went, the database may have emptied their references on the way, so that only sources tell.
    func touched(
        _ counts: [UInt32: ChangeCounters.Count], changed: [UInt32: Int]
    ) -> [(table: String, rows: Int)] {
        counts.compactMap { table, count in
            let rows = count.updated - (changed[table] ?? 0)
            let isTold = account.writes.all.contains { $0.right == .update && $0.table.oid == table }
            return rows > 0 && (isTold || (closure.found[table]?.rows ?? 0) == 0) ? (map.name(table), rows) : nil
        }.sorted { $0.table < $1.table }
    }

    /// How many of the rows that were inserted into a table are gone again, and were never there for anybody else: those of
    /// which nothing is left that this transaction wrote.
    private func passing(
        _ count: ChangeCounters.Count, in table: UInt32, asking ask: Ask
    ) throws(Failure) -> Int {
        guard let relation = map.graph.tables[table], relation.isReadable else { return count.inserted }
        let answer = try ask([
            Query(unsafe: "select pg_catalog.count(*) from \(relation.ownRows) t where \(ownWrite)")
        ])[0]
        // What was changed is written too; where rows of both kinds stand, as few as can be are taken for new ones.
        let standing = try decoding(try answer.count()) - count.updated
        return count.inserted - min(count.inserted, max(0, standing))
    }

    /// Why rows are left, with the trigger that may be the reason.
    func explained(_ remaining: [UInt32: Int], asking ask: Ask) throws(Failure) -> Failure {
        let left = remaining.sorted { $0.key < $1.key }
        let triggers = left.compactMap { table, _ in
            keeper(of: table).map { (map.name(table), NamedTrigger($0, in: map.graph)) }
        }
        let keepers = try keepers(of: left.map(\.key), asking: ask)
        return Failure(
            ErasureRefusal.leftBehind(
                left.map { TableRows(map.name($0), $1) }, by: Dictionary(triggers) { first, _ in first },
                keepers: keepers))
    }

    /// The trigger that may have kept rows of a table as they were.
    private func keeper(of table: UInt32) -> TriggerEffect? {
        let silent = account.writes.known.filter { $0.table == table && $0.isBefore && $0.isForEachRow }
        let changing = closure.stayingRows[table] == nil ? nil : silent.first(where: \.firesOnUpdate)
        return changing ?? silent.first(where: \.firesOnDelete)
    }

    /// What keeps rows of some tables besides the triggers of the app.
    func keepers(of tables: [UInt32], asking ask: Ask) throws(Failure) -> [String] {
        let parts = map.graph.tables.values.filter { $0.partitionOf.map(tables.contains) ?? false }.map(\.oid)
        let query = Query(
            file: "catalog/erasure_keepers.sql", [arrayLiteral((tables + parts).map(String.init))])
        let answer = try ask([query])[0]
        return try decoding(try answer.rows.map { row throws(DecodingFailure) in try row.text("why") })
    }
}

extension AccountLink {
    /// Whether the rows that stay have no value left by which they referred.
    fileprivate var isEmptied: Bool {
        guard reading == nil, case .detach(_, toDefault: false) = effect else { return false }
        return true
    }
}

extension ActTransaction {
    /// What the server has counted so far, wherever the rows of a graph lie.
    func counters(of graph: Graph) throws(Failure) -> ChangeCounters { try counters(everywhere: graph.isSpread) }
}
