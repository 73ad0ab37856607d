package import AppFile
package import Asking
package import PQ

package struct QuotaSummary: Sendable {
    package let name: String
    /// One row for each limit and period, with the columns limit, period, users, used and exhausted.
    package let rows: Rows?
    package let unavailable: Unreadable?

    init(name: String, rows: Rows?, unavailable: Unreadable?) {
        self.name = name
        self.rows = rows
        self.unavailable = unavailable
    }

    init(_ quota: App.Quota, _ answer: Answer, hiding: Unreadable?) throws(Failure) {
        name = quota.name
        let (all, reason) = answer.rows(hiding: hiding)
        let several = try decoding { () throws(DecodingFailure) in
            // The query has the column `several` only if the quota can return several rows for a user.
            try (all?.rows ?? []).filter { $0.shown("several") != nil }
                .map { row throws(DecodingFailure) in try row.integer("several") }.reduce(0, +)
        }
        rows =
            several > 0
            ? nil : all.map { all in all.only(all.columns.indices.filter { all.columns[$0].name != "several" }) }
        unavailable =
            several > 0
            ? .other("the quota returns several rows for \(several.of("user")) instead of one each") : reason
    }
}

/// The queries about one quota of one user, and the decoding of their results.
struct QuotaQuestion {
    let quota: App.Quota

    func queries(for user: UserKey, in inquiry: Inquiry) -> [ComposedQuery] {
        let bindings = inquiry.bindings(for: user)
        return [inquiry.app.queries(bindings).usage(of: quota, by: user)]
            + (quota.history.map { [inquiry.app.queries(bindings).rows(of: $0, limit: Self.mostSteps)] } ?? [])
    }

    /// Decodes and removes the quota's results from the list; returns one report, or one for each `@per` value.
    func reports(_ answers: inout ArraySlice<Answer>, in inquiry: Inquiry) -> [QuotaReport] {
        let (rows, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([quota.select]))
        let history = quota.history.map { history in
            let (steps, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([history.select]))
            return QuotaReport.History(summary: history.summary, rows: steps, unavailable: reason)
        }
        func report(_ rows: [Row], per: Value?, because reason: Unreadable?) -> QuotaReport {
            QuotaReport(
                name: quota.name, per: per.flatMap { value in quota.per.map { ($0, value) } },
                usage: rows.count > 1 ? nil : rows.first,
                unavailable: rows.count > 1
                    ? .other("the quota returns \(rows.count) rows for this user instead of one") : reason,
                history: history)
        }
        let all = rows?.rows ?? []
        guard quota.per != nil, !all.isEmpty else { return [report(all, per: nil, because: reason)] }
        // The rows are sorted by the `@per` value, so rows with equal values are next to each other.
        var reports: [QuotaReport] = []
        var rest = all[...]
        while let first = rest.first {
            let per = first.values.last ?? Value(nil)
            let same = rest.prefix { $0.values.last == per }
            reports.append(report(Array(same), per: per, because: nil))
            rest = rest.dropFirst(same.count)
        }
        return reports
    }

    private static let mostSteps = 60
}

extension Inquiry {
    package static func quotas(
        of text: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [QuotaReport] {
        let inquiry = try open(on: connection, candidates: candidates, options: options, for: .users)
        let questions = inquiry.app.quotas.map(QuotaQuestion.init)
        var (user, answers) = try inquiry.user(named: text, isLast: true) { key in
            questions.flatMap { $0.queries(for: key, in: inquiry) }
        }
        return questions.flatMap { question in
            question.reports(&answers, in: inquiry).map { report in
                var report = report
                report.tier = question.quota.tier.flatMap { user.facts.shown($0) }
                return report
            }
        }
    }

    package static func quotas(
        on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [QuotaSummary] {
        let inquiry = try open(on: connection, candidates: candidates, options: options)
        let quotas = inquiry.app.quotas
        let answers = try inquiry.read(
            quotas.map { inquiry.queries.summary(of: $0) }, isLast: true)
        return try zip(quotas, answers).map { quota, answer throws(Failure) in
            try QuotaSummary(quota, answer, hiding: inquiry.hiding([quota.select]))
        }
    }
}
