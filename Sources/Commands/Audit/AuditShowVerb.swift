import Asking
import CommandLine
import Ledger
import Terminal

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
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) in
        let operation = try Audit.operation(
            invocation.argument("ID") ?? "", on: try context.connection(), options: context.inquiry)
        switch context.options.format {
        case .table where context.options.fields.isEmpty: try AuditView(context: context).show(operation)
        case .json: try AuditView(context: context).writeDocument(operation)
        case .name: context.screen.write(SafeText(operation.id))
        case .ndjson: try AuditView(context: context).writeChanges(operation, as: .images)
        case .table, .csv, .tsv: try AuditView(context: context).writeChanges(operation, as: .columns)
        }
        return .done
    }
}
