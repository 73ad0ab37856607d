package import AppFile
package import PQ

/// How the quotas stand over all users.
package struct QuotaSummary: Sendable {
    package let name: String
    /// The columns limit, period, users, used and exhausted, one row a limit and period.
    package let rows: Rows?
    package let unavailable: String?
}

extension Inquiry {
    /// The quotas of one user.
    package static func quotas(
        of text: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [QuotaReport] {
        let (inquiry, user, _) = try open(for: text, on: connection, candidates: candidates, options: options)
        let quotas = inquiry.app.quotas
        let bindings = inquiry.bindings(for: user)
        let answers = try inquiry.read(
            quotas.map { inquiry.app.usage(of: $0, keys: [user.key], type: user.keyType, bindings: bindings) },
            isLast: true)
        return zip(quotas, answers).map { QuotaReport($0, $1, hiding: inquiry.hiding([$0.select])) }
    }

    /// The quotas over all users.
    package static func quotas(
        on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [QuotaSummary] {
        let (inquiry, _) = try open(on: connection, candidates: candidates, options: options)
        let quotas = inquiry.app.quotas
        let answers = try inquiry.read(
            quotas.map { inquiry.app.summary(of: $0, bindings: inquiry.bindings) }, isLast: true)
        return zip(quotas, answers).map { quota, answer in
            let (rows, reason) = answer.rows(hiding: inquiry.hiding([quota.select]))
            return QuotaSummary(name: quota.name, rows: rows, unavailable: reason)
        }
    }
}
