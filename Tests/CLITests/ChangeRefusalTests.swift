import Changes
import Catalog
import Foundation
import PQ
import Support
import Testing

/// No combination of options bypasses the rules about production, reasons and confirmations.
@Suite struct ChangeRefusalTests {
    private static let ada = "ada@example.com"

    /// Sample data in a database with this environment.
    private static func database(_ environment: String?, _ statements: String...) throws -> TestDatabase {
        let database = try TestCluster.database(of: "impulse")
        let connection = try database.connect()
        _ = try connection.execute(
            "alter database \(Identifier(database.name)) owner to \(Identifier(DemoDatabase.owner))")
        _ = try connection.execute("delete from usher.environment")
        if let environment {
            _ = try connection.execute(Query(file: "usher/mark_environment.sql", [environment]))
        }
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        return database
    }

    private static func tier(_ database: TestDatabase) throws -> String? {
        try database.connect().execute(
            "select concat_ws(' ', subscription_tier, subscription_status, updated_at) as t from public.profiles where email = \(ada)"
        ).first?.shown("t")?.text
    }

    /// Returns every combination of the options.
    private static func subsets(of flags: [[String]]) -> [[String]] {
        flags.reduce([[]]) { sets, flag in sets + sets.map { $0 + flag } }
    }

    private static let flags = [
        ["-y"], ["--confirm", ada], ["-n"], ["--reason", "because"], ["--no-input"], ["--json"],
    ]

