import Accounts
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appInit = Verb(
        Command(
            path: ["app", "init"], summary: "Draft an app file from the catalog of an unknown database.",
            discussion: """
                The users table is guessed from names, keys and how many tables refer to it; --root names it. A column that is \
                called after a table, as user_id after users, counts as a reference to it, with a foreign key or without. Of many tables those are drafted \
                that matter most, by what refers to them and by rows: panels, things with states, decisions, limits. What a \
                survey of the account proposes comes last. The draft is printed; it passes `app check`.
                """,
            arguments: [
                Argument(name: "NAME", kind: .text, arity: .optional, summary: "The app's name; else the database's.")
            ],
            options: [
                Option(
                    long: "root", value: .init(placeholder: "TABLE[.COLUMN]", kind: .text),
                    summary:
                        "The table of the users, and the column that identifies them; its primary key unless given.")
            ],
            examples: [Example(command: "app init shop", explains: "A file to go on from; redirect it to shop.sql.")],
            traits: .reachesDatabase),
        isOfDatabase: true
    ) { invocation, context throws(Failure) in
        let connection = try context.connection()
        let given = invocation.argument("NAME") ?? connection.database
        let name = String(given.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let taken = Set(context.grammar.nouns.map(\.name) + (AppVerbs.taken["object"] ?? []).map { "--\($0)" })
        let root = try invocation.option("root").map { text throws(Failure) in
            try AccountRoot.find(try AccountRoot.Name(text), on: connection, options: context.inquiry)
        }
        let draft = try AppDraft.text(
            named: name, root: root.map { ($0.table, $0.column) }, taken: taken, saying: .english, on: connection,
            options: context.inquiry)
        context.screen.data(Array((draft + (try DraftedAccount.lines(for: draft, context))).utf8))
        return .done
    }
}
