internal import AppFile
package import Asking
internal import Catalog
internal import Glibc
internal import PQ
internal import Terminal

/// An archive: the rows that a deletion and its triggers deleted or changed.
///
/// The file has one JSON text per line:
///
/// - first line: the identity of the deletion in the audit log, and the name of the database
/// - other lines: `[TABLE, KEY, OLD]` for each deleted row and `[TABLE, KEY, OLD, NEW]` for each changed row. TABLE is
///   the index of the table in the last line. KEY is the key of the row. For a deleted row, OLD is a list of all values
///   in the order of the columns. For a changed row, OLD and NEW map the index of each changed column to its value. All
///   values are texts as Postgres prints them.
/// - last line: the tables, and a checksum of all bytes before the checksum
struct Archive {
    struct Table {
        /// The name of the table, quoted for SQL and as shown to people.
        let sql: String
        let name: String
        let key: [String]
        let columns: [String]
        let types: [String]
        var deleted = 0
        var changed = 0
        var added = 0

        var json: JSON {
            JSON([
                ("sql", sql), ("name", name), ("key", key), ("columns", columns), ("types", types),
                ("deleted", deleted), ("changed", changed), ("added", added),
            ])
        }
    }

    let file: ArchiveFile
    let tables: [Table]
    /// The text that identifies the deletion in the audit log; nil for a dry run.
    let claim: String?
    let operation: String
    /// The keys of the deleted users; empty for a dry run.
    let users: [String]
    let database: String

    /// The temporary table with the rows of the archive; its column `now` is NULL for a deleted row.
    static let store = "pg_temp.\"usher archive\""

    /// Reads an archive; the server parses the JSON of its first and last line.
    init(_ file: ArchiveFile, asking ask: Ask) throws(Failure) {
        self.file = file
        var ends: [String] = []
        try file.read { line throws(Failure) in if line.hasPrefix("{") { ends.append(line) } }
        guard ends.count == 2 else { throw Failure(noArchive: file.path) }
        let answers = try ask([
            """
            select c.claim::text as claim, c.claim ->> 'deletion' as operation, h.head ->> 'database' as database,
                   array(select jsonb_array_elements_text(c.claim -> 'keys')) as users
              from (select \(ends[0])::jsonb as head) h
              cross join lateral (select (h.head ->> 'claim')::jsonb as claim) c
            """,
            """
            select *
              from jsonb_to_recordset(\(ends[1])::jsonb -> 'tables')
                   as t (sql text, name text, key text[], columns text[], types text[], deleted int, changed int, added int)
            """,
        ])
        let head = try failing(try answers[0].only())
        claim = try failing(try head.optionalText("claim"))
        operation = try failing(try head.optionalText("operation") ?? "")
        users = try failing(try head.texts("users"))
        database = try failing(try head.text("database"))
        tables = try failing(
            try answers[1].rows.map { row throws(PQError) in
                Table(
                    sql: try row.text("sql"), name: try row.text("name"), key: try row.texts("key"),
                    columns: try row.texts("columns"), types: try row.texts("types"),
                    deleted: try row.integer("deleted"), changed: try row.integer("changed"),
                    added: try row.integer("added"))
            })
    }
}

extension Failure {
    init(noArchive path: String) {
        self.init(
            .usage, "\(path) is incomplete, or this version of usher can't read it as an archive",
            hint: ArchiveFile.original)
    }
}

