internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// One run of a restoration in one transaction: parents first by the foreign keys as they are, circles at once.
///
/// Of what the server counts it knows what its own statements came to; the rest is the doing of triggers.
struct Restoration {
    let graph: Graph
    let transaction: ActTransaction
    /// What stood before anything came back.
    let before: Witness
    /// By table, in the order of the archive.
    let deleted: [UInt32: RestoredRows]
    /// Parents first, as what went.
    let changed: [(table: UInt32, rows: RestoredRows)]
    /// Of the rows that the deletion changed, those that somebody else has changed since.
    let since: [(table: UInt32, rows: RestoredRows)]
    /// What was added to the app's own queue.
    let added: [(table: UInt32, rows: RestoredRows)]
    let order: [[UInt32]]

    var restored: [(table: String, rows: Int)] = []
    var reattached: [(table: String, rows: Int)] = []
    var withdrawn: [(table: String, rows: Int)] = []
    var dated: [(table: String, rows: Int, columns: [String])] = []
    var missed: [RestoreNote] = []

    /// What the server counted for statements that lasted, and what of it these statements said themselves.
    var counted: [UInt32: ChangeCounters.Count] = [:]
    var expected: [UInt32: ChangeCounters.Count] = [:]
    var countsAll = true
    var moved = MovedRows()
    /// The tables into which the same transaction wrote before, whose new rows are no work of triggers on what comes back.
    var written: Set<UInt32> = []
    /// The constraints that can be checked late, as SQL; nil for none.
    var constraints: String? = "all"
    private var latest: ChangeCounters

    init(
        _ sections: [Archive.Section], graph: Graph, in transaction: ActTransaction, before: @escaping Witness
    ) throws(Failure) {
        (self.graph, self.transaction, self.before) = (graph, transaction, before)
        let tables = Dictionary(graph.tables.values.map { ($0.sql, $0.oid) }) { first, _ in first }
        let known = Set(sections.compactMap { tables[$0.table] })
        let answer = try transaction.ask([TableColumns.query(of: Array(known))])[0]
        let columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        var (deleted, changed): ([UInt32: RestoredRows], [(UInt32, RestoredRows)]) = ([:], [])
        var (since, added): ([(UInt32, RestoredRows)], [(UInt32, RestoredRows)]) = ([], [])
        var nodes: [UInt32] = []
        for section in sections {
            guard let table = tables[section.table], let relation = graph.tables[table] else {
                throw Failure(ArchiveRefusal.noTable(section.name))
            }
            let fixed = columns[table]?.values.filter(\.isAlwaysIdentity).map(\.name) ?? []
            func rows(_ section: Archive.Section) -> RestoredRows {
                RestoredRows(section: section, relation: relation, unwritable: Set(fixed))
            }
            if section.kind == .added {
                added.append((table, rows(section)))
            } else if section.kind == .changed {
                let (untouched, touched) = try Self.told(rows(section), transaction)
                changed.append((table, untouched))
                if !touched.section.rows.isEmpty { since.append((table, touched)) }
            } else if let known = deleted[table] {
                // What triggers took of a table comes behind what went of it anyway.
                guard (known.section.columns, known.section.key) == (section.columns, section.key) else {
                    throw Failure(ArchiveRefusal.twice(table: section.name))
                }
                var whole = known.section
                whole.rows += section.rows
                deleted[table] = rows(whole)
            } else {
                deleted[table] = rows(section)
                nodes.append(table)
            }
        }
        order = Self.order(nodes + changed.map(\.0).filter { deleted[$0] == nil }, by: graph)
        let places = Dictionary(order.joined().enumerated().map { ($1, $0) }) { first, _ in first }
        self.changed = changed.enumerated().sorted {
            (places[$0.element.0] ?? 0, $0.offset) < (places[$1.element.0] ?? 0, $1.offset)
        }.map { (table: $0.element.0, rows: $0.element.1) }
        (self.deleted, self.since, self.added) = (deleted, since, added)
        latest = try transaction.counters(everywhere: graph.isSpread)
        countsAll = latest.areKept
    }

