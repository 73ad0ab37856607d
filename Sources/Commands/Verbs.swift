package import CommandLine

/// All verbs of the engine, in the order that help shows them.
package enum Verbs {
    static let all: [Verb] = [
        .userFind, .userList, .userShow, .userWhy, .userTimeline, .userExport, .userNote,
        .quotaShow, .quotaSet, .settingsShow, .settingsSet,
        .accountSurvey, .accountPlan, .accountDelete, .accountRestore, .accountSearch,
        .stateList, .stateForce,
        .requestList, .requestShow, .requestApprove, .requestDecline, .requestWithdraw,
        .auditList, .auditShow, .auditUndo, .auditVerify, .undo, .rolesShow, .rolesSQL,
        .appList, .appShow, .appCheck, .appDiff, .appTest, .appFormat, .appLanguage, .appInit,
        .stats, .check, .install, .doctor, .connect, .demo, .run, .completion, .complete,
        .holders, .help, .version,
    ]

    /// What can be said to the program: parsing, help, completion and the console all read this.
    package static let grammar = Grammar(
        program: "usher", summary: "will this user see the paywall, which one, why, and what to do about it",
        globals: GlobalOptions.declarations,
        nouns: [
            Noun(name: "user", summary: "Find users, and see what they meet and why."),
            Noun(name: "account", summary: "Plan and run the deletion of accounts."),
            Noun(name: "quota", summary: "See what is used of what is allowed, and change the limits."),
            Noun(name: "settings", summary: "Configuration tables that an operator may change."),
            Noun(name: "state", summary: "Test states that an engineer forces; never in production."),
            Noun(name: "request", summary: "What operators ask of those who may do it."),
            Noun(name: "audit", summary: "See what operators did, and whether the record of it is whole."),
            Noun(name: "roles", summary: "What the roles of operators need in the database."),
            Noun(name: "app", summary: "The app files that say what a database means."),
        ],
        commands: all.map(\.command), topics: Topics.all,
        examples: [
            Example(command: "demo", explains: "Try everything on a private Postgres with sample data."),
            Example(command: "user show ada@example.com", explains: "One screen: verdict, reason, quotas, advice."),
            Example(
                command: "user why ada@example.com --at 2026-12-01", explains: "Every rule, and which one decided."),
        ],
        renames: [
            "account residue": "write `account search ID|EMAIL`", "--collateral": "write `--shared delete|detach`",
            "--suspected": "write `--undeclared COLUMN=ANSWER`",
            "--thorough": "`account search ID|EMAIL` searches texts, too", "--ask": "write `--request`",
        ])

}
