internal import AppFile
package import Asking
internal import Ledger
package import PQ

/// The events of a user from all sources; the latest event comes first.
package struct TimelineReport: Sendable {
    package let events: [TimelineEvent]
    package let unavailable: [(source: String, reason: Failure)]
    package let sources: Int
    package let isCut: Bool
}

package struct TimelineEvent: Sendable {
    package let at: Value
    package let source: String
    package let kind: Value
    package let title: Value
    package let detail: Value
}

extension Inquiry {
    /// Reads all timelines of a user at one instant, and merges their events.
    package func timeline(
        of text: String, since: String?, until: String? = nil, limit: Int
    ) throws(Failure) -> TimelineReport {
        let user = try user(named: text)
        let since = try since.map { since throws(Failure) in try instant(since, named: "--since") }
        let until = try until.map { until throws(Failure) in try instant(until, named: "--until") }
        let timelines = app.timelines
        let own = app.queries(bindings(for: user))
        var questions = timelines.map { timeline in
            (timeline.source, own.events(of: timeline, since: since, until: until, limit: limit + 1))
        }
        if ledger?.version == Ledger.version {
            let query = Audit.lookUp("timeline", [user.key, since, String(limit + 1), until])
            questions.append((Audit.source, ComposedQuery(query)))
        }
        var events: [TimelineEvent] = []
        var unavailable: [(String, Failure)] = []
        let answers = try read(questions.map(\.1), isLast: true)
        for (index, answer) in answers.enumerated() {
            let source = questions[index].0
            if timelines.indices.contains(index), let reason = hiding([timelines[index].select]) {
                unavailable.append((source, reason))
                continue
            }
            switch answer.reading {
            case .success(let rows):
                events += rows.rows.map { row in
                    let values = row.values
                    return TimelineEvent(
                        at: values[0], source: source, kind: values[1], title: values[2], detail: values[3])
                }
            case .failure(let failure): unavailable.append((source, failure))
            }
        }
        // Timestamps in one format and time zone can be sorted as text; events without a time come last.
        let sorted = events.sorted { ($0.at.text ?? "") > ($1.at.text ?? "") }
        return TimelineReport(
            events: Array(sorted.prefix(limit)), unavailable: unavailable, sources: questions.count,
            isCut: sorted.count > limit)
    }
}
