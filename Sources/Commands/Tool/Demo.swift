import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import LocalCluster
import PQ
import Terminal

extension Verb {
    static let demo = Command(
        "demo", summary: "Try usher on a private Postgres with sample data.",
        discussion: """
            usher starts a server in a temporary folder, without a network port, and stops the server at the end. At a \
            terminal usher opens the console; otherwise it prints a short tour.

            With --app FILE, usher installs the actions of your app file on the sample data of APP. Without APP, usher loads \
            the sample data of the app that `@app` in your file names, or else the default sample data.
            """,
        arguments: [Argument("[APP]", .app, summary: "The app whose sample data usher loads.")],
        options: [
            Option("--keep", summary: "Leave the server running, and print its connection string."),
            Option("--stop FOLDER", .file, summary: "Stop a server that was started with --keep.", traits: []),
        ],
        examples: [
            Example("demo", explains: "Look around; usher doesn't touch your own databases."),
            Example(
                "demo --keep", explains: "Start a database to try scripts on.",
                output: """
                    To stop the server: usher demo --stop /tmp/usher-Ym4q8b
                    host=/tmp/usher-Ym4q8b port=5432 dbname=impulse user=operator
                    """),
            Example("demo --app ./mine.sql", explains: "Try your own app file on sample data."),
        ], traits: [.connects, .readsApp, .writesResult, .writesRows]
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        if let folder = invocation.option("stop") { return try stop(folder, context) }
        let own = try context.chosenApp.map { choice throws(Failure) in
            try AppLibrary.app(choice, taken: AppVerbs.taken)
        }
        let app = try chosen(invocation.argument("APP") ?? own.flatMap(sample))
        let keeps = invocation.flag("keep")
        context.remark("Starting a private Postgres with the data of " + SafeText(app) + " …")
        let cluster: LocalCluster
        do throws(ClusterError) {
            cluster = try LocalCluster.start(keep: keeps)
        } catch {
            throw Failure(.failed, "can't start a private Postgres: \(error.description)")
        }
        defer { cluster.stop() }
        let database = try fill(cluster, with: app, installing: own, context)
        if keeps { return try announce(cluster, database, context) }
        if let openConsole = context.openConsole, context.screen.isTerminal {
            let first = own == nil ? DemoDatabase.tour(of: app).first : "app show"
            context.remark("Try: " + SafeText(first ?? "help").bold)
            return openConsole(database)
        }
        return tour(own == nil ? DemoDatabase.tour(of: app) : ["user list --limit 5", "doctor"], on: database, context)
    }

    /// The name of an app file's app, if there is sample data for this app.
    private static func sample(_ app: App) -> String? { DemoDatabase.apps.contains(app.name) ? app.name : nil }

    private static func chosen(_ name: String?) throws(Failure) -> String {
        guard let app = name ?? DemoDatabase.standard, DemoDatabase.apps.contains(app) else {
            throw Failure(
                .usage, "there is no sample data for \(name ?? "any app")",
                hint: "choose one of: \(DemoDatabase.apps.joined(separator: ", "))")
        }
        return app
    }

    private static func fill(
        _ cluster: LocalCluster, with app: String, installing own: App?, _ context: Context
    ) throws(Failure) -> String {
        let database = cluster.conninfo(database: app, user: DemoDatabase.owner)
        func connect(_ database: String) throws(Failure) -> Connection {
            try failing(try Connection(try Conninfo(database)))
        }
        try DemoDatabase.prepare(try connect(cluster.conninfo(database: "template1")))
        try DemoDatabase.create(app, on: try connect(cluster.conninfo(database: "postgres")))
        let installed = try DemoDatabase.fill(app, installing: own, recorded: true, on: try connect(database))
        for hindrance in installed.hindrances { context.remark("Not installed: " + SafeText(hindrance)) }
        return database
    }

    private static func announce(
        _ cluster: LocalCluster, _ database: String, _ context: Context
    ) throws(Failure) -> ExitStatus {
        let cells = [("db", database), ("folder", cluster.folder), ("postgres", cluster.version)]
        try context.writePage(
            json: cells.map { ($0.0, $0.1) }, key: database, screen: [SafeText(database)])
        context.remark("To stop the server: " + ("usher demo --stop " + SafeText(quoteWord(cluster.folder))).bold)
        return .done
    }

    private static func stop(_ folder: String, _ context: Context) throws(Failure) -> ExitStatus {
        do throws(ClusterError) { try LocalCluster.destroy(folder: folder) } catch {
            throw Failure(.failed, error.description)
        }
        context.remark("Stopped the server and removed " + SafeText(folder) + ".")
        return .done
    }

    /// Runs example commands and prints their real output, if usher can't open the console.
    private static func tour(_ tour: [String], on database: String, _ context: Context) -> ExitStatus {
        let options = context.options.alone(at: database)
        let runner = Runner(session: CommandSession(), screen: context.screen, base: options)
        var isUnsound = false
        for line in tour {
            // Machine formats contain only the results.
            if options.format == .table { context.screen.write(["", ("$ usher " + SafeText(line)).bold]) }
            guard let words = try? splitWords(line) else { continue }
            // The demo contains a broken invariant on purpose, so exit code 1 is expected.
            if ![.done, .failed].contains(runner.run(words)) { isUnsound = true }
        }
        return isUnsound ? .failed : .done
    }
}
