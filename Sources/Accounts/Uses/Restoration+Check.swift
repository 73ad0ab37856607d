internal import Acts
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What comes after the rows: what others lost, what triggers made of it all, and whether it is as it was.
extension Restoration {
    /// All rows that the archive holds, parents first.
    private var sections: [(table: UInt32, rows: RestoredRows)] {
        order.joined().compactMap { table in deleted[table].map { (table, $0) } } + changed
    }

    /// Gives rows that stayed what they had before.
    mutating func reattach() throws(Failure) {
        for (table, rows) in changed {
            if let error = try reattach(table, rows) { throw refused(error, [table]) }
        }
    }

    /// Gives rows of some tables the keys back that they had, with all that they had; tells whether they have them.
    mutating func moveBack(_ tables: [UInt32]) throws(Failure) -> Bool {
        var isDone = true
        for (table, rows) in changed where tables.contains(table) && rows.areMoved {
            isDone = try reattach(table, rows) == nil && isDone
        }
        return isDone
    }

    /// Gives rows what they had before, and tells why the server refused it.
    private mutating func reattach(_ table: UInt32, _ rows: RestoredRows) throws(Failure) -> ServerError? {
        guard let update = rows.correction(in: graph) else { return nil }
        var outcome = try attempt([update])
        // A right on every column is not needed for those that are as they were.
        if case .failure(let error) = outcome, error.state == .insufficientPrivilege {
            guard let narrow = rows.correction(of: try differing(rows), in: graph) else { return nil }
            outcome = try attempt([narrow])
        }
        switch outcome {
        case .failure(let error): return error
        case .success(let answers):
            let (name, count) = (rows.section.name, try written(answers[0]))
            expect(table, .init(updated: count))
            let steps = try decoding(
                try answers[0].rows.map { row throws(DecodingFailure) in try MovedRows.Step(row) })
            for (child, rows) in try moved.follow(table, steps, in: graph, transaction) {
                expect(child, .init(updated: rows))
            }
            // Rows of one table may have lost different columns.
            if let place = reattached.firstIndex(where: { $0.table == name }) {
                reattached[place].rows += count
            } else {
                reattached.append((name, count))
            }
            return nil
        }
    }

    /// The columns in which rows are not as the archive has them, but for when they were written.
    private func differing(_ rows: RestoredRows) throws(Failure) -> Set<String> {
        let answer = try transaction.ask([rows.comparison])[0]
        return Set(try decoding(try answer.only().texts("columns")))
    }

    /// Takes out of the app's own queue what the deletion added there, as far as nobody has worked on it.
    mutating func withdraw() throws(Failure) {
        for (table, rows) in added {
            var count = 0
            if let withdrawal = rows.withdrawal {
                switch try attempt([withdrawal]) {
                case .failure(let error): throw refused(error, [table])
                case .success(let answers): count = try written(answers[0])
                }
            }
            expect(table, .init(deleted: count))
            let (name, rest) = (rows.section.name, rows.section.rows.count - count)
            if count > 0 { withdrawn.append((name, count)) }
            if rest > 0 { missed.append(.workedOn(TableRows(name, rest))) }
        }
    }

    /// Has deferred constraints and triggers speak now.
    mutating func settle() throws(Failure) {
        if case .failure(let error) = try attempt(checking("immediate")) { throw refused(error, []) }
    }

    /// Gives rows that triggers changed what the archive holds.
    mutating func correct() throws(Failure) {
        // A correction can move a trigger to write once more; what a second one does not help is told.
        for _ in 0..<2 {
            var isCorrected = false
            for (table, rows) in sections {
                guard let correction = rows.correction(in: graph) else { continue }
                // A refusal leaves the row as it is, which the comparison shows.
                guard case .success(let answers) = try attempt([correction]) else { continue }
                let count = try written(answers[0])
                expect(table, .init(updated: count))
                isCorrected = isCorrected || count > 0
            }
            if !isCorrected { return }
            try settle()
        }
    }

