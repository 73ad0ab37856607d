internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// One run of a restoration in one transaction: parents first by the foreign keys as they are, circles at once.
///
/// Of what the server counts it knows what its own statements came to; the rest was done by triggers.
struct Restoration {
    let graph: Graph
    let transaction: ActTransaction
    /// Reads what was there before anything came back.
    let before: Witness
    private var deleted: [UInt32: RestoredRows] = [:]
    private var changed: [UInt32: RestoredRows] = [:]
    /// Of the rows that the deletion changed, those that somebody else has changed since.
    private var since: [UInt32: RestoredRows] = [:]
    /// What was added to the app's own queue.
    private var added: [UInt32: RestoredRows] = [:]
    private var order: [[UInt32]] = []

    var report = RestoreReport()

    /// What the server counted for statements that lasted, and what of it these statements said themselves.
    private var counted: [UInt32: ChangeCounters.Count] = [:]
    private var expected: [UInt32: ChangeCounters.Count] = [:]
    private var countsAll = true
    private var latest: ChangeCounters
    /// The tables into which the same transaction wrote before: rows that are new there are not made by what comes back.
    var written: Set<UInt32> = []
    /// The constraints that can be checked late, as SQL; nil for none.
    var constraints: String? = "all"

    init(
        _ sections: [Archive.Section], graph: Graph, in transaction: ActTransaction, before: @escaping Witness
    ) throws(Failure) {
        (self.graph, self.transaction, self.before) = (graph, transaction, before)
        latest = try transaction.counters(everywhere: graph.isSpread)
        countsAll = latest.areKept
        let tables = Dictionary(graph.tables.values.map { ($0.sql, $0) }) { first, _ in first }
        let answer = try transaction.ask([TableColumns.query(of: sections.compactMap { tables[$0.table]?.oid })])[0]
        let columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        var nodes: [UInt32] = []
        for section in sections {
            guard let table = tables[section.table] else { throw Failure(ArchiveRefusal.noTable(section.name)) }
            let fixed = columns[table.oid]?.values.filter(\.isAlwaysIdentity).map(\.name) ?? []
            let rows = RestoredRows(section: section, relation: table, unwritable: Set(fixed))
            nodes.append(table.oid)
            switch section.kind {
            case .deleted: deleted[table.oid, default: rows.none].section.rows += section.rows
            case .changed: changed[table.oid, default: rows.none].section.rows += section.rows
            case .added: added[table.oid, default: rows.none].section.rows += section.rows
            }
        }
        order = Self.order(nodes, by: graph)
        for (table, rows) in changed { try separate(rows, of: table) }
    }

    /// Sets rows aside that somebody has changed since the deletion.
    private mutating func separate(_ rows: RestoredRows, of table: UInt32) throws(Failure) {
        let answer = try transaction.ask([rows.touched])[0]
        let touched = Set(
            try decoding(try answer.rows.map { row throws(DecodingFailure) in try row.integer("number") - 1 }))
        if touched.isEmpty { return }
        var (some, rest) = (rows.none, rows.none)
        for (number, row) in rows.section.rows.enumerated() {
            if touched.contains(number) { some.section.rows.append(row) } else { rest.section.rows.append(row) }
        }
        (since[table], changed[table]) = (some, rest)
    }

    /// Parents before children, by every foreign key whatever it does on delete; the tables of a circle together.
    private static func order(_ tables: [UInt32], by graph: Graph) -> [[UInt32]] {
        var children: [UInt32: [UInt32]] = [:]
        for reference in graph.references {
            children[graph.whole(reference.referenced), default: []].append(graph.whole(reference.table))
        }
        let known = Set(tables)
        return Components(from: tables.reversed()) { children[$0]?.filter(known.contains) ?? [] }.ordered
    }

    /// What the archive holds of tables, parents first.
    private func inOrder(_ rows: [UInt32: RestoredRows]) -> [(table: UInt32, rows: RestoredRows)] {
        order.joined().compactMap { table in rows[table].map { (table, $0) } }
    }

