import Accounts
import Asking
import Catalog
import Changes
import CommandLine
import Inquiries
import Terminal

/// Requests the deletion of accounts, with the refusals and warnings of the app file.
struct RequestDeletion {
    let invocation: Invocation
    let context: Context

    func perform() throws(Failure) -> ExitStatus {
        let given = invocation.options.keys.filter { name in !["from", "request"].contains(name) }
        let own = invocation.command.options.map(\.long).filter { given.contains($0) }
        if let option = own.first {
            throw Failure(
                .usage,
                "--\(option) can't be combined with --request; the approver adds this option to `request approve`",
                hint: "remove --\(option)")
        }
        let users = try Subjects.read(invocation, argument: "USER", context)
        let remarks = try Accounts.AccountPlan.remarks(
            on: AccountRequest(users: users), on: try context.connectionToChange(),
            candidates: try context.candidates(), options: context.inquiry)
        if let refusal = remarks.refusals.first {
            throw Failure(.refused, refusal, nothing: .done, details: Array(remarks.refusals.dropFirst()))
        }
        let plan = context.showsScreen ? RequestView(context).planPreview(of: users) : []
        let options = context.options
        let asked = try NotesAndRequests.requestDeletion(
            of: users, isDryRun: options.isDryRun, reason: options.reason, ticket: options.ticket,
            on: try context.connectionToChange(), candidates: try context.candidates(), options: context.inquiry
        ) { () throws(Failure) in try context.connectionOfItsOwn() }
        if let request = asked.request { context.noteOperation(request) }
        let command = invocation.command.name
        try context.writePage(
            json: [
                ("request", JSON(asked.request)), ("role", .string(asked.role)), ("command", .string(command)),
                ("dry_run", .bool(options.isDryRun)), ("users", JSON(asked.users.count)),
                ("warnings", .strings(remarks.warnings.map(\.machineText))),
            ], records: [], key: asked.request ?? "", screen: lines(asked, command, remarks.warnings, plan))
        return .done
    }

    private func lines(
        _ asked: RequestedDeletion, _ command: String, _ warnings: [FilledSentence], _ plan: [SafeText]
    ) -> [SafeText] {
        let (environment, text) = (SafeText(asked.environment.name), ScreenText(context))
        let whom = asked.users.map { SafeText($0) }.joined(separator: ", ")
        let head = SafeText(command).bold + "  " + whom + "  " + environment.dim
        let lines = [head] + warnings.map { ("! " as SafeText).yellow + text.sentence($0, program: context.program) }
        return lines.flatMap { $0.wrapped(to: context.screen.widthLimit ?? .max, indent: 2) } + plan
            + ChangeView.requested(asked.request, for: asked.role, context)
    }
}
