import Accounts
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appInit = Verb(
        Command(
            path: ["app", "init"], summary: "Draft an app file from your tables.",
            discussion: """
                usher guesses the table of the users from names, keys and references; --root names the table. usher assumes that a column \
                named after a table refers to this table, with or without a foreign key: user_id refers to users. The draft has panels, objects and \
                decisions for the most important tables, and lines of @account. The draft includes the file of a platform, such as supabase, if the database has the platform's tables. The draft passes `app check`.
                """,
            arguments: [
                Argument(
                    name: "NAME", kind: .text, arity: .optional,
                    summary: "The name of the app. Default: the name of the database.")
            ],
            options: [
                Option(
                    long: "root", value: .init(placeholder: "TABLE[.COLUMN]", kind: .text),
                    summary:
                        "Use this table of users. Default column: the primary key.")
            ],
            examples: [
                Example(
                    command: "app init shop", explains: "Write a first version to shop.sql.",
                    output: """
                        -- @app shop  shop
                        -- @language 5
                        -- @requires public.customers
                        """)
            ],
            traits: .reachesDatabase),
        isOfDatabase: true
    ) { invocation, context throws(Failure) in
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
        context.screen.data(Array((draft + (try DraftedAccount.lines(for: draft, context))).utf8))
        return .done
    }
}
