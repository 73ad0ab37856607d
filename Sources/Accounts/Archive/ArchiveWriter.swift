internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// Writes an archive: the difference between what another connection still sees and what the deleting transaction sees.
///
/// It is written when everything is done and nothing is committed, so it holds what the deletion did and what triggers did
/// besides. One line each: a head, then for each table a JSON object that says what its rows are, then the rows, with all
/// values as the exact texts that Postgres writes. The last line ends with a checksum of everything before it.
final class ArchiveWriter {
    /// Where rows of one table may have gone or changed.
    struct Part {
        /// A condition over a row `t`, and the values that it names.
        typealias Condition = (test: String, values: [BoundValue?])

        let table: UInt32
        /// Rows that are gone for certain, and rows that stay and may say something else.
        var deleted: Condition?
        var changed: Condition?
        /// What triggers did there: any row may be gone or changed.
        var triggers: ChangeCounters.Count?
    }

    let transaction: ActTransaction
    let graph: Graph
    let file: PrivateFile
    /// Reads what was there before the deletion.
    let before: Witness
    /// The tables into which triggers wrote rows.
    private(set) var written: Set<UInt32> = []
    private var opened: ReadTransaction?
    private var digest = SHA256()
    private var columns = TableColumns()
    /// The table and kind of the section to which rows are added.
    private var section: (table: UInt32, kind: Archive.Section.Kind)?

    static let version = 4
    /// How every archive begins.
    static let head = #"{"archive":\#(version),"#
    private static let page = 1000

    /// Makes the file and exports the instant, before anything is changed.
    init(
        _ path: String, of graph: Graph, in transaction: ActTransaction, elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        (self.graph, self.transaction) = (graph, transaction)
        file = try PrivateFile(path)
        before = try transaction.witness(elsewhere, isSpread: graph.isSpread)
    }

    /// Writes everything and gives the checksum; of a deletion that is only tried there is no claim.
    func write(
        _ parts: [Part], _ added: [QueuedRows], claim: String?, database: String
    ) throws(Failure) -> String {
        try line(
            JSONPayload.object([
                ("archive", .number(Self.version)), ("claim", claim.map { .text($0) }), ("database", .text(database)),
            ]))
        let answer = try transaction.ask([TableColumns.query(of: parts.map(\.table) + added.map(\.table.oid))])[0]
        columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        for part in parts.sorted(by: { $0.table < $1.table }) { try write(part) }
        for rows in added {
            for row in rows.rows { try write(row, .added, rows.table) }
        }
        var news: [(String, String?)] = []
        for part in parts {
            guard let table = graph.tables[part.table], let count = part.triggers?.inserted, count > 0 else { continue }
            written.insert(table.oid)
            let rows = try new(in: table, count, besides: added.count(of: table.oid))
            if rows > 0 { news.append((table.qualifiedName, String(rows))) }
        }
        opened = nil
        let end = JSONPayload.object([("end", .flag(true)), ("written", .object(news))])
        // The object stays open for the checksum of everything before it.
        try write(Array(end.utf8.dropLast()))
        let seal = digest.hexadecimal()
        try file.write(ArchiveFile.ending(seal))
        return seal
    }

    // MARK: Rows

    private func write(_ part: Part) throws(Failure) {
        guard let table = graph.tables[part.table] else { return }
        // A row that a trigger inserts may have the key of one that goes.
        if let triggers = part.triggers,
            triggers.updated > 0 || triggers.deleted > 0 || triggers.inserted > 0 && part.deleted != nil
        {
            try requireReadable(table)
            try requireKey(of: table, part)
            return try writeDifferences(table, ("t.xmax operator(pg_catalog.<>) '0'::pg_catalog.xid", []))
        }
        try requireKey(of: table, part)
        if let deleted = part.deleted {
            try requireReadable(table)
            try writeDeleted(table, deleted)
        }
        if let changed = part.changed { try writeDifferences(table, changed) }
    }

    /// Refuses rows that change and could not be found again.
    private func requireKey(of table: Graph.Table, _ part: Part) throws(Failure) {
        if !table.key.isEmpty { return }
        var count = max(0, part.triggers?.updated ?? 0)
        if let changed = part.changed {
            let query = Query(
                unsafe: "select 1 from \(table.ownRows) t where \(changed.test) limit 1", values: changed.values)
            try read(query) { _ throws(Failure) in count += 1 }
        }
        if count > 0 { throw Failure(ArchiveRefusal.noKey(table: table.qualifiedName)) }
    }

    /// Refuses rows that go or that triggers change where this role may not read all of them.
    private func requireReadable(_ table: Graph.Table) throws(Failure) {
        if !isReadable(table) { throw Failure(ArchiveRefusal.unreadable(table: table.qualifiedName)) }
    }

    private func isReadable(_ table: Graph.Table) -> Bool {
        !table.isSecured && columns[table.oid]?.values.allSatisfy(\.isReadable) == true
    }

