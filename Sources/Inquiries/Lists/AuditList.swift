package import AppFile
package import Asking
internal import Ledger
package import PQ

/// The operations to list.
package struct AuditFilter: Sendable {
    package var limit: Int
    package var user: String?
    package var since: String?
    package var until: String?
    package var `operator`: String?

    /// The latest operations, all or filtered.
    package init(limit: Int, user: String? = nil, since: String? = nil, until: String? = nil, operator: String? = nil) {
        self.until = until
        self.limit = limit
        self.user = user
        self.since = since
        self.operator = `operator`
    }
}

extension Audit {
    /// The latest operations and the columns they have.
    package static func list(
        _ filter: AuditFilter, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Rows {
        let names = try filter.user.map { user throws(Failure) in
            arrayLiteral(try Self.names(of: user, on: connection, candidates: candidates, options: options))
        }
        let since = try filter.since.map { since throws(Failure) in
            try TypedTimes(ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), options)
                .instant(since, named: "--since", countsBack: true)
        }
        let until = try filter.until.map { until throws(Failure) in
            try TypedTimes(ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), options)
                .instant(until, named: "--until", countsBack: true)
        }
        let question = lookUp("list", [since, filter.operator, names, String(filter.limit), until])
        return try open([question], on: connection, options: options).answers[0]
    }

    /// True if a row of the list is a saved change of rows, other than an undo, that an undo can restore.
    package static func isUndoable(_ row: Row) -> Bool {
        ["committed", "partial"].contains(row.shown("outcome")?.text ?? "")
            && row.shown("command")?.text != "audit undo" && row.shown("erased_by")?.isNull ?? true
            && (row.shown("changes")?.text).flatMap { Int($0) } ?? 0 > 0
    }

    /// The names of a user in the audit log: the key and the emails; a deleted or unknown user has the given name, if
    /// that is allowed.
    package static func names(
        of text: String, mayBeGone: Bool = true, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [String] {
        var names = [text, text.lowercased()]
        do throws(Failure) {
            let (inquiry, user, _) = try Inquiry.open(
                for: text, on: connection, candidates: candidates, options: options)
            names += [user.key] + user.emails(in: inquiry.app).map { $0.lowercased() }
        } catch {
            if error.kind != .failed, error.kind != .notFound || !mayBeGone { throw error }
        }
        return names
    }
}