    /// Tells rows that the deletion changed from those of them that somebody else has changed since.
    private static func told(
        _ rows: RestoredRows, _ transaction: ActTransaction
    ) throws(Failure) -> (untouched: RestoredRows, touched: RestoredRows) {
        let answer = try transaction.ask([rows.touched])[0]
        let told = try decoding(
            try answer.rows.map { row throws(DecodingFailure) in
                (try row.integer("number"), try row.optionalText("since"))
            })
        func some(_ chosen: [String]) -> RestoredRows {
            var section = rows.section
            section.rows = chosen
            return RestoredRows(section: section, relation: rows.relation, unwritable: rows.unwritable)
        }
        return (some(told.filter { $0.1 == nil }.map { rows.section.rows[$0.0 - 1] }), some(told.compactMap(\.1)))
    }

    /// Parents before children, by every foreign key whatever it does on delete; the tables of a circle together.
    private static func order(_ tables: [UInt32], by graph: Graph) -> [[UInt32]] {
        var children: [UInt32: [UInt32]] = [:]
        for reference in graph.references {
            children[graph.whole(reference.referenced), default: []].append(graph.whole(reference.table))
        }
        let known = Set(tables)
        // What comes to nothing by a foreign key stays in the order of the archive.
        let all = Components(from: tables.reversed()) { children[$0]?.filter(known.contains) ?? [] }
        return all.ordered
    }

