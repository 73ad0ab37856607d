import Foundation
import PQ
import Support
import Testing

/// usher caches which app file fits a database, and checks the cache against the current database.
@Suite struct CachedAppTests {
    /// A connection service that leads to another database later, as after a restore.
    private struct Service {
        let scratch: Scratch
        let environment: [String: String?]

        init() throws {
            scratch = try Scratch()
            environment = [
                "PGSERVICEFILE": scratch.folder.appendingPathComponent("services").path,
                "XDG_CACHE_HOME": scratch.folder.path, "PGSERVICE": "it",
            ]
        }

        func lead(to database: TestDatabase) throws {
            let settings = database.conninfo().split(separator: " ").map {
                $0.replacingOccurrences(of: "'", with: "")
            }
            _ = try scratch.path(of: "services", holding: "[it]\n" + settings.joined(separator: "\n") + "\n")
        }

        func run(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, environment: environment) }
    }

    @Test func appCommandUsesTheAppFileOfTheCurrentDatabaseDespiteTheCache() throws {
        let service = try Service()
        try service.lead(to: try TestCluster.database(of: "impulse"))
        let first = try service.run("event", "list", "--limit", "1", "-o", "csv")
        #expect(first.status == 0, "\(first.errors)")
        try service.lead(to: try TestCluster.database(of: "xtablo"))
        let second = try service.run("event", "list", "--limit", "1", "-o", "csv")
        #expect(second.status == 0, "\(second.errors)")
        func head(_ result: Subprocess.Result) -> String { String(result.output.prefix { $0 != "\n" }) }
        #expect(!head(first).isEmpty)
        #expect(head(first) != head(second))
    }

    @Test func userLookupReadsTheCurrentDatabaseDespiteTheCache() throws {
        let service = try Service()
        for app in ["impulse", "xtablo", "impulse"] {
            let database = try TestCluster.database(of: app)
            try service.lead(to: database)
            let key = try #require(
                try database.connect().execute("select id::text as id from auth.users order by id limit 1").first?.text(
                    "id"))
            for _ in 0..<2 {
                let found = try service.run("user", "find", key, "-o", "name")
                #expect(found.output == key + "\n", "\(found.errors)")
                let shown = try service.run("user", "show", key, "--json")
                #expect(shown.output.contains("\"app\":\"\(app)\""), "\(shown.errors)")
            }
        }
    }

    @Test func commandOfAnotherAppIsAnUnknownCommand() throws {
        let service = try Service()
        try service.lead(to: try TestCluster.database(of: "xtablo"))
        let result = try service.run("partner", "grant", "ada@example.com", "--source", "influencer", "-n")
        #expect(result.status == 2, "\(result.errors)")
        #expect(!result.errors.contains("does not belong to the app"))
    }
}
