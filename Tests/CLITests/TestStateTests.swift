import Support
import Testing

/// An engineer can force every test state on a user of the sample data.
@Suite struct TestStateTests {
    @Test(.long, arguments: ["impulse", "xtablo", "langchat", "strikelab", "importer"])
    func everyTestStateProducesItsExpectedOutcome(app: String) throws {
        let database = try MarkedDatabase.fresh(app)
        let states = try Usher.run(["state", "list", "-o", "name"], on: database.conninfo())
        let names = states.output.split(separator: "\n")
        #expect(!names.isEmpty)
        let users = try Usher.run(["user", "list", "--json", "--fields", "email"], on: database.conninfo()).output
        for name in names {
            let email = try objects(users).compactMap { $0["email"] as? String }.first {
                $0.hasPrefix("\(name)@") || $0.contains("+\(name)@")
            }
            let forced = try Usher.run(
                ["state", "force", try #require(email), String(name), "--yes", "--json"], on: database.conninfo())
            #expect(forced.status == 0, "\(name): \(forced.errors)")
        }
        #expect(try Usher.run(["audit", "verify"], on: database.conninfo()).status == 0)
    }
}
