import Accounts
import AppFile
import Asking
import Inquiries
import PQ

/// The lines of `account survey` to append to a draft; if there are too many, the command that appends them.
enum DraftedAccount {
    static func lines(for draft: String, _ context: Context) throws(Failure) -> String {
        let app: App
        do throws(InvalidApp) {
            app = try AppParser.parse(SourceFile(name: "draft.sql", text: draft)) {
                AppLibrary.included($0, beside: nil)
            }
        } catch {
            throw Failure(error)
        }
        let survey = try Survey.make(
            AccountRequest(users: []), on: try context.connection(), candidates: [app], options: context.inquiry)
        let count = survey.undeclared.flatMap(\.proposal).count
        if count == 0 { return "" }
        if count > mostLines {
            return """

                -- \(count) more lines would declare the other columns that could refer to users. To append these lines for your review, run:
                --   usher --app FILE account survey --write FILE

                """
        }
        return
            "\n-- Columns without a foreign key that could refer to users, as `account survey` proposes them. Read each line.\n\n"
            + survey.block
    }

    /// The maximum number of lines to append; people don't review longer lists.
    private static let mostLines = 60
}
