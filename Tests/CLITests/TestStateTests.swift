import Support
import Testing

/// The round of all test states on the sample data, where a user is named after each.
@Suite struct TestStateTests {
    @Test(arguments: ["impulse", "xtablo", "langchat", "strikelab", "importer"])
    func everyStateIsGivenToItsUser(app: String) throws {
        let database = try MarkedDatabase.fresh(app)
        let states = try Usher.run(["state", "list", "-o", "name"], on: database.conninfo())
        let names = states.output.split(separator: "\n")
        #expect(!names.isEmpty)
        let all = try Usher.run(["state", "force", "--all-states", "--yes", "--json"], on: database.conninfo())
        #expect(all.status == 0, "\(all.errors)")
        let documents = try objects(all.output)
        #expect(documents.count == names.count)
        #expect(documents.allSatisfy { $0["operation"] is String && $0["users"] as? Int == 1 })
        let again = try Usher.run(["state", "force", "--all-states", "--yes", "-o", "name"], on: database.conninfo())
        #expect(again.output.split(separator: "\n").count <= names.count)
        #expect(try Usher.run(["audit", "verify"], on: database.conninfo()).status == 0)
    }
}
