internal import Acts
internal import Asking
internal import Catalog
internal import PQ

extension ArchiveWriter {
    /// What triggers delete and change elsewhere while an account goes, as it was before: without it nothing would be as it was.
    ///
    /// Another connection sees the same instant without what the deletion did. Whatever that touched bears a mark there, so no row
    /// has to be compared but those; and of those only what this transaction does not see any more, or sees otherwise.
    struct TakenRows {
        let account: FoundAccount
        let transaction: ActTransaction
        let before: Witness

        private var map: AccountMap { account.map }

        /// Where a row stood, and whether the deletion itself changed it; by which key it was known; and what it said.
        private typealias Place = (part: String, place: String, isOwn: Bool)
        private typealias Image = (key: String, row: String, isOwn: Bool)

        /// The rows of one table that are not as they were, as exact texts; of those that changed their keys stand in front, and
        /// behind them what they say now.
        struct Rows {
            let table: Graph.Table
            /// What stands in a row, in that order.
            let columns: [TableColumns.Column]
            var deleted: [String] = []
            /// What stands in those that changed: their key alone where the deletion itself changes some.
            let changing: [TableColumns.Column]
            var changed: [String] = []
        }

        /// Exports the instant, before anything is deleted.
        init(_ account: FoundAccount, in transaction: ActTransaction, elsewhere: @escaping Elsewhere) throws(Failure) {
            (self.account, self.transaction) = (account, transaction)
            before = try transaction.witness(elsewhere)
        }

        /// Hands on what is not as it was in tables that the server counted such rows in, besides what the account itself is.
        ///
        /// Gives the tables of which all was found.
        func each(
            of counts: [UInt32: ChangeCounters.Count], _ moved: MovedRows, _ receive: (Rows) throws(Failure) -> Void
        ) throws(Failure) -> Set<UInt32> {
            let tables = counts.filter { table, count in
                count.deleted > (account.closure.found[table]?.rows ?? 0) || count.updated > 0
            }.keys.sorted().compactMap { map.graph.tables[$0] }.filter {
                $0.isReadable && !$0.isSecured && !$0.isElsewhere && !$0.isDistributed
            }
            if tables.isEmpty { return [] }
            let witness = try before()
            let answer = try transaction.ask([TableColumns.query(of: tables.map(\.oid))])[0]
            let columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
            var whole: Set<UInt32> = []
            for table in tables {
                // Without a key nobody could tell a changed row from one that went.
                if table.key.isEmpty, (counts[table.oid]?.updated ?? 0) > 0 { continue }
                let all = (columns.names[table.oid] ?? []).compactMap { columns[table.oid]?[$0] }
                guard all.allSatisfy(\.isReadable) else { continue }
                let kept = all.filter { !$0.isGenerated }
                let keys = Set(moved.has(table.oid) ? [] : table.key.map(\.name))
                var found = Rows(table: table, columns: kept, changing: kept.filter { !keys.contains($0.name) })
                let now = moved.places(of: table.oid)
                for places in try places(table, witness) {
                    let images = try images(places, found, witness)
                    try sort(images, now, into: &found)
                }
                if !found.deleted.isEmpty || !found.changed.isEmpty { try receive(found) }
                whole.insert(table.oid)
            }
            try failing { () throws(PQError) in try witness.end() }
            return whole
        }

        /// How many rows of a table are new, where nothing else of it is: those that this transaction wrote, and that nobody else
        /// sees.
        func new(in table: Graph.Table, _ moved: MovedRows) throws(Failure) -> Int {
            if table.key.isEmpty {
                let all = Query(unsafe: "select pg_catalog.count(*) from \(table.ownRows) t where \(ownWrite)")
                let answer = try transaction.ask([all])[0]
                return try decoding(try answer.count())
            }
            let witness = try before()
            let keys = try transaction.newKeys(in: table, besides: witness)
            try failing { () throws(PQError) in try witness.end() }
            return keys.count { moved.origin($0, of: table.oid) == $0 }
        }

        private static let page = 1000

