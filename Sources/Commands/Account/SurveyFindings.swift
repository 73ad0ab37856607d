import Accounts
import AppFile
import Asking
import CommandLine

/// The questions of a survey as findings about the app file, at the line of its @account.
enum SurveyFindings {
    static func of(_ survey: Survey, _ invocation: Invocation, _ context: Context) throws(Failure) -> [Diagnostic] {
        let place = try place(invocation, context)
        func finding(_ message: String, hint: String? = nil) -> Diagnostic {
            Diagnostic(message, in: place.file, at: place.offset, hint: hint)
        }
        let questions = survey.unsettled.map { question in
            finding(
                "the app file doesn't declare \(question.path), which could contain a key or an email: \(question.evidence)",
                hint: question.proposal.joined(separator: "\n"))
        }
        return questions + survey.hidden.map { finding("your role can't read \($0)") }
            + survey.missing.map { finding("the app file declares \($0), but this database doesn't have it") }
            + survey.aimless.map {
                finding(
                    "the app file doesn't say which table \($0) refers to",
                    hint: "Write `@refers \($0) -> TABLE.COLUMN`.")
            }
    }

    /// The line with the root of the account, else of the users; with `--root`, there is no line.
    private static func place(_ invocation: Invocation, _ context: Context) throws(Failure) -> App.Place {
        if invocation.option("root") != nil {
            return App.Place(file: SourceFile(name: "", bytes: []), offset: 0)
        }
        let app = try context.app()
        return app.account?.place ?? app.users.select.place
    }
}
