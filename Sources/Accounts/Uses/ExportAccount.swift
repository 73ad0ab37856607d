package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// Everything that the database holds about a person, row by row.
package enum AccountExport {
    /// One line of it, as JSON without a newline.
    package typealias Line = [UInt8]

    /// What was handed on, and what was not.
    package struct Summary: Sendable {
        package let rows: Int
        /// Columns that seem to hold the person, and whose rows are not among them.
        package let besides: [HeldColumn]
        /// Columns that may hold the person, and that this role may not see.
        package let hidden: [String]
    }

    /// Hands on each row with its table, then the files.
    package static func stream(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        each receive: (Line) throws(Failure) -> Void
    ) throws(Failure) -> Summary {
        let reading = try AccountReading.open(request, on: connection, candidates: candidates, options: options)
        let survey = try AccountSurvey.make(
            of: reading.start, collateral: nil, thoroughly: request.isThorough, asking: reading.ask)
        try survey.requireUsers(asking: reading.ask)
        let map = survey.map
        let secrets = Set((reading.start.account?.secrets ?? []).map(\.column))
        var count = 0
        for table in tables(of: survey) {
            var bindings = Bindings()
            guard let relation = map.graph.tables[table],
                let condition = survey.closure.belonging(to: table, { _ in true }, &bindings)
            else { continue }
            let hidden = secrets.filter { $0.hasPrefix(relation.qualifiedName + ".") }
                .map { String($0.dropFirst(relation.qualifiedName.utf8.count + 1)) }.sorted()
            let row =
                hidden.isEmpty
                ? "pg_catalog.row_to_json(t.*)"
                : "(pg_catalog.to_jsonb(t.*) operator(pg_catalog.-) \(bindings.bind(arrayLiteral(hidden), as: "text[]")))"
            let head = JSONPayload.object([("table", .text(relation.qualifiedName))]).dropLast() + ",\"row\":"
            let query = Query(
                unsafe: "select \(row)::pg_catalog.text from \(relation.ownRows) t where \(condition)", bindings.values)
            try reading.stream(query) { view throws(Failure) in
                count += 1
                var line = Array(head.utf8)
                // Line ends stand between the tokens of a json column only: inside of strings they are escaped.
                let row = unsafe view.withBytes(0) { unsafe $0.map(Array.init) ?? [] }
                line +=
                    row.contains(0x0A) || row.contains(0x0D) ? row.map { [0x0A, 0x0D].contains($0) ? 0x20 : $0 } : row
                try receive(line + [UInt8(ascii: "}")])
            }
        }
        for file in survey.files.files {
            let line = JSONPayload.object([
                ("bucket", .text(file.bucket)), ("path", .text(file.path)), ("bytes", .number(file.bytes)),
            ])
            try receive(Array("{\"file\":\(line)}".utf8))
        }
        try reading.close()
        return Summary(rows: count, besides: survey.suspects, hidden: survey.search.hidden)
    }

    /// The tables with rows of the person: what would be deleted, parents first, then what would stay.
    private static func tables(of survey: AccountSurvey) -> [UInt32] {
        let deleted = survey.closure.deletionOrder.reversed().flatMap { $0 }
        let staying = Set(survey.closure.staying.keys.map { survey.map.links[$0].child }).subtracting(deleted)
        return deleted + staying.sorted()
    }
}
