import CommandLine
import Testing

/// Completion offers candidates for the end of a line.
@Suite struct CompletionTests {
    /// A line, and every candidate for its end.
    struct Offer: Sendable, CustomTestStringConvertible {
        var line: String
        var candidates: [String]
        var kinds: [ValueKind]

        var testDescription: String { line }

        init(_ line: String, _ candidates: [String], _ kinds: ValueKind...) {
            self.line = line
            self.candidates = candidates
            self.kinds = kinds
        }
    }

    static let first = ["account", "app", "completion", "doctor", "event", "help", "user"]
    static let formats = ["csv", "json", "name", "ndjson", "table", "tsv"]
    static let global = [
        "--app", "--db", "--dry-run", "--help", "--json", "--output", "--quiet", "--reason", "--timeout", "--verbose",
        "--version", "--yes",
    ]

    static let offers = [
        Offer("", first), Offer("a", ["account", "app"]), Offer("x", []), Offer("-- us", ["user"]),
        Offer("user ", ["find", "list", "show", "why"]), Offer("user sh", ["show"]),
        Offer("-n user -qv sh", ["show"]), Offer("--db user user f", ["find"]), Offer("--db=user user f", ["find"]),
        Offer("-no json user f", ["find"]), Offer("-ojson user f", ["find"]), Offer("-d user app s", ["show"]),
        Offer("--", global), Offer("-", global), Offer("--ver", ["--verbose", "--version"]),
        Offer("user list --", (global + ["--decision", "--limit", "--where"]).sorted()),
        // An option is offered once, unless it may be repeated.
        Offer("-n user list --limit 3 --de", ["--decision"]),
        Offer("-n user list --decision a=b --limit 3 --d", ["--db", "--decision"]),
        Offer("user find a@b:c --li", ["--limit"]), Offer("user find -- --li", []),
        Offer("-o ", formats), Offer("--output ", formats), Offer("user show --output j", ["json"]),
        Offer("--output=j", ["--output=json"]), Offer("user show --output=nd", ["--output=ndjson"]),
        Offer("account delete --collateral ", ["delete", "keep"]), Offer("user find --limit ", []),
        Offer("completion ", ["bash", "fish", "zsh"]), Offer("completion bash ", []),
        Offer("help co", ["completion", "connection"]), Offer("help user ", []),
        Offer("user show ", [], .user), Offer("user show ada", [], .user), Offer("user show ada ", []),
        Offer("account delete ada ", [], .user), Offer("user why u --facts s", [], .file),
        Offer("user why --facts=s", [], .file), Offer("app show st", [], .app), Offer("doctor ", []),
        Offer("user list --decision ", [], .assignment), Offer("user list --where ", [], .named("selection")),
        Offer("event replay -5 --ye", ["--yes"]),
    ]

    @Test(arguments: offers)
    func completionOffersMatchingCandidates(offer: Offer) {
        let words = offer.line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let completion = Fixture.grammar.completion(of: words)
        #expect(completion.candidates.map(\.name).sorted() == offer.candidates)
        #expect(completion.kinds == offer.kinds)
    }

    @Test func completionShowsTheSummaryOfEachChoice() {
        let found = Fixture.grammar.completion(of: ["account", "delete", "--collateral="]).candidates
        #expect(found.map(\.summary) == ["remove them: all", "leave what's shared"])
        #expect(Fixture.grammar.completion(of: ["user", "sh"]).candidates.map(\.summary) == ["Show a user"])
    }

    @Test func completionOffersTheNextArgumentIfAUserIsChosen() {
        var grammar = Fixture.grammar
        grammar.commands.append(
            Command(
                "user force", summary: "X",
                arguments: [
                    Fixture.user, Argument("STATE", .choice(["paywall", "trial"]), summary: "X"),
                ]))
        let alone = grammar.completion(of: ["user", "force", ""])
        #expect(alone.kinds == [.user] && alone.candidates.isEmpty)
        let chosen = grammar.completion(of: ["user", "force", ""], hasUser: true)
        #expect(chosen.kinds == [.user] && chosen.candidates.map(\.name) == ["paywall", "trial"])
    }

    @Test func completionDoesNotCrashOnAnyText() {
        for words in [
            [], ["-"], ["--="], ["--output", "--", "x"], ["\u{301}", "-o\u{301}"], ["user", "show", "--="],
        ] {
            _ = Fixture.grammar.completion(of: words)
        }
    }
}
