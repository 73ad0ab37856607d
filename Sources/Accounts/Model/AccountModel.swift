internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The edges and rules of a database, compiled from its foreign keys and the app file.
struct AccountModel: Sendable {
    let graph: Graph
    let root: AccountRoot
    let columns: CatalogColumns
    private(set) var rules: Rules
    private(set) var edges: [Edge] = []
    /// The tables whose rows are users: the root, and those with one required row for each user.
    private(set) var userTables: Set<UInt32> = []
    /// The edges that make a row a user row: each is required, unique and refers to a user row.
    private(set) var identity: Set<Int> = []
    /// The columns with emails of users: those of `@email`, and columns of user tables with "mail" in their name.
    private(set) var emails: [CatalogColumn.Name] = []
    /// The edges of `@owns` lines.
    private(set) var owned: [Int] = []
    /// The edges from stored files, which only the storage API can delete.
    private(set) var fileEdges: [Edge] = []
    /// The tables whose rows can be deleted with users.
    private(set) var reached: Set<UInt32> = []
    /// The number of columns that a deletion searches for whole keys and emails, and the number of text and JSON
    /// columns that a deletion skips.
    private(set) var extent = (columns: 0, textsNotRead: 0)
    /// The columns that a foreign key or a line of the app file declares.
    private(set) var declared: Set<CatalogColumn.Name> = []
    /// Undeclared columns that are too big to search, and undeclared columns that this role can't read.
    private(set) var notSearched: [CatalogColumn.Name] = []
    private(set) var hidden: [CatalogColumn.Name] = []
    /// Undeclared columns without an index, whose tables are scanned.
    private(set) var scanned: [CatalogColumn.Name] = []
    private var outgoing: [UInt32: [Int]] = [:]
    private var incoming: [UInt32: [Int]] = [:]

    init(of start: AccountStart, answers: AccountAnswers, asking ask: Ask) throws(Failure) {
        let catalog = try ask(Graph.queries(apart: start.apart) + [CatalogColumns.query])
        let graph = try Graph(followed: catalog)
        guard graph.tables[start.root.oid]?.qualifiedName == start.root.table else {
            throw Failure(
                .conflict, "\(pasted(start.root.table)) was replaced by another table in the meantime",
                hint: "run the command again")
        }
        let columns = try decoding { () throws(DecodingFailure) in try CatalogColumns(catalog[2]) }
        self.init(graph, columns, of: start, answers: answers)
    }

    /// Compiles foreign keys and lines of the app file into edges and rules.
    init(_ graph: Graph, _ columns: CatalogColumns, of start: AccountStart, answers: AccountAnswers) {
        (self.graph, self.columns, root) = (graph, columns, start.root)
        rules = Rules(start.account, graph, columns)
        let lines = start.account?.refers ?? []
        for reference in graph.references { add(reference) }
        findUserTables()
        findEmails(named: start.app?.addressColumns ?? [])
        for line in lines where line.to != nil { declare(line) }
        var settled: Set<CatalogColumn.Name> = []
        for line in lines where line.to == nil { answer(line, &settled) }
        for id in edges.indices { settle(id) }
        for line in lines where line.to != nil { answer(line, &settled) }
        for line in start.account?.owned ?? [] { own(line) }
        ask(besides: settled, answers)
        index()
    }

    /// Refuses a `via` line that makes rows of a table depend on the deletion of other rows of that table.
    func requireStraightWays() throws(Failure) {
        for edge in edges where !isUser(edge.parent) && rules.isWay(edge) {
            var (reached, open): (Set<UInt32>, [UInt32]) = ([edge.child], [edge.child])
            while let table = open.popLast() {
                for next in edges(to: table) where next.effect == .delete && reached.insert(next.child).inserted {
                    open.append(next.child)
                }
            }
            if reached.contains(edge.parent) {
                throw Failure(
                    .refused,
                    "the line `via \(edge.columns.joined(separator: ", "))` keeps rows of \(pasted(name(edge.child))) because "
                        + "other rows of this table are deleted, so usher can't tell which rows are deleted first",
                    hint: "write the line with `where` instead of `via \(edge.columns.joined(separator: ", "))`")
            }
        }
    }

