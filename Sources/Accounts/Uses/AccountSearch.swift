package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// A search of a whole database for everything that names one user: the key, the emails and the values of `@search`.
///
/// Long values are searched as parts of texts and documents, ignoring case. Numbers and values of fewer than four
/// letters count only as whole values. The search includes columns under `@ignore`.
package struct AccountSearch: Sendable {
    package struct Place: Sendable, Hashable {
        package let table: String
        package let column: String
        package let rows: Int
        /// True for a materialized view, which keeps its rows until it is refreshed.
        package let isCopy: Bool
        package let isDeclared: Bool
    }

    /// The reason why a table was not searched completely.
    package enum Gap: Sendable, Hashable {
        /// Columns that this role cannot read; declared ones are no gap.
        case unreadable(columns: [String])
        case declared(columns: [String])
        case secured
        /// Number columns that do not refer to users, where a number may mean anything.
        case ambiguous(columns: [String])
        case failed(ServerError)

        package var sentence: String {
            switch self {
            case .unreadable(let columns): "this role can't read \(columns.joined(separator: ", "))"
            case .declared(let columns):
                "the app file declares \(columns.joined(separator: ", ")), which this role can't read"
            case .secured: "row security can hide some of its rows"
            case .ambiguous(let columns): "not searched for such a short number: \(columns.joined(separator: ", "))"
            case .failed(let error): error.message
            }
        }
    }

    /// The searched values: the text, and the keys, emails and `@search` values of the user.
    package private(set) var names: [String] = []
    package private(set) var searched = 0
    package private(set) var found: [Place] = []
    package private(set) var unsearched: [(table: String, gap: Gap)] = []

    package var isClean: Bool { found.allSatisfy(\.isDeclared) && isWhole }
    package var isWhole: Bool {
        unsearched.allSatisfy { if case .declared = $0.gap { true } else { false } }
    }
    /// The values that were searched as whole values only.
    package var wholeOnly: [String] { names.filter { SearchTest.isShort($0) } }

    /// Searches every column that can contain one of the values, table by table in one snapshot.
    package static func search(
        _ text: String, root: AccountRoot.Name? = nil, on connection: Connection, candidates: [App] = [],
        options: InquiryOptions, progress: ((table: String, searched: Int, tables: Int)) -> Void
    ) throws(Failure) -> AccountSearch {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Failure(.usage, "the search text is empty", hint: "write an id or an email")
        }
        var options = options
        options.timeout = options.patientTimeout
        let (transaction, start) = try open(root, on: connection, candidates, options)
        defer { try? transaction.end() }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        var search = AccountSearch()
        var known: Set<String> = []
        search.names = ([text] + (try UserNames(start, transaction).all(of: text))).filter {
            !$0.isEmpty && known.insert($0.lowercased()).inserted
        }
        let catalog = start == nil ? try ask(Graph.queries) : []
        let model = try start.map { start throws(Failure) in
            try AccountModel(of: start, answers: AccountAnswers(), asking: ask)
        }
        let graph: Graph
        if let model {
            graph = model.graph
        } else {
            graph = try decoding { () throws(DecodingFailure) in
                try Graph(tables: catalog[0], references: catalog[1])
            }
        }
        let test = SearchTest(search.names)
        let columns = try ask([Query(file: "catalog/searched_columns.sql", [test.numbers.isEmpty ? "f" : "t"])])[0]
        let tables = try decoding(try SearchedTable.all(columns, start?.account, model, graph))
        for (index, table) in tables.enumerated() {
            progress((table.name, index, tables.count))
            try search.search(table, for: test, transaction)
        }
        return search
    }

    /// Opens the database at the root; without a root and an app file the search still runs, by the typed value alone.
    private static func open(
        _ root: AccountRoot.Name?, on connection: Connection, _ candidates: [App], _ options: InquiryOptions
    ) throws(Failure) -> (ReadTransaction, AccountStart?) {
        do throws(Failure) {
            let inquiry = try AccountInquiry.open(
                AccountRequest(users: [], root: root), on: connection, candidates: candidates, options: options)
            return (inquiry.transaction, inquiry.start)
        } catch {
            guard root == nil,
                error.code == AccountInquiry.undescribed || [.usage, .notFound, .forbidden].contains(error.kind)
            else {
                throw error
            }
            try failing { () throws(PQError) in try connection.rollbackIfOpen() }
            return (ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), nil)
        }
    }

    private mutating func search(
        _ table: SearchedTable, for test: SearchTest, _ transaction: ReadTransaction
    ) throws(Failure) {
        if table.isSecured { unsearched.append((table.name, .secured)) }
        var bindings = Bindings()
        var tests: [(column: SearchedTable.Column, sql: String)] = []
        var (hidden, ambiguous): ([SearchedTable.Column], [String]) = ([], [])
        for column in table.columns {
            if column.isNumber, !column.isOfUsers {
                if !column.isExplained { ambiguous.append(column.name) }
            } else if !column.isReadable {
                hidden.append(column)
            } else if let sql = test.condition(column, &bindings) {
                tests.append((column, sql))
            }
        }
        if !ambiguous.isEmpty { unsearched.append((table.name, .ambiguous(columns: ambiguous))) }
        note(hidden, in: table)
        if tests.isEmpty { return }
        let any = tests.map(\.sql).joined(separator: " or ")
        let names = tests.map { "t.\(Identifier($0.column.name).quoted)" }.joined(separator: ", ")
        let source =
            table.isDistributed ? "(select \(names) from \(table.ownRows) t where \(any) offset 0)" : table.ownRows
        let counts = tests.map { "pg_catalog.count(*) filter (where \($0.sql))" }.joined(separator: ", ")
        let query = Query(
            unsafe: "select \(counts) from \(source) t where \(any)", values: bindings.values)
        let outcome = try failing { () throws(PQError) in try transaction.read([query], isLast: false)[0] }
        switch outcome {
        case .success(let rows):
            searched += tests.count
            for (test, count) in zip(tests, try decoding(try rows.only().integers())) where count > 0 {
                found.append(
                    Place(
                        table: table.name, column: test.column.name, rows: count, isCopy: table.isCopy,
                        isDeclared: test.column.isDeclared))
            }
        case .failure(let error): unsearched.append((table.name, .failed(error)))
        }
    }

    /// Notes columns that this role cannot read; no role can read the salt of the audit log.
    private mutating func note(_ hidden: [SearchedTable.Column], in table: SearchedTable) {
        let (declared, others) = (hidden.filter(\.isDeclared), hidden.filter { !$0.isDeclared })
        if !declared.isEmpty { unsearched.append((table.name, .declared(columns: declared.map(\.name)))) }
        guard !others.isEmpty, !table.name.hasPrefix("usher.") else { return }
        unsearched.append((table.name, .unreadable(columns: others.map(\.name))))
    }
}

