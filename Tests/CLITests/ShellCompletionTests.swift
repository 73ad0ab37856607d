import CommandLine
import EmbeddedSQL
import Foundation
import PQ
import Support
import Testing

/// The completion scripts run in their shells and call usher.
///
/// Zsh and fish must be installed; without them these tests fail.
@Suite(.long) struct ShellCompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        var script: String {
            EmbeddedSQL.text(of: "completions/" + (self == .zsh ? "_usher" : "usher.\(rawValue)"))
        }
    }

    /// A line, and every candidate for its end.
    static let offers: [(line: String, candidates: [String])] = [
        ("usher ver", ["version"]), ("usher quota s", ["set", "show"]),
        ("usher user sh", ["show"]), ("usher -n user -qv sh", ["show"]), ("usher --db user user f", ["find"]),
        ("usher user list --li", ["--limit"]), ("usher user find a@b:c --li", ["--limit"]),
        ("usher -o ", ["csv", "github", "json", "name", "ndjson", "sarif", "table", "tsv"]),
        ("usher user show --output j", ["json"]),
        ("usher completion ", ["bash", "fish", "zsh"]), ("usher completion bash ", []), ("usher x", []),
        ("usher user why u --facts s", ["saturday notes", "state.json"]), ("usher app show sta", ["state.json"]),
        // Completion offers words of the app file.
        ("usher partn", ["partner"]), ("usher partner g", ["grant"]), ("usher partner grant a --sou", ["--source"]),
        ("usher partner grant a --source m", ["marketing"]), ("usher user list --where du", ["due"]),
        ("usher user list --decision access=payw", ["access=paywall"]), ("usher --app impu", ["impulse"]),
        // Completion finds users by the beginning of their email.
        ("usher user show ", []), ("usher user show li", ["linus@example.com"]),
        ("usher user show grace@e", ["grace@example.com"]),
    ]

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        _ = try scratch.file("saturday notes", "")
        _ = try scratch.file("state.json", "")
    }

    /// Runs a driver in the folder, with usher first on the path and libpq connected to the sample data.
    private func run(_ shell: Shell, _ words: [String], program: String? = nil) throws -> Subprocess.Result {
        _ = try scratch.file("completion", shell.script)
        let bin = scratch.folder.appendingPathComponent("bin")
        try? FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        let link = bin.appendingPathComponent("usher")
        if let program {
            try Data(program.utf8).write(to: link)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: link.path)
        } else {
            try? FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: URL(fileURLWithPath: Usher.path))
        }
        var environment: [String: String?] = [
            "PATH": bin.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""), "LC_ALL": "C.UTF-8",
            "PGPASSFILE": "/nowhere", "USHER_COMPLETION_SECONDS": "20", "XDG_CACHE_HOME": "/dev/null",
        ]
        let names = ["host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER"]
        for part in try SampleDatabase.conninfo.split(separator: " ") {
            let setting = part.split(separator: "=").map(String.init)
            if let name = names[setting[0]] { environment[name] = setting[1] }
        }
        return try Subprocess.run(words[0], Array(words.dropFirst()), in: scratch.folder, environment: environment)
    }

    private static func driver(_ shell: Shell, hasLine: Bool = true) -> [String] {
        switch shell {
        case .bash: ["bash", "--norc", "-c", ShellDrivers.bash, hasLine ? "line" : "words"]
        case .zsh: ["zsh", "-f", "-c", ShellDrivers.zsh, "zsh"]
        case .fish: ["fish", "--no-config", "-c", ShellDrivers.fish, "--"]
        }
    }

    @Test(arguments: Shell.allCases)
    func shellsAcceptTheirCompletionScripts(shell: Shell) throws {
        let result = try run(shell, [shell.rawValue, "-n", "completion"])
        #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty, "\(result.errors)")
    }

    @Test(arguments: Shell.allCases, [true, false])
    func shellsOfferTheCandidatesOfUsher(shell: Shell, hasLine: Bool) throws {
        let result = try run(shell, Self.driver(shell, hasLine: hasLine) + Self.offers.map(\.line))
        #expect(result.errors.isEmpty)
        let answers = result.output.components(separatedBy: "\u{1}\n").dropLast()
        try #require(answers.count == Self.offers.count, "\(result.output)")
        for (offer, answer) in zip(Self.offers, answers) {
            // Without the whole line bash can't tell whether a space separates two words.
            if shell == .bash, !hasLine, offer.line.contains(where: { "@=".contains($0) }) { continue }
            // Readline replaces only the text after its last break character; `@` is not one of them here.
            let typed = offer.line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
            var kept = 0
            if shell == .bash {
                kept = typed.contains("@") ? typed.prefix { $0 != "@" }.count : 0
                if let equals = typed.firstIndex(of: "=") { kept = typed[...equals].count }
            }
            let names = answer.split(separator: "\n").map { line -> String in
                String(line.prefix { $0 != "\t" }).filter { shell != .fish || $0 != "\\" }
            }
            let expected: [String] = offer.candidates.map { (name: String) in String(name.dropFirst(kept)) }
            #expect(names.sorted() == expected, "\(offer.line)")
        }
    }

    /// Lines that have exactly one completion, as an operator at a terminal sees them.
    static let completed: [(line: String, whole: String)] = [
        ("usher user sh", "usher user show "), ("usher --outp", "usher --output "), ("usher -o js", "usher -o json "),
        ("usher --output=js", "usher --output=json "), ("usher user list --li", "usher user list --limit "),
        ("usher help connecti", "usher help connection "), ("usher -nqo json user f", "usher -nqo json user find "),
        ("usher user why --facts st", "usher user why --facts state.json "),
        ("usher user why --facts=st", "usher user why --facts=state.json "),
        ("usher user why --facts sa", "usher user why --facts saturday\\ notes "),
        ("usher user show grace@e", "usher user show grace@example.com "),
        ("usher user list --decision create-i", "usher user list --decision create-impulse="),
        ("usher partner rev", "usher partner revoke "),
    ]

    @Test func bashCompletesAtATerminal() throws {
        let result = try run(
            .bash, ["zsh", "-f", "-c", ShellDrivers.bashTerminal, "zsh"] + Self.completed.map(\.line))
        #expect(result.errors.isEmpty)
        let expected = try Self.completed.map { try splitWords($0.whole).dropFirst().joined(separator: "|") }
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }

    @Test func zshCompletesAtATerminal() throws {
        let result = try run(.zsh, ["zsh", "-f", "-c", ShellDrivers.zshTerminal, "zsh"] + Self.completed.map(\.line))
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").map(String.init) == Self.completed.map { $0.whole + "|" })
    }

    /// Lines with an open quote; each shell closes the quote in its own way.
    static let quoted: [(line: String, words: [String])] = [
        ("usher user show 'grace@e", ["user", "show", "grace@example.com"]),
        (#"usher user show "grace@e"#, ["user", "show", "grace@example.com"]),
        ("usher user why --facts 'sa", ["user", "why", "--facts", "saturday notes"]),
        (#"usher --app="impu"#, ["--app=impulse"]), ("usher --app=impu", ["--app=impulse"]),
    ]

    @Test func completionMatchesAWordWithAnOpenQuote() throws {
        let lines = Self.quoted.map(\.line)
        let bash = try run(.bash, ["zsh", "-f", "-c", ShellDrivers.bashTerminal, "zsh"] + lines)
        #expect(bash.output.split(separator: "\n") == Self.quoted.map { $0.words.joined(separator: "|")[...] })
        let fish = try run(.fish, Self.driver(.fish) + lines)
        let answers = fish.output.components(separatedBy: "\u{1}\n").dropLast().map { $0.split(separator: "\n") }
        #expect(answers == Self.quoted.map { [($0.words.last ?? "")[...]] })
    }

    @Test func bashCompletesANameThatContainsAQuote() throws {
        let program = "#!/bin/sh\necho \"hzz'quo\\$e@x.org\"\n"
        let lines = [
            #"usher app pick "hzz'q"#, #"usher app pick hzz\'q"#, "usher app pick 'hzz", "usher app pick hz",
        ]
        let result = try run(
            .bash, ["zsh", "-f", "-c", ShellDrivers.bashTerminal, "zsh"] + lines, program: program)
        #expect(result.output.split(separator: "\n").map(String.init) == lines.map { _ in "app|pick|hzz'quo$e@x.org" })
    }

    /// Each shell finds the scripts in the folders of a package without further configuration.
    @Test(arguments: Shell.allCases)
    func shellFindsTheInstalledCompletionScript(shell: Shell) throws {
        let script = shell.script
        let folder = scratch.folder.appendingPathComponent("site")
        let place = shell == .fish ? "fish/vendor_completions.d/usher.fish" : shell == .zsh ? "_usher" : "usher"
        let file = folder.appendingPathComponent(place)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(script.utf8).write(to: file)
        switch shell {
        case .bash:
            // The package bash-completion loads scripts like this.
            let load = "_load() { source site/$1 && return 124; }; complete -D -F _load; _load usher; complete -p usher"
            let result = try run(.bash, ["bash", "--norc", "-c", load])
            #expect(result.output.contains("-F _usher"))
        case .zsh:
            let line = "usher user sh"
            let result = try run(
                .zsh, ["env", "SITE=\(folder.path)", "zsh", "-f", "-c", ShellDrivers.zshTerminal, "zsh", line])
            #expect(result.output == "usher user show |\n", "\(result.errors)")
        case .fish:
            let result = try run(
                .fish,
                [
                    "env", "XDG_DATA_DIRS=\(folder.path)", "XDG_CONFIG_HOME=\(folder.path)", "fish", "-c",
                    "complete -C 'usher user sh'",
                ])
            #expect(result.output.hasPrefix("show\t"), "\(result.errors)")
        }
    }

    @Test(arguments: Shell.allCases)
    func shellCompletionDoesNotRunCommandsInCandidateNames(shell: Shell) throws {
        let hostile = ["$(touch owned)", "it's", "a b", "c:d", "e\\f", "`id`"]
        let lines = hostile.map { "\($0)\tThe 'one' \\ of: $(touch owned)" }.joined(separator: "\n")
        let program = "#!/bin/sh\ncat <<'END'\n\(lines)\nEND\n"
        let result = try run(shell, Self.driver(shell) + ["usher app pick "], program: program)
        #expect(result.errors.isEmpty)
        let answer = try #require(result.output.components(separatedBy: "\u{1}\n").first)
        let names = answer.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        let read = try shell == .bash ? names.flatMap { try splitWords($0) } : names
        #expect(read.sorted() == hostile.sorted())
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.appendingPathComponent("owned").path))
    }
}

