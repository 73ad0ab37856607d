import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import Ledger
import PQ
import Terminal

extension Verb {
    static let auditUndo = undoing(
        Command(
            "audit undo", summary: "Undo an operation, or all operations of one operator.",
            discussion: """
                usher restores the values that the operation changed, except in columns that triggers overwrite. If somebody changed a row since, usher names that later \
                operation and undoes nothing. Undo the later operation first, or skip the user with --except. See `usher help undo`.
                """,
            arguments: [operation],
            options: [
                Option(
                    "--operator NAME", .text, summary: "Undo the operations of this role, latest first. Needs --since.",
                    supplies: "ID"),
                Option("--since TIME", .time, summary: "Undo only operations since this time (with --operator)."),
                except, Subjects.resume(),
            ],
            examples: [
                Example(
                    "audit undo 29b1e8ca --dry-run", explains: "What would the undo restore?",
                    output: """
                        audit undo  partner grant  ada@example.com  staging
                          ~ public.profiles  ada@example.com
                              subscription_tier  partner → trial
                        Not saved: everything was rolled back.
                        """),
                Example(
                    "audit undo 29b1e8ca --except ada@example.com",
                    explains: "Undo the operation for all other users."),
                Example("audit undo --operator bob --since yesterday", explains: "Undo each change that bob made."),
            ], grade: .moderate, traits: [.makesChange, .isAskable]))

    static let undo = undoing(
        Command(
            "undo", summary: "Undo an operation, or your own last operation.",
            arguments: [operation], options: [except],
            examples: [
                Example(
                    "undo last", explains: "Undo what you did last.",
                    output: """
                        audit undo  partner grant  ada@example.com  staging
                          ~ public.profiles  ada@example.com
                              subscription_tier  partner → trial
                        Done. Operation 9a4b21e0-…
                        """),
                Example("undo 29b1e8ca --dry-run", explains: "What would the undo restore?"),
            ], grade: .moderate, traits: [.makesChange, .isAskable]))

    private static let operation = Argument(
        "ID", .named("operation"),
        summary:
            "The id of an operation, its first 8 characters, or `last`: your latest change that is not undone. `last` skips undos.",
        hint: "`usher undo last` undoes your own last operation; `usher audit list` lists all operations")

    private static let except = Option("--except USER", .user, repeats: true, summary: "Skip this user.")

    private static func undoing(_ command: Command) -> Verb {
        command.verb { invocation, context throws(Failure) in
            let (by, since) = (invocation.option("operator"), invocation.option("since"))
            guard let text = invocation.argument("ID") else {
                guard let by, let since else {
                    throw Failure(
                        .usage, "--operator needs --since", hint: "add --since TIME, such as --since yesterday")
                }
                return try undoEach(by: by, since: since, invocation, context)
            }
            if since != nil {
                throw Failure(
                    .usage, "--since can't be combined with an id",
                    hint: "remove --since, or replace the id by `--operator NAME`")
            }
            let operation = text == "last" ? try lastOperation(context) : text
            return try ChangeCommand(request: request(operation, invocation, context), context: context).perform()
        }
    }

    private static func request(_ operation: String, _ invocation: Invocation, _ context: Context) -> ChangeRequest {
        var request = ChangeRequest(.undo(operation: operation), context)
        request.resumes = invocation.option("resume")
        request.except = invocation.options("except")
        return request
    }

    /// Undoes the operations of an operator one by one, the latest first.
    private static func undoEach(
        by name: String, since: String, _ invocation: Invocation, _ context: Context
    ) throws(Failure) -> ExitStatus {
        let found = try undoable(by: name, since: since, context)
        if found.isEmpty { throw noOperation(of: name, "since \(since) ") }
        if context.showsScreen {
            context.screen.write(SafeText(found.count.of("operation")) + " of " + SafeText(name).bold)
        }
        var series = ChangeSeries(context)
        for (id, title) in found {
            try series.make(String(id.prefix(8)) + " " + title) {
                var request = request(id, invocation, context)
                request.isOneOfSeveral = true
                return request
            }
        }
        try series.write(done: "Undone", undone: "Not undone")
        guard series.undone > 0 else { return .done }
        throw Failure(
            .partial, "usher didn't undo \(series.undone) of \(found.count.of("operation"))", hint: series.hint,
            details: series.details)
    }

    /// The last operation of the connected role that changed something.
    static func lastOperation(_ context: Context) throws(Failure) -> String {
        let name = try Audit.sessionUser(on: try context.connection(), options: context.inquiry)
        guard let (id, _) = try undoable(by: name, since: nil, context).first else { throw noOperation(of: name) }
        return id
    }

    private static func noOperation(of name: String, _ span: String = "") -> Failure {
        Failure(
            .notFound, "there is no operation of \(name) \(span)to undo",
            hint: "`usher audit list --operator \(quoteWord(name))` lists all operations of \(name)")
    }

    /// The operations of a role that can be undone, the latest first.
    private static func undoable(
        by name: String, since: String?, _ context: Context
    ) throws(Failure) -> [(id: String, title: String)] {
        var filter = ListOptions()
        (filter.limit, filter.since, filter.operator) = (mostUndone, since, name)
        let rows = try Audit.list(filter, on: try context.connection(), candidates: [], options: context.inquiry).rows
        return rows.compactMap { row in
            guard let id = row.shown("id")?.text, Audit.isUndoable(row) else { return nil }
            return (id, ["command", "target"].compactMap { row.shown($0)?.text }.joined(separator: " "))
        }
    }

    private static let mostUndone = 1000
}
