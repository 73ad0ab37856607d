package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// A search of the whole database for the key, the emails and the `@search` values of one user.
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

    /// A table that was not searched completely.
    package struct Gap: Sendable {
        package let table: String
        package let because: String
        /// Columns that this role can't read but the app file declares; these columns don't make a search incomplete.
        package var declared: [String] = []
    }

    /// The searched values: the text, and the keys, emails and `@search` values of the user.
    package private(set) var names: [String] = []
    package private(set) var searched = 0
    package private(set) var found: [Place] = []
    package private(set) var unsearched: [Gap] = []

    package var isClean: Bool { found.allSatisfy(\.isDeclared) && isWhole }
    package var isWhole: Bool { unsearched.allSatisfy { !$0.declared.isEmpty } }
    /// The values that were searched as whole values only.
    package var wholeOnly: [String] { names.filter(Self.isShort) }

    /// Searches every column that can contain one of the values, table by table in one snapshot.
    package static func search(
        _ text: String, root: String? = nil, on connection: Connection, candidates: [App] = [],
        options: InquiryOptions, progress: ((table: String, searched: Int, tables: Int)) -> Void
    ) throws(Failure) -> AccountSearch {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Failure(.usage, "the search text is empty", hint: "write an id or an email")
        }
        var options = options
        options.timeout = options.patientTimeout
        let (transaction, start) = try open(root, on: connection, candidates, options)
        defer { try? transaction.end() }
        var search = AccountSearch()
        var known: Set<String> = []
        var names = [text]
        if let start { names += try inDirectory(text, start, transaction) + inAuditLog(text, start.root, transaction) }
        search.names = names.filter { !$0.isEmpty && known.insert($0.lowercased()).inserted }
        let model = try start.map { start throws(Failure) in
            try start.model(asking: transaction.ask)
        }
        let hasNumbers = search.names.contains(where: isNumber)
        let answer = try transaction.ask([Query(file: "catalog/searched_columns.sql", [hasNumbers ? "t" : "f"])])[0]
        let columns = try decoding(
            try answer.rows.map { row throws(PQError) in
                try SearchedColumn(row, start?.account, model)
            })
        let tables = Dictionary(grouping: columns, by: \.table).values.sorted { $0[0].tableName < $1[0].tableName }
        for (index, table) in tables.enumerated() {
            progress((table[0].tableName, index, tables.count))
            try search.search(table, transaction)
        }
        return search
    }

    /// Opens a transaction and finds the table of users; without `--root` and app file, there is no table of users.
    private static func open(
        _ root: String?, on connection: Connection, _ candidates: [App], _ options: InquiryOptions
    ) throws(Failure) -> (ReadTransaction, AccountStart?) {
        do throws(Failure) {
            let (start, transaction) = try AccountStart.open(
                AccountRequest(users: [], root: root), on: connection, candidates: candidates, options: options)
            return (transaction, start)
        } catch {
            guard root == nil,
                error.code == AccountStart.undescribed || [.usage, .notFound, .forbidden].contains(error.kind)
            else {
                throw error
            }
            try failing { () throws(PQError) in try connection.rollbackIfOpen() }
            return (ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), nil)
        }
    }

    // MARK: The values

    /// The key and the `@email` and `@search` values of the user whose key or email is `text`.
    private static func inDirectory(
        _ text: String, _ start: AccountStart, _ transaction: ReadTransaction
    ) throws(Failure) -> [String] {
        guard let app = start.app else { return [] }
        let now = ["now": AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz")]
        let directory = Directory(app, now)
        var names: [String] = []
        for way in [Directory.Way.keyText, .address] {
            let query = directory.resolution(of: text, by: way, limit: 1)
            guard case .success(let rows) = try outcome(Query(query), transaction) else { continue }
            for row in rows.rows {
                for column in [app.users.key] + app.users.emails + app.users.search {
                    names += try decoding([try row.optionalText(column)]).compactMap(\.self)
                }
            }
        }
        return names
    }

    /// The keys and emails of a user in the audit log; usher removes deleted users from the audit log.
    private static func inAuditLog(
        _ text: String, _ root: AccountRoot, _ transaction: ReadTransaction
    ) throws(Failure) -> [String] {
        let query = Query(file: "catalog/known_as.sql", [text, root.schema, root.name])
        guard case .success(let rows) = try outcome(query, transaction) else { return [] }
        return try decoding { () throws(PQError) in
            var names: [String] = []
            for row in rows.rows { names += [try row.text("key"), try row.optionalText("email")].compactMap(\.self) }
            return names
        }
    }

    /// Runs a query; returns the server's error, for example if the role lacks a right.
    private static func outcome(
        _ query: Query, _ transaction: ReadTransaction
    ) throws(Failure) -> Result<Rows, ServerError> {
        try failing { () throws(PQError) in try transaction.read([query], isLast: false)[0] }
    }

    private static func isShort(_ name: String) -> Bool { isNumber(name) || name.count < 4 }

    private static func isNumber(_ name: String) -> Bool { name.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    static func isUUID(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }

    // MARK: The search

    private mutating func search(_ columns: [SearchedColumn], _ transaction: ReadTransaction) throws(Failure) {
        let table = columns[0]
        func skip(_ columns: [SearchedColumn], areDeclared: Bool = false, _ because: (String) -> String) {
            let names = columns.map(\.name)
            if names.isEmpty { return }
            unsearched.append(
                Gap(
                    table: table.tableName, because: because(names.joined(separator: ", ")),
                    declared: areDeclared ? names : []))
        }
        if table.isSecured {
            unsearched.append(Gap(table: table.tableName, because: "row security can hide rows of this table"))
        }
        // A number in a column that doesn't refer to users can mean anything.
        skip(columns.filter { $0.isNumber && $0.condition == nil && !$0.isExplained }) { names in
            "usher didn't search number columns that don't refer to users: \(names)"
        }
        let others = columns.filter { !$0.isNumber || $0.condition != nil }
        let hidden = others.filter { !$0.isReadable }
        skip(hidden.filter(\.isDeclared), areDeclared: true) {
            "the app file declares \($0), which this role can't read"
        }
        // Unreadable columns of the audit log don't count as a gap, because only auditors can read them.
        if !table.tableName.hasPrefix("usher.") {
            skip(hidden.filter { !$0.isDeclared }) { "this role can't read \($0)" }
        }
        var bindings = Bindings()
        let tests = others.filter(\.isReadable).compactMap { column in
            condition(column, &bindings).map { (column: column, sql: $0) }
        }
        if tests.isEmpty { return }
        let any = tests.map(\.sql).joined(separator: " or ")
        let names = tests.map { cell($0.column.name) }.joined(separator: ", ")
        let source =
            table.isDistributed ? "(select \(names) from \(table.ownRows) t where \(any) offset 0)" : table.ownRows
        let counts = tests.map { "pg_catalog.count(*) filter (where \($0.sql))" }.joined(separator: ", ")
        let query = Query(unsafe: "select \(counts) from \(source) t where \(any)", values: bindings.values)
        switch try Self.outcome(query, transaction) {
        case .success(let rows):
            searched += tests.count
            for (test, count) in zip(tests, try decoding(try rows.only().integers())) where count > 0 {
                found.append(
                    Place(
                        table: table.tableName, column: test.column.name, rows: count, isCopy: table.isCopy,
                        isDeclared: test.column.isDeclared))
            }
        case .failure(let error): unsearched.append(Gap(table: table.tableName, because: error.message))
        }
    }

    /// The condition that a column of the row `t` contains one of the values; nil if the column can't.
    private func condition(_ column: SearchedColumn, _ bindings: inout Bindings) -> String? {
        let value = cell(column.name)
        let (numbers, uuids) = (names.filter(Self.isNumber), names.filter(Self.isUUID))
        let long = names.filter { !Self.isShort($0) }.map { $0.lowercased() }
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
            // JSON may contain the @ of an email as the escape \u0040.
            let plain = asText(column.name)
            let read = column.kind == "json" ? "pg_catalog.replace(\(plain), '\\u0040', '@')" : plain
            let text = "pg_catalog.lower(\(read))"
            tests = long.map { "pg_catalog.strpos(\(text), \(bindings.bind($0, as: "pg_catalog.text"))) > 0" }
            tests += names.filter(Self.isShort).map {
                "\(text) ~ \(bindings.bind(Self.whole($0.lowercased()), as: "pg_catalog.text"))"
            }
        }
        let test = any(tests)
        return column.isNumber ? all([test, column.condition]) : test
    }

    /// A regular expression for a whole text, or for a whole element of an array or a JSON document.
    private static func whole(_ name: String) -> String {
        let escaped = name.map { $0.isLetter || $0.isNumber ? String($0) : "\\\($0)" }.joined()
        return #"(^|[\[{:,"][[:space:]]*)"# + escaped + #"([[:space:]]*[\]},"]|$)"#
    }
}

