package import AppFile
package import Asking
internal import Ledger
package import PQ

package struct AuditFilter: Sendable {
    package var limit: Int
    package var user: String?
    package var since: String?
    package var until: String?
    package var `operator`: String?

    /// Creates a filter for the latest operations; the other arguments limit the filter to some operations.
    package init(limit: Int, user: String? = nil, since: String? = nil, until: String? = nil, operator: String? = nil) {
        self.until = until
        self.limit = limit
        self.user = user
        self.since = since
        self.operator = `operator`
    }
}

extension Audit {
    package static func list(
        _ filter: AuditFilter, on connection: Connection, candidates: [App], options: InquiryOptions
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
        let question = lookUp("list", [since, filter.operator, names, String(filter.limit), until])
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