    // MARK: Looking up

    /// The edges from a table, and the edges to it.
    func edges(from table: UInt32) -> [Edge] { (outgoing[table] ?? []).map { edges[$0] } }
    func edges(to table: UInt32) -> [Edge] { (incoming[table] ?? []).map { edges[$0] } }

    func isUser(_ table: UInt32) -> Bool { userTables.contains(table) }

    func keys(of table: UInt32) -> [KeyColumns] {
        var keys = edges(to: table).map(\.key) + fileEdges.map(\.key).filter { $0.table == table }
        if table == root.oid { keys.append(root.key) }
        keys += emails.filter { $0.table == table }.map(emailKey)
        var seen: Set<KeyColumns> = []
        return keys.filter { seen.insert($0).inserted }
    }

    /// The key for a column of emails, compared as stored.
    func emailKey(_ name: CatalogColumn.Name) -> KeyColumns {
        let text = columns[name]?.text ?? "null"
        return KeyColumns(
            table: name.table, expressions: ["nullif(\(text), '')"], types: ["text"],
            equals: [DeclaredSide.equals("text")])
    }

    /// True if SQL in the app file decides about rows of a table; such SQL may read other tables.
    func hasConditions(_ table: UInt32) -> Bool {
        edges(from: table).contains { $0.condition != nil } || rules.shared[table] != nil
            || (rules.kept[table] ?? []).contains { $0.condition != nil }
            || (rules.assignments[table] ?? []).contains { $0.condition != nil }
    }

    /// True if a kept row may match the conditions of deleted rows after its UPDATE, because a line or a default
    /// writes or compares values.
    func canMatchAfterUpdate(_ table: UInt32) -> Bool {
        hasConditions(table) || rules.assignments[table] != nil
            || edges(from: table).contains { $0.columns.isEmpty || !$0.values.isEmpty }
    }

    /// The key column of a table; nil if the key has several columns.
    func keyColumn(of table: UInt32) -> CatalogColumn? {
        if table == root.oid { return columns[.init(table: table, column: root.column)] }
        guard let key = graph.tables[table]?.key, key.count == 1 else { return nil }
        return columns[.init(table: table, column: key[0].name)]
    }

