import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// Ctrl-C cancels the statement on the server, and usher exits with 130.
@Suite struct ControlCTests {
    private static let app = """
        -- @app slow  Slow
        -- @requires public.people
        -- @users
        -- @key id
        select p.id, pg_sleep(60)::text as nap from public.people p;

        """

    @Test(arguments: [["user", "show", "1"], ["user", "list"], ["user", "list", "--json"], ["user", "find", "1"]])
    func controlCCancelsALongStatement(_ words: [String]) throws {
        let database = try TestCluster.emptyDatabase()
        try database.run("create table people (id integer)", "insert into people values (1)")
        let scratch = try Scratch()
        let file = try scratch.path(of: "slow.sql", holding: Self.app)
        let process = try RunningUsher(["-d", database.conninfo(), "--app", file, "--timeout", "60"] + words)
        let connection = try database.connect()
        func isSleeping() throws -> Bool {
            try !connection.execute(
                """
                select 1 from pg_stat_activity
                 where datname = current_database() and application_name = 'usher' and wait_event = 'PgSleep'
                """
            ).rows.isEmpty
        }
        try waitUntil("the statement runs", isSleeping)
        process.interrupt()
        #expect(process.wait() == 130)
        #expect(try !isSleeping())
        let errors = try process.errorText
        #expect(errors.contains("interrupted"))
        if words.contains("--json") {
            #expect((try object(errors)["error"] as? [String: Any])?["code"] as? String == "interrupted")
        }
    }

    /// The server has already committed, so usher does not wait for the seal; the next operation seals both
    /// operations.
    @Test func controlCKeepsACommitThatWaitsForAReplica() throws {
        let cluster = try LocalCluster.start(name: "usher-commit")
        defer { cluster.stop() }
        let database = TestDatabase(name: "postgres", cluster: cluster)
        try database.run(
            "revoke create on schema public from public", "create table people (id integer primary key, seen boolean)",
            "insert into people values (1)")
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "seen.sql",
            holding: """
                -- @app seen  Seen
                -- @requires public.people
                -- @users
                -- @key id
                select p.id, p.seen from public.people p;
                -- @action person see  See.
                -- @do
                update public.people set seen = true where id = any(:users);

                """)
        #expect(
            try Usher.run(["--app", file, "install", "--environment", "test"], on: database.conninfo()).status == 0)
        try database.run(
            "alter database postgres set synchronous_commit = on",
            "alter system set synchronous_standby_names = 'nobody'")
        try database.run("select pg_reload_conf()")
        let watcher = try database.connect()
        func value(_ sql: Query) throws -> String? { try watcher.execute(sql).first?.values[0].text }
        try waitUntil("the server has loaded the setting") {
            try value("select current_setting('synchronous_standby_names')") == "nobody"
        }
        let seals = try value("select count(*) from usher.seal")
        let process = try RunningUsher(["-d", database.conninfo(), "--app", file, "person", "see", "1"])
        try waitUntil("the commit waits for the replica") {
            try value("select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == "1"
        }
        process.interrupt()
        #expect(process.wait() == 7)
        #expect(try process.errorText.contains("the change is done, but the server sent a warning during the commit"))
        #expect(try value("select count(*) from people where seen") == "1")
        #expect(try value("select count(*) from usher.seal") == seals)
    }

    @Test func controlCEndsAScriptThatWaitsForALine() throws {
        let process = try RunningUsher(["--keep-going"])
        process.say("frob\n")
        try process.awaitErrors("line 1")
        process.interrupt()
        #expect(process.wait() == 130)
    }

    @Test func controlCEndsUserWhyThatWaitsForFactsFromStandardInput() throws {
        let process = try RunningUsher([
            "-d", try SampleDatabase.conninfo, "user", "why", "ada@example.com", "--facts", "-",
        ])
        let connection = try SampleDatabase.database.connect()
        try waitUntil("usher is connected") {
            try !connection.execute(
                "select 1 from pg_stat_activity where application_name = 'usher' and query = '' and state = 'idle'"
            ).rows.isEmpty
        }
        usleep(200_000)
        process.interrupt()
        #expect(process.wait() == 130)
    }

    /// A core file would contain the password of the connection.
    @Test func usherSetsTheSizeLimitOfCoreFilesToZero() throws {
        var limit = rlimit()
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        #expect(unsafe getrlimit(core, &limit) == 0)
        let before = limit
        limit.rlim_cur = limit.rlim_max
        #expect(unsafe setrlimit(core, &limit) == 0)
        defer {
            var before = before
            _ = unsafe setrlimit(core, &before)
        }
        let process = try RunningUsher(["--keep-going"])
        try waitUntil("the soft limit is zero") {
            try process.limit("Max core file size")?.split(separator: " ").dropFirst(4).first == "0"
        }
        _ = process.end()
    }
}
