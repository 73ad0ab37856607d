import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// After an interrupt, a command that waits for a lock is cancelled once and sends no further statement.
@Suite(.waiting) struct LockedTableTests {
    private static let app = """
        -- @app crowd  Crowd
        -- @requires public.people
        -- @users
        -- @key id
        select p.id, p.name from public.people p;
        -- @decision open  Is it open?
        select u.*, (select count(*) from public.visit v where v.person = u.id) as visits from users u;
        -- @rule yes  {visits} visits.
        visits > 0;
        -- @rule no  No visits.
        true;

        """
        + (1...8).map { number in
            """
            -- @panel Visits \(number)
            select at from public.visit where person = :user and at > \(number);

            """
        }.joined()

    private func database() throws -> (database: TestDatabase, file: String, scratch: Scratch) {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id integer primary key, name text)", "insert into people values (1, 'Ada')",
            "create table visit (person integer, at integer)", "insert into visit values (1, 7)",
            // Without statistics, usher's query for the size of a table would wait for the lock first.
            "analyze")
        let scratch = try Scratch()
        return (database, try scratch.path(of: "crowd.sql", holding: Self.app), scratch)
    }

    private func waits(on connection: Connection) throws -> Bool {
        try !connection.execute(
            """
            select from pg_stat_activity
             where datname = current_database() and application_name = 'usher' and wait_event_type = 'Lock'
            """
        ).rows.isEmpty
    }

    /// The number of statements that some backends cancelled.
    ///
    /// The log also has the backends of other tests.
    private func cancelled(of backends: Set<String>, since start: Int, in database: TestDatabase) throws -> Int {
        let log = try String(contentsOfFile: (database.cluster.folder + "/log"), encoding: .utf8)
        return log.utf8.dropFirst(start).split(separator: UInt8(ascii: "\n")).filter { line in
            let line = String(decoding: line, as: UTF8.self)
            return line.contains("canceling statement due to user request")
                && backends.contains { line.contains("[\($0)]") }
        }.count
    }

    private func backends(on connection: Connection) throws -> Set<String> {
        let rows = try connection.execute(
            "select pid::text from pg_stat_activity where datname = current_database() and application_name = 'usher'")
        return Set(rows.rows.compactMap { $0.values[0].text })
    }

    @Test func oneInterruptEndsAllQueriesOfACommand() throws {
        let (database, file, scratch) = try database()
        let (holder, watcher) = (try database.connect(), try database.connect())
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.visit in access exclusive mode")
        let process = try RunningUsher([
            "-d", database.conninfo(), "--app", file, "--timeout", "60", "user", "show", "1",
        ])
        try waitUntil("usher waits for the lock") { try waits(on: watcher) }
        let start = try Data(contentsOf: URL(fileURLWithPath: (database.cluster.folder + "/log"))).count
        let backends = try backends(on: watcher)
        process.interrupt()
        #expect(process.wait() == 130)
        #expect(try process.errorText.contains("interrupted"))
        try waitUntil("no statement waits for the lock") { try !waits(on: watcher) }
        #expect(try cancelled(of: backends, since: start, in: database) == 1)
        withExtendedLifetime(scratch) {}
    }

    private static let shop = """
        -- @app shop  Shop
        -- @requires public.people
        -- @users
        -- @key id
        select p.id, p.name from public.people p;
        -- @object order  Orders
        -- @key id
        -- @user person
        -- @search number
        select o.id, o.number, o.person from public.bought o;

        """

    /// The lock prevents the search.
    ///
    /// usher may not say "not found" here, because the operator would repeat that to the customer.
    @Test(arguments: [
        ["order", "show", "GPA.3345-7812-1"], ["user", "find", "GPA.3345-7812-1"], ["user", "show", "GPA.3345-7812-1"],
    ])
    func usherDoesNotReportAnObjectInALockedTableAsMissing(_ words: [String]) throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id integer primary key, name text)", "insert into people values (1, 'Ada')",
            "create table bought (id integer primary key, number text unique, person integer)",
            "insert into bought values (1, 'GPA.3345-7812-1', 1)", "analyze")
        let scratch = try Scratch()
        let file = try scratch.path(of: "shop.sql", holding: Self.shop)
        let holder = try database.connect()
        _ = try holder.execute("begin")
        _ = try holder.execute("lock table public.bought in access exclusive mode")
        let process = try RunningUsher(
            ["-d", database.conninfo(), "--app", file, "--timeout", "1"] + words)
        #expect(process.wait() == 1)
        #expect(try process.errorText.contains("bought"))
        withExtendedLifetime(scratch) {}
    }
}
