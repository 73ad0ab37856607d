internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ
internal import Terminal

/// Writes an archive: the difference between the rows before and after the deletion.
///
/// usher writes the archive before the commit, so the archive also contains changes that triggers made.
final class ArchiveWriter {
    let file: PrivateFile
    private let transaction: ActTransaction
    private let account: AccountPlan
    private let elsewhere: Elsewhere
    /// The name of the exported snapshot from before the deletion.
    private let snapshot: String
    private var digest = SHA256()

    private static let page = 1000

    /// Creates the file, and exports a snapshot before the deletion changes rows.
    init(
        _ path: String, of account: AccountPlan, in transaction: ActTransaction, elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        (self.account, self.transaction, self.elsewhere) = (account, transaction, elsewhere)
        file = try PrivateFile(path)
        let answer = try transaction.run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        snapshot = try failing(try answer.only().text("name"))
    }

    /// Writes all tables and returns the checksum.
    ///
    /// `triggers` contains the number of changes that triggers made in each table. `claim` identifies the deletion in
    /// the audit log; a dry run has no claim.
    func write(
        _ triggers: [UInt32: ChangeCounters.Count], _ added: [QueuedRows], claim: String?, database: String
    ) throws(Failure) -> String {
        let head = JSON.present([("archive", ArchiveFile.version), ("claim", claim), ("database", database)])
        try write(head.text() + "\n")
        // The transaction on a second connection reads the old rows.
        let settings = ReadTransaction.Settings(timeout: InquiryOptions.witnessTimeout, snapshot: snapshot)
        let reader = ReadTransaction(on: try elsewhere(), settings: settings)
        _ = try reader.ask(["select 1"])
        let touched = Set(account.closure.tables).union(account.changed).union(triggers.keys)
            .union(added.map(\.relation.oid))
        var tables: [Archive.Table] = []
        for relation in touched.sorted().compactMap({ account.model.graph.tables[$0] }) {
            let count = triggers[relation.oid] ?? .init()
            let columns = account.model.columns.of(relation.oid).filter { !$0.isComputed }
            let table = Archive.Table(
                sql: relation.sql, name: relation.qualifiedName, key: relation.key.map(\.name),
                columns: columns.map(\.name.column), types: columns.map(\.wholeType))
            var archived = ArchivedTable(table: table, number: tables.count, relation: relation)
            try write(&archived, count, from: reader)
            // A row that a trigger inserted again counts as changed, not as added.
            archived.table.added = max(0, count.inserted - max(0, archived.table.changed - max(0, count.updated)))
            for rows in added where rows.relation.oid == relation.oid { archived.table.added += rows.rows }
            if archived.table.deleted + archived.table.changed + archived.table.added > 0 {
                tables.append(archived.table)
            }
        }
        try write(String(JSON([("tables", tables.map(\.json))]).text().dropLast()))
        let seal = digest.hexadecimal()
        try file.write(ArchiveFile.ending(seal))
        return seal
    }

    private func write(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        digest.update(bytes)
        try file.write(bytes)
    }

    private func write(
        _ archived: inout ArchivedTable, _ triggers: ChangeCounters.Count, from reader: ReadTransaction
    ) throws(Failure) {
        let table = archived.relation
        let isDeleted = account.closure.tables.contains(table.oid)
        // A trigger may insert a row with the key of a deleted row.
        let byTriggers = triggers.updated > 0 || triggers.deleted > 0 || triggers.inserted > 0 && isDeleted
        var bindings = Bindings()
        let change = account.changed.contains(table.oid) ? account.conditions.changes(table.oid, &bindings) : nil
        guard isDeleted || byTriggers || change != nil else { return }
        try [table].requireReadable()
        if !table.isReadableWhole { throw Failure(unreadable: [table.qualifiedName]) }
        try requireFindable(table, changing: change?.columns ?? [], isChanged: change != nil || triggers.updated > 0)
        let goes = isDeleted ? account.conditions.goes(table.oid, &bindings) : nil
        if byTriggers {
            try write(&archived, where: "t.xmax operator(pg_catalog.<>) '0'::pg_catalog.xid", [], from: reader)
        } else if let condition = any([goes, change?.condition]) {
            try write(&archived, where: condition, bindings.values, from: reader)
        }
    }

