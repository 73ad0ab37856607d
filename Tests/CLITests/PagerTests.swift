import Foundation
import Support
import Testing

@Suite(.long) struct PagerTests {
    private static let long = ["user", "list", "--limit", "60", "--fields", "email,status"]
    private static let marking = "sed s/^/P:/"

    private func open(_ words: [String], _ environment: [String: String?]) throws -> TerminalSession {
        try Usher.console(words, on: try SampleDatabase.conninfo, environment: environment)
    }

    private func output(_ words: [String], _ environment: [String: String?]) throws -> String {
        let terminal = try open(words, environment)
        #expect(try terminal.end() == 0)
        return String(decoding: terminal.picture, as: UTF8.self)
    }

    @Test func pagerShowsALongList() throws {
        for (name, others) in [("USHER_PAGER", ["PSQL_PAGER": "false", "PAGER": "false"]), ("PAGER", [:])] {
            let text = try output(Self.long, others.merging([name: Self.marking]) { $1 })
            #expect(text.split(separator: "\r\n").filter { $0.hasPrefix("P:") }.count == 61)
        }
    }

    @Test func usherSkipsThePagerForShortListsPipesAndDumbTerminals() throws {
        #expect(
            try !output(["user", "list", "--limit", "3", "--fields", "email"], ["PAGER": Self.marking]).contains("P:"))
        #expect(try !output(Self.long + ["--no-pager"], ["PAGER": Self.marking]).contains("P:"))
        #expect(try !output(Self.long, ["PAGER": Self.marking, "TERM": "dumb"]).contains("P:"))
        for none in ["", "cat"] {
            #expect(try output(Self.long, ["PAGER": none]).split(separator: "\r\n").count == 61)
        }
        let piped = try Usher.run(Self.long, on: try SampleDatabase.conninfo, environment: ["PAGER": Self.marking])
        #expect(!piped.output.contains("P:"))
    }

    @Test func usherSetsLESSAndLESSSECUREForThePager() throws {
        let text = try output(Self.long, ["PAGER": #"cat >/dev/null; echo "<$LESS $LESSSECURE>""#])
        #expect(text.contains("<FRX 1>"))
        let own = try output(Self.long, ["PAGER": #"cat >/dev/null; echo "<$LESS>""#, "LESS": "S"])
        #expect(own.contains("<S>"))
    }

    @Test func usherPrintsNotesAfterThePagerEnds() throws {
        let text = try output(
            ["user", "find", "example", "--limit", "40", "--fields", "email"], ["PAGER": "sed s/^/P:/; echo left"])
        #expect(text.contains("left\r\nfound by"))
    }

    @Test func commandSucceedsIfTheUserQuitsThePagerEarly() throws {
        let terminal = try open([], ["PAGER": "head -n 1"])
        try terminal.wait(for: "> ")
        terminal.enter("user list --no-progress")
        try terminal.wait(for: "\nname  ")
        try terminal.wait(for: "impulse> ")
        // The console shows its prompt again after the pager.
        terminal.enter("user find ada@example.com -o name")
        try terminal.wait(for: "found by email")
        try terminal.wait(for: "impulse> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
    }

    @Test func usherWorksWithLessAsThePager() throws {
        let terminal = try open(Self.long, ["PAGER": "less"])
        try terminal.wait(for: ":")
        terminal.type("q")
        #expect(try terminal.end() == 0)
    }

    @Test func usherPrintsTheListIfThePagerIsMissing() throws {
        for pager in ["nonexist", "nonexist -R", "/nonexist"] {
            #expect(try output(Self.long, ["PAGER": pager]).split(separator: "\r\n").count == 61)
        }
    }

    /// A shell with job control, connected to the sample data.
    private func openShell(_ environment: [String: String?]) throws -> TerminalSession {
        let settings: [String: String?] = ["PS1": "$ ", "USHER": Usher.path, "DB": try SampleDatabase.conninfo]
        let shell = try TerminalSession(
            "bash", ["--norc", "--noprofile", "-i"], environment: settings.merging(environment) { $1 })
        try shell.wait(for: "$ ")
        return shell
    }

    @Test func controlZInThePagerDoesNotStopUsher() throws {
        let shell = try openShell(["PAGER": "less"])
        shell.enter(#""$USHER" -d "$DB""#)
        try shell.wait(for: "impulse> ")
        shell.enter("user list --limit 60")
        try shell.wait(for: ":")
        shell.type("\u{1A}")
        shell.type("q")
        #expect(try !shell.wait(for: "impulse> ").contains("Stopped"))
        // After the pager, Ctrl-Z stops usher again.
        shell.type("\u{1A}")
        try shell.wait(for: "Stopped")
    }

    @Test func usherStopsWhenItsPagerStopsAndContinuesWithThePager() throws {
        let shell = try openShell(["PAGER": "kill -STOP $$; sed s/^/P:/"])
        shell.enter(#""$USHER" -d "$DB" user list --limit 60 --fields email"#)
        try shell.wait(for: "Stopped")
        shell.enter("fg")
        try shell.wait(for: "P:")
        try shell.wait(for: "$ ")
        shell.enter("echo do''ne")
        try shell.wait(for: "done")
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func signalToUsherEndsThePager(signal: Int32) throws {
        // `sleep` reads nothing, so usher waits to write; `less` waits for keys, so usher waits for its end.
        for (pager, ready) in [("echo re''ady; exec sleep 1000", "ready"), ("less", ":")] {
            let terminal = try open(["user", "list", "--limit", "20000"], ["PAGER": pager])
            try terminal.wait(for: ready)
            kill(terminal.pid, signal)
            #expect(try terminal.end() == 130)
        }
    }

    @Test func usherRestoresTheTerminalWhenASignalEndsIt() throws {
        let shell = try openShell(["PAGER": "less"])
        shell.enter("before=$(stty -g)")
        shell.enter(#"sh -c 'echo p""id=$$; exec "$USHER" -d "$DB" user list --limit 60'"#)
        try shell.wait(for: "pid=")
        let pid = try #require(Int32(shell.wait(for: "\n").dropLast()))
        try shell.wait(for: "\n:")
        kill(pid, SIGTERM)
        try shell.wait(for: "$ ")
        shell.enter(#"[[ $(stty -g) == "$before" ]] && echo sa''ne"#)
        try shell.wait(for: "sane")
    }
}
