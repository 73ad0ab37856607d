package import CommandLine

/// All commands of usher itself, in the order of help.
package enum Verbs {
    static let all: [Verb] = [
        .userFind, .userList, .userShow, .userWhy, .userTimeline, .userExport, .userNote,
        .quotaShow, .quotaSet, .settingsShow, .settingsSet,
        .accountSurvey, .accountPlan, .accountDelete, .accountRestore, .accountSearch,
        .stateList, .stateForce,
        .requestList, .requestShow, .requestApprove, .requestDecline, .requestWithdraw,
        .auditList, .auditShow, .auditUndo, .auditVerify, .undo, .rolesShow, .rolesSQL,
        .appList, .appShow, .appCheck, .appDiff, .appTest, .appFormat, .appInit, .appSQL,
        .stats, .check, .install, .uninstall, .doctor, .connect, .demo, .run, .completion, .complete,
        .findTargets, .help, .version,
    ]

    /// The grammar of the program, for parsing, help, completion and the console.
    package static let grammar = Grammar(
        program: "usher", summary: "answer support questions from your app's Postgres database",
        globals: GlobalOptions.declarations,
        nouns: [
            Noun(name: "user", summary: "Find users, and explain what they see."),
            Noun(name: "account", summary: "Delete, restore and search accounts."),
            Noun(name: "quota", summary: "Show usage and change limits."),
            Noun(name: "settings", summary: "Show and change configuration tables."),
            Noun(name: "state", summary: "List test states, and set one for a test user."),
            Noun(name: "request", summary: "Request changes, and answer requests."),
            Noun(name: "audit", summary: "Show, undo and verify what operators did."),
            Noun(name: "roles", summary: "Show the grants of each role, and print them as SQL."),
            Noun(name: "app", summary: "Write, check and test app files."),
        ],
        commands: all.map(\.command), topics: Topics.all,
        examples: [
            Example(
                "demo", explains: "Try usher on a private Postgres with sample data.",
                output: """
                    Try: user show ada@example.com
                    """),
            Example(
                "user show ada@example.com", explains: "See access, reason, advice and quotas on one screen.",
                output: """
                    access  paywall
                            The trial ended at 2026-11-19 14:00.
                    """),
            Example("user why ada@example.com --at 2026-12-01", explains: "See which rule decides on that day."),
        ],
        renames: [
            "account residue": "write `account search ID|EMAIL`", "--collateral": "write `--shared delete|detach`",
            "--suspected": "write `--undeclared COLUMN=ANSWER`",
            "--thorough": "`account search ID|EMAIL` also searches texts", "--ask": "write `--request`",
            "repl": "`usher` without a command opens the console",
        ],
        synonyms: [
            "view": "show", "get": "show", "describe": "show", "search": "find", "ls": "list", "history": "timeline",
            "log": "audit list", "validate": "app check", "explain": "why", "status": "doctor", "login": "connect",
        ], groups: groups)

    private static let groups: [(title: String, commands: [String])] = [
        (
            "SUPPORT",
            [
                "user find", "user show", "user why", "user timeline", "user list", "user note", "quota show", "check",
                "undo",
            ]
        ),
        (
            "ADMINS",
            [
                "request list", "request approve", "audit list", "audit show", "settings set", "quota set", "stats",
                "account plan", "account delete", "account restore", "account search", "user export",
            ]
        ),
        (
            "ENGINEERS",
            [
                "app init", "app check", "app test", "app show", "app sql", "account survey", "state force",
                "audit verify", "run",
            ]
        ),
        (
            "SET-UP",
            ["demo", "connect", "doctor", "install", "uninstall", "roles show", "roles sql", "completion"]
        ),
    ]

}
