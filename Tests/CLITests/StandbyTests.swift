import LocalCluster
import PQ
import Support
import Testing

/// A standby and its primary: usher reads where the connection string leads, and changes data on the primary.
@Suite(.waiting, .long) struct StandbyTests {
    /// A primary, and a server that reports itself as a standby.
    private struct Pair {
        let database: TestDatabase
        let standby: FaultProxy

        init() throws {
            database = try MarkedDatabase.fresh()
            standby = try FaultProxy(before: database.cluster, disguisedBy: ["in_hot_standby": "on"])
        }

        /// The standby is first, so libpq connects to it by default.
        var conninfo: String {
            database.conninfo() + " host='\(standby.folder),\(database.cluster.socketFolder)' port='5432,5432'"
        }
    }

    @Test func changeFromAStandbyConnectionRunsOnThePrimary() throws {
        let pair = try Pair()
        defer { pair.standby.stop() }
        let read = try Usher.run(["user", "show", "ada@example.com", "-o", "name"], on: pair.conninfo)
        #expect(read.status == 0 && read.errors.isEmpty, "\(read.errors)")
        let changed = try Usher.run(
            ["partner", "grant", "ada@example.com", "--source", "marketing", "--reason", "launch", "--yes"],
            on: pair.conninfo)
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(
            changed.errors.contains(
                "This is a standby. usher makes changes on its primary, \(pair.database.cluster.socketFolder)."))
        let after = try Usher.run(["user", "why", "ada@example.com", "--json"], on: pair.database.conninfo())
        #expect(after.output.contains("partner"))
    }

    @Test func rolesCommandsRunOnAStandby() throws {
        let pair = try Pair()
        defer { pair.standby.stop() }
        for words in [["roles", "show"], ["roles", "sql"]] {
            let result = try Usher.run(words, on: pair.conninfo)
            #expect(result.status == 0 && result.output.contains("usher_support"), "\(result.errors)")
        }
    }

    /// Commands after a change in the same session must see the change.
    @Test func scriptReadsFromThePrimaryAfterAChange() throws {
        let pair = try Pair()
        defer { pair.standby.stop() }
        let grant = "partner grant ada@example.com --source marketing --reason launch --yes\n"
        let revoke = "partner revoke ada@example.com --reason mistake --yes\n"
        let result = try Usher.run([], on: pair.conninfo, input: grant + revoke + "user show ada@example.com\n")
        #expect(result.status == 0, "\(result.errors)\(result.output)")
        #expect(result.errors.split(separator: "\n").filter { $0.contains("This is a standby") }.count == 1)
        #expect(result.errors.contains("This session stays on the primary."))
    }
}
