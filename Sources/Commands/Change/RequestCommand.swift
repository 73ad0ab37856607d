import CommandLine
import Acts
import Asking
import Changes
import Inquiries
import PQ
import Terminal

/// Files a change as a request, and shows the preview to the requester.
struct RequestCommand {
    let request: ChangeRequest
    let context: Context

    func perform() throws(Failure) -> ExitStatus {
        let report = try report()
        if !context.showsScreen { try context.report { () throws(Failure) in try ChangeView(report, context).write() } }
        if let doubt = Failure(warnings: report.commitWarnings) { throw doubt }
        return .done
    }

    /// Files the request.
    ///
    /// On a screen usher prints the result immediately; in other formats the caller prints a document at the end.
    func report() throws(Failure) -> ChangeReport {
        if request.resumes != nil {
            throw Failure(.usage, "--request can't be combined with --resume", hint: "remove --resume")
        }
        let report = try filed()
        if let id = report.request { context.noteOperation(id) }
        if context.showsScreen { try context.report { () throws(Failure) in context.screen.write(lines(report)) } }
        return report
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
        lines += Self.conclusion(report.request, for: report.role ?? "", context)
        return lines
    }

    /// The last lines of the output: the id of the request, or the reason why usher filed no request.
    static func conclusion(_ request: String?, for role: String, _ context: Context) -> [SafeText] {
        guard let request else {
            let why = context.options.isDryRun ? "this was a preview" : "there is nothing to change"
            return [SafeText("Not requested: \(why).").bold]
        }
        return [
            ("Requested." as SafeText).bold + " " + SafeText(role) + " can approve the request.",
            "  Request " + SafeText(request),
            ("  Withdraw: " as SafeText).dim + SafeText(context.program + "request withdraw " + request),
        ]
    }
}
