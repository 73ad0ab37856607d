import Changes
import Catalog
import Commands
import Foundation
import PQ
import Support
import Synchronization
import Terminal
import Testing

/// Runs the built program as an operator does.
enum Usher {
    /// The program next to the test bundle, or the program in `USHER`.
    static let path: String = {
        if let named = ProcessInfo.processInfo.environment["USHER"] { return named }
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let arguments = ProcessInfo.processInfo.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let candidates = ([bundle] + arguments).map { $0.appendingPathComponent("usher").path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "usher"
    }()

    /// Removes the variables of this machine that would change the results.
    private static let cleared: [String: String?] = [
        "PGHOST": nil, "PGDATABASE": nil, "PGUSER": nil, "PGSERVICE": nil, "PGPASSWORD": nil, "USHER_APP": nil,
        "USHER_FLEET": nil, "DATABASE_URL": nil, "PGHOSTADDR": nil, "PGSERVICEFILE": "/nowhere",
        "NO_COLOR": nil, "XDG_CACHE_HOME": "/dev/null", "CLICOLOR_FORCE": nil, "LC_ALL": "C.UTF-8",
        "PGPASSFILE": "/nowhere",
    ]

    /// Runs a command in the process of the tests, because a new process and a new session of the server take longer
    /// than most commands.
    ///
    /// With variables or input, and for commands that start other programs or change the time zone, runs the program.
    static func run(
        _ words: [String], on database: String? = nil, environment: [String: String?] = [:], input: String? = nil
    ) throws -> Subprocess.Result {
        guard let database, environment.isEmpty, input == nil, inProcess(words) else {
            return try program(words, on: database, environment: environment, input: input)
        }
        let session = KeptSession.take(database)
        let screen = RecordingScreen()
        let status = Runner(session: session, screen: screen, base: GlobalOptions([:])).run(["-d", database] + words)
        KeptSession.keep(session, database)
        return Subprocess.Result(status: status.rawValue, output: screen.out, errors: screen.err)
    }

    private static func inProcess(_ words: [String]) -> Bool {
        !words.isEmpty && words[0] != "demo"
            && !words.contains { $0 == "-" || $0.hasPrefix("--fleet") || $0.hasPrefix("--tz") }
    }

    /// Runs the program in a new process.
    static func program(
        _ words: [String], on database: String? = nil, environment: [String: String?] = [:], input: String? = nil
    ) throws -> Subprocess.Result {
        let target = database.map { ["-d", $0] } ?? []
        return try Subprocess.run(
            path, target + words, environment: cleared.merging(environment) { $1 }, input: input)
    }

    /// Opens the console at a new terminal, with a new state folder unless one is given.
    static func console(
        _ words: [String] = [], on database: String? = nil, environment: [String: String?] = [:],
        output: Child.Stream? = nil, columns: UInt16 = 80
    ) throws -> TerminalSession {
        let target = database.map { ["-d", $0] } ?? []
        let state: [String: String?] = [
            "XDG_STATE_HOME": "/dev/null/state", "XDG_CACHE_HOME": "/dev/null", "PGPASSFILE": "/nowhere",
            "PAGER": "cat",
        ]
        return try TerminalSession(
            path, target + words, environment: state.merging(environment) { $1 }, output: output, columns: columns)
    }

    /// Runs a line of bash in which `usher` is the program, connected to the database.
    static func shell(_ script: String, on database: String) throws -> Subprocess.Result {
        let function = #"""
            set -o pipefail
            usher() { case $1 in version | completion) "$USHER" "$@" ;; *) "$USHER" -d "$DB" "$@" ;; esac; }

            """#
        return try Subprocess.run(
            "bash", ["-c", function + script],
            environment: cleared.merging(["USHER": path, "DB": database]) { $1 })
    }
}

/// An idle session of a database, for the next command.
private struct KeptSession: @unchecked Sendable {
    private let session: CommandSession
    private let database: String

    private static let kept = Mutex<[KeptSession]>([])
    /// The number of sessions that stay open; a database with an open session can't be dropped.
    private static let most = 12

    /// A session that knows nothing of earlier commands, on an open connection to the database if there is one.
    static func take(_ database: String) -> CommandSession {
        let former = kept.withLock { kept in
            kept.lastIndex { $0.database == database }.map { kept.remove(at: $0) }
        }
        return CommandSession(following: former?.session) { name in name == "XDG_CACHE_HOME" ? "/dev/null" : nil }
    }

    static func keep(_ session: CommandSession, _ database: String) {
        let own = KeptSession(session: session, database: database)
        kept.withLock { kept in
            kept.append(own)
            if kept.count > most { kept.removeFirst() }
        }
    }
}

/// The sample data, for tests that only read.
enum SampleDatabase {
    private static let made = Result { try TestCluster.database(of: "impulse") }

    static var conninfo: String { get throws { try made.get().conninfo() } }
    static var database: TestDatabase { get throws { try made.get() } }
}

/// A copy of the sample data in a trusted test environment; without it, a copy counts as production.
enum MarkedDatabase {
    private static let made = Result { try fresh() }

    /// One database for all tests that only read.
    static var conninfo: String { get throws { try made.get().conninfo() } }

    static func fresh(_ app: String = "impulse", as environment: String = "test") throws -> TestDatabase {
        let database = try TestCluster.database(of: app)
        try database.session { connection in
            _ = try connection.execute(
                "alter database \(unsafe: database.name) owner to \(unsafe: DemoDatabase.owner)")
            _ = try connection.execute(Query(file: "usher/mark_environment.sql", [environment]))
        }
        return database
    }

    /// A new database in which the roles have the grants of `roles sql`.
    ///
    /// The first test makes the grants, and all tests copy its database.
    static func granted(_ app: String = "impulse", as environment: String = "test") throws -> TestDatabase {
        let template = try templates.withLock { made in
            if let database = made[app] { return database }
            let database = try fresh(app)
            try TestCluster.operatorRoles.get()
            // The sample data may be older than the roles, which get their rights on the audit log from `install`. The
            // program closes its connection; Postgres copies only a database without connections.
            let installed = try Usher.program(["install", "-q"], on: database.conninfo())
            try #require(installed.status == 0, "\(installed.errors)")
            let grants = try Usher.program(["roles", "sql"], on: database.conninfo())
            try #require(grants.status == 0, "\(grants.errors)")
            let granted = try Subprocess.run(
                "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: grants.output)
            try #require(granted.status == 0, "\(granted.errors)")
            made[app] = database
            return database
        }
        let database = try TestCluster.copy(of: template, owner: DemoDatabase.owner)
        try database.session { connection in
            // The environment of the template is bound to its database.
            _ = try connection.execute("delete from usher.environment")
            _ = try connection.execute(Query(file: "usher/mark_environment.sql", [environment]))
        }
        return database
    }

    private static let templates = Mutex<[String: TestDatabase]>([:])
}

/// The members of a JSON object.
func object(_ text: some StringProtocol) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
}

/// The objects of a JSON array.
func objects(_ text: some StringProtocol) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]], "\(text)")
}

/// The error on standard error, which must be one line of JSON.
func errorObject(_ result: Subprocess.Result) throws -> [String: Any] {
    #expect(result.errors.hasSuffix("}\n"))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    let members = try object(result.errors)
    #expect(Set(members.keys) == ["error"])
    let error = try #require(members["error"] as? [String: Any])
    #expect(Set(error.keys).subtracting(["details"]) == ["code", "message", "hint", "sqlstate"])
    return error
}