/// A file that may be an archive; usher reads it block by block.
///
/// The first line, the last line and the checksum show whether the archive is complete and unchanged.
package final class ArchiveFile {
    let path: String
    package private(set) var seal = ""
    private let descriptor: Int32
    private let sealed: Int

    static let version = 5
    package static let head = #"{"archive":\#(version),"#

    private static let opening = Array(",\"sha256\":\"".utf8)

    package static func ending(_ seal: String) -> [UInt8] { opening + Array("\(seal)\"}\n".utf8) }

    private static let longestLine = 1 << 30

    static let original = "use the unchanged file that `usher account delete --archive FILE` wrote"

    package init(_ path: String) throws(Failure) {
        self.path = path
        // Without `O_NONBLOCK`, opening a FIFO would wait for a writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(code: errno).failure(path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(code: errno).failure(path) }
        let head = Array(Self.head.utf8)
        sealed = Int(status.st_size) - Self.ending("").count - 64
        guard sealed > head.count, try read(head.count, at: 0) == head else { throw Failure(noArchive: path) }
        let ending = try read(Self.ending("").count + 64, at: sealed)
        seal = String(decoding: ending.dropFirst(Self.opening.count).prefix(64), as: UTF8.self)
        guard ending == Self.ending(seal) else { throw Failure(noArchive: path) }
    }

    deinit { close(descriptor) }

    /// Passes each line to `receive`, and checks the checksum before the last line.
    package func read(_ receive: (String) throws(Failure) -> Void) throws(Failure) {
        var digest = SHA256()
        var line: [UInt8] = []
        var place = 0
        while place < sealed {
            let block = try read(min(sealed - place, 1 << 20), at: place)
            if block.isEmpty { break }
            place += block.count
            digest.update(block)
            var rest = block[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                try receive(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= Self.longestLine else { throw Failure(noArchive: path) }
        }
        guard digest.hexadecimal() == seal else {
            throw Failure(
                .refused, "\(path) was changed after it was written: its checksum differs", nothing: .restored,
                hint: Self.original)
        }
        try receive(String(decoding: line + Self.ending(seal).dropLast(), as: UTF8.self))
    }

    private func read(_ count: Int, at start: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &bytes, count, off_t(start))
            if read < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
            guard read >= 0 else { throw FileError(code: errno).failure(path) }
            return Array(bytes.prefix(read))
        }
    }
}

/// The SQL to archive and to restore one table: `archived` is a row of the archive, and `t` is a row of the table.
struct ArchivedTable {
    var table: Archive.Table
    /// The index of the table in the archive.
    let number: Int
    /// The table without its child tables, which have their own rows in the archive.
    let relation: Graph.Table

    private var texts: String { "array[\(table.columns.map(asText).joined(separator: ", "))]::pg_catalog.text[]" }

    /// The row `t` as a JSON list of texts.
    var image: String { "pg_catalog.array_to_json(\(texts))" }

    private var places: Range<Int> { table.columns.indices }
    private var source: String { "(select s.* from \(Archive.store) s where s.section = \(number)) archived" }
    private var deleted: String { "\(source) where archived.now is null" }
    private var isSame: String { relation.hasKey(in: "archived.key") }

    private func value(_ place: Int) -> String { "(archived.was #>> '{\(place)}')::\(table.types[place])" }

    /// The condition that the archive contains the value of a column.
    ///
    /// Of a changed row, the archive contains only the changed values.
    private func holds(_ place: Int) -> String { "archived.was #> '{\(place)}' is not null" }

    /// The condition that a value of the row `t` differs from the archived value as text; so 1.10 differs from 1.1.
    private func differs(_ place: Int) -> String {
        let same = "\(asText(table.columns[place])) collate pg_catalog.\"C\""
        return "(\(holds(place)) and \(same) is distinct from \(value(place))::pg_catalog.text)"
    }

    /// Inserts the deleted rows whose keys are not in the table.
    ///
    /// If a trigger already inserted a row with the same key, the row stays, and usher corrects its values later.
    var insertion: String {
        let columns = table.columns.map { Identifier($0).quoted }.joined(separator: ", ")
        let absent = table.key.isEmpty ? "" : " and not exists (select from \(relation.ownRows) t where \(isSame))"
        return """
            insert into \(table.sql) (\(columns)) overriding system value \
            select \(places.map(value).joined(separator: ", ")) from \(deleted)\(absent)
            """
    }

    /// The condition that the row `t` is not in the archive.
    var isOther: String? { table.key.isEmpty ? nil : "not exists (select from \(source) where \(isSame))" }

    /// The changed rows of the archive, together with the current values of these rows.
    private var changedRows: String {
        let names = places.map { "'\($0)'" }.joined(separator: ", ")
        return """
            \(relation.ownRows) t cross join lateral (select \
            pg_catalog.jsonb_object(array[\(names)], \(texts)) as current) n \
            where archived.section = \(number) and archived.now is not null and \(isSame)
            """
    }

    /// Removes changed rows from the restore if their values were changed again after the deletion.
    var removalOfChangedRows: Query {
        let isOther = "not archived.now <@ n.current and not archived.was <@ n.current"
        return Query(unsafe: "delete from \(Archive.store) archived using \(changedRows) and \(isOther)")
    }

