import Asking
import Changes
import CommandLine
import Ledger
import Terminal

extension Verb {
    static let auditUndo = Verb(
        Command(
            path: ["audit", "undo"], summary: "Take an operation back: put every column it wrote to what it was.",
            discussion: """
                Rows that changed since are named with the operation that changed them, and nothing is undone; whoever can be \
                asked may take that one back first. Columns that the table's own triggers write are left \
                to them. An undo is an operation like any other: previewed, recorded, and itself undoable.
                """,
            arguments: [
                Argument(name: "ID", kind: .named("operation"), summary: "The operation, or the beginning of its id.")
            ],
            options: [Subjects.resume()],
            examples: [
                Example(command: "audit undo 29b1e8ca --dry-run", explains: "What would it put back?"),
                Example(command: "audit undo 29b1e8ca --yes", explains: "Do it."),
            ], grade: .moderate, traits: [.makesChange, .isAskable])
    ) { invocation, context throws(Failure) in
        var request = ChangeRequest(.undo(operation: invocation.argument("ID") ?? ""), context)
        request.resumes = invocation.option("resume")
        return try ChangeCommand(request: request, context: context).perform()
    }
}
