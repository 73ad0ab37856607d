import Foundation
import Support
import Testing

/// `usher stats` counts all users.
@Suite struct StatsTests {
    @Test func countsOfStatsAddUpToAllUsers() throws {
        let database = try SampleDatabase.conninfo
        let result = try Usher.run(["stats", "--json"], on: database)
        let report = try object(result.output)
        let users = try #require(report["users"] as? Int)
        let decisions = try #require(report["decisions"] as? [[String: Any]])
        #expect(decisions.map { $0["name"] as? String } == ["access", "create-impulse", "create-check-in"])
        for decision in decisions {
            let rows = try #require(decision["rows"] as? [[String: Any]])
            #expect(rows.compactMap { $0["count"] as? Int }.reduce(0, +) == users)
        }
        let access = try #require(decisions[0]["rows"] as? [[String: Any]])
        for row in access {
            let outcome = try #require(row["outcome"] as? String)
            let listed = try Usher.run(
                ["user", "list", "--decision", "access=\(outcome)", "-o", "name"], on: database)
            #expect(listed.output.split(separator: "\n").count == row["count"] as? Int)
        }
        let selections = try #require(report["selections"] as? [[String: Any]])
        for selection in selections {
            let name = try #require(selection["name"] as? String)
            let listed = try Usher.run(["user", "list", "--where", name, "-o", "name"], on: database)
            #expect(listed.output.split(separator: "\n").count == selection["users"] as? Int)
        }
        let stats = try #require(report["stats"] as? [[String: Any]])
        let tiers = try #require(stats.first { $0["name"] as? String == "tiers" }?["rows"] as? [[String: Any]])
        #expect(tiers.compactMap { $0["value"] as? Int }.reduce(0, +) == users)
    }

    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func everyBuiltInAppHasStats(app: String) throws {
        let database = try TestCluster.database(of: app).conninfo()
        let result = try Usher.run(["stats"], on: database)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("sign-ups"))
        #expect(!result.output.contains("unavailable:"), "\(result.output)")
        let csv = try Usher.run(["stats", "-o", "csv"], on: database).output
        #expect(csv.hasPrefix("kind,name,label,value\nusers,all,,"))
    }

    @Test func statsUseTheTimeOfTheAtOption() throws {
        let database = try SampleDatabase.conninfo
        let now = try object(try Usher.run(["stats", "--json", "--at", "2020-01-01"], on: database).output)
        let trials = (now["stats"] as? [[String: Any]])?.first { $0["name"] as? String == "trials-ending" }
        let days = try #require(trials?["rows"] as? [[String: Any]])
        #expect(days.first?["label"] as? String == "2020-01-01")
        #expect(days.count == 15)
    }
}
