internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The references between tables (edges) and the rules for rows, from foreign keys and the app file.
struct AccountModel: Sendable {
    let graph: Graph
    let root: AccountRoot
    let columns: CatalogColumns
    private(set) var rules: Rules
    private(set) var edges: [Edge] = []
    /// The tables whose rows are users: the root table, and tables with a required, unique key to a user (profiles).
    private(set) var userTables: Set<UInt32> = []
    /// The edges that make a row a user row: required, unique foreign keys to a user row.
    private(set) var identity: Set<Int> = []
    /// The columns with emails of users: those of `@email`, and columns of user tables with "mail" in their name.
    private(set) var emails: [CatalogColumn.Name] = []
    /// The columns of `@email` in the app file.
    private var namedEmails: Set<CatalogColumn.Name> = []
    private(set) var owned: [Int] = []
    /// The edges of stored files; only the storage API can delete these files.
    private(set) var fileEdges: [Edge] = []
    /// The tables whose rows can be deleted with users.
    private(set) var reached: Set<UInt32> = []
    /// The other tables whose rows can be deleted with a row that an `@owns` line names.
    private(set) var reachedByOwners: Set<UInt32> = []
    /// Undeclared columns that usher doesn't search: columns of big tables, and number columns whose names match no table.
    var notSearched: [CatalogColumn.Name] = []
    /// Undeclared columns that this role can't read.
    var hidden: [CatalogColumn.Name] = []
    /// Undeclared columns without an index; usher scans their tables.
    var scanned: [CatalogColumn.Name] = []
    private var outgoing: [UInt32: [Edge]] = [:]
    private var incoming: [UInt32: [Edge]] = [:]

    /// Compiles foreign keys and lines of the app file into edges and rules.
    init(
        _ root: AccountRoot, _ account: App.Account?, _ app: App? = nil, apart: Graph.Apart? = nil,
        request: AccountRequest = AccountRequest(users: []), asking ask: Ask
    ) throws(Failure) {
        let catalog = try ask(Graph.queries(apart: apart) + [CatalogColumns.query()])
        let graph = try Graph(followed: catalog)
        guard graph.tables[root.oid]?.qualifiedName == root.table else {
            throw Failure(
                .conflict, "the table \(pasted(root.table)) was replaced while this command ran",
                hint: "run the command again")
        }
        let columns = try failing { () throws(PQError) in try CatalogColumns(catalog[2]) }
        (self.graph, self.columns, self.root) = (graph, columns, root)
        rules = Rules(account, graph, columns)
        let lines = account?.refers ?? []
        let all = Dictionary(grouping: graph.references, by: \.table)
        for reference in graph.references { add(reference, among: all[reference.table] ?? []) }
        findUserTables()
        for id in edges.indices { edges[id].effect = effect(of: edges[id]) }
        findEmails(named: app?.addressColumns ?? [])
        for line in lines where line.to != nil { declare(line) }
        // A line with a target overrides a line for all targets of the column.
        for line in lines where line.to == nil { try applyAnswer(of: line) }
        for line in lines where line.to != nil { try applyAnswer(of: line) }
        for line in account?.owned ?? [] { addOwner(line) }
        addUndeclared(request)
        outgoing = Dictionary(grouping: edges, by: \.child)
        incoming = Dictionary(grouping: edges, by: \.parent)
        reached = tables(deletedWith: [root.oid])
        let owning = owned.map { edges[$0] }
        func isNew(_ edge: Edge) -> Bool {
            let all = reached.union(reachedByOwners)
            return all.contains(edge.child) && !all.contains(edge.parent)
        }
        while let next = owning.first(where: isNew) {
            reachedByOwners.formUnion(tables(deletedWith: [next.parent]).subtracting(reached))
        }
        let keys = userKeys
        for (table, line) in rules.shared {
            guard case .give(let heir) = line.answer else { continue }
            let given = edges(from: table).filter { edge in
                edge.effect == .delete && !edge.columns.isEmpty && keys.contains { contains($0, edge.key) }
            }
            let types = given.contains { $0.key.types == root.key.types } ? root.key.types : given.first?.key.types
            for edge in given where edge.key.types == types {
                guard let column = columns[.init(table: table, column: edge.columns[0])] else { continue }
                rules.give(column, of: edge, to: heir, because: line.why)
            }
        }
    }

