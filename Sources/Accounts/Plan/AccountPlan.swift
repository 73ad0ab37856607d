package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// The plan of a deletion: all that usher reads about the accounts, in one snapshot.
package struct AccountPlan: Sendable {
    let start: AccountStart
    var closure: Closure
    /// By table, the rows that the deletion changes or keeps, and the rows that block the deletion.
    let staying: [UInt32: StayingRows]
    let triggers: [TriggerEffect]
    package let files: [StoredFile]
    /// The reasons why the app file refuses the deletion, and its warnings.
    let refusals: [FilledSentence]
    package let appWarnings: [FilledSentence]
    package private(set) var entries: [Entry] = []
    /// The tables in which another user has the same email, if a line decides about rows of the account by this email.
    private(set) var ambiguous: [UInt32] = []
    /// True for a deletion in batches, which writes no archive.
    package internal(set) var isInParts = false
    /// True if usher builds missing indexes before the deletion.
    var buildsIndexes = false
    /// True if the operator only requests the deletion, so that missing rights don't block it.
    package var isRequested = false

    var model: AccountModel { closure.model }
    var conditions: RowConditions { closure.conditions }
    var changed: [UInt32] { staying.filter { $0.value.changed > 0 }.keys.sorted() }

    init(of start: AccountStart, asking ask: Ask) throws(Failure) {
        let model = try start.model(asking: ask)
        if model.graph.isSpread { _ = try ask([Graph.oneSession]) }
        try start.request.requireKnown(to: model)
        try model.requireAcyclicVia()
        let closure = try Closure(model, answer: start.request.shared, asking: ask)
        (self.start, self.closure) = (start, closure)
        let counting = model.graph.tables.values.filter { $0.partitionOf == nil && !$0.isEmpty }.map(\.oid).sorted()
            .compactMap { StayingRows.Counting($0, closure.conditions) }
        let written = Set(closure.tables).union(counting.filter(\.changes).map(\.table))
        let parts = model.graph.tables.values.filter { $0.partitionOf.map(written.contains) ?? false }.map(\.oid)
        let answers = try ask([TriggerEffect.query(of: written.sorted() + parts)] + counting.map(\.query))
        triggers = try failing(try TriggerEffect.all(answers[0]))
        staying = try StayingRows.read(counting, answers.dropFirst())
        files = try StoredFile.all(of: closure, start.account, asking: ask)
        (refusals, appWarnings) = try start.remarks(asking: ask)
        entries = deleted + stayed
        try requireUsers(asking: ask)
        ambiguous = try findAmbiguous(asking: ask)
    }

    package static func make(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> AccountPlan {
        let (start, transaction) = try AccountStart.open(
            request, on: connection, candidates: candidates, options: options)
        return try AccountPlan(of: start, asking: transaction.ask)
    }

    /// The refusals and warnings of the app file, for a role that may not delete.
    package static func remarks(
        on request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        let (start, transaction) = try AccountStart.open(
            request, on: connection, candidates: candidates, options: options)
        let remarks = try start.remarks(asking: transaction.ask)
        try failing { () throws(PQError) in try transaction.end() }
        return remarks
    }

    /// Refuses users who don't exist, unless the request has only one user and rows of the account are left.
    private func requireUsers(asking ask: Ask) throws(Failure) {
        let root = model.root
        if root.values.isEmpty { throw Failure(.usage, "name at least one user") }
        let isHeld = !closure.tables.isEmpty || staying.values.contains { !$0.isEmpty } || !files.isEmpty
        if root.values.count == 1, isHeld { return }
        guard closure.users < root.values.count, let table = model.graph.tables[root.oid] else { return }
        if let absence = start.absence { throw absence }
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
        let values = try failing(try answer.texts())
        guard !values.isEmpty else { return }
        throw Failure(
            .notFound, "\(pasted(root.table)) has no \(root.column) \(values.joined(separator: ", "))",
            hint: "write the exact value of this column; --root TABLE.COLUMN chooses another column")
    }

    private func findAmbiguous(asking ask: Ask) throws(Failure) -> [UInt32] {
        let losing = changed.flatMap(model.edges(from:)).filter {
            $0.isEmail && !$0.isAsked && [.detach, .delete].contains($0.effect)
        }
        let bound = try count(in: Set(losing.map(\.child)), ask) { table, bindings in
            any(losing.filter { $0.child == table }.map { conditions.refs($0, &bindings) })
        }
        let edges =
            closure.found.values.flatMap { $0.edges.map { model.edges[$0] } }.filter { $0.isEmail && !$0.isAsked }
            + losing.filter { bound[$0.child] != nil }
        return try count(in: Set(edges.map(\.parent)), ask) { table, bindings in
            let keys = conditions.keys.filter { key, _ in key.table == table && edges.contains { $0.key == key } }
            let same = any(keys.map { $0.key.matches($0.value, &bindings) })
            return all([same, not(conditions.goes(table, &bindings))])
        }.keys.sorted()
    }

    /// True if the database has the table; the name can leave out the schema.
    package func hasTable(_ name: String) -> Bool {
        model.graph.tables.values.contains { $0.qualifiedName == name || $0.name == name }
    }

    /// The emails of the users, as they are stored; the operator types an email to confirm the deletion.
    package var emails: [String] {
        let found = model.emails.flatMap { name in
            (closure.conditions.own[model.emailKey(name)]?.first?.elements ?? []).compactMap(\.self).sorted()
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0).inserted }
    }

    var firing: [TriggerEffect] {
        triggers.filter { trigger in
            let table = model.graph.whole(trigger.table)
            let deletes = (closure.found[table]?.rows ?? 0) > 0
            let updates = (staying[table]?.changed ?? 0) > 0
            return deletes && trigger.firesOnDelete || updates && trigger.firesOnUpdate
        }
    }

    /// The undeclared columns that contain a key or an email after the deletion.
    func undeclaredLeft(asking ask: Ask) throws(Failure) -> [UndeclaredColumn] {
        let tables = Set(model.edges.filter(\.isAsked).map(\.child)).sorted()
        let empty = arrayLiteral(tables.filter { model.graph.tables[$0]?.isEmpty == true }.map(String.init))
        // For many keys, the server needs more time to plan a query than to find that a table still has no page.
        let sizes: Query = "select t::text from unnest(\(empty)::oid[]) t where pg_relation_size(t) = 0"
        let answer = try ask([sizes])[0]
        let unused = try failing(try answer.texts())
        let used = tables.filter { !unused.contains(String($0)) }
        let counting = used.compactMap { StayingRows.Counting($0, conditions) }
        let staying = try StayingRows.read(counting, ask(counting.map(\.query))[...])
        return staying.sorted { $0.key < $1.key }.flatMap(\.value.undeclared)
    }
}

