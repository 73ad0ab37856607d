internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What was found, and the oldest transaction whose rows the search may not have seen.
struct Searched {
    let suspects: [Suspect]
    let since: String?

    /// Asks for that transaction, as long as the search sees one instant.
    static let instant: Query = "select pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) as since"
}

/// Looks for suspects.
struct SuspectSearch {
    /// A column that may hold a person.
    struct Candidate: Hashable {
        let table: UInt32
        let column: String
        let type: String
        let kind: Suspect.Kind
        /// Whether it is called as if it held addresses, or as if it held users.
        let isAddress: Bool
        let isTelling: Bool
        /// The column that says of what the number in this one is, which may be one of anything unless it is called so.
        let typeColumn: String?
        let isOfAny: Bool
        /// Whether it may be emptied.
        let isFillable: Bool
        /// Whether it is overwritten in rows that hold the person.
        let isOverwritten: Bool
        /// Whether to search it takes long, so that it is done once, behind the deletion.
        let isCostly: Bool
        /// Whether this role may ask when a row was written.
        let isDated: Bool
    }

    let closure: AccountClosure
    let candidates: [Candidate]
    let needles: Needles
    private let hiddenColumns: [String]

    /// Columns of that kind that this role may not see whole, in tables that hold something; and columns that may refer
    /// without a foreign key to rows which go.
    var hidden: [String] { Set(hiddenColumns + closure.hiddenReferences).sorted() }

    /// Asks which columns may hold a value of the root; those of empty tables only when they may fill meanwhile.
    static func query(_ root: AccountRoot, _ graph: Graph, withEmptyTables: Bool) -> Query {
        let tables = graph.tables.values.filter { $0.partitionOf == nil && (withEmptyTables || !$0.isEmpty) }
        return Query(
            file: "catalog/suspects.sql",
            [
                root.type, root.values.contains(where: Needles.isLong) ? "t" : "f",
                arrayLiteral(tables.map(\.oid).sorted().map(String.init)),
                arrayLiteral(graph.tables.values.filter(\.isSecured).map { String($0.oid) }),
                PersonNames.column(Needles.word(of: root)),
                PersonNames.quantity, PersonNames.reference,
            ])
    }

    init(
        _ closure: AccountClosure, needles: Needles, secrets: Set<String>, _ answer: Rows
    ) throws(DecodingFailure) {
        self.closure = closure
        self.needles = needles
        let map = closure.map
        var candidates: [Candidate] = []
        var hidden: [String] = []
        let calling = Calling(map)
        var pointing: Set<UInt32> = []
        for row in answer.rows where try row.boolean("is_telling") { pointing.insert(try row.identifier("table")) }
        for row in answer.rows {
            guard let kind = Suspect.Kind(rawValue: try row.text("kind")) else { continue }
            let column = try row.text("column")
            let table = try row.identifier("table")
            let isLeft = try row.boolean("is_left")
            // Where a foreign key says what it is, it is that and nothing else.
            if isLeft, !map.leavesUser(column, of: table) { continue }
            let isCalledSo = try isLeft ? true : calling.isOfUsers(row)
            let typeColumn = try row.optionalText("type_column")
            var isTelling = isCalledSo || typeColumn != nil
            if try map.isOwnNumber(row), !isTelling {
                // Where a table says in no other way whose its rows are, its own key may.
                isTelling = map.mayShareKeys(table) && !pointing.contains(table)
                if !isTelling { continue }
            }
            // However long a number is, it may be that of another row.
            let isOfOthers = try calling.isOfOthers(row)
            if isOfOthers, !isTelling { continue }
            let isOverwritten = map.anonymised[table]?.contains { $0.column == column } ?? false
            let candidate = Candidate(
                table: table, column: column, type: try row.text("type"), kind: kind,
                isAddress: try row.boolean("is_address"), isTelling: isTelling,
                typeColumn: typeColumn, isOfAny: !isCalledSo,
                isFillable: try row.boolean("fillable"), isOverwritten: isOverwritten,
                isCostly: try row.boolean("costly"),
                isDated: try row.boolean("dated"))
            let isDeclared = map.declares(candidate.column, of: candidate.table)
            // A secret is for nobody to read, and names nobody.
            let isSecret = secrets.contains("\(map.name(candidate.table)).\(candidate.column)")
            // The root's own column names nobody but the row that it stands in, and what is plain nobody at all.
            if isSecret || isDeclared || map.kept[candidate.table] != nil { continue }
            if map.name(candidate.table) == AccountMap.fileTable { continue }
            if try row.boolean("readable") {
                candidates.append(candidate)
            } else if map.graph.tables[candidate.table]?.isEmpty != true, needles.looksInto(candidate) {
                hidden.append("\(map.name(candidate.table)).\(candidate.column)")
            }
        }
        self.candidates = candidates
        hiddenColumns = hidden
    }

