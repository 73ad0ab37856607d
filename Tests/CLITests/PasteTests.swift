import Foundation
import PQ
import Support
import Testing

/// The console asks before it runs several pasted commands.
@Suite struct PasteTests {
    private static let prompt = "test impulse> "

    private func open(_ environment: [String: String?] = [:]) throws -> TerminalSession {
        let terminal = try Usher.console(on: try MarkedDatabase.conninfo, environment: environment)
        try terminal.wait(for: Self.prompt)
        return terminal
    }

    @Test func severalPastedCommandsRunOnlyIfConfirmed() throws {
        for answer in ["n\r", "\r", "\u{4}", "\u{3}"] {
            let terminal = try open()
            terminal.paste(
                "version\npartner grant ada@example.com --source marketing\nfrob\ncheck --fix\naccount delete ada@example.com\n"
            )
            terminal.type("\r")
            let list = try terminal.wait(for: "[y/N]")
            #expect(list.contains("  partner grant ada@example.com --source marketing\n  frob\n  check --fix\n"))
            #expect(list.contains("Run these 5 commands?"))
            terminal.type(answer)
            let rest = try terminal.wait(for: "usher ran none of the commands.")
            #expect(!rest.contains("0.1"))
            try terminal.wait(for: Self.prompt)
        }
    }

    @Test func pastedCommandsStopAtTheFirstFailure() throws {
        let terminal = try open()
        terminal.paste("user find lovelace -o name\nfrob\nversion")
        terminal.type("\r")
        try terminal.wait(for: "[y/N]")
        terminal.type("y\r")
        try terminal.wait(for: "found by")
        try terminal.wait(for: "unknown command `frob`")
        try terminal.wait(for: "Stopped at command 2 of 3;")
        try terminal.wait(for: Self.prompt)
    }

    @Test func singlePastedCommandRunsAtOnce() throws {
        let terminal = try open()
        terminal.paste("version\n")
        terminal.type("\r")
        #expect(try !terminal.wait(for: "\nusher ").contains("[y/N]"))
    }

    @Test func pastedTextCannotConfirmItself() throws {
        let terminal = try open()
        terminal.paste("version\nversion\n")
        terminal.type("\ry\r")
        try terminal.wait(for: "[y/N]")
        terminal.type("n\r")
        try terminal.wait(for: "usher ran none of the commands.")
    }

    @Test func linesTypedBeforeThePromptRunWithoutAConfirmation() throws {
        let terminal = try open()
        terminal.type("version\rversion -v\rquo")
        let shown = try terminal.wait(for: Self.prompt + "quo")
        #expect(shown.contains("libpq"))
        #expect(!shown.contains("[y/N]"))
        // Input after the next prompt runs too.
        terminal.type("ta show\r")
        try terminal.wait(for: "impulses")
        try terminal.wait(for: Self.prompt)
        terminal.type("version\r")
        try terminal.wait(for: "\nusher ")
    }

    @Test func lineTypedBeforeAConfirmationDoesNotAnswerIt() throws {
        let terminal = try open()
        terminal.type("partner grant ada@example.com --source marketing\ry\r")
        try terminal.wait(for: "Make this change? [y/N] ")
        terminal.type("\r")
        try terminal.wait(for: "declined")
    }
}
