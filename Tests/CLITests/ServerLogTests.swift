import Foundation
import LocalCluster
import PQ
import Support
import Testing

/// Reading commands write no errors to the server's log, which belongs to the customer.
@Suite(.waiting, .long) struct ServerLogTests {
    @Test(arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func readCommandsDoNotWriteErrorsToTheServerLog(app: String) throws {
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

    @Test func detectionOfTheAppFileDoesNotWriteErrorsToTheServerLog() throws {
        let database = try TestCluster.emptyDatabase()
        let errors = try logged(on: database) {
            let lines = "user show ada\n--app impulse user find ada\ndoctor\napp init\nstats\n"
            let result = try Usher.run(["--keep-going"], on: database.conninfo(), input: lines)
            #expect(result.errors.contains("no app file fits this database"))
        }
        #expect(errors == [])
    }

    /// usher checks its rights before it reads, so a role with few rights causes no errors.
    ///
    /// The test runs with the grants of `roles sql`, and without any grant.
    @Test func accountSearchWithFewRightsDoesNotWriteErrorsToTheServerLog() throws {
        let database = try MarkedDatabase.granted()
        try database.makeRole("log_left_support", "in role usher_support")
        let errors = try logged(on: database) {
            let result = try Usher.run(
                ["account", "search", "ada@example.com"], on: database.conninfo(user: "log_left_support"))
            #expect(result.output.contains("public.profiles"), "\(result.errors)")
        }
        #expect(errors == [])
    }

    @Test func changeInAReadOnlySessionDoesNotWriteErrorsToTheServerLog() throws {
        try TestCluster.operatorRoles.get()
        let database = try MarkedDatabase.fresh()
        let errors = try logged(on: database) {
            for words in [
                ["quota", "reset", "ada@example.com", "--yes"], ["user", "note", "ada@example.com", "a note"],
            ] {
                let result = try Usher.run(
                    words + ["--reason", "asked"], on: database.conninfo(),
                    environment: ["PGOPTIONS": "-c default_transaction_read_only=on"])
                #expect(result.status == 3, "\(result.errors)")
            }
        }
        #expect(errors == [])
    }

    /// If the role is missing or an undo is repeated, a function returns a refusal and doesn't raise an error.
    @Test func refusedChangeDoesNotWriteErrorsToTheServerLog() throws {
        let database = try MarkedDatabase.granted()
        try database.makeRole("log_refused", "in role usher_support")
        func run(_ words: String...) throws -> Subprocess.Result {
            try Usher.run(words + ["--yes", "--reason", "asked"], on: database.conninfo(user: "log_refused"))
        }
        let errors = try logged(on: database) {
            let forbidden = try run("partner", "grant", "ada@example.com", "--source", "influencer")
            #expect(
                forbidden.status == 5 && forbidden.errors.contains("needs the role usher_admin"), "\(forbidden.errors)")
            #expect(try run("trial", "extend", "ada@example.com", "--days", "7").status == 0)
            let operations = try database.connect().execute(
                "select id::text as id from usher.operation where outcome = 'committed' and kind = 'change'")
            let operation = try #require(try operations.first?.text("id"))
            #expect(try run("audit", "undo", operation).status == 0)
            let again = try run("audit", "undo", operation)
            #expect(again.status == 3 && again.errors.contains("already undone"), "\(again.errors)")
        }
        #expect(errors == [])
    }

    /// The errors in the log from sessions of a database that begin while the work runs.
    private func logged(on database: TestDatabase, _ work: () throws -> Void) throws -> [String] {
        // The test connects before the work, so the result doesn't include its own session.
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