/// The completion scripts call `usher __complete`.
@Suite struct CompleteCommandTests {
    private func complete(_ words: String..., on database: String) throws -> Subprocess.Result {
        try Usher.run(["__complete", "--"] + words, on: database, environment: ["USHER_COMPLETION_SECONDS": "20"])
    }

    @Test func completionPrintsOneCandidatePerLine() throws {
        let database = try SampleDatabase.conninfo
        #expect(try complete("user", "sh", on: database).output.hasPrefix("show\tShow a user"))
        #expect(try complete("user", "why", "x", "--facts", "", on: database).output == ":files\n")
        #expect(try complete("user", "list", "--decision", "acc", on: database).output.hasSuffix("\n:nospace\n"))
        #expect(try complete("user", "show", "grace@", on: database).output == "grace@example.com\n")
        // The completion keeps the capitals that the operator typed.
        #expect(try complete("user", "show", "GRACE@", on: database).output == "GRACE@example.com\n")
    }

    @Test func completionOffersAllMatchingEmails() throws {
        let database = try MarkedDatabase.fresh()
        let addresses = ["hzz", "hzza", "hzz{a", "hzz|a", "hzz~a", "hzzöa", "hzz名", "hzz-a"].map { $0 + "@example.com" }
        let connection = try database.connect()
        _ = try connection.execute("set session_replication_role = replica")
        for address in addresses + ["hzy@example.com", "i@example.com"] {
            _ = try connection.execute(
                """
                update public.profiles set email = \(address)
                 where id = (select id from public.profiles where email !~ '^(hz|i@)' order by id limit 1)
                """)
        }
        let output = try complete("user", "show", "hzz", on: database.conninfo()).output
        #expect(output.split(separator: "\n").map(String.init).sorted() == addresses.sorted())
    }

