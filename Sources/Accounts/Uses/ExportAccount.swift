package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Everything that the database holds about a person, row by row: how much was handed on, and what was not.
package struct AccountExport: Sendable {
    /// One line of it, as JSON without a newline.
    package typealias Line = [UInt8]

    package let rows: Int
    /// Columns that seem to hold the person, and whose rows are not among them.
    package let besides: [HeldColumn]
    /// Columns that may hold the person, and that this role may not see.
    package let hidden: [String]

    /// Hands on each row with its table, then the files.
    package static func stream(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        each receive: (Line) throws(Failure) -> Void
    ) throws(Failure) -> AccountExport {
        let reading = try AccountInquiry.open(request, on: connection, candidates: candidates, options: options)
        let account = try FoundAccount(of: reading.start, request, asking: reading.ask)
        try account.requireUsers(asking: reading.ask)
        let map = account.map
        let secrets = (reading.start.account?.secrets ?? []).map(\.names).filter { $0.count == 3 }
        var count = 0
        // One line after the other, where the one before it stood.
        var line: Line = []
        for table in tables(of: account) {
            guard let relation = map.graph.tables[table] else { continue }
            let hidden = Set(secrets.filter { $0[0] == relation.schema && $0[1] == relation.name }.map { $0[2] })
                .sorted()
            let head = Array(
                (JSONPayload.object([("table", .text(relation.qualifiedName))]).dropLast() + ",\"row\":").utf8)
            let queries = [
                own(relation, account.closure, besides: hidden), referring(relation, account.closure, besides: hidden),
            ]
            for query in queries.compactMap({ $0 }) {
                try reading.stream(query) { view throws(Failure) in
                    count += 1
                    // Line ends stand between the tokens of a json column only: inside of strings they are escaped.
                    line.removeAll(keepingCapacity: true)
                    line += head
                    view.append(0, to: &line)
                    for place in line.indices where line[place] == 0x0A || line[place] == 0x0D { line[place] = 0x20 }
                    line.append(UInt8(ascii: "}"))
                    try receive(line)
                }
            }
        }
        for file in account.files.files {
            let line = JSONPayload.object([
                ("bucket", .text(file.bucket)), ("path", .text(file.path)), ("bytes", .number(file.bytes)),
            ])
            try receive(Array("{\"file\":\(line)}".utf8))
        }
        try reading.close()
        return AccountExport(rows: count, besides: account.held.open, hidden: account.search.hidden)
    }

    /// The ways by which rows of a table are the person's: not by a reference that they merely lose, and a row of the users'
    /// own table is nobody's but its user's.
    private static func isOwn(_ link: AccountLink, _ map: AccountMap) -> Bool {
        if case .detach = link.effect { return false }
        return link.child != map.root.oid
    }

    /// Asks for the rows of a table that are the person's, whole.
    private static func own(_ table: Graph.Table, _ closure: AccountClosure, besides hidden: [String]) -> Query? {
        var bindings = Bindings()
        guard let belongs = closure.belonging(to: table.oid, { isOwn($0, closure.map) }, &bindings) else { return nil }
        let row =
            hidden.isEmpty
            ? "pg_catalog.row_to_json(t.*)"
            : "(pg_catalog.to_jsonb(t.*) operator(pg_catalog.-) \(bindings.bind(hidden, of: "text")))"
        return Query(
            unsafe: "select \(row)::pg_catalog.text from \(table.ownRows) t where \(belongs)", values: bindings.values)
    }

    /// Asks for the rows that merely refer to the person: what identifies them, and the columns that do.
    private static func referring(_ table: Graph.Table, _ closure: AccountClosure, besides hidden: [String]) -> Query? {
        let map = closure.map
        var bindings = Bindings()
        var cells = table.key.map { (name: $0.name, value: cell($0.name)) }
        var tests: [String] = []
        for link in (map.linksByChild[table.oid] ?? []).map({ map.links[$0] })
        where !isOwn(link, map) && !closure.isKnownToLeaveNone(link) {
            guard let test = link.condition(closure.keys, &bindings) else { continue }
            tests.append(test)
            let columns =
                link.column.map { [$0] } ?? link.reference?.columns.map(\.name) ?? link.reading.map { [$0.name] }
            for name in columns ?? [] where !table.key.contains(where: { $0.name == name }) {
                cells.append((name, "case when \(test) then \(cell(name)) end"))
            }
        }
        guard !tests.isEmpty else { return nil }
        let pairs = cells.filter { !hidden.contains($0.name) }.map { name, value in
            "(\(bindings.bind(name, as: "text")), pg_catalog.to_jsonb(\(value)))"
        }
        var condition = "(\(tests.joined(separator: " or ")))"
        if let own = closure.belonging(to: table.oid, { isOwn($0, map) }, &bindings) {
            condition += " and (\(own)) is not true"
        }
        let row =
            "select pg_catalog.jsonb_object_agg(c.name, c.value) from (values \(pairs.joined(separator: ", "))) as c (name, value)"
        return Query(
            unsafe:
                "select (\(row) where c.value is not null)::pg_catalog.text from \(table.ownRows) t where \(condition)",
            values: bindings.values)
    }

    /// The tables with rows of the person: what would be deleted, parents first, then what would stay.
    private static func tables(of account: FoundAccount) -> [UInt32] {
        let deleted = account.closure.deletionOrder.reversed().flatMap { $0 }
        let staying = Set(account.closure.staying.keys.map { account.map.links[$0].child }).subtracting(deleted)
        return deleted + staying.sorted()
    }
}
