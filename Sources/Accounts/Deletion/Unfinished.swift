package import Asking
internal import Catalog
internal import Ledger
package import PQ

/// A deletion in parts that stopped on the way, and that the next one of the same accounts goes on with.
package struct Unfinished {
    let id: String
    /// The rows that are deleted, by table.
    let gone: [String: Int]
    /// What triggers wrote meanwhile.
    let written: [WrittenRows.Found]

    /// Looks for one in the ledger, as far as the role may read it.
    static func find(
        _ root: AccountRoot, _ ledger: Result<Rows, ServerError>, asking ask: Ask
    ) throws(Failure) -> Unfinished? {
        guard try Ledger.installation(ledger)?.isReadable == true else { return nil }
        let query = Query(
            file: "catalog/erasure_unfinished.sql", [arrayLiteral(root.values), root.name, root.schema])
        let rows = try ask([query])[0].rows
        guard let first = rows.first else { return nil }
        let id = try decoding(try first.text("id"))
        // Before the first batch there is no table.
        let counts = try decoding(
            try rows.map { row throws(DecodingFailure) in
                (try row.optionalText("table") ?? "", try row.optionalInteger("rows") ?? 0)
            }
        ).filter { !$0.0.isEmpty }
        let written = try ask([Query(file: "catalog/erasure_written.sql", [id])])[0]
        return Unfinished(
            id: id, gone: Dictionary(counts) { $0 + $1 },
            written: try decoding { () throws(DecodingFailure) in try WrittenRows.Found.all(written) })
    }

    /// Whose accounts an operation began to delete in parts and did not finish, by their keys; nil where it is none of those.
    package static func accounts(
        of operation: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [String]? {
        let id = try Audit.operation(operation, on: connection, options: options).id
        let rows = try Audit.open([Query(file: "catalog/erasure_accounts.sql", [id])], on: connection, options: options)
            .answers[0]
        guard let row = rows.first else { return nil }
        return try decoding(try row.texts("accounts"))
    }
}
