import Foundation
import PQ
import Support
import Testing

/// The console survives Ctrl-C and lost connections.
@Suite(.long) struct ConsoleInterruptTests {
    private static let app = """
        -- @app slow  Slow
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email from public.people p;
        -- @list nap take  Sleep.
        select pg_sleep(60)::text as nap;

        """
    private static let prompt = " PRODUCTION  slow> "

    private let scratch: Scratch
    private let database: TestDatabase

    init() throws {
        scratch = try Scratch()
        database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id int primary key, email text)", "insert into people values (1, 'a@x.org')")
    }

    private func open() throws -> TerminalSession {
        let app = try scratch.path(of: "slow.sql", holding: Self.app)
        let terminal = try Usher.console(["--app", app], on: database.conninfo())
        try terminal.wait(for: Self.prompt)
        return terminal
    }

    private func isSleeping() throws -> Bool {
        try !database.connect().execute(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        ).rows.isEmpty
    }

    @Test func controlCInTheConsoleCancelsAQueryAndKeepsTheConnection() throws {
        let terminal = try open()
        terminal.enter("user list -o name")
        try terminal.wait(for: "\n1\n")
        let backends = try backends()
        terminal.enter("nap take")
        try waitUntil("the statement runs", isSleeping)
        terminal.type("\u{3}")
        try terminal.wait(for: "interrupted")
        try terminal.wait(for: "nothing was changed")
        try terminal.wait(for: Self.prompt)
        #expect(try !isSleeping())
        terminal.enter("user list -o name")
        #expect(try !terminal.wait(for: "\n1\n").contains("lost"))
        #expect(try self.backends() == backends)
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
    }

    @Test func secondControlCInTheConsoleClosesTheConnection() throws {
        let terminal = try open()
        terminal.enter("nap take")
        try waitUntil("the statement runs", isSleeping)
        let backend = try #require(
            try database.connect().execute(
                "select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
            ).rows.first?.values[0].text.flatMap { Int32($0) })
        // A stopped backend handles no cancel request.
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        terminal.type("\u{3}")
        try terminal.wait(for: "^C")
        terminal.type("\u{3}")
        try terminal.wait(for: "nothing was changed")
        try terminal.wait(for: "The connection is lost; the next command opens a new connection")
        try terminal.wait(for: "slow (offline)> ")
        terminal.enter("user list -o name")
        #expect(try terminal.wait(for: "\n1\n").contains("open again; usher didn't repeat any statement"))
    }

    private func backends() throws -> [String?] {
        try database.connect().execute(
            """
            select pid from pg_stat_activity where datname = current_database() and application_name = 'usher'
               and pid <> pg_backend_pid() order by backend_start
            """
        ).rows.map { $0.values[0].text }
    }

    @Test func consoleReopensALostConnectionAndReportsIt() throws {
        let terminal = try open()
        terminal.enter("user list -o name")
        try terminal.wait(for: "\n1\n")
        try terminal.wait(for: Self.prompt)
        let processes = try backends().compactMap { $0.flatMap { Int32($0) } }
        #expect(!processes.isEmpty)
        // The sessions of the tests also have the name `usher`.
        database.endSessions()
        try database.run(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
        // The server closes its side only when the process has ended.
        try waitUntil("the server process is gone") { processes.allSatisfy { kill($0, 0) != 0 } }
        terminal.enter("user list -o name")
        let answer = try terminal.wait(for: "\n1\n")
        #expect(answer.contains("open again; usher didn't repeat any statement"))
    }

    @Test func consoleDoesNotRepeatACommandWhoseConnectionWasLost() throws {
        let terminal = try open()
        terminal.enter("nap take")
        try waitUntil("the statement runs", isSleeping)
        try database.run(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        )
        try terminal.wait(for: "usher does not repeat the last command")
        try terminal.wait(for: "slow (offline)> ")
        #expect(try !isSleeping())
    }

    @Test func controlCInAPreviewReportsThatNothingChanged() throws {
        let database = try MarkedDatabase.fresh()
        let terminal = try Usher.console(on: database.conninfo())
        try terminal.wait(for: "test impulse> ")
        let other = try database.connect()
        _ = try other.execute("begin")
        _ = try other.execute("lock table public.profiles")
        terminal.enter("partner grant ada@example.com --source marketing")
        try waitUntil("the preview waits") {
            try !database.connect().execute(
                "select 1 from pg_locks where relation = 'public.profiles'::regclass and not granted"
            ).rows.isEmpty
        }
        terminal.type("\u{3}")
        let answer = try terminal.wait(for: "test impulse> ")
        #expect(answer.components(separatedBy: "nothing was changed").count == 2, "\(answer)")
    }

    @Test func controlCAtAConfirmationReportsOnceThatNothingChanged() throws {
        let terminal = try Usher.console(on: try MarkedDatabase.conninfo)
        try terminal.wait(for: "test impulse> ")
        terminal.enter("partner grant ada@example.com --source marketing")
        try terminal.wait(for: "Make this change? [y/N] ")
        terminal.type("\u{3}")
        let answer = try terminal.wait(for: "test impulse> ").lowercased()
        #expect(answer.components(separatedBy: "nothing was changed").count == 2, "\(answer)")
        #expect(answer.contains("usher: interrupted"))
    }
}
