import Foundation
import Support
import Testing

@Suite struct ShowTests {
    @Test func userShowFitsOneScreen() throws {
        let database = try TestCluster.database(of: "impulse").conninfo()
        let result = try Usher.run(["user", "show", "ada@example.com"], on: database)
        #expect(result.status == 0)
        #expect(result.errors == "")
        for part in ["ada@example.com", "paywall", "The trial ended at", "3 of 3", "Sessions"] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("impulse", "grace@example.com"), ("xtablo", "grace@example.com"), ("strikelab", "ada@example.com"),
        ("importer", "douglas@example.com"), ("langchat", "bjorn.chen@example.org"),
    ])
    func theFirstTwelveLinesAnswer(app: String, user: String) throws {
        let database = try TestCluster.database(of: app).conninfo()
        let brief = try Usher.run(["user", "show", user, "--brief"], on: database)
        #expect(brief.status == 0, "\(brief.errors)")
        #expect(brief.output.split(separator: "\n").count <= 12, "\(brief.output)")
        let whole = try Usher.run(["user", "show", user], on: database)
        let rest = whole.output.split(separator: "\n").dropFirst(brief.output.split(separator: "\n").count)
        #expect(rest.count > 12)
    }
}
