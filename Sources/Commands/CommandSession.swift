package import AppFile
package import Asking
import CommandLine
internal import Inquiries
internal import Ledger
import PQ
import Synchronization
import Terminal

/// The connection and the apps that commands share, created on first use.
package final class CommandSession {
    private let environment: (String) -> String?
    private var connection: (database: String?, value: Connection)?
    private var apps: (choice: String?, schema: String?, expected: String?, value: [App])?
    /// The app with the blocks of the file of `--also`.
    var extended: (key: [String?], value: App)?
    let once = Once()

    /// Creates a session, on the connection of a former session if one is given.
    package init(
        following former: CommandSession? = nil,
        environment: @escaping (String) -> String? = environmentVariable
    ) {
        connection = former?.connection
        self.environment = environment
    }

    func appCache(_ database: String?) -> AppCache { AppCache(database: database, environment) }

    /// The app of the last command on the same database.
    package func rememberedApp(_ database: String?) -> String? { appCache(database).app }

    /// The open connection to a database, or a new connection if the old connection is lost.
    func connect(
        _ options: GlobalOptions, on screen: any Screen, meanwhile: @escaping () -> Void = {}
    ) throws(Failure) -> Connection {
        let database = options.database
        let former = connection.flatMap { $0.database == database ? $0.value : nil }
        if let former {
            former.noticeEnd()
            if former.isAlive {
                do throws(PQError) { try former.rollbackIfOpen() } catch { throw Failure(error) }
                return former
            }
        }
        let fresh = try Connector(
            options: options, screen: screen, isFirst: former == nil, meanwhile: meanwhile
        ).open()
        connection = (database, fresh)
        if let former, !options.isQuiet, !options.format.isJSON {
            let reason = SafeText(former.closingMessage.map { " (\($0))" } ?? "")
            screen.noteWrapped(
                "The connection was lost" + reason + " and is open again; usher didn't repeat any statement.")
        }
        return fresh
    }

    /// Connects to the primary of a standby; nil if the connection string doesn't contain the primary.
    ///
    /// Later commands use this connection too, so that they show the change.
    func connectToPrimary(_ options: GlobalOptions, on screen: any Screen) -> Connection? {
        let connector = Connector(options: options, screen: screen, isFirst: false)
        guard let primary = connector.openPrimary() else { return nil }
        connection = (options.database, primary)
        return primary
    }

    /// Seals new operations of the audit log, which chains their digests.
    func seal(_ options: InquiryOptions) {
        guard let connection = connection?.value else { return }
        settle()
        Ledger.seal(on: connection, options: options)
    }

    var pager: Pager? { Pager(environment) }

    /// The time limit for completions from the database, in seconds.
    package var completionSeconds: Double {
        environment("USHER_COMPLETION_SECONDS").flatMap { Double($0) }.map { min(max($0, 0), 60) } ?? 0.3
    }

    /// The connection to a database, if it is open.
    func openConnection(_ database: String?) -> Connection? {
        guard let connection, connection.database == database else { return nil }
        connection.value.noticeEnd()
        return connection.value.isAlive ? connection.value : nil
    }

    /// True if the connection was closed or lost, so that the next command opens another.
    package var hasLostConnection: Bool {
        connection?.value.noticeEnd()
        return connection.map { !$0.value.isAlive } ?? false
    }

    /// The app chosen by the options or the command, if its file has `@schema`; otherwise nil.
    func template(_ options: GlobalOptions, app: String?) throws(Failure) -> App? {
        try (app ?? choice(options.app)).flatMap { name throws(Failure) in
            try AppLibrary.ofSchemas(name, taken: AppVerbs.taken)
        }
    }

    /// The fleet of a command: the databases of `--fleet` or `USHER_FLEET`, or the schemas of an app with `@schema`.
    ///
    /// Nil for a single database.
    func fleet(_ options: GlobalOptions, of template: App?, on screen: any Screen) throws(Failure) -> Fleet? {
        guard let template else { return try databases(options) }
        if let named = namedFleet(options) {
            throw Failure(
                .usage, "an app file with @schema works with one database, not with the fleet \(named)",
                hint: "choose the database with --db")
        }
        // Each command queries the schemas again, because tenants can be added.
        let connection = try connect(options, on: screen)
        let names = try Tenants.of(template, on: connection, options: InquiryOptions(timeout: options.timeout))
        guard !names.isEmpty else {
            throw Failure(
                .failed,
                "no schema of this database belongs to the app \(template.name)"
                    + (template.schemas?.pattern.map { ": no name matches \($0)" }
                        ?? ": no schema has the required tables"),
                hint: "check --db and --app; @schema in the app file names the schemas")
        }
        let schemas = names.map { Member(name: $0, database: options.database, schema: $0) }
        return try Fleet(members: schemas, isOfSchemas: true).narrowed(to: options.only, named: options.member)
    }

    /// The value of `--fleet`, or else of `USHER_FLEET`; nil without a fleet.
    func namedFleet(_ options: GlobalOptions) -> String? {
        let variable = environment("USHER_FLEET").flatMap { $0.isEmpty ? nil : $0 }
        return options.fleet ?? (options.database == nil ? variable : nil)
    }

    /// The databases of a fleet, without connecting to them.
    func databases(_ options: GlobalOptions) throws(Failure) -> Fleet? {
        guard let named = namedFleet(options) else {
            guard options.only.isEmpty && options.member == nil else {
                throw Failure(
                    .usage, "--only and --member choose databases of a fleet, but there is no fleet",
                    hint: "add --fleet FILE, or set USHER_FLEET; see `usher help fleet`")
            }
            return nil
        }
        return try Fleet.parse(named).narrowed(to: options.only, named: options.member)
    }

    /// The given app, or else the app in `USHER_APP`; nil if the operator chose no app.
    package func choice(_ named: String?) -> String? {
        named ?? environment("USHER_APP").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Rolls back an open transaction; the next command reports a lost connection.
    func settle() { try? connection?.value.rollbackIfOpen() }

    /// The apps that may fit the database: the chosen app, or all apps.
    ///
    /// If `expected` names an app, usher parses only the name and the requirements of the other built-in apps.
    package func candidates(
        _ named: String?, in schema: String? = nil, expecting expected: String? = nil
    ) throws(Failure) -> [App] {
        let choice = choice(named)
        if let apps, apps.choice == choice, apps.schema == schema, apps.expected == expected { return apps.value }
        let read = try Self.candidates(chosen: choice, in: schema, expecting: expected)
        apps = (choice, schema, expected, read)
        return read
    }

    /// The chosen app, or all apps without `@schema`.
    package static func candidates(
        chosen choice: String?, in schema: String? = nil, expecting expected: String? = nil
    ) throws(Failure) -> [App] {
        if let choice { return [try AppLibrary.app(choice, in: schema, taken: AppVerbs.taken)] }
        return try AppLibrary.candidates(expecting: expected).filter { $0.schemas == nil }
    }
}

/// The notes that were printed already, so that usher prints each note once.
final class Once: Sendable {
    private let printed = Mutex<Set<String>>([])

    func first(_ topic: String) -> Bool { printed.withLock { $0.insert(topic).inserted } }
}