    func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "?" }
    func path(_ table: UInt32) -> String { graph.tables[table]?.path ?? "?" }

    func path(_ column: CatalogColumn.Name) -> String {
        graph.tables[column.table].map { SQLName.path(of: [$0.schema, $0.name, column.column]) } ?? column.column
    }

    /// An edge in words: `public.posts (author_id) → public.users`.
    func name(_ edge: Edge) -> String {
        let columns = edge.columns.map { SQLName.path(of: [$0]) }.joined(separator: ", ")
        return edge.columns.isEmpty
            ? "\(edge.name) → \(path(edge.parent))" : "\(path(edge.child)) (\(columns)) → \(path(edge.parent))"
    }

    // MARK: Foreign keys

    private mutating func append(
        _ child: UInt32, _ columns: [String], _ terms: [Edge.Term], to key: KeyColumns, because cause: Edge.Cause,
        name: String? = nil, _ change: (inout Edge) -> Void = { _ in }
    ) {
        let named = name ?? columns.first.map { path(CatalogColumn.Name(table: child, column: $0)) } ?? path(child)
        var edge = Edge(
            id: edges.count, child: child, columns: columns, terms: terms, key: key, cause: cause, name: named)
        change(&edge)
        edges.append(edge)
    }

    private mutating func add(_ reference: Graph.Reference) {
        let (child, partition) = whole(reference.table)
        let (parent, parentPartition) = whole(reference.referenced)
        let key = KeyColumns(of: reference, table: parent, partition: parentPartition)
        let terms = reference.columns.map { column in
            column.isList
                ? Edge.Term(expression: asText(column.name), equals: "operator(pg_catalog.=)")
                : Edge.Term(expression: cell(column.name), equals: column.equals)
        }
        let names = reference.columns.map(\.name)
        append(child, names, terms, to: key, because: .enforced(reference)) { edge in
            edge.partition = partition
            edge.isIndexed = reference.isIndexed
        }
        for heir in heirs(of: reference.table) where !hasOwn(reference, heir) {
            append(heir, names, terms, to: key, because: .inherited(reference)) { $0.isIndexed = reference.isIndexed }
        }
    }

    /// The table itself; for a partition, its partitioned table.
    private func whole(_ table: UInt32) -> (table: UInt32, partition: UInt32?) {
        graph.tables[table]?.partitionOf.map { ($0, table) } ?? (table, nil)
    }

    func heirs(of table: UInt32) -> [UInt32] {
        let children = graph.heirs[table] ?? []
        return children + children.flatMap { heirs(of: $0) }
    }

    private func hasOwn(_ reference: Graph.Reference, _ table: UInt32) -> Bool {
        graph.references.contains {
            $0.table == table && $0.referenced == reference.referenced
                && $0.columns.map(\.name) == reference.columns.map(\.name)
        }
    }

    private mutating func findUserTables() {
        userTables = [root.oid]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for edge in edges where userTables.contains(edge.parent) && edge.child != root.oid {
                guard let reference = edge.reference, reference.isSingle, !identity.contains(edge.id),
                    reference.columns.allSatisfy(\.isRequired)
                else { continue }
                identity.insert(edge.id)
                userTables.insert(edge.child)
                isGrowing = true
            }
        }
    }

    private mutating func findEmails(named: [DirectorySource.Base]) {
        let first = named.compactMap { base -> CatalogColumn.Name? in
            graph.table("\(base.table.schema).\(base.table.name)").map { .init(table: $0.oid, column: base.column) }
        }
        let called = userTables.sorted().flatMap { columns.of($0) }.filter { column in
            column.kind == .text && !column.isList && column.name.column.lowercased().contains("mail")
        }
        var seen: Set<CatalogColumn.Name> = []
        emails = (first + called.map(\.name)).filter { name in
            columns[name]?.kind == .text && columns[name]?.isReadable == true && seen.insert(name).inserted
        }
    }

    // MARK: Lines

    /// Adds the edges of a `@refers` line; a column of emails refers to every column with emails of users.
    private mutating func declare(_ line: App.Account.Refers) {
        guard let from = DeclaredSide(line.from, graph, columns),
            let to = line.to.flatMap({ DeclaredSide($0, graph, columns) })
        else { return rules.miss("\(line.from) -> \(line.to ?? "")") }
        let target = to.column?.name
        let isEmail = target.map(emails.contains) ?? false
        let others = isEmail ? emails.filter { $0 != target && $0 != from.column?.name } : []
        for side in [to] + others.compactMap({ columns[$0].map(DeclaredSide.init) }) {
            connect(from, to: side, isEmail: isEmail, where: line.condition, because: .declared, name: line.from)
        }
    }

    private mutating func connect(
        _ from: DeclaredSide, to: DeclaredSide, isEmail: Bool, asWritten: Bool = false, where condition: String?,
        because cause: Edge.Cause, name: String
    ) {
        let compared =
            asWritten ? from.comparedAsWritten(with: to) : from.compared(with: to, isEmail: isEmail)
        var (term, rest) = (compared.term, condition)
        if let condition, from.column == nil {
            // The expression may fail on rows that do not meet the condition.
            term = Edge.Term(expression: "(case when (\(condition)) then \(term.expression) end)", equals: term.equals)
            rest = nil
        }
        let isFile = graph.tables[from.table]?.qualifiedName == Platform.files
        let count = isFile ? fileEdges.count : edges.count
        var edge = Edge(
            id: count, child: from.table, columns: from.column.map { [$0.name.column] } ?? [], terms: [term],
            key: compared.key, cause: cause, name: name)
        edge.condition = rest
        edge.isList = from.column?.isList ?? false
        edge.isEmail = isEmail
        edge.ignoresCase = isEmail && !asWritten
        edge.isIndexed = from.isIndexed
        if isFile { fileEdges.append(edge) } else { edges.append(edge) }
    }

    /// Stores the answer of a `@refers` line for the edges of the line's column.
    private mutating func answer(_ line: App.Account.Refers, _ settled: inout Set<CatalogColumn.Name>) {
        guard let answer = line.answer else { return }
        let side = DeclaredSide(line.from, graph, columns)
        guard let side else { return rules.miss(line.from) }
        let parent = line.to.flatMap { DeclaredSide($0, graph, columns)?.table }
        if let column = side.column {
            let isKnown = edges.contains { $0.child == side.table && $0.columns.contains(column.name.column) }
            guard isKnown else { return rules.miss(target: line.from) }
            settled.insert(column.name)
        }
        for id in edges.indices where edges[id].child == side.table && (parent == nil || edges[id].parent == parent) {
            let isMeant =
                side.column.map { edges[id].columns.contains($0.name.column) } ?? (edges[id].name == line.from)
            guard isMeant else { continue }
            edges[id].why = line.why
            answers[id] = answer
            if parent != nil { settle(id) }
        }
    }

    private var answers: [Int: App.Account.Refers.Answer] = [:]

    /// Sets the effect of an edge: the answer of a line, else the action of the foreign key.
    private mutating func settle(_ id: Int) {
        (edges[id].emptied, edges[id].values) = emptied(by: edges[id])
        let edge = edges[id]
        let detached: Edge.Effect? = edge.emptied.isEmpty ? nil : .detach
        if let answer = answers[id] {
            edges[id].effect =
                switch answer {
                case .delete: .delete
                case .detach: detached ?? .refuse
                case .keep: edge.reference == nil ? .keep : .refuse
                }
            return
        }
        guard let reference = edge.reference else {
            // A row with a list stays if one of the rows in the list is deleted.
            edges[id].effect = edge.isList ? detached ?? .delete : .delete
            return
        }
        switch reference.action {
        case .cascade: edges[id].effect = .delete
        case .setNull, .setDefault: edges[id].effect = detached ?? .delete
        case .noAction, .restrict:
            // A user who only refers to a deleted user is never deleted.
            let isMention = userTables.contains(edge.child) && !identity.contains(id)
            edges[id].effect = isMention ? detached ?? .refuse : .delete
        }
    }

    /// The columns that an edge empties in kept rows, and their new values.
    private func emptied(by edge: Edge) -> (columns: [String], values: [String: String]) {
        func isFree(_ column: String) -> Bool { columns[.init(table: edge.child, column: column)]?.isFillable ?? false }
        guard let reference = edge.reference else {
            if edge.isList { return (edge.columns, [:]) }
            return (edge.columns.filter(isFree), [:])
        }
        let isDefault = reference.action == .setDefault && reference.columns.contains { $0.standard != "null" }
        if isDefault {
            let values = reference.columns.map { ($0.name, $0.standard) }
            return (reference.setColumns, Dictionary(values) { first, _ in first })
        }
        let free = reference.columns.filter { reference.setColumns.contains($0.name) && $0.isFillable }.map(\.name)
        // Columns that also belong to another foreign key keep their values if possible.
        let others = Set(
            graph.references.filter { $0.oid != reference.oid && $0.table == reference.table }
                .flatMap { $0.columns.map(\.name) })
        let own = free.filter { !others.contains($0) }
        return (own.isEmpty ? free : own, [:])
    }

    /// Adds the edges of an `@owns` line.
    private mutating func own(_ line: App.Account.Owned) {
        guard let from = DeclaredSide(line.from, graph, columns), let column = from.column else {
            return rules.miss(line.from)
        }
        let table = DeclaredSide(line.to, graph, columns)?.table ?? graph.table(at: line.to)?.oid
        let found = edges.filter {
            $0.child == from.table && $0.columns.contains(column.name.column) && $0.parent == table
        }
        if !found.isEmpty {
            owned += found.map(\.id)
        } else if let to = DeclaredSide(line.to, graph, columns) {
            owned.append(edges.count)
            connect(from, to: to, isEmail: false, where: nil, because: .declared, name: line.from)
            edges[edges.count - 1].effect = .keep
        } else {
            rules.miss("\(line.from) -> \(line.to)")
        }
    }

    // MARK: Undeclared columns

    private mutating func ask(besides settled: Set<CatalogColumn.Name>, _ answers: AccountAnswers) {
        var explained = settled
        for edge in edges {
            // A foreign key may empty only some of its columns.
            let named = edge.reference != nil && edge.effect == .detach ? edge.emptied : edge.columns
            explained.formUnion(named.map { .init(table: edge.child, column: $0) })
            guard edge.columns.isEmpty else { continue }
            // The columns inside an expression are declared with it.
            let names = Set(SQLName.all(in: edge.terms[0].expression))
            explained.formUnion(columns.of(edge.child).map(\.name).filter { names.contains($0.column) })
        }
        explained.insert(.init(table: root.oid, column: root.column))
        explained.formUnion(emails)
        declared = explained
        let asked = AskedEdges(self, besides: explained)
        (notSearched, hidden, scanned) = (asked.notSearched, asked.hidden, asked.scanned)
        for candidate in asked.candidates {
            let name = candidate.column.name
            connect(
                candidate.from, to: candidate.to, isEmail: candidate.isEmail, asWritten: candidate.asWritten,
                where: nil,
                because: .asked, name: path(name))
            let id = edges.count - 1
            (edges[id].emptied, edges[id].values) = emptied(by: edges[id])
            edges[id].effect = .keep
            // Only a refresh changes a materialized view.
            let isCopy = graph.tables[name.table]?.isCopy ?? false
            guard let answer = answers[self.name(name.table), name.column], !isCopy || answer == .keep else { continue }
            edges[id] = edges[id].answered(answer)
        }
        let named = edges.flatMap { edge in edge.columns.map { CatalogColumn.Name(table: edge.child, column: $0) } }
        let searched = Set(named + emails)
        let texts = columns.all.filter { column in
            [.text, .document].contains(column.kind) && !searched.contains(column.name)
                && graph.tables[column.name.table].map { !rules.ignores($0, column.name.column) } ?? false
        }
        extent = (columns: searched.count, textsNotRead: texts.count)
    }

    private mutating func index() {
        for edge in edges {
            outgoing[edge.child, default: []].append(edge.id)
            incoming[edge.parent, default: []].append(edge.id)
        }
        reached = [root.oid]
        var open = [root.oid]
        while let table = open.popLast() {
            for edge in edges(to: table) where edge.effect == .delete && reached.insert(edge.child).inserted {
                open.append(edge.child)
            }
        }
    }
}

