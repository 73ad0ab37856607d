package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
internal import Ledger
package import PQ

/// The root of an account: a unique column of the table of users, and the values of the users to delete or show.
package struct AccountRoot: Sendable {
    let schema: String
    let name: String
    package let column: String
    let oid: UInt32
    let type: String
    let equals: String
    fileprivate let isUnique: Bool
    /// True for the column in the name, or else for the primary key.
    fileprivate let isNamed: Bool
    package var table: String { "\(schema).\(name)" }
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values) }
    }
    private(set) var list: BoundValue = "{}"

    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
    var recorded: Ledger.Account { .init(schema: schema, table: name, column: column, keys: values) }

    package static func find(
        _ name: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    /// Finds the table and its column in the catalog: the named column, or the primary key.
    ///
    /// The name is `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL; usher uses the first existing table.
    static func find(_ name: String, asking ask: Ask) throws(Failure) -> AccountRoot {
        let parts = SQLName.parts(ofPath: name) ?? []
        let answer = try ask([Query(file: "catalog/root_columns.sql", [arrayLiteral(parts)])])[0]
        let columns = try failing(try answer.rows.map { row throws(PQError) in try AccountRoot(row) })
        guard parts.count <= 3, let first = columns.first else {
            throw Failure(
                .notFound, "there is no table \(name)",
                hint: "write names with capital letters in double quotes, inside single quotes for the shell")
        }
        let tables = Set(columns.map { SQLName.path(of: [$0.schema, $0.name]) }).sorted()
        if tables.count > 1 {
            throw Failure(
                .usage, "several schemas have a table \(name)",
                hint: "write the table with its schema: --root SCHEMA.TABLE", details: tables)
        }
        let unique = columns.filter(\.isUnique)
        if let root = unique.first(where: \.isNamed) { return root }
        let column = parts.dropFirst([first.schema, first.name] == Array(parts.prefix(2)) ? 2 : 1).first
        throw Failure(
            .usage,
            "the table \(pasted(first.table)) has no "
                + (column.map { "unique column \($0)" } ?? "primary key of one column"),
            hint: unique.isEmpty
                ? "create a unique index on a column of the table"
                : "choose a unique column with --root TABLE.COLUMN: \(unique.map(\.column).joined(separator: ", "))")
    }

    private init(_ row: Row) throws(PQError) {
        (schema, name, oid) = (try row.text("schema"), try row.text("table"), try row.identifier("oid"))
        (column, type, equals) = (try row.text("name"), try row.text("type"), try row.text("equals"))
        (isUnique, isNamed) = (try row.boolean("unique"), try row.boolean("named"))
    }
}

/// The answer of an operator or of a line of the app file about rows: delete, detach or keep.
package typealias AccountAnswer = App.Account.Refers.Answer

/// The accounts that an operator names, and the operator's answers about them: `--shared` and `--undeclared`.
package struct AccountRequest: Sendable {
    /// The ids or emails of the users; with `--root`, values of the root column.
    package var users: [String]
    /// The table of users if there is no app file.
    package var root: String?
    /// The answer for rows shared with other users; without an answer, usher refuses the deletion.
    package var shared: AccountAnswer?
    /// The answer for all undeclared columns that have no answer of their own.
    package var undeclared: AccountAnswer?
    /// The answers by `schema.table.column`, or by `schema.table` for all columns and for rows that triggers insert.
    private var single: [String: AccountAnswer] = [:]

    package init(users: [String], root: String? = nil, shared: AccountAnswer? = nil) {
        (self.users, self.root, self.shared) = (users, root, shared)
    }

    /// Reads answers about undeclared columns: `ANSWER` or `SCHEMA.TABLE[.COLUMN]=ANSWER`, with names as in SQL.
    package mutating func answer(_ texts: [String]) throws(Failure) {
        for text in texts {
            let equals = text.lastIndex(of: "=")
            let word = equals.map { String(text[text.index(after: $0)...]) } ?? text
            guard let answer = AccountAnswer(rawValue: word) else {
                throw Failure(
                    .usage, "--undeclared \(text): the answer must be delete, detach or keep",
                    hint: "write --undeclared delete, or --undeclared SCHEMA.TABLE.COLUMN=delete for one column")
            }
            guard let equals else {
                undeclared = answer
                continue
            }
            guard let parts = SQLName.parts(ofPath: String(text[..<equals])), (2...3).contains(parts.count) else {
                throw Failure(
                    .usage, "--undeclared \(text): the part before = is not the name of a column",
                    hint: "write SCHEMA.TABLE.COLUMN, as `usher account plan` prints the column")
            }
            single[parts.joined(separator: ".")] = answer
        }
    }

    /// The answers as the audit log records them.
    var arguments: [(String, String?)] {
        [("shared", shared?.rawValue), ("undeclared", undeclared?.rawValue)]
            + single.sorted { $0.key < $1.key }.map { ("undeclared \($0.key)", $0.value.rawValue) }
    }

    func answer(about column: String, of table: String) -> AccountAnswer? {
        single["\(table).\(column)"] ?? single[table] ?? undeclared
    }

    /// The answer about rows that triggers insert into a table.
    func answer(about table: String) -> AccountAnswer? { single[table] }

    /// Refuses answers for columns that are declared, and for tables that do not exist.
    func requireKnown(to model: AccountModel) throws(Failure) {
        if single.isEmpty { return }
        let undeclared = model.edges.filter { edge in !edge.columns.isEmpty && edge.reference == nil }
        var known = Set(undeclared.map { "\(model.name($0.child)).\($0.columns[0])" })
        known.formUnion(model.graph.tables.values.map(\.qualifiedName))
        if let unknown = single.keys.filter({ !known.contains($0) }).min() {
            throw Failure(
                .usage, "--undeclared \(unknown): this is not one of the undeclared columns",
                hint: "`usher account plan` lists the undeclared columns; "
                    + "write names with capital letters in double quotes")
        }
    }
}