    /// Adds the current values of all other columns to the changed rows of the archive.
    ///
    /// If triggers of the restore change these columns, usher corrects them, too.
    var additionOfCurrentValues: Query {
        let all = "n.current operator(pg_catalog.||) archived.was"
        return Query(unsafe: "update \(Archive.store) archived set was = \(all) from \(changedRows)")
    }

    /// Sets the given columns of differing rows to the archived values.
    ///
    /// The statement names only these columns, so the role needs no UPDATE right on other columns.
    func correction(of columns: Set<String>) -> Query? {
        let some = places.filter { columns.contains(table.columns[$0]) && !table.key.contains(table.columns[$0]) }
        if some.isEmpty { return nil }
        let sets = some.map { place in
            let (column, value) = (table.columns[place], value(place))
            return "\(Identifier(column).quoted) = case when \(holds(place)) then \(value) else \(cell(column)) end"
        }
        return Query(
            unsafe: """
                update \(relation.ownRows) t set \(sets.joined(separator: ", ")) from \(source) \
                where \(isSame) and (\(some.map(differs).joined(separator: " or ")))
                """)
    }

    /// Compares the rows with the archive; for a table without a key, counts only the missing rows.
    ///
    /// - `missing`: deleted rows that the table still lacks
    /// - `vanished`: changed rows that the table no longer has
    /// - `losing`: changed rows that differ from the archive
    /// - `different`, `columns`: rows that differ from the archive, and the differing columns
    /// - `dated`, `times`: rows with columns that triggers set to the current time, and these columns
    var comparison: Query {
        guard !table.key.isEmpty else {
            return Query(
                unsafe: """
                    select pg_catalog.count(*) as missing, 0 as vanished, 0 as losing, 0 as different, \
                    '{}'::pg_catalog.text[] as columns, 0 as dated, '{}'::pg_catalog.text[] as times \
                    from (select archived.was from \(deleted) except all \
                    select pg_catalog.to_jsonb(\(texts)) from \(relation.ownRows) t where \(ownWrite)) a
                    """)
        }
        func list(_ test: String) -> String {
            let each = places.map {
                "case when pg_catalog.bool_or(\(test)\($0)) then $\($0 + 1)::pg_catalog.text end"
            }
            return "pg_catalog.array_remove(array[\(each.joined(separator: ", "))], null)"
        }
        func any(_ test: String) -> String { places.map { "\(test)\($0)" }.joined(separator: " or ") }
        func count(_ test: String) -> String { "pg_catalog.count(*) filter (where \(test))" }
        let tests = places.map { place in
            let differs = "t.tableoid is not null and \(differs(place))"
            let isNow = isNow(place) ?? "false"
            return ", \(differs) and \(isNow) is not true as d\(place), \(differs) and \(isNow) as w\(place)"
        }
        return Query(
            unsafe: """
                select \(count("absent and deleted")) as missing, \(count("absent and not deleted")) as vanished, \
                \(count("not deleted and (\(any("d")) or \(any("w")))")) as losing, \
                \(count(any("d"))) as different, \(list("d")) as columns, \(count(any("w"))) as dated, \(list("w")) as times \
                from (select t.tableoid is null as absent, archived.now is null as deleted\(tests.joined()) \
                from \(source) left join \(relation.ownRows) t on \(isSame)) c
                """, table.columns)
    }

    /// The condition that a column of the row `t` contains the time of this transaction.
    ///
    /// A trigger may set a column such as `updated_at` to this time. Nil if the column is not a timestamp.
    ///
    /// A time without a zone may be in the zone of the session or in UTC. A column may round times to seconds.
    private func isNow(_ place: Int) -> String? {
        let (type, cell) = (table.types[place], cell(table.columns[place]))
        // An array of timestamps is not a timestamp.
        guard type.hasPrefix("timestamp"), !type.hasSuffix("]") else { return nil }
        let instants =
            type.hasSuffix("without time zone")
            ? ["pg_catalog.current_setting('TimeZone')", "'UTC'"].map { "(\(cell) at time zone \($0))" } : [cell]
        let tests = instants.map { instant in
            """
            \(instant) between pg_catalog.transaction_timestamp() - interval '1 second' \
            and pg_catalog.clock_timestamp() + interval '1 second'
            """
        }
        return "(\(tests.joined(separator: " or ")))"
    }
}