extension Edge {
    fileprivate func answered(_ answer: AccountAnswer) -> Edge {
        var edge = self
        edge.cause = .declared
        edge.effect =
            switch answer {
            case .delete: .delete
            case .detach: emptied.isEmpty ? .refuse : .detach
            case .keep: .keep
            }
        return edge
    }
}

/// One side of a `@refers` line: a column, or an expression over the columns of a table.
struct DeclaredSide {
    let table: UInt32
    let column: CatalogColumn?
    /// An expression over the row `t`.
    let expression: String

    var isIndexed: Bool { column.map { $0.cell != expression || $0.isIndexed } ?? true }

    /// Reads `schema.table.column` or `schema.table (expression)`; nil if the table or column doesn't exist.
    init?(_ text: String, _ graph: Graph, _ columns: CatalogColumns) {
        if let open = text.firstIndex(of: "(") {
            guard let table = graph.table(at: String(text[..<open].filter { $0 != " " })) else { return nil }
            let name = App.Account.Refers.parts(of: text).flatMap {
                CatalogColumn.Name(SQLName.path(of: $0), in: graph)
            }
            self.init(table: table.oid, column: name.flatMap { columns[$0] }, expression: String(text[open...]))
        } else {
            guard let name = CatalogColumn.Name(text, in: graph), let found = columns[name] else { return nil }
            self.init(found)
        }
    }