/// The other keys and emails of the user.
private struct UserNames {
    private let start: AccountStart?
    private let transaction: ReadTransaction

    init(_ start: AccountStart?, _ transaction: ReadTransaction) {
        (self.start, self.transaction) = (start, transaction)
    }

    func all(of text: String) throws(Failure) -> [String] {
        guard let start else { return [] }
        return try inDirectory(text, start) + inAuditLog(text, start.root)
    }

    /// Runs a query; nil if the role lacks a right, or if the text doesn't fit the type of the key.
    private func rows(_ query: Query) throws(Failure) -> Rows? {
        try? failing { () throws(PQError) in try transaction.read([query], isLast: false)[0] }.get()
    }

    /// The key and the `@email` and `@search` values of the user with a key or an email.
    private func inDirectory(_ text: String, _ start: AccountStart) throws(Failure) -> [String] {
        guard let app = start.app else { return [] }
        let now = ["now": AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz")]
        let directory = Directory(app)
        let columns = [app.users.key] + app.users.emails + app.users.search
        var names: [String] = []
        for query in [
            directory.resolution(ofWritten: text, limit: 1, bindings: now),
            directory.resolution(of: text, by: .address, limit: 1, bindings: now),
        ] {
            guard let rows = try rows(Query(query)) else { continue }
            for row in rows.rows {
                for column in columns { names += try decoding([try row.optionalText(column)]).compactMap(\.self) }
            }
        }
        return names
    }

    /// Keys and emails of deleted users in the audit log, except of users who exist again.
    private func inAuditLog(_ text: String, _ root: AccountRoot) throws(Failure) -> [String] {
        guard let known = try rows(Query(file: "catalog/known_as.sql", [text, root.schema, root.name])) else {
            return []
        }
        let names = try decoding(
            try known.rows.map { row throws(DecodingFailure) in
                (key: try row.text("key"), email: try row.optionalText("email"))
            })
        let standing = Query(
            unsafe: """
                select \(cell(root.column))::pg_catalog.text from \(SQLName.path(of: [root.schema, root.name])) t \
                where \(cell(root.column)) \(root.equals) any ($1::\(root.type)[])
                """, [arrayLiteral(names.map(\.key))])
        guard !names.isEmpty, let rows = try rows(standing) else { return [] }
        let there = Set(try decoding(try rows.texts()))
        return names.filter { !there.contains($0.key) }.flatMap { [$0.key, $0.email].compactMap(\.self) }
    }
}

private struct SearchedTable {
    struct Column {
        let name: String
        let kind: String
        /// True if the column refers to users or is their key; `condition` is the `where` of the line.
        let isOfUsers: Bool
        let condition: String?
        /// True if a foreign key shows that the numbers of the column are not users.
        let isExplained: Bool
        let isReadable: Bool
        let isDeclared: Bool

        var isNumber: Bool { ["number", "numbers"].contains(kind) }
    }

    let name: String
    /// The table in SQL without the tables that inherit from it.
    let ownRows: String
    let isCopy: Bool
    /// True if Citus keeps the table's rows on other servers.
    let isDistributed: Bool
    let isSecured: Bool
    private(set) var columns: [Column] = []

