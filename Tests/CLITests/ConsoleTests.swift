import Foundation
import PQ
import Support
import Testing

/// The console at a real terminal.
@Suite struct ConsoleTests {
    @Test func itRunsCommandsAndLeavesWithControlD() throws {
        let terminal = try Usher.console(on: try SampleDatabase.conninfo)
        try terminal.wait(for: "> ")
        terminal.enter("user find ada@example.com -o name")
        try terminal.wait(for: "matched by address")
        try terminal.wait(for: "> ")
        terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    @Test func controlCAtThePromptGivesUpTheLine() throws {
        let terminal = try Usher.console(on: try SampleDatabase.conninfo)
        try terminal.wait(for: "> ")
        terminal.type("frob")
        try terminal.wait(for: "frob")
        terminal.type("\u{3}")
        try terminal.wait(for: "> ")
        terminal.enter("version")
        try terminal.wait(for: "\nusher ")
        try terminal.wait(for: "> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
        #expect(!String(decoding: terminal.picture, as: UTF8.self).contains("unknown"))
    }
}