    private func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "" }

    /// Puts everything back, or refuses.
    mutating func putBack() throws(Failure) {
        try withdraw()
        for component in order { try insertAny(of: component.filter { deleted[$0] != nil }) }
        for (table, rows) in inOrder(changed) {
            switch try correct(table, rows) {
            case .failure(let error): throw refused(error, [table])
            case .success(let count): report.reattached.append((rows.section.name, count))
            }
        }
        try settle()
        // What triggers made of it meanwhile; a refusal leaves a row as it is, which the comparison shows.
        for (table, rows) in inOrder(deleted) + inOrder(changed) { _ = try correct(table, rows) }
        try settle()
    }

    // MARK: Statements

    /// Runs statements and takes down what the server counted for them.
    mutating func attempt(_ queries: [Query]) throws(Failure) -> Result<[Rows], ServerError> {
        switch try transaction.attempt(queries + [graph.isSpread ? ChangeCounters.everywhere : ChangeCounters.query]) {
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            // The server goes on counting what was rolled back.
            latest = try transaction.counters(everywhere: graph.isSpread)
            return .failure(error)
        case .success(let answers):
            let now = try decoding { () throws(DecodingFailure) in try ChangeCounters(answers[answers.count - 1]) }
            let since = now.since(latest)
            countsAll = countsAll && since.areKept
            for (text, count) in since.counts {
                guard let oid = UInt32(text) else { continue }
                let table = graph.whole(oid)
                counted[table] = counted[table].map { $0 + count } ?? count
            }
            latest = now
            return .success(Array(answers.dropLast()))
        }
    }

    private mutating func expect(_ table: UInt32, _ count: ChangeCounters.Count) {
        expected[table] = expected[table].map { $0 + count } ?? count
    }

    /// What stands in the way, in the server's own words.
    func refused(_ error: ServerError, _ tables: [UInt32]) -> Failure {
        let place = error.table ?? tables.map(name).joined(separator: ", ")
        return Failure(ArchiveRefusal.refused(place: place, error))
    }

    /// Has constraints checked at once, or in the end.
    func checking(_ when: String) -> [Query] {
        constraints.map { [Query(unsafe: "set constraints \($0) \(when)")] } ?? []
    }

    /// Has deferred constraints and triggers speak now.
    private mutating func settle() throws(Failure) {
        if case .failure(let error) = try attempt(checking("immediate")) { throw refused(error, []) }
    }

    /// Takes out of the app's own queue what the deletion added there, as far as nobody has worked on it.
    private mutating func withdraw() throws(Failure) {
        for (table, rows) in inOrder(added) {
            var count = 0
            if let withdrawal = rows.withdrawal {
                switch try attempt([withdrawal]) {
                case .failure(let error): throw refused(error, [table])
                case .success(let answers): count = try decoding(answers[0].written())
                }
            }
            expect(table, .init(deleted: count))
            let (name, rest) = (rows.section.name, rows.section.rows.count - count)
            if count > 0 { report.withdrawn.append((name, count)) }
            if rest > 0 { report.missed.append(.workedOn(TableRows(name, rest))) }
        }
    }

    /// Gives rows what the archive holds where they hold something else; a right on the columns that differ is enough.
    private mutating func correct(_ table: UInt32, _ rows: RestoredRows) throws(Failure) -> Result<Int, ServerError> {
        let answer = try transaction.ask([rows.comparison])[0]
        let differing = try decoding { () throws(DecodingFailure) in
            Set(try answer.only().texts("columns") + answer.only().texts("times"))
        }
        guard let correction = rows.correction(of: differing) else { return .success(0) }
        switch try attempt([correction]) {
        case .failure(let error): return .failure(error)
        case .success(let answers):
            let count = try decoding(answers[0].written())
            expect(table, .init(updated: count))
            return .success(count)
        }
    }
}

// MARK: Inserting

extension Restoration {
    private static let mark = Identifier("usher circle")

    /// Inserts the rows of tables that refer to each other in one statement, at whose end the database checks; else one by one.
    private mutating func insertAny(of tables: [UInt32]) throws(Failure) {
        guard !tables.isEmpty, let error = try insert(tables) else { return }
        if tables.count > 1, try insertOpened(tables) { return }
        guard tables.count == 1, let row = try refusedRow(of: tables[0]) else { throw refused(error, tables) }
        throw Failure(ArchiveRefusal.refused(place: "\(name(tables[0])) (\(row))", error))
    }