/// The accounts of a command: the users, the app file, and the environment of the database.
struct AccountStart: Sendable {
    let request: AccountRequest
    let root: AccountRoot
    let account: App.Account?
    let app: App?
    /// The schemas of the chosen tenant and of the other tenants; nil if the app file is not for one schema per tenant.
    var apart: Graph.Apart?
    let environment: Environment
    /// The facts about the user from the app file; nil for several users.
    var facts: Row?
    /// The failure if no user has the typed key; the key may belong to a deleted user.
    var absence: Failure?

    /// Opens a read-only transaction, and finds the users in it, with or without an app file.
    static func open(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> (AccountStart, ReadTransaction) {
        var options = options
        options.isExact = true
        if let root = request.root {
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
            let environment = Environment(
                try failing { () throws(PQError) in try transaction.read([Environment.query], isLast: false)[0] })
            let start = AccountStart(
                request: request, root: try find(root, values: request.users, in: transaction),
                account: Platform.account(at: root), app: nil, environment: environment)
            return (start, transaction)
        }
        let inquiry: Inquiry
        do throws(Failure) {
            inquiry = try Inquiry.open(
                on: connection, candidates: candidates, options: options, for: request.users.isEmpty ? .app : .users)
        } catch {
            guard error.code == Failure.noApp else { throw error }
            throw Failure(
                .usage, "no app file fits this database",
                hint: "choose the table of users with --root TABLE[.COLUMN]")
        }
        guard let account = inquiry.app.account else {
            throw Failure(
                .usage, "the app file of \(inquiry.app.name) does not describe accounts",
                hint: "add @account with a @root to the app file, or choose the table with --root")
        }
        let transaction = inquiry.transaction
        let (keys, facts, absence) = try inquiry.accounts(named: request.users)
        let apart = try Tenants.apart(inquiry.app, asking: transaction.ask)
        let root = try find(account.root, values: keys, in: transaction)
        let start = AccountStart(
            request: request, root: root, account: account, app: inquiry.app, apart: apart,
            environment: inquiry.environment, facts: facts, absence: absence)
        return (start, transaction)
    }

    /// Finds the root in the catalog, and checks the values.
    ///
    /// usher also removes duplicates, because operators can type a uuid in several forms.
    private static func find(
        _ name: String, values: [String], in transaction: ReadTransaction
    ) throws(Failure) -> AccountRoot {
        var root = try AccountRoot.find(name, asking: transaction.ask)
        let distinct = Query(
            unsafe: """
                select v::\(root.type)::pg_catalog.text from pg_catalog.unnest($1::pg_catalog.text[]) with ordinality as n (v, place) \
                group by 1 order by pg_catalog.min(place)
                """, [arrayLiteral(values)])
        switch try failing(try transaction.read([distinct], isLast: false))[0] {
        case .success(let rows): root.values = try failing(try rows.texts())
        case .failure(let error):
            guard error.isMisfit else { throw Failure(error) }
            throw Failure(
                .usage, "the column \(pasted(root.table, root.column)) can't contain this value: \(error.message)",
                hint: "choose another column with --root \(pasted(root.table)).COLUMN", state: error.state)
        }
        return root
    }

    func model(asking ask: Ask) throws(Failure) -> AccountModel {
        try AccountModel(root, account, app, apart: apart, request: request, asking: ask)
    }

    /// The sentences of the `@refuse` and `@warn` lines that apply to the users.
    func remarks(asking ask: Ask) throws(Failure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        var (refusals, warnings): ([FilledSentence], [FilledSentence]) = ([], [])
        let remarks = (account?.refusals ?? []) + (account?.warnings ?? [])
        guard let app, let account, !remarks.isEmpty, !root.values.isEmpty else { return ([], []) }
        let now = AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz")
        let held = Query(app.queries(["now": now]).held(remarks, keys: .keys(root.values, type: root.type)))
        var known: Set<FilledSentence> = []
        for row in try ask([held])[0].rows {
            for number in try failing(try row.texts("held")).compactMap({ Int($0) }) {
                let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }
                // A sentence that applies to several users appears only once.
                guard known.insert(sentence).inserted else { continue }
                if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
            }
        }
        return (refusals, warnings)
    }
}

extension Inquiry {
    /// The keys of the users with the typed ids or emails; for a single user, also the facts.
    ///
    /// All users must exist. But a single missing user may be a deleted account: usher then searches for leftovers,
    /// and `absence` contains the error about the missing user.
    fileprivate func accounts(
        named texts: [String]
    ) throws(Failure) -> (keys: [String], facts: Row?, absence: Failure?) {
        guard let first = texts.first else { return ([], nil, nil) }
        if texts.count == 1 {
            do throws(Failure) {
                let user = try user(named: first)
                return ([user.key], user.facts, nil)
            } catch {
                guard error.code == Failure.noUser, try mayBeKey(first) else { throw error }
                return ([first], nil, error)
            }
        }
        var keys: [String] = []
        try users(named: texts) { text, found throws(Failure) in
            // `user(named:)` throws the error for a missing or ambiguous user.
            keys.append(found.count == 1 ? found[0].key : try user(named: text).key)
        }
        return (keys, nil, nil)
    }
}
