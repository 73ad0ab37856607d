package import Asking
package import PQ

/// An operation that later changed the same rows, and so blocks an undo.
package struct LaterOperation {
    package let id, command, by: String
}

extension Audit {
    /// The operation that blocks a failed undo; nil if somebody changed the rows without usher.
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
