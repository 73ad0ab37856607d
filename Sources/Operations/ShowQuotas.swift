package import AppFile
package import PQ

/// How the quotas stand over all users.
package struct QuotaSummary: Sendable {
    package let name: String
    /// The columns limit, period, users, used and exhausted, one row a limit and period.
    package let rows: Rows?
    package let unavailable: String?
}

/// What to ask about one user and one quota.
struct QuotaQuestion {
    let queries: [ComposedQuery]
    private let quota: App.Quota

    init(_ quota: App.Quota, about user: User, in inquiry: Inquiry) {
        let bindings = inquiry.bindings(for: user)
        self.quota = quota
        queries =
            [inquiry.app.usage(of: quota, keys: [user.key], type: user.keyType, bindings: bindings)]
            + (quota.history.map { [inquiry.app.rows(of: $0, limit: Self.mostSteps, bindings: bindings)] } ?? [])
    }

    /// Takes the answers to its queries off the front.
    func report(_ answers: inout ArraySlice<Answer>, in inquiry: Inquiry) -> QuotaReport {
        let (rows, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([quota.select]))
        let history = quota.history.map { history in
            let (steps, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([history.select]))
            return QuotaReport.History(summary: history.summary, rows: steps, unavailable: reason)
        }
        return QuotaReport(name: quota.name, usage: rows?.first, unavailable: reason, history: history)
    }

    private static let mostSteps = 60
}

extension Inquiry {
    /// The quotas of one user.
    package static func quotas(
        of text: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [QuotaReport] {
        let (inquiry, user, _) = try open(for: text, on: connection, candidates: candidates, options: options)
        let questions = inquiry.app.quotas.map { QuotaQuestion($0, about: user, in: inquiry) }
        var answers = try inquiry.read(questions.flatMap(\.queries), isLast: true)[...]
        return questions.map { $0.report(&answers, in: inquiry) }
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