    /// Inserts rows; where triggers made rows a moment ago that hold the place of those, these are taken away, once.
    private mutating func insert(_ tables: [UInt32], emptying emptied: Set<String> = []) throws(Failure)
        -> ServerError?
    {
        let sections = tables.compactMap { deleted[$0] }
        let parts = sections.enumerated().map { index, rows in
            "i\(index) as (\(rows.insertion(parameter: index + 1, emptying: emptied)))"
        }
        let counts = sections.indices.map { "(select pg_catalog.count(*) from i\($0))" }
        let whole = Query(
            unsafe: "with \(parts.joined(separator: ", ")) select \(counts.joined(separator: ", "))",
            sections.map(\.rows))
        var outcome = try attempt([whole])
        if case .failure(let error) = outcome, error.state == .uniqueViolation, try sweep(tables) {
            outcome = try attempt([whole])
        }
        switch outcome {
        case .failure(let error): return error
        case .success(let answers):
            let rows = try decoding(try answers[0].only().integers())
            for (table, count) in zip(tables, rows) { try note(table, inserted: count) }
            return nil
        }
    }

    /// Takes away what triggers made in some tables.
    private mutating func sweep(_ tables: [UInt32]) throws(Failure) -> Bool {
        var hasSwept = false
        for table in tables.filter({ !written.contains($0) }).compactMap({ graph.tables[$0] })
        where !table.key.isEmpty && !table.isDistributed {
            let held = [deleted[table.oid], changed[table.oid], since[table.oid]].compactMap(\.self)
            let keys = try transaction.newRows(in: table, since: before, besides: held)
            if keys.isEmpty { continue }
            let sweep = Query(
                unsafe: """
                    delete from \(table.ownRows) t using pg_catalog.unnest($1::pg_catalog.jsonb[]) as k (key) \
                    where \(table.hasKey(in: "k.key"))
                    """, [arrayLiteral(keys)])
            guard case .success(let answers) = try attempt([sweep]) else { continue }
            let rows = try decoding(answers[0].written())
            // Such a row came and went, and is nobody's concern any more.
            expect(table.oid, .init(inserted: rows, deleted: rows))
            hasSwept = hasSwept || rows > 0
        }
        return hasSwept
    }

    /// Inserts the tables of a circle one by one, and fills in afterwards what was left empty for it.
    private mutating func insertOpened(_ tables: [UInt32]) throws(Failure) -> Bool {
        guard let steps = opened(tables) else { return false }
        let saved = self
        try transaction.mark(Self.mark)
        var isDone = true
        for (table, emptied) in steps where isDone { isDone = try insert([table], emptying: emptied) == nil }
        for (table, emptied) in steps where isDone && !emptied.isEmpty {
            guard let rows = deleted[table] else { continue }
            if case .failure = try correct(table, rows) { isDone = false }
        }
        if isDone { return true }
        try transaction.rollBack(to: Self.mark)
        self = saved
        latest = try transaction.counters(everywhere: graph.isSpread)
        return false
    }

    /// The tables of a circle in an order, with the columns that have to be left empty for it; nil where that opens none.
    private func opened(_ tables: [UInt32]) -> [(UInt32, Set<String>)]? {
        var emptied: [UInt32: Set<String>] = [:]
        var children: [UInt32: [UInt32]] = [:]
        for reference in graph.references {
            let (child, parent) = (graph.whole(reference.table), graph.whole(reference.referenced))
            guard child != parent, tables.contains(child), tables.contains(parent) else { continue }
            let key = deleted[child]?.section.key ?? []
            if let column = reference.columns.first(where: { $0.isFillable && !key.contains($0.name) }) {
                emptied[child, default: []].insert(column.name)
            } else {
                children[parent, default: []].append(child)
            }
        }
        let order = Components(from: tables) { children[$0] ?? [] }.ordered
        guard !emptied.isEmpty, order.allSatisfy({ $0.count == 1 }) else { return nil }
        return order.joined().map { ($0, emptied[$0] ?? []) }
    }

    /// The key of the first row of a table that the server does not take.
    private mutating func refusedRow(of table: UInt32) throws(Failure) -> String? {
        guard var some = deleted[table], !some.section.key.isEmpty else { return nil }
        let rows = some.section.rows
        var (taken, refused) = (0, rows.count)
        while refused - taken > 1 {
            let middle = (taken + refused) / 2
            some.section.rows = Array(rows[..<middle])
            try transaction.mark(Self.mark)
            let outcome = try attempt([Query(unsafe: some.insertion(parameter: 1), [some.rows])])
            try transaction.rollBack(to: Self.mark)
            if case .success = outcome { taken = middle } else { refused = middle }
        }
        let answer = try transaction.ask([some.key(of: rows[taken])])[0]
        return try decoding(try answer.only().text("key"))
    }

