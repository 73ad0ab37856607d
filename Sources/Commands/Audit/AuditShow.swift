import Asking
import CommandLine
import Ledger
import PQ
import Terminal

extension Verb {
    static let auditShow = Verb(
        Command(
            path: ["audit", "show"], summary: "One operation: who, why, and every row it changed.",
            discussion: """
                As JSON the first 1,000 changes are in the document; -o ndjson writes all of them, one a line, and -o csv one
                line a column.
                """,
            arguments: [
                Argument(
                    name: "ID", kind: .named("operation"),
                    summary: "An operation, or the first 8 characters or more of its id.")
            ],
            examples: [Example(command: "audit show 3f8a6e0c", explains: "What exactly happened there?")],
            traits: .lists),
        isOfDatabase: true
    ) { invocation, context throws(Failure) in
        let operation = try Audit.operation(
            invocation.argument("ID") ?? "", on: try context.connection(), options: context.inquiry)
        switch context.options.format.shape {
        case .screen where context.options.fields.isEmpty: try AuditView(context).show(operation)
        case .document: try AuditView(context).writeDocument(operation)
        case .keys: context.screen.write(SafeText(operation.id))
        case .objects: try AuditView(context).writeChanges(operation, as: .images)
        case .screen, .columns: try AuditView(context).writeChanges(operation, as: .columns)
        }
        return .done
    }
}
