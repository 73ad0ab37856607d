package import Asking
package import PQ

/// An operation that changed rows after another one, and so blocks its undo.
package struct LaterOperation {
    package let id, command, by: String
}

extension Audit {
    /// The operation that blocks an undo, by the failure of that; nil if the ledger has none.
    ///
    /// Somebody may have changed the rows without the ledger; then nothing stands there to be undone first.
    package static func later(
        blocking failure: Failure, ofUndoing text: String, on connection: Connection, options: InquiryOptions
    ) -> LaterOperation? {
        guard failure.state == .changedSince, connection.isAlive,
            let range = IDRange(text),
            let row = try? open([query("later", range.ends)], on: connection, options: options).answers[0].first,
            let id = row.shown("id")?.text, let command = row.shown("command")?.text,
            let name = row.shown("operator")?.text
        else { return nil }
        return LaterOperation(id: id, command: command, by: name)
    }
}
