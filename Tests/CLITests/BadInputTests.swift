import Foundation
import Support
import Testing

/// After a mistake in a command line, usher prints a message (as text or JSON) and a hint, and exits with a code.
@Suite struct BadInputTests {
    struct Mistake: Sendable {
        let words: [String]
        let status: Int32
        let code: String
        /// Texts that the message or the hint must contain.
        let says: [String]

        init(_ line: String, _ status: Int32, _ code: String, _ says: String...) {
            words = line.split(separator: " ").map(String.init)
            (self.status, self.code, self.says) = (status, code, says)
        }
    }

    static let mistakes: [Mistake] = [
        Mistake("usr show x", 2, "usage", "unknown command `usr`", "user show"),
        Mistake("user shwo x", 2, "usage", "no verb `shwo`", "user show"),
        Mistake("show user x", 2, "usage", "user show"), Mistake("quit", 2, "usage", "unknown command"),
        Mistake("user", 2, "usage", "needs a verb", "find, list, show, why, timeline"),
        Mistake("user show", 2, "usage", "missing argument USER"),
        Mistake("user show ada@example.com twice", 2, "usage", "unexpected argument `twice`"),
        Mistake("user show ada@example.com --fileds a", 2, "usage", "`--fileds`", "--fields"),
        Mistake("user show ada@example.com --field a", 2, "usage", "unknown option `--field`", "--fields"),
        Mistake("user show ada@example.com --limit 3", 2, "usage", "--limit", "user list"),
        Mistake("user list --limit 0", 2, "usage", "--limit"), Mistake("user list --limit x", 2, "usage", "--limit"),
        Mistake("doctor --timeout soon", 2, "usage", "--timeout"),
        Mistake("doctor --timeout -1", 2, "usage", "--timeout"),
        Mistake("doctor --app", 2, "usage", "--app"), Mistake("doctor --app nope", 2, "usage", "nope", "impulse"),
        Mistake("doctor --app ./nope.sql", 2, "usage", "./nope.sql: No such file or directory"),
        Mistake("doctor --app /tmp/", 2, "usage", "Is a directory"),
        Mistake("user show nobody@example.com", 4, "not_found", "there is no user nobody@example.com", "user find"),
        Mistake("user why nobody", 4, "not_found", "nobody"), Mistake("quota show x", 4, "not_found", "no user x"),
        Mistake("user timeline x", 4, "not_found", "no user x"),
        Mistake("user show TWIN@example.com", 6, "conflict", "2 users", "id"),
        Mistake("user show ada@example.com --at garbage", 2, "usage", "--at", "garbage", "2026-12-01T09:00:00Z"),
        Mistake("user list --at 2026-13-01", 2, "usage", "--at", "2026-13-01"),
        Mistake("user timeline ada@example.com --since garbage", 2, "usage", "--since", "garbage"),
        Mistake("user list --where nope", 2, "usage", "nope", "due"),
        Mistake("user list --decision access", 2, "usage", "NAME=OUTCOME"),
        Mistake("user list --decision nope=x", 2, "usage", "no decision nope", "access"),
        Mistake("user list --decision access=nope", 2, "usage", "nope", "active"),
        Mistake("user why ada@example.com --assume tier", 2, "usage", "name=value"),
        Mistake("user why ada@example.com --assume nose=1", 2, "usage", "no decision has the fact nose", "tier"),
        Mistake("user why ada@example.com --assume tier=gold", 2, "usage", "tier can't be gold", "mastery"),
        Mistake("user why ada@example.com --assume is_partner=2x", 2, "usage", "is_partner can't be 2x"),
        Mistake("user why ada@example.com --facts /nowhere", 2, "usage", "/nowhere: No such file"),
        Mistake("quota reset --from /nowhere", 2, "usage", "/nowhere: No such file"),
        Mistake("account plan ada@example.com --table nope", 2, "usage", "no table nope", "public.profiles"),
    ]

