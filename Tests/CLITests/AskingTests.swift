import Foundation
import Support
import Testing

/// What is missing is asked for, where there is somebody to ask.
@Suite struct AskingTests {
    @Test func atATerminalWithItsChoices() throws {
        let terminal = try Usher.console(["completion"])
        let question = try terminal.wait(for: "SHELL (number or name): ")
        #expect(question.contains("1  bash") && question.contains("3  fish"))
        terminal.type("1\r")
        try terminal.wait(for: "for bash 3.2 and later")
        #expect(try terminal.end() == 0)
    }

    @Test func aUserIsAskedForInOneShotAndConsole() throws {
        let terminal = try Usher.console(
            ["user", "show", "--fields", "app", "-o", "ndjson"], on: try MarkedDatabase.conninfo)
        try terminal.wait(for: "USER: ")
        terminal.type("ada@example.com\r")
        try terminal.wait(for: #"{"app":"impulse"}"#)
        #expect(try terminal.end() == 0)
        let console = try Usher.console(on: try MarkedDatabase.conninfo)
        try console.wait(for: "test impulse> ")
        console.enter("partner grant ada@example.com")
        let question = try console.wait(for: "--source (number or name): ")
        #expect(question.contains("ambassador"))
        console.type("marketing\r")
        try console.wait(for: "Do it? [y/N] ")
        console.type("n\r")
        try console.wait(for: "declined; nothing was changed")
        try console.wait(for: "test impulse> ")
        console.enter("last")
        try console.wait(for: "partner grant --source marketing ada@example.com")
    }

    @Test func noAnswerIsAUsageErrorAndControlCIsAnInterruption() throws {
        for (answer, status) in [("\r", Int32(2)), ("\u{4}", 2), ("\u{3}", 130)] {
            let terminal = try Usher.console(["user", "show"], on: try MarkedDatabase.conninfo)
            try terminal.wait(for: "USER: ")
            terminal.type(answer)
            #expect(try terminal.end() == status)
        }
    }

    @Test func nobodyIsAskedOnAPipeOrWithNoInput() throws {
        let piped = try Usher.run(["user", "show"], on: try MarkedDatabase.conninfo)
        #expect(piped.status == 2)
        #expect(piped.errors.contains("missing argument USER"))
        let terminal = try Usher.console(["user", "show", "--no-input"], on: try MarkedDatabase.conninfo)
        #expect(try terminal.end() == 2)
    }
}
