import Accounts
import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let accountPlan = Verb(
        Command(
            path: ["account", "plan"],
            summary: "What deleting an account would do, to whom, and what stands in the way.",
            discussion: """
                Nothing is written. The plan counts the rows that belong to the account, by foreign keys and by what the app \
                file declares: those that are theirs alone, those that stand among what others have, those that others lose, \
                too, and those that stay, with the reason. It tells what triggers are going to write, what cannot be undone, \
                and what stands in the way. It fits on one screen; -v shows every table, --table one of them.

                Columns that names and keys make candidates, and that no line of the app file settles, are looked into; \
                --thorough searches all texts besides.

                With --check the exit code is 1 while a column may hold a person and nobody has said what becomes of it; without USER it is \
                another name for `account survey --check`.
                """,
            arguments: [
                Argument(
                    name: "USER", kind: .user, arity: .optional, summary: "An id or an e-mail address, matched exactly."
                )
            ],
            options: AccountOptions.choosing + [
                Option(
                    long: "table", value: .init(placeholder: "TABLE", kind: .text),
                    summary: "Only this table, with the ways to its rows."),
                Option(
                    long: "batch", value: .init(placeholder: "N", kind: .integer(1...1_000_000)),
                    summary: "Say what could not go in batches of so many rows."),
                Option(
                    long: "check",
                    summary: "Exit 1 when a column holds the person, or any user, that nobody classified."),
            ],
            examples: [
                Example(command: "account plan ada@example.com", explains: "What hangs on this account?"),
                Example(
                    command: "account plan 42 --root public.users", explains: "The same without an app file."),
                Example(command: "account plan --check", explains: "Has every column that holds users a policy?"),
            ], traits: .reports), reach: .everyHolder
    ) { invocation, context throws(Failure) in
        guard let user = invocation.argument("USER") else {
            guard invocation.flag("check") else {
                throw Failure(
                    .usage, "missing argument USER",
                    hint: "--check alone asks about all columns, as `account survey --check` does")
            }
            return try SurveyCommand.run(invocation, context)
        }
        let plan: Accounts.AccountPlan
        do throws(Failure) {
            plan = try Accounts.AccountPlan.make(
                try AccountOptions.request([user], invocation), batch: invocation.integer("batch"),
                on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        } catch {
            throw error.ofDeletion
        }
        try AccountPlanView(plan, table: invocation.option("table"), context).write()
        return invocation.flag("check") && plan.isUnclassified ? .failed : .done
    }
}

/// The options that say which accounts, and what becomes of what others share.
enum AccountOptions {
    static let root = Option(
        long: "root", value: .init(placeholder: "TABLE[.COLUMN]", kind: .text),
        summary:
            "The table that USER is a value of, where no app file says so and several could be; its primary key unless given."
    )

    static let thorough = Option(
        long: "thorough",
        summary:
            "Search every text and every column without an index for the person, too; it takes as long as the database is big."
    )

    static let choosing = [root, thorough] + answers

    /// What a deletion is told where nothing else says what becomes of rows.
    static let answers: [Option] = [
        Option(
            long: "collateral",
            value: .init(
                placeholder: "ANSWER",
                kind: .choice([
                    Choice(name: "delete", summary: "they go too"),
                    Choice(name: "keep", summary: "they stay, with what they need"),
                    Choice(name: "detach", summary: "they stay and lose the reference"),
                ])),
            summary:
                "What becomes of rows that are another user's too; without an answer nothing is deleted where there are any."
        ),
        Option(
            long: "suspected",
            value: .init(
                placeholder: "[COLUMN=]ANSWER",
                kind: .answer([
                    Choice(name: "delete", summary: "the rows go too"),
                    Choice(name: "detach", summary: "the columns are emptied"),
                    Choice(name: "keep", summary: "they stay"),
                ])), repeats: true,
            summary:
                "What becomes of columns that hold the person, or refer to what goes, although nothing declares it; unanswered, they refuse."
        ),
    ]

    static func request(_ users: [String], _ invocation: Invocation) throws(Failure) -> AccountRequest {
        var root: AccountRoot.Name?
        if let text = invocation.option("root") { root = try AccountRoot.Name(text) }
        let shared = invocation.option("collateral").flatMap { AccountAnswer(rawValue: $0) }
        var request = AccountRequest(
            users: users, root: root,
            answers: try AccountAnswers(shared: shared, columns: invocation.options("suspected")))
        request.isThorough = invocation.flag("thorough")
        return request
    }
}