    private init(_ closure: AccountClosure, _ other: SuspectSearch) {
        (self.closure, needles, candidates, hiddenColumns) = (
            closure, other.needles, other.candidates, other.hiddenColumns
        )
    }

    /// The same columns, besides another set of rows that go.
    func besides(_ closure: AccountClosure) -> SuspectSearch { SuspectSearch(closure, self) }

    func name(_ candidate: Candidate) -> String { "\(closure.map.name(candidate.table)).\(candidate.column)" }

    /// The suspects that hold something; what would take long is left for the second look.
    func run(asking ask: Ask) throws(Failure) -> [Suspect] {
        try run(candidates.filter { !$0.isCostly }, .filled, asking: ask)
    }

    /// The suspects behind a deletion: in what was searched before and held nobody, rows that came since.
    func runAgain(behind known: Searched, asking ask: Ask) throws(Failure) -> [Suspect] {
        let names = Set(known.suspects.map(\.name))
        let lines = closure.map.lines
        let candidates = candidates.filter { !lines.stays(Reading.Key(table: $0.table, column: $0.column)) }
        let open = Set(candidates.filter { $0.isCostly || names.contains(name($0)) }.map(\.table))
        let (old, new) = (candidates.filter { open.contains($0.table) }, candidates.filter { !open.contains($0.table) })
        return Suspect.inOrder(
            try run(old, .all, asking: ask) + run(new, known.since.map { .since($0) } ?? .all, asking: ask))
    }

    /// Which rows are looked at: those of tables that are not empty, all, or what transactions from one on wrote.
    enum Scope: Hashable { case filled, all, since(String) }

    /// The suspects in some columns.
    ///
    /// Most columns hold nobody, and to ask that is cheap; only where they do it matters which rows go anyway.
    func run(_ candidates: [Candidate], _ scope: Scope, asking ask: Ask) throws(Failure) -> [Suspect] {
        var (found, troubled) = try count(candidates, scope, besides: false, asking: ask)
        let doubtful = candidates.filter { found[$0] != nil && (closure.found[$0.table]?.rows ?? 0) > 0 }
        if !doubtful.isEmpty {
            let rest = try count(doubtful, scope, besides: true, asking: ask)
            troubled += rest.troubled
            for candidate in doubtful { found[candidate] = rest.found[candidate] }
        }
        let suspects = found.map { suspect($0.key, rows: $0.value.rows, isWhole: $0.value.rows == $0.value.whole) }
        return Suspect.inOrder(suspects + troubled)
    }

    /// A question about columns of one table.
    private struct Question {
        let relation: Graph.Table
        let columns: [Candidate]
        let query: Query
    }

    /// How many rows hold the person in columns, and in how many of those there is nothing else in it.
    private typealias Counts = [Candidate: (rows: Int, whole: Int)]

    private func count(
        _ candidates: [Candidate], _ scope: Scope, besides: Bool, asking ask: Ask
    ) throws(Failure) -> (found: Counts, troubled: [Suspect]) {
        let tables = Dictionary(grouping: candidates, by: \.table).sorted { $0.key < $1.key }
        let questions = tables.compactMap { question(about: $0.value, in: $0.key, scope, besides: besides) }
        let near = questions.filter { !$0.relation.asksElsewhere }
        var answered = Array(zip(near, try ask(near.map(\.query))))
        var troubled: [Suspect] = []
        for question in questions where question.relation.asksElsewhere {
            // Another server may be down, and that says nothing about this one.
            do throws(Failure) { answered.append((question, try ask([question.query])[0])) } catch {
                guard let state = error.state, !state.isCollision else { throw error }
                troubled += question.columns.map { column in
                    var suspect = suspect(column, rows: 0, isWhole: false)
                    suspect.trouble = error.message
                    return suspect
                }
            }
        }
        var found: Counts = [:]
        for (question, answer) in answered {
            let counts = try decoding(try answer.only().integers())
            for (place, candidate) in question.columns.enumerated() {
                let rows = counts[2 * place]
                if rows > 0 { found[candidate] = (rows, counts[2 * place + 1]) }
            }
        }
        return (found, troubled)
    }