/// The parts of a plan that people and programs see.
extension AccountPlan {
    /// The key column of the users, such as `auth.users.id`, as shown to people and quoted for SQL.
    package var root: String { "\(model.root.table).\(model.root.column)" }
    package var rootPath: String { SQLName.path(of: [model.root.schema, model.root.name, model.root.column]) }
    package var users: [String] { model.root.values }
    package var facts: Row? { start.facts }
    package var environment: String { start.environment.name }
    /// True if the users' own rows are deleted already.
    package var isRootGone: Bool { closure.users == 0 }
    package var total: Int { rows(under: .delete).values.reduce(0, +) }
    package var shared: Int { entries.reduce(0) { $0 + $1.shared } }

    /// Undeclared columns that contain a key or an email, without an answer.
    package var undeclared: [UndeclaredColumn] {
        staying.values.flatMap(\.undeclared).sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }

    /// Undeclared columns in tables that are too big to search, and undeclared columns that this role can't read.
    package var unsearched: [String] { model.notSearched.map(model.path).sorted() }
    /// The number columns among them, whose names match no table; a number alone doesn't identify a user.
    package var numbers: [String] { model.notSearched.filter { model.columns[$0]?.kind == .number }.map(model.path) }
    package var hidden: [String] { model.hidden.map(model.path).sorted() }

