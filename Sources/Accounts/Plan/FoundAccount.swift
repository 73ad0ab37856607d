internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// Everything about an account that is read before a deletion, in one snapshot.
struct FoundAccount {
    let closure: Closure
    /// The rows that the deletion changes or keeps, and the rows that block it, by table.
    let staying: [UInt32: StayingRows]
    let triggers: [TriggerEffect]
    let files: StoredFiles
    /// The columns that the deletion updates and this role may not update.
    let missingRights: [MissingRight]
    /// Foreign tables, and tables with foreign partitions, with rows that would be deleted or changed.
    let foreignTables: [Graph.Table]
    /// The reasons why the app file refuses the deletion, and its warnings.
    let remarks: (refusals: [FilledSentence], warnings: [FilledSentence])
    let absence: Failure?

    var model: AccountModel { closure.model }
    var conditions: RowConditions { closure.conditions }
    var changed: [UInt32] { staying.filter { $0.value.changed > 0 }.keys.sorted() }

    init(of start: AccountStart, _ request: AccountRequest, asking ask: Ask) throws(Failure) {
        let model = try AccountModel(of: start, answers: request.answers, asking: ask)
        if model.graph.isSpread { _ = try ask([Graph.oneSession]) }
        try request.answers.requireKnown(to: model)
        try model.requireStraightWays()
        closure = try Closure(model, answer: request.answers.shared, asking: ask)
        let closure = closure
        let counting = model.graph.tables.values.filter { $0.partitionOf == nil && !$0.isEmpty }.map(\.oid).sorted()
            .compactMap { StayingRows.Question($0, closure.conditions) }
        let written = Set(closure.tables).union(counting.filter(\.changes).map(\.table)).sorted()
        let (filed, remarked) = (try StoredFiles.question(closure, start.account), start.remarkQuestion)
        let optional = [filed, remarked].compactMap(\.self)
        let parts = model.graph.tables.values.filter { $0.partitionOf.map(written.contains) ?? false }.map(\.oid)
        let questions = [TriggerEffect.query(of: written + parts)] + optional + counting.map(\.query)
        var answers = try ask(questions)[...]
        func answer(to question: Query?) -> Rows? { question.flatMap { _ in answers.popFirst() } }
        (triggers, files, remarks) = try decoding { () throws(DecodingFailure) in
            let triggers = try TriggerEffect.all(answers.removeFirst())
            return (triggers, try StoredFiles(answer(to: filed)), try start.remarks(answer(to: remarked)))
        }
        var staying: [UInt32: StayingRows] = [:]
        for question in counting {
            staying[question.table] = try decoding(try question.read(try answers.removeFirst().only()))
        }
        self.staying = staying
        foreignTables = written.compactMap { model.graph.tables[$0] }.filter { table in
            let isWritten = (closure.found[table.oid]?.rows ?? 0) > 0 || (staying[table.oid]?.changed ?? 0) > 0
            return isWritten && (table.isForeign || table.hasForeignParts)
        }
        missingRights = try Self.missingRights(
            updating: staying.filter { $0.value.changed > 0 }.mapValues(\.columns), asking: ask)
        absence = start.absence
    }

    /// The columns that this role can't update, by table; the graph contains the rights to delete and to read.
    private static func missingRights(
        updating tables: [UInt32: Set<String>], asking ask: Ask
    ) throws(Failure) -> [MissingRight] {
        let all = tables.flatMap { table, columns in columns.map { (table: String(table), column: $0) } }
        if all.isEmpty { return [] }
        let query = Query(
            file: "catalog/missing_rights.sql",
            [
                arrayLiteral(all.indices.map(String.init)),
                arrayLiteral(all.map { _ in Need.Privilege.update.rawValue }), arrayLiteral(all.map(\.table)),
                arrayLiteral(all.map { _ in "" }), arrayLiteral(all.map(\.column)), nil,
            ])
        let answer = try ask([query])[0]
        var missing: [String: [String]] = [:]
        try decoding { () throws(DecodingFailure) in
            for row in answer.rows {
                let path = SQLName.path(of: [try row.text("schema"), try row.text("name")])
                missing[path, default: []] += try row.texts("columns")
            }
        }
        return missing.sorted { $0.key < $1.key }.map {
            MissingRight(.update, on: $0.key, columns: Set($0.value).sorted())
        }
    }

