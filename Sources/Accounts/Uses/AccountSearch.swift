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
    private var account: App.Account?
    private var model: AccountModel?
    /// The columns of foreign keys; their numbers are keys of users only if an edge of the model leads to users.
    private var referring: Set<CatalogColumn.Name> = []

    package var isClean: Bool { found.allSatisfy(\.isDeclared) && isWhole }
    package var isWhole: Bool { unsearched.allSatisfy { !$0.declared.isEmpty } }
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
        if let start {
            names += try inDirectory(text, start, transaction)
            // The audit log keeps former keys and emails, but not those of deleted users.
            let logged = Query(file: "catalog/known_as.sql", [text, start.root.schema, start.root.name])
            names += try values(of: ["key", "email"], logged, transaction)
        }
        search.names = names.filter { !$0.isEmpty && known.insert($0.lowercased()).inserted }
        search.account = start?.account
        search.model = try start.map { start throws(Failure) in try start.model(asking: transaction.ask) }
        let catalog = try transaction.ask(
            Graph.queries(apart: nil, withAuditLog: true) + [CatalogColumns.query(withAuditLog: true)])
        let (graph, columns) = try failing(
            (try Graph(tables: catalog[0], references: catalog[1]), try CatalogColumns(catalog[2])))
        for reference in graph.references {
            search.referring.formUnion(reference.columns.map { .init(table: reference.table, column: $0.name) })
        }
        let tables = graph.tables.values.filter { $0.partitionOf == nil }.sorted { $0.qualifiedName < $1.qualifiedName }
        for (index, table) in tables.enumerated() {
            progress((table.qualifiedName, index, tables.count))
            try search.search(table, columns.of(table.oid), transaction)
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
            guard root == nil, [.usage, .notFound, .forbidden].contains(error.kind) else { throw error }
            try failing { () throws(PQError) in try connection.rollbackIfOpen() }
            return (ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), nil)
        }
    }

    /// The key and the `@email` and `@search` values of the user whose key or email is `text`.
    private static func inDirectory(
        _ text: String, _ start: AccountStart, _ transaction: ReadTransaction
    ) throws(Failure) -> [String] {
        guard let app = start.app else { return [] }
        let now = ["now": AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz")]
        let columns = [app.users.key] + app.users.emails + app.users.search
        var names: [String] = []
        for way in [Directory.Way.key, .keyText, .address]
        where way != .key || KeyText.fits(text, start.root.type) != false {
            let query = Query(Directory(app, now).resolution(of: text, by: way, limit: 1))
            names += try values(of: columns, query, transaction)
        }
        return names
    }

    /// The values of columns in the result of a query; empty if the server refuses the query.
    private static func values(
        of columns: [String], _ query: Query, _ transaction: ReadTransaction
    ) throws(Failure) -> [String] {
        guard case .success(let rows) = try failing(try transaction.read([query], isLast: false))[0] else { return [] }
        var values: [String] = []
        for row in rows.rows {
            for column in columns { values += [try failing(try row.optionalText(column))].compactMap(\.self) }
        }
        return values
    }

    private static func isShort(_ name: String) -> Bool { isNumber(name) || name.count < 4 }

    private static func isNumber(_ name: String) -> Bool { name.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    private mutating func search(
        _ table: Graph.Table, _ columns: ArraySlice<CatalogColumn>, _ transaction: ReadTransaction
    ) throws(Failure) {
        let (name, isAuditLog) = (table.qualifiedName, table.schema == "usher")
        var bindings = Bindings()
        var tests: [(column: String, sql: String)] = []
        var (numbers, declared, hidden): ([String], [String], [String]) = ([], [], [])
        for column in columns {
            let called = column.name.column
            var further = bindings
            // In the audit log, a number can be the key of a user only in the recorded rows (JSON).
            if isAuditLog, column.kind != .document, names.contains(where: Self.isNumber) { continue }
            guard let test = condition(column, &further) else { continue }
            if column.kind == .number, isKey(column) == nil {
                let isExplained = referring.contains(column.name) || table.key.map(\.name) == [called]
                if !isExplained { numbers.append(called) }
            } else if table.isReadable, column.isReadable {
                tests.append((called, test))
                bindings = further
            } else if isDeclared(called, of: table) {
                declared.append(called)
            } else if !isAuditLog {
                // Only auditors can read the whole audit log, so its columns don't count as a gap.
                hidden.append(called)
            }
        }
        func skip(_ columns: [String], _ because: (String) -> String, declared: [String] = []) {
            if columns.isEmpty { return }
            unsearched.append(
                Gap(table: name, because: because(columns.joined(separator: ", ")), declared: declared))
        }
        if table.isSecured, !tests.isEmpty {
            unsearched.append(Gap(table: name, because: "row security can hide rows of this table"))
        }
        skip(numbers) { "usher didn't search number columns that don't refer to users: \($0)" }
        skip(declared, { "the app file declares \($0), which this role can't read" }, declared: declared)
        skip(hidden) { "this role can't read \($0)" }
        if tests.isEmpty { return }
        let any = tests.map(\.sql).joined(separator: " or ")
        let counts = tests.map { "pg_catalog.count(*) filter (where \($0.sql))" }.joined(separator: ", ")
        let sql = "select \(counts) from \(table.rows(where: tests.map(\.sql))) t where \(any)"
        let query = Query(unsafe: sql, values: bindings.values)
        switch try failing(try transaction.read([query], isLast: false))[0] {
        case .success(let rows):
            searched += tests.count
            for (test, count) in zip(tests, try failing(try rows.only().integers())) where count > 0 {
                found.append(
                    Place(
                        table: name, column: test.column, rows: count, isCopy: table.isCopy,
                        isDeclared: isDeclared(test.column, of: table)))
            }
        case .failure(let error): unsearched.append(Gap(table: name, because: error.message))
        }
    }

    private func isDeclared(_ column: String, of table: Graph.Table) -> Bool {
        account?.letsStay([table.schema, table.name, column]) ?? false
    }

    /// The condition that a column is the key of users or refers to users; nil if it does neither.
    private func isKey(_ column: CatalogColumn) -> String? {
        guard let model else { return nil }
        if column.name == model.rootColumn?.name { return "true" }
        let edges = model.edges(from: column.name.table).filter { edge in
            edge.columns.contains(column.name.column) && model.isUser(edge.parent)
        }
        return any(edges.map { "(\($0.condition ?? "true"))" })
    }

    /// The condition that a column of the row `t` contains one of the values; nil if the column can't.
    private func condition(_ column: CatalogColumn, _ bindings: inout Bindings) -> String? {
        let value = column.cell
        let (numbers, uuids) = (names.filter(Self.isNumber), names.filter { KeyText.fits($0, "uuid") == true })
        let long = names.filter { !Self.isShort($0) }.map { $0.lowercased() }
        var tests: [String] = []
        switch column.kind {
        case .other: return nil
        case .uuid where !column.isList: tests = uuids.map { "\(value) = \(bindings.bind($0, as: "pg_catalog.uuid"))" }
        case .number:
            let array = column.isList ? value : "array[\(value)]"
            tests = numbers.map { "\(bindings.bind($0, as: "pg_catalog.numeric")) = any (\(array))" }
        case .bytes where !column.isList:
            tests = long.map {
                "pg_catalog.position(\(value), pg_catalog.convert_to(\(bindings.bind($0, as: "pg_catalog.text")), 'UTF8')) > 0"
            }
            tests += uuids.map {
                "pg_catalog.position(\(value), pg_catalog.uuid_send(\(bindings.bind($0, as: "pg_catalog.uuid")))) > 0"
            }
        default:
            // JSON may contain the @ of an email as the escape \u0040.
            let plain = asText(column.name.column)
            let read = column.kind == .document ? "pg_catalog.replace(\(plain), '\\u0040', '@')" : plain
            let text = "pg_catalog.lower(\(read))"
            tests = long.map { "pg_catalog.strpos(\(text), \(bindings.bind($0, as: "pg_catalog.text"))) > 0" }
            tests += names.filter(Self.isShort).map {
                "\(text) ~ \(bindings.bind(Self.whole($0.lowercased()), as: "pg_catalog.text"))"
            }
        }
        let test = any(tests)
        return column.kind == .number ? isKey(column).map { all([test, $0]) } ?? test : test
    }

    /// A regular expression for a whole text, or for a whole element of an array or a JSON document.
    private static func whole(_ name: String) -> String {
        let escaped = name.map { $0.isLetter || $0.isNumber ? String($0) : "\\\($0)" }.joined()
        return #"(^|[\[{:,"][[:space:]]*)"# + escaped + #"([[:space:]]*[\]},"]|$)"#
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
