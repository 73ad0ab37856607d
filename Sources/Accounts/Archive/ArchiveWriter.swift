internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ
internal import Terminal

/// Writes an archive: the difference between the rows before the deletion and the rows that the deleting transaction
/// sees.
///
/// usher writes the archive after the last statement and before the commit, so the archive also contains the changes of
/// triggers. The first line is a head. Then each table has a JSON object that describes its rows, followed by one line
/// per row, with all values as Postgres prints them. The last line ends with a checksum of everything before it.
final class ArchiveWriter {
    private typealias Condition = (test: String, values: [BoundValue?])

    let file: PrivateFile
    private let transaction: ActTransaction
    private let account: FoundAccount
    private let elsewhere: Elsewhere
    /// The snapshot before the deletion.
    private let snapshot: String
    private var opened: ReadTransaction?
    private var digest = SHA256()
    /// The archived columns, and the tables whose columns this role can all read.
    private var columns: [UInt32: [(name: String, type: String)]] = [:]
    private var readable: Set<UInt32> = []
    private var section: (table: UInt32, kind: Archive.Section.Kind)?

    static let version = 4
    static let head = #"{"archive":\#(version),"#
    private static let page = 1000

    /// Creates the file and exports the snapshot, before anything changes.
    init(
        _ path: String, of account: FoundAccount, in transaction: ActTransaction, elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        (self.account, self.transaction, self.elsewhere) = (account, transaction, elsewhere)
        file = try PrivateFile(path)
        let answer = try transaction.run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        snapshot = try decoding(try answer.only().text("name"))
    }

    private var graph: Graph { account.model.graph }

    /// Writes all tables and returns the checksum, with the changes that triggers made in each table.
    ///
    /// The claim identifies the deletion in the audit log; a dry run has none.
    func write(
        _ triggers: [UInt32: ChangeCounters.Count], _ added: [QueuedRows], claim: String?, database: String
    ) throws(Failure) -> String {
        try line(
            JSON.present([
                ("archive", JSON(Self.version)), ("claim", claim.map { .string($0) }), ("database", .string(database)),
            ]).text())
        let tables = Set(account.closure.tables).union(account.changed).union(triggers.keys)
        try findColumns(of: tables)
        var news = added.report.map { ($0.table, String($0.rows) as String?) }
        for table in tables.sorted().compactMap({ graph.tables[$0] }) {
            let count = triggers[table.oid] ?? .init()
            let changed = try write(table, count)
            // A row that was deleted and inserted again is a changed row.
            let rows = count.inserted - max(0, changed - max(0, count.updated))
            if rows > 0 { news.append((table.qualifiedName, String(rows))) }
        }
        opened = nil
        let end = JSON.present([("end", .bool(true)), ("written", .texts(news))]).text()
        // The last object ends with the checksum of everything before it.
        try write(Array(end.utf8.dropLast()))
        let seal = digest.hexadecimal()
        try file.write(ArchiveFile.ending(seal))
        return seal
    }

    // MARK: Rows

    private func findColumns(of tables: Set<UInt32>) throws(Failure) {
        let query = Query(file: "catalog/archive_columns.sql", [arrayLiteral(tables.sorted().map(String.init))])
        let answer = try transaction.ask([query])[0]
        readable = tables
        try decoding { () throws(DecodingFailure) in
            for row in answer.rows {
                let table = try row.identifier("table")
                if try row.boolean("readable") {
                    columns[table, default: []].append((try row.text("name"), try row.text("type")))
                } else {
                    readable.remove(table)
                }
            }
        }
    }

    /// Writes the deleted and changed rows of a table; returns the number of changed rows.
    private func write(_ table: Graph.Table, _ triggers: ChangeCounters.Count) throws(Failure) -> Int {
        let deleted = account.closure.tables.contains(table.oid)
        let changes = account.changed.contains(table.oid)
        // A trigger may insert a row with the key of a deleted one.
        let byTriggers = triggers.updated > 0 || triggers.deleted > 0 || triggers.inserted > 0 && deleted
        if table.isDistributed {
            throw Failure(
                .refused,
                "Citus keeps the rows of \(pasted(table.qualifiedName)) on other servers, where usher can't archive them",
                nothing: .deleted, hint: "delete without --archive")
        }
        if byTriggers || deleted, table.isSecured || !readable.contains(table.oid) {
            throw Failure(
                .forbidden,
                "triggers changed or deleted rows of \(pasted(table.qualifiedName)), which this role can't read completely",
                nothing: .deleted,
                hint: "give the role the right to read the whole table, or delete without --archive")
        }
        if table.key.isEmpty, changes || triggers.updated > 0 {
            throw Failure(
                .refused, "\(pasted(table.qualifiedName)) has no key, so a restore could not find its rows",
                code: Archive.noKey, nothing: .deleted,
                hint: "give it a primary key, or delete without --archive")
        }
        var (gone, changing) = (Bindings(), Bindings())
        let change = changes ? account.conditions.changes(table.oid, &changing) : nil
        let key = Set(table.key.map(\.name))
        if let moved = change?.values.first(where: { key.contains($0.column) }) {
            let column = account.model.path(.init(table: table.oid, column: moved.column))
            throw Failure(
                .refused, "a line of the app file changes \(column), but a restore needs this column to find the row",
                nothing: .deleted, hint: "delete without --archive")
        }
        if byTriggers {
            return try write(table, where: ("t.xmax operator(pg_catalog.<>) '0'::pg_catalog.xid", []))
        }
        if deleted, let goes = account.conditions.goes(table.oid, &gone) {
            _ = try write(table, where: (goes, gone.values), areGone: true)
        }
        return try change.map { change throws(Failure) in
            try write(table, where: (change.condition, changing.values))
        } ?? 0
    }

