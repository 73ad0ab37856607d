import Accounts
import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appInit = Command(
        "app init", summary: "Draft an app file from your tables.",
        discussion: """
            usher guesses the table of the users from names, keys and references; --root names the table. usher assumes that a column \
            named after a table refers to this table, with or without a foreign key: user_id refers to users. The draft has panels, objects and \
            decisions for the most important tables, and lines of @account. The draft includes the file of a platform, such as supabase, if the database has the platform's tables. The draft passes `app check`.
            """,
        arguments: [Argument("[NAME]", .text, summary: "The name of the app. Default: the name of the database.")],
        options: [
            Option("--root TABLE[.COLUMN]", .text, summary: "Use this table of users. Default column: the primary key.")
        ],
        examples: [
            Example(
                "app init shop", explains: "Write a first version to shop.sql.",
                output: """
                    -- @app shop  shop
                    -- @language 5
                    -- @requires public.customers
                    """)
        ],
        traits: .reachesDatabase
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let connection = try context.connection()
        let given = invocation.argument("NAME") ?? connection.database
        let name = String(given.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let taken = Set(context.grammar.nouns.map(\.name) + (AppVerbs.taken["object"] ?? []).map { "--\($0)" })
        let root = try invocation.option("root").map { text throws(Failure) in
            try AccountRoot.find(text, on: connection, options: context.inquiry)
        }
        let draft = try AppDraft.text(
            named: name, root: root.map { ($0.table, $0.column) }, taken: taken, on: connection,
            options: context.inquiry)
        context.screen.data(Array((draft + (try account(for: draft, context))).utf8))
    }

    /// The lines of `account survey` to append to a draft; if there are too many, the command that appends them.
    private static func account(for draft: String, _ context: Context) throws(Failure) -> String {
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
