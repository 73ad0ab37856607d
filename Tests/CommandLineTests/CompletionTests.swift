import CommandLine
import Foundation
import Support
import Testing

/// The scripts in the shells they are for.
///
/// Zsh and fish must be installed: without them these tests fail.
@Suite struct CompletionTests {
    /// A line, and every candidate for what comes at its end.
    struct Offer: Sendable, CustomTestStringConvertible {
        var line: String
        var candidates: [String]

        var testDescription: String { line }

        init(_ line: String, _ candidates: [String]) {
            self.line = line
            self.candidates = candidates
        }
    }

    static let first = ["account", "app", "completion", "doctor", "event", "help", "user"]
    static let formats = ["csv", "json", "name", "ndjson", "table", "tsv"]
    static let global = [
        "--app", "--db", "--dry-run", "--help", "--json", "--output", "--quiet", "--reason", "--timeout", "--verbose",
        "--version", "--yes",
    ]

    static let offers = [
        Offer("usher ", first), Offer("usher a", ["account", "app"]), Offer("usher x", []),
        Offer("usher -- us", ["user"]),
        Offer("usher user ", ["find", "list", "show", "why"]), Offer("usher user sh", ["show"]),
        Offer("usher -n user -qv sh", ["show"]), Offer("usher --db user user f", ["find"]),
        Offer("usher --db=user user f", ["find"]), Offer("usher -no json user f", ["find"]),
        Offer("usher -ojson user f", ["find"]), Offer("usher -d user app s", ["show"]),
        Offer("usher --", global), Offer("usher -", global), Offer("usher --ver", ["--verbose", "--version"]),
        Offer("usher user list --", (global + ["--decision", "--limit", "--where"]).sorted()),
        Offer("usher user find a@b:c --li", ["--limit"]), Offer("usher user find -- --li", []),
        Offer("usher -o ", formats), Offer("usher --output ", formats), Offer("usher user show --output j", ["json"]),
        Offer("usher account delete --collateral ", ["delete", "keep"]), Offer("usher user find --limit ", []),
        Offer("usher completion ", ["bash", "fish", "zsh"]), Offer("usher completion bash ", []),
        Offer("usher help co", ["completion", "connection"]), Offer("usher help user ", []),
        Offer("usher user show ", []),
        Offer("usher user why u --facts s", ["saturday notes", "state.json"]),
        Offer("usher app show st", ["state.json"]), Offer("usher doctor ", []),
        Offer("usher event replay -5 --ye", ["--yes"]),
        // Names from an app file are hostile until shown otherwise.
        Offer("usher user list --where ", ["ann@example.com", "ann@example.org"]),
        Offer("usher user list --where ann@example.o", ["ann@example.org"]),
    ]

    static let hostile = ["$(touch owned)", "it's", "a b", "c:d", "e\\f", "`id`"]

    /// The fixture with hostile choices, as a script in a folder with two files.
    private func folder(_ shell: Shell) throws -> Scratch {
        var grammar = Fixture.grammar
        let kind = ValueKind.choice(Self.hostile.map { Choice(name: $0, summary: "The 'one' \\ of: $(touch owned)") })
        grammar.commands.append(
            Command(
                path: ["app", "pick"], summary: "It's \"hostile\"; $(touch owned)",
                arguments: [Argument(name: "ONE", kind: kind, summary: "X")]))
        let scratch = try Scratch()
        // The one place for names from the app or the database, filled in as a later version will.
        var script = grammar.completionScript(for: shell)
        let name = shell == .fish ? "function __usher_dynamic --argument-names kind prefix\n" : "    :\n"
        let answer = "test \"$kind\" = selection; and printf 'ann@example.%s\\n' org com\n"
        let shellAnswer = "[[ $1 == selection ]] && printf 'ann@example.%s\\n' org com\n"
        script = script.replacingOccurrences(of: name, with: shell == .fish ? name + answer : shellAnswer)
        _ = try scratch.file("completion", script)
        _ = try scratch.file("saturday notes", "")
        _ = try scratch.file("state.json", "")
        return scratch
    }