    /// The columns of which an archive holds values.
    private func columns(of table: Graph.Table) -> [TableColumns.Column] {
        (columns.names[table.oid] ?? []).compactMap { columns[table.oid]?[$0] }.filter {
            !$0.isGenerated && $0.isReadable
        }
    }

    /// The row `t` as a JSON list of texts.
    private func image(of table: Graph.Table) -> String {
        let texts = columns(of: table).map { asText($0.name) }
        return "pg_catalog.array_to_json(array[\(texts.joined(separator: ", "))]::pg_catalog.text[])"
    }

    /// Writes rows that are gone for certain.
    private func writeDeleted(_ table: Graph.Table, _ condition: Part.Condition) throws(Failure) {
        let query = Query(
            unsafe: """
                select \(image(of: table))::pg_catalog.text from \(table.ownRows) t \
                where \(condition.test)
                """, values: condition.values)
        var buffer: [UInt8] = []
        var count = 0
        try read(query) { view throws(Failure) in
            if count == 0 { try begin(.deleted, table) }
            view.append(0, to: &buffer)
            buffer.append(UInt8(ascii: "\n"))
            count += 1
            // The server ends a transaction that says nothing for a minute.
            if count.isMultiple(of: 100 * Self.page) { _ = try transaction.ask(["select 1"]) }
            if buffer.count < 65_536 { return }
            try write(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        try write(buffer)
    }

    /// Where a row stood, its key, and what it said.
    private typealias Old = (part: String, place: String, key: String, row: String)

    /// Writes those of some rows that are not there any more or say something else.
    private func writeDifferences(_ table: Graph.Table, _ condition: Part.Condition) throws(Failure) {
        let query = Query(
            unsafe: """
                select t.tableoid::pg_catalog.text, t.ctid::pg_catalog.text, \(table.keyText), \
                \(image(of: table))::pg_catalog.text from \(table.ownRows) t where \(condition.test)
                """, values: condition.values)
        var rows: [Old] = []
        try read(query) { view throws(Failure) in
            let values = (0..<4).map { view.value($0).text ?? "" }
            rows.append((values[0], values[1], values[2], values[3]))
            if rows.count < Self.page { return }
            try writeDifferent(rows, table)
            rows.removeAll(keepingCapacity: true)
        }
        try writeDifferent(rows, table)
    }

    private func writeDifferent(_ rows: [Old], _ table: Graph.Table) throws(Failure) {
        if rows.isEmpty { return }
        let answer = try transaction.ask([difference(rows, table)])[0]
        let found = try decoding(
            try answer.rows.map { row throws(DecodingFailure) in
                (number: try row.integer("number"), changed: try row.optionalText("changed"))
            })
        for row in found where row.changed == nil { try write(rows[row.number - 1].row, .deleted, table) }
        for row in found { if let changed = row.changed { try write(changed, .changed, table) } }
    }

    /// Holds some rows against what the transaction sees: one is where it was, or has another place and is known by its key.
    private func difference(_ rows: [Old], _ table: Graph.Table) -> Query {
        let count = columns(of: table).count
        var values = [rows.map(\.part), rows.map(\.place), rows.map(\.key), rows.map(\.row)].map(arrayLiteral)
        var (near, stands) = (
            table.ownRows,
            "exists (select from \(table.ownRows) t where t.tableoid = n.part and t.ctid = n.place)"
        )
        if table.isDistributed, let key = table.key.first {
            // Nothing is told of a place on another server, and rows there are fetched before they are compared.
            values.append(arrayLiteral(rows.map(\.key)))
            near = """
                (select t.* from \(table.ownRows) t where \(cell(key.name)) = any \
                (select (k.key ->> 0)::\(key.type) from pg_catalog.unnest($5::pg_catalog.jsonb[]) as k (key)) offset 0)
                """
            stands = "false"
        }
        let now =
            table.key.isEmpty
            ? "select null::pg_catalog.jsonb as row where false"
            : "select \(image(of: table))::pg_catalog.jsonb as row from \(near) t where \(table.hasKey(in: "n.key"))"
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
                where not \(stands) and (now.row is null or d.was is not null) order by 1
                """, values)
    }

    /// How many rows of a table triggers wrote, of so many that the server counted: some may be gone again.
    private func new(in table: Graph.Table, _ count: Int, besides added: Int) throws(Failure) -> Int {
        if table.isDistributed || !isReadable(table) { return count }
        if !table.key.isEmpty { return try transaction.newRows(in: table, since: reader).count - added }
        let own = Query(unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite)")
        let answer = try transaction.ask([own])[0]
        return try decoding(try answer.count()) - added
    }

    /// Hands on rows as they were before the deletion.
    private func read(
        _ query: Query, each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        let reader = try reader()
        try reader.hand(query, on: receive)
    }

    /// The other connection, which is made when something is read.
    private func reader() throws(Failure) -> ReadTransaction {
        if let opened { return opened }
        let reader = try before()
        _ = try reader.ask(["select 1"])
        opened = reader
        return reader
    }

    // MARK: Lines

    /// Writes a row of a table, behind the head of its section.
    private func write(_ row: String, _ kind: Archive.Section.Kind, _ table: Graph.Table) throws(Failure) {
        try begin(kind, table)
        try line(row)
    }

    private func begin(_ kind: Archive.Section.Kind, _ table: Graph.Table) throws(Failure) {
        if section?.table == table.oid, section?.kind == kind { return }
        section = (table.oid, kind)
        let columns = columns(of: table)
        try line(
            JSONPayload.object([
                ("kind", .text(kind.rawValue)), ("table", .text(table.sql)), ("name", .text(table.qualifiedName)),
                ("key", .list(table.key.map(\.name))), ("columns", .list(columns.map(\.name))),
                ("types", .list(columns.map(\.fullType))),
            ]))
    }

    private func line(_ text: String) throws(Failure) { try write(Array((text + "\n").utf8)) }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        digest.update(bytes)
        try file.write(bytes)
    }
}

extension ArchiveWriter.Part {
    /// The tables in which a deletion takes or changes rows, and those in which triggers did.
    static func all(
        of closure: Closure, changing: [UInt32], triggers: [UInt32: ChangeCounters.Count]
    ) throws(Failure) -> [ArchiveWriter.Part] {
        let conditions = closure.conditions
        var parts: [ArchiveWriter.Part] = []
        for table in Set(closure.tables).union(changing).union(triggers.keys) {
            var part = ArchiveWriter.Part(table: table, triggers: triggers[table])
            var bindings = Bindings()
            if closure.tables.contains(table) {
                part.deleted = conditions.goes(table, &bindings).map { ($0, bindings.values) }
            }
            bindings = Bindings()
            if changing.contains(table), let change = conditions.changes(table, &bindings) {
                let key = Set(closure.model.graph.tables[table]?.key.map(\.name) ?? [])
                if let (column, _) = change.values.first(where: { key.contains($0.column) }) {
                    throw Failure(ArchiveRefusal.movesKey(closure.model.path(.init(table: table, column: column))))
                }
                part.changed = (change.condition, bindings.values)
            }
            parts.append(part)
        }
        return parts
    }
}

/// Begins to read, on another connection, what a transaction found when it began: without what it does.
typealias Witness = () throws(Failure) -> ReadTransaction

extension ActTransaction {
    /// Exports its instant, before anything is written; other servers know no such instant, and show what is committed.
    func witness(_ elsewhere: @escaping Elsewhere, isSpread: Bool) throws(Failure) -> Witness {
        let answer = try run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        let name = try decoding(try answer.only().text("name"))
        let settings = ReadTransaction.Settings(
            timeout: InquiryOptions.witnessTimeout, snapshot: isSpread ? nil : name)
        return { () throws(Failure) in ReadTransaction(on: try elsewhere(), settings: settings) }
    }

    /// The rows of a table that this transaction wrote and that were not there before, besides those that an archive holds.
    ///
    /// Gives their keys as JSON, or texts of rows without a key. With `comparing` also of rows that said something else.
    func newRows(
        in table: Graph.Table, since before: Witness, besides held: [RestoredRows] = [], comparing: Bool = false
    ) throws(Failure) -> [String] {
        let others = held.enumerated().map { " and \($1.isOther($0 + 1))" }
        let row = comparing || table.key.isEmpty ? "(t.*)::pg_catalog.text" : "null::pg_catalog.text"
        let own = Query(
            unsafe: """
                select \(table.keyText) as key, \(row) as row from \(table.ownRows) t \
                where \(ownWrite)\(others.joined())
                """, held.map(\.rows))
        let rows = try ask([own])[0].rows
        let witness = try before()
        var new: [String] = []
        // Rows that nothing tells apart are compared all at once.
        let page = table.key.isEmpty ? max(rows.count, 1) : 1000
        let isSame = comparing ? " and (t.*)::pg_catalog.text = n.row" : ""
        let unknown =
            table.key.isEmpty
            ? "select n.row from n except all select (t.*)::pg_catalog.text from \(table.ownRows) t"
            : """
            select n.key::pg_catalog.text from n \
            where not exists (select from \(table.ownRows) t where \(table.hasKey(in: "n.key"))\(isSame))
            """
        for start in stride(from: 0, to: rows.count, by: page) {
            let some = rows[start..<min(start + page, rows.count)]
            let query = Query(
                unsafe: """
                    with n as (select * from rows from (pg_catalog.unnest($1::pg_catalog.jsonb[]), \
                    pg_catalog.unnest($2::pg_catalog.text[])) as n (key, row)) \(unknown)
                    """, [arrayLiteral(some.map { $0.values[0].text }), arrayLiteral(some.map { $0.values[1].text })])
            let answer = try failing { () throws(PQError) in try witness.read(query) }
            new += try decoding(try answer.texts())
        }
        return new
    }
}
