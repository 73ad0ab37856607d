import CommandLine
import Support
import Testing

/// The check of a grammar finds each mistake.
@Suite struct ProblemsTests {
    @Test func grammarCheckFindsNoProblemInTheTestGrammar() {
        #expect(Fixture.grammar.problems().isEmpty)
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var breakIt: @Sendable (inout Grammar) -> Void

        init(_ expected: String, _ breakIt: @escaping @Sendable (inout Grammar) -> Void) {
            testDescription = expected
            self.breakIt = breakIt
        }
    }

    @Test(arguments: structure + options + commands)
    func grammarCheckReportsEachFlawOfAGrammarOnce(_ flaw: Flaw) {
        var grammar = Fixture.grammar
        flaw.breakIt(&grammar)
        #expect(grammar.problems() == [flaw.testDescription])
    }

    private static func add(_ option: Option) -> @Sendable (inout Grammar) -> Void {
        { $0.commands[0].options.append(option) }
    }

    private static func add(_ command: Command) -> @Sendable (inout Grammar) -> Void {
        { $0.commands.append(command) }
    }

    static let structure = [
        Flaw("the program has no summary") { $0.summary = "" },
        Flaw("noun `user` is declared twice") { $0.nouns.append(Noun(name: "user", summary: "Again")) },
        Flaw("noun `app` has no summary") { $0.nouns[2].summary = "" },
        Flaw("noun `empty` has no verbs") { $0.nouns.append(Noun(name: "empty", summary: "Nothing")) },
        Flaw("`event` is both a noun and a command") { $0.commands.append(Command("event", summary: "X")) },
        Flaw("command `doctor` is declared twice") { $0.commands.append(Command("doctor", summary: "X")) },
        Flaw("topic `files` is declared twice") { $0.topics.append(Topic(name: "files", summary: "X", text: "X")) },
        Flaw("topic `void` says nothing") { $0.topics.append(Topic(name: "void", summary: "X", text: "")) },
        Flaw("there is no global flag `--version`") { $0.globals.removeLast() },
        Flaw("example `usher user shwo x`: `user` has no verb `shwo`") {
            $0.examples.append(Example("usher user shwo x", explains: "X"))
        },
        Flaw("example `user list | usher user shwo -`: `user` has no verb `shwo`") {
            $0.examples.append(Example("user list | usher user shwo -", explains: "X"))
        },
        Flaw("example `doctor > file` explains nothing") {
            $0.examples.append(Example("doctor > file", explains: ""))
        },
        Flaw("example `doctor 'now`: a quote is never closed") {
            $0.examples.append(Example("doctor 'now", explains: "X"))
        },
    ]

    static let options = [
        Flaw(
            "`--due` is a flag in one place and takes a value in another",
            add(Option("--due X", .text, summary: "X"))),
        Flaw("`-q` means both `--quiet` and `--queue`", add(Option("-q, --queue", summary: "X"))),
        Flaw("`-5` is no letter", add(Option("-5, --five", summary: "X"))),
        Flaw(
            "`--Loud` is no name of two or more small letters, digits and dashes",
            add(Option("--Loud", summary: "X"))),
        Flaw("`user find` has `--limit` twice, or as a global option too", add(Fixture.limit)),
        Flaw("`user find` has `--yes` twice, or as a global option too", add(Option("--yes", summary: "X"))),
        Flaw("global option `--extra` is declared twice") {
            $0.globals += [Option("--extra", summary: "X"), Option("--extra", summary: "X")]
            $0.commands = $0.commands.filter { _ in false }
            $0.nouns = []
            $0.examples = []
        },
        Flaw("`user find` `--mute` has no summary", add(Option("--mute", summary: ""))),
        Flaw(
            "`user find` `--pick` allows nothing",
            add(Option("--pick X", .choice([]), summary: "X"))),
        Flaw(
            "`user find` `--size` has the default `9`, which it does not allow",
            add(
                Option("--size N", .integer(1...5), standard: "9", summary: "X"))),
        Flaw(
            "`user find` `--xml` cannot stand for `--output xml`",
            add(Option("--xml", summary: "X", implies: ("output", "xml")))),
        Flaw(
            "`user find` `--from` supplies USER, which is no argument",
            add(Fixture.from("USER"))),
    ]

    static let commands = [
        Flaw("`app drop` has no summary", add(Command("app drop", summary: ""))),
        Flaw("`a b c` has a path of 3 words", add(Command("a b c", summary: "X"))),
        Flaw(
            "`ghost walk` belongs to a noun that is not declared", add(Command("ghost walk", summary: "X"))),
        Flaw(
            "`walk` has the argument USER twice",
            add(Command("walk", summary: "X", arguments: [Fixture.user, Fixture.user]))),
        Flaw(
            "`walk` has an argument WAY without a summary",
            add(
                Command("walk", summary: "X", arguments: [Argument("WAY", .text, summary: "")]))),
        Flaw(
            "`walk` allows nothing for WAY",
            add(
                Command(
                    "walk", summary: "X", arguments: [Argument("WAY", .choice([]), summary: "X")]))
        ),
        Flaw(
            "`walk` has more than one argument of open length",
            add(
                Command(
                    "walk", summary: "X",
                    arguments: [
                        Argument("[A...]", .text, summary: "X"),
                        Argument("B...", .text, summary: "X"),
                    ]))),
    ]
}
