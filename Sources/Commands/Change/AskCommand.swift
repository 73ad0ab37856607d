import CommandLine
import Acts
import Asking
import Changes
import Inquiries
import PQ
import Terminal

/// Files a change as a request, and shows what may be seen of it.
struct AskCommand {
    let request: ChangeRequest
    let context: Context

    func perform() throws(Failure) -> ExitStatus {
        try ChangeCommand(request: request, context: context).refuseInstant()
        if request.resumes != nil { throw Failure(.usage, "what was begun is continued, and not asked for") }
        let report = try filed()
        if let id = report.request { context.noteOperation(id) }
        try context.report { () throws(Failure) in
            if context.showsScreen {
                context.screen.write(lines(report))
            } else {
                try ChangeView(report, context).write()
            }
        }
        if let doubt = Failure(warnings: report.commitWarnings) { throw doubt }
        return .done
    }

    private func filed() throws(Failure) -> ChangeReport {
        let context = context
        do throws(Failure) {
            return try request.ask(
                on: try context.connectionToChange(), candidates: try context.candidates(), options: context.inquiry
            ) { () throws(Failure) in try context.connectionOfItsOwn() }
        } catch {
            throw error.sayingNothingChanged
        }
    }

    private func lines(_ report: ChangeReport) -> [SafeText] {
        var lines = ChangeView(report, context).askedLines
        let role = SafeText(report.role ?? "")
        guard let id = report.request else {
            return lines + [("Not asked for: nothing was recorded." as SafeText).bold]
        }
        let program = context.isConsole ? "" : context.grammar.program + " "
        lines.append(("Asked for." as SafeText).bold + " " + role + " may approve it.")
        lines.append("  Request " + SafeText(id))
        return lines + [("  Withdraw: " as SafeText).dim + SafeText(program + "request withdraw " + id)]
    }
}
