internal import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

/// The results of the batches of a deletion so far, also of earlier runs.
package struct DeletionParts {
    private(set) var operation: String?
    /// The number of deleted and of detached rows by table.
    var deleted: [String: Int] = [:]
    var detached: [String: Int] = [:]
    var written: [TriggerRows.Found] = []
    var warnings: [Notice] = []
    var added: [QueuedRows] = []

    static func += (left: inout DeletionParts, right: DeletionParts) {
        left.deleted.merge(right.deleted, uniquingKeysWith: +)
        left.detached.merge(right.detached, uniquingKeysWith: +)
        left.written += right.written
        left.warnings += right.warnings
    }

    /// The row counts as the audit log records them.
    var arguments: [(String, String?)] {
        func words(_ deed: String, _ tables: [String: Int]) -> [(String, String?)] {
            tables.sorted { $0.key < $1.key }.map { ("\(deed) \($0.key)", String($0.value)) }
        }
        return words("delete", deleted) + words("detach", detached)
    }

    /// Finds an unfinished deletion of the same accounts in the audit log, as far as the role can read it.
    ///
    /// The next run continues that deletion.
    static func unfinished(
        _ root: AccountRoot, _ answers: AccountAnswers, _ ledger: Result<Rows, ServerError>, asking ask: Ask
    ) throws(Failure) -> DeletionParts? {
        guard try Ledger.installation(ledger)?.isReadable == true else { return nil }
        let query = Query(
            file: "catalog/deletion_unfinished.sql",
            values: [BoundValue(root.values, of: "text"), .text(root.name), .text(root.schema)])
        let rows = try ask([query])[0].rows
        guard let first = rows.first else { return nil }
        let id = try decoding(try first.text("id"))
        var done = DeletionParts(operation: id)
        try decoding { () throws(DecodingFailure) in
            // There is no table before the first batch.
            for row in rows {
                guard let table = try row.optionalText("table"), let count = try row.optionalInteger("rows") else {
                    continue
                }
                if try row.text("policy") == "detach" {
                    done.detached[table] = count
                } else {
                    done.deleted[table] = count
                }
            }
        }
        let records = try ask([Query(file: "catalog/deletion_trigger_rows.sql", [id])])
        done.written = try decoding { () throws(DecodingFailure) in try TriggerRows.Found.all(records[0]) }
        // An answer for a table also covers rows that triggers wrote earlier.
        for place in done.written.indices where answers[done.written[place].table] == .keep {
            done.written[place].leftover = 0
        }
        return done
    }

    /// The keys of the accounts that an unfinished batch deletion began with; nil if the operation is something else or
    /// has ended.
    package static func accounts(
        of operation: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (accounts: [String]?, ended: Value?) {
        let id = try Audit.operation(operation, on: connection, options: options).id
        let rows = try Audit.open(
            [Query(file: "catalog/deletion_accounts.sql", [id])], on: connection, options: options
        )
        .answers[0]
        return try decoding { () throws(DecodingFailure) in
            let row = try rows.only()
            return try row.boolean("open") ? (row.texts("accounts"), nil) : (nil, row.shown("ended"))
        }
    }
}

extension DeletionRequest {
    /// The options as the audit log records them, without the values of settings.
    var arguments: [(String, String?)] {
        settings.map { ("set " + $0.name, "…") } + account.answers.arguments
    }
}

extension TriggerRows.Found {
    var payload: [(String, JSON?)] {
        [
            ("table", .string(table)), ("rows", JSON(rows)), ("removed", .bool(isRemoved)),
            ("changed", .bool(isChanged)), ("accepted", .bool(leftover == 0)), ("why", why.map { .string($0) }),
        ]
    }

    static func all(_ answer: Rows) throws(DecodingFailure) -> [TriggerRows.Found] {
        try answer.rows.map { row throws(DecodingFailure) in
            let rows = try row.integer("rows")
            return TriggerRows.Found(
                table: try row.text("table"), rows: rows, isChanged: try row.boolean("changed"),
                isRemoved: try row.boolean("removed"), leftover: try row.boolean("accepted") ? 0 : rows,
                why: try row.optionalText("why"))
        }
    }
}