        /// Where rows stood that are not there any more, besides those of the account.
        private func places(_ table: Graph.Table, _ witness: ReadTransaction) throws(Failure) -> [[Place]] {
            var bindings = Bindings()
            let goes = account.closure.condition(of: table.oid, &bindings).map { " and (\($0)) is not true" } ?? ""
            let own = account.closure.changing(table.oid, &bindings).map { "coalesce((\($0)), false)" } ?? "false"
            let marked = Query(
                unsafe: """
                    select t.tableoid::pg_catalog.text as part, t.ctid::pg_catalog.text as place, \(own) as own \
                    from \(table.ownRows) t \
                    where t.xmax operator(pg_catalog.<>) '0'::pg_catalog.xid\(goes)
                    """, values: bindings.values)
            let rows = try failing { () throws(PQError) in try witness.read(marked) }.rows
            let touched = try decoding(
                try rows.map { row throws(DecodingFailure) in
                    (part: try row.text("part"), place: try row.text("place"), isOwn: try row.boolean("own"))
                })
            var pages: [[Place]] = []
            for start in stride(from: 0, to: touched.count, by: Self.page) {
                let page = Array(touched[start..<min(start + Self.page, touched.count)])
                let gone = Query(
                    unsafe: """
                        select p.number from \(Self.source) \
                        where not exists (select from \(table.ownRows) t where t.tableoid = p.part and t.ctid = p.place) order by 1
                        """, Self.values(page))
                let answer = try transaction.ask([gone])[0]
                let numbers = try decoding(
                    try answer.rows.map { row throws(DecodingFailure) in try row.integer("number") })
                if !numbers.isEmpty { pages.append(numbers.map { page[$0 - 1] }) }
            }
            return pages
        }

        private static let source =
            """
            rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.tid[]), \
            pg_catalog.unnest($3::pg_catalog.bool[])) with ordinality as p (part, place, own, number)
            """

        private static func values(_ page: [Place]) -> [String?] {
            [
                arrayLiteral(page.map(\.part)), arrayLiteral(page.map(\.place)),
                arrayLiteral(page.map { $0.isOwn ? "t" : "f" }),
            ]
        }

        /// What stood there.
        private func images(_ places: [Place], _ rows: Rows, _ witness: ReadTransaction) throws(Failure) -> [Image] {
            let texts = rows.columns.map { "\(cell($0.name))::pg_catalog.text" }.joined(separator: ", ")
            let query = Query(
                unsafe: """
                    select \(rows.table.keyText) as key, p.own, \
                    pg_catalog.array_to_json(array[\(texts)]::pg_catalog.text[])::pg_catalog.text as row \
                    from \(Self.source) join \(rows.table.ownRows) t on t.tableoid = p.part and t.ctid = p.place
                    """, Self.values(places))
            let answer = try failing { () throws(PQError) in try witness.read(query) }
            return try decoding(
                try answer.rows.map { row throws(DecodingFailure) in
                    (key: try row.text("key"), row: try row.text("row"), isOwn: try row.boolean("own"))
                })
        }

        /// Tells those that are gone from those that say something else now; what the deletion itself overwrites is its own.
        private func sort(_ images: [Image], _ moved: [String: String], into rows: inout Rows) throws(Failure) {
            let table = rows.table
            let own = account.closure.ownColumns(table.oid)
            let changing = Set(rows.changing.map(\.name))
            let columns = rows.columns.enumerated().filter { changing.contains($1.name) }
            let differs = columns.map { place, column in
                "\(cell(column.name))::pg_catalog.text is distinct from n.row ->> \(place)"
                    + (own.contains(column.name) ? " and not n.own" : "")
            }
            let was = columns.map { "n.row ->> \($0.offset)" }.joined(separator: ", ")
            let now = columns.map { "\(cell($0.element.name))::pg_catalog.text" }.joined(separator: ", ")
            let found =
                table.key.isEmpty
                ? "select null::pg_catalog.text as changed, false as differs"
                : """
                select (n.key operator(pg_catalog.||) pg_catalog.to_jsonb(array[\(was)]::pg_catalog.text[]) \
                operator(pg_catalog.||) pg_catalog.to_jsonb(array[\(now)]::pg_catalog.text[]))::pg_catalog.text as changed, \
                \(differs.isEmpty ? "false" : differs.joined(separator: " or ")) as differs \
                from \(table.ownRows) t where \(table.hasKey(in: "n.place"))
                """
            let query = Query(
                unsafe: """
                    select n.number::pg_catalog.int4 as number, now.changed, coalesce(now.differs, false) as differs \
                    from rows from (pg_catalog.unnest($1::pg_catalog.jsonb[]), pg_catalog.unnest($2::pg_catalog.jsonb[]), \
                    pg_catalog.unnest($3::pg_catalog.jsonb[]), pg_catalog.unnest($4::pg_catalog.bool[])) \
                    with ordinality as n (row, key, place, own, number) \
                    left join lateral (\(found)) now on true order by 1
                    """,
                [
                    images.map(\.row), images.map(\.key), images.map { moved[$0.key] ?? $0.key },
                    images.map { $0.isOwn ? "t" : "f" },
                ].map(arrayLiteral))
            let answer = try transaction.ask([query])[0]
            for row in answer.rows {
                let (number, changed, differs) = try decoding(
                    (try row.integer("number"), try row.optionalText("changed"), try row.boolean("differs")))
                if changed == nil { rows.deleted.append(images[number - 1].row) }
                if differs, let changed { rows.changed.append(changed) }
            }
        }
    }
}

