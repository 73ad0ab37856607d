import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let quotaShow = Command(
        "quota show", summary: "Show usage and limits of one user or of all users.",
        arguments: [Argument("[USER]", .user, summary: "An id or an email. Default: all users.")],
        examples: [
            Example(
                "quota show ada@example.com", explains: "Show the usage of one user.",
                output: """
                    tier       trial
                    impulses   ████████████████████  3 of 3 (total)  used up
                    check-ins  ██████████████▎░░░░░  5 of 7 (total)
                    """),
            Example("quota show", explains: "Show each limit, and how many users reached the limit."),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        guard let user = invocation.argument("USER") else { return try showAll(context) }
        let quotas = try context.open(for: .users).quotas(of: user)
        if quotas.isEmpty { context.remark("The app file doesn't declare quotas.") }
        if context.showsScreen {
            context.screen.write(ScreenText(context).quotas(quotas))
            return ExitStatus(of: quotas.map { $0.unavailable })
        }
        let isWhole = quotas.allSatisfy { $0.unavailable == nil }
        let hasSeveral = quotas.contains { $0.per != nil }
        let hasTier = quotas.contains { $0.tier != nil }
        let records = quotas.map { record($0, isWhole: isWhole, hasSeveral: hasSeveral, hasTier: hasTier) }
        try RecordWriter(context).write(records, columns: [])
        return ExitStatus(of: quotas.map { $0.unavailable })
    }

    /// All records have the same columns; if a quota is unavailable, every record has a column for the reason.
    private static func record(_ quota: QuotaReport, isWhole: Bool, hasSeveral: Bool, hasTier: Bool) -> Row {
        var cells = [("name", Value(quota.name))]
        if hasSeveral { cells.append(("per", Value(quota.per?.value.text))) }
        if hasTier { cells.append(("tier", Value(quota.tier?.text))) }
        cells += ["used", "limit", "period", "resets_at"].map { ($0, quota.usage?.shown($0) ?? Value(nil)) }
        if !isWhole { cells.append(("unavailable", Value(quota.unavailable?.sentence))) }
        return Row(columns: cells.map { Column(name: $0, type: $1.type) }, values: cells.map(\.1))
    }

    private static func showAll(_ context: Context) throws(Failure) -> ExitStatus {
        let summaries = try context.open().quotas()
        if summaries.isEmpty { context.remark("The app file doesn't declare quotas.") }
        for summary in summaries {
            if let trouble = summary.unavailable {
                context.report(summary.name, because: trouble.sentence)
            }
        }
        let records = summaries.flatMap { summary in
            (summary.rows?.rows ?? []).map { row in
                Row(columns: Column.texts(["name"]) + row.columns, values: [Value(summary.name)] + row.values)
            }
        }
        let columns = Column.texts(["name", "limit", "period", "users", "used", "exhausted"])
        try RecordWriter(context).write(records, columns: columns)
        return ExitStatus(of: summaries.map { $0.unavailable })
    }
}
