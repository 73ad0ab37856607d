internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension Readings {
    /// Looks which open readings hold the person, or keys of rows that go.
    struct Search {
        let closure: AccountClosure
        let readings: Readings
        let identity: Identity

        private var map: AccountMap { closure.map }

        /// Columns that this role may not see whole, in tables that hold something.
        var hidden: [String] { readings.hidden(closure, identity) }

        /// Those of what stands nowhere by chance that could hold somebody and are not looked into, as SQL reads them; texts and
        /// numbers say that of nearly any.
        var unsearched: [String] { paths(of: readings.unsearched.filter(\.isUUID)) }

        /// Those that a line about what triggers write leaves as they are.
        var standing: [String] { paths(of: readings.standing) }

        private func paths(of open: [Reading]) -> [String] {
            let held = open.filter { map.graph.tables[$0.table]?.isEmpty == false && identity.looksInto($0) }
            return Set(held.map { map.path($0.table, $0.name) }).sorted()
        }

        /// Those that are searched only behind the deletion.
        var costly: [Reading] { readings.searched.filter { $0.isCostly(map.graph) } }

        /// Those that no index serves, in tables that take long to read.
        var slow: [Reading] {
            readings.searched.filter { reading in
                let table = map.graph.tables[reading.table]
                return !reading.column.isIndexed && (table?.pages ?? 0) > Reading.manyPages && table?.isForeign == false
                    && !reading.isCostly(map.graph)
            }
        }

        /// How many columns a deletion looks into for keys and emails, and how many texts it does not read for mentions; what an app
        /// file lets stand is neither, nor what is empty.
        var extent: SearchExtent {
            let links = map.links.filter { closure.keys[$0.key] != nil && $0.reading == nil }.flatMap { link in
                (link.reference?.columns.map(\.name) ?? link.columns.map(\.expression)).map {
                    Reading.Key(table: link.child, column: link.column ?? $0)
                }
            }
            func keys(_ readings: [Reading]) -> Set<Reading.Key> {
                Set(readings.filter { !map.lines.stays($0.column.key) }.map(\.column.key))
            }
            func isFilled(_ column: Reading.Key) -> Bool { map.graph.tables[column.table]?.isEmpty == false }
            let columns = keys(readings.searched).union(map.rowReadings.map(\.column.key)).union(links)
            let texts = keys(readings.users.filter { [.text, .document].contains($0.column.kind) })
            let read = keys(readings.searched.filter { !$0.isExact })
            return SearchExtent(
                columns: columns.count(where: isFilled), textsNotRead: texts.subtracting(read).count(where: isFilled))
        }

        func name(_ reading: Reading) -> String { map.name(reading) }

        /// The columns that hold the person; what would take long is left for the second look.
        func run(asking ask: Ask) throws(Failure) -> [HeldColumn] {
            try run(readings.searched.filter { !$0.isCostly(map.graph) }, .filled, asking: ask)
        }

        /// The columns behind a deletion: in what was searched before and held nobody, rows that came since.
        func runAgain(behind known: HeldColumns, asking ask: Ask) throws(Failure) -> [HeldColumn] {
            let names = Set(known.all.map(\.name))
            let open = try filled(readings.searched.filter { !map.lines.stays($0.column.key) }, asking: ask)
            let tables = Set(open.filter { $0.isCostly(map.graph) || names.contains(name($0)) }.map(\.table))
            let (old, new) = (open.filter { tables.contains($0.table) }, open.filter { !tables.contains($0.table) })
            return HeldColumn.inOrder(
                try run(old, .all, asking: ask) + run(new, known.since.map { .since($0) } ?? .all, asking: ask))
        }

        /// Those in tables that hold something by now.
        private func filled(_ open: [Reading], asking ask: Ask) throws(Failure) -> [Reading] {
            let empty = Set(open.map(\.table).filter { map.graph.tables[$0]?.isEmpty == true })
            guard !empty.isEmpty else { return open }
            let query = Query(
                unsafe: """
                    select e.oid::text from pg_catalog.unnest($1::oid[]) as e (oid) \
                    where pg_catalog.pg_relation_size(e.oid) = 0
                    """, [arrayLiteral(empty.sorted().map(String.init))])
            let answer = try ask([query])[0]
            let left = Set(try decoding(try answer.texts()))
            return open.filter { !left.contains(String($0.table)) }
        }

        /// Which rows are looked at: those of tables that are not empty, all, or what transactions from one on wrote.
        enum Scope: Hashable { case filled, all, since(String) }

        /// Those of some columns that hold the person.
        ///
        /// Most columns hold nobody, and to ask that is cheap; only where they do it matters which rows go anyway.
        func run(_ readings: [Reading], _ scope: Scope, asking ask: Ask) throws(Failure) -> [HeldColumn] {
            var (found, troubled) = try count(readings, scope, besides: false, asking: ask)
            let doubtful = found.filter { (closure.found[$0.reading.table]?.rows ?? 0) > 0 }
            if !doubtful.isEmpty {
                let rest = try count(doubtful.map(\.reading), scope, besides: true, asking: ask)
                troubled += rest.troubled
                found = found.filter { (closure.found[$0.reading.table]?.rows ?? 0) == 0 } + rest.found
            }
            return HeldColumn.inOrder(
                found.map { found in
                    var column = column(found.reading, rows: found.rows, isWhole: found.rows == found.whole)
                    column.isDoubtful = found.certain == 0
                    return column
                } + troubled)
        }

        /// A question about columns of one table.
        private typealias Question = (relation: Graph.Table, readings: [Reading], query: Query)

        /// How many rows hold the person in columns, in how many of those there is nothing else in it, and how many certainly do.
        private typealias Counts = [(reading: Reading, rows: Int, whole: Int, certain: Int)]

        private func count(
            _ readings: [Reading], _ scope: Scope, besides: Bool, asking ask: Ask
        ) throws(Failure) -> (found: Counts, troubled: [HeldColumn]) {
            let tables = Dictionary(grouping: readings, by: \.table).sorted { $0.key < $1.key }
            let questions = tables.compactMap { question(about: $0.value, in: $0.key, scope, besides: besides) }
            let near = questions.filter { !$0.relation.asksElsewhere }
            var answered = Array(zip(near, try answers(to: near, asking: ask)))
            var troubled: [HeldColumn] = []
            for question in questions where question.relation.asksElsewhere {
                // Another server may be down, and that says nothing about this one.
                do throws(Failure) { answered.append((question, try ask([question.query])[0])) } catch {
                    guard let refused = error.serverError, !refused.state.isCollision else { throw error }
                    troubled += question.readings.map { reading in
                        var column = column(reading, rows: 0, isWhole: false)
                        column.trouble = refused.message
                        return column
                    }
                }
            }
            var found: Counts = []
            for (question, answer) in answered {
                let counts = try decoding(try answer.only().integers())
                for (place, reading) in question.readings.enumerated() where counts[3 * place] > 0 {
                    found.append((reading, counts[3 * place], counts[3 * place + 1], counts[3 * place + 2]))
                }
            }
            return (found, troubled)
        }

        /// The answers; what is searched, and nobody has to, is told where there was no time for it.
        private func answers(to questions: [Question], asking ask: Ask) throws(Failure) -> [Rows] {
            do throws(Failure) { return try ask(questions.map(\.query)) } catch {
                guard error.serverError?.isLate == true else { throw error }
                let columns = questions.flatMap(\.readings)
                    .filter { !$0.column.isIndexed && !$0.isSettled }
                if columns.isEmpty { throw error }
                throw Failure(
                    AccountRefusal.searchedTooLong(
                        columns: columns.map { map.path($0.table, $0.name) }, because: error))
            }
        }

        private func question(
            about readings: [Reading], in table: UInt32, _ scope: Scope, besides: Bool
        ) -> Question? {
            guard let relation = map.graph.tables[table], scope != .filled || !relation.isEmpty else { return nil }
            var bindings = Bindings()
            var asked: [Reading] = []
            var (tests, loose): ([String], [String]) = ([], [])
            for reading in readings {
                guard var test = reading.condition(closure.keys, identity, &bindings) else { continue }
                if reading.isOverwritten, let holding = closure.holding(table, &bindings) {
                    test = "(\(test) and (\(holding)) is not true)"
                }
                asked.append(reading)
                tests.append(test)
                if relation.isDistributed {
                    loose += reading.condition(closure.keys, identity.loosened, &bindings).map { [$0] } ?? []
                }
            }
            guard !tests.isEmpty else { return nil }
            var source = "\(relation.rows(where: loose)) t"
            let areKeys = asked.allSatisfy { $0.form == .key && $0.column.isIndexed }
            // What no index finds is tested once a row, and by a text that is planned once.
            if !asked.allSatisfy(\.isByIndex), !relation.isDistributed {
                let names = tests.indices.map { "\"\($0)\"" }
                let (all, each) = (tests.joined(separator: ", "), names.joined(separator: ", "))
                source += " left join lateral (select \(all) offset 0) h (\(each)) on true"
                tests = names.map { "h.\($0)" }
            }
            let counts = zip(asked, tests).flatMap { reading, test in
                [nil, identity.isWhole(reading, &bindings), certainly(reading, &bindings)].map { further in
                    "pg_catalog.count(*) filter (where \(test)\(further.map { " and \($0)" } ?? ""))"
                }
            }
            var condition = "(\(tests.joined(separator: " or ")))"
            // What other servers hold tells nobody when it was written. Nor need anybody ask where an index finds what is looked for:
            // it held nobody before.
            if case .since(let first) = scope, !relation.asksElsewhere, !relation.isDistributed,
                asked.allSatisfy(\.column.isDated), !areKeys
            {
                condition = "\(writtenSince(bindings.bind(first, as: "xid8"))) and \(condition)"
            }
            if besides, let deleted = closure.condition(of: table, &bindings) {
                condition += " and (\(deleted)) is not true"
            }
            let sql = "select \(counts.joined(separator: ", ")) from \(source) where \(condition)"
            return (relation, asked, Query(unsafe: sql, values: bindings.values))
        }

        /// The condition under which a column certainly means the person; nil where it does whenever it may, or of many accounts.
        private func certainly(_ reading: Reading, _ bindings: inout Bindings) -> String? {
            guard reading.isPerson, reading.form != .key, !reading.isExact, !reading.isSettled,
                map.root.values.count == 1
            else { return nil }
            var certain = reading
            certain.isSettled = true
            return certain.condition(closure.keys, identity, &bindings)
        }

        private func column(_ reading: Reading, rows: Int, isWhole: Bool) -> HeldColumn {
            HeldColumn(
                table: map.name(reading.table), column: reading.name, path: map.path(reading.table, reading.name),
                kind: reading.form, rows: rows, isWhole: isWhole,
                isCopy: map.graph.tables[reading.table]?.isElsewhere ?? false,
                isForeign: map.graph.tables[reading.table]?.isForeign ?? false)
        }

        /// Refuses answers about what is no column that could hold the person, or refer to rows.
        func requireKnown(_ answers: AccountAnswers) throws(Failure) {
            let known = Set((readings.users + readings.rows).map(name) + hidden).union(
                map.graph.tables.values.map(\.qualifiedName))
            let empty = map.graph.tables.values.filter(\.isEmpty).map { $0.qualifiedName + "." }
            for (text, names) in answers.named.sorted(by: { $0.key < $1.key }) {
                let meant = names.filter { name in known.contains(name) || empty.contains { name.hasPrefix($0) } }
                    .sorted()
                if meant.isEmpty {
                    throw Failure(AccountRefusal.notSuspected(text))
                }
                if meant.count > 1 {
                    throw Failure(AccountRefusal.severalSuspects(text, meant))
                }
            }
        }
    }
}

