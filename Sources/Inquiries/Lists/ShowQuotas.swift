internal import AppFile
package import Asking
internal import PQ

/// The queries about one quota of one user, and the decoding of their results.
extension App.Quota {
    func queries(for user: UserKey, in inquiry: Inquiry) -> [ComposedQuery] {
        let bindings = inquiry.bindings(for: user)
        return [inquiry.app.queries(bindings).usage(of: self, by: user)]
            + (history.map { [inquiry.app.queries(bindings).rows(of: $0, limit: Self.mostSteps)] } ?? [])
    }

    /// Decodes and removes the quota's results from the list; returns one report, or one for each `@per` value.
    func reports(_ answers: inout ArraySlice<Answer>, in inquiry: Inquiry) -> [QuotaReport] {
        let (rows, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([select]))
        let history = self.history.map { history in
            let (steps, reason) = answers.removeFirst().rows(hiding: inquiry.hiding([history.select]))
            return CountReport(name: name, summary: history.summary, rows: steps, unavailable: reason)
        }
        func report(_ rows: [Row], per: Value?, because reason: Failure?) -> QuotaReport {
            QuotaReport(
                name: name, per: per.flatMap { value in self.per.map { ($0, value) } },
                usage: rows.count > 1 ? nil : rows.first,
                unavailable: rows.count > 1
                    ? Failure(.failed, "the quota returns \(rows.count) rows for this user instead of one") : reason,
                history: history)
        }
        let all = rows?.rows ?? []
        guard self.per != nil, !all.isEmpty else { return [report(all, per: nil, because: reason)] }
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
    /// The usage of all quotas by one user.
    package func quotas(of text: String) throws(Failure) -> [QuotaReport] {
        let quotas = app.quotas
        var (user, answers) = try UserSearch.one(text, in: self, isLast: true) { key in
            quotas.flatMap { $0.queries(for: key, in: self) }
        }
        return quotas.flatMap { quota in
            quota.reports(&answers, in: self).map { report in
                var report = report
                report.tier = quota.tier.flatMap { user.facts.shown($0) }
                return report
            }
        }
    }

    /// The usage of all quotas by all users.
    package func quotas() throws(Failure) -> [CountReport] {
        let answers = try read(app.quotas.map { queries.summary(of: $0) }, isLast: true)
        return try zip(app.quotas, answers).map { quota, answer throws(Failure) in try summary(of: quota, answer) }
    }

    /// The usage of a quota by all users: one row for each limit and period, with columns for users, used and exhausted.
    func summary(of quota: App.Quota, _ answer: Answer) throws(Failure) -> CountReport {
        let (rows, reason) = answer.rows(hiding: hiding([quota.select]))
        // The query has the column `several` only if the quota can return several rows for a user.
        let several = try failing(
            try (rows?.rows ?? []).filter { $0.shown("several") != nil }
                .map { row throws(PQError) in try row.integer("several") }.reduce(0, +))
        let isDoubtful = several > 0
        return CountReport(
            name: quota.name, summary: "",
            rows: isDoubtful
                ? nil : rows.map { $0.only($0.columns.indices.filter { rows?.columns[$0].name != "several" }) },
            unavailable: isDoubtful
                ? Failure(.failed, "the quota returns more than one row for \(several.of("user"))")
                : reason)
    }
}
