internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ
internal import Terminal

/// Writes an archive: the difference between the rows before the deletion and the rows after its last statement.
///
/// usher writes the archive before the commit, so the archive also contains the changes of triggers.
final class ArchiveWriter {
    let file: PrivateFile
    private let transaction: ActTransaction
    private let account: FoundAccount
    private let elsewhere: Elsewhere
    /// The name of the exported snapshot from before the deletion.
    private let snapshot: String
    private var opened: ReadTransaction?
    private var digest = SHA256()

    private static let page = 1000

    /// Creates the file, and exports a snapshot before the deletion changes rows.
    init(
        _ path: String, of account: FoundAccount, in transaction: ActTransaction, elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        (self.account, self.transaction, self.elsewhere) = (account, transaction, elsewhere)
        file = try PrivateFile(path)
        let answer = try transaction.run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        snapshot = try decoding(try answer.only().text("name"))
    }

    /// Writes all tables and returns the checksum.
    ///
    /// `triggers` contains the number of changes that triggers made in each table. `claim` identifies the deletion in
    /// the audit log; a dry run has no claim.
    func write(
        _ triggers: [UInt32: ChangeCounters.Count], _ added: [QueuedRows], claim: String?, database: String
    ) throws(Failure) -> String {
        try write(Archive.head(claim, database) + "\n")
        let touched = Set(account.closure.tables).union(account.changed).union(triggers.keys)
            .union(added.map(\.table.oid))
        var tables: [Archive.Table] = []
        for relation in touched.sorted().compactMap({ account.model.graph.tables[$0] }) {
            var pages = Pages(relation, number: tables.count, account.model.columns.of(relation.oid))
            let (oid, count) = (relation.oid, triggers[relation.oid] ?? .init())
            try write(&pages, count)
            var table = pages.table
            // A row that a trigger inserted again counts as changed, not as added.
            table.added = max(0, count.inserted - max(0, table.changed - max(0, count.updated)))
            for rows in added where rows.table.oid == oid { table.added += rows.rows }
            if table.deleted + table.changed + table.added > 0 { tables.append(table) }
        }
        opened = nil
        try write(String(Archive.end(tables).dropLast()))
        let seal = digest.hexadecimal()
        try file.write(ArchiveFile.ending(seal))
        return seal
    }

    private func write(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        digest.update(bytes)
        try file.write(bytes)
    }

    /// A table whose rows usher reads page by page.
    private struct Pages {
        let relation: Graph.Table
        /// The index of the table in the archive.
        let number: Int
        var table: Archive.Table
        /// The rows before the deletion: their partitions, row addresses (ctid), keys and values.
        var rows: [(part: String, place: String, key: String, image: String)] = []

        init(_ relation: Graph.Table, number: Int, _ columns: some Sequence<CatalogColumn>) {
            (self.relation, self.number) = (relation, number)
            let stored = columns.filter { !$0.isComputed }
            table = Archive.Table(
                sql: relation.sql, name: relation.qualifiedName, key: relation.key.map(\.name),
                columns: stored.map(\.name.column), types: stored.map(\.wholeType))
        }

        /// The row `t` as a JSON list of texts.
        var image: String {
            "pg_catalog.array_to_json(array[\(table.columns.map(asText).joined(separator: ", "))]::pg_catalog.text[])"
        }
    }

    private func write(_ pages: inout Pages, _ triggers: ChangeCounters.Count) throws(Failure) {
        let table = pages.relation
        let isDeleted = account.closure.tables.contains(table.oid)
        // A trigger may insert a row with the key of a deleted row.
        let byTriggers = triggers.updated > 0 || triggers.deleted > 0 || triggers.inserted > 0 && isDeleted
        var (gone, changing) = (Bindings(), Bindings())
        let change = account.changed.contains(table.oid) ? account.conditions.changes(table.oid, &changing) : nil
        guard isDeleted || byTriggers || change != nil else { return }
        if table.isSecured || !table.isReadableWhole {
            throw Failure(
                .forbidden,
                "the archive needs the rows of \(pasted(table.qualifiedName)), which this role can't read completely",
                nothing: .deleted, hint: "grant select on \(table.path) to this role, or remove --archive")
        }
        try requireFindable(table, change, isChanged: change != nil || triggers.updated > 0)
        if byTriggers { return try write(&pages, where: "t.xmax operator(pg_catalog.<>) '0'::pg_catalog.xid", []) }
        if isDeleted, let goes = account.conditions.goes(table.oid, &gone) {
            try write(&pages, where: goes, gone.values, areGone: true)
        }
        if let change { try write(&pages, where: change.condition, changing.values) }
    }