    /// A digest of the plan and of the foreign keys; equal plans have equal digests.
    package var fingerprint: String {
        var digest = SHA256()
        func take(_ text: String) { digest.update(Array(text.utf8)) }
        for user in model.root.values.sorted() { take(user + "\n") }
        for entry in entries { take("\(entry.table) \(entry.policy.rawValue) \(entry.rows) \(entry.via)\n") }
        for reference in model.graph.references { take("\(reference.oid) \(reference.action.rawValue)") }
        return String(digest.hexadecimal().prefix(16))
    }
}

/// The rows of a table that the deletion changes or keeps, and the rows that block the deletion.
struct StayingRows {
    /// The number of changed rows, and the columns that the UPDATE writes.
    var changed = 0
    var columns: Set<String> = []
    /// The numbers of rows that a line changes or keeps, and of rows that only lose a reference.
    var entries: [(policy: AccountPlan.Policy, rows: Int, why: String?)] = []
    /// The edges of rows that must stay but cannot lose a required reference.
    var stuck: [Edge] = []
    /// Undeclared columns that contain a key or an email.
    var undeclared: [UndeclaredColumn] = []

    var isEmpty: Bool { changed == 0 && entries.isEmpty && stuck.isEmpty && undeclared.isEmpty }

    static func read(_ counting: [Counting], _ answers: ArraySlice<Rows>) throws(Failure) -> [UInt32: StayingRows] {
        var all: [UInt32: StayingRows] = [:]
        for (count, answer) in zip(counting, answers) {
            let row = try failing(try answer.only())
            for (place, part) in count.counts.enumerated() {
                part.read(&all[count.table, default: .init()], try failing(try row.integer(at: place)))
            }
        }
        return all
    }

    /// The query that counts the changed, kept and blocking rows of a table, and the reader of its result.
    struct Counting {
        let table: UInt32
        let query: Query
        let changes: Bool
        fileprivate typealias Count = (test: String, read: (inout StayingRows, Int) -> Void)
        fileprivate let counts: [Count]

        /// Makes the query; nil if the deletion can't affect a row of the table.
        init?(_ table: UInt32, _ conditions: RowConditions) {
            guard let relation = conditions.model.graph.tables[table] else { return nil }
            var bindings = Bindings()
            var unused = bindings
            let columns = conditions.changes(table, &unused)?.columns ?? []
            counts =
                Self.declared(table, conditions, changing: Set(columns), &bindings)
                + Self.undeclared(table, conditions, &bindings)
            (self.table, changes) = (table, !columns.isEmpty)
            guard !counts.isEmpty, let affects = conditions.affects(table, &bindings) else { return nil }
            let stays = conditions.goes(table, &bindings).map { " and \(not($0))" } ?? ""
            let outputs = counts.map { "pg_catalog.count(*) filter (where \($0.test))" }
            let sql = "select \(outputs.joined(separator: ", ")) from \(relation.ownRows) t where \(affects)\(stays)"
            query = Query(unsafe: sql, values: bindings.values)
        }

