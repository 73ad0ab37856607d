import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userTimeline = Command(
        "user timeline", summary: "Show what happened to a user, latest first.",
        arguments: [.user],
        options: [.since("events"), .until("events"), .limit(standard: "100")],
        examples: [
            Example(
                "user timeline ada@example.com", explains: "Show sign-up, payments, webhooks and sessions.",
                output: """
                    2026-11-19  2 days ago
                      14:00  account  trial ended
                    """),
            Example(
                "user timeline ada@example.com --since 2026-11-01",
                explains: "Show only events since the first of November."),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        let report = try context.open(for: .users).timeline(
            of: invocation.argument("USER") ?? "", since: invocation.option("since"), until: invocation.option("until"),
            limit: invocation.integer("limit") ?? 100)
        if context.showsScreen {
            context.screen.write(ScreenText(context).timeline(report.events))
        } else {
            try writeRecords(report, context)
        }
        for missing in report.unavailable {
            context.report(missing.source, because: missing.reason.sentence)
        }
        if report.isCut { context.remark("There are older events; use --limit or --until.") }
        return report.unavailable.count == report.sources ? ExitStatus(of: report.unavailable.map(\.reason)) : .done
    }

    private static func writeRecords(_ report: TimelineReport, _ context: Context) throws(Failure) {
        let columns = ["at", "source", "kind", "title", "detail"].map { name in
            Column(name: name, type: name == "at" ? .timestamptz : .text)
        }
        let records = report.events.map { event in
            Row(columns: columns, values: [event.at, Value(event.source), event.kind, event.title, event.detail])
        }
        try RecordWriter(context, key: "at").write(records, columns: columns)
    }
}

/// The lines of a timeline: a heading for each day, and its events, the latest first.
extension ScreenText {
    fileprivate func timeline(_ events: [TimelineEvent]) -> [SafeText] {
        if events.isEmpty { return [("no events" as SafeText).dim] }
        let sourceWidth = events.map { SafeText($0.source).width }.max() ?? 0
        var lines: [SafeText] = []
        var day: SafeText?
        for event in events {
            let (date, clock) = moment(event.at)
            if date != day {
                lines += (day == nil ? [] : [""]) + [date.bold + distance(event.at)]
                day = date
            }
            let head = "  " + clock + "  " + SafeText(event.source).cyan.padded(to: sourceWidth) + "  "
            lines += entry(event, behind: head)
        }
        return lines
    }

    /// The lines of an event: its title, then its detail.
    private func entry(_ event: TimelineEvent, behind head: SafeText) -> [SafeText] {
        let room = width(beside: head.width)
        let gap = SafeText(repeating: " ", count: head.width)
        let title = event.title.isNull ? value(event.kind) : value(event.title)
        var lines = title.wrapped(to: room)
        if !event.detail.isNull { lines += value(event.detail).dim.wrapped(to: room) }
        return lines.enumerated().map { ($0 == 0 ? head : gap) + $1 }
    }

    /// The date and the time of day; a text that isn't a time stays unchanged.
    private func moment(_ at: Value) -> (date: SafeText, clock: SafeText) {
        let parts = value(at).description.split(separator: " ")
        guard parts.count == 2 else { return (value(at), "     ") }
        return (SafeText(parts[0]), SafeText(parts[1]))
    }

    private func distance(_ at: Value) -> SafeText {
        ScreenText.instant(at).map { ("  " + relative($0)).dim } ?? ""
    }
}
