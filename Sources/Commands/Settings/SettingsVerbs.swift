import AppFile
import Asking
import Changes
import CommandLine
import Inquiries

extension Verb {
    static let settingsShow = Command(
        "settings show", summary: "Show a configuration table.",
        arguments: [
            Argument("[NAME]", .named("settings"), summary: "The configuration table. Default: the only table.")
        ],
        examples: [
            Example(
                "settings show", explains: "Show limits and trial lengths of each tier.",
                output: """
                    tier        impulse_limit  check_in_limit  trial_days
                    foundation             30              90           0
                    trial                   3               7           7
                    """)
        ], traits: .lists
    ).verb { invocation, context throws(Failure) in
        try RecordWriter.write(Listing.settings(invocation.argument("NAME"), in: try context.open()), context)
    }

    static let settingsSet = Command(
        "settings set", summary: "Change one value of a configuration table.",
        arguments: [
            Argument("NAME", .named("settings"), summary: "The configuration table."),
            Argument("KEY", .named("setting"), summary: "The key of the row."), column, value,
        ],
        examples: [
            Example(
                "settings set quota trial impulse_limit 5 --dry-run", explains: "Preview a new limit.",
                output: """
                    settings set  staging
                      ~ public.subscription_config  trial
                          impulse_limit  3 → 5
                    Not saved: everything was rolled back.
                    """)
        ], grade: .moderate, role: "admin", traits: [.makesChange, .isAskable]
    ).verb { invocation, context throws(Failure) in
        try set(invocation.argument("NAME"), key: invocation.argument("KEY") ?? "", invocation, context)
    }

    static let quotaSet = Command(
        "quota set", summary: "Change a limit of a tier.",
        arguments: [
            Argument("TIER", .named("setting"), summary: "The tier that has the limit."), column, value,
        ],
        examples: [
            Example(
                "quota set trial impulse_limit 5 --dry-run", explains: "Preview a new limit.",
                output: """
                    quota set  staging
                      ~ public.subscription_config  trial
                          impulse_limit  3 → 5
                    Not saved: everything was rolled back.
                    """),
            Example("quota set trial impulse_limit 5 --yes", explains: "Change the limit."),
        ], grade: .moderate, role: "admin", traits: [.makesChange, .isAskable]
    ).verb { invocation, context throws(Failure) in
        try set(nil, key: invocation.argument("TIER") ?? "", invocation, context)
    }

    private static let column = Argument("COLUMN", .named("column"), summary: "The column to change.")
    private static let value = Argument("VALUE", .text, summary: "The new value.")

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