/// A column that can contain one of the values, with its table.
private struct SearchedColumn {
    let table: UInt32
    let tableName: String
    /// The table in SQL without the tables that inherit from it.
    let ownRows: String
    let isCopy: Bool
    /// True if Citus keeps the table's rows on other servers.
    let isDistributed: Bool
    let isSecured: Bool
    let name: String
    let kind: String
    /// The condition that the column refers to users or is their key; nil if it does not refer to users.
    let condition: String?
    /// True if a foreign key shows that the numbers in the column are not keys of users.
    let isExplained: Bool
    let isReadable: Bool
    let isDeclared: Bool

    var isNumber: Bool { ["number", "numbers"].contains(kind) }

    init(_ row: Row, _ account: App.Account?, _ model: AccountModel?) throws(PQError) {
        let (schema, relation, column) = (try row.text("schema"), try row.text("name"), try row.text("column"))
        table = try row.identifier("table")
        tableName = "\(schema).\(relation)"
        ownRows =
            (try row.boolean("partitioned") ? "" : "only ")
            + "\(Identifier(schema).quoted).\(Identifier(relation).quoted)"
        (isCopy, isDistributed) = (try row.boolean("is_copy"), try row.boolean("distributed"))
        isSecured = try row.boolean("secured")
        (name, kind) = (column, try row.text("kind"))
        let isRoot = model?.root.oid == table && model?.root.column == column
        let edges = model?.edges(from: table).filter { $0.columns.contains(column) && model?.isUser($0.parent) == true }
        condition = isRoot ? "true" : any((edges ?? []).map { "(\($0.condition ?? "true"))" })
        isExplained = try row.boolean("explained")
        isReadable = try row.boolean("readable")
        isDeclared = account?.letsStay([schema, relation, column]) ?? false
    }
}

extension App.Account {
    /// True if a line of the app file allows the column to keep data of users.
    fileprivate func letsStay(_ column: [String]) -> Bool {
        let table = Array(column.dropLast())
        return ignored.contains { $0.covers(column) }
            || refers.contains { $0.answer == .keep && $0.column.flatMap(SQLName.parts) == column }
            || kept.contains { $0.way.isAll && SQLName.parts(ofPath: $0.table) == table }
            || fates.contains { $0.answer == .keep && SQLName.parts(ofPath: $0.table) == table }
    }
}
