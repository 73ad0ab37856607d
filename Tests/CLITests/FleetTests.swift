import Foundation
import PQ
import Support
import Testing

/// A command can run in several databases.
@Suite(.waiting) struct FleetTests {
    /// Databases that all contain Ada; each also contains one user whom the other databases don't have.
    private struct Fleet {
        let databases: [TestDatabase]
        let folder: URL
        var path: String { folder.appendingPathComponent("fleet.conf").path }

        init(_ count: Int = 3, besides more: String = "") throws {
            databases = try (0..<count).map { _ in try MarkedDatabase.fresh() }
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var text = "# databases of a test\n"
            for (index, database) in databases.enumerated() {
                for table in ["auth.users", "public.profiles"] {
                    try database.run(
                        "update \(table) set email = 'own\(index)@example.com' where email = 'trial@example.com'")
                }
                text += "[m\(index)]\nlabels = \(index == 0 ? "eu, first" : "us")\ndb = \(database.conninfo())\n\n"
            }
            try (text + more).write(toFile: path, atomically: true, encoding: .utf8)
        }

        static let dead = "[dead]\nlabels = eu\nhost = /nowhere\ndbname = x\n"

        func run(_ words: String..., environment: [String: String?] = [:]) throws -> Subprocess.Result {
            try run(words, environment: environment)
        }

        func run(_ words: [String], environment: [String: String?] = [:]) throws -> Subprocess.Result {
            try Usher.run(["--fleet", path] + words, environment: environment)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    // MARK: Output of several databases

    @Test(.long) func listsOfAFleetNameTheDatabaseOfEachRow() throws {
        let fleet = try Fleet(besides: Fleet.dead)
        defer { fleet.remove() }
        let found = try fleet.run("user", "find", "ada@example.com", "-o", "csv", "--fields", "database,email")
        #expect(found.status == 7)
        #expect(found.output.hasPrefix("database,email\n"))
        #expect(Set(lines(found.output).dropFirst()) == Set((0..<3).map { "m\($0),ada@example.com" }))
        #expect(found.errors.contains("usher: dead: "))
        #expect(found.errors.contains("usher: no result from 1 of 4 databases: dead"))
        // People get one screen for each database in the order of the fleet; programs get one list.
        let table = try fleet.run("--only", "us", "user", "find", "ada@example.com")
        #expect(table.status == 0, "\(table.errors)")
        #expect(
            lines(table.output).map { $0.prefix { $0 != " " } } == ["--", "database", "m1", "--", "database", "m2"])
        let list = try fleet.run("--only", "us", "user", "list", "--limit", "2", "--json")
        #expect(try objects(list.output).compactMap { $0["database"] as? String }.sorted() == ["m1", "m1", "m2", "m2"])
        let keys = try fleet.run("--only", "us", "user", "find", "ada@example.com", "-o", "name")
        #expect(Set(lines(keys.output)).count == 1 && lines(keys.output).count == 2)
        // The commands of the app file also run on a fleet.
        let partners = try fleet.run("--only", "us", "partner", "list", "-o", "ndjson")
        #expect(partners.status == 0 && partners.output.contains(#"{"database":"m2","#), "\(partners.errors)")
    }

    /// Names of members and labels complete without a server; users come from the chosen member.
    @Test(.long) func completionInAFleetOffersMembersAndLabels() throws {
        let fleet = try Fleet(2, besides: Fleet.dead)
        defer { fleet.remove() }
        let patient = ["USHER_COMPLETION_SECONDS": "60"] as [String: String?]
        let users = try fleet.run(
            ["__complete", "--", "--member", "m1", "user", "show", "own"], environment: patient)
        #expect(lines(users.output) == ["own1@example.com"], "\(users.output)")
        let names = try fleet.run(["__complete", "--", "--member", ""], environment: patient)
        #expect(lines(names.output) == ["m0", "m1", "dead"], "\(names.output)")
        let labels = try fleet.run(["__complete", "--", "--only", ""], environment: patient)
        #expect(lines(labels.output) == ["eu", "first", "us"], "\(labels.output)")
        let more = try fleet.run(["__complete", "--", "--only", "eu,"], environment: patient)
        #expect(lines(more.output) == ["eu,first", "eu,us"], "\(more.output)")
    }

