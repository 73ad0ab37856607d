package import AppFile
package import Asking
internal import Ledger
package import PQ

extension Audit {
    package static func list(
        _ filter: ListOptions, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Rows {
        let names = try filter.user.map { user throws(Failure) in
            arrayLiteral(try Self.names(of: user, on: connection, candidates: candidates, options: options))
        }
        func instant(_ text: String?, named name: String) throws(Failure) -> String? {
            guard let text else { return nil }
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
            return try TypedTimes(transaction, options).instant(text, named: name, countsBack: true)
        }
        let since = try instant(filter.since, named: "--since")
        let until = try instant(filter.until, named: "--until")
        let question = lookUp("list", [since, filter.operator, names, filter.limit.map(String.init), until])
        return try open([question], on: connection, options: options).answers[0]
    }

    /// True if a listed operation changed rows and an undo can restore them; false for an undo.
    package static func isUndoable(_ row: Row) -> Bool {
        ["committed", "partial"].contains(row.shown("outcome")?.text ?? "")
            && row.shown("command")?.text != "audit undo"
            && (row.shown("changes")?.text).flatMap { Int($0) } ?? 0 > 0
    }

    /// The names that a user can have in the audit log: the typed text, the key and the emails.
    ///
    /// If there is no such user, the result is only the typed text; with `mayBeGone` false, the function throws.
    package static func names(
        of text: String, mayBeGone: Bool = true, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [String] {
        var names = [text, text.lowercased()]
        do throws(Failure) {
            let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .users)
            let user = try inquiry.user(named: text)
            names += [user.key] + user.emails(in: inquiry.app).map { $0.lowercased() }
        } catch {
            if error.kind != .failed, error.kind != .notFound || !mayBeGone { throw error }
        }
        return names
    }
}
