internal import Asking
internal import Catalog
internal import PQ
internal import Terminal

/// An archive: the rows that a deletion or its triggers deleted or changed.
///
/// The file has one JSON text per line:
///
/// - the head, with the identity of the deletion in the audit log and the name of the database
/// - `[TABLE, KEY, OLD]` for each deleted row and `[TABLE, KEY, OLD, NEW]` for each changed row. TABLE is the index of the
///   table in the last line. KEY is the key of the row. OLD has all values of a deleted row in the order of the columns.
///   For a changed row, OLD and NEW have only the changed values, by the index of their column. All values are texts as
///   Postgres prints them.
/// - the tables, with a checksum of everything before the checksum
struct Archive {
    struct Table {
        /// The name of the table, quoted for SQL and as shown to people.
        let sql: String
        let name: String
        let key: [String]
        let columns: [String]
        let types: [String]
        /// The numbers of deleted and changed rows, and of rows that the deletion added.
        var deleted = 0
        var changed = 0
        var added = 0

        var json: JSON {
            JSON([
                ("sql", .string(sql)), ("name", .string(name)), ("key", .strings(key)), ("columns", .strings(columns)),
                ("types", .strings(types)), ("deleted", JSON(deleted)), ("changed", JSON(changed)),
                ("added", JSON(added)),
            ])
        }
    }

    let file: ArchiveFile
    let tables: [Table]
    /// The text that identifies the deletion in the audit log; nil for a dry run.
    let claim: String?
    let operation: String
    let database: String

    var total: Int { tables.reduce(0) { $0 + $1.deleted + $1.changed } }

    /// The temporary table with the rows of the archive; its column `now` is NULL for a deleted row.
    static let store = "pg_temp.\"usher archive\""

    static func head(_ claim: String?, _ database: String) -> String {
        JSON.present([
            ("archive", JSON(ArchiveFile.version)), ("claim", claim.map { .string($0) }),
            ("database", .string(database)),
        ]).text()
    }

    /// The last line of an archive, without its checksum.
    static func end(_ tables: [Table]) -> String { JSON([("tables", .array(tables.map(\.json)))]).text() }

    /// Reads an archive; the server parses the JSON of its first and last line.
    init(_ file: ArchiveFile, asking ask: Ask) throws(Failure) {
        self.file = file
        var ends: [String] = []
        try file.read { line throws(Failure) in if line.hasPrefix("{") { ends.append(line) } }
        guard ends.count == 2 else { throw Failure(noArchive: file.path) }
        let answers = try ask([
            """
            select h ->> 'claim' as claim, (h ->> 'claim')::jsonb ->> 'deletion' as operation, h ->> 'database' as database
              from (select \(ends[0])::jsonb as h) j
            """,
            """
            select *
              from jsonb_to_recordset(\(ends[1])::jsonb -> 'tables')
                   as t (sql text, name text, key text[], columns text[], types text[], deleted int, changed int, added int)
            """,
        ])
        let head = try decoding(try answers[0].only())
        claim = try decoding(try head.optionalText("claim"))
        operation = try decoding(try head.optionalText("operation") ?? "")
        database = try decoding(try head.text("database"))
        tables = try decoding(
            try answers[1].rows.map { row throws(DecodingFailure) in
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