    init(_ column: CatalogColumn) {
        self.init(table: column.name.table, column: column, expression: column.cell)
    }

    private init(table: UInt32, column: CatalogColumn?, expression: String) {
        (self.table, self.column, self.expression) = (table, column, expression)
    }

    /// True if the expression already converts to lower case.
    private var isSmall: Bool { expression.filter { $0 != " " }.hasPrefix("(lower(") }
    private var text: String {
        column.flatMap { $0.cell == expression ? $0.text : nil } ?? "\(expression)::pg_catalog.text"
    }
    private var small: String {
        if isSmall { return expression }
        return column?.isList == true
            ? "pg_catalog.lower(\(asWholeText))::pg_catalog.text[]" : "pg_catalog.lower(\(text))"
    }

    /// Compares both sides in their common type, or else as text; emails are compared in lower case.
    func compared(with other: DeclaredSide, isEmail: Bool) -> (term: Edge.Term, key: KeyColumns) {
        func key(_ expression: String, _ type: String, _ equals: String) -> KeyColumns {
            KeyColumns(table: other.table, expressions: [expression], types: [type], equals: [equals])
        }
        let plain = "operator(pg_catalog.=)"
        if let column, let theirs = other.column, !isEmail {
            let areNumbers = column.kind == .number && theirs.kind == .number && !column.isList
            if column.type == theirs.type || areNumbers {
                let equals = areNumbers ? plain : Self.equals(column.type)
                // A list of a domain is compared as a list of its base type.
                let own = column.isList ? "\(expression)::\(column.type)[]" : expression
                return (.init(expression: own, equals: equals), key(theirs.cell, theirs.type, equals))
            }
            let caseless = [column.type, theirs.type].first { $0.contains("citext") }
            if let caseless, column.kind == .text, theirs.kind == .text, !column.isList {
                let equals = Self.equals(caseless)
                return (
                    .init(expression: "\(expression)::\(caseless)", equals: equals),
                    key("\(theirs.cell)::\(caseless)", caseless, equals)
                )
            }
        }
        let own = isEmail ? small : column?.isList == true ? "\(expression)::pg_catalog.text[]" : text
        return (
            .init(expression: own, equals: plain),
            key(isEmail ? "nullif(\(other.small), '')" : other.asWholeText, "text", plain)
        )
    }

    /// Compares an email as stored, so that an index can serve.
    func comparedAsWritten(with other: DeclaredSide) -> (term: Edge.Term, key: KeyColumns) {
        let isSame = column?.type == other.column?.type
        let (type, equals) =
            isSame ? (column?.type ?? "text", Self.equals(column?.type ?? "text")) : ("text", Self.equals("text"))
        let list = column?.isList == true ? "\(expression)::\(type)[]" : nil
        let (own, theirs) = isSame ? (expression, other.expression) : (text, other.text)
        return (
            .init(expression: list ?? own, equals: equals),
            KeyColumns(table: other.table, expressions: ["nullif(\(theirs), '')"], types: [type], equals: [equals])
        )
    }

    private var asWholeText: String { "\(expression)::pg_catalog.text" }

    /// The equality operator of a type, in the schema of the type for extensions.
    static func equals(_ type: String) -> String {
        guard let dot = type.lastIndex(of: ".") else { return type.contains("citext") ? "=" : "operator(pg_catalog.=)" }
        return "operator(\(type[..<dot]).=)"
    }
}
