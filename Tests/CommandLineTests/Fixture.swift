import CommandLine

/// A small grammar shaped like usher's own.
enum Fixture {
    static let grammar = Grammar(
        program: "usher", summary: "Operations console for subscription apps on Postgres", globals: globals,
        nouns: [
            Noun(name: "user", summary: "The people who use the app"),
            Noun(name: "account", summary: "All that belongs to a person"),
            Noun(name: "app", summary: "App definitions"),
            Noun(name: "event", summary: "What the stores reported"),
        ],
        commands: users + accounts + others, topics: topics,
        examples: [Example("usher user show ann@example.com", explains: "All about one person")],
        renames: ["repl": "`usher` opens the console"], synonyms: ["view": "show", "explain": "why"])

    static let globals = [
        Option("-d, --db CONNINFO", .text, summary: "Where to connect"),
        Option("--app NAME|FILE", .app, summary: "App definition"),
        Option(
            "-o, --output FORMAT", .choice(["table", "json", "ndjson", "csv", "tsv", "name"]), standard: "table",
            summary: "Output format"),
        Option("--json", summary: "Short for -o json", implies: ("output", "json")),
        Option("-n, --dry-run", summary: "Really run, show, roll back"),
        Option("-y, --yes", summary: "Answer moderate confirmations"),
        Option("--reason TEXT", .text, summary: "Why; recorded"),
        Option("--timeout SECONDS", .seconds, summary: "Give up after that"),
        Option("-q, --quiet", summary: "Say less"),
        Option("-v, --verbose", repeats: true, summary: "Say more"),
        Option("-h, --help", summary: "Show help"),
        Option("--version", summary: "Show the version"),
    ]

    static let user = Argument("USER", .user, summary: "Id or e-mail address, or - for standard input")

    static let limit = Option("--limit N", .integer(1...1000), standard: "20", summary: "At most N rows")

    static func from(_ argument: String) -> Option {
        Option("--from FILE", .file, summary: "Read users from a file", supplies: argument)
    }

    static let users = [
        Command(
            "user find", summary: "Find a user",
            discussion: "Tries the exact id, the exact address, then a prefix,\nthen any part.\n\n  id  exact only",
            arguments: [Argument("TEXT", .text, summary: "Id, address, or part of one")], options: [limit],
            examples: [
                Example("usher user find ann", explains: "Everybody whose address begins with ann"),
                Example("usher user find ann -o name | usher user show -", explains: "Show each of them"),
            ]),
        Command(
            "user list", summary: "List users",
            options: [
                limit,
                Option("--decision NAME=OUTCOME", .assignment, repeats: true, summary: "Only those"),
                Option("--where NAME", .named("selection"), summary: "Only these"),
            ]),
        Command("user show", summary: "Show a user", arguments: [user], options: [from("USER")]),
        Command(
            "user why", summary: "Explain every decision", arguments: [user],
            options: [
                Option("--assume K=V", .assignment, repeats: true, summary: "Pretend that a fact holds"),
                Option("--facts FILE", .file, summary: "Facts from a file"),
                Option("--at TIME", .time, summary: "At that instant"),
            ]),
    ]

    static let accounts = [
        Command(
            "account delete", summary: "Delete accounts, verified",
            arguments: [Argument("USER...", .user, summary: "Whose account")],
            options: [
                from("USER"),
                Option("--due", summary: "All that are due", supplies: "USER"),
                Option("--resume ID", .text, summary: "Go on", supplies: "USER", allowsSupplied: true),
                Option(
                    "--collateral CHOICE",
                    .choice([
                        Choice("delete", "remove them: all"),
                        Choice("keep", "leave what's shared"),
                    ]),
                    summary: "What to do with rows that others share"),
                Option("--batch N", .integer(1...1_000_000), summary: "Rows each"),
            ]),
        Command(
            "account note", summary: "Leave notes",
            arguments: [
                Argument("USER...", .user, summary: "Who"),
                Argument("WORDS", .text, summary: "What"),
            ],
            options: [
                Option("--source NAME", .choice(["phone", "mail"]), summary: "Where it came from", isRequired: true),
                Option("--weight X", .seconds, summary: "How much it counts"),
                Option("--offset N", .integer(-9...0), summary: "How far back"),
            ]),
    ]

    static let others = [
        Command("app list", summary: "List apps"),
        Command(
            "app show", summary: "Show an app",
            arguments: [Argument("[APP]", .app, summary: "Which")]),
        Command(
            "event replay", summary: "Process events again",
            arguments: [Argument("[ID...]", .integer(nil), summary: "Which")]),
        Command("doctor", summary: "Say what is wrong with the connection"),
        Command(
            "completion", summary: "Print a completion script",
            arguments: [Argument("SHELL", .choice(["bash", "zsh", "fish"]), summary: "Which shell")]),
        Command(
            "help", summary: "Show help",
            arguments: [Argument("[TOPIC...]", .topic, summary: "Topic, noun or command")]),
        Command(
            "__complete", summary: "Offer names",
            arguments: [Argument("[WORD...]", .text, summary: "What was typed")], isHidden: true),
    ]

    static let topics = [
        Topic(
            name: "exit-codes", summary: "What the exit codes mean",
            text: "Every command ends with one of these.\n\n  0  done\n  1  failed\n  2  usage"),
        Topic(name: "environment", summary: "Variables", text: "  USHER_APP  the app definition"),
        Topic(name: "files", summary: "Files", text: "  ~/.pgpass  passwords"),
        Topic(
            name: "connection", summary: "How to connect",
            text: "As `psql` does:\n\n  usher -d service=prod\n\n.leading dots and \\backslashes 'stay'."),
    ]
}