    private func question(
        about candidates: [Candidate], in table: UInt32, _ scope: Scope, besides: Bool
    ) -> Question? {
        guard let relation = closure.map.graph.tables[table], scope != .filled || !relation.isEmpty else { return nil }
        var bindings = Bindings()
        var columns: [Candidate] = []
        var (tests, counts): ([String], [String]) = ([], [])
        for candidate in candidates {
            guard var test = needles.test(candidate, &bindings) else { continue }
            if candidate.isOverwritten, let holding = closure.holding(table, &bindings) {
                test = "(\(test) and (\(holding)) is not true)"
            }
            columns.append(candidate)
            tests.append(test)
            let whole = needles.isWhole(candidate, &bindings).map { "\(test) and \($0)" } ?? test
            counts += [test, whole].map { "pg_catalog.count(*) filter (where \($0))" }
        }
        guard !tests.isEmpty else { return nil }
        var condition = "(\(tests.joined(separator: " or ")))"
        // What other servers hold tells nobody when it was written.
        if case .since(let first) = scope, !relation.asksElsewhere, columns.allSatisfy(\.isDated) {
            condition = "\(writtenSince(bindings.bind(first, as: "xid8"))) and \(condition)"
        }
        if besides, let deleted = closure.condition(of: table, &bindings) {
            condition += " and (\(deleted)) is not true"
        }
        let sql = "select \(counts.joined(separator: ", ")) from \(relation.ownRows) t where \(condition)"
        return Question(relation: relation, columns: columns, query: Query(unsafe: sql, bindings.values))
    }

    func suspect(_ candidate: Candidate, rows: Int, isWhole: Bool) -> Suspect {
        Suspect(
            table: closure.map.name(candidate.table), column: candidate.column,
            path: closure.map.path(candidate.table, candidate.column), kind: candidate.kind, rows: rows,
            isWhole: isWhole, isCopy: closure.map.graph.tables[candidate.table]?.isElsewhere ?? false,
            isForeign: closure.map.graph.tables[candidate.table]?.isForeign ?? false)
    }

    /// The columns in which suspects were found, and what becomes of them.
    func answered(
        _ suspects: [Suspect], by answers: SuspectAnswers
    ) -> [(suspicion: Suspicion, answer: SuspectAnswer)] {
        let found = Set(suspects.filter { $0.trouble == nil }.map(\.name))
        return candidates.compactMap { candidate in
            let table = closure.map.name(candidate.table)
            guard found.contains(name(candidate)), let answer = answers[table, candidate.column],
                closure.map.graph.tables[candidate.table]?.isElsewhere == false
            else { return nil }
            return (Suspicion(candidate: candidate, needles: needles, name: name(candidate)), answer)
        }
    }

    /// Refuses answers about what is no column that could hold the person.
    func requireKnown(_ answers: SuspectAnswers) throws(Failure) {
        let loose = closure.map.loose.map { "\(closure.map.name($0.child)).\($0.column)" }
        let known = Set(candidates.map { name($0) } + hidden + loose).union(
            closure.map.graph.tables.values.map(\.qualifiedName))
        let empty = closure.map.graph.tables.values.filter(\.isEmpty).map { $0.qualifiedName + "." }
        for (text, names) in answers.named.sorted(by: { $0.key < $1.key }) {
            let meant = names.filter { name in known.contains(name) || empty.contains { name.hasPrefix($0) } }.sorted()
            if meant.isEmpty {
                throw Failure(
                    .usage, "--suspected \(text): no such column is suspected of holding the person",
                    hint:
                        "`usher account plan` lists those that are; others can be declared with @reference in an app file"
                )
            }
            if meant.count > 1 {
                throw Failure(
                    .usage, "--suspected \(text) names \(meant.joined(separator: " and "))",
                    hint: "write the capital letters that are meant in double quotes")
            }
        }
    }
}

extension App.Account {
    /// The columns that are never shown, with their tables and without quotes.
    var secretNames: Set<String> {
        Set(secrets.map { SQLName.parts(ofPath: $0.column)?.joined(separator: ".") ?? $0.column })
    }
}
