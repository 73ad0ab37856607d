internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import Ledger
internal import PQ

/// Writes what a deletion takes away or changes into a file from which it can be restored: exact texts, parents first.
///
/// One line each: a head, then for each table a JSON object that says what its rows are, then the rows as JSON arrays of
/// texts, exactly as Postgres writes them. The last line ends with a checksum of everything before it.
final class ArchiveWriter {
    private let account: FoundAccount
    let transaction: ActTransaction
    let file: PrivateFile
    let taken: TakenRows
    /// The tables of which it holds all that triggers took.
    private(set) var whole: Set<UInt32> = []
    /// Those into which something was written.
    private(set) var written: Set<UInt32> = []
    /// How many rows came into tables in which others were changed, and nobody can tell which.
    private var untold: [String: Int] = [:]
    /// What the rows that stay held before, until it is known what the deletion left of them.
    private let staying: StayingRows
    /// The checksum of what is written so far.
    private var digest = SHA256()

    private var closure: AccountClosure { account.closure }
    var map: AccountMap { account.map }
    static let version = 3
    /// How every archive begins.
    static let head = #"{"archive":\#(version),"#

    init(
        account: FoundAccount, transaction: ActTransaction, file: PrivateFile, elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        (self.account, self.transaction, self.file) = (account, transaction, file)
        staying = StayingRows(beside: file.path)
        taken = try TakenRows(account, in: transaction, elsewhere: elsewhere)
    }

    /// Writes all rows, before anything is deleted, and what was added to the app's own queue, to be taken out of it again.
    ///
    /// The claim is what the deletion is known by; of one that is only tried there is none.
    func write(claim: String?, database: String, _ added: [QueuedRows]) throws(Failure) {
        try line(
            JSONPayload.object([
                ("archive", .number(Self.version)), ("claim", claim.map { .text($0) }), ("database", .text(database)),
                ("root", .text(map.root.table)), ("total", .number(closure.total)),
            ]))
        let tables = Set(closure.found.keys).union(closure.staying.keys.map { map.links[$0].child })
        let answer = try transaction.ask([TableColumns.query(of: Array(tables))])[0]
        let columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        for table in closure.deletionOrder.reversed().joined() { try deleted(table, columns) }
        for (table, ids) in Dictionary(grouping: closure.staying.keys.sorted(), by: { map.links[$0].child }).sorted(
            by: { $0.key < $1.key })
        {
            try changed(table, ids.map { map.links[$0] }, columns)
        }
        for one in added where !one.rows.isEmpty {
            try head("added", one.table, one.columns.map(\.name), one.columns.map(\.fullType))
            for row in one.rows { try line(row) }
        }
    }

    func ask(_ queries: [Query]) throws(Failure) -> [Rows] { try transaction.ask(queries) }

    /// Writes what triggers deleted and changed besides, as far as it can be told.
    func writeTaken(_ counts: [UInt32: ChangeCounters.Count], _ moved: MovedRows) throws(Failure) {
        whole = try taken.each(of: counts, moved) { rows throws(Failure) in
            let table = rows.table
            func section(
                _ images: [String], _ kind: String, _ columns: [TableColumns.Column], behind types: [String] = []
            ) throws(Failure) {
                if images.isEmpty { return }
                try head(kind, table, columns.map(\.name), types + columns.map(\.fullType))
                for image in images { try line(image) }
            }
            let keyTypes = table.key.compactMap { key in rows.columns.first { $0.name == key.name }?.fullType }
            try section(rows.deleted, "table", rows.columns)
            try section(rows.changed, "changed", rows.changing, behind: keyTypes)
        }
        written = Set(counts.filter { $1.inserted > 0 }.keys)
        for (table, count) in counts where count.inserted > 0 && count.updated > 0 && !whole.contains(table) {
            untold[map.name(table)] = count.inserted
        }
    }

    /// Ends it, once it is known what triggers did besides, which it does not hold; gives its checksum.
    func end(_ report: ErasureReport, _ moved: MovedRows) throws(Failure) -> String {
        let held = Set(whole.map(map.name))
        func list(_ rows: [(table: String, rows: Int)]) -> JSONPayload.Item {
            // Of one table some rows may hold the person, and others not.
            let sums = Dictionary(rows.map { ($0.table, $0.rows) }, uniquingKeysWith: +)
            return .object(sums.sorted { $0.key < $1.key }.map { ($0.key, String($0.value) as String?) })
        }
        func missing(_ rows: [(table: String, rows: Int)]) -> JSONPayload.Item {
            list(rows.filter { !held.contains($0.table) })
        }
        let closing = JSONPayload.object([
            ("end", .flag(true)), ("updated", missing(report.touched)), ("deleted", missing(report.further)),
            ("written", list(try written(report, moved, besides: held))),
        ])
        for rows in staying.sections { try left(rows, moved) }
        // The object stays open for the checksum of everything before it.
        try write(Array(closing.utf8.dropLast()))
        let seal = digest.hexadecimal()
        try write(ArchiveFile.ending(seal))
        return seal
    }

    /// The rows that triggers wrote, and that stay: of tables of which it holds all that was there these are the new ones.
    private func written(
        _ report: ErasureReport, _ moved: MovedRows, besides held: Set<String>
    ) throws(Failure) -> [(table: String, rows: Int)] {
        var written: [(table: String, rows: Int)] = []
        for table in whole.intersection(self.written).sorted().compactMap({ map.graph.tables[$0] }) {
            let own = report.added.filter { $0.table == table.qualifiedName }.reduce(0) { $0 + $1.rows }
            written.append((table.qualifiedName, try taken.new(in: table, moved) - own))
        }
        let touched = Set(report.touched.map(\.table)).union(held)
        written += untold.filter { touched.contains($0.key) }.map { ($0.key, $0.value) }
        written += report.written.filter { !$0.isRemoved && !touched.contains($0.table) }.map { ($0.table, $0.rows) }
        return written.filter { $0.rows > 0 }
    }