    /// Takes down what is otherwise than the archive says, and what triggers wrote that it does not hold.
    mutating func compare() throws(Failure) {
        for (_, rows) in sections {
            let (answer, name) = (try transaction.ask([rows.comparison])[0], rows.section.name)
            let row = try decoding(try answer.only())
            let (missing, different) = try decoding((try row.integer("missing"), try row.integer("different")))
            if missing > 0 {
                let absent = TableRows(name, missing)
                missed.append(rows.section.kind == .changed ? .gone(absent) : .taken(absent))
            }
            if different > 0 {
                let columns = try decoding(try row.texts("columns"))
                missed.append(.set(TableRows(name, different), columns: columns))
            }
            let (written, times) = try decoding((try row.integer("dated"), try row.texts("times")))
            if written > 0 { dated.append((name, written, times)) }
        }
        for (_, rows) in since {
            let answer = try transaction.ask([rows.unmoved])[0]
            let unmoved = try decoding(try answer.count())
            if unmoved > 0 { missed.append(.changedSince(TableRows(rows.section.name, unmoved))) }
        }
        guard countsAll else {
            missed.append(.uncounted)
            return
        }
        for (table, count) in counted.sorted(by: { name($0.key) < name($1.key) }) {
            try compare(table, count, expected[table] ?? .init())
        }
    }

    /// Compares what the server counted in a table with what was meant to be done there.
    private mutating func compare(
        _ table: UInt32, _ count: ChangeCounters.Count, _ expected: ChangeCounters.Count
    ) throws(Failure) {
        guard count != expected, let relation = graph.tables[table] else { return }
        let events = count.inserted + count.updated - expected.inserted - expected.updated
        if events > 0 {
            let held = (sections + since).filter { $0.table == table }.map(\.rows)
            let rows = try surplus(in: relation, beyond: held) ?? events
            if rows > 0 { missed.append(.written(TableRows(relation.qualifiedName, rows))) }
        }
        let gone = count.deleted - expected.deleted
        if gone > 0 { missed.append(.deleted(TableRows(relation.qualifiedName, gone))) }
    }

    /// How many rows of a table are otherwise than before by the doing of triggers, besides those of the archive; nil where
    /// this role cannot tell.
    private func surplus(in table: Graph.Table, beyond held: [RestoredRows]) throws(Failure) -> Int? {
        guard case .success(let answer) = try transaction.look([RestoredRows.surplus(in: table, beyond: held)])[0]
        else {
            return nil
        }
        let images = try decoding(try answer.texts())
        // Rows of other servers do not stand still at one instant.
        if images.isEmpty || table.isDistributed || table.isElsewhere { return images.count }
        let witness = try before()
        var rows = 0
        // Rows that nothing tells apart are compared all at once.
        let page = table.key.isEmpty ? images.count : 1000
        for start in stride(from: 0, to: images.count, by: page) {
            let some = Array(images[start..<min(start + page, images.count)])
            let news = RestoredRows.news(of: some, in: table, beyond: held)
            let answer = try failing { () throws(PQError) in try witness.read(news) }
            rows += try decoding(try answer.count())
        }
        try failing { () throws(PQError) in try witness.end() }
        return rows
    }
}

/// What a restoration may not do, told all at once and before it begins.
extension Restoration {
    /// Refuses where this role lacks a right for rows that come back, or for the work of triggers that run with its own rights as
    /// they do.
    func requireRights() throws(Failure) {
        var events: TriggerWrites.Events = [:]
        for table in deleted.keys { events[table, default: []].insert(.insert) }
        for (table, rows) in changed where !rows.section.rows.isEmpty { events[table, default: []].insert(.update) }
        for (table, _) in added { events[table, default: []].insert(.delete) }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let writes = try TriggerWrites(events, direct: events, in: graph, asking: ask)
        let running = writes.runningAsDeleter
        let own = deleted.sorted { name($0.key) < name($1.key) }.map { table, rows in
            (right: NeededRight.on(.insert, table, columns: Set(rows.section.columns)), use: TriggerWrites.Use?.none)
        }
        let needed = own + writes.uses.filter { running.contains($0.trigger) }.map { ($0.right, $0) }
        let missing = try NeededRight.missing(needed.map(\.right), asking: ask)
        let obstacles = NeededRight.told(NeededRight.lacking(needed, missing)).map { right, trigger in
            AccountPlan.Obstacle.mayNot(right, by: trigger.map { NamedTrigger($0, in: graph) })
        }
        if !obstacles.isEmpty { throw Failure(ArchiveRefusal.forbidden(obstacles)) }
    }
}
