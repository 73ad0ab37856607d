internal import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import Glibc
internal import Inquiries
internal import Ledger
internal import PQ

/// An archive as it was read.
struct Archive {
    struct Section {
        enum Kind: String { case deleted, changed, added }

        let kind: Kind
        /// As SQL, and as it is shown.
        let table: String
        let name: String
        let key: [String]
        let columns: [String]
        let types: [String]
        /// A row that was deleted or added is a list of texts, in the order of the columns.
        ///
        /// One that was changed is a list of its key, what it was and what the deletion left of it, by the places of the columns
        /// that differ.
        var rows: [String] = []
    }

    private let path: String
    /// What the deletion handed over, by which the ledger knows what it was about.
    let claim: String
    /// The deletion that the claim names: the file says nowhere else whose it is.
    private let operation: String
    /// What the database was called.
    private let database: String
    /// The checksum of the file.
    private let seal: String
    let sections: [Section]
    /// The rows that triggers wrote at the deletion, and that are still there.
    let written: [TableRows]

    /// Reads a file; the server reads the JSON of its heads.
    init(_ path: String, asking ask: Ask) throws(Failure) {
        let file = try ArchiveFile(path)
        let (heads, sections) = try Self.read(file, asking: ask)
        guard let first = heads.first, let last = heads.last,
            try decoding(try first.optionalText("version")) == String(ArchiveWriter.version),
            try decoding(try last.optionalText("ends")) == "true",
            let claim = try decoding(try first.optionalText("claim")),
            let operation = try decoding(try first.optionalText("operation")),
            let database = try decoding(try first.optionalText("database"))
        else {
            throw Failure(ArchiveRefusal.noArchive(path: path))
        }
        (self.claim, self.operation, self.database) = (claim, operation, database)
        (self.path, seal, self.sections) = (path, file.seal, sections)
        let (tables, rows) = try decoding { () throws(DecodingFailure) in
            (try last.texts("written"), try last.texts("written_rows"))
        }
        written = zip(tables, rows).map { TableRows($0, Int($1) ?? 0) }
    }

    /// The heads of a file, and its sections.
    static func read(_ file: ArchiveFile, asking ask: Ask) throws(Failure) -> (heads: [Row], sections: [Section]) {
        let lines = file.bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let heads = try ask([question(lines.filter { $0.hasPrefix("{") })])[0].rows
        var (sections, next): ([Section], Int) = ([], 0)
        for line in lines {
            guard line.hasPrefix("{") else {
                if !sections.isEmpty { sections[sections.count - 1].rows.append(line) }
                continue
            }
            if let section = try decoding(try Section(heads[next])) { sections.append(section) }
            next += 1
        }
        return (heads, sections)
    }

    /// What the ledger is told of it, as a part of the deletion.
    static func entry(of deletion: Ledger.Entry, seal: String) -> Ledger.Entry {
        Ledger.Entry(
            id: OperationID.make(), kind: .batch, outcome: .committed, command: "account delete archive",
            app: deletion.app, parent: deletion.whole,
            payload: JSONPayload.object([("deletion", .text(deletion.id)), ("archive", .text(seal))]))
    }

    /// Refuses what is not the archive of a deletion that was here, or not what that wrote, or was restored already, where the ledger tells.
    func requireOriginal(asking ask: Ask) throws(Failure) {
        let query = Query(file: "catalog/archive_record.sql", [operation])
        guard let row = try ask([query])[0].first else {
            throw Failure(ArchiveRefusal.elsewhere(path: path, operation: operation, database: database))
        }
        let (recorded, restored) = try decoding((try row.optionalText("seal"), try row.optionalText("restored")))
        if let recorded, recorded != seal {
            throw Failure(ArchiveRefusal.otherSeal(path: path, operation: operation))
        }
        if let restored { throw Failure(ArchiveRefusal.restored(by: restored)) }
    }

    private static func question(_ heads: [String]) -> Query {
        """
        select h ->> 'archive' as version, h ->> 'end' as ends, h ->> 'database' as database, h ->> 'claim' as claim,
               (h ->> 'claim')::jsonb ->> 'deletion' as operation,
               (select array_agg(e.key order by e.key) from jsonb_each_text(h -> 'written') e) as written,
               (select array_agg(e.value order by e.key) from jsonb_each_text(h -> 'written') e) as written_rows,
               h ->> 'kind' as kind, h ->> 'table' as "table", h ->> 'name' as name,
               (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'key') with ordinality k (e, n)) as key,
               (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'columns') with ordinality k (e, n))
                   as columns,
               (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'types') with ordinality k (e, n)) as types
          from unnest(\(arrayLiteral(heads))::text[]) with ordinality as l (line, place)
         cross join lateral (select l.line::jsonb as h) j
         order by l.place
        """
    }
}

extension Archive.Section {
    /// Nothing where the head is not one of a table.
    fileprivate init?(_ row: Row) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try row.optionalText("kind") ?? "") else { return nil }
        self.init(
            kind: kind, table: try row.text("table"), name: try row.text("name"), key: try row.texts("key"),
            columns: try row.texts("columns"), types: try row.texts("types"))
    }
}

/// A file that is said to be an archive, read only when it is one, whole and as it was written.
///
/// What it is shows in its beginning, its end and its checksum, for which no more than a piece of it is in memory at a time.
package struct ArchiveFile {
    package let bytes: [UInt8]
    /// The checksum that it ends with.
    package let seal: String

    /// Reads a file to its end.
    package init(_ path: String) throws(Failure) {
        // Whoever opens a FIFO to read waits for somebody who writes.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(code: errno).failure(path) }
        defer { close(descriptor) }
        try self.init(path, descriptor)
    }

    /// Reads one that is written and has no name yet.
    init(_ file: PrivateFile) throws(Failure) { try self.init(file.path, file.descriptor) }

    private init(_ path: String, _ descriptor: Int32) throws(Failure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(code: errno).failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(ArchiveRefusal.noFile(path: path))
        }
        let noArchive = Failure(ArchiveRefusal.noArchive(path: path))
        let (head, size) = (Array(Self.head.utf8), Int(status.st_size))
        guard size > head.count + Self.ending("").count + 64 else { throw noArchive }
        func read(at start: Int, _ count: Int) throws(Failure) -> [UInt8] {
            try Self.read(count, of: path, descriptor, at: start)
        }
        func each(until end: Int, _ body: ([UInt8]) -> Void) throws(Failure) {
            var place = 0
            while place < end {
                let piece = try read(at: place, min(end - place, 1 << 20))
                if piece.isEmpty { return }
                body(piece)
                place += piece.count
            }
        }
        guard try read(at: 0, head.count) == head else { throw noArchive }
        let sealed = size - Self.ending("").count - 64
        let ending = try read(at: sealed, size - sealed)
        let seal = String(decoding: ending.dropFirst(Self.opening.count).prefix(64), as: UTF8.self)
        guard ending == Self.ending(seal) else { throw noArchive }
        var digest = SHA256()
        try each(until: sealed) { digest.update($0) }
        guard digest.hexadecimal() == seal else {
            throw Failure(ArchiveRefusal.changed(path: path))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        try each(until: size) { bytes += $0 }
        (self.bytes, self.seal) = (bytes, seal)
    }

    /// What an archive begins with.
    package static var head: String { ArchiveWriter.head }

    private static let opening = Array(",\"sha256\":\"".utf8)

    /// What stands behind everything that a checksum is of.
    package static func ending(_ seal: String) -> [UInt8] { opening + Array("\(seal)\"}\n".utf8) }

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
