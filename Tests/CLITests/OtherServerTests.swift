import Asking
import Catalog
import Changes
import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// usher refuses servers without the features that it needs, before it reads any row.
@Suite(.long) struct OtherServerTests {
    @Test(arguments: ["user list", "install --yes", "doctor", "account plan grace@example.com"])
    func usherRefusesAnOldPostgresServer(_ command: String) throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, disguisedBy: ["server_version": "13.21"])
        defer { proxy.stop() }
        let words = command.split(separator: " ").map(String.init)
        let result = try Usher.run(words, on: proxy.conninfo(database))
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("this server runs Postgres 13.21; nothing was done"))
        #expect(result.errors.contains("usher needs Postgres 14 or later"))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        (
            "crdb_version", "CockroachDB CCL v25.2.0",
            "CockroachDB, which lacks advisory locks and deferrable constraints"
        ),
        (
            "server_version", "15.2-YB-2025.1.0.0-b0",
            "YugabyteDB, which lacks the system columns that identify rows"
        ),
    ])
    func usherRefusesAServerThatIsNotPostgresAndNamesIt(_ parameter: String, _ value: String, _ sentence: String) throws
    {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, disguisedBy: [parameter: value])
        defer { proxy.stop() }
        let result = try Usher.run(["user", "list"], on: proxy.conninfo(database))
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("this server is " + sentence))
    }

    @Test(arguments: [
        ("db.example.com", nil), ("dsql.example.com", nil), ("abc.dsql.eu-west-1.on.aws", "Aurora DSQL"),
    ])
    func hostNameIdentifiesAuroraDSQL(_ host: String, _ name: String?) {
        #expect(Engine.foreign(host: host) { _ in nil }?.name == name)
    }

    /// Tables that Citus distributes look empty on the coordinator, but the deletion finds their rows.
    @Test func accountCommandsFindRowsOfTablesThatCitusDistributes() throws {
        let (plain, spread) = (try MarkedDatabase.fresh(), try MarkedDatabase.fresh())
        let tables = ["auth.users", "public.profiles", "public.impulses", "public.check_ins"]
        try spread.spreads(tables)
        let ada = "ada@example.com"
        for words in [
            ["account", "plan", ada, "-v"], ["account", "plan", ada, "grace@example.com", "--json"],
            ["user", "export", ada],
            ["account", "survey", "-v"], ["account", "search", ada], ["account", "delete", ada, "-n"],
        ] {
            let (wanted, found) = (
                try Usher.run(words, on: plain.conninfo()), try Usher.run(words, on: spread.conninfo())
            )
            #expect(found.status == wanted.status, "\(words): \(found.errors)")
            #expect(found.output == wanted.output, "\(words)")
        }
        let sums = tables.map { "select md5(string_agg(to_jsonb(t)::text, ' ' order by t.id)) from \($0) t" }
        let before = try sums.map { try value($0, of: spread) }
        let archived = try Usher.run(
            ["account", "delete", ada, "--confirm", ada, "--no-input", "--archive", "/tmp/usher-\(UUID().uuidString)"],
            on: spread.conninfo())
        #expect(archived.status == 3)
        #expect(archived.errors.contains("on other servers, where usher can't archive them"), "\(archived.errors)")
        #expect(try sums.map { try value($0, of: spread) } == before)
        // Since Postgres 18 the check before the commit runs with the rights of the owner. Citus hides rows from the
        // owner that another role wrote.
        if try spread.connect().serverVersion >= 18_00_00 {
            let words = ["account", "delete", ada, "--confirm", ada, "--no-input"]
            let refused = try Usher.run(words, on: spread.conninfo())
            #expect(refused.status == 5, "\(refused.errors)")
            #expect(
                refused.errors.contains("where only \(DemoDatabase.owner), the owner of the schema usher, can delete"),
                "\(refused.errors)")
            #expect(try sums.map { try value($0, of: spread) } == before)
            return
        }
        let gone = try [plain, spread].map { try deleted(ada, in: $0) }
        #expect(gone[1] == gone[0])
        let doctor = try Usher.run(["doctor", "-o", "csv"], on: spread.conninfo())
        #expect(doctor.output.contains("Citus stores 4 tables on 2 other servers"))
    }

    /// A Citus worker has only some of the rows, so usher refuses all commands that read users or change anything.
    @Test(arguments: [
        "install --yes --no-input", "trial expire ada@example.com --yes --no-input", "trial expire ada@example.com -n",
        "account delete ada@example.com -n", "account delete ada@example.com --confirm ada@example.com --no-input",
        "user note ada@example.com text", "roles sql", "user show ada@example.com", "user list",
        "user export ada@example.com", "account search ada@example.com", "app check", "audit list", "request list",
        "stats",
    ])
    func usherRefusesToRunCommandsOnACitusWorker(_ command: String) throws {
        let database = try TestCluster.database(of: "impulse")
        try database.spreads(["auth.users", "public.profiles"])
        try database.run("drop schema usher cascade", "update pg_catalog.pg_dist_local_group set groupid = 1")
        let words = command.split(separator: " ").map(String.init)
        let result = try Usher.run(words, on: database.conninfo())
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("a Citus worker"), "\(result.errors)")
        #expect(result.errors.contains("connect to the coordinator, which is one:5432"))
        #expect(try value("select to_regnamespace('usher')::text", of: database) == nil)
        let doctor = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(doctor.output.contains("server,doubtful,\"this is a Citus worker"), "\(doctor.output)")
        #expect(!doctor.output.contains("install"), "\(doctor.output)")
        #expect(!doctor.output.contains("make changes here"))
        #expect(result.output.isEmpty, "\(result.output)")
    }

    /// usher needs every worker to answer and to know the operator's role.
    @Test func doctorFindsSilentCitusWorkersAndMissingRoles() throws {
        try TestCluster.operatorRoles.get()
        let database = try MarkedDatabase.fresh()
        try database.spreads(["auth.users", "public.profiles"])
        let well = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(!well.output.contains("servers,ill"), "\(well.output)")
        try database.run(
            "update pg_catalog.pg_dist_node set nodename = 'two', nodeport = 5433 where nodeid = 2",
            "update pg_catalog.pg_dist_node set nodename = 'three' where nodeid = 3")
        let silent = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(silent.status == 1)
        #expect(silent.output.contains("servers,ill,two:5433 does not answer: connection refused"), "\(silent.output)")
        #expect(!silent.output.contains("three"))
        let owner = try value("select current_user", of: database) ?? ""
        try database.run(
            """
            create or replace function pg_catalog.run_command_on_workers
                (command text, parallel boolean, out nodename text, out nodeport integer, out success boolean, out result text)
            returns setof record language sql as $$ select 'two', 5433, false, 'FATAL: role "\(owner)" does not exist' $$
            """)
        let unknown = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(unknown.output.contains("two:5433 does not have the role \(owner)"), "\(unknown.output)")
        try database.run(
            """
            create or replace function pg_catalog.run_command_on_workers
                (command text, parallel boolean, out nodename text, out nodeport integer, out success boolean, out result text)
            returns setof record language sql as $$ select 'three', 5432, true, '["usher_support"]' $$
            """)
        let stranger = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(stranger.status == 1)
        #expect(stranger.output.contains("three:5432 does not have the roles of all operators"), "\(stranger.output)")
        #expect(stranger.output.contains("create role usher_eraser nologin; "))
        #expect(!stranger.output.contains("create role usher_support "))
        #expect(stranger.output.contains("grant usher_support to usher_admin;"))
    }

    /// A Citus worker has only some of the rows of its coordinator.
    @Test func fleetRefusesAMemberThatIsACitusWorker() throws {
        let (coordinator, worker) = (try MarkedDatabase.fresh(), try MarkedDatabase.fresh())
        try coordinator.spreads(["auth.users", "public.profiles"])
        try worker.spreads(["auth.users", "public.profiles"])
        try worker.run("update pg_catalog.pg_dist_local_group set groupid = 1")
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString).conf").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "[work]\ndb=\(worker.conninfo())\n[coord]\ndb=\(coordinator.conninfo())\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        for words in [["user", "find", "ada@example.com"], ["user", "show", "ada@example.com"]] {
            let result = try Usher.run(["--fleet", path] + words + ["--json"])
            #expect(result.status == 7, "\(result.errors)")
            #expect(result.output.contains(#""database":"coord""#), "\(result.output)")
            #expect(!result.output.contains(#""database":"work""#), "\(result.output)")
            #expect(result.errors.contains("this is a Citus worker"), "\(result.errors)")
        }
    }

    /// The report of a deletion, without the id of the operation.
    private func deleted(_ user: String, in database: TestDatabase) throws -> String {
        let result = try Usher.run(
            ["account", "delete", user, "--confirm", user, "--no-input"], on: database.conninfo())
        // The user's stored file stays.
        #expect(result.status == 7, "\(result.errors)")
        return (result.output + result.errors).replacing(#/ Operation \S+/#, with: "")
    }

    private func value(_ sql: String, of database: TestDatabase) throws -> String? {
        try database.connect().execute(Query(unsafe: sql)).first?.values[0].text
    }

    /// The coordinator can't tell which partition has a row, nor see references to one partition.
    @Test func accountCommandsRefuseAPartitionedTableThatCitusDistributes() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            "create table public.notes (user_id uuid references public.profiles, at date) partition by range (at)")
        try database.spreads(["public.profiles", "public.notes"])
        for words in [["account", "plan"], ["account", "delete", "-n"], ["user", "export"]] {
            let result = try Usher.run(words + ["ada@example.com"], on: database.conninfo())
            #expect(result.status == 3, "\(result.errors)")
            #expect(
                result.errors.contains("Citus keeps the partitions of public.notes on other servers"),
                "\(result.errors)")
        }
        #expect(try Usher.run(["account", "survey"], on: database.conninfo()).status == 3)
        // Reading commands work, because none of their statements depends on temporary objects of another one.
        let shown = try Usher.run(["user", "show", "ada@example.com", "--json"], on: database.conninfo())
        #expect(shown.status == 0, "\(shown.errors)")
        let decisions = try #require(try object(shown.output)["decisions"] as? [[String: Any]])
        #expect(decisions.first?["outcome"] as? String == "paywall")
    }

    /// Hosting providers give several host names for one database, and some lead through a pooler.
    @Test(arguments: [
        ("aws-0-eu.pooler.supabase.com", "6543", ["pooler Supavisor"], "use port 5432"),
        ("aws-0-eu.pooler.supabase.com", "5432", ["pooler Supavisor"], "pools sessions"),
        ("db.abc.supabase.co", "5432", ["engine Supabase"], "isn't a superuser"),
        ("db.abc.supabase.co", "6543", ["engine Supabase", "pooler PgBouncer of Supabase"], "use port 5432"),
        ("ep-x-pooler.eu.aws.neon.tech", "5432", ["engine Neon", "pooler PgBouncer of Neon"], "without -pooler"),
        ("ep-x.eu.aws.neon.tech", "5432", ["engine Neon"], "suspended"),
        ("dpg-x-a.frankfurt-postgres.render.com", "5432", ["engine Render"], "isn't a superuser"),
        ("a.proxy.rlwy.net", "12345", ["engine Railway"], "their own roles"),
        ("x.rds.amazonaws.com", "5432", ["engine Amazon RDS or Aurora"], "rds_superuser"),
        ("db.example.com", "6543", [], ""),
    ])
    func hostAndPortIdentifyTheProviderAndPooler(_ host: String, _ port: String, _ names: [String], _ follows: String)
        throws
    {
        let connection = try SampleDatabase.database.connect()
        let found = try connection.execute(Query(file: "catalog/engines.sql", [host, port])).rows.map { row in
            (kind: row.values[0].text ?? "", name: row.values[1].text ?? "", follows: row.values[2].text ?? "")
        }
        #expect(Set(found.map { "\($0.kind) \($0.name)" }) == Set(names))
        #expect(names.isEmpty || found.contains { $0.follows.contains(follows) }, "\(found)")
    }

    /// The host name shows the pooler even if the process id doesn't change.
    @Test func doctorNamesThePooler() throws {
        let server = try EncryptedServer.shared
        let target = server.conninfo("sslmode=require", host: "ep-x-pooler.eu.aws.neon.tech")
        let doctor = try Usher.run(["doctor", "-o", "csv"], on: target, environment: server.home)
        #expect(
            doctor.output.contains("pooler,well,\"PgBouncer of Neon is between usher and the server"),
            "\(doctor.output)")
    }

    @Test func doctorReportsTheTLSVerification() throws {
        let server = try EncryptedServer.shared
        let full = "sslmode=verify-full sslrootcert=\(server.certificate)"
        for (options, host, words) in [
            (
                full, "localhost",
                "TLS,well,\"the connection is encrypted (TLSv1.3), and the server's certificate and host name"
            ),
            (full, "other.example.com", "TLS,ill,"),
            ("sslmode=verify-full sslrootcert=/nowhere", "localhost", "TLS,ill,"),
        ] {
            let doctor = try Usher.run(
                ["doctor", "-o", "csv"], on: server.conninfo(options, host: host), environment: server.home)
            #expect(doctor.output.contains(words), "\(doctor.output)")
        }
    }

    /// The pooler drops statements that arrive before the answer to the previous statement.
    @Test func doctorFindsAPoolerThatLosesAnswers() throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, losesPipelines: true)
        defer { proxy.stop() }
        let found = try Usher.run(["doctor"], on: proxy.conninfo(database))
        #expect(found.output.contains("the pooler loses answers to statements that are sent together"))
        #expect(found.output.contains("set USHER_PIPELINE=off"))
        #expect(found.output.contains("row security"), "doctor also checks the rest")
        for words in [["user", "show", "grace@example.com"], ["app", "check"], ["stats"]] {
            let direct = try Usher.run(words + ["--at", "2026-03-01T12:00:00Z"], on: database.conninfo())
            let serial = try Usher.run(
                words + ["--at", "2026-03-01T12:00:00Z"], on: proxy.conninfo(database),
                environment: ["USHER_PIPELINE": "off"])
            #expect(serial.status == direct.status, "\(words): \(serial.errors)")
            #expect(serial.output == direct.output)
        }
    }
}