    func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "" }

    /// Puts everything back, or refuses.
    mutating func putBack() throws(Failure) {
        try requireRights()
        try withdraw()
        try insertAll()
        try reattach()
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

    mutating func expect(_ table: UInt32, _ count: ChangeCounters.Count) {
        expected[table] = expected[table].map { $0 + count } ?? count
    }

    /// What stands in the way, in the server's own words.
    func refused(_ error: ServerError, _ tables: [UInt32]) -> Failure {
        let place = error.table ?? tables.map(name).joined(separator: ", ")
        return Failure(ArchiveRefusal.refused(place: place, error))
    }

    // MARK: Inserting

    /// Inserts the rows of all tables, once those have their keys back that they refer to.
    mutating func insertAll() throws(Failure) {
        for component in order {
            let isMoved = try moveBack(component)
            try insertAny(of: component.filter { deleted[$0] != nil })
            // What got another key may refer by it to what came now.
            if !isMoved { _ = try moveBack(component) }
        }
    }

    private mutating func insertAny(of tables: [UInt32]) throws(Failure) {
        guard !tables.isEmpty, let error = try insert(tables) else { return }
        if tables.count > 1 {
            if try insertOpened(tables) { return }
            if try insertDeferred(tables) { return }
        }
        guard tables.count == 1, let row = try refusedRow(of: tables[0]) else { throw refused(error, tables) }
        throw Failure(ArchiveRefusal.refused(place: "\(name(tables[0])) (\(row))", error))
    }

    /// The key of the first row of a table that the server does not take.
    private mutating func refusedRow(of table: UInt32) throws(Failure) -> String? {
        guard let rows = deleted[table], !rows.section.key.isEmpty else { return nil }
        var (taken, refused) = (0, rows.section.rows.count)
        while refused - taken > 1 {
            let middle = (taken + refused) / 2
            let some = arrayLiteral(Array(rows.section.rows[..<middle]))
            try transaction.mark(Self.circle)
            let outcome = try attempt([Query(unsafe: rows.insertion(parameter: 1), [some])])
            try transaction.rollBack(to: Self.circle)
            if case .success = outcome { taken = middle } else { refused = middle }
        }
        let answer = try transaction.ask([rows.key(of: rows.section.rows[taken])])[0]
        return try decoding(try answer.only().text("key"))
    }

    /// Inserts the rows of tables that refer to each other in one statement, at whose end the database checks.
    ///
    /// What triggers made of rows that came back before may hold the place of those that are to come.
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
            sections.map { arrayLiteral($0.section.rows) })
        while true {
            switch try attempt([whole]) {
            case .success(let answers):
                let rows = try decoding(try answers[0].only().integers())
                for (table, count) in zip(tables, rows) { try note(table, inserted: count) }
                return nil
            case .failure(let error):
                guard error.state == .uniqueViolation, try sweep(tables) else { return error }
            }
        }
    }

    /// Inserts the tables of a circle one by one, and fills in afterwards what was left empty for it.
    private mutating func insertOpened(_ tables: [UInt32]) throws(Failure) -> Bool {
        guard let steps = opened(tables) else { return false }
        let saved = self
        try transaction.mark(Self.circle)
        var isDone = true
        for (table, emptied) in steps where isDone { isDone = try insert([table], emptying: emptied) == nil }
        for (table, emptied) in steps where isDone && !emptied.isEmpty {
            guard let filling = deleted[table]?.correction(of: emptied, in: graph),
                case .success(let answers) = try attempt([filling])
            else {
                isDone = false
                continue
            }
            expect(table, .init(updated: try written(answers[0])))
        }
        if isDone { return true }
        try transaction.rollBack(to: Self.circle)
        self = saved
        latest = try transaction.counters(everywhere: graph.isSpread)
        return false
    }

    /// How many rows a statement says it wrote.
    func written(_ answer: Rows) throws(Failure) -> Int {
        try decoding(answer.written())
    }

    /// Has constraints checked at once, or in the end.
    func checking(_ when: String) -> [Query] {
        constraints.map { [Query(unsafe: "set constraints \($0) \(when)")] } ?? []
    }

    private static let circle = Identifier("usher circle")

    /// Inserts the tables of a circle one by one, with their constraints checked afterwards where they can be.
    private mutating func insertDeferred(_ tables: [UInt32]) throws(Failure) -> Bool {
        let sections = tables.compactMap { deleted[$0] }
        let insertions = sections.map { Query(unsafe: $0.insertion(parameter: 1), [arrayLiteral($0.section.rows)]) }
        let queries = checking("deferred") + insertions + checking("immediate")
        guard case .success(let answers) = try attempt(queries) else { return false }
        for (table, rows) in zip(tables, answers.dropFirst()) { try note(table, inserted: rows.rows.count) }
        return true
    }

    /// The tables of a circle in an order, with the columns that have to be left empty for it; nil where that opens none.
    private func opened(_ tables: [UInt32]) -> [(UInt32, Set<String>)]? {
        let inside = graph.references.filter { reference in
            let (child, parent) = (graph.whole(reference.table), graph.whole(reference.referenced))
            return child != parent && tables.contains(child) && tables.contains(parent)
        }
        var emptied: [UInt32: Set<String>] = [:]
        var fixed: [Graph.Reference] = []
        for reference in inside {
            let child = graph.whole(reference.table)
            let rows = deleted[child]?.section
            if let column = reference.columns.first(where: { $0.isFillable && rows?.key.contains($0.name) == false }) {
                emptied[child, default: []].insert(column.name)
            } else {
                fixed.append(reference)
            }
        }
        let order = Components(from: tables) { table in
            fixed.filter { graph.whole($0.referenced) == table }.map { graph.whole($0.table) }
        }.ordered
        guard !emptied.isEmpty, order.allSatisfy({ $0.count == 1 }) else { return nil }
        return order.joined().map { ($0, emptied[$0] ?? []) }
    }

    /// Takes down how many rows of a table came back, and sees to it that the others are there already.
    private mutating func note(_ table: UInt32, inserted: Int) throws(Failure) {
        guard let rows = deleted[table] else { return }
        expect(table, .init(inserted: inserted))
        let (all, name) = (rows.section.rows.count, rows.section.name)
        restored.append((name, all))
        guard inserted < all else { return }
        var (others, own) = (0, 0)
        if !rows.section.key.isEmpty {
            let answer = try transaction.ask([rows.presence])[0]
            let row = try decoding(try answer.only())
            (others, own) = try decoding((try row.integer("others"), try row.integer("own")))
        }
        if others > 0 {
            throw Failure(ArchiveRefusal.thereAgain(table: name, others: others, of: all))
        }
        guard own == all else {
            // Those that were inserted are among our own.
            throw Failure(ArchiveRefusal.notBack(table: name, missing: all - max(own, inserted), of: all))
        }
    }

    /// Takes away what triggers made in some tables, where all that was written there is certainly new.
    private mutating func sweep(_ tables: [UInt32]) throws(Failure) -> Bool {
        var hasSwept = false
        for table in tables
        where !written.contains(table) && counted[table].map({ $0.inserted > 0 && $0.updated == 0 }) ?? false {
            guard let sweep = deleted[table]?.sweep, case .success(let answers) = try attempt([sweep]) else { continue }
            let rows = try written(answers[0])
            // Such a row came and went, and is nobody's concern any more.
            expect(table, .init(inserted: rows, deleted: rows))
            hasSwept = hasSwept || rows > 0
        }
        return hasSwept
    }
}
