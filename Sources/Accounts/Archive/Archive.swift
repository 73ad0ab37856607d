internal import Acts
internal import Asking
internal import Catalog
internal import Inquiries
internal import Ledger
internal import PQ
internal import Terminal

/// An archive in memory: the heads of its tables.
///
/// The rows stay in the file.
struct Archive {
    struct Section {
        enum Kind: String { case deleted, changed }

        let kind: Kind
        /// The name of the table, quoted for SQL and as shown to people.
        let table: String
        let name: String
        let key: [String]
        let columns: [String]
        let types: [String]
        /// The number of rows.
        ///
        /// A deleted row is a list of texts in the order of the columns. A changed row has three parts: its key, the
        /// old values, and the values that the deletion left. Values are stored by the index of their column.
        var rows = 0
    }

    let file: ArchiveFile
    private(set) var sections: [Section] = []
    /// The index of the section that each head belongs to, in the order of the file.
    private var places: [Int] = []
    /// The identity of the deletion in the audit log; nil for a dry run.
    let claim: Claim?
    /// The rows that triggers wrote during the deletion.
    let written: [(table: String, rows: Int)]

    struct Claim {
        let text: String
        let operation: String
        let database: String
    }

    var total: Int { sections.reduce(0) { $0 + $1.rows } }

    /// Reads a file; the server parses the JSON of its heads.
    init(_ file: ArchiveFile, asking ask: Ask) throws(Failure) {
        self.file = file
        var heads: [String] = []
        var counts: [Int] = []
        try file.read { line throws(Failure) in
            if line.hasPrefix("{") {
                heads.append(line)
                counts.append(0)
            } else {
                counts[counts.count - 1] += 1
            }
        }
        let rows = try ask([Self.question(heads)])[0].rows
        guard let first = rows.first, let last = rows.last,
            try decoding(try first.optionalText("version")) == String(ArchiveWriter.version),
            try decoding(try last.optionalText("ends")) == "true"
        else { throw Failure(noArchive: file.path) }
        claim = try decoding { () throws(DecodingFailure) in
            guard let text = try first.optionalText("claim"), let operation = try first.optionalText("operation"),
                let database = try first.optionalText("database")
            else { return nil }
            return Claim(text: text, operation: operation, database: database)
        }
        let (tables, numbers) = try decoding { () throws(DecodingFailure) in
            (try last.texts("written"), try last.texts("written_rows"))
        }
        written = zip(tables, numbers).map { ($0, Int($1) ?? 0) }
        for (row, count) in zip(rows, counts).dropFirst().dropLast() {
            guard let section = try decoding(try Section(row)) else {
                throw Failure(noArchive: file.path)
            }
            let place = sections.firstIndex { $0.kind == section.kind && $0.table == section.table }
            if place == nil { sections.append(section) }
            places.append(place ?? sections.count - 1)
            sections[places[places.count - 1]].rows += count
        }
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

    /// Loads the rows into a temporary table, with the numbers of their sections.
    func load(in transaction: ActTransaction) throws(Failure) {
        let table = ArchivedRows.store
        let making = Query(
            unsafe: "create temporary table \(table) (section pg_catalog.int4, r pg_catalog.jsonb) on commit drop")
        if case .failure(let error) = try transaction.attempt([making]) {
            throw Failure(notRestored: error, at: table)
        }
        var head = -1
        var rows: [String] = []
        var size = 0
        func send() throws(Failure) {
            if rows.isEmpty { return }
            let insertion = """
                insert into \(table) select $1::pg_catalog.int4, r.r from pg_catalog.unnest($2::pg_catalog.jsonb[]) r (r)
                """
            try transaction.run([Query(unsafe: insertion, [String(places[head - 1]), arrayLiteral(rows)])])
            rows.removeAll(keepingCapacity: true)
            size = 0
        }
        try file.read { line throws(Failure) in
            if line.hasPrefix("{") {
                try send()
                head += 1
            } else {
                rows.append(line)
                size += line.utf8.count
                if size > 1 << 20 { try send() }
            }
        }
        try transaction.run([Query(unsafe: "create index on \(table) (section)"), Query(unsafe: "analyze \(table)")])
    }

    // MARK: Audit log

    /// The audit log entry of the deletion, with the checksum of the archive.
    static func entry(of deletion: Ledger.Entry, seal: String) -> Ledger.Entry {
        Ledger.Entry(
            id: OperationID.make(), kind: .batch, outcome: .committed, command: "account delete archive",
            app: deletion.app, parent: deletion.whole,
            payload: JSON.present([("deletion", .string(deletion.id)), ("archive", .string(seal))]).text())
    }

    /// Refuses an archive of another database, a wrong checksum, and a second restoration.
    func requireOriginal(_ claim: Claim, asking ask: Ask) throws(Failure) {
        let query = Query(file: "catalog/archive_record.sql", [claim.operation])
        guard let row = try ask([query])[0].first else {
            throw Failure(
                .refused,
                "\(file.path) is from another database: this audit log doesn't contain the deletion \(claim.operation)",
                nothing: .restored,
                hint:
                    "the archive comes from a database with the name \(claim.database); restore the archive in that database"
            )
        }
        let (recorded, restored) = try decoding((try row.optionalText("seal"), try row.optionalText("restored")))
        if let recorded, recorded != file.seal {
            throw Failure(
                .refused,
                "\(file.path) is not the file that the deletion \(claim.operation) wrote: the audit log has another checksum",
                nothing: .restored, hint: Self.original)
        }
        if let restored {
            throw Failure(.conflict, "the archive was already restored, by operation \(restored)", nothing: .restored)
        }
    }
}

extension Archive {
    static let original = "use the archive as the deletion wrote it"

    /// The code of the failure if a table has no key.
    static let noKey = "no_key"
}

extension Failure {
    init(noArchive path: String) {
        self.init(.usage, "\(path) is not a complete archive of this version of usher")
    }

    /// The failure for a restore statement that the server refused.
    init(notRestored error: ServerError, at place: String) {
        let missing =
            error.state == .foreignKeyViolation
            ? "usher can't restore the archive, because rows that it refers to are missing" : nil
        self.init(
            error.kind(unless: .conflict), (place.isEmpty ? "" : "\(place): ") + error.message, nothing: .restored,
            hint: error.searchPathHint ?? error.hint ?? missing, state: error.state, details: error.lines)
    }
}

extension Archive.Section {
    /// Reads the head of a table; nil if the row is something else.
    fileprivate init?(_ row: Row) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try row.optionalText("kind") ?? "") else { return nil }
        self.init(
            kind: kind, table: try row.text("table"), name: try row.text("name"), key: try row.texts("key"),
            columns: try row.texts("columns"), types: try row.texts("types"))
    }
}