extension AccountClosure {
    /// The columns that refer to rows which go without a foreign key, in rows that stay; behind a deletion nothing is followed.
    func columnsLeft(behind isBehind: Bool = false, asking ask: Ask) throws(Failure) -> [HeldColumn] {
        var questions: [(table: Graph.Table, readings: [Reading], query: Query)] = []
        // What stands in a column for good is nobody's to ask about.
        let open = map.rowReadings.filter { map.lines.kept[$0.column.key] == nil }
        for (child, all) in Dictionary(grouping: open, by: \.table).sorted(by: { $0.key < $1.key }) {
            guard let table = map.graph.tables[child] else { continue }
            var bindings = Bindings()
            var (readings, tests): ([Reading], [String]) = ([], [])
            for reading in all {
                guard let test = reading.condition(keys, nil, &bindings) else { continue }
                let needed = isNeeded(reading, isFollowed: !isBehind, &bindings)
                readings.append(reading)
                tests.append(needed.map { "(\(test) and (\($0)) is not true)" } ?? test)
            }
            guard !tests.isEmpty else { continue }
            let counts = tests.map { "pg_catalog.count(*) filter (where \($0))" }
            var condition = "(\(tests.joined(separator: " or ")))"
            if let deleted = self.condition(of: child, &bindings) { condition += " and (\(deleted)) is not true" }
            let sql = "select \(counts.joined(separator: ", ")) from \(table.ownRows) t where \(condition)"
            questions.append((table, readings, Query(unsafe: sql, values: bindings.values)))
        }
        var found: [HeldColumn] = []
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let counts = try decoding(try answer.only().integers())
            let hits = zip(question.readings, counts).filter { $0.1 > 0 }
            for (column, hits) in Dictionary(grouping: hits, by: \.0.name) {
                found.append(
                    HeldColumn(
                        table: question.table.qualifiedName, column: column,
                        path: map.path(question.table.oid, column),
                        kind: hits.contains { $0.0.form == .list } ? .list : .key,
                        rows: hits.reduce(0) { $0 + $1.1 }, isWhole: true, isCopy: question.table.isCopy,
                        isForeign: false, refersTo: hits.map { map.name($0.0.key.table) }.sorted(),
                        isHalf: hits.contains { $0.0.half != nil }))
            }
        }
        return HeldColumn.inOrder(found)
    }
}

extension App.Account {
    /// The columns that are never shown, with their tables and without quotes.
    var secretNames: Set<String> {
        Set(secrets.map { SQLName.parts(ofPath: $0.column)?.joined(separator: ".") ?? $0.column })
    }
}