    @Test(.long) func errorsOfAFleetNameTheirDatabase() throws {
        let fleet = try Fleet(1, besides: Fleet.dead)
        defer { fleet.remove() }
        let result = try fleet.run("check", "--json")
        #expect(result.status == 7)
        #expect(Set(try objects(result.output).compactMap { $0["database"] as? String }) == ["m0"])
        let errors = try lines(result.errors).map { try object($0)["error"] as? [String: Any] }
        #expect(errors.first??["database"] as? String == "dead" && errors.first??["code"] as? String == "connection")
        #expect(errors.last??["code"] as? String == "partial")
        let all = try fleet.run("--member", "dead", "check")
        #expect(all.status == 5)
        #expect(all.errors.hasPrefix("usher: dead: "), "\(all.errors)")
    }

    @Test(.long) func statsOfAFleetNameTheDatabaseOfEachScreen() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let screen = try fleet.run("stats")
        #expect(screen.status == 0, "\(screen.errors)")
        #expect(lines(screen.output).filter { $0.hasPrefix("-- ") } == ["-- m0", "-- m1"])
        let all = try objects(try fleet.run("stats", "--json").output)
        #expect(all.map { $0["database"] as? String } == ["m0", "m1"])
    }

    @Test(.long) func fleetRefusesToMixRowsWithDifferentColumns() throws {
        let fleet = try Fleet(besides: "[other]\ndb = \(try TestCluster.database(of: "importer").conninfo())\n")
        defer { fleet.remove() }
        let mixed = try fleet.run("user", "list", "--limit", "1", "-o", "csv")
        #expect(mixed.status == 7 && lines(mixed.output).count == 4, "\(mixed.output)")
        #expect(mixed.errors.contains("usher: other: the columns differ from the columns"), "\(mixed.errors)")
        let chosen = try fleet.run("user", "list", "--limit", "1", "-o", "csv", "--fields", "database,id")
        #expect(chosen.status == 0 && lines(chosen.output).count == 5, "\(chosen.errors)")
    }

