import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let appShow = Command(
        "app show", summary: "Show what an app file contains.",
        arguments: [.app],
        options: [Option("--prose", summary: "Explain each decision in plain words (no SQL).")],
        examples: [
            Example(
                "app show ./mine.sql", explains: "Show decisions, selections, quotas and panels.",
                output: """
                    The Studio  studio

                    Requires
                      public.members
                    """),
            Example("app show ./mine.sql --prose", explains: "Explain the app to people who don't read SQL."),
        ], traits: .reports
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let app = try AppShow.chosen(invocation, context)
        // usher looks for an installed version only if it chose the app by the database.
        let installed =
            invocation.argument("NAME|FILE") == nil && context.chosenApp == nil
            ? try InstalledApp.version(of: app, on: try context.connection()) : nil
        let width = context.screen.widthLimit
        try context.writePage(
            json: json(app, installed), key: app.name,
            screen: invocation.flag("prose")
                ? AppProse(width: width).lines(app) : screen(app, installed, width: width))
    }

    private static func json(_ app: App, _ installed: InstalledApp.Version?) -> JSON.Members {
        let selections = JSON.list(app.users.selections) {
            [("name", $0.name), ("sentence", $0.sentence.source)]
        }
        return [
            ("name", app.name), ("title", app.title), ("requires", app.requires.map(\.name)),
            ("file", app.files.first?.name), ("digest", app.digest),
            ("installed", installed.map { JSON([("digest", $0.digest), ("on", $0.date)]) }),
            ("key", app.users.key), ("addresses", app.users.emails),
            ("facts", JSON(app.users.meanings.map { ($0.fact, $0.text) })), ("selections", selections),
            ("decisions", JSON.list(app.decisions, members)), ("quotas", app.quotas.map(\.name)),
            ("panels", app.panels.map(\.title)), ("timelines", app.timelines.map(\.source)),
            ("objects", app.objects.map(\.noun)),
            ("commands", JSON.list(AppVerbs.all(of: app).map(\.verb.command), members)),
            ("settings", app.settings.map(\.name)), ("states", app.states.map(\.name)),
            ("checks", app.checks.map(\.name)),
        ]
    }

    private static func members(_ decision: App.Decision) -> JSON.Members {
        [
            ("name", decision.name), ("question", decision.question), ("outcomes", decision.outcomes),
            ("assume", decision.assumptions.map(\.name)), ("rules", decision.rules.count),
        ]
    }

    private static func members(_ command: Command) -> JSON.Members {
        [("name", command.name), ("summary", command.summary), ("role", command.role)]
    }

    private static func screen(_ app: App, _ installed: InstalledApp.Version?, width: Int?) -> [SafeText] {
        var lines: [SafeText] = [SafeText(app.title).bold + "  " + SafeText(app.name).dim]
        lines.append(SafeText("\(app.files.first?.name ?? ""), \(app.shortDigest)").dim)
        let isSame = installed?.digest == app.digest
        if let installed {
            let other = SafeText("The installed version is \(installed.shortDigest), installed on \(installed.date).")
            lines.append((isSame ? "This version is installed." : other).dim)
        }
        func section(_ title: SafeText, _ items: [(String, String)]) {
            lines += AppProse(width: width).section(title, items)
        }
        section("Requires", app.requires.map { ($0.name, "") })
        section(
            "Decisions", app.decisions.map { ($0.name, "\($0.question) \($0.outcomes.joined(separator: " | "))") })
        section("Selections", app.users.selections.map { ($0.name, $0.sentence.source) })
        section("Quotas", app.quotas.map { ($0.name, "") })
        section("Panels", app.panels.map { ($0.title, "") })
        section("Timelines", app.timelines.map { ($0.source, "") })
        section("Commands", AppVerbs.all(of: app).map(\.verb.command).map { ($0.name, $0.summary) })
        section("Settings", app.settings.map { ($0.name, $0.summary) })
        section("Test states", app.states.map { ($0.name, $0.summary) })
        section("Checks", app.checks.map { ($0.name, $0.summary) })
        return lines
    }
}

extension Argument {
    static let app = Argument(
        "[NAME|FILE]", .app,
        summary: "The name of an app, or an app file. Default: --app, USHER_APP, or the app that fits the database.")
}

/// Finds the app for a command of the noun `app`.
enum AppShow {
    /// The app on the command line, or the app that fits the database.
    static func chosen(_ invocation: Invocation, _ context: Context) throws(Failure) -> App {
        if let name = try named(invocation) { return try AppLibrary.app(name, taken: AppVerbs.taken) }
        let candidates = try context.candidates()
        if candidates.count == 1, let only = candidates.first { return only }
        return try context.app()
    }

    /// The name or the path of the chosen app; usher doesn't parse the file, because the file may contain mistakes.
    static func chosenName(_ invocation: Invocation, _ context: Context) throws(Failure) -> String {
        if let name = try named(invocation) ?? context.chosenApp { return name }
        return try chosen(invocation, context).name
    }

    private static func named(_ invocation: Invocation) throws(Failure) -> String? {
        guard let name = invocation.argument("NAME|FILE") else { return nil }
        if let other = invocation.option("app"), other != name {
            throw Failure(
                .usage, "`\(invocation.command.name)` takes one app, but you gave two: \(name) and \(other)",
                hint: "remove one of the two")
        }
        return name
    }
}