    /// Refuses a `via` line that makes the deletion of rows depend on the deletion of other rows of the same table.
    func requireAcyclicVia() throws(Failure) {
        for edge in edges where !isUser(edge.parent) && rules.isWay(edge) {
            if tables(deletedWith: [edge.child]).contains(edge.parent) {
                throw Failure(
                    .refused,
                    "the line with `via \(edge.columns.joined(separator: ", "))` is circular: it selects rows of "
                        + "\(pasted(name(edge.child))) by deleted rows of \(pasted(name(edge.parent))), "
                        + "and these rows depend on the rows of \(pasted(name(edge.child)))",
                    hint: "in this line, replace `via \(edge.columns.joined(separator: ", "))` by a `where`")
            }
        }
    }

    // MARK: Searching

    func edges(from table: UInt32) -> [Edge] { outgoing[table] ?? [] }
    func edges(to table: UInt32) -> [Edge] { incoming[table] ?? [] }

    /// The given tables, and all tables whose rows can be deleted with rows of the given tables.
    func tables(deletedWith tables: Set<UInt32>) -> Set<UInt32> {
        var (reached, open) = (tables, Array(tables))
        while let table = open.popLast() {
            for edge in edges(to: table) where edge.effect == .delete && reached.insert(edge.child).inserted {
                open.append(edge.child)
            }
        }
        return reached
    }

    /// True if an `@owns` line names the table of the owned rows.
    func isOwned(_ table: UInt32) -> Bool { owned.contains { edges[$0].parent == table } }

    var tableNames: TableNames { TableNames(graph.tables, users: userTables.sorted(by: >) + [root.oid]) }

    func isUser(_ table: UInt32) -> Bool { userTables.contains(table) }

    func keys(of table: UInt32) -> [KeyColumns] {
        var keys = edges(to: table).map(\.key) + fileEdges.map(\.key).filter { $0.table == table }
        if table == root.oid { keys.append(root.key) }
        keys += emails.filter { $0.table == table }.map(emailKey)
        var seen: Set<KeyColumns> = []
        return keys.filter { seen.insert($0).inserted }
    }

    /// The key for a column of emails; emails are compared as stored, without changing their case.
    func emailKey(_ name: CatalogColumn.Name) -> KeyColumns {
        let text = columns[name]?.text ?? "null"
        return KeyColumns(
            table: name.table, expressions: [email(text, of: name)], types: ["text"],
            equals: [DeclaredSide.equals("text")])
    }

    /// The email in a column as SQL: a value with @, or any value if the app file names the column.
    private func email(_ text: String, of name: CatalogColumn.Name?) -> String {
        let isNamed = name.map(namedEmails.contains) ?? true
        return isNamed ? "nullif(\(text), '')" : "case when pg_catalog.strpos(\(text), '@') > 0 then \(text) end"
    }

    /// True if SQL in the app file selects or changes rows of a table.
    func hasConditions(_ table: UInt32) -> Bool {
        edges(from: table).contains(where: \.hasCondition) || !rules.sql(of: table).isEmpty
    }

    /// The key column of a table; nil if the key has several columns.
    func keyColumn(of table: UInt32) -> CatalogColumn? {
        if table == root.oid { return rootColumn }
        guard let key = graph.tables[table]?.key, key.count == 1 else { return nil }
        return columns[.init(table: table, column: key[0].name)]
    }

    var rootColumn: CatalogColumn? { columns[.init(table: root.oid, column: root.column)] }

    func name(_ table: UInt32) -> String { graph.tables[table]?.qualifiedName ?? "?" }
    func path(_ table: UInt32) -> String { graph.tables[table]?.path ?? "?" }

    func path(_ column: CatalogColumn.Name) -> String {
        graph.tables[column.table].map { SQLName.path(of: [$0.schema, $0.name, column.column]) } ?? column.column
    }

    /// An edge as text for people: `public.posts (author_id) → public.users`.
    func name(_ edge: Edge) -> String {
        let columns = edge.columns.map { SQLName.path(of: [$0]) }.joined(separator: ", ")
        return edge.columns.isEmpty
            ? "\(edge.name) → \(path(edge.parent))" : "\(path(edge.child)) (\(columns)) → \(path(edge.parent))"
    }

    // MARK: Foreign keys