    /// Refuses users who do not exist, unless there is only one and rows of the account are left.
    func requireUsers(asking ask: Ask) throws(Failure) {
        let root = model.root
        if root.values.isEmpty { throw Failure(.usage, "name at least one user") }
        let isHeld = closure.total > 0 || staying.values.contains { !$0.isEmpty } || !files.files.isEmpty
        if root.values.count == 1, isHeld { return }
        guard closure.users < root.values.count, let table = model.graph.tables[root.oid] else { return }
        if let absence { throw absence }
        let users = """
            select \(cell(root.column)) as k0 from \(table.ownRows) t \
            where \(cell(root.column)) \(root.equals) any ($1::\(root.type)[])\(table.apart)
            """
        let missing = Query(
            unsafe: """
                select named.value::pg_catalog.text from pg_catalog.unnest($1::\(root.type)[]) as named (value) \
                where not exists (select from (\(users)) users where users.k0 \(root.equals) named.value)
                """, values: [root.list])
        let answer = try ask([missing])[0]
        let values = try decoding(try answer.texts())
        guard !values.isEmpty else { return }
        throw Failure(
            .notFound, "\(pasted(root.table)) has no \(root.column) \(values.joined(separator: ", "))",
            hint: "write the exact value of this column; --root TABLE.COLUMN chooses another column")
    }

