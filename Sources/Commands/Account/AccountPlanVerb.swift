import Accounts
import AppFile
import Asking
import CommandLine

extension Verb {
    static let accountPlan = Command(
        "account plan", summary: "Show what a deletion of this account would do.",
        discussion: """
            This command doesn't change anything. The plan counts owned, shared, detached and kept rows, and lists what blocks the deletion. The plan fits on one screen. -v shows every table, --table shows only one table.
            """,
        arguments: [Argument("USER", .user, summary: "An id or an email, matched exactly.")],
        options: AccountOptions.choosing + [
            Option("--table TABLE", .text, summary: "Show one table, and how usher found its rows.")
        ],
        examples: [
            Example(
                "account plan ada@example.com", explains: "Which rows belong to this account?",
                output: """
                    17 rows in 10 tables are deleted
                        17  owned               public.check_ins 5, public.impulses 3 and 8 more
                    """),
            Example("account plan 42 --root public.users", explains: "Plan a deletion without an app file."),
        ], traits: .reports
    ).verb(fleetScope: .membersWithTarget) { invocation, context throws(Failure) -> Void in
        let plan = try Accounts.AccountPlan.make(
            try AccountOptions.request([invocation.argument("USER") ?? ""], invocation),
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        let table = invocation.option("table")
        if let table, !plan.hasTable(table) {
            let known = Set(plan.entries.map(\.table) + plan.undeclared.map(\.table)).sorted()
            throw Failure(
                .usage, "there is no table \(table)",
                hint: "the tables of this plan are: \(known.listed(most: 20))")
        }
        try AccountPlanView(plan: plan, context: context, table: table).write()
    }
}

/// The options for accounts, shared rows and undeclared columns.
enum AccountOptions {
    static let root = Option(
        "--root TABLE[.COLUMN]", .text, summary: "Use this table of users if there is no app file.")

    static let choosing = [root] + answers

    /// The options that decide about shared rows and undeclared columns.
    static let answers: [Option] = [
        Option(
            "--shared delete|detach", .choice([Choice("delete"), Choice("detach")]),
            summary: "Delete shared rows, or empty their references."),
        Option(
            "--undeclared [C=]ANSWER", .answer([Choice("delete"), Choice("detach"), Choice("keep")]),
            repeats: true, summary: "Choose what happens to undeclared columns."),
    ]

    static func request(_ users: [String], _ invocation: Invocation) throws(Failure) -> AccountRequest {
        let shared = invocation.option("shared").flatMap { AccountAnswer(rawValue: $0) }
        var request = AccountRequest(users: users, root: invocation.option("root"), shared: shared)
        try request.answer(invocation.options("undeclared"))
        return request
    }
}