    /// A nightly job must not fail when no user is due.
    @Test func bulkChangeOfAnEmptySelectionSucceeds() throws {
        let database = try Self.database("test")
        let words = ["trial", "expire", "--due", "--reason", "nightly"]
        #expect(try Usher.run(words + ["-y"], on: database.conninfo()).status == 0)
        let operations: Query = "select count(*)::text as n from usher.operation"
        let before = try database.connect().execute(operations).first?.shown("n")
        for more in [["-y"], ["-n"], ["-y", "--json"], ["--no-input"]] {
            let result = try Usher.run(words + more, on: database.conninfo())
            #expect(result.status == 0, "\(more): \(result.errors)")
            if !more.contains("--json") {
                #expect(
                    (result.output + result.errors).contains(more == ["-n"] ? "nothing to change" : "Nothing changed"),
                    "\(more)")
            }
        }
        #expect(try database.connect().execute(operations).first?.shown("n") == before)
    }

    /// usher never records the value of a secret column, so an undo can't restore the value.
    @Test func changeOfASecretColumnDoesNotOfferAnUndo() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.people (id integer primary key, name text, pin text)",
            "insert into public.people values (1, 'Ada', '1234')")
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "pins.sql",
            holding: """
                -- @app pins  Pins
                -- @requires public.people
                -- @users
                -- @key id
                select p.id, p.name from public.people p;
                -- @action pin clear  Clears the pin.
                -- @grade mild
                -- @do
                update public.people set pin = null where id = any(:users);
                -- @action name clear  Clears the name.
                -- @grade mild
                -- @do
                update public.people set name = null where id = any(:users);
                -- @account
                -- @root public.people.id
                -- @secret public.people.pin
                """)
        func run(_ words: String...) throws -> String {
            let result = try Usher.run(["--app", app] + words, on: database.conninfo())
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        _ = try run("install", "--environment", "test", "--yes")
        let named = try run("name", "clear", "1")
        #expect(named.contains("Undo: usher undo"), "\(named)")
        let cleared = try run("pin", "clear", "1")
        #expect(cleared.contains("This change can't be undone.") && !cleared.contains("Undo:"), "\(cleared)")
    }

    @Test func noOptionForcesATestStateInProduction() throws {
        let production = try Self.database("production")
        let before = try Self.tier(production)
        for flags in Self.subsets(of: Self.flags) {
            let result = try Usher.run(["state", "force", Self.ada, "partner"] + flags, on: production.conninfo())
            #expect(result.status == 3, "\(flags): \(result.errors)")
            #expect(!result.output.contains("subscription_tier"), "\(flags)")
        }
        #expect(try Self.tier(production) == before)
    }

    @Test func changeIsRefusedIfTheSearchPathIsUnsafe() throws {
        let database = try Self.database("test")
        try database.run("alter database \(database.name) set search_path = public, pg_catalog")
        let result = try Usher.run(
            ["partner", "grant", Self.ada, "--source", "marketing", "-n"], on: database.conninfo())
        #expect(result.status == 3)
        #expect(result.errors.contains("the search path contains public before pg_catalog"))
        #expect(try Usher.run(["user", "show", Self.ada], on: database.conninfo()).status == 0)
    }

    @Test func databaseWithAnUntrustedEnvironmentCountsAsProduction() throws {
        let forged = try TestCluster.emptyDatabase()
        try forged.makeRole("forger")
        let databases: [(String, TestDatabase)] = try [
            ("unmarked", Self.database(nil)),
            ("a copy", TestCluster.database(of: "impulse")),
            (
                "somebody's schema",
                Self.database("test", "alter schema usher owner to forger")
            ),
            (
                "another cluster's", Self.database("test", "update usher.environment set system_identifier = 1")
            ),
            (
                "a view",
                Self.database(
                    "test", "alter table usher.environment rename to marks",
                    "create view usher.environment as select * from usher.marks")
            ),
            (
                "two marks",
                Self.database(
                    "test", "drop index usher.environment_is_one_row",
                    "insert into usher.environment select * from usher.environment")
            ),
        ]
        for (title, database) in databases {
            let before = try Self.tier(database)
            for flags in [[], ["-y", "--reason", "x"], ["-n"], ["--confirm", Self.ada, "--reason", "x", "--json"]] {
                for options in [nil, "-c usher.environment=test -c search_path=public,pg_temp"] {
                    let result = try Usher.run(
                        ["state", "force", Self.ada, "partner"] + flags, on: database.conninfo(),
                        environment: options.map { ["PGOPTIONS": $0] } ?? [:])
                    #expect(result.status == 3, "\(title) \(flags): \(result.errors)")
                }
            }
            #expect(try Self.tier(database) == before, "\(title)")
        }
    }

    @Test func environmentCheckIgnoresATemporaryTableOfTheSameName() throws {
        let database = try Self.database(
            "production", "create schema shadow", "create table shadow.environment as select * from usher.environment",
            "update shadow.environment set name = 'test'")
        for options in ["-c search_path=shadow,pg_catalog,public", "-c search_path=pg_catalog,shadow,usher"] {
            let result = try Usher.run(
                ["state", "force", Self.ada, "partner", "-y", "--reason", "x"], on: database.conninfo(),
                environment: ["PGOPTIONS": options])
            #expect(result.status == 3 || result.status == 1, "\(options): \(result.errors)")
            #expect(!result.errors.contains("Done."))
        }
    }

    @Test func changeInProductionRequiresAReason() throws {
        let production = try Self.database("production")
        let words = ["partner", "grant", Self.ada, "--source", "marketing"]
        let missing = try Usher.run(words + ["-y"], on: production.conninfo())
        #expect(missing.status == 3)
        #expect(missing.errors.contains("--reason"))
        #expect(try Usher.run(words + ["-n"], on: production.conninfo()).status == 0, "a dry run needs none")
        let empty = try Usher.run(words + ["-y", "--reason", ""], on: production.conninfo())
        #expect(empty.status == 3 || empty.status == 2, "an empty reason is none: \(empty.errors)")
        let undo = try Usher.run(["audit", "undo", "00000000", "-y"], on: production.conninfo())
        #expect(undo.status != 0)
        let done = try Usher.run(
            words + ["-y", "--reason", "asked for", "--ticket", "T-1", "--json"], on: production.conninfo())
        #expect(done.status == 0, "\(done.errors)")
        let operation = try #require(try object(done.output)["operation"] as? String)
        let listed = try objects(try Usher.run(["audit", "list", "--json"], on: production.conninfo()).output)
        #expect(listed.first?["reason"] as? String == "asked for")
        #expect(listed.first?["ticket"] as? String == "T-1")
        #expect(try Usher.run(["audit", "undo", operation, "-y"], on: production.conninfo()).status == 3)
        #expect(
            try Usher.run(["audit", "undo", operation, "-y", "--reason", "x"], on: production.conninfo()).status == 0)
    }

    // MARK: Confirmation

    @Test func refusalWithoutATerminalNamesTheConfirmationOption() throws {
        let database = try Self.database("test")
        let before = try Self.tier(database)
        let words = ["partner", "grant", Self.ada, "--source", "marketing"]
        for extra in [[], ["--no-input"], ["--json"], ["--confirm", "somebody@example.com"], ["--confirm", ""]] {
            let result = try Usher.run(words + extra, on: database.conninfo())
            #expect(result.status == 3, "\(extra): \(result.errors)")
            #expect(
                result.errors.contains("--yes") || result.errors.contains("--confirm"), "\(extra): \(result.errors)")
        }
        #expect(try Self.tier(database) == before)
        #expect(try Usher.run(words + ["--confirm", "ADA@Example.com"], on: database.conninfo()).status == 0)
    }

    @Test func decliningThePromptChangesNothing() throws {
        let database = try Self.database("test")
        let before = try Self.tier(database)
        for answer in ["n\r", "\r", "\u{4}", "yess\r", "\u{3}"] {
            let terminal = try Usher.console(
                ["partner", "grant", Self.ada, "--source", "marketing"], on: database.conninfo())
            try terminal.wait(for: "Make this change? [y/N] ")
            terminal.type(answer)
            let status = try terminal.end()
            #expect(status == 3 || answer == "\u{3}" && status == 130, "\(answer.debugDescription): \(status)")
        }
        #expect(try Self.tier(database) == before)
        let terminal = try Usher.console(
            ["partner", "grant", Self.ada, "--source", "marketing"], on: database.conninfo())
        try terminal.wait(for: "Make this change? [y/N] ")
        terminal.type("y\r")
        try terminal.wait(for: "Done.")
        #expect(try terminal.end() == 0)
    }

    @Test func bulkChangeNeedsTheNumberOfUsersAsConfirmation() throws {
        let database = try Self.database("test")
        let users = try database.connect().execute(
            "select id::text from public.profiles where subscription_tier = 'trial' limit 120"
        ).rows.compactMap { $0.values[0].text }.joined(separator: "\n")
        let scratch = try Scratch()
        let file = try scratch.path(of: "users", holding: "# many\n\(users)\n")
        let words = ["trial", "extend", "--days", "1", "--from", file]
        for extra in [["-y"], ["-y", "--confirm", "yes"], ["--confirm", "119"], []] {
            let result = try Usher.run(words + extra, on: database.conninfo())
            #expect(result.status == 3, "\(extra): \(result.errors)")
            #expect(result.errors.contains("--confirm 120"), "\(extra): \(result.errors)")
        }
        let done = try Usher.run(words + ["--confirm", "120", "--json"], on: database.conninfo())
        #expect([0, 7].contains(done.status), "\(done.errors)")
    }

    // MARK: JSON documents

    @Test func changeAndItsDryRunPrintTheSameJSONDocument() throws {
        let database = try Self.database("test")
        let words = ["partner", "grant", Self.ada, "--source", "marketing", "--json"]
        let dry = try object(try Usher.run(words + ["-n"], on: database.conninfo()).output)
        let real = try object(try Usher.run(words + ["-y"], on: database.conninfo()).output)
        let keys: Set<String> = [
            "operation", "command", "dry_run", "environment", "users", "changes", "decisions", "warnings", "refused",
        ]
        #expect(Set(dry.keys) == keys)
        #expect(Set(real.keys) == keys)
        #expect(dry["operation"] is NSNull)
        #expect(dry["dry_run"] as? Bool == true)
        #expect(real["dry_run"] as? Bool == false)
        func profiles(_ report: [String: Any]) -> [[String: Any]] {
            (report["changes"] as? [[String: Any]] ?? []).filter { $0["table"] as? String == "public.profiles" }
        }
        let (planned, made) = (profiles(dry), profiles(real))
        #expect(planned.count == 1 && made.count == 1)
        #expect(planned[0]["before"] as? NSDictionary == made[0]["before"] as? NSDictionary)
        let decision = try #require(
            (real["decisions"] as? [[String: Any]])?.first { $0["name"] as? String == "access" })
        #expect(decision["after"] as? String == "active")
        let operation = try #require(real["operation"] as? String)
        let undone = try object(
            try Usher.run(["audit", "undo", operation, "-y", "--json"], on: database.conninfo()).output)
        #expect(undone["command"] as? String == "audit undo")
        #expect(
            try object(try Usher.run(["audit", "verify", "--json"], on: database.conninfo()).output)["intact"] as? Bool
                == true)
    }

    @Test func bulkChangeThatRefusesSomeUsersExitsWithSeven() throws {
        let database = try Self.database("test")
        let words = [
            "partner", "grant", Self.ada, "grace@example.com", "nobody@example.com", "--source", "marketing", "-y",
        ]
        let result = try Usher.run(words + ["--json"], on: database.conninfo())
        #expect(result.status == 7)
        #expect(try errorObject(result)["code"] as? String == "partial")
        let report = try object(result.output)
        #expect(report["users"] as? Int == 1)
        #expect((report["refused"] as? [[String: Any]])?.count == 2)
        let all = try Usher.run(
            ["partner", "grant", "grace@example.com", "--source", "marketing", "-y"], on: database.conninfo())
        #expect(all.status == 3)
        let wrong = try Usher.run(["partner", "grant", Self.ada, "--source", "friends", "-y"], on: database.conninfo())
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("ambassador"))
        #expect(try Usher.run(words + ["--at", "2026-01-01"], on: database.conninfo()).status == 2)
    }

    @Test func changeExitsWithSixIfItsRowWasWrittenAfterThePreview() throws {
        let database = try Self.database("test")
        let terminal = try Usher.console(
            ["partner", "grant", Self.ada, "--source", "marketing"], on: database.conninfo())
        try terminal.wait(for: "Make this change? [y/N] ")
        try database.run("update public.profiles set partner_source = 'influencer' where email = '\(Self.ada)'")
        terminal.type("y\r")
        try terminal.wait(for: "influencer")
        #expect(try terminal.end() == 6)
    }

    @Test func changeShowsAGeneratedSecretOnce() throws {
        let database = try TestCluster.database(of: "importer")
        let connection = try database.connect()
        _ = try connection.execute(
            "alter database \(Identifier(database.name)) owner to \(Identifier(DemoDatabase.owner))")
        _ = try connection.execute(Query(file: "usher/mark_environment.sql", ["test"]))
        let result = try Usher.run(
            ["code", "create", "--label", "x", "--no-input", "-y", "--json", "--show-sql"], on: database.conninfo())
        #expect(result.status == 0, "\(result.errors)")
        let generated = try #require(try object(result.output)["generated"] as? [String: String])
        let code = try #require(generated["code"])
        #expect(!result.errors.contains(code))
        #expect(result.errors.contains("(secret)"))
        let audit = try Usher.run(["audit", "list", "--json"], on: database.conninfo()).output
        #expect(!audit.contains(code))
        #expect(
            try connection.execute(
                "select count(*) as n from usher.operation o full join usher.change c on false where concat(o.payload, c.payload) like '%' || \(code) || '%'"
            ).first?.shown("n")?.text == "0")
        #expect(
            try connection.execute(
                "select count(*) as n from usher.change c where c.payload::text ~ '[0-9a-f]{64}'"
            ).first?.shown("n")?.text == "0")
    }
}