    /// Adds the edge of a foreign key; rows outside the partition with the key have no reference.
    ///
    /// `all` contains all foreign keys of the table.
    private mutating func add(_ reference: Graph.Reference, among all: [Graph.Reference]) {
        let (child, parent) = (graph.whole(reference.table), graph.whole(reference.referenced))
        let key = KeyColumns(
            reference.columns.map { ($0.referenced, $0.referencedType, $0.referencedEquals) }, of: parent)
        let terms = reference.columns.map { column in
            column.isList
                ? Edge.Term(expression: asText(column.name), equals: "operator(pg_catalog.=)")
                : Edge.Term(expression: cell(column.name), equals: column.equals)
        }
        let names = reference.columns.map(\.name)
        var edge = Edge(
            id: edges.count, child: child, columns: names, terms: terms, key: key, reference: reference,
            name: path(CatalogColumn.Name(table: child, column: names[0])))
        if child != reference.table {
            let partitions = "pg_catalog.pg_partition_tree(\(reference.table)::pg_catalog.oid::pg_catalog.regclass)"
            edge.condition = "t.tableoid in (select p.relid from \(partitions) p)"
        }
        edge.isIndexed = reference.isIndexed
        edge.emptied = Self.emptied(by: reference, among: all)
        edges.append(edge)
    }

    private mutating func findUserTables() {
        userTables = [root.oid]
        var open = [root.oid]
        while let table = open.popLast() {
            for edge in edges where edge.parent == table && edge.child != root.oid {
                guard let key = edge.reference, key.isSingle, key.table == edge.child,
                    key.columns.allSatisfy(\.isRequired)
                else { continue }
                identity.insert(edge.id)
                if userTables.insert(edge.child).inserted { open.append(edge.child) }
            }
        }
    }

    /// The columns with the key of a user: the root column, and columns of profiles that refer to such a column.
    private var userKeys: Set<CatalogColumn.Name> {
        var keys: Set = [CatalogColumn.Name(table: root.oid, column: root.column)]
        func isNew(_ edge: Edge) -> Bool {
            guard let pair = edge.reference?.columns, pair.count == 1 else { return false }
            return keys.contains(.init(table: edge.parent, column: pair[0].referenced))
                && keys.insert(.init(table: edge.child, column: pair[0].name)).inserted
        }
        while identity.contains(where: { isNew(edges[$0]) }) {}
        return keys
    }

    /// True if the key consists of a column, which may be cast to another type.
    private func contains(_ name: CatalogColumn.Name, _ key: KeyColumns) -> Bool {
        guard key.table == name.table, key.expressions.count == 1, let column = columns[name] else { return false }
        return [column.cell, column.text].contains(key.expressions[0])
            || key.expressions[0].hasPrefix(column.cell + "::")
    }

    private mutating func findEmails(named: [DirectorySource.Base]) {
        let first = named.compactMap { base -> CatalogColumn.Name? in
            graph.table("\(base.table.schema).\(base.table.name)").map { .init(table: $0.oid, column: base.column) }
        }
        let called = userTables.sorted().flatMap { columns.of($0) }.filter { column in
            column.kind == .text && !column.isList && column.name.column.lowercased().contains("mail")
        }
        var seen: Set<CatalogColumn.Name> = []
        namedEmails = Set(first)
        emails = (first + called.map(\.name)).filter { name in
            columns[name]?.kind == .text && columns[name]?.isReadable == true && seen.insert(name).inserted
        }
    }

    // MARK: Lines

    /// Adds the edges of a `@refers` line; a column of emails refers to every column with emails of users.
    private mutating func declare(_ line: App.Account.Refers) {
        guard let from = DeclaredSide(line.from, graph, columns),
            let to = line.to.flatMap({ DeclaredSide($0, graph, columns) })
        else { return rules.missing.append("\(line.from) -> \(line.to ?? "")") }
        let target = to.column?.name
        let isEmail = target.map(emails.contains) ?? false
        let others = isEmail ? emails.filter { $0 != target && $0 != from.column?.name } : []
        for side in [to] + others.compactMap({ columns[$0].map(DeclaredSide.init) }) {
            connect(from, to: side, as: isEmail ? .email : .key, name: line.from) { edge in
                edge.condition = line.condition
                // A row with an array column stays, and the array loses the deleted key.
                edge.effect = edge.isList ? .detach : .delete
                guard line.condition != nil, let answer = line.answer else { return }
                edge.why = line.why
                edge.apply(answer)
            }
        }
    }

