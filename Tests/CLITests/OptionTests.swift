import Foundation
import PQ
import Support
import Testing

/// The effect of each global option.
@Suite struct OptionTests {
    private func run(_ words: String...) throws -> Subprocess.Result {
        try Usher.run(words, on: try SampleDatabase.conninfo)
    }

    @Test func showSQLOptionPrintsStatementsWithTheirValues() throws {
        let result = try run("user", "show", "o'hara@example.com", "--show-sql")
        #expect(result.status == 4)
        #expect(result.output == "")
        #expect(result.errors.contains("from auth.users a"))
        #expect(result.errors.contains("-- $1 = 'o''hara@example.com'"))
        let screen = ["user", "show", "ada@example.com", "--at", "2026-03-01T12:00:00Z"]
        let shown = try Usher.run(screen + ["--show-sql"], on: try SampleDatabase.conninfo)
        #expect(shown.status == 0)
        #expect(shown.output == (try Usher.run(screen, on: try SampleDatabase.conninfo).output))
        #expect(shown.errors.contains("public.iap_transactions"))
        for (words, statement) in [
            (["quota", "set", "mastery", "impulse_limit", "9"], "select usher.run($1)"),
            (["account", "delete", "ada@example.com", "--shared", "delete"], "delete from"),
        ] {
            let change = try Usher.run(words + ["-n", "--show-sql"], on: try MarkedDatabase.conninfo)
            #expect(change.errors.lowercased().contains(statement), "\(change.errors)")
        }
        let json = try run("user", "list", "--limit", "1", "--show-sql", "--json")
        for line in json.errors.split(separator: "\n") { #expect(Set(try object(line).keys) == ["sql", "values"]) }
        #expect(!json.errors.isEmpty)
    }

    @Test func atOptionDecidesToTheMicrosecond() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            update profiles set subscription_tier = 'trial', subscription_status = 'active',
                                trial_ends_at = '2026-03-01 12:00:00.000002+00' where email = 'ada@example.com'
            """)
        let instants = [
            ("2026-03-01T12:00:00.000001Z", "active"), ("2026-03-01T12:00:00.000002Z", "paywall"),
            ("2026-03-01T12:00:00.000003Z", "paywall"), ("2026-03-01 13:00:00.000001+01", "active"),
            ("2026-03-01 13:00:00.000002+01", "paywall"), ("2026-03-01", "active"), ("2026-03-02", "paywall"),
            ("-infinity", "active"), ("infinity", "paywall"),
        ]
        for (instant, outcome) in instants {
            let words = ["--at=\(instant)", "--json"]
            let shown = try object(
                try Usher.run(["user", "why", "ada@example.com"] + words, on: database.conninfo()).output)
            let access = (shown["decisions"] as? [[String: Any]])?.first
            #expect(access?["outcome"] as? String == outcome, "\(instant)")
            let listed = try Usher.run(
                ["user", "list", "--decision", "access=\(outcome)", "--fields", "email"] + words,
                on: database.conninfo())
            #expect(listed.output.contains("\"ada@example.com\""), "\(instant)")
        }
    }

    @Test func timeoutOptionEndsASlowPanelAndAcceptsAnyNumber() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            do $$ begin
              alter table iap_transactions rename to real_transactions;
              create view iap_transactions as select t.*, pg_sleep(30)::text as nap from real_transactions t;
            end $$
            """)
        let started = ContinuousClock.now
        let result = try Usher.run(["user", "show", "grace@example.com", "--timeout", "0.5"], on: database.conninfo())
        #expect(ContinuousClock.now - started < .seconds(10))
        #expect(result.status == 0)
        #expect(result.output.contains("did not arrive in time"))
        #expect(result.output.contains("active"))
        for seconds in ["0", "1e300", "99999999999", "600", "2.5"] {
            #expect(try run("user", "find", "ada", "--timeout", seconds).status == 0, "\(seconds)")
        }
        let tiny = try run("user", "find", "ada", "--timeout", "0.0001")
        #expect(tiny.status == 0 || tiny.errors.contains("--timeout"))
    }

    @Test func optionOrVariableChoosesTheApp() throws {
        #expect(try run("--app", "impulse", "app", "show", "-o", "name").output == "impulse\n")
        let variable = try Usher.run(["app", "show", "-o", "name"], environment: ["USHER_APP": "impulse"])
        #expect(variable.output == "impulse\n")
        let both = try Usher.run(["--app", "impulse", "app", "show", "-o", "name"], environment: ["USHER_APP": "nope"])
        #expect(both.status == 0)
        #expect(try Usher.run(["app", "show"], environment: ["USHER_APP": "nope"]).status == 2)
        #expect(try Usher.run(["app", "list", "-o", "name"]).output.contains("impulse\n"))
    }

    @Test func quietOptionPrintsOnlyResultsAndErrors() throws {
        #expect(try run("user", "find", "ada").errors == "found by the beginning of id, name, email or sign_in_email\n")
        #expect(try run("-q", "user", "find", "ada").errors == "")
        #expect(try run("-q", "user", "show", "x").errors != "")
    }

    @Test(arguments: [
        (["connect", "here", "-n"], "`connect` has no option `-n`"),
        (["user", "export", "ada@example.com", "--out", "FILE", "-n"], "`user export` has no option `-n`"),
        (["user", "find", "ada", "--reason", "x"], "`user find` has no option `--reason`"),
        (["user", "note", "ada@example.com", "moved", "-n"], "`user note` has no option `-n`"),
        (["check", "-n"], "`check` has no option `-n`"),
        (["check", "--fix", "--at", "2026-01-01"], "`check` has no option `--at`"),
        (["audit", "list", "--at", "2026-01-01"], "`audit list` has no option `--at`"),
    ])
    func optionThatDoesNotApplyIsRefusedBeforeAnythingIsWritten(words: [String], message: String) throws {
        let scratch = try Scratch()
        let file = scratch.folder.appendingPathComponent("export.ndjson").path
        let result = try Usher.run(
            words.map { $0 == "FILE" ? file : $0 }, on: try MarkedDatabase.conninfo,
            environment: ["HOME": scratch.folder.path])
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("usher: \(message)\n"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == [])
    }

    @Test func optionsOfAScriptApplyToTheCommandsThatAcceptThem() throws {
        let database = try MarkedDatabase.fresh()
        let lines = """
            user why ada@example.com --json --fields at
            partner grant ada@example.com --source influencer
            audit list -o name
            """
        let result = try Usher.run(["-n", "--at", "2026-03-01T12:00:00Z"], on: database.conninfo(), input: lines)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("2026-03-01"))
        #expect(result.output.hasSuffix("Not saved: everything was rolled back.\n"), "\(result.output)")
        for options in [["--watch", "1"], ["--fields", "id"], ["--confirm", "x"], ["--request"]] {
            let refused = try Usher.run(options, on: database.conninfo(), input: lines)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("`\(options[0])` needs a command"), "\(refused.errors)")
        }
    }

    @Test func dryRunOfAScriptRefusesUserNote() throws {
        let database = try MarkedDatabase.fresh()
        let result = try Usher.run(["-n"], on: database.conninfo(), input: "user note ada@example.com moved\n")
        #expect(result.status == 2)
        #expect(result.errors.contains("`user note` can't be rolled back, so it doesn't run with --dry-run"))
        #expect(try database.connect().execute("select from usher.note").rows.isEmpty)
    }

    @Test func versionAndHelpDoNotNeedADatabase() throws {
        let nowhere = "host=/nowhere"
        #expect(try Usher.run(["--version"], on: nowhere).output == "usher 1.0.0\n")
        #expect(try Usher.run(["version", "--json"]).output.hasPrefix("{\"version\":\"1.0.0\","))
        for words in [["help"], ["-h"], ["user", "-h"], ["user", "show", "--help"], ["help", "exit-codes"]] {
            let result = try Usher.run(words, on: nowhere)
            #expect(result.status == 0)
            #expect(!result.output.isEmpty)
            #expect(result.errors == "")
        }
    }

    @Test func assumptionsWinOverFactsFromAFile() throws {
        let scratch = try Scratch()
        let file = try scratch.path(of: "facts.json", holding: #"{"tier": "mastery", "status": "active"}"#)
        func access(_ extra: String...) throws -> [String: Any]? {
            let words = ["user", "why", "ada@example.com", "--facts", file, "--json"] + extra
            let document = try object(try Usher.run(words, on: try SampleDatabase.conninfo).output)
            return (document["decisions"] as? [[String: Any]])?.first
        }
        #expect(try access()?["outcome"] as? String == "active")
        #expect(try access()?["assumed"] as? [String: String] == ["tier": "mastery", "status": "active"])
        #expect(try access("--assume", "status=expired")?["outcome"] as? String == "paywall")
    }
}