    private func requireFindable(
        _ table: Graph.Table, _ change: RowConditions.Change?, isChanged: Bool
    ) throws(Failure) {
        var (code, hint): (String?, String) = (nil, "remove --archive")
        let problem: String
        if table.isDistributed {
            problem =
                "Citus keeps the rows of \(pasted(table.qualifiedName)) on other servers, where usher can't archive them"
        } else if table.key.isEmpty, isChanged {
            problem = "\(pasted(table.qualifiedName)) has no key, so a restore could not find its rows"
            (code, hint) = ("no_key", "add a primary key to the table, or remove --archive")
        } else if let key = change?.values.map(\.column).first(where: table.key.map(\.name).contains) {
            let column = account.model.path(.init(table: table.oid, column: key))
            problem = "a line of the app file changes \(column), but a restore needs this column to find the row"
        } else {
            return
        }
        throw Failure(.refused, problem, code: code, nothing: .deleted, hint: hint)
    }

    /// Writes the rows that meet a condition, if the deletion deleted or changed these rows.
    ///
    /// `areGone` is true if the deletion deleted all rows that meet the condition.
    private func write(
        _ pages: inout Pages, where condition: String, _ values: [BoundValue?], areGone: Bool = false
    ) throws(Failure) {
        let relation = pages.relation
        let query = Query(
            unsafe: """
                select t.tableoid::pg_catalog.text, t.ctid::pg_catalog.text, \(relation.keyText), \
                \(pages.image)::pg_catalog.text from \(relation.ownRows) t where \(condition)
                """, values: values)
        func flush() throws(Failure) {
            if pages.rows.isEmpty { return }
            // Runs a query even if all rows are deleted, because the server ends transactions that are idle for a minute.
            let answer = try transaction.ask([areGone ? "select 1" : difference(pages)])[0]
            var found = pages.rows.indices.map { (place: $0, change: String?.none) }
            if !areGone {
                found = try decoding(
                    try answer.rows.map { row throws(DecodingFailure) in
                        (try row.integer("number") - 1, try row.optionalText("change"))
                    })
            }
            var lines = ""
            for (place, change) in found {
                let row = pages.rows[place]
                lines += "[\(pages.number),\(row.key),\(change ?? row.image)]\n"
                if change == nil { pages.table.deleted += 1 } else { pages.table.changed += 1 }
            }
            try write(lines)
            pages.rows.removeAll(keepingCapacity: true)
        }
        try reader().hand(query) { view throws(Failure) in
            let values = (0..<4).map { view.value($0).text ?? "" }
            pages.rows.append((values[0], values[1], values[2], values[3]))
            if pages.rows.count == Self.page { try flush() }
        }
        try flush()
    }

    /// Compares the rows before the deletion with the rows in its transaction, by row address (ctid) or key.
    ///
    /// The result contains the deleted rows, and the changed rows with their old and new values.
    private func difference(_ pages: Pages) -> Query {
        let table = pages.relation
        let rows = pages.rows
        let values = [rows.map(\.part), rows.map(\.place), rows.map(\.key), rows.map(\.image)].map(arrayLiteral)
        let now =
            table.key.isEmpty
            ? "select null::pg_catalog.jsonb as row where false"
            : "select \(pages.image)::pg_catalog.jsonb as row from \(table.ownRows) t where \(table.hasKey(in: "n.key"))"
        return Query(
            unsafe: """
                select n.number::pg_catalog.int4 as number, d.was::pg_catalog.text || ',' || d.now::pg_catalog.text as change \
                from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.tid[]), \
                pg_catalog.unnest($3::pg_catalog.jsonb[]), pg_catalog.unnest($4::pg_catalog.jsonb[])) \
                with ordinality as n (part, place, key, row, number) \
                left join lateral (\(now)) now on true \
                left join lateral (select pg_catalog.jsonb_object_agg(p.place, n.row -> p.place) as was, \
                pg_catalog.jsonb_object_agg(p.place, now.row -> p.place) as now \
                from pg_catalog.generate_series(0, \(pages.table.columns.count - 1)) as p (place) \
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
}