    private func line(_ text: String) throws(Failure) { try write(Array((text + "\n").utf8)) }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        digest.update(bytes)
        try file.write(bytes)
    }

    private func deleted(_ table: UInt32, _ columns: TableColumns) throws(Failure) {
        var bindings = Bindings()
        guard let relation = map.graph.tables[table], let condition = closure.condition(of: table, &bindings) else {
            return
        }
        let kept = (columns.names[table] ?? []).compactMap { columns[table]?[$0] }.filter { !$0.isGenerated }
        try head("table", relation, kept.map(\.name), kept.map(\.fullType))
        let question = images(of: kept.map { cell($0.name) }, from: relation, condition, bindings)
        try stream(question) { bytes throws(Failure) in try write(bytes) }
    }

    /// Hands on the rows of a question as lines, many at once.
    private func stream(_ question: Query, to write: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        var buffer: [UInt8] = []
        try transaction.stream(question) { view throws(Failure) in
            view.append(0, to: &buffer)
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count < 65_536 { return }
            try write(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        try write(buffer)
    }

    /// What the rows that stay hold before they are changed: of those that hold the users all that is overwritten, of others
    /// what they lose.
    private func changed(_ table: UInt32, _ links: [AccountLink], _ columns: TableColumns) throws(Failure) {
        let overwritten = (map.anonymised[table] ?? []).map(\.name)
        let key = map.graph.tables[table]?.key.map(\.name) ?? []
        // By their keys rows are found again that move along with others.
        let carried = closure.carrying.filter { map.graph.whole($0.table) == table }.flatMap { $0.columns.map(\.name) }
        let lost = links.flatMap { closure.lost(by: $0) } + carried.filter(key.contains)
        if !map.hasPolicy(table) {
            return try changed(table, lost + overwritten, where: { closure.staying(by: links, &$0) }, columns)
        }
        try changed(table, overwritten + lost, where: { closure.holding(table, &$0) }, columns)
        try changed(table, lost, where: { closure.losing(by: links, &$0) }, columns)
    }

    private func changed(
        _ table: UInt32, _ columns: [String], where condition: (inout Bindings) -> String?, _ known: TableColumns
    ) throws(Failure) {
        var bindings = Bindings()
        var seen: Set<String> = []
        let names = columns.filter { seen.insert($0).inserted }
        guard !names.isEmpty, let relation = map.graph.tables[table], let condition = condition(&bindings) else {
            return
        }
        guard !relation.key.isEmpty else {
            throw Failure(ArchiveRefusal.noKey(table: relation.qualifiedName))
        }
        let all = relation.key.map(\.name) + names
        let types = all.compactMap { known[table]?[$0]?.fullType }
        let question = images(of: all.map { cell($0) }, from: relation, condition, bindings)
        try staying.hold(relation, names, types) { write throws(Failure) in try stream(question, to: write) }
    }

    /// Writes what rows that stay held before, and behind it what they hold now: nothing where they are not there.
    private func left(_ rows: StayingRows.Section, _ moved: MovedRows) throws(Failure) {
        try head("changed", rows.table, rows.columns, rows.types)
        let now = rows.columns.map { "\(cell($0))::pg_catalog.text" }.joined(separator: ", ")
        let width = rows.table.key.count
        let places = moved.places(of: rows.table.oid)
        try staying.pages(of: rows) { page throws(Failure) in
            var keys = page
            if !places.isEmpty {
                let known = Query(
                    unsafe: """
                        select pg_catalog.to_jsonb(array(select n.row ->> k.place from pg_catalog.generate_series(0, \(width - 1)) as k (place) \
                        order by k.place))::pg_catalog.text from pg_catalog.unnest($1::pg_catalog.jsonb[]) with ordinality as n (row, number) \
                        order by n.number
                        """, [arrayLiteral(page)])
                let answer = try transaction.ask([known])[0]
                keys = try decoding(try answer.texts()).map { places[$0] ?? $0 }
            }
            let question = Query(
                unsafe: """
                    select (n.row operator(pg_catalog.||) pg_catalog.to_jsonb(array[\(now)]::pg_catalog.text[]))::pg_catalog.text \
                    from rows from (pg_catalog.unnest($1::pg_catalog.jsonb[]), pg_catalog.unnest($2::pg_catalog.jsonb[])) \
                    as n (row, key) left join \(rows.table.ownRows) t on \(rows.table.hasKey(in: "n.key"))
                    """, [arrayLiteral(page), arrayLiteral(keys)])
            for row in try transaction.ask([question])[0].rows { try line(row.values[0].text ?? "") }
        }
    }

    private func head(
        _ kind: String, _ table: Graph.Table, _ columns: [String], _ types: [String]
    ) throws(Failure) {
        try line(
            JSONPayload.object([
                (kind, .text(table.sql)), ("key", .list(table.key.map(\.name))), ("columns", .list(columns)),
                ("types", .list(types)),
            ]))
    }

    /// Rows as they are written down.
    private func images(
        of cells: [String], from relation: Graph.Table, _ condition: String, _ bindings: Bindings
    ) -> Query {
        let texts = cells.map { "\($0)::pg_catalog.text" }.joined(separator: ", ")
        return Query(
            unsafe: """
                select pg_catalog.array_to_json(array[\(texts)]::pg_catalog.text[])::pg_catalog.text \
                from \(relation.ownRows) t where \(condition)
                """, values: bindings.values)
    }
}