    @Test(arguments: mistakes) func usageErrorNamesTheMistakeAndARemedyAsTextAndAsJSON(_ mistake: Mistake) throws {
        let plain = try Usher.run(mistake.words, on: try SampleDatabase.conninfo)
        #expect(plain.status == mistake.status)
        #expect(plain.output == "")
        #expect(plain.errors.hasPrefix("usher: "))
        let json = try Usher.run(mistake.words + ["--json"], on: try SampleDatabase.conninfo)
        #expect(json.status == mistake.status)
        #expect(json.output == "")
        let error = try errorObject(json)
        #expect(error["code"] as? String == mistake.code)
        let text = [error["message"], error["hint"]].compactMap { $0 as? String }.joined(separator: "\n")
        for part in mistake.says {
            #expect(plain.errors.contains(part), "\(part)")
            #expect(text.contains(part), "\(part)")
        }
    }

    /// Mistakes of commands that accept neither --db nor --json.
    @Test(arguments: [
        Mistake("help nope", 2, "usage", "nope"), Mistake("completion tcsh", 2, "usage", "bash, zsh, fish"),
        Mistake("demo nope", 2, "usage", "nope", "impulse"), Mistake("demo --stop /nowhere", 1, "failed", "/nowhere"),
    ])
    func usageErrorsOfCommandsWithoutADatabaseNameTheMistake(_ mistake: Mistake) throws {
        let result = try Usher.run(mistake.words)
        #expect(result.status == mistake.status)
        #expect(result.output == "")
        for part in mistake.says { #expect(result.errors.contains(part), "\(part)") }
    }

    @Test func verboseErrorBeginsWithTheVersion() throws {
        let result = try Usher.run(["-v"])
        #expect(result.status == 2 && result.errors.hasPrefix("usher 1."), "\(result.errors)")
    }

    @Test func outputFormatOptionAppliesToErrorsAtAnyPosition() throws {
        let database = try SampleDatabase.conninfo
        for words in [["-o", "json", "frob"], ["frob", "-o", "ndjson"], ["--frob", "--json"], ["frob", "-ojson"]] {
            #expect(try errorObject(try Usher.run(words, on: database))["code"] as? String == "usage")
        }
        let wrong = try Usher.run(["-o", "yaml", "version"])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("one of table, json, ndjson, csv, tsv, name"))
    }

