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
        /// The numbers of rows that the deletion deleted, changed and added.
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
    package let seal: String
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
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .usage, "\(path) is not a regular file, so it is not an archive",
                hint: Self.original)
        }
        let head = Array(Self.head.utf8)
        sealed = Int(status.st_size) - Self.ending("").count - 64
        guard sealed > head.count, try Self.read(head.count, of: path, descriptor, at: 0) == head else {
            throw Failure(noArchive: path)
        }
        let ending = try Self.read(Self.ending("").count + 64, of: path, descriptor, at: sealed)
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
            let block = try Self.read(min(sealed - place, 1 << 20), of: path, descriptor, at: place)
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

    private static func read(_ count: Int, of path: String, _ descriptor: Int32, at start: Int) throws(Failure)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &bytes, count, off_t(start))
            if read < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
            guard read >= 0 else { throw FileError(code: errno).failure(path) }
            return Array(bytes.prefix(read))
        }
    }
}