    private func requireFindable(_ table: Graph.Table, changing columns: [String], isChanged: Bool) throws(Failure) {
        var (code, hint): (String?, String) = (nil, "remove --archive")
        let problem: String
        if table.isDistributed {
            problem =
                "Citus keeps the rows of \(pasted(table.qualifiedName)) on other servers, where usher can't archive them"
        } else if table.key.isEmpty, isChanged {
            problem = "\(pasted(table.qualifiedName)) has no key, so `account restore` could not find its rows"
            (code, hint) = ("no_key", "add a primary key to the table, or remove --archive")
        } else if let key = columns.first(where: table.key.map(\.name).contains) {
            let column = account.model.path(.init(table: table.oid, column: key))
            problem = "a line of the app file changes \(column), which `account restore` needs to find the row"
        } else {
            return
        }
        throw Failure(.refused, problem, code: code, nothing: .deleted, hint: hint)
    }

    /// A row before the deletion: its partition, its address (ctid), its key and its values.
    private typealias OldRow = (part: String, place: String, key: String, image: String)

    /// Writes the rows that meet a condition, if the deletion deleted or changed these rows.
    private func write(
        _ archived: inout ArchivedTable, where condition: String, _ values: [BoundValue?], from reader: ReadTransaction
    ) throws(Failure) {
        let relation = archived.relation
        let query = Query(
            unsafe: """
                select t.tableoid::pg_catalog.text, t.ctid::pg_catalog.text, \(relation.keyText), \
                \(archived.image)::pg_catalog.text from \(relation.ownRows) t where \(condition)
                """, values: values)
        var rows: [OldRow] = []
        func flush() throws(Failure) {
            if rows.isEmpty { return }
            let answer = try transaction.ask([difference(archived, rows)])[0]
            var lines = ""
            for found in answer.rows {
                let (number, change) = try failing((try found.integer("number"), try found.optionalText("change")))
                let row = rows[number - 1]
                lines += "[\(archived.number),\(row.key),\(change ?? row.image)]\n"
                if change == nil { archived.table.deleted += 1 } else { archived.table.changed += 1 }
            }
            try write(lines)
            rows.removeAll(keepingCapacity: true)
        }
        try reader.streamRows(query) { view throws(Failure) in
            let values = (0..<4).map { view.value($0).text ?? "" }
            rows.append((values[0], values[1], values[2], values[3]))
            if rows.count == Self.page { try flush() }
        }
        try flush()
    }

    /// Compares rows from before the deletion with the current rows, by key, or else by row address (ctid).
    ///
    /// The result contains the deleted rows, and the changed rows with their old and new values.
    private func difference(_ archived: ArchivedTable, _ rows: [OldRow]) -> Query {
        let table = archived.relation
        let values = [rows.map(\.part), rows.map(\.place), rows.map(\.key), rows.map(\.image)].map(arrayLiteral)
        let isSame = table.key.isEmpty ? "t.tableoid = n.part and t.ctid = n.place" : table.hasKey(in: "n.key")
        let now = "select \(archived.image)::pg_catalog.jsonb as row from \(table.ownRows) t where \(isSame)"
        return Query(
            unsafe: """
                select n.number::pg_catalog.int4 as number, d.was::pg_catalog.text || ',' || d.now::pg_catalog.text as change \
                from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.tid[]), \
                pg_catalog.unnest($3::pg_catalog.jsonb[]), pg_catalog.unnest($4::pg_catalog.jsonb[])) \
                with ordinality as n (part, place, key, row, number) \
                left join lateral (\(now)) now on true \
                left join lateral (select pg_catalog.jsonb_object_agg(p.place, n.row -> p.place) as was, \
                pg_catalog.jsonb_object_agg(p.place, now.row -> p.place) as now \
                from pg_catalog.generate_series(0, \(archived.table.columns.count - 1)) as p (place) \
                where n.row -> p.place is distinct from now.row -> p.place) d on now.row is not null \
                where now.row is null or d.was is not null order by 1
                """, values)
    }
}
