package import Asking
package import PQ

extension Audit {
    /// The later operation that blocks an undo; nil if somebody changed the rows without usher.
    package static func later(
        blocking failure: Failure, ofUndoing text: String, on connection: Connection, options: InquiryOptions
    ) -> (id: String, command: String, by: String)? {
        guard failure.state == .changedSince, connection.isAlive,
            let range = IDRange.ends(of: text),
            let row = try? open([query("later", range)], on: connection, options: options).answers[0].first,
            let id = row.shown("id")?.text, let command = row.shown("command")?.text,
            let name = row.shown("operator")?.text
        else { return nil }
        return (id, command, name)
    }
}