        /// Counts changed rows, kept rows, and rows that must stay but can't lose a required reference.
        private static func declared(
            _ table: UInt32, _ conditions: RowConditions, changing columns: Set<String>, _ bindings: inout Bindings
        ) -> [Count] {
            var counts: [Count] = []
            func entry(_ test: String?, _ policy: AccountPlan.Policy, _ why: String?) {
                guard let test else { return }
                counts.append((test, { if $1 > 0 { $0.entries.append((policy, $1, why)) } }))
            }
            let (rules, edges) = (conditions.model.rules, conditions.model.edges(from: table))
            let set = conditions.assigned(table, &bindings)
            entry(set, .set, rules.assignments[table]?.first?.why)
            for line in rules.kept[table] ?? [] {
                entry(conditions.selected(by: line.way, table, &bindings), .keep, line.why)
            }
            for edge in edges where edge.effect == .keep && !edge.isAsked {
                let why = edge.why ?? "kept, because you answered keep for \(edge.name)"
                entry(conditions.refs(edge, &bindings), .keep, why)
            }
            let losses = any(edges.map { conditions.losing($0, &bindings) })
            if let losses { entry(all([losses, not(set), not(conditions.kept(table, &bindings))]), .detach, nil) }
            if let changed = any([set, losses]) {
                counts.append((changed, { ($0.changed, $0.columns) = ($1, columns) }))
            }
            for edge in edges {
                guard let stuck = conditions.isStuck(edge, &bindings) else { continue }
                counts.append((stuck, { if $1 > 0 { $0.stuck.append(edge) } }))
            }
            return counts
        }

        /// Counts keys and emails in undeclared columns, except in kept rows and in values that a line replaces.
        private static func undeclared(
            _ table: UInt32, _ conditions: RowConditions, _ bindings: inout Bindings
        ) -> [Count] {
            let model = conditions.model
            let columns = Dictionary(grouping: model.edges(from: table).filter(\.isAsked), by: \.name)
            guard let relation = model.graph.tables[table], !columns.isEmpty else { return [] }
            let kept = conditions.kept(table, &bindings)
            return columns.sorted { $0.key < $1.key }.compactMap { name, edges in
                guard let refs = any(edges.map { conditions.refs($0, &bindings) }) else { return nil }
                let parents = Set(edges.map(\.parent)).sorted().map(model.name).joined(separator: ", ")
                let what =
                    edges.contains(where: \.isEmail)
                    ? "contains a key or an email" : "contains a key of \(parents), without a foreign key"
                let place =
                    relation.isForeign
                    ? ", in a foreign table" : relation.isCopy ? ", in a materialized view: refresh it" : ""
                let column = edges.first?.columns.first ?? name
                let lines = (model.rules.assignments[table] ?? []).filter { $0.column.name.column == column }
                let set = any(lines.map { conditions.isAssigned($0, table, &bindings) })
                let test = any([kept, set]).map { "(\(refs) and \(not($0)))" } ?? refs
                return (
                    test,
                    { staying, rows in
                        guard rows > 0 else { return }
                        staying.undeclared.append(
                            UndeclaredColumn(
                                table: relation.qualifiedName, column: column, path: name, rows: rows,
                                why: what + place))
                    }
                )
            }
        }
    }
}

/// An undeclared column that contains a key or an email of the account as a whole value.
package struct UndeclaredColumn: Sendable, Hashable {
    package let table: String
    package let column: String
    /// The column with SQL quotes, as in `--undeclared` and in app files.
    package let path: String
    /// The number of rows that contain a key or an email and that the deletion doesn't delete.
    package let rows: Int
    package let why: String

    package var name: String { "\(table).\(column)" }
}

