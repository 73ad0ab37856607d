import Foundation
import Support
import Testing

/// Output that is longer than the screen.
@Suite struct PagerTests {
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

    @Test func aLongListGoesThroughThePager() throws {
        for (name, others) in [("USHER_PAGER", ["PSQL_PAGER": "false", "PAGER": "false"]), ("PAGER", [:])] {
            let text = try output(Self.long, others.merging([name: Self.marking]) { $1 })
            #expect(text.split(separator: "\r\n").filter { $0.hasPrefix("P:") }.count == 61)
        }
    }

    @Test func whatFitsDoesNot() throws {
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

    @Test func thePagerShowsColoursAndOpensNoShell() throws {
        let text = try output(Self.long, ["PAGER": #"cat >/dev/null; echo "<$LESS $LESSSECURE>""#])
        #expect(text.contains("<FRX 1>"))
        let own = try output(Self.long, ["PAGER": #"cat >/dev/null; echo "<$LESS>""#, "LESS": "S"])
        #expect(own.contains("<S>"))
    }

    @Test func remarksComeBehindIt() throws {
        let text = try output(
            ["user", "find", "example", "--limit", "40", "--fields", "email"], ["PAGER": "sed s/^/P:/; echo left"])
        #expect(text.contains("left\r\nmatched by"))
    }

    @Test func whoeverLeavesThePagerEarlyHasNotFailed() throws {
        let terminal = try open([], ["PAGER": "head -n 1"])
        try terminal.wait(for: "> ")
        terminal.enter("user list --no-progress")
        try terminal.wait(for: "\nname  ")
        try terminal.wait(for: "impulse> ")
        // The screen is the console's own again.
        terminal.enter("user find ada@example.com -o name")
        try terminal.wait(for: "matched by address")
        try terminal.wait(for: "impulse> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
    }

    @Test func lessItselfWorks() throws {
        let terminal = try open(Self.long, ["PAGER": "less"])
        try terminal.wait(for: ":")
        terminal.type("q")
        #expect(try terminal.end() == 0)
    }
}
