package import Asking
internal import Catalog
internal import Ledger
package import PQ
internal import Terminal

/// The results of the batches of a deletion so far; deleted and detached rows also of earlier runs.
package struct DeletionParts {
    private(set) var operation: String?
    /// The number of deleted and of detached rows by table.
    var deleted: [String: Int] = [:]
    var detached: [String: Int] = [:]
    var written: [TriggerRows.Found] = []
    var warnings: [Notice] = []
    var added: [QueuedRows] = []

    var total: Int { deleted.values.reduce(0, +) }

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

    /// Finds an unfinished deletion of the same accounts in the audit log; the next run continues that deletion.
    static func unfinished(_ root: AccountRoot, asking ask: Ask) throws(Failure) -> DeletionParts? {
        let query = Query(
            file: "catalog/deletion_unfinished.sql",
            values: [BoundValue(root.values, of: "text"), .text(root.name), .text(root.schema)])
        let rows = try ask([query])[0].rows
        guard let first = rows.first else { return nil }
        return try decoding { () throws(DecodingFailure) in
            var done = DeletionParts(operation: try first.text("id"))
            for row in rows {
                // There is no table before the first batch.
                guard let table = try row.optionalText("table"), let count = try row.optionalInteger("rows") else {
                    continue
                }
                let isDetached = try row.text("policy") == "detach"
                if isDetached { done.detached[table] = count } else { done.deleted[table] = count }
            }
            return done
        }
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
