internal import Inquiries
internal import Acts
import Accounts
import AppFile
import Asking
import Catalog
import Changes
import CommandLine
import Ledger
import PQ
import Terminal

extension Verb {
    static let install = Command(
        "install", summary: "Set up a database: audit log, environment, roles.",
        discussion: """
            usher creates the schema usher and compiles the actions, states and settings of the app file into this schema. Run `install` again after each change of the app file. The schema belongs to the owner of the database, who need not be a superuser. If \
            your role can't do a step, usher prints the SQL for someone who can.

            usher refuses to install while operators can create objects in a schema on the search path of the actions.

            Without --environment the database has no declared environment and counts as production. To change production to another \
            environment, add --confirm with the name of the database.
            """,
        options: [
            Option(
                "--environment E", .choice(["production", "staging", "development", "test"]),
                summary: "Declare the environment of the database."),
            Option("--sql", summary: "Print the SQL for psql; write nothing.", traits: .reachesDatabase),
        ],
        examples: [
            Example(
                "install --environment staging",
                explains: "Operators can then make changes, and usher logs the changes.",
                output: """
                    schema       usher in app, version 1, created, owned by postgres
                    environment  staging
                    app          letter, 26 actions of the file 5e71fae5c024
                    """),
            Example("install --sql", explains: "Read the SQL first, or give it to your DBA."),
        ], grade: .moderate, traits: .makesChange
    ).verb { invocation, context throws(Failure) in
        let environment = invocation.option("environment")
        if invocation.flag("sql") {
            let app = try named(context)
            context.screen.data(Array(LedgerSchema.script(environment: environment, app: app).utf8))
            return
        }
        let install = try Changes.Install(
            on: try context.connectionToChange(), app: try fitting(context), environment: environment,
            options: context.inquiry, elsewhere: context.connectionOfItsOwn)
        let isDryRun = context.options.isDryRun
        if !isDryRun { try confirm(install, environment, context) }
        let report = try install.run(
            reason: context.options.reason, ticket: context.options.ticket, isDryRun: isDryRun)
        if !isDryRun { context.noteOperation(report.operation) }
        try context.writePage(json: json(report), key: report.operation, screen: lines(report))
        if let doubt = Failure(warnings: report.commitWarnings) { throw doubt }
    }

    /// The chosen app, compiled for the database; nil if the operator chose no app.
    private static func named(_ context: Context) throws(Failure) -> CompiledApp? {
        guard context.chosenApp != nil else { return nil }
        return try CompiledApp.checked(
            try context.app(), on: try context.connectionToChange(), options: context.inquiry)
    }

    /// The chosen app, or the app that fits the database; nil if no app fits.
    private static func fitting(_ context: Context) throws(Failure) -> App? {
        do throws(Failure) { return try context.app() } catch {
            guard error.code == Failure.noApp else { throw error }
            return nil
        }
    }

    /// Asks the operator to confirm a change of the environment.
    ///
    /// To change production to another environment, the operator types the name of the database. To declare
    /// production, usher asks only at a terminal, not in a script.
    private static func confirm(
        _ install: Changes.Install, _ environment: String?, _ context: Context
    ) throws(Failure) {
        let database = SafeText(install.database)
        var question = Confirmation.Question()
        if install.isSevere {
            if context.options.reason == nil {
                throw Failure(
                    .refused, "a change in production needs a reason",
                    hint: "add --reason TEXT, and --confirm \(quoteWord(install.database)) to confirm")
            }
            question.typed =
                "to declare the database " + SafeText(environment ?? "") + ", without the protection of production"
        } else {
            question.yes =
                "Declare " + database + " as production (to change this later, you need --confirm and --reason)"
        }
        try Confirmation(
            install.isSevere ? .severe : .mild, ofDatabase: install.database, isAskedAtTerminal: install.marksProduction
        ).ask(context.options, question)
    }

    private static func lines(_ report: InstallReport) -> [SafeText] {
        let version = "version \(Ledger.version), \(report.previousVersion == 0 ? "created" : "already installed")"
        let doubt = report.environment.doubt.map { ", because \($0)" } ?? ""
        var lines = KeyValueList([
            ("schema", SafeText("usher in \(report.database), \(version), owned by \(report.owner)")),
            ("environment", SafeText(report.environment.name + doubt)),
            (
                "app",
                SafeText(report.app?.extent ?? "none; no app file fits this database, so no actions are installed")
            ),
            ("operation", report.isDryRun ? "none, because this was a dry run" : SafeText(report.operation)),
        ]).lines(width: nil)
        if let app = report.app {
            let none: SafeText = app.acts.isEmpty ? "No action is" : "Not"
            lines += list(
                "→ " + none + " installed, because " + SafeText(report.owner)
                    + " lacks rights, or `usher app check` finds an error:", app.obstacles.isEmpty ? [] : app.hindrances
            )
            lines += list("→ Operators can't change these settings, which functions read:", app.settings.names)
            lines += list(
                "→ These functions read settings by a computed name, so operators can change the settings:",
                app.settings.functions)
        }
        if report.environment.doubt != nil {
            lines.append(
                ("→ `usher install --environment E` declares the environment: production, staging, development or test")
            )
        }
        lines += list(
            "→ usher revoked these rights, because operators don't need write access:",
            report.revoked.map { $0.remedy + ";" })
        let (roles, rights) = (report.remains.filter(\.isAboutRoles), report.remains.filter { !$0.isAboutRoles })
        lines += list(
            "→ Operators still have rights that they don't need. The owner or a superuser can revoke them:",
            rights.map { $0.sql + ";" })
        lines += list("→ Someone who can create roles has to run these statements:", roles.map { $0.sql + ";" })
        if !roles.isEmpty, report.mustRunAgain {
            lines.append("  then run `usher install` again to grant these roles their rights")
        }
        lines += [
            "→ Next, in this order:",
            "    usher roles sql | psql               the grants that operators need on the tables of the app",
            "    grant usher_support to NAME;         for the login role of each operator; or usher_admin, usher_engineer",
        ]
        return lines
    }

    /// A title and its items, one per line; no lines without items.
    private static func list(_ title: SafeText, _ items: [String]) -> [SafeText] {
        items.isEmpty ? [] : [title] + items.map { "    " + SafeText($0) }
    }

    private static func json(_ report: InstallReport) -> JSON.Members {
        let obstacles = JSON.list(report.app?.obstacles ?? []) {
            [("act", $0.name), ("because", $0.sentence)]
        }
        return [
            ("operation", report.isDryRun ? nil : report.operation), ("dry_run", report.isDryRun),
            ("database", report.database), ("owner", report.owner), ("version", Ledger.version),
            ("from", report.previousVersion), ("environment", report.environment.name),
            ("doubt", report.environment.doubt), ("app", report.app?.name), ("digest", report.app?.digest),
            ("acts", report.app?.acts.count ?? 0), ("not_installed", obstacles),
            ("own_settings", report.app?.settings.names ?? []),
            ("revoked", JSON.list(report.revoked) { [("sql", $0.remedy)] }),
            ("warnings", report.commitWarnings.map(\.sentence)),
            ("remains", JSON.list(report.remains) { [("sql", $0.sql), ("because", $0.sentence)] }),
        ]
    }
}