    /// Takes down how many rows of a table came back, and sees to it that the others are there already.
    private mutating func note(_ table: UInt32, inserted: Int) throws(Failure) {
        guard let rows = deleted[table] else { return }
        expect(table, .init(inserted: inserted))
        let (all, name) = (rows.section.rows.count, rows.section.name)
        report.restored.append((name, all))
        guard inserted < all else { return }
        var (others, own) = (0, 0)
        if !rows.section.key.isEmpty {
            let answer = try transaction.ask([rows.presence])[0]
            (others, own) = try decoding { () throws(DecodingFailure) in
                (try answer.only().integer("others"), try answer.only().integer("own"))
            }
        }
        if others > 0 { throw Failure(ArchiveRefusal.thereAgain(table: name, others: others, of: all)) }
        // Those that were inserted are among our own.
        guard own == all else {
            throw Failure(ArchiveRefusal.notBack(table: name, missing: all - max(own, inserted), of: all))
        }
    }
}

// MARK: Comparing

extension Restoration {
    /// Takes down what is otherwise than the archive says, and what triggers wrote that it does not hold.
    mutating func compare() throws(Failure) {
        for (_, rows) in inOrder(deleted) + inOrder(changed) { try compare(rows) }
        for (_, rows) in inOrder(since) {
            let answer = try transaction.ask([rows.comparison])[0]
            let count = try decoding { () throws(DecodingFailure) in
                let row = try answer.only()
                return try row.integer("missing") + row.integer("different")
            }
            if count > 0 { report.missed.append(.changedSince(TableRows(rows.section.name, count))) }
        }
        guard countsAll else { return report.missed.append(.uncounted) }
        for (table, count) in counted.sorted(by: { name($0.key) < name($1.key) }) {
            try compare(table, count, expected[table] ?? .init())
        }
    }

    private mutating func compare(_ rows: RestoredRows) throws(Failure) {
        let (answer, name) = (try transaction.ask([rows.comparison])[0], rows.section.name)
        let row = try decoding(try answer.only())
        let (missing, different) = try decoding((try row.integer("missing"), try row.integer("different")))
        if missing > 0 {
            let absent = TableRows(name, missing)
            report.missed.append(rows.section.kind == .changed ? .gone(absent) : .taken(absent))
        }
        if different > 0 {
            let columns = try decoding(try row.texts("columns"))
            report.missed.append(.set(TableRows(name, different), columns: columns))
        }
        let (written, times) = try decoding((try row.integer("dated"), try row.texts("times")))
        if written > 0 { report.dated.append((name, written, times)) }
    }

    /// Compares what the server counted in a table with what was meant to be done there.
    private mutating func compare(
        _ table: UInt32, _ count: ChangeCounters.Count, _ expected: ChangeCounters.Count
    ) throws(Failure) {
        guard count != expected, let relation = graph.tables[table] else { return }
        let events = count.inserted + count.updated - expected.inserted - expected.updated
        let rows = events > 0 ? try surplus(in: relation, expected.inserted) ?? events : 0
        if rows > 0 { report.missed.append(.written(TableRows(relation.qualifiedName, rows))) }
        let gone = count.deleted - expected.deleted
        if gone > 0 { report.missed.append(.deleted(TableRows(relation.qualifiedName, gone))) }
    }

    /// How many rows of a table are otherwise than before by the doing of triggers, besides those of the archive; nil where
    /// nobody can tell.
    private func surplus(in table: Graph.Table, _ inserted: Int) throws(Failure) -> Int? {
        if table.isDistributed || table.isElsewhere || !table.isReadableWhole || table.isSecured { return nil }
        let held = table.key.isEmpty ? [] : [deleted, changed, since].compactMap { $0[table.oid] }
        let rows = try transaction.newRows(in: table, since: before, besides: held, comparing: true)
        return table.key.isEmpty ? rows.count - inserted : rows.count
    }
}

extension RestoredRows {
    /// The same section without rows.
    fileprivate var none: RestoredRows {
        var rows = self
        rows.section.rows = []
        return rows
    }
}