extension ActTransaction {
    /// The keys of the rows of a table that this transaction wrote and that somebody else does not see, as JSON each.
    func newKeys(in table: Graph.Table, besides witness: ReadTransaction) throws(Failure) -> [String] {
        let written = Query(unsafe: "select \(table.keyText) as key from \(table.ownRows) t where \(ownWrite)")
        let answer = try ask([written])[0]
        let keys = try decoding(try answer.texts())
        var new: [String] = []
        for start in stride(from: 0, to: keys.count, by: 1000) {
            let page = Array(keys[start..<min(start + 1000, keys.count)])
            let unknown = Query(
                unsafe: """
                    select n.row::pg_catalog.text from pg_catalog.unnest($1::pg_catalog.jsonb[]) as n (row) \
                    where not exists (select from \(table.ownRows) t where \(table.hasKey(in: "n.row")))
                    """, [arrayLiteral(page)])
            let answer = try failing { () throws(PQError) in try witness.read(unknown) }
            new += try decoding(try answer.texts())
        }
        return new
    }
}

/// Begins to read, on another connection, at the instant at which a transaction began: without what the transaction does.
typealias Witness = () throws(Failure) -> ReadTransaction

extension ActTransaction {
    /// Exports its instant, before anything is written.
    func witness(_ elsewhere: @escaping Elsewhere) throws(Failure) -> Witness {
        let answer = try run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        let snapshot = try decoding(try answer.only().text("name"))
        return { () throws(Failure) in
            ReadTransaction(
                on: try elsewhere(), settings: .init(timeout: InquiryOptions.witnessTimeout, snapshot: snapshot))
        }
    }
}

extension ArchiveWriter {
    /// What rows that stay held before a deletion changed them, in a file without a name until it is known what it left of them:
    /// behind it nothing leads to them but what stands there.
    final class StayingRows {
        /// The rows of one table, texts with the key in front, and where they stand.
        struct Section {
            let table: Graph.Table
            let columns: [String]
            let types: [String]
            fileprivate let begin: Int
            fileprivate var end: Int
        }

        private(set) var sections: [Section] = []
        private let path: String
        /// Made when there is something to hold.
        private var file: PrivateFile?

        init(beside path: String) { self.path = path + ".staying" }

        /// Holds the lines that are handed on.
        func hold(
            _ table: Graph.Table, _ columns: [String], _ types: [String],
            _ lines: (_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Void
        ) throws(Failure) {
            let begin = sections.last?.end ?? 0
            var section = Section(table: table, columns: columns, types: types, begin: begin, end: begin)
            let file: PrivateFile
            if let known = self.file { file = known } else { file = try PrivateFile(path) }
            self.file = file
            try lines { bytes throws(Failure) in
                try file.write(bytes)
                section.end += bytes.count
            }
            sections.append(section)
        }

        /// Hands on the lines of a section again, so many at once.
        func pages(of section: Section, _ receive: ([String]) throws(Failure) -> Void) throws(Failure) {
            guard let file else { return }
            var (place, rest): (Int, [UInt8]) = (section.begin, [])
            while place < section.end {
                let piece = try file.read(from: place, most: min(section.end - place, Self.piece))
                guard !piece.isEmpty else { return }
                place += piece.count
                rest += piece
                guard let last = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                let lines = rest[..<last].split(separator: UInt8(ascii: "\n"))
                rest = Array(rest[(last + 1)...])
                for start in stride(from: 0, to: lines.count, by: 1000) {
                    try receive(
                        lines[start..<min(start + 1000, lines.count)].map { String(decoding: $0, as: UTF8.self) })
                }
            }
        }

        private static let piece = 1 << 20
    }
}
