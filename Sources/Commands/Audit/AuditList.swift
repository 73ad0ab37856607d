import Asking
import CommandLine
import Inquiries
import Ledger
import PQ
import Terminal

extension Verb {
    static let auditList = Command(
        "audit list", summary: "List what operators did, latest first.",
        discussion: """
            The list includes attempts: refused by a condition or because a role is missing, declined by the operator, or \
            failed. Other outcomes are committed, partial, running, lost, and undone.
            """,
        options: [
            .limit(standard: "50"), .user("operations about"),
            Option("--operator NAME", .text, summary: "List only operations by this role."),
            .since("operations"), .until("operations"),
        ],
        examples: [
            Example(
                "audit list --user ada@example.com", explains: "Who did what to this user, and why?",
                output: """
                    id        at                operator  command        target           outcome
                    3f8a12bc  2026-11-21 14:00  lin       partner grant  ada@example.com  committed
                    """)
        ], traits: .lists
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        var filter = ListOptions(invocation)
        filter.limit = filter.limit ?? 50
        let rows = try Audit.list(
            filter, on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        let isNarrow = (context.screen.widthLimit ?? .max) < wide
        // Most operations about one user have no other target, so a narrow screen can leave out the column.
        let isTight = isNarrow && invocation.option("user") != nil
        let shown = ["id", "at", "operator", "command", "target", "outcome", "reason", "changes"]
        let records = rows.rows.map { row in
            context.showsScreen ? row.withFewTargets(isNarrow ? 1 : 2) : row
        }
        try RecordWriter(
            context, key: "id", shown: isTight ? shown.filter { $0 != "target" && $0 != "changes" } : shown
        ).write(records, columns: rows.columns)
        if rows.rows.isEmpty { context.remark("No operations found.") }
    }
}

/// The screen width at which all columns of the list fit.
private let wide = 100

extension Row {
    /// The row with its first targets and the number of the other targets; `audit show` lists all targets.
    ///
    /// The deletion of an account erases the user from the audit log, so the row shows a note instead.
    fileprivate func withFewTargets(_ few: Int) -> Row {
        replacing("target") { target in
            guard let text = target.text else {
                return shown("erased_by")?.isNull == false ? Value("(forgotten with the account)") : target
            }
            let parts = text.split(separator: ", ")
            guard parts.count > few + 1 else { return target }
            let left = parts.last == "..." ? "many" : "\(parts.count - few)"
            return Value("\(parts.prefix(few).joined(separator: ", ")) and \(left) more")
        }
    }

    /// The row with another value in one column.
    func replacing(_ name: String, with value: (Value) -> Value) -> Row {
        Row(columns: columns, values: zip(columns, values).map { $0.name == name ? value($1) : $1 })
    }
}

extension Verb {
    static let auditShow = Command(
        "audit show", summary: "Show an operation: who, why, every changed row.",
        discussion: """
            --json contains the first 1,000 changes. -o ndjson prints all changes, one per line; -o csv prints one line per \
            changed column.
            """,
        arguments: [Argument("ID", .named("operation"), summary: "The id of an operation, or its first 8 characters.")],
        examples: [
            Example(
                "audit show 3f8a6e0c", explains: "What did this operation change?",
                output: """
                    partner grant  ada@example.com  committed
                    reason  agreed with marketing

                    table            key              column             before  after
                    public.profiles  ada@example.com  subscription_tier  trial   partner
                    """)
        ],
        traits: .lists
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let operation = try Audit.operation(
            invocation.argument("ID") ?? "", on: try context.connection(), options: context.inquiry)
        switch context.options.format {
        case .table where context.options.fields.isEmpty: try AuditView(context: context).show(operation)
        case .json: try AuditView(context: context).writeDocument(operation)
        case .name: context.screen.write(SafeText(operation.id))
        case .table, .ndjson, .csv, .tsv: try AuditView(context: context).writeChanges(operation)
        }
    }
}
