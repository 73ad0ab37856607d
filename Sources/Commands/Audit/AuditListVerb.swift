import Asking
import CommandLine
import Inquiries
import Ledger
import PQ
import Terminal

extension Verb {
    static let auditList = Verb(
        Command(
            path: ["audit", "list"], summary: "List what operators did, latest first.",
            discussion: """
                The list includes attempts: refused by a condition, declined by the operator, forbidden because a role is missing, \
                or failed. Other outcomes are committed, partial, running, lost, and undone.
                """,
            options: [
                .limit(standard: "50"),
                Option(
                    long: "user", value: .init(placeholder: "USER", kind: .user),
                    summary: "List only operations about this user."),
                Option(
                    long: "operator", value: .init(placeholder: "NAME", kind: .text),
                    summary: "List only operations by this role."),
                Option(
                    long: "since", value: .init(placeholder: "TIME", kind: .time),
                    summary: "List only operations since this time."),
                Option(
                    long: "until", value: .init(placeholder: "TIME", kind: .time),
                    summary: "List only operations before this time."),
            ],
            examples: [
                Example(
                    command: "audit list --user ada@example.com", explains: "Who did what to this user, and why?",
                    output: """
                        id        at                operator  command        target           outcome
                        3f8a12bc  2026-11-21 14:00  lin       partner grant  ada@example.com  committed
                        """)
            ], traits: .lists), isOfDatabase: true
    ) { invocation, context throws(Failure) in
        let rows = try Audit.list(
            AuditFilter(
                limit: invocation.integer("limit") ?? 50, user: invocation.option("user"),
                since: invocation.option("since"), until: invocation.option("until"),
                operator: invocation.option("operator")),
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        // Most operations about one user have no other target, so a narrow screen can leave out the column.
        let isTight = invocation.option("user") != nil && (context.screen.widthLimit ?? .max) < wide
        let shown = ["id", "at", "operator", "command", "target", "outcome", "reason", "changes"]
        let writer = RecordWriter(
            context, key: "id", shown: isTight ? shown.filter { $0 != "target" && $0 != "changes" } : shown)
        let isNarrow = (context.screen.widthLimit ?? .max) < wide
        for row in rows.rows {
            guard context.showsScreen else {
                try writer.write(row)
                continue
            }
            let whole = row.withShortID.sayingWhatIsForgotten
            try writer.write(whole.withFewTargets(isNarrow ? 1 : 2))
        }
        try writer.finish(columns: rows.columns)
        if rows.rows.isEmpty { context.remark("No operations found.") }
        return .done
    }
}

/// The screen width at which all columns of the list fit.
private let wide = 100

extension Row {
    /// The row with its first targets and the number of the other targets; `audit show` lists all targets.
    fileprivate func withFewTargets(_ few: Int) -> Row {
        Row(
            columns: columns,
            values: zip(columns, values).map { column, value in
                guard column.name == "target", let parts = value.text.map({ $0.split(separator: ", ") }),
                    parts.count > few + 1
                else {
                    return value
                }
                let left = parts.last == "…" ? "many" : "\(parts.count - few)"
                return Value("\(parts.prefix(few).joined(separator: ", ")) and \(left) more")
            })
    }

    /// The row with the reason for a missing target: the user's account was deleted.
    fileprivate var sayingWhatIsForgotten: Row {
        guard shown("erased_by")?.isNull == false else { return self }
        return Row(
            columns: columns,
            values: zip(columns, values).map { column, value in
                column.name == "target" && value.isNull ? Value("(forgotten with the account)") : value
            })
    }

    /// The row with a short id, which every command accepts.
    var withShortID: Row {
        Row(
            columns: columns,
            values: zip(columns, values).map { column, value in
                column.name == "id" ? Value(value.text.map { String($0.prefix(8)) }) : value
            })
    }
}