    /// Reads the columns, ordered by table.
    static func all(
        _ answer: Rows, _ account: App.Account?, _ model: AccountModel?, _ graph: Graph
    ) throws(DecodingFailure) -> [SearchedTable] {
        var (tables, last): ([SearchedTable], UInt32?) = ([], nil)
        let edges = (model?.edges ?? []).filter { model?.isUser($0.parent) == true }
        let byTable = Dictionary(grouping: edges, by: \.child)
        for row in answer.rows {
            let (table, name) = (try row.identifier("table"), try row.text("column"))
            let (schema, relation) = (try row.text("schema"), try row.text("name"))
            if last != table {
                let isSecured = try row.boolean("secured")
                tables.append(
                    SearchedTable(
                        name: "\(schema).\(relation)",
                        ownRows: (try row.boolean("partitioned") ? "" : "only ")
                            + "\(Identifier(schema).quoted).\(Identifier(relation).quoted)",
                        isCopy: try row.boolean("is_copy"), isDistributed: try row.boolean("distributed"),
                        isSecured: graph.tables[table]?.isSecured ?? isSecured))
                last = table
            }
            let own = (byTable[table] ?? []).filter { $0.columns.contains(name) }
            let isRoot = model?.root.oid == table && model?.root.column == name
            let conditions = own.compactMap(\.condition)
            tables[tables.count - 1].columns.append(
                Column(
                    name: name, kind: try row.text("kind"), isOfUsers: isRoot || !own.isEmpty,
                    condition: isRoot || conditions.count < own.count
                        ? nil : conditions.map { "(\($0))" }.joined(separator: " or "),
                    isExplained: try row.boolean("explained"), isReadable: try row.boolean("readable"),
                    isDeclared: account?.letsStay([schema, relation, name]) ?? false))
        }
        return tables
    }
}

extension App.Account {
    /// True if a line lets the column keep data of users.
    fileprivate func letsStay(_ column: [String]) -> Bool {
        let table = Array(column.dropLast())
        return ignored.contains { $0.covers(column) }
            || refers.contains { $0.answer == .keep && $0.column.flatMap(SQLName.parts) == column }
            || kept.contains { $0.way.isAll && SQLName.parts(ofPath: $0.table) == table }
            || fates.contains { $0.answer == .keep && SQLName.parts(ofPath: $0.table) == table }
    }
}

private struct SearchTest {
    let numbers: [String]
    private let uuids: [String]
    /// Lowercase values: those searched as substrings, and those searched as whole values.
    private let long: [String]
    private let short: [String]

    init(_ names: [String]) {
        numbers = names.filter(Self.isNumber)
        uuids = names.filter(Self.isUUID)
        (long, short) = (
            names.filter { !Self.isShort($0) }.map { $0.lowercased() },
            names.filter(Self.isShort).map { $0.lowercased() }
        )
    }

    static func isShort(_ name: String) -> Bool { isNumber(name) || name.count < 4 }

    private static func isNumber(_ name: String) -> Bool { name.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    private static func isUUID(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }

    /// The condition for a column of the row `t`; nil if the column can't contain any of the values.
    func condition(_ column: SearchedTable.Column, _ bindings: inout Bindings) -> String? {
        let value = cell(column.name)
        var tests: [String] = []
        switch column.kind {
        case "uuid": tests = uuids.map { "\(value) = \(bindings.bind($0, as: "pg_catalog.uuid"))" }
        case "number": tests = numbers.map { "\(value) = \(bindings.bind($0, as: "pg_catalog.numeric"))" }
        case "numbers": tests = numbers.map { "\(bindings.bind($0, as: "pg_catalog.numeric")) = any (\(value))" }
        case "bytea":
            tests = long.map {
                "pg_catalog.position(\(value), pg_catalog.convert_to(\(bindings.bind($0, as: "pg_catalog.text")), 'UTF8')) > 0"
            }
            tests += uuids.map {
                "pg_catalog.position(\(value), pg_catalog.uuid_send(\(bindings.bind($0, as: "pg_catalog.uuid")))) > 0"
            }
        default:
            // JSON may contain the @ of an email as an escape.
            let plain = "\(value)::pg_catalog.text"
            let read = column.kind == "json" ? "pg_catalog.replace(\(plain), '\\u0040', '@')" : plain
            let text = "pg_catalog.lower(\(read))"
            tests = long.map { "pg_catalog.strpos(\(text), \(bindings.bind($0, as: "pg_catalog.text"))) > 0" }
            tests += short.map { "\(text) ~ \(bindings.bind(Self.whole($0), as: "pg_catalog.text"))" }
        }
        if tests.isEmpty { return nil }
        let all = "(\(tests.joined(separator: " or ")))"
        return column.isNumber ? column.condition.map { "(\(all) and (\($0)))" } ?? all : all
    }

    /// A pattern for a whole text, or an element of a list or a document.
    private static func whole(_ name: String) -> String {
        let escaped = name.map { $0.isLetter || $0.isNumber ? String($0) : "\\\($0)" }.joined()
        return #"(^|[\[{:,"][[:space:]]*)"# + escaped + #"([[:space:]]*[\]},"]|$)"#
    }
}
