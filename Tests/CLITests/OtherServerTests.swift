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

    @Test func anotherEngineIsRefusedByName() throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(before: database.cluster, disguisedBy: ["crdb_version": "CockroachDB CCL v25.2.0"])
        defer { proxy.stop() }
        let result = try Usher.run(["user", "list"], on: proxy.conninfo(database))
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("this is CockroachDB, which lacks advisory locks and deferrable constraints"))
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
}