    /// The emails of the users, as they are stored.
    var emails: [String] {
        let found = model.emails.flatMap { name in
            (closure.conditions.own[model.emailKey(name)]?.first?.elements ?? []).compactMap(\.self).sorted()
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// The triggers that the deletion fires.
    var firing: [TriggerEffect] {
        triggers.filter { trigger in
            let table = model.graph.whole(trigger.table)
            let deletes = (closure.found[table]?.rows ?? 0) > 0
            let updates = (staying[table]?.changed ?? 0) > 0
            return deletes && trigger.firesOnDelete || updates && trigger.firesOnUpdate
        }
    }
}

extension FoundAccount {
    /// True if a rule or a trigger may keep rows of a table from being deleted, without an error.
    func keepsRows(of table: UInt32) -> Bool {
        model.graph.tables[table]?.isRuled == true
            || triggers.contains { model.graph.whole($0.table) == table && $0.isBefore && $0.firesOnDelete }
    }
}

// MARK: Rows that stay

struct StayingRows {
    /// The numbers of rows that a line changes, of rows that lose a reference, and of all changed rows.
    var given = 0
    var detached = 0
    var changed = 0
    /// The columns that an update writes.
    var columns: Set<String> = []
    /// Rows that a line or an answer keeps.
    var kept: [(rows: Int, why: String)] = []
    /// Rows that must stay but cannot lose a required reference.
    var stuck: [(edge: Int, rows: Int)] = []
    /// Undeclared columns that contain a key or an email.
    var undeclared: [UndeclaredColumn] = []

    var isEmpty: Bool { changed == 0 && kept.isEmpty && stuck.isEmpty && undeclared.isEmpty }

    /// The query that counts these rows, and the reader of its answer.
    struct Question {
        let table: UInt32
        let query: Query
        private let conditions: RowConditions
        private var reads: [(inout StayingRows, Int) -> Void] = []
        /// True if rows of the table can be changed.
        private(set) var changes = false

        /// Nil if no row of the table can be affected.
        init?(_ table: UInt32, _ conditions: RowConditions, onlyUndeclared: Bool = false) {
            guard let relation = conditions.model.graph.tables[table] else { return nil }
            (self.table, self.conditions) = (table, conditions)
            var bindings = Bindings()
            var counts: [String] = []
            var reads: [(inout StayingRows, Int) -> Void] = []
            func count(_ test: String, _ read: @escaping (inout StayingRows, Int) -> Void) {
                counts.append(test)
                reads.append(read)
            }
            if !onlyUndeclared {
                Self.change(table, conditions, &bindings, count)
                changes = !counts.isEmpty
                Self.keep(table, conditions, &bindings, count)
                for edge in conditions.model.edges(from: table) {
                    guard let stuck = conditions.isStuck(edge, &bindings) else { continue }
                    count(stuck) { if $1 > 0 { $0.stuck.append((edge.id, $1)) } }
                }
            }
            Self.ask(table, conditions, &bindings, count)
            guard !counts.isEmpty, let affects = conditions.affects(table, &bindings) else { return nil }
            let stays = conditions.goes(table, &bindings).map { " and \(not($0))" } ?? ""
            let outputs = counts.map { "pg_catalog.count(*) filter (where \($0))" }
            let sql = "select \(outputs.joined(separator: ", ")) from \(relation.ownRows) t where \(affects)\(stays)"
            query = Query(unsafe: sql, values: bindings.values)
            self.reads = reads
        }

        private typealias Count = (String, @escaping (inout StayingRows, Int) -> Void) -> Void

        private static func change(
            _ table: UInt32, _ conditions: RowConditions, _ bindings: inout Bindings, _ count: Count
        ) {
            var scratch = bindings
            guard let change = conditions.changes(table, &scratch) else { return }
            let columns = Set(change.values.map(\.column))
            let set = bindings.attempt { conditions.assigned(table, &$0) }
            if let set {
                count(set) { $0.given = $1 }
            }
            let losses = bindings.attempt { bindings in conditions.losing(table, &bindings) }
            if let losses {
                let kept = bindings.attempt { conditions.kept(table, &$0) }
                let only = all([losses, set.map(not) ?? "true", kept.map(not) ?? "true"])
                count(only ?? losses) { $0.detached = $1 }
            }
            count(any([set, losses]) ?? "false") { staying, rows in
                staying.changed = rows
                if rows > 0 { staying.columns.formUnion(columns) }
            }
        }

        private static func keep(
            _ table: UInt32, _ conditions: RowConditions, _ bindings: inout Bindings, _ count: Count
        ) {
            for line in conditions.model.rules.kept[table] ?? [] {
                let kept = bindings.attempt { conditions.isKept(line, table, &$0) }
                guard let kept else { continue }
                count(kept) { if $1 > 0 { $0.kept.append(($1, line.why)) } }
            }
            for edge in conditions.model.edges(from: table) where edge.effect == .keep && !edge.isAsked {
                guard let refs = conditions.refs(edge, &bindings) else { continue }
                let why = edge.why ?? "kept, because you answered keep for \(edge.name)"
                count(refs) { if $1 > 0 { $0.kept.append(($1, why)) } }
            }
        }

        /// Counts keys and emails in undeclared columns, except in kept rows and in values that a line replaces.
        private static func ask(
            _ table: UInt32, _ conditions: RowConditions, _ bindings: inout Bindings, _ count: Count
        ) {
            let model = conditions.model
            guard let relation = model.graph.tables[table] else { return }
            let edges = model.edges(from: table).filter(\.isAsked)
            let kept = edges.isEmpty ? nil : bindings.attempt { conditions.kept(table, &$0) }
            for (name, edges) in Dictionary(grouping: edges, by: \.name).sorted(by: { $0.key < $1.key }) {
                guard let refs = any(edges.map { conditions.refs($0, &bindings) }) else { continue }
                let mayBeEmail = edges.contains(where: \.isEmail)
                let parents = mayBeEmail ? [] : Set(edges.map(\.parent)).sorted()
                let column = edges.first?.columns.first ?? name
                let lines = (model.rules.assignments[table] ?? []).filter { $0.column.name.column == column }
                let set = bindings.attempt { bindings in any(lines.map { conditions.isAssigned($0, table, &bindings) })
                }
                let replaced = any([kept, set])
                count(replaced.map { "(\(refs) and \(not($0)))" } ?? refs) { staying, rows in
                    guard rows > 0 else { return }
                    staying.undeclared.append(
                        UndeclaredColumn(
                            table: relation.qualifiedName, column: column, path: name, rows: rows,
                            refersTo: parents.map(model.name), isCopy: relation.isCopy,
                            isForeign: relation.isForeign))
                }
            }
        }

        func read(_ row: Row) throws(DecodingFailure) -> StayingRows {
            var staying = StayingRows()
            for (place, read) in reads.enumerated() { read(&staying, try row.integer(at: place)) }
            return staying
        }
    }
}

extension FoundAccount {
    func undeclaredLeft(asking ask: Ask) throws(Failure) -> [UndeclaredColumn] {
        let tables = Set(model.edges.filter(\.isAsked).map(\.child)).sorted()
        let questions = tables.compactMap { StayingRows.Question($0, conditions, onlyUndeclared: true) }
        var left: [UndeclaredColumn] = []
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            left += try decoding(try question.read(try answer.only())).undeclared
        }
        return left
    }
}
