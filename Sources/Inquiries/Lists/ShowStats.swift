package import AppFile
package import Asking
package import Catalog
package import PQ

/// How all users stand, in numbers.
package struct StatsReport: Sendable {
    /// Labels and how many users, or whatever else is counted, each has.
    package struct Count: Sendable {
        package let name: String
        package let summary: String
        /// The first column is the label, the second the number.
        package let rows: Rows?
        package let unavailable: Unreadable?
    }

    /// A selection of users and how many there are.
    package struct Selected: Sendable {
        package let name: String
        package let sentence: String
        package let users: Int
    }

    package let app: App
    package let environment: Environment
    package let now: String
    /// How many users there are, nil where they cannot be counted.
    package let users: Int?
    package let selections: [Selected]
    package let decisions: [Count]
    package let quotas: [QuotaSummary]
    package let stats: [Count]
    /// Why users and selections could not be counted.
    package let unavailable: Unreadable?
}

extension Inquiry {
    /// Counts users by outcome, selection, quota, and whatever the app file counts, at one instant.
    package static func stats(
        on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> StatsReport {
        let inquiry = try open(on: connection, candidates: candidates, options: options)
        try inquiry.requireWholeDirectory()
        let areOnce = try inquiry.isEveryUserOnce()
        if let report = try inquiry.stats(inquiry.app.tallies, areOnce) { return report }
        inquiry.reopen()
        guard let report = try inquiry.stats([], areOnce) else { preconditionFailure() }
        return report
    }

    /// Counts what tallies count, and all else one by one; nil where a tally does not hold.
    private func stats(_ tallies: [Tally], _ areOnce: Bool) throws(Failure) -> StatsReport? {
        let isTallied = Set(tallies.flatMap(\.figures).map(\.name))
        let alone = (
            selections: app.users.selections.filter { !isTallied.contains(.selection($0.name)) },
            decisions: app.decisions.filter { !isTallied.contains(.decision($0.name)) },
            quotas: app.quotas.filter { !isTallied.contains(.quota($0.name)) }
        )
        let queries =
            [app.count(alone.selections, areKnownOnce: areOnce, bindings: bindings)]
            + tallies.flatMap { [$0.query(for: app, bindings: bindings), $0.proof(for: app, bindings: bindings)] }
            + alone.decisions.map { app.outcomes(of: $0, bindings: bindings) }
            + alone.quotas.map { app.summary(of: $0, bindings: bindings) }
            + app.stats.map { app.rows(of: $0, limit: Self.mostLabels, bindings: bindings) }
        var answers = try read(queries, isLast: true)[...]
        let directory = answers.removeFirst()
        guard let tallied = try Tallied(tallies, directory: directory, &answers) else { return nil }
        let total = directory.rows(hiding: hiding([app.users.select]))
        let all = try total.rows.map { rows throws(Failure) in try decoding(try rows.only().integers()) } ?? []
        // Whoever stands there twice would count twice.
        let repeated = all.count > 1 ? all[0] - all[1] : 0
        let (selected, late) = try tallied.counts()
        let doubt = repeated == 0 ? late : .repeated(repeated)
        var counts = doubt == nil ? all.dropFirst() : []
        let users = counts.popFirst()
        let selections = app.users.selections.compactMap { selection in
            (selected[selection.name] ?? counts.popFirst()).map {
                StatsReport.Selected(name: selection.name, sentence: selection.sentence.source, users: $0)
            }
        }
        let decisions = app.decisions.map { decision in
            count(
                decision.name, decision.question, tallied.decisions[decision.name] ?? answers.removeFirst(),
                decision.fragments, unless: doubt)
        }
        let quotas = try app.quotas.map { quota throws(Failure) in
            try QuotaSummary(quota, tallied.quotas[quota.name] ?? answers.removeFirst(), hiding: hiding([quota.select]))
        }
        let stats = app.stats.map { stat in count(stat.name, stat.summary, answers.removeFirst(), [stat.select]) }
        return StatsReport(
            app: app, environment: environment, now: now, users: users, selections: doubt == nil ? selections : [],
            decisions: decisions, quotas: quotas, stats: stats, unavailable: doubt ?? total.unavailable)
    }

    private func count(
        _ name: String, _ summary: String, _ answer: Answer, _ fragments: [Fragment], unless known: Unreadable? = nil
    ) -> StatsReport.Count {
        if let known { return StatsReport.Count(name: name, summary: summary, rows: nil, unavailable: known) }
        let (rows, reason) = answer.rows(hiding: hiding(fragments))
        return StatsReport.Count(name: name, summary: summary, rows: rows, unavailable: reason)
    }

    private static let mostLabels = 100
}

extension App.Decision {
    /// What it reads itself.
    fileprivate var fragments: [Fragment] { (select.map { [$0] } ?? []) + rules.map(\.condition) }
}