    @Test func completionOffersEachValueOfASharedAssumptionOnce() throws {
        let output = try complete("user", "why", "x", "--assume", "tier=", on: try SampleDatabase.conninfo).output
        let values = output.split(separator: "\n")
        #expect(values.count > 1 && Set(values).count == values.count)
    }

    @Test func completionNeverFailsOrPrintsErrors() throws {
        for database in ["host=/nowhere", "postgresql://u:p@h/d", "no-such-service", try SampleDatabase.conninfo] {
            for words in [["user", "show", "grace"], ["frob", "x"], ["--nope", ""], ["user", "sh"], []] {
                let result = try Usher.run(["-d", database, "__complete", "--"] + words)
                #expect(result.status == 0)
                #expect(result.errors.isEmpty)
            }
        }
    }

    @Test func completionUsesTheCachedAppWhenOffline() throws {
        let scratch = try Scratch()
        let cache = ["XDG_CACHE_HOME": scratch.folder.path, "USHER_COMPLETION_SECONDS": "20"] as [String: String?]
        let database = try TestCluster.database(of: "importer")
        let words = ["-d", database.conninfo(), "__complete", "--", "cod"]
        #expect(try Usher.run(words, environment: cache).output.hasPrefix("code\t"))
        _ = try TestCluster.administration().execute(
            "alter database \(unsafe: database.name) rename to \(unsafe: database.name + "_gone")")
        #expect(try Usher.run(words, environment: cache).output.hasPrefix("code\t"))
        #expect(try Usher.run(words, environment: ["USHER_COMPLETION_SECONDS": "20"]).output.isEmpty)
    }

    @Test func completionDoesNotWaitForASilentServer() throws {
        let server = try SilentServer()
        let database = "host=127.0.0.1 port=\(server.port) dbname=x user=x"
        let result = try Usher.run(["__complete", "--", "user", "sh"], on: database)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("show\t"))
    }
}
