import CommandLine
import Testing

/// The parser finds the command and the values of a valid command line.
@Suite struct ParseTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        var line: String
        var command: String
        var arguments: [String: [String]]
        var options: [String: [String]]

        var testDescription: String { line }

        init(
            _ line: String, _ command: String, _ arguments: [String: [String]] = [:],
            _ options: [String: [String]] = [:]
        ) {
            self.line = line
            self.command = command
            self.arguments = arguments
            self.options = options
        }
    }

    @Test(arguments: [
        Reading("doctor", "doctor"),
        Reading("user list", "user list"),
        Reading("user show ann@example.com", "user show", ["USER": ["ann@example.com"]]),
        // Options can be in every position and spelling.
        Reading("-n user show a", "user show", ["USER": ["a"]], ["dry-run": ["true"]]),
        Reading("user -n show a", "user show", ["USER": ["a"]], ["dry-run": ["true"]]),
        Reading("user show -n a", "user show", ["USER": ["a"]], ["dry-run": ["true"]]),
        Reading("user show a -n", "user show", ["USER": ["a"]], ["dry-run": ["true"]]),
        Reading("--limit 5 user --db x find a", "user find", ["TEXT": ["a"]], ["limit": ["5"], "db": ["x"]]),
        Reading("doctor --output json", "doctor", [:], ["output": ["json"]]),
        Reading("doctor --output=json", "doctor", [:], ["output": ["json"]]),
        Reading("doctor -o json", "doctor", [:], ["output": ["json"]]),
        Reading("doctor -ojson", "doctor", [:], ["output": ["json"]]),
        Reading("doctor -o=json", "doctor", [:], ["output": ["json"]]),
        Reading("doctor --json", "doctor", [:], ["output": ["json"]]),
        Reading("doctor -qv", "doctor", [:], ["quiet": ["true"], "verbose": ["true"]]),
        Reading("doctor -qnojson", "doctor", [:], ["quiet": ["true"], "dry-run": ["true"], "output": ["json"]]),
        Reading("doctor -no json", "doctor", [:], ["dry-run": ["true"], "output": ["json"]]),
        Reading("doctor -v -v -v", "doctor", [:], ["verbose": ["true", "true", "true"]]),
        Reading("doctor -vvv", "doctor", [:], ["verbose": ["true", "true", "true"]]),
        // Values can look like options.
        Reading("user show -", "user show", ["USER": ["-"]]),
        Reading("user show -5", "user show", ["USER": ["-5"]]),
        Reading("user find -.5", "user find", ["TEXT": ["-.5"]]),
        Reading("user find '- x'", "user find", ["TEXT": ["- x"]]),
        Reading("user find '-- x'", "user find", ["TEXT": ["-- x"]]),
        Reading("user find -- --limit", "user find", ["TEXT": ["--limit"]]),
        Reading("-- user show -h", "user show", ["USER": ["-h"]]),
        Reading("user find -- --", "user find", ["TEXT": ["--"]]),
        Reading("user find ''", "user find", ["TEXT": [""]]),
        Reading("doctor --reason -", "doctor", [:], ["reason": ["-"]]),
        Reading("doctor --reason=", "doctor", [:], ["reason": [""]]),
        Reading("doctor --reason=--yes", "doctor", [:], ["reason": ["--yes"]]),
        Reading("doctor --reason '-- said so'", "doctor", [:], ["reason": ["-- said so"]]),
        Reading("doctor --reason=a=b", "doctor", [:], ["reason": ["a=b"]]),
        Reading("doctor --timeout 1.5e1", "doctor", [:], ["timeout": ["1.5e1"]]),
        Reading("doctor -dhost=db", "doctor", [:], ["db": ["host=db"]]),
        Reading("user why u --assume a=1 --assume b=", "user why", ["USER": ["u"]], ["assume": ["a=1", "b="]]),
        Reading("user find a --limit 1000", "user find", ["TEXT": ["a"]], ["limit": ["1000"]]),
        // Each required argument takes one word, and the repeatable one takes the rest.
        Reading("event replay", "event replay"),
        Reading("event replay 1 -2 3", "event replay", ["ID": ["1", "-2", "3"]]),
        Reading("app show", "app show"),
        Reading("app show impulse", "app show", ["APP": ["impulse"]]),
        Reading(
            "account note a b c w --source mail", "account note", ["USER": ["a", "b", "c"], "WORDS": ["w"]],
            ["source": ["mail"]]),
        Reading(
            "account note a w --source phone --weight 1.5 --offset -3", "account note",
            ["USER": ["a"], "WORDS": ["w"]], ["source": ["phone"], "weight": ["1.5"], "offset": ["-3"]]),
        // An option can replace an argument.
        Reading("account delete --from f", "account delete", [:], ["from": ["f"]]),
        Reading("account delete --due", "account delete", [:], ["due": ["true"]]),
        Reading("account delete --resume 7", "account delete", [:], ["resume": ["7"]]),
        Reading("account delete a b --resume 7", "account delete", ["USER": ["a", "b"]], ["resume": ["7"]]),
        // The parser also accepts hidden commands.
        Reading("__complete -- user --li", "__complete", ["WORD": ["user", "--li"]]),
    ])
    func parserReadsTheCommandArgumentsAndOptionsOfALine(_ reading: Reading) throws {
        guard case .run(let invocation) = try Fixture.grammar.parse(try splitWords(reading.line)) else {
            Issue.record("no command")
            return
        }
        #expect(invocation.command.name == reading.command)
        #expect(invocation.arguments == reading.arguments)
        #expect(invocation.options == reading.options)
    }

    @Test(arguments: [
        ("-h", HelpRequest.program), ("--help", .program), ("-qh", .program), ("-h user", .noun("user")),
        ("user -h", .noun("user")), ("user shwo --help", .noun("user")), ("user show -h", .command(["user", "show"])),
        ("-h user show", .command(["user", "show"])), ("user show a b c --help", .command(["user", "show"])),
        ("user show --bogus -h", .command(["user", "show"])), ("doctor --reason --help", .command(["doctor"])),
        ("help -h", .command(["help"])), ("--version -h", .program), ("-h exit-codes", .topic("exit-codes")),
        ("-h all", .all), ("exit-codes x -h", .topic("exit-codes")),
        ("user -h db.host", .noun("user")),
    ])
    func helpOptionShowsThePageOfTheMostSpecificWord(line: String, expected: HelpRequest) throws {
        guard case .help(let request) = try Fixture.grammar.parse(try splitWords(line)) else {
            Issue.record("no help")
            return
        }
        #expect(request == expected)
    }

    @Test(arguments: ["--\u{301}yes", "-\u{301}y", "-y\u{301}", "-\u{2d}\u{200b}yes", "\u{2013}yes", "--YES"])
    func wordThatOnlyResemblesAnOptionIsNotReadAsOne(word: String) {
        guard case .run(let invocation)? = try? Fixture.grammar.parse(["user", "find", "a", word]) else { return }
        Issue.record("\(invocation.options)")
    }

    @Test(arguments: ["--version", "user --version", "frobnicate --version --bogus"])
    func versionOptionWorksInEveryCommandLine(line: String) throws {
        guard case .version = try Fixture.grammar.parse(try splitWords(line)) else {
            Issue.record("no version")
            return
        }
    }

    @Test(arguments: ["", "--", "-d x", "-q --db service=prod", "# only a comment"])
    func parserAcceptsACommandLineWithoutACommand(line: String) throws {
        guard case .nothing = try Fixture.grammar.parse(try splitWords(line)) else {
            Issue.record("the line has a command")
            return
        }
    }

    @Test(arguments: [
        ("", HelpRequest.program), ("user", .noun("user")), ("user show", .command(["user", "show"])),
        ("doctor", .command(["doctor"])), ("exit-codes", .topic("exit-codes")),
    ])
    func helpCommandFindsThePageOfItsWords(words: String, expected: HelpRequest) throws {
        #expect(try Fixture.grammar.helpRequest(for: try splitWords(words)) == expected)
    }

    @Test(arguments: [
        ("exit-code", "unknown command `exit-code`", "did you mean `exit-codes`?"),
        ("user shwo", "`user` has no verb `shwo`", "did you mean `user show`?"),
        ("user show x", "there is no help about `user show x`", "try `usher help user show`"),
        ("xyzzy", "unknown command `xyzzy`", "`usher help all` lists all commands"),
    ])
    func helpCommandWithAnUnknownWordHasASuggestion(words: String, message: String, hint: String) throws {
        let words = try splitWords(words)
        let error = #expect(throws: UsageError.self) { try Fixture.grammar.helpRequest(for: words) }
        #expect(error?.message == message)
        #expect(error?.hint == hint)
    }
}
