import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    /// The commands that only a console or a script has.
    static let ofSession = [use, last]

    private static let use = Command(
        "use", summary: "Choose a user for the next commands.",
        discussion:
            "After `use USER`, you can leave USER out of other commands. `use` without USER shows the chosen user.",
        arguments: [
            Argument(
                "[USER]", .named("user"),
                summary: "An id or an email, matched exactly; `-` stops using the chosen user.")
        ],
        options: [Option("--clear", summary: "Stop using the chosen user.")],
        examples: [
            Example("use ada@example.com", explains: "`user show` then shows Ada."),
            Example("use -", explains: "Stop using the chosen user."),
        ], traits: .reachesDatabase
    ).verb(fleetScope: .memberWithTarget) { invocation, context throws(Failure) -> Void in
        if invocation.flag("clear") || invocation.argument("USER") == "-" {
            context.consoleState?.forgetUser()
        } else if let word = invocation.argument("USER") {
            let inquiry = try context.open(for: .users)
            let label = try inquiry.user(named: word).label(in: inquiry.app)
            context.consoleState?.use(word, label: label, member: context.options.member)
        } else {
            context.screen.write(context.consoleState?.user.map { SafeText($0) } ?? ("no user" as SafeText).dim)
        }
    }

    private static let last = Command(
        "last", summary: "Print the last command as a shell command.",
        discussion: "The command includes what you typed at prompts, except secrets and confirmations.",
        examples: [Example("last", explains: "Print a command for a colleague or a script.")]
    ).verb(fleetScope: .outside) { _, context throws(Failure) -> Void in
        guard let last = context.consoleState?.last else {
            throw Failure(.notFound, "this session has not run a command yet")
        }
        var line = ["usher"]
        if let database = context.options.database { line += ["--db", Secrets.masked(database)] }
        if let fleet = context.options.fleet { line += ["--fleet", fleet] }
        if let app = context.options.app { line += ["--app", app] }
        let text = (line + last.words).map(quoteWord).joined(separator: " ")
        context.screen.write(SafeText(text + (last.operation.map { "  # operation \($0)" } ?? "")))
    }
}
