import Foundation
import PQ
import Support
import Testing

/// usher reads commands from a pipe, one on each line.
@Suite struct ScriptTests {
    private func script(_ text: String, _ options: [String] = []) throws -> Subprocess.Result {
        try Usher.run(options, on: try SampleDatabase.conninfo, input: text)
    }

    @Test func scriptIgnoresCommentsAndEmptyLines() throws {
        let result = try script("# a comment\n\n   \n version   # another\n\nuser find 'ada lovelace' -o name\n")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("usher "))
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(try script("# nothing but a comment").status == 0)
        #expect(try script("version").output == (try script("version\r\n").output))
    }

    @Test func scriptStopsAtTheFirstFailureAndNamesItsLine() throws {
        let result = try script("version\n# fine\nuser show nobody\nversion\n")
        #expect(result.status == 4)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.errors.contains("there is no user nobody"))
        #expect(result.errors.hasSuffix("line 3: user show nobody\n"))
        #expect(try script("frob\n").status == 2)
        #expect(try script("version 'open\n").status == 2)
        #expect(try script("version 'open\n").errors.hasSuffix("line 1: version 'open\n"))
        #expect(try script("user show twin@example.com\n").status == 6)
    }

    @Test func keepGoingOptionRunsTheRemainingLinesAndReturnsTheFirstFailure() throws {
        let result = try script("user show nobody\nversion\nfrob\nversion", ["--keep-going"])
        #expect(result.status == 4)
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(result.errors.contains("line 1: ") && result.errors.contains("line 3: "))
        #expect(try script("version", ["--keep-going"]).status == 0)
    }

    @Test func scriptPrintsEachJSONErrorOnOneLine() throws {
        let text =
            "version\nuser show nobody\nfrob\nversion 'open\nuser list --limit 1 --show-sql\nquota show --fields x"
        for (options, body) in [(["--json", "--keep-going"], text), (["--keep-going"], "frob --json\nfrob -o ndjson")] {
            let result = try script(body, options)
            let lines = try result.errors.split(separator: "\n").map { try object($0) }
            #expect(!lines.isEmpty)
            #expect(lines.filter { $0["error"] != nil }.count == lines.filter { $0["line"] is Int }.count)
            for line in result.output.split(separator: "\n") {
                _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
            }
        }
        #expect(try script(text, ["--json"]).errors.contains(#"{"line":2,"command":"user show nobody"}"#))
    }

    @Test func programOptionsApplyToEveryLineOfAScript() throws {
        let result = try script("version\nversion -o table\nversion", ["--json"])
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == lines[2])
        #expect(!lines[1].contains("{"))
    }

    @Test func quitCommandEndsAScript() throws {
        for word in ["quit", "exit", "Quit", "EXIT", #"\q"#] {
            #expect(try script("\(word)\nfrob\n").status == 0)
        }
    }

    @Test func scriptFromStandardInputCannotReadFactsFromIt() throws {
        let result = try script("user why ada@example.com --facts -\n{\"tier\": \"mastery\"}\n")
        #expect(result.status == 2)
        #expect(result.errors.contains("standard input"))
        let facts = try Usher.run(
            ["user", "why", "ada@example.com", "--facts", "-", "--fields", "at"], on: try SampleDatabase.conninfo,
            input: #"{"tier": "gold"}"#)
        #expect(facts.status == 2)
        #expect(facts.errors.contains("tier can't be gold"))
    }

    @Test func failedLineOfAScriptDoesNotLeaveATransactionOpen() throws {
        let database = try TestCluster.database(of: "impulse")
        let process = try RunningUsher(["-d", database.conninfo(), "--keep-going"])
        process.say("user show nobody\n")
        try process.awaitErrors("line 1")
        let states = try database.connect().execute(

            """
            select state from pg_stat_activity
             where datname = current_database() and application_name = 'usher' and pid <> pg_backend_pid()
            """)
        #expect(states.rows.map { $0.values[0].text } == ["idle"])
        process.say("version\n")
        #expect(process.end() == 4)
    }
}
