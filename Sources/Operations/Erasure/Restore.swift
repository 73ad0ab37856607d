internal import Catalog
package import PQ

/// What came back from an archive.
package struct RestoreReport: Sendable {
    package var operation: String?
    package var restored: [(table: String, rows: Int)] = []
    /// Rows that got back what the deletion had emptied or overwritten.
    package var reattached: [(table: String, rows: Int)] = []
    /// What could not be put back, with the reason.
    package var missed: [String] = []
}

/// Puts back what a deletion took away, from the archive that it wrote: the same ids, parents first, nothing else.
package struct Restore {
    private let archive: Archive
    private let connection: Connection
    private let options: InquiryOptions
    /// The environment it would be restored into.
    package let environment: String

    /// How many rows the archive holds.
    package var total: Int { archive.sections.reduce(0) { $0 + $1.rows.count } }

    /// Reads an archive, and refuses one that is not whole.
    package static func open(
        _ path: String, reason: String?, isDryRun: Bool, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> Restore {
        let archive = try Archive(path, on: connection)
        let answers = try failing { () throws(PQError) in
            try ReadTransaction(on: connection, settings: .init(timeout: options.timeout)).read(
                [Ledger.question, Environment.query], isLast: true)
        }
        if !isDryRun { try Ledger.requireWritable(answers[0]) }
        let environment = Environment(answers[1]).name
        if environment == "production", reason == nil, !isDryRun {
            throw Failure(.refused, "a change in production needs a reason", hint: "add --reason TEXT")
        }
        return Restore(archive: archive, connection: connection, options: options, environment: environment)
    }

    /// Restores everything in one transaction, or nothing.
    package func run(reason: String?, ticket: String?, isDryRun: Bool) throws(Failure) -> RestoreReport {
        let transaction = try ErasureTransaction(on: connection, options: options)
        defer { transaction.end() }
        var report = RestoreReport()
        if !isDryRun {
            let id = OperationID.make()
            let payload = JSONPayload.object([
                ("target", .text("an archive")), ("total", .number(total)), ("reason", reason.map { .text($0) }),
                ("ticket", ticket.map { .text($0) }), ("environment", .text(environment)), ("final", .flag(true)),
            ])
            try transaction.run([
                Ledger.record(
                    Ledger.Entry(
                        id: id, kind: .undo, outcome: .committed, command: "account restore", undoes: archive.operation,
                        payload: payload))
            ])
            report.operation = id
        }
        let groups = Dictionary(grouping: archive.sections.filter { $0.kind == .deleted }, by: \.group)
        for (_, sections) in groups.sorted(by: { $0.key < $1.key }) {
            try insert(sections, in: transaction, &report)
        }
        for section in archive.sections where section.kind == .changed { try update(section, in: transaction, &report) }
        guard case .success = try transaction.attempt(["set constraints all immediate"]) else {
            throw Failure(.conflict, "what the archive refers to is not all there; nothing was restored")
        }
        guard !isDryRun else { return report }
        try failing { () throws(PQError) in try transaction.commit() }
        _ = try? connection.pipeline([Ledger.sealing])
        return report
    }

    /// Inserts the rows of tables that may refer to each other, in one statement.
    ///
    /// A row that a trigger made again a moment ago, in this transaction, becomes what it was.
    private func insert(
        _ sections: [Archive.Section], in transaction: ErasureTransaction, _ report: inout RestoreReport
    ) throws(Failure) {
        var parts: [String] = []
        for (index, section) in sections.enumerated() {
            let columns = section.columns.map { Identifier($0).quoted }
            let values = section.types.enumerated().map { "(r ->> \($0))::\($1)" }
            var sql = """
                insert into \(section.table) as t (\(columns.joined(separator: ", "))) overriding system value \
                select \(values.joined(separator: ", ")) from pg_catalog.unnest($\(index + 1)::pg_catalog.jsonb[]) as r
                """
            if !section.key.isEmpty {
                let key = section.key.map { Identifier($0).quoted }.joined(separator: ", ")
                let rest = section.columns.filter { !section.key.contains($0) }.map { Identifier($0).quoted }
                let sets = rest.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
                sql += " on conflict (\(key)) do " + (rest.isEmpty ? "nothing" : "update set \(sets) where \(ownWrite)")
            }
            parts.append("i\(index) as (\(sql) returning 1)")
        }
        let counts = sections.indices.map { "(select pg_catalog.count(*) from i\($0))" }
        let query = Query(
            "with \(parts.joined(separator: ", ")) select \(counts.joined(separator: ", "))",
            sections.map { arrayLiteral($0.rows) })
        let names = sections.map(\.name).joined(separator: ", ")
        switch try transaction.attempt([query]) {
        case .failure(let error):
            throw Failure(
                .conflict, "\(names): \(error.message); nothing was restored", hint: error.detail, state: error.state)
        case .success(let answers):
            for (section, value) in zip(sections, answers[0].first?.values ?? []) {
                let rows = value.text.flatMap { Int($0) } ?? 0
                guard rows == section.rows.count else {
                    throw Failure(
                        .conflict,
                        "\(section.name): \(section.rows.count - rows) of \(section.rows.count) rows are there again already; nothing was restored",
                        hint: "somebody else made them since the deletion")
                }
                report.restored.append((section.name, rows))
            }
        }
    }

    /// Gives rows that stayed what they had before, where it is still empty.
    private func update(
        _ section: Archive.Section, in transaction: ErasureTransaction, _ report: inout RestoreReport
    ) throws(Failure) {
        let width = section.key.count
        let sets = section.columns.enumerated().map { index, name in
            "\(Identifier(name).quoted) = (r ->> \(width + index))::\(section.types[width + index])"
        }
        let keys = section.key.enumerated().map { index, name in
            "t.\(Identifier(name).quoted) = (r ->> \(index))::\(section.types[index])"
        }
        let query = Query(
            """
            update \(section.table) t set \(sets.joined(separator: ", ")) \
            from pg_catalog.unnest($1::pg_catalog.jsonb[]) as r where \(keys.joined(separator: " and "))
            """, [arrayLiteral(section.rows)])
        switch try transaction.attempt([query]) {
        case .failure(let error):
            throw Failure(
                .conflict, "\(section.name): \(error.message); nothing was restored", hint: error.detail,
                state: error.state)
        case .success(let answers):
            let rows = answers[0].affected
            report.reattached.append((section.name, rows))
            if rows < section.rows.count {
                report.missed.append("\(section.name): \(section.rows.count - rows) rows are not there any more")
            }
        }
    }
}

/// An archive as it was read.
struct Archive {
    struct Section {
        enum Kind { case deleted, changed }

        let kind: Kind
        /// As SQL, and as it is shown.
        let table: String
        let name: String
        let group: Int
        let key: [String]
        let columns: [String]
        let types: [String]
        var rows: [String] = []
    }

    let operation: String?
    private(set) var sections: [Section] = []

    /// Reads a file; the server reads the JSON of its heads.
    init(_ path: String, on connection: Connection) throws(Failure) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let heads = lines.filter { $0.hasPrefix("{") }
        let rows = try failing { () throws(PQError) in try connection.execute(Self.question(heads)) }.rows
        guard rows.count == heads.count, rows.first?["version"]?.text == String(ArchiveWriter.version),
            rows.last?["ends"]?.text == "true"
        else {
            throw Failure(.usage, "\(path) is no archive of this program, or not all of one")
        }
        operation = rows.first?["operation"]?.text
        var next = 0
        for line in lines {
            guard line.hasPrefix("{") else {
                if !sections.isEmpty { sections[sections.count - 1].rows.append(line) }
                continue
            }
            let row = rows[next]
            next += 1
            if let section = Section(row) { sections.append(section) }
        }
    }

    private static func question(_ heads: [String]) -> Query {
        Query(
            """
            select h ->> 'archive' as version, h ->> 'operation' as operation, h ->> 'end' as ends,
                   coalesce(h ->> 'table', h ->> 'changed') as "table", h ? 'changed' as changed, h ->> 'group' as "group",
                   (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'key') with ordinality k (e, n)) as key,
                   (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'columns') with ordinality k (e, n))
                       as columns,
                   (select array_agg(e order by n) from jsonb_array_elements_text(h -> 'types') with ordinality k (e, n)) as types
              from unnest($1::text[]) with ordinality as l (line, place)
             cross join lateral (select l.line::jsonb as h) j
             order by l.place
            """, [arrayLiteral(heads)])
    }
}

extension Archive.Section {
    fileprivate init?(_ row: Row) {
        func list(_ name: String) -> [String] {
            row[name]?.text.map { arrayElements($0).compactMap { $0 } } ?? []
        }
        guard let table = row["table"]?.text else { return nil }
        self.init(
            kind: row["changed"]?.text == "t" ? .changed : .deleted, table: table,
            name: table.split(separator: "\"").filter { $0 != "." }.joined(separator: "."),
            group: row["group"]?.text.flatMap { Int($0) } ?? 0, key: list("key"), columns: list("columns"),
            types: list("types"))
    }
}
