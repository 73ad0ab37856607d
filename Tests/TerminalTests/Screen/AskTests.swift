import Glibc
import Testing

@testable import Terminal

@Suite struct AskTests {
    @Test(arguments: [
        ("y\n", true), ("Y\n", true), ("yes\n", true), ("n\n", false), ("\n", false), ("yep\n", false),
        (" y\t\n", true), ("no y\n", false),
        ("\u{04}", false), ("y\u{04}\u{04}", true),
    ])
    func promptIsConfirmedOnlyByYOrYes(typed: String, answer: Bool) throws {
        let terminal = try Pseudoterminal()
        let asked = try ControllingTerminal(path: terminal.path)
        terminal.type(typed)
        #expect(try asked.confirm("Grant?") == answer)
        #expect(terminal.picture(until: "[y/N] ").contains("Grant? [y/N] "))
    }

    @Test(
        arguments: [("ann@example.org\n", "ann@example.org"), ("\n", ""), ("\u{04}", nil), ("日本\n", "日本")]
            as [(String, String?)])
    func promptReturnsTheTypedLineWithoutItsNewline(typed: String, answer: String?) throws {
        let terminal = try Pseudoterminal()
        let asked = try ControllingTerminal(path: terminal.path)
        terminal.type(typed)
        #expect(try asked.line("Address:") == answer)
    }

    @Test func confirmationIgnoresInputTypedAhead() throws {
        let terminal = try Pseudoterminal()
        let asked = try ControllingTerminal(path: terminal.path)
        terminal.type("y\n")
        asked.forgetTypedAhead()
        terminal.type("n\n")
        #expect(try asked.confirm("Delete?") == false)
    }

    @Test func promptForASecretTurnsEchoOffAndRestoresIt() throws {
        let terminal = try Pseudoterminal()
        let asked = try ControllingTerminal(path: terminal.path)
        try asked.withoutEcho { () throws(AskError) in
            #expect(!terminal.echoes)
        }
        #expect(terminal.echoes)
        terminal.type("hunter2\n")
        #expect(try asked.secret("Password:") == "hunter2")
        #expect(terminal.echoes)
    }

    @Test(arguments: ["/dev/null", "/nonexistent/tty"])
    func promptWithoutATerminalFails(path: String) {
        #expect(throws: AskError.noTerminal) {
            _ = try ControllingTerminal(path: path)
        }
    }
}