    @Test func ambiguousEmailListsItsUsers() throws {
        let result = try Usher.run(["user", "show", "twin@example.com"], on: try SampleDatabase.conninfo)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("  ") && $0.lowercased().contains("  twin@example.com  ") }.count == 2)
        let error = try errorObject(
            try Usher.run(["user", "show", "twin@example.com", "--json"], on: try SampleDatabase.conninfo))
        #expect((error["details"] as? [String])?.count == 2)
    }

    @Test func usageErrorsDoNotNeedADatabase() throws {
        for mistake in Self.mistakes where mistake.words.contains("--app") {
            #expect(try Usher.run(mistake.words, on: "host=/nowhere").status == 2, "\(mistake.words)")
        }
    }

    @Test func errorOfTheServerContainsItsSQLSTATE() throws {
        let words = ["user", "show", "ada@example.com", "--at", "garbage"]
        let database = try SampleDatabase.conninfo
        #expect(try errorObject(try Usher.run(words + ["--json"], on: database))["sqlstate"] as? String == "22007")
        #expect(try Usher.run(words + ["-v"], on: database).errors.contains("SQLSTATE 22007"))
        let other = try errorObject(try Usher.run(["user", "show", "x", "--json"], on: database))
        #expect(other["sqlstate"] is NSNull)
    }

    @Test func errorOfAnInvalidAppFileShowsEveryMistakeWithLineAndCaret() throws {
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "broken.sql",
            holding:
                "-- @app x  X\n-- @requires a.b\n-- @users\n-- @key id\nselect 1 as id;\n-- @panle P\n-- @panel Q\nselect (1;\n"
        )
        let result = try Usher.run(["--app", file, "app", "show"])
        #expect(result.status == 1)
        #expect(result.errors.contains("the app file has 2 mistakes"))
        #expect(result.errors.contains("broken.sql:6:4: error: unknown directive @panle"))
        #expect(result.errors.contains("broken.sql:8:8: error: this ( is never closed"))
        #expect(result.errors.split(separator: "\n").filter { $0.hasSuffix("^") }.count == 2)
        let error = try errorObject(try Usher.run(["app", "show", file, "--json"]))
        #expect(error["code"] as? String == "failed")
        #expect((error["details"] as? [String])?.contains { $0.contains("broken.sql:8:8") } == true)
        let variable = try Usher.run(["app", "show"], environment: ["USHER_APP": file])
        #expect(variable.errors == result.errors)
    }

    @Test func appOptionForAnotherDatabaseNamesTheMissingColumns() throws {
        let empty = try TestCluster.emptyDatabase().conninfo()
        let forced = try Usher.run(["--app", "impulse", "user", "list"], on: empty)
        #expect(forced.status == 1)
        #expect(forced.errors.contains("public.profiles.subscription_tier"))
        let doctor = try Usher.run(["doctor"], on: empty)
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("no app file fits this database"))
        let other = try Usher.run(["--app", "impulse", "doctor"], on: empty)
        #expect(other.status == 1)
        #expect(
            other.output.contains("this database doesn't match the app impulse: the database lacks public."),
            "\(other.output)")
    }

    @Test func doctorListsTheMissingTablesAndColumnsOfTheClosestApp() throws {
        let near = try TestCluster.emptyDatabase()
        try near.run("create table public.profiles (subscription_tier text)")
        try near.run("create table public.subscription_config (impulse_limit integer)")
        let doctor = try Usher.run(["doctor"], on: near.conninfo())
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("no app file fits this database: this database lacks "), "\(doctor.output)")
    }

    /// Swift would replace invalid bytes, and the changed word could name another user.
    @Test func usherRefusesArgumentsThatAreNotUTF8() throws {
        let database = try SampleDatabase.conninfo
        let word = try Usher.shell(#"usher user show $'ada\xff'"#, on: database)
        #expect(word.status == 2)
        #expect(word.errors == "usher: argument 5 of the command line is not UTF-8 text\n")
        let json = try Usher.shell(#"usher --json user find $'\xc0\x80'"#, on: database)
        #expect(json.status == 2)
        #expect(try errorObject(json)["code"] as? String == "usage")
        let line = try Usher.shell(#"printf 'version\nuser find a\xff\n' | usher"#, on: database)
        #expect(line.status == 2)
        #expect(line.errors.hasPrefix("usher: the line is not UTF-8 text, or it is too long\nline 2: user find a"))
        let list = try Usher.shell(#"printf 'ada\xff\n' | usher quota reset -n --from -"#, on: database)
        #expect(list.status == 2)
        #expect(list.errors.hasPrefix("usher: standard input is not UTF-8 text\n"))
    }

    /// A device has no end, so usher can't read a script from it.
    @Test func usherRefusesADeviceAsAScript() throws {
        let database = try SampleDatabase.conninfo
        let file = try Usher.run(["run", "/dev/zero"], on: database)
        #expect(file.status == 2)
        #expect(file.errors.hasPrefix("usher: the line is not UTF-8 text, or it is too long\n"))
        #expect(try Usher.shell("usher run - </dev/zero", on: database).status == 2)
    }

    /// A device has no end, so usher can't read a list from it.
    @Test(arguments: [["user", "why"], ["quota", "reset", "-n"]]) func usherRefusesADeviceAsAListOfUsers(
        words: [String]
    ) throws {
        let run = try Usher.run(words + ["--from", "/dev/zero"], on: try MarkedDatabase.conninfo)
        #expect(run.status == 2 && run.output.isEmpty, "\(run.status) \(run.errors)")
    }

    @Test func appCheckReportsADeviceAsAnAppFileOnce() throws {
        let database = try MarkedDatabase.conninfo
        let check = try Usher.run(["app", "check", "/dev/zero", "-o", "csv"], on: database)
        #expect(check.status != 0 && check.output.split(whereSeparator: \.isNewline).count == 2, "\(check.output)")
        let survey = try Usher.run(["account", "survey", "--app", "/dev/zero"], on: database)
        #expect(survey.status != 0 && survey.output.isEmpty && survey.errors.utf8.count < 1000, "\(survey.errors)")
    }

    @Test func scriptsAndListsCanBeginWithAByteOrderMark() throws {
        let database = try MarkedDatabase.conninfo
        let script = try Usher.run(["-o", "name"], on: database, input: "\u{FEFF}user find ada@example.com\n")
        #expect(script.status == 0, "\(script.errors)")
        let list = try Usher.run(
            ["quota", "reset", "-n", "--json", "--from", "-"], on: database, input: "\u{FEFF}grace@example.com\r\n")
        #expect(list.status == 0, "\(list.errors)")
        #expect(try object(list.output)["users"] as? Int == 1)
    }
}
