internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
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
    fileprivate let isPrimary: Bool
    package var table: String { "\(schema).\(name)" }
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values) }
    }
    private(set) var list: BoundValue = "{}"

    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
}

extension AccountRoot {
    /// The value of `--root`: `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL.
    package struct Name: Sendable, Hashable {
        package let text: String
        fileprivate let parts: [String]

        package init(_ text: String) throws(Failure) {
            guard let parts = SQLName.parts(ofPath: text), (1...3).contains(parts.count) else {
                throw Failure(
                    .usage, "\(text) is not the name of a table",
                    hint: "write --root TABLE or --root SCHEMA.TABLE.COLUMN")
            }
            self.text = text
            self.parts = parts
        }

        /// The possible tables of the value, with a column if the value contains one; the first existing table counts.
        fileprivate var readings: [(table: ArraySlice<String>, column: String?)] {
            switch parts.count {
            case 3: [(parts[..<2], parts[2])]
            case 2: [(parts[...], nil), (parts[..<1], parts[1])]
            default: [(parts[...], nil)]
            }
        }
    }

    package static func find(
        _ name: Name, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    /// Finds the table and its column in the catalog: the named column, or the primary key.
    static func find(_ name: Name, asking ask: Ask) throws(Failure) -> AccountRoot {
        let answer = try ask([Query(file: "catalog/root_columns.sql", [arrayLiteral(name.parts)])])[0]
        let all = try decoding(try answer.rows.map { row throws(DecodingFailure) in try AccountRoot(row) })
        for (table, column) in name.readings {
            let columns = all.filter { [$0.schema, $0.name].suffix(table.count) == table }
            guard let first = columns.first else { continue }
            let tables = Set(columns.map { SQLName.path(of: [$0.schema, $0.name]) }).sorted()
            if tables.count > 1 {
                throw Failure(
                    .usage, "several schemas have a table \(name.text)",
                    hint: "write the table with its schema: --root SCHEMA.TABLE",
                    details: tables)
            }
            let path = pasted(first.table)
            if let column, !columns.contains(where: { $0.column == column }) {
                throw Failure(
                    .notFound, "the table \(path) has no column \(column)",
                    hint: "choose one of: \(columns.map(\.column).joined(separator: ", "))")
            }
            let unique = columns.filter(\.isUnique)
            guard let root = unique.first(where: { column == nil ? $0.isPrimary : $0.column == column }) else {
                throw Failure(
                    .usage,
                    column.map { "the column \(path).\($0) is not unique, so its value does not identify one row" }
                        ?? "the table \(path) has no primary key of one column",
                    hint: unique.isEmpty
                        ? "create a unique index on a column of the table"
                        : "choose a unique column with --root TABLE.COLUMN: "
                            + unique.map(\.column).joined(separator: ", "))
            }
            return root
        }
        throw Failure(
            .notFound, "there is no table \(name.text)",
            hint: "write names with capital letters in double quotes, inside single quotes for the shell")
    }

    private init(_ row: Row) throws(DecodingFailure) {
        (schema, name, oid) = (try row.text("schema"), try row.text("table"), try row.identifier("oid"))
        (column, type, equals) = (try row.text("name"), try row.text("type"), try row.text("equals"))
        (isUnique, isPrimary) = (try row.boolean("unique"), try row.boolean("primary"))
    }
}

package struct AccountRequest: Sendable {
    /// The ids or emails of the users; with `--root`, values of the root column.
    package var users: [String]
    /// The table of users if there is no app file.
    package var root: AccountRoot.Name?
    package var answers: AccountAnswers

    package init(users: [String], root: AccountRoot.Name? = nil, answers: AccountAnswers = AccountAnswers()) {
        self.users = users
        self.root = root
        self.answers = answers
    }
}

/// The input of every command about accounts: the root with its values, and the app file.
struct AccountStart {
    let root: AccountRoot
    var account: App.Account?
    var app: App?
    var apart: Graph.Apart?
    /// The reason why no user has the typed value; the value may be the key of a deleted user.
    var absence: Failure?

    /// Finds the root in the catalog, and checks and deduplicates the typed values.
    ///
    /// Keys found with an app file are already distinct.
    static func find(
        _ root: AccountRoot.Name, values: [String], account: App.Account?, of app: App? = nil,
        in transaction: ReadTransaction
    ) throws(Failure) -> AccountStart {
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let apart = try app.flatMap { app throws(Failure) in try Tenants.apart(app, asking: ask) }
        var found = try AccountRoot.find(root, asking: ask)
        let typed = values.map { TypedText($0, found.type) }
        for case .failure(let error) in try transaction.readings(of: typed) {
            guard error.isMisfit else { throw Failure(error) }
            throw Failure(
                .usage, "the column \(pasted(found.table, found.column)) can't contain this value: \(error.message)",
                hint: "choose another column with --root \(pasted(found.table)).COLUMN", state: error.state)
        }
        found.values = values
        if app == nil {
            // An operator may type the same key in two forms, but the database prints a key in only one form.
            let same = Query(
                unsafe:
                    "select distinct v::\(found.type)::pg_catalog.text, min(place) from pg_catalog.unnest($1::text[]) with ordinality as n (v, place) group by 1 order by 2",
                [arrayLiteral(values)])
            let answer = try ask([same])[0]
            found.values = try decoding(try answer.texts())
        }
        return AccountStart(root: found, account: account, app: app, apart: apart)
    }

    /// The input of a command about all accounts: the root without values.
    static func find(_ root: AccountRoot.Name, account: App.Account?, asking ask: Ask) throws(Failure) -> AccountStart {
        AccountStart(root: try AccountRoot.find(root, asking: ask), account: account)
    }
}

extension AccountStart {
    /// The query for `@refuse` and `@warn` lines that apply to the users; nil without lines or users.
    var remarkQuestion: Query? {
        guard let app, let account = app.account, !root.values.isEmpty else { return nil }
        let remarks = account.refusals + account.warnings
        if remarks.isEmpty { return nil }
        let now = AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz")
        return Query(app.changes(["now": now]).held(remarks, keys: .keys(root.values, type: root.type)))
    }

    func remarks(
        _ answer: Rows?
    ) throws(DecodingFailure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        var (refusals, warnings): ([FilledSentence], [FilledSentence]) = ([], [])
        guard let answer, let account = app?.account else { return ([], []) }
        let remarks = account.refusals + account.warnings
        var known: Set<FilledSentence> = []
        for row in answer.rows {
            for number in try row.texts("held").compactMap({ Int($0) }) {
                let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }
                // A sentence that applies to several users appears only once.
                guard known.insert(sentence).inserted else { continue }
                if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
            }
        }
        return (refusals, warnings)
    }
}
