import CommandLine
import Operations
import PQ
import Terminal

extension Verb {
    static let auditList = Verb(
        Command(
            path: ["audit", "list"], summary: "What operators did, the latest first.",
            discussion: """
                Refused and failed attempts are listed too. An outcome is committed, refused, failed, partial, running or
                lost, or undone when a later operation took it back.
                """,
            options: [
                .limit(standard: "50"),
                Option(
                    long: "user", value: .init(placeholder: "USER", kind: .user),
                    summary: "Only what was done to this user."),
                Option(
                    long: "operator", value: .init(placeholder: "NAME", kind: .text),
                    summary: "Only what this role did."),
                Option(
                    long: "since", value: .init(placeholder: "TIME", kind: .time),
                    summary: "Nothing older than that instant."),
            ],
            examples: [
                Example(command: "audit list --user ada@example.com", explains: "Who did what to this user, and why.")
            ])
    ) { invocation, context throws(Failure) in
        let rows = try Audit.list(
            AuditFilter(
                limit: invocation.integer("limit") ?? 50, user: invocation.option("user"),
                since: invocation.option("since"), operator: invocation.option("operator")),
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        let writer = RecordWriter(context, key: "id")
        for row in rows.rows { try writer.write(row) }
        try writer.finish(columns: rows.columns)
        if rows.rows.isEmpty { context.remark("none") }
        return .done
    }
}
