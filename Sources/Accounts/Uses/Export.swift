package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

extension AccountPlan {
    /// Streams the rows of the account, each with its table, then the stored files; returns the number of rows.
    ///
    /// usher doesn't export the rows of undeclared columns; the plan names these columns.
    package static func export(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        each receive: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> (plan: AccountPlan, rows: Int) {
        let (start, transaction) = try AccountStart.open(
            request, on: connection, candidates: candidates, options: options)
        let account = try AccountPlan(of: start, asking: transaction.ask)
        let model = account.model
        let partly = account.closure.tables.filter { !model.columns.of($0).allSatisfy(\.isReadable) }
        if !partly.isEmpty { throw Failure(unreadable: partly.map(model.name).sorted()) }
        let secrets = (start.account?.secrets ?? []).map(\.names).filter { $0.count == 3 }
        var count = 0
        // Using one buffer avoids an allocation for each line.
        var line: [UInt8] = []
        for table in account.exported {
            guard let relation = model.graph.tables[table] else { continue }
            let hidden = Set(secrets.filter { $0[0] == relation.schema && $0[1] == relation.name }.map { $0[2] })
                .sorted()
            let head = Array(
                (JSON.present([("table", relation.qualifiedName)]).text().dropLast() + ",\"row\":").utf8)
            guard let query = account.rows(of: relation, without: hidden) else { continue }
            try transaction.streamRows(query) { view throws(Failure) in
                count += 1
                // Only a json column can contain raw newlines, and only between JSON tokens, where a space is equivalent.
                line.removeAll(keepingCapacity: true)
                line += head
                view.append(0, to: &line)
                for place in line.indices where line[place] == 0x0A || line[place] == 0x0D { line[place] = 0x20 }
                line.append(UInt8(ascii: "}"))
                try receive(line)
            }
        }
        for file in account.files { try receive(Array(JSON([("file", file.json)]).text().utf8)) }
        try failing { () throws(PQError) in try transaction.end() }
        return (account, count)
    }

    /// The condition that a row belongs to the user: the row would be deleted, or a line selects the row.
    ///
    /// In user tables, only the user's own row belongs to the user.
    private func isOwn(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        if model.isUser(table) { return bindings.attempt { conditions.isUserRow(table, &$0) } }
        return any([
            conditions.goes(table, &bindings), bindings.attempt { conditions.kept(table, &$0) },
            conditions.assigned(table, &bindings),
        ])
    }

    /// Selects the user's rows of a table, and the key and the referring columns of rows that only refer to the user.
    private func rows(of table: Graph.Table, without hidden: [String]) -> Query? {
        var bindings = Bindings()
        let isOwn = isOwn(table.oid, &bindings)
        var cells = table.key.map { (name: $0.name, value: cell($0.name)) }
        var tests = [isOwn]
        for edge in model.edges(from: table.oid) where !edge.isAsked {
            guard let test = conditions.refs(edge, &bindings) else { continue }
            tests.append(test)
            for name in edge.columns where !table.key.contains(where: { $0.name == name }) {
                cells.append((name, "case when \(test) then \(cell(name)) end"))
            }
        }
        guard let test = any(tests) else { return nil }
        var row = "pg_catalog.row_to_json(t.*)::pg_catalog.text"
        if isOwn != nil, !hidden.isEmpty {
            let names = bindings.bind(hidden, of: "text")
            row = "(pg_catalog.to_jsonb(t.*) operator(pg_catalog.-) \(names))::pg_catalog.text"
        }
        // If both conditions are equal, all selected rows belong to the user.
        if test != isOwn {
            let pairs = cells.filter { !hidden.contains($0.name) }.map { name, value in
                "pg_catalog.jsonb_build_object(\(bindings.bind(name, as: "text")), \(value))"
            }
            let object = pairs.joined(separator: " operator(pg_catalog.||) ")
            let part = "pg_catalog.jsonb_strip_nulls(\(object))::pg_catalog.text"
            row = isOwn.map { "case when \($0) then \(row) else \(part) end" } ?? part
        }
        return Query(unsafe: "select \(row) from \(table.ownRows) t where \(test)", values: bindings.values)
    }

    /// The tables with rows of the user: deleted rows first, parents before children, then kept rows.
    private var exported: [UInt32] {
        let deleted = closure.order.reversed().flatMap { $0 }
        return deleted + Set(staying.filter { !$0.value.isEmpty }.keys).subtracting(deleted).sorted()
    }
}