    /// Adds the edge of a line or of an undeclared column.
    mutating func connect(
        _ from: DeclaredSide, to: DeclaredSide, as kind: DeclaredSide.Comparison, name: String,
        _ change: (inout Edge) -> Void
    ) {
        let (term, key) = from.compared(with: to, as: kind) { email($0, of: to.column?.name) }
        let isFile = graph.tables[from.table]?.qualifiedName == Platform.files
        var edge = Edge(
            id: isFile ? fileEdges.count : edges.count, child: from.table,
            columns: from.column.map { [$0.name.column] } ?? [], terms: [term], key: key, name: name)
        edge.isList = from.column?.isList == true && to.column?.isList != true
        edge.comparison = kind
        edge.isIndexed = from.isIndexed
        edge.emptied = edge.columns.filter { edge.isList || isFillable($0, of: from.table) }
        change(&edge)
        if let condition = edge.condition, from.column == nil {
            // The expression may fail on rows that don't meet the condition, so CASE evaluates the condition first.
            edge.terms = [
                .init(expression: "(case when (\(condition)) then \(term.expression) end)", equals: term.equals)
            ]
            edge.condition = nil
        }
        if isFile { fileEdges.append(edge) } else { edges.append(edge) }
    }

    /// Applies the answer of a `@refers` line to the edges of the line's column.
    ///
    /// The edges of a line with a `where` already have its answer. Refuses such a line if a foreign key deletes the rows
    /// anyway.
    private mutating func applyAnswer(of line: App.Account.Refers) throws(Failure) {
        guard let answer = line.answer else { return }
        guard let side = DeclaredSide(line.from, graph, columns) else { return rules.missing.append(line.from) }
        let parent = line.to.flatMap { DeclaredSide($0, graph, columns)?.table }
        let known = edges.filter { edge in
            edge.child == side.table
                && (side.column.map { edge.columns.contains($0.name.column) } ?? (edge.name == line.from))
        }
        if known.isEmpty, side.column != nil { return rules.aimless.append(line.from) }
        for edge in known where parent == nil || edge.parent == parent {
            let hasOwnAnswer = edge.reference == nil && edge.condition != nil && edge.why != nil
            if line.condition == nil, !hasOwnAnswer {
                edges[edge.id].why = line.why
                edges[edge.id].apply(answer)
            } else if line.condition != nil, edge.reference != nil, edge.effect == .delete, answer != .delete {
                throw Failure(
                    .refused,
                    "the `where` of the @refers line about \(line.from) has no effect, because a foreign key of this column deletes the rows",
                    nothing: .deleted, hint: "use `@keep` or `@set` with this `where`")
            }
        }
    }

    /// True for a foreign key to a single partition, whose keys may be equal to keys in other partitions.
    func refersToPartition(_ edge: Edge) -> Bool { edge.reference.map { $0.referenced != edge.parent } ?? false }

    private func effect(of edge: Edge) -> Edge.Effect {
        if refersToPartition(edge) { return .refuse }
        let detached: Edge.Effect? = edge.emptied.isEmpty ? nil : .detach
        switch edge.reference?.action {
        case .cascade, nil: return .delete
        case .setNull: return detached ?? .delete
        case .setDefault: return .refuse
        case .noAction, .restrict:
            // These keys don't delete a user who only refers to a deleted user.
            return isUser(edge.child) && !identity.contains(edge.id) ? detached ?? .refuse : .delete
        }
    }

    private func isFillable(_ column: String, of table: UInt32) -> Bool {
        columns[.init(table: table, column: column)]?.isFillable ?? false
    }

    /// The columns that a foreign key sets to NULL in kept rows.
    private static func emptied(by reference: Graph.Reference, among all: [Graph.Reference]) -> [String] {
        let free = reference.columns.filter { reference.setColumns.contains($0.name) && $0.isFillable }.map(\.name)
        if reference.isFull { return free.count == reference.columns.count ? free : [] }
        // Columns that also belong to another foreign key keep their values if possible.
        let others = Set(all.filter { $0.oid != reference.oid }.flatMap { $0.columns.map(\.name) })
        let own = free.filter { !others.contains($0) }
        return own.isEmpty ? free : own
    }

    private mutating func addOwner(_ line: App.Account.Owned) {
        guard let from = DeclaredSide(line.from, graph, columns), let column = from.column else {
            return rules.missing.append(line.from)
        }
        let table = DeclaredSide(line.to, graph, columns)?.table ?? graph.table(at: line.to)?.oid
        let found = edges.filter {
            $0.child == from.table && $0.columns.contains(column.name.column) && $0.parent == table
        }
        if !found.isEmpty {
            owned += found.map(\.id)
        } else if let to = DeclaredSide(line.to, graph, columns) {
            owned.append(edges.count)
            connect(from, to: to, as: .key, name: line.from) { $0.effect = .keep }
        } else {
            rules.missing.append("\(line.from) -> \(line.to)")
        }
    }

    // MARK: Undeclared columns

