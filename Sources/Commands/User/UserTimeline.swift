import CommandLine
import Operations
import PQ
import Terminal

extension Verb {
    static let userTimeline = Verb(
        Command(
            path: ["user", "timeline"], summary: "What happened to a user, from all sources, the latest first.",
            arguments: [.user],
            options: [
                Option(
                    long: "since", value: .init(placeholder: "TIME", kind: .time),
                    summary: "Nothing older than that instant."),
                .limit(standard: "100"),
            ],
            examples: [
                Example(command: "user timeline ada@example.com", explains: "Sign-up, payments, webhooks, sessions."),
                Example(
                    command: "user timeline ada@example.com --since 2026-11-01",
                    explains: "Since the first of November."),
            ])
    ) { invocation, context throws(Failure) in
        let report = try Inquiry.timeline(
            of: invocation.argument("USER") ?? "", since: invocation.option("since"),
            limit: invocation.integer("limit") ?? 100, on: try context.connection(),
            candidates: try context.candidates(), options: context.inquiry)
        let columns = ["at", "source", "kind", "title", "detail"].map { name in
            Column(name: name, type: name == "at" ? .timestamptz : .text)
        }
        let writer = RecordWriter(context, key: "at")
        for event in report.events {
            try writer.write(
                Row(columns: columns, values: [event.at, Value(event.source), event.kind, event.title, event.detail]))
        }
        try writer.finish(columns: columns)
        for missing in report.unavailable {
            context.report(unavailable: missing.source, because: missing.reason)
        }
        if report.isCut { context.remark("there are older events, see --limit and --since") }
        return .done
    }
}
