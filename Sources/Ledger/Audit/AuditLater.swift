package import Asking
package import PQ

extension Audit {
    /// The same failure with the operation that stands in the way of an undo, where the ledger knows one.
    ///
    /// Somebody may have changed the rows without the ledger; then nothing stands there to be undone first.
    package static func explaining(
        _ failure: Failure, ofUndoing text: String, on connection: Connection, options: InquiryOptions
    ) -> Failure {
        guard failure.state == .changedSince, connection.isAlive,
            let range = IDRange(text),
            let row = try? open([query("later", range.ends)], on: connection, options: options).answers[0].first,
            let later = row.shown("id")?.text, let command = row.shown("command")?.text,
            let name = row.shown("operator")?.text
        else { return failure }
        return Failure(LedgerRefusal.undoneLater(failure, command: command, by: name, operation: later))
    }
}
