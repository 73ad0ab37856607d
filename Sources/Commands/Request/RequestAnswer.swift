import Accounts
import AppFile
import CommandLine
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Terminal

extension Verb {
    static let requestApprove = Command(
        "request approve", summary: "Approve a request, and run its change.",
        discussion: """
            usher previews the change, asks for confirmation, and runs the change under your name. The audit log names both people. You need the role \
            that the change needs. If the action needs two people, you can't approve your own request. If the data changed since the \
            request, usher shows the new plan and stops (exit 6); --moved approves the new plan. If the request \
            is to delete an account, you can also use the options of `account delete`.
            """,
        arguments: [.request],
        options: [
            Option("--moved", summary: "Approve even if the data or the action changed since the request."),
            Subjects.resume(),
        ] + ofDeletion,
        examples: [
            Example(
                "request approve 3f8a6e0c --dry-run", explains: "Preview the request with today's data.",
                output: """
                    partner grant  ada@example.com  production
                      ~ public.profiles  ada@example.com
                          subscription_tier  trial → partner
                    Not saved: everything was rolled back.
                    """),
            Example("request approve 3f8a6e0c --yes", explains: "Run the requested change."),
        ], grade: .moderate, traits: .makesChange
    ).verb { invocation, context throws(Failure) in
        let filed = try FiledRequest.named(
            invocation.argument("ID") ?? "", on: try context.connectionToChange(), options: context.inquiry)
        let resumed = invocation.option("resume")
        if let resumed { try require(resumed, toAnswer: filed) } else { try filed.requireOpen() }
        switch try filed.requestedCommand(hasMoved: invocation.flag("moved")) {
        case .deletion(let users):
            if context.options.isDryRun { try filed.requireApprover() }
            let own = (ofDeletion + [Subjects.resume()]).map(\.long)
            return try delete(
                users, askedForIn: filed, invocation.options.filter { own.contains($0.key) }, context)
        case .change(var change):
            if let option = ofDeletion.first(where: { invocation.options[$0.long] != nil }) {
                throw Failure(
                    .usage, "--\(option.long) applies only to requests to delete an account",
                    hint: "remove --\(option.long)")
            }
            if context.options.isDryRun { try filed.requireApprover() }
            change.resumes = resumed
            change.reason = context.options.reason ?? change.reason
            change.ticket = context.options.ticket ?? change.ticket
            change.isDryRun = context.options.isDryRun
            if context.showsScreen {
                context.screen.write(RequestView(context: context).lines(filed.summary) + [""])
            }
            let (secrets, generated) = try SecretValues.ask(for: try parameters(of: change, context), context)
            change.values.merge(secrets) { _, secret in secret }
            return try ChangeCommand(request: change, context: context, generated: generated).perform()
        }
    }

    private static let ofDeletion = AccountOptions.answers + AccountOptions.deleting

    private static func delete(
        _ users: [String], askedForIn filed: FiledRequest, _ answers: [String: [String]], _ context: Context
    ) throws(Failure) -> ExitStatus {
        if context.showsScreen { context.screen.write(RequestView(context: context).lines(filed.summary) + [""]) }
        var options = context.options
        options.reason = options.reason ?? filed.summary.shown("reason")?.text
        options.ticket = options.ticket ?? filed.summary.shown("ticket")?.text
        let invocation = Invocation(command: accountDelete.command, arguments: ["USER": users], options: answers)
        return try DeleteCommand(invocation: invocation, context: context.with(options)).perform()
    }

    private static func require(_ operation: String, toAnswer filed: FiledRequest) throws(Failure) {
        if filed.summary.shown("operation")?.text?.lowercased() == operation.lowercased() { return }
        throw Failure(
            .conflict, "operation \(operation) does not belong to request \(filed.id)", nothing: .changed,
            hint: "`usher request show \(filed.id)` shows its operation")
    }

    private static func parameters(of change: ChangeRequest, _ context: Context) throws(Failure)
        -> [ParameterDeclaration]
    {
        guard case .action(let noun, let verb) = change.what else { return [] }
        let action = try context.app().action(noun, verb)
        return action?.parameters.all.filter(\.isSecret) ?? []
    }

    static let requestDecline = refusing(
        .decline, "Decline a request.", "Give a reason with --reason; the requester can read the reason.",
        Example(
            "request decline 3f8a6e0c --reason 'they pay already'", explains: "The requester can read the reason.",
            output: """
                Request 3f8a6e0c-… is declined.
                """))

    static let requestWithdraw = refusing(
        .withdraw, "Withdraw your own request.", "Only the requester can withdraw a request.",
        Example(
            "request withdraw 3f8a6e0c", explains: "Withdraw a request that you no longer need.",
            output: """
                Request 3f8a6e0c-… is withdrawn.
                """))

    private static func refusing(
        _ refusal: FiledRequest.Refusal, _ summary: String, _ more: String, _ example: Example
    ) -> Verb {
        Command(
            "request \(refusal.rawValue)", summary: summary,
            discussion: "\(more) The audit log records this answer.", arguments: [.request],
            examples: [example], grade: .mild, traits: [.reports, .isRecorded, .isLasting]
        ).verb { invocation, context throws(Failure) -> Void in
            let filed = try FiledRequest.named(
                invocation.argument("ID") ?? "", on: try context.connectionToChange(), options: context.inquiry)
            let operation = try filed.answer(
                refusal, reason: context.options.reason, ticket: context.options.ticket,
                elsewhere: context.connectionOfItsOwn)
            context.noteOperation(operation)
            let done = refusal == .decline ? "declined" : "withdrawn"
            try context.writePage(
                json: [("request", filed.id), ("operation", operation), ("state", done)],
                key: filed.id, screen: ["Request " + SafeText(filed.id) + " is " + SafeText(done) + "."])
        }
    }
}
