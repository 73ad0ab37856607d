import Asking
import Support
import Testing

/// Servers that speak the protocol and lack what acts need, refused by name before anything is read.
@Suite struct OtherServerTests {
    @Test(arguments: ["user list", "install --yes", "doctor", "account plan grace@example.com"])
    func anOldServerIsRefusedByItsVersion(_ command: String) throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, disguisedBy: ["server_version": "13.21"])
        defer { proxy.stop() }
        let words = command.split(separator: " ").map(String.init)
        let result = try Usher.run(words, on: proxy.conninfo(database))
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("this is Postgres 13.21; nothing was done"))
        #expect(result.errors.contains("usher needs Postgres 14 or a later one"))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        (
            "crdb_version", "CockroachDB CCL v25.2.0",
            "CockroachDB, which lacks advisory locks and deferrable constraints"
        ),
        (
            "server_version", "15.2-YB-2025.1.0.0-b0",
            "YugabyteDB, which lacks the system columns by which rows are told apart"
        ),
    ])
    func anotherEngineIsRefusedByName(_ parameter: String, _ value: String, _ sentence: String) throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, disguisedBy: [parameter: value])
        defer { proxy.stop() }
        let result = try Usher.run(["user", "list"], on: proxy.conninfo(database))
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("this is " + sentence))
    }

    @Test(arguments: [
        ("db.example.com", 140_019, Engine.postgres(14)),
        ("db.example.com", 180_004, .postgres(18)),
        ("dsql.example.com", 160_000, .postgres(16)),
        ("abc.dsql.eu-west-1.on.aws", 160_000, .other(.auroraDSQL)),
    ])
    func anEngineIsToldByWhatItSaysAndWhereItIs(_ host: String, _ version: Int, _ engine: Engine) {
        #expect(Engine(host: host, version: version) { _ in nil } == engine)
    }

    /// What Citus has spread over other servers looks empty here, and must not be taken for it.
    @Test func anAccountIsNotFollowedWhereCitusKeepsIt() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            "set allow_system_table_mods = on", "create table pg_catalog.pg_dist_partition (logicalrelid regclass)",
            "create table pg_catalog.pg_dist_node (nodeid integer, groupid integer, isactive boolean)",
            "insert into pg_catalog.pg_dist_partition values ('public.profiles'), ('public.impulses')",
            "insert into pg_catalog.pg_dist_node values (1, 0, true), (2, 1, true), (3, 2, true)")
        for words in [["account", "plan"], ["account", "delete", "-n"], ["user", "export"]] {
            let result = try Usher.run(words + ["ada@example.com", "--json"], on: database.conninfo())
            #expect(result.status == 3, "\(result.errors)")
            let message = try #require(try errorObject(result)["message"] as? String)
            #expect(message.hasPrefix("Citus keeps public.impulses, public.profiles on other servers"), "\(message)")
        }
        #expect(try Usher.run(["account", "survey"], on: database.conninfo()).status == 3)
        // What only reads the app does, without what one statement leaves behind for another.
        let shown = try Usher.run(["user", "show", "ada@example.com", "--json"], on: database.conninfo())
        #expect(shown.status == 0, "\(shown.errors)")
        let decisions = try #require(try object(shown.output)["decisions"] as? [[String: Any]])
        #expect(decisions.first?["outcome"] as? String == "paywall")
        let doctor = try Usher.run(["doctor", "-o", "csv"], on: database.conninfo())
        #expect(doctor.output.contains("Citus: 2 of the tables lie on 2 other servers"))
    }

    /// A pooler that loses whatever comes before it has answered.
    @Test func aPoolerThatLosesAnswersIsFoundAndGoneRoundOneByOne() throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, losesPipelines: true)
        defer { proxy.stop() }
        let found = try Usher.run(["doctor"], on: proxy.conninfo(database))
        #expect(found.output.contains("what stands between loses answers to statements that are sent together"))
        #expect(found.output.contains("set USHER_PIPELINE=off"))
        #expect(found.output.contains("row security"), "the rest is examined")
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
