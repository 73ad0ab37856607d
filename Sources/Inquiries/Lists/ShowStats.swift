package import AppFile
package import Asking
package import PQ

/// A table of counts, or the reason why usher can't read it.
package struct CountReport: Sendable {
    package let name: String
    package let summary: String
    package let rows: Rows?
    package let unavailable: Failure?
}

package struct StatsReport: Sendable {
    /// The number of users; nil if usher couldn't count them.
    package let users: Int?
    package let selections: [(selection: App.Selection, users: Int)]
    /// The users with each outcome: a label in the first column, and a number in the second.
    package let decisions: [CountReport]
    package let quotas: [CountReport]
    package let stats: [CountReport]
    /// The reason why usher couldn't count users and selections; nil if it could.
    package let unavailable: Failure?
}

extension Inquiry {
    /// Counts users by outcome, selection and quota, and reads the statistics of the app file, in one transaction.
    package func stats() throws(Failure) -> StatsReport {
        try requireWholeDirectory()
        let queries =
            [app.queries(bindings).count(app.users.selections)]
            + app.decisions.map { app.queries(bindings).outcomes(of: $0) }
            + app.quotas.map { app.queries(bindings).summary(of: $0) }
            + app.stats.map { app.queries(bindings).rows(of: $0, limit: Self.mostLabels) }
        var answers = try read(queries, isLast: true)[...]
        let total = answers.removeFirst().rows(hiding: hiding([app.users.select]))
        let all = try total.rows.map { rows throws(Failure) in try failing(try rows.only().integers()) } ?? []
        // A user with two rows would count twice.
        let repeated = all.count > 1 ? all[0] - all[1] : 0
        let doubt: Failure? = repeated == 0 ? nil : Failure(.failed, "@users returns \(repeated) users more than once")
        let counts = doubt == nil ? all.dropFirst() : []
        let selections = zip(app.users.selections, counts.dropFirst()).map { (selection: $0, users: $1) }
        let decisions = app.decisions.map { decision in
            count(decision.name, decision.question, answers.removeFirst(), decision.fragments, unless: doubt)
        }
        let quotas = try app.quotas.map { quota throws(Failure) in
            try summary(of: quota, answers.removeFirst())
        }
        let stats = app.stats.map { stat in count(stat.name, stat.summary, answers.removeFirst(), [stat.select]) }
        return StatsReport(
            users: counts.first, selections: selections, decisions: decisions, quotas: quotas, stats: stats,
            unavailable: doubt ?? total.unavailable)
    }

    private func count(
        _ name: String, _ summary: String, _ answer: Answer, _ fragments: [Fragment], unless known: Failure? = nil
    ) -> CountReport {
        if let known { return CountReport(name: name, summary: summary, rows: nil, unavailable: known) }
        let (rows, reason) = answer.rows(hiding: hiding(fragments))
        return CountReport(name: name, summary: summary, rows: rows, unavailable: reason)
    }

    private static let mostLabels = 100
}

extension App.Decision {
    fileprivate var fragments: [Fragment] { (select.map { [$0] } ?? []) + rules.map(\.condition) }
}
