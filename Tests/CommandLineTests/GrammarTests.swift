import AppFile
@testable import CommandLine
import Support
import Synchronization
import Testing

/// An app file adds commands to the grammar, and the parser finds global options before the app is known.
@Suite struct GrammarTests {
    @Test(
        arguments: [
            ("", [:]),
            ("--app impulse partner grant x --source beta", ["app": ["impulse"]]),
            ("partner grant x --bogus=1 -xd y --app=a.sql -o", ["app": ["a.sql"]]),
            ("-qd service=prod frobnicate", ["quiet": ["true"], "db": ["service=prod"]]),
            ("doctor --json -o csv", ["output": ["json", "csv"]]),
            ("user find --limit 5 --limit --app x -- --db y", ["app": ["x"]]),
            ("user why u --assume --app", [:]),
            ("-h -v --verbose", ["help": ["true"], "verbose": ["true", "true"]]),
            ("--limit x --timeout never", ["timeout": ["never"]]),
        ] as [(String, [String: [String]])])
    func parserFindsGlobalOptionsAmongUnknownWords(line: String, expected: [String: [String]]) throws {
        #expect(Fixture.grammar.parseLine(try splitWords(line)).globals == expected)
    }

    @Test func appFileAddsNounsAndVerbsAndKeepsTheBuiltInOnes() throws {
        let repair = Command(
            "user repair", summary: "Repair a user",
            arguments: [Argument("USER", .user, summary: "Who")])
        let grant = Command("partner grant", summary: "Grant the partner tier")
        let more = Fixture.grammar.adding(
            nouns: [Noun(name: "user", summary: "Other"), Noun(name: "partner", summary: "Partners")],
            commands: [repair, grant])
        #expect(more.problems().isEmpty)
        #expect(more.noun(named: "user")?.summary == "The people who use the app")
        #expect(more.verbs(of: "user").map(\.name).last == "user repair")
        guard case .run(let invocation) = try more.parse(["partner", "grant", "-n"]) else {
            Issue.record("no command")
            return
        }
        #expect(invocation.command.path == ["partner", "grant"])
        #expect(more.adding(nouns: [], commands: [grant]).problems() == ["command `partner grant` is declared twice"])
    }

    @Test func grammarComputesTheExamplesOfACommandOnDemand() throws {
        final class Maker: Sendable {
            let made = Mutex(0)

            func examples() -> [Example] {
                made.withLock { $0 += 1 }
                return [Example("partner grant", explains: "Grant it.")]
            }
        }
        let maker = Maker()
        let grant = Command("partner grant", summary: "Grant the partner tier", examples: maker.examples())
        let more = Fixture.grammar.adding(nouns: [Noun(name: "partner", summary: "Partners")], commands: [grant])
        _ = try more.parse(["partner", "grant"])
        _ = more.completion(of: ["partner", "g"], hasUser: false)
        #expect(maker.made.withLock { $0 } == 0)
        #expect(more.command(at: ["partner", "grant"])?.examples.count == 1)
    }

    @Test func parsedCommandReturnsTheValuesOfItsArgumentsAndOptions() {
        let invocation = Invocation(
            command: Command("x", summary: "X"), arguments: ["USER": ["a", "b"], "COUNT": ["7"]],
            options: ["limit": ["5"], "days": ["1.5"], "assume": ["a=1", "b=c=d", "e="], "verbose": ["true", "true"]])
        #expect(invocation.argument("USER") == "a")
        #expect(invocation.arguments("USER") == ["a", "b"])
        #expect(invocation.argument("OTHER") == nil)
        #expect(invocation.arguments("OTHER").isEmpty)
        #expect(invocation.option("limit") == "5")
        #expect(invocation.options("assume") == ["a=1", "b=c=d", "e="])
        #expect(invocation.options("other").isEmpty)
        #expect(invocation.flag("verbose"))
        #expect(!invocation.flag("other"))
        #expect(invocation.integer("limit") == 5)
        #expect(invocation.integer("COUNT") == 7)
        #expect(invocation.integer("days") == nil)
        #expect(invocation.assignments("assume").map(\.name) == ["a", "b", "e"])
        #expect(invocation.assignments("assume").map(\.value) == ["1", "c=d", ""])
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("show", "shwo", 1), ("show", "sow", 1), ("show", "shown", 1), ("user", "quota", 4),
        ("ca", "abc", 3), ("list", "lits", 1),
    ])
    func editDistanceCountsTypos(first: String, second: String, expected: Int) {
        #expect(editDistance(first, second) == expected)
        #expect(editDistance(second, first) == expected)
    }
}