    /// The row `t` as a JSON list of texts.
    private func image(of table: Graph.Table) -> String {
        let texts = (columns[table.oid] ?? []).map { asText($0.name) }
        return "pg_catalog.array_to_json(array[\(texts.joined(separator: ", "))]::pg_catalog.text[])"
    }

    /// A row before the deletion: its place, its key and its values.
    private typealias Old = (part: String, place: String, key: String, row: String)

    /// Writes the rows that are deleted or changed; returns the number of changed rows.
    private func write(
        _ table: Graph.Table, where condition: Condition, areGone: Bool = false
    ) throws(Failure) -> Int {
        let query = Query(
            unsafe: """
                select t.tableoid::pg_catalog.text, t.ctid::pg_catalog.text, \(table.keyText), \
                \(image(of: table))::pg_catalog.text from \(table.ownRows) t where \(condition.test)
                """, values: condition.values)
        var rows: [Old] = []
        var (pages, changed) = (0, 0)
        func flush() throws(Failure) {
            if areGone {
                try line(rows.map(\.row).joined(separator: "\n"), .deleted, table)
                // The server ends transactions that are idle for a minute.
                pages += 1
                if pages.isMultiple(of: 100) { _ = try transaction.ask(["select 1"]) }
            } else {
                changed += try writeDifferent(rows, table)
            }
            rows.removeAll(keepingCapacity: true)
        }
        try reader().hand(query) { view throws(Failure) in
            let values = (0..<4).map { view.value($0).text ?? "" }
            rows.append((values[0], values[1], values[2], values[3]))
            if rows.count == Self.page { try flush() }
        }
        if !rows.isEmpty { try flush() }
        return changed
    }

    private func writeDifferent(_ rows: [Old], _ table: Graph.Table) throws(Failure) -> Int {
        let answer = try transaction.ask([difference(rows, table)])[0]
        let found = try decoding(
            try answer.rows.map { row throws(DecodingFailure) in
                (number: try row.integer("number"), changed: try row.optionalText("changed"))
            })
        for row in found where row.changed == nil { try line(rows[row.number - 1].row, .deleted, table) }
        let changed = found.compactMap(\.changed)
        for text in changed { try line(text, .changed, table) }
        return changed.count
    }

    /// Compares old rows with the transaction's view of them, by their place in the table or by their key.
    private func difference(_ rows: [Old], _ table: Graph.Table) -> Query {
        let count = columns[table.oid]?.count ?? 0
        let values = [rows.map(\.part), rows.map(\.place), rows.map(\.key), rows.map(\.row)].map(arrayLiteral)
        let now =
            table.key.isEmpty
            ? "select null::pg_catalog.jsonb as row where false"
            : "select \(image(of: table))::pg_catalog.jsonb as row from \(table.ownRows) t where \(table.hasKey(in: "n.key"))"
        return Query(
            unsafe: """
                select n.number::pg_catalog.int4 as number, \
                case when d.was is not null then pg_catalog.jsonb_build_array(n.key, d.was, d.now)::pg_catalog.text end \
                as changed \
                from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.tid[]), \
                pg_catalog.unnest($3::pg_catalog.jsonb[]), pg_catalog.unnest($4::pg_catalog.jsonb[])) \
                with ordinality as n (part, place, key, row, number) \
                left join lateral (\(now)) now on true \
                left join lateral (select pg_catalog.jsonb_object_agg(p.place, n.row -> p.place) as was, \
                pg_catalog.jsonb_object_agg(p.place, now.row -> p.place) as now \
                from pg_catalog.generate_series(0, \(count - 1)) as p (place) \
                where n.row -> p.place is distinct from now.row -> p.place) d on now.row is not null \
                where not exists (select from \(table.ownRows) t where t.tableoid = n.part and t.ctid = n.place) \
                and (now.row is null or d.was is not null) order by 1
                """, values)
    }

    /// The transaction that reads old rows on a second connection, opened at the first read.
    private func reader() throws(Failure) -> ReadTransaction {
        if let opened { return opened }
        let settings = ReadTransaction.Settings(
            timeout: InquiryOptions.witnessTimeout, snapshot: snapshot)
        let reader = ReadTransaction(on: try elsewhere(), settings: settings)
        _ = try reader.ask(["select 1"])
        opened = reader
        return reader
    }

    // MARK: Lines

    private func line(_ rows: String, _ kind: Archive.Section.Kind, _ table: Graph.Table) throws(Failure) {
        try begin(kind, table)
        try line(rows)
    }

    private func begin(_ kind: Archive.Section.Kind, _ table: Graph.Table) throws(Failure) {
        if section?.table == table.oid, section?.kind == kind { return }
        section = (table.oid, kind)
        let columns = columns[table.oid] ?? []
        try line(
            JSON.present([
                ("kind", .string(kind.rawValue)), ("table", .string(table.sql)), ("name", .string(table.qualifiedName)),
                ("key", .strings(table.key.map(\.name))), ("columns", .strings(columns.map(\.name))),
                ("types", .strings(columns.map(\.type))),
            ]).text())
    }

    private func line(_ text: String) throws(Failure) { try write(Array((text + "\n").utf8)) }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        digest.update(bytes)
        try file.write(bytes)
    }
}
