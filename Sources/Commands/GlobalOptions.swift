internal import Asking
package import CommandLine
internal import Terminal

/// The options with the same meaning for every command.
package struct GlobalOptions: Sendable {
    package var database: String?
    /// The value of `--fleet`: a file, or names of databases.
    package var fleet: String?
    package var only: [String] = []
    /// The chosen database of a fleet; `database` then contains its connection string.
    package var member: String?
    /// The schema of a tenant, if the app file has `@schema`.
    package var schema: String?
    package var app: String?
    /// The file of `--also`, which adds lists, panels and checks.
    var also: String?
    package var format = OutputFormat.table
    package var findingsFormat: FindingsFormat?
    package var fields: [String] = []
    package var at: String?
    /// The interval of a watched command in seconds; nil for a single run.
    package var watch: Double?
    package var timeout = InquiryOptions.usualTimeout
    package var isTimeoutChosen = false
    /// The time limit for connecting in seconds; nil for the limit in the connection string or libpq's.
    var connectTimeout: Double? { isTimeoutChosen ? timeout : nil }
    package var isQuiet = false
    package var isDryRun = false
    package var asks = false
    package var reason: String?
    package var ticket: String?
    /// The given options by their long names; the processes of fleet members get the same options.
    private(set) var given: [String: [String]] = [:]

    /// The time zone of `--tz`; nil for the zone in `TZ`.
    var zone: String? { given["tz"]?.last }
    package var saysYes: Bool { given["yes"] != nil }
    package var confirmation: String? { given["confirm"]?.last }
    package var noInput: Bool { given["no-input"] != nil }
    package var noColor: Bool { given["no-color"] != nil }
    package var noProgress: Bool { given["no-progress"] != nil }
    package var noPager: Bool { given["no-pager"] != nil }
    package var forSpreadsheet: Bool { given["for-spreadsheet"] != nil }
    package var isVerbose: Bool { given["verbose"] != nil }
    package var showsSQL: Bool { given["show-sql"] != nil }
    package var keepsGoing: Bool { given["keep-going"] != nil }

    /// Adds the option `--no-input`.
    mutating func refuseQuestions() { given["no-input"] = ["true"] }

    /// The options of a command, with the session's options that the command accepts.
    init(_ invocation: Invocation, over base: GlobalOptions) {
        self.init(invocation.options, over: base)
        func accepts(_ long: String) -> Bool { Self.option(long).map(invocation.accepts) ?? false }
        if !accepts("at") { at = nil }
        if !accepts("also") { also = nil }
        if !accepts("dry-run") { isDryRun = false }
    }

    /// The options of a command line, with the options of the program as defaults.
    package init(_ options: [String: [String]], over base: GlobalOptions? = nil) {
        if let base { self = base }
        given.merge(options) { $1 }
        func text(_ name: String) -> String? { options[name]?.last }
        func flag(_ name: String, _ inherited: Bool) -> Bool { inherited || options[name] != nil }
        // A --db or --fleet on this line replaces both options of the program.
        if options["db"] != nil || options["fleet"] != nil { (database, fleet, only, member) = (nil, nil, [], nil) }
        database = text("db") ?? database
        fleet = text("fleet") ?? fleet
        if let labels = text("only") {
            only = labels.split { $0 == "," || $0.isWhitespace }.map(String.init)
        }
        member = text("member") ?? member
        app = text("app") ?? app
        also = text("also") ?? also
        if let name = text("output") {
            findingsFormat = FindingsFormat(rawValue: name)
            format = OutputFormat(rawValue: name) ?? .table
        }
        // The search for a user in a fleet passes an empty list, which replaces the fields of the command.
        if let names = options["fields"] {
            fields = names.last?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        at = text("at") ?? at
        watch = text("watch").flatMap { Double($0) }.map { max($0, Self.fewestSeconds) } ?? watch
        timeout = text("timeout").flatMap { Double($0) }.map(Self.bounded) ?? timeout
        isTimeoutChosen = flag("timeout", isTimeoutChosen)
        isQuiet = flag("quiet", isQuiet)
        isDryRun = flag("dry-run", isDryRun)
        asks = options["request"] != nil
        reason = text("reason").flatMap { $0.contains { $0.isLetter || $0.isNumber } ? $0 : nil } ?? reason
        ticket = text("ticket") ?? ticket
    }

    private static let fewestSeconds = 0.5

    /// A time limit in seconds that both the server and `poll` accept; zero means the maximum.
    private static func bounded(_ seconds: Double) -> Double {
        let longest = 600_000.0
        return seconds == 0 ? longest : min(max(seconds, 0.001), longest)
    }

    /// Applies the time zone of these options; returns a failure for an unknown zone.
    func useZone() -> Failure? {
        if Zone.choose(zone) { return nil }
        return Failure(
            .usage, "\(zone ?? "") is not a time zone", hint: "write a name such as Europe/Berlin or UTC")
    }

    static func option(_ long: String) -> Option? { declarations.first { $0.long == long } }

    package static let declarations: [Option] =
        changing + reading + writing + connecting + [
            Option("--keep-going", summary: "In a script, continue after an error.", needs: .runsCommands),
            Option("--no-color", summary: "Don't print colors. NO_COLOR has the same effect."),
            Option("--no-input", summary: "Never ask questions; refuse instead."),
            Option("--no-pager", summary: "Don't open a pager."),
            Option("-q, --quiet", summary: "Print only results and errors."),
            Option("-v, --verbose", summary: "Print more details."),
            Option("-h, --help", summary: "Show help for this command."),
            Option("--version", summary: "Show the version of usher."),
        ]

    private static let connecting: [Option] = [
        Option(
            "-d, --db CONNINFO", .text,
            summary:
                "Connect to this database: URI, key=value pairs, or a name. Default: PG*, then DATABASE_URL. See `usher help connection`.",
            needs: [.choosesDatabase, .runsCommands]),
        Option(
            "--fleet FILE|NAMES", .file,
            summary: "Use several databases: a file, or names as in eu1,eu2. Default: USHER_FLEET.",
            needs: [.spansFleet, .runsCommands]),
        Option(
            "--only LABELS", .named("label"), summary: "Use only databases of the fleet with all of these labels.",
            needs: [.spansFleet, .runsCommands]),
        Option(
            "--member NAME", .named("member"), summary: "Use one database of the fleet.",
            needs: [.spansFleet, .runsCommands]),
        Option(
            "--app NAME|FILE", .app,
            summary: "Use this app file. Default: USHER_APP, or the file that fits the database.",
            needs: [.readsApp, .runsCommands]),
        Option(
            "--timeout SECONDS", .seconds, standard: "10",
            summary: "Limit connecting and each statement to this time; 0 for no limit.",
            needs: [.connects, .runsCommands]),
        Option(
            "--tz ZONE", .text, summary: "Show and read times in this zone, such as Europe/Berlin. Default: TZ.",
            needs: [.connects, .runsCommands]),
        Option(
            "--show-sql", summary: "Print the SQL of the app file to standard error.",
            needs: [.connects, .runsCommands]),
        Option("--no-progress", summary: "Don't show progress.", needs: [.connects, .runsCommands]),
    ]

    private static let writing: [Option] = [
        Option(
            "-o, --output FORMAT", .choice(OutputFormat.choices), standard: "table",
            summary: "Choose the output format.",
            needs: [.writesResult, .writesLines, .reportsFindings, .runsCommands]),
        Option(
            "--json", summary: "Short for -o json.", implies: ("output", "json"),
            needs: [.writesResult, .runsCommands]),
        Option("--fields A,B", .text, summary: "Print only these columns, in this order.", needs: .writesRows),
        Option(
            "--for-spreadsheet", summary: "Escape values in csv and tsv that a spreadsheet would run as formulas.",
            needs: .writesRows),
    ]

    private static let changing: [Option] = [
        Option(
            "-n, --dry-run", summary: "Show what would change, without saving anything.",
            needs: [.changes, .runsCommands]),
        Option(
            "--request",
            summary: "Request a change that needs another role or a second person. See `usher help requests`.",
            needs: .isAskable),
        Option(
            "-y, --yes", summary: "Answer yes to questions. Severe changes still need --confirm.",
            needs: [.changes, .runsCommands]),
        Option(
            "--confirm VALUE", .text, summary: "Confirm a severe change: type the email or the number of users.",
            needs: .changes),
        Option(
            "--reason TEXT", .text, summary: "Record this reason in the audit log. Required in production.",
            needs: [.isRecorded, .runsCommands]),
        Option(
            "--ticket ID", .text, summary: "Record this ticket in the audit log.", needs: [.isRecorded, .runsCommands]),
    ]

    private static let reading: [Option] = [
        Option("--at TIME", .time, summary: "Use this time instead of now.", needs: [.readsAtInstant, .runsCommands]),
        Option(
            "--also FILE", .file,
            summary: "Add the lists, panels and checks of this file, which can't contain actions.",
            needs: [.readsAtInstant, .runsCommands]),
        Option(
            "--watch SECONDS", .seconds,
            summary: "Repeat the command every N seconds, and print changed results, until Ctrl-C.",
            needs: .isWatchable),
    ]
}
