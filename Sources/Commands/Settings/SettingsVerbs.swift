import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let settingsShow = Verb(
        Command(
            path: ["settings", "show"], summary: "An editable configuration table, row by row.",
            arguments: [
                Argument(
                    name: "NAME", kind: .named("settings"), arity: .optional,
                    summary: "Which; may be left out where there is one.")
            ],
            examples: [Example(command: "settings show", explains: "Limits and lengths, by tier.")], traits: .lists)
    ) { invocation, context throws(Failure) in
        let listing = try Listing.settings(
            invocation.argument("NAME"), on: try context.connection(), candidates: try context.candidates(),
            options: context.inquiry)
        try RecordWriter.write(listing, context)
        return .done
    }

    static let settingsSet = Verb(
        Command(
            path: ["settings", "set"],
            summary: "Change one cell of a configuration table, and see first what that does.",
            arguments: [
                Argument(name: "NAME", kind: .named("settings"), summary: "Which table."),
                Argument(name: "KEY", kind: .named("setting"), summary: "Which row."), column, value,
            ],
            examples: [
                Example(
                    command: "settings set quota trial impulse_limit 5 --dry-run",
                    explains: "How many would be over their quota?")
            ], grade: .moderate, role: "admin", traits: [.makesChange, .isAskable])
    ) { invocation, context throws(Failure) in
        try set(invocation.argument("NAME"), key: invocation.argument("KEY") ?? "", invocation, context)
    }

    static let quotaSet = Verb(
        Command(
            path: ["quota", "set"], summary: "Change a limit of a tier, and see first who would be over it.",
            arguments: [Argument(name: "TIER", kind: .named("setting"), summary: "Which tier."), column, value],
            examples: [
                Example(command: "quota set trial impulse_limit 5 --dry-run", explains: "Who would be over it?"),
                Example(command: "quota set trial impulse_limit 5 --yes", explains: "Do it."),
            ], grade: .moderate, role: "admin", traits: [.makesChange, .isAskable])
    ) { invocation, context throws(Failure) in
        try set(nil, key: invocation.argument("TIER") ?? "", invocation, context)
    }

    private static let column = Argument(name: "COLUMN", kind: .named("column"), summary: "Which column.")
    private static let value = Argument(name: "VALUE", kind: .text, summary: "Its new value.")

    private static func set(
        _ name: String?, key: String, _ invocation: Invocation, _ context: Context
    ) throws(Failure) -> ExitStatus {
        let request = ChangeRequest(
            .setting(
                table: name, key: key, column: invocation.argument("COLUMN") ?? "",
                value: invocation.argument("VALUE") ?? ""), context)
        return try ChangeCommand(request: request, context: context).perform()
    }
}