extension AccountPlan {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, set, keep }

    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The path of references from the user's row to the rows of this table, as text.
        package let via: String
        package let shared: Int
        package let isIndexed: Bool
        /// The reason from a line of the app file or from the operator's answer.
        package let why: String?
        /// True if shared rows can be detached.
        package var mayStay = true

        /// The group of the entry; a deleted entry with shared rows belongs to the group of shared rows.
        package var kind: Group.Kind {
            switch policy {
            case .delete: shared > 0 ? .shared : .owned
            case .detach: .detached
            case .set: .changed
            case .keep: .kept
            }
        }

        fileprivate func rows(of kind: Group.Kind) -> Int {
            if policy == .delete { return kind == .owned ? rows - shared : kind == .shared ? shared : 0 }
            return kind == self.kind ? rows : 0
        }
    }

    package struct Group: Sendable {
        package enum Kind: String, Sendable, CaseIterable { case owned, shared, detached, changed, kept }

        package let kind: Kind
        package let tables: [(name: String, rows: Int)]
        package let why: String?
        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    var deleted: [Entry] {
        closure.order.reversed().flatMap { $0 }.compactMap { table in
            guard let found = closure.found[table] else { return nil }
            // usher deletes rows of a `give` line only if the new user doesn't exist or is deleted, too.
            var line = found.shared > 0 ? model.rules.shared[table] : nil
            if case .give = line?.answer { line = nil }
            return Entry(
                table: model.name(table), rows: found.rows, policy: .delete, via: way(to: table),
                shared: found.shared, isIndexed: found.edges.allSatisfy { model.edges[$0].isIndexed },
                why: line?.why, mayStay: found.edges.allSatisfy { !model.edges[$0].emptied.isEmpty })
        }
    }

    var stayed: [Entry] {
        staying.sorted { $0.key < $1.key }.flatMap { table, rows -> [Entry] in
            let edges = model.edges(from: table).filter { conditions.keys[$0.key] != nil && !$0.isAsked }
            var seen: Set<String> = []
            let ways = edges.map { way(to: $0.parent) + step($0) }.filter { seen.insert($0).inserted }
            return rows.entries.map { policy, rows, why in
                Entry(
                    table: model.name(table), rows: rows, policy: policy, via: ways.joined(separator: "; "), shared: 0,
                    isIndexed: edges.allSatisfy(\.isIndexed), why: why)
            }
        }
    }

    /// The path to the rows of a table: `auth.users → public.profiles.id → public.messages.sender_id`.
    private func way(to table: UInt32) -> String {
        var steps: [String] = []
        var (place, visited) = (table, Set<UInt32>())
        while place != model.root.oid, visited.insert(place).inserted {
            let edges = (closure.found[place]?.edges ?? []).map { model.edges[$0] }
            guard let edge = edges.first(where: { !visited.contains($0.parent) }) else { break }
            steps.append(step(edge))
            place = edge.parent
        }
        return SQLName.path(of: [model.root.schema, model.root.name]) + steps.reversed().joined()
    }

    private func step(_ edge: Edge) -> String {
        edge.columns.isEmpty
            ? " → \(edge.name)"
            : " → \(model.path(edge.child)).\(edge.columns.map { SQLName.path(of: [$0]) }.joined(separator: ","))"
    }

    /// The tables with a `@written` line, and the tables to which the app file adds rows, with the reason for these rows.
    package var written: [(table: String, isRemoved: Bool, why: String?)] {
        let rules = model.rules
        return Set(rules.written.keys).union(rules.added.keys).map { table in
            let why = rules.added[table]
            return (model.name(table), why == nil && rules.written[table]?.answer == .remove, why)
        }.sorted { $0.table < $1.table }
    }

    package var groups: [Group] {
        Group.Kind.allCases.flatMap { kind -> [Group] in
            let counts = entries.map { ($0, $0.rows(of: kind)) }.filter { $0.1 > 0 }
            let hasReasons = [.changed, .kept].contains(kind)
            return Dictionary(grouping: counts) { hasReasons ? $0.0.why : nil }.map { why, counts in
                let tables = Dictionary(counts.map { ($0.0.table, $0.1) }, uniquingKeysWith: +)
                let inOrder = tables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                return Group(kind: kind, tables: inOrder.map { ($0.key, $0.value) }, why: why)
            }.sorted { ($1.rows, $0.why ?? "") < ($0.rows, $1.why ?? "") }
        }
    }

    /// The numbers of rows by policy and table.
    var rows: [Policy: [String: Int]] {
        Dictionary(grouping: entries, by: \.policy).mapValues { entries in
            Dictionary(entries.map { ($0.table, $0.rows) }, uniquingKeysWith: +)
        }
    }

    package func rows(under policy: Policy) -> [String: Int] { rows[policy] ?? [:] }
}