    /// The columns that a foreign key or a line of the app file declares.
    var declared: Set<CatalogColumn.Name> {
        var declared = Set(emails + [.init(table: root.oid, column: root.column)])
        for edge in edges where !edge.isAsked {
            // A foreign key may set only some of its columns to NULL (ON DELETE SET NULL with a list of columns).
            let isPart = edge.reference != nil && edge.effect == .detach && edge.why == nil
            declared.formUnion((isPart ? edge.emptied : edge.columns).map { .init(table: edge.child, column: $0) })
            guard edge.columns.isEmpty else { continue }
            // A line with an expression also declares the columns inside the expression.
            let names = Set(SQLName.all(in: edge.terms[0].expression))
            declared.formUnion(columns.of(edge.child).map(\.name).filter { names.contains($0.column) })
        }
        return declared
    }

    /// The number of columns that a deletion searches, and the number of text and JSON columns that a deletion skips.
    ///
    /// The search compares whole values with keys and emails.
    var extent: (columns: Int, textsNotRead: Int) {
        let named = edges.flatMap { edge in edge.columns.map { CatalogColumn.Name(table: edge.child, column: $0) } }
        let searched = Set(named + emails)
        let texts = columns.all.filter { column in
            [.text, .document].contains(column.kind) && !searched.contains(column.name)
                && graph.tables[column.name.table].map { !rules.ignores($0, column.name.column) } ?? false
        }
        return (searched.count, texts.count)
    }
}

/// One side of a `@refers` line: a column, or an expression over the columns of a table.
struct DeclaredSide {
    let table: UInt32
    let column: CatalogColumn?
    /// An expression over the row `t`.
    let expression: String

    var isIndexed: Bool { column.map { $0.cell != expression || $0.isIndexed } ?? true }
}

extension DeclaredSide {
    /// Parses `schema.table.column` or `schema.table (expression)`; nil if the table or column doesn't exist.
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

    /// The ways to compare columns; `storedEmail` keeps upper and lower case, so that the server can use an index.
    enum Comparison { case key, email, storedEmail }

    /// Compares both sides in their common type, or else as text; emails are compared in lower case.
    func compared(
        with other: DeclaredSide, as kind: Comparison, _ email: (String) -> String
    ) -> (term: Edge.Term, key: KeyColumns) {
        // Two array columns are compared as texts.
        let areLists = column?.isList == true && other.column?.isList == true
        let isList = column?.isList == true && !areLists
        var (type, equals, isCast) = ("text", Self.equals("text"), true)
        if let column, let theirs = other.column, kind != .email {
            let areNumbers = column.kind == .number && theirs.kind == .number && !isList && !areLists
            let caseless = [column.type, theirs.type].first { $0.hasSuffix("citext") }
            // The operator of a type with a schema may be in any schema, except for citext.
            let isComparable =
                column.type == theirs.type && !areLists && (caseless != nil || !column.type.contains("."))
            if isComparable || areNumbers {
                (type, isCast) = (theirs.type, false)
                if !areNumbers { equals = Self.equals(type) }
            } else if kind == .key, let caseless, column.kind == .text, theirs.kind == .text, !isList {
                (type, equals) = (caseless, Self.equals(caseless))
            }
        }
        // An array of a domain is compared as an array of the base type.
        let own = isList ? "\(expression)::\(type)[]" : isCast ? cast(to: type) : expression
        let theirs = kind == .email ? other.small : isCast ? other.cast(to: type) : other.expression
        let key = kind == .key ? theirs : email(theirs)
        return (
            .init(expression: kind == .email ? small : own, equals: equals),
            KeyColumns(
                table: other.table, expressions: [key], types: [type], equals: [equals],
                uuid: type == "text" && other.column?.kind == .uuid ? other.expression : nil)
        )
    }

    private func cast(to type: String) -> String {
        guard type == "text" else { return "\(expression)::\(type)" }
        return column.flatMap { $0.cell == expression ? $0.text : nil } ?? "\(expression)::pg_catalog.text"
    }

    private var small: String {
        if column?.cell != expression, expression.filter({ $0 != " " }).hasPrefix("(lower(") { return expression }
        let lower = "pg_catalog.lower(\(cast(to: "text")))"
        return column?.isList == true ? "\(lower)::pg_catalog.text[]" : lower
    }

    /// The equality operator of a type; for a type with a schema, the operator of this schema.
    static func equals(_ type: String) -> String {
        guard let dot = type.lastIndex(of: ".") else { return type == "citext" ? "=" : "operator(pg_catalog.=)" }
        return "operator(\(type[..<dot]).=)"
    }
}
