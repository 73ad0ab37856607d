import Support
import Testing

/// The help on a command of an app file has runnable examples.
@Suite struct VerbHelpTests {
    /// The action needs --days or --until, although the grammar requires neither of them.
    @Test func helpExampleOfAnActionIncludesItsNeededOptionsAndRuns() throws {
        let help = try Usher.run(["--app", "impulse", "trial", "extend", "--help"]).output
        let line = try #require(help.split(separator: "\n").first { $0.hasSuffix("--dry-run") })
        let words = line.split(separator: " ").dropFirst().map(String.init)
        #expect(words.starts(with: ["trial", "extend", "ada@example.com", "--days"]))
        let result = try Usher.run(words, on: try MarkedDatabase.conninfo)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func helpFindsAnAppCommandUnderABuiltInNoun() throws {
        for words in [["--app", "impulse"], ["-d", try MarkedDatabase.conninfo]] {
            let help = try Usher.run(words + ["user", "repair", "--help"])
            #expect(help.status == 0 && help.output.hasPrefix("usher user repair: "), "\(help)")
        }
        // Help on a built-in noun works without a server; help on a verb of the app needs one.
        let noun = try Usher.run(["-d", "host=/nowhere", "user", "--help"])
        #expect(noun.status == 0 && noun.output.hasPrefix("usher user: "), "\(noun)")
        for words in [["user", "repair", "--help"], ["help", "user", "repair"]] {
            let help = try Usher.run(["-d", "host=/nowhere"] + words)
            #expect(help.status == 5 && help.output.isEmpty, "\(help)")
            #expect(help.errors.contains("/nowhere") && help.errors.contains("add --app NAME"), "\(help.errors)")
        }
    }
}