    @Test(
        arguments: sample([
            ["doctor"], ["app", "check"], ["account", "survey"], ["audit", "list"], ["audit", "verify"],
            ["roles", "show"], ["roles", "sql"], ["settings", "show"],
        ]))
    func readCommandsRunInEveryDatabaseOfAFleet(_ words: [String]) throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let alone = try Usher.run(words + ["-o", "ndjson"], on: fleet.databases[0].conninfo())
        let result = try Usher.run(["--fleet", fleet.path] + words + ["-o", "ndjson"])
        #expect(result.status == alone.status, "\(result.errors)")
        let rows = try lines(result.output).map { try object($0) }
        #expect(rows.count == 2 * lines(alone.output).count)
        #expect(rows.allSatisfy { ["m0", "m1"].contains($0["database"] as? String) })
    }

    @Test(.long) func fleetReportsTheMemberWhoseSchemaDoesNotFit() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        try fleet.databases[1].run("drop table public.subscription_config cascade")
        let result = try fleet.run("user", "find", "ada@example.com", "-o", "csv")
        #expect(result.status == 7)
        #expect(lines(result.output).count == 2 && result.output.contains("\nm0,"))
        #expect(result.errors.contains("usher: m1: no app file fits"), "\(result.errors)")
        #expect(result.errors.contains("\n  this database lacks public.subscription_config"), "\(result.errors)")
    }

    /// `-o name` prints keys alone; `--fields` can add the database as a column.
    @Test(.long) func fieldsOptionPrintsTheDatabaseOfEachKeyOfAFleet() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let keys = try fleet.run("user", "list", "--limit", "1", "-o", "name")
        #expect(keys.status == 0 && lines(keys.output).allSatisfy { !$0.contains("m") }, "\(keys.output)")
        let both = try fleet.run("user", "list", "--limit", "1", "-o", "tsv", "--fields", "database,id")
        #expect(both.status == 0, "\(both.errors)")
        #expect(
            Set(lines(both.output).dropFirst()) == Set(zip(["m0", "m1"], lines(keys.output)).map { "\($0)\t\($1)" }))
    }

    /// A database with two names counts as two members, so commands about its users need --member.
    @Test(.long) func userOfADatabaseListedTwiceInAFleetNeedsTheMemberOption() throws {
        let fleet = try Fleet(1)
        defer { fleet.remove() }
        let twice = "[again]\ndb = \(fleet.databases[0].conninfo())\n"
        try (try String(contentsOfFile: fleet.path, encoding: .utf8) + twice).write(
            toFile: fleet.path, atomically: true, encoding: .utf8)
        let found = try fleet.run("user", "find", "ada@example.com", "-o", "ndjson")
        #expect(found.status == 0 && lines(found.output).count == 2, "\(found.errors)")
        #expect(try fleet.run("user", "show", "ada@example.com").status == 6)
        #expect(try fleet.run("--member", "again", "user", "show", "ada@example.com").status == 0)
    }

    @Test(.long) func fleetReportsTheErrorOfAMemberThatLacksAColumn() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        try fleet.databases[1].run("alter table public.profiles drop column auth_provider cascade")
        let result = try fleet.run("user", "list", "--limit", "2", "-o", "ndjson")
        #expect(result.status == 7)
        #expect(result.output.contains(#"{"database":"m0","#) && !result.output.contains(#"{"database":"m1","#))
        #expect(result.errors.contains("column p.auth_provider does not exist"), "\(result.errors)")
    }

    // MARK: One user in a fleet

    @Test func userShowFindsTheUserInAnyDatabaseOfAFleet() throws {
        let fleet = try Fleet()
        defer { fleet.remove() }
        let shown = try fleet.run("user", "show", "own1@example.com", "--json")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(try object(shown.output)["database"] as? String == "m1")
        let screen = try fleet.run("user", "show", "own1@example.com")
        #expect(screen.errors == "own1@example.com is in m1.\n")
        #expect(screen.output.contains("Impulse AI, test, in m1"))
        #expect(try fleet.run("user", "why", "nobody@example.com").status == 4)
        let several = try fleet.run("user", "show", "ada@example.com")
        #expect(several.status == 6)
        for name in ["m0", "m1", "m2"] { #expect(several.errors.contains("  \(name): ada@example.com")) }
        let chosen = try fleet.run("--member", "m2", "user", "show", "ada@example.com", "--json")
        #expect(try object(chosen.output)["database"] as? String == "m2")
    }

    @Test func changeInAFleetRunsInTheDatabaseOfTheUser() throws {
        let fleet = try Fleet(besides: Fleet.dead)
        defer { fleet.remove() }
        let grant = ["partner", "grant", "own1@example.com", "--source", "marketing", "--reason", "launch", "--json"]
        // The unreachable database could also have the user, so usher changes nothing.
        let doubtful = try Usher.run(["--fleet", fleet.path] + grant + ["-y"])
        #expect(doubtful.status == 5)
        #expect(try errorObject(doubtful)["hint"] as? String == "add --member m1 to change own1@example.com in m1 only")
        let done = try Usher.run(["--fleet", fleet.path, "--only", "us"] + grant + ["-y"])
        #expect(done.status == 0, "\(done.errors)")
        #expect(try object(done.output)["database"] as? String == "m1")
        let audit = try fleet.run("--only", "us", "audit", "list", "-o", "ndjson")
        #expect(try lines(audit.output).map { try object($0)["database"] as? String } == ["m1"])
        // A setting exists in every database, so without --member usher changes nothing.
        let setting = try fleet.run("quota", "set", "trial", "impulse_limit", "5", "-y")
        #expect(setting.status == 2 && setting.errors.contains("--member NAME: m0, m1, m2, dead"))
        let piped = try Usher.run(
            ["--fleet", fleet.path, "partner", "grant", "-", "--source", "marketing"], input: "x\n")
        #expect(piped.status == 2)
    }

    @Test(.long) func fleetFindsTheMemberThatRecordedAnOperation() throws {
        let fleet = try Fleet(2, besides: Fleet.dead)
        defer { fleet.remove() }
        let grant = ["partner", "grant", "own1@example.com", "--source", "marketing", "--reason", "launch"]
        let done = try fleet.run(["--only", "us"] + grant + ["-y", "--json"])
        let operation = try #require(object(done.output)["operation"] as? String)
        let shown = try fleet.run("--only", "us", "audit", "show", String(operation.prefix(8)), "--json")
        #expect(try object(shown.output)["id"] as? String == operation, "\(shown.errors)")
        // The unreachable database could also have the operation.
        #expect(try fleet.run("audit", "undo", operation, "-y").status == 5)
        let undone = try fleet.run("--member", "m1", "audit", "undo", operation, "-y", "--json")
        #expect(undone.status == 0, "\(undone.errors)")
        let last = try fleet.run("--only", "us", "undo", "last", "-y")
        #expect(last.status == 4 && last.errors.contains("no such operation in 1 database: last"), "\(last.errors)")
        #expect(try fleet.run(["--only", "us"] + grant + ["-y"]).status == 0)
        let latest = try fleet.run("--only", "us", "undo", "last", "-y")
        #expect(latest.status == 0 && latest.errors.contains("last is in m1."), "\(latest.errors)")
        let unknown = try fleet.run("--only", "us", "audit", "undo", "0000000000000000", "-y")
        #expect(unknown.status == 4 && unknown.errors.contains("no such operation in 1 database"))
    }

    @Test func approvalInAFleetRunsInTheDatabaseOfTheRequest() throws {
        let (support, admin) = try RequestCommandTests.database()
        let fleet = try Fleet(1, besides: "[asked]\ndb = \(admin)\n")
        defer { fleet.remove() }
        let filed = try Usher.run(RequestCommandTests.grant + ["--request", "--json"], on: support)
        let request = try #require(object(filed.output)["request"] as? String)
        let approved = try fleet.run("request", "approve", request, "-y", "--json")
        #expect(approved.status == 0, "\(approved.errors)")
        let operation = try #require(object(approved.output)["operation"] as? String)
        let back = try fleet.run("audit", "undo", operation, "-y")
        #expect(back.status == 0 && back.errors.contains("\(operation) is in asked."), "\(back.errors)")
    }

    @Test(.long) func confirmationInAFleetNamesTheDatabase() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let terminal = try Usher.console(
            ["--fleet", fleet.path, "partner", "grant", "own1@example.com", "--source", "marketing"])
        try terminal.wait(for: "test, in m1")
        try terminal.wait(for: "Make this change in m1? [y/N] ")
        terminal.enter("n")
        #expect(try terminal.end() == 3)
    }

    // MARK: Deletion

    @Test func fleetDeletionRunsInAllDatabasesOrNone() throws {
        let fleet = try Fleet()
        defer { fleet.remove() }
        func left() throws -> [Int] {
            try fleet.databases.map { database in
                try database.connect().execute("select count(*) from auth.users where email = 'alan@example.com'")
                    .count()
            }
        }
        let delete = ["account", "delete", "alan@example.com", "--reason", "asked for it"]
        let before = try left()
        #expect(before == [1, 1, 1])
        let plan = try objects(try fleet.run("account", "plan", "alan@example.com", "--json").output)
        #expect(Set(plan.compactMap { $0["database"] as? String }) == ["m0", "m1", "m2"])
        let dry = try Usher.run(["--fleet", fleet.path] + delete + ["-n", "--json"])
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(try objects(dry.output).allSatisfy { $0["dry_run"] as? Bool == true })
        #expect(try Usher.run(["--fleet", fleet.path] + delete + ["--json"]).status == 3)
        #expect(try left() == before)
        // If one database refuses the deletion, no database deletes anything.
        try fleet.databases[2].run(
            "create function public.no() returns trigger language plpgsql as $$ begin raise 'not today'; end $$",
            "create trigger no before delete on auth.users for each row execute function public.no()")
        let refused = try Usher.run(["--fleet", fleet.path] + delete + ["--confirm", "alan@example.com"])
        #expect(refused.status != 0 && refused.errors.contains("Nothing was deleted"), "\(refused.errors)")
        #expect(try left() == before)
        let archive = fleet.folder.appendingPathComponent("alan.archive").path
        try "".write(toFile: archive + ".m1", atomically: true, encoding: .utf8)
        let archived = try fleet.run(delete + ["--confirm", "alan@example.com", "--archive", archive])
        #expect(archived.status == 1 && archived.errors.contains("alan.archive.m1: File exists"), "\(archived)")
        try fleet.databases[2].run("drop trigger no on auth.users")
        let done = try Usher.run(["--fleet", fleet.path] + delete + ["--confirm", "alan@example.com", "--json"])
        #expect(done.status == 0, "\(done.errors)")
        let reports = try objects(done.output)
        #expect(Set(reports.compactMap { $0["operation"] as? String }).count == 3)
        #expect(reports.allSatisfy { $0["verified"] as? Bool == true })
        #expect(try left() == [0, 0, 0])
        #expect(try Usher.run(["--fleet", fleet.path] + delete + ["--confirm", "alan@example.com"]).status == 4)
    }

    /// The deletion of a user with stored files has a report and an error.
    @Test(.long) func errorOfAPartialFleetDeletionNamesItsDatabaseOnce() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let partial = try fleet.run("account", "delete", "ada@example.com", "--shared", "delete", "-n")
        #expect(partial.status == 7, "\(partial)")
        for name in ["m0", "m1"] {
            #expect(partial.errors.contains("usher: \(name): data about the user"), "\(partial.errors)")
            #expect(!partial.errors.contains("\(name): usher: "), "\(partial.errors)")
        }
    }

    @Test(.long) func deletionRefusedByAllDatabasesOfAFleetIsNotPartial() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        try fleet.databases[0].run(
            "create function public.no() returns trigger language plpgsql as $$ begin raise 'no'; end $$",
            "create trigger no before delete on auth.users for each row execute function public.no()")
        try fleet.databases[1].run("drop schema usher cascade")
        let delete = ["account", "delete", "alan@example.com", "--reason", "asked for it"]
        let refused = try fleet.run(delete + ["--confirm", "alan@example.com"])
        #expect([3, 5].contains(refused.status), "\(refused.errors)")
        #expect(!refused.errors.contains("missing"), "\(refused.errors)")
        #expect(refused.errors.contains("Nothing was deleted in any of the databases."))
    }

    /// An archive belongs to the database whose audit log has the deletion.
    @Test(.long) func archiveOfOneDatabaseCannotBeRestoredInAnother() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let archive = fleet.folder.appendingPathComponent("gone.archive").path
        let delete = ["account", "delete", "own0@example.com", "--confirm", "own0@example.com", "--archive", archive]
        let gone = try fleet.run(["--member", "m0"] + delete)
        #expect(gone.status == 0, "\(gone.errors)")
        for more in [[], ["-n"]] {
            let strange = try fleet.run(["--member", "m1", "account", "restore", archive, "-y"] + more)
            #expect(strange.status == 3, "\(strange.errors)")
            #expect(strange.errors.contains("is from another database"), "\(strange.errors)")
        }
        let back = try fleet.run("--member", "m0", "account", "restore", archive, "-y")
        #expect(back.status == 0, "\(back.errors)")
    }

    @Test func repeatedFleetDeletionContinuesInTheRemainingDatabases() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let one = try fleet.run(
            "--member", "m0", "account", "delete", "alan@example.com", "--reason", "asked for it", "--confirm",
            "alan@example.com")
        #expect(one.status == 0, "\(one.errors)")
        let archive = fleet.folder.appendingPathComponent("gone.ndjson").path
        let rest = try fleet.run(
            "account", "delete", "alan@example.com", "--reason", "asked for it", "--confirm", "alan@example.com",
            "--archive", archive, "--json")
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(FileManager.default.fileExists(atPath: archive + ".m1"), "the archive has the suffix of its database")
        #expect(try object(rest.output)["database"] as? String == "m1")
    }

    // MARK: Console

    @Test func consoleOfAFleetKeepsTheChosenUserAndDatabase() throws {
        let fleet = try Fleet(2)
        defer { fleet.remove() }
        let terminal = try Usher.console(["--fleet", fleet.path], environment: ["USHER_COMPLETION_SECONDS": "20"])
        try terminal.wait(for: "usher 2 databases> ")
        terminal.enter("use own0@example.com")
        try terminal.wait(for: "own0@example.com in m0> ")
        terminal.enter("quota show --json")
        try terminal.wait(for: #""database":"m0""#)
        terminal.enter("use -")
        try terminal.wait(for: "\nusher 2 databases> ")
        terminal.enter("user find ada@example.com")
        try terminal.wait(for: "found by email")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
    }

    // MARK: Mistakes in a fleet

    @Test(arguments: [
        ("[a]\nhost=x\npassword=y\n", "the file contains the password for a"),
        ("[a]\ndb=postgresql://u:p@h/d\n", "the file contains the password for a"),
        ("[a]\n[a]\n", "the name a appears twice"),
        ("host=x\n", "write [NAME]"),
        ("[a b]\n", "write a name in brackets"),
        ("[a]\ndb=x\nhost=y\n", "a has both db and other connection settings"),
        ("[a]\nlabels=x\n\nlabels=y\n", ":4: labels appears twice in this section"),
        ("[a]\ndb=\n", ":2: db is empty"),
        ("[a]\nfrobnicate=1\n", "frobnicate"),
        ("# nothing\n", "doesn't contain a database"),
    ])
    func errorOfAFleetFileNamesTheMistake(_ text: String, _ complaint: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString).conf").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try Usher.run(["--fleet", path, "check"])
        #expect(result.status == 2)
        #expect(result.errors.contains(complaint), "\(result.errors)")
        #expect(!result.errors.contains(":p@"))
    }

    @Test(.long) func fleetFileCanHaveWindowsLineEnds() throws {
        let fleet = try Fleet(1)
        defer { fleet.remove() }
        let text = "\u{FEFF}" + (try String(contentsOfFile: fleet.path, encoding: .utf8)).replacing("\n", with: "\r\n")
        try text.write(toFile: fleet.path, atomically: true, encoding: .utf8)
        let result = try fleet.run("user", "find", "ada@example.com", "-o", "name")
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func usherRefusesContradictoryFleetOptions() throws {
        let fleet = try Fleet(1)
        defer { fleet.remove() }
        #expect(try fleet.run("--only", "moon", "check").errors.contains("choose one of: eu, first"))
        #expect(try fleet.run("--member", "m", "check").errors.contains("did you mean `m0`?"))
        #expect(try fleet.run("-d", "x", "check").status == 2)
        #expect(try Usher.run(["--member", "m0", "check"], on: "x").status == 2)
        #expect(try Usher.run(["--fleet", "a,a", "check"]).status == 2)
        #expect(try Usher.run(["--fleet", "/nowhere/at/all", "check"]).status == 2)
        let named = try Usher.run(["check", "-o", "name"], environment: ["USHER_FLEET": fleet.path])
        #expect(named.status == 1, "\(named.errors)")
        // `--db` wins over the fleet.
        let one = try Usher.run(
            ["user", "show", "ada@example.com", "--json"], on: fleet.databases[0].conninfo(),
            environment: ["USHER_FLEET": fleet.path])
        #expect(try object(one.output)["database"] == nil)
        #expect(try fleet.run("account", "survey", "--check", "-o", "sarif").status == 2)
        #expect(try fleet.run("version").status == 2)
    }
}
