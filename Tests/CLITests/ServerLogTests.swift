import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// What reading leaves in the server's log: no error of ours, since the log is the customer's.
@Suite struct ServerLogTests {
    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func readingLeavesNoErrorInTheLog(app: String) throws {
        let database = try TestCluster.database(of: app)
        let connection = try database.connect()
        let key = try #require(
            try connection.execute("select id::text as id from auth.users order by id limit 1").first?.text("id"))
        let lines =
            [key, "nobody@example.com", "12", key.dropLast() + "g"].flatMap {
                ["user show '\($0)'", "user find '\($0)'"]
            }
            + ["user why", "user timeline", "quota show", "session list", "user export", "account plan"].map {
                "\($0) \(key)"
            }
            + [
                "user list --limit 3", "quota show", "stats", "check", "doctor", "app check", "app init", "roles sql",
                "audit list", "account plan nobody", "user show twin@example.com", "--app impulse user show \(key)",
                "--app xtablo user find a",
            ]
        let errors = try logged(on: database) {
            let result = try Usher.run(
                ["--keep-going"], on: database.conninfo(), input: lines.joined(separator: "\n") + "\n")
            #expect(result.output.contains(key))
        }
        #expect(errors == [])
    }

    @Test func lookingForAnAppWhereThereIsNoneLeavesNoErrorInTheLog() throws {
        let database = try TestCluster.emptyDatabase()
        let errors = try logged(on: database) {
            let lines = "user show ada\n--app impulse user find ada\ndoctor\napp init\nstats\n"
            let result = try Usher.run(["--keep-going"], on: database.conninfo(), input: lines)
            #expect(result.errors.contains("no app fits this database"))
        }
        #expect(errors == [])
    }

    /// The errors of the sessions that begin on a database while something goes on.
    private func logged(on database: TestDatabase, _ work: () throws -> Void) throws -> [String] {
        // Whoever logs every statement is a session on this database, since no other does.
        let administrator = try database.connect()
        let name = Identifier(database.name)
        _ = try administrator.execute("alter database \(name) set log_statement = 'all'")
        let path = database.cluster.folder + "/log"
        let before = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
        try work()
        let handle = try #require(FileHandle(forReadingAtPath: path))
        try handle.seek(toOffset: before)
        let lines = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        func process(_ line: Substring) -> Substring? {
            line.firstIndex(of: "[").flatMap { start in
                line[start...].firstIndex(of: "]").map { line[line.index(after: start)..<$0] }
            }
        }
        let ours = Set(
            lines.filter { $0.contains("LOG:  execute") || $0.contains("LOG:  statement") }.compactMap(process))
        #expect(!ours.isEmpty)
        return lines.filter { line in
            (line.contains("] ERROR:") || line.contains("] FATAL:")) && process(line).map(ours.contains) ?? false
        }.map(String.init)
    }
}