    @Test(arguments: Shell.allCases)
    func `a shell accepts its script`(shell: Shell) throws {
        let scratch = try folder(shell)
        let result = try Subprocess.run(shell.rawValue, ["-n", "completion"], in: scratch.folder)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.isEmpty)
    }

    @Test func `bash offers what fits`() throws {
        let scratch = try folder(.bash)
        for hasLine in [true, false] {
            let result = try Subprocess.run(
                "bash", ["--norc", "-c", Drivers.bash, hasLine ? "line" : "words"] + Self.offers.map(\.line),
                in: scratch.folder)
            #expect(result.errors.isEmpty)
            let answers = result.output.components(separatedBy: "\u{1}\n").dropLast()
            try #require(answers.count == Self.offers.count)
            for (offer, answer) in zip(Self.offers, answers) where hasLine || !offer.line.contains(where: { $0 == "@" })
            {
                // Readline would replace only what stands from the @ on.
                let typed = offer.line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
                let kept = typed.contains("@") ? typed.prefix { $0 != "@" }.count : 0
                let expected = offer.candidates.map { String($0.dropFirst(kept)) }
                #expect(answer.split(separator: "\n").map(String.init).sorted() == expected.sorted(), "\(offer.line)")
            }
        }
    }

    @Test func `fish offers what fits`() throws {
        let scratch = try folder(.fish)
        let result = try Subprocess.run(
            "fish", ["--no-config", "-c", Drivers.fish, "--"] + Self.offers.map(\.line), in: scratch.folder)
        #expect(result.errors.isEmpty)
        let answers = result.output.components(separatedBy: "\u{1}\n").dropLast()
        try #require(answers.count == Self.offers.count)
        for (offer, answer) in zip(Self.offers, answers) {
            let names = answer.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
            #expect(names.map { $0.filter { $0 != "\\" } }.sorted() == offer.candidates, "\(offer.line)")
        }
    }

    /// Lines that have one completion, as a person at a terminal sees it.
    static let completed: [(line: String, whole: String)] = [
        ("usher user sh", "usher user show "), ("usher --outp", "usher --output "), ("usher -o js", "usher -o json "),
        ("usher --output=js", "usher --output=json "), ("usher user list --li", "usher user list --limit "),
        ("usher help conn", "usher help connection "), ("usher -nqo json user f", "usher -nqo json user find "),
        ("usher account delete --collateral k", "usher account delete --collateral keep "),
        ("usher user why --facts st", "usher user why --facts state.json "),
        ("usher user why --facts=st", "usher user why --facts=state.json "),
        ("usher user why --facts sa", "usher user why --facts saturday\\ notes "),
        ("usher user list --where ann@example.o", "usher user list --where ann@example.org "),
        ("usher app pick a", "usher app pick a\\ b "), ("usher app pick c", "usher app pick c:d "),
    ]

    @Test func `bash completes at a terminal`() throws {
        let scratch = try folder(.bash)
        let result = try Subprocess.run(
            "zsh", ["-f", "-c", Drivers.bashTerminal, "zsh"] + Self.completed.map(\.line), in: scratch.folder)
        #expect(result.errors.isEmpty)
        let expected = try Self.completed.map { try splitWords($0.whole).dropFirst().joined(separator: "|") }
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.appendingPathComponent("owned").path))
    }

    @Test func `zsh completes at a terminal`() throws {
        let scratch = try folder(.zsh)
        let result = try Subprocess.run(
            "zsh", ["-f", "-c", Drivers.zshTerminal, "zsh"] + Self.completed.map(\.line), in: scratch.folder)
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").map(String.init) == Self.completed.map { $0.whole + "|" })
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.appendingPathComponent("owned").path))
    }

    @Test func `zsh offers what fits`() throws {
        let scratch = try folder(.zsh)
        let result = try Subprocess.run(
            "zsh", ["-f", "-c", Drivers.zsh, "zsh"] + Self.offers.map(\.line), in: scratch.folder)
        #expect(result.errors.isEmpty)
        let answers = result.output.components(separatedBy: "\u{1}\n").dropLast()
        try #require(answers.count == Self.offers.count)
        for (offer, answer) in zip(Self.offers, answers) {
            #expect(answer.split(separator: "\n").map(String.init).sorted() == offer.candidates, "\(offer.line)")
        }
    }

    @Test(arguments: Shell.allCases)
    func `hostile names are offered and never run`(shell: Shell) throws {
        let scratch = try folder(shell)
        let drivers = [Shell.bash: ("bash", ["--norc", "-c", Drivers.bash, "line"])]
        let others = [
            Shell.zsh: ("zsh", ["-f", "-c", Drivers.zsh, "zsh"]),
            .fish: ("fish", ["--no-config", "-c", Drivers.fish, "--"]),
        ]
        let (program, words) = try #require(drivers[shell] ?? others[shell])
        let result = try Subprocess.run(program, words + ["usher app pick ", "usher app "], in: scratch.folder)
        #expect(result.errors.isEmpty)
        let answer = try #require(result.output.components(separatedBy: "\u{1}\n").first)
        let names = answer.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        let read = try shell == .bash ? names.flatMap { try splitWords($0) } : names
        #expect(read.sorted() == Self.hostile.sorted())
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.appendingPathComponent("owned").path))
    }

    @Test(arguments: Shell.allCases)
    func `a grammar without nouns or options still has a script`(shell: Shell) throws {
        let grammar = Grammar(
            program: "my-tool", summary: "X", globals: [], nouns: [], commands: [Command(path: ["go"], summary: "Go")])
        let scratch = try Scratch()
        _ = try scratch.file("completion", grammar.completionScript(for: shell))
        let result = try Subprocess.run(shell.rawValue, ["-n", "completion"], in: scratch.folder)
        #expect(result.status == 0, "\(result.errors)")
    }
}
