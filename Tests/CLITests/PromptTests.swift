import Changes
import Foundation
import Ledger
import PQ
import Support
import Testing

/// usher prompts for a reason and for a confirmation.
@Suite struct PromptTests {
    @Test func missingArgumentIsAUsageErrorAtATerminal() throws {
        let terminal = try Usher.console(["user", "show"], on: try MarkedDatabase.conninfo)
        try terminal.wait(for: "missing argument USER")
        #expect(try terminal.end() == 2)
        let undo = try Usher.run(["audit", "undo"], on: try MarkedDatabase.conninfo)
        #expect(undo.status == 2 && undo.errors.contains("usher undo last") && undo.errors.contains("audit list"))
    }

    @Test func changeInProductionPromptsForAMissingReason() throws {
        let database = try MarkedDatabase.fresh(as: "production")
        let change = ["quota", "set", "trial", "impulse_limit", "5"]
        for (words, question) in [
            (change, "Make this change? [y/N] "),
            (["account", "delete", "ada@example.com"], "Type ada@example.com to delete"),
        ] {
            let terminal = try Usher.console(words, on: database.conninfo())
            try terminal.wait(for: "in production needs a reason")
            try terminal.wait(for: "--reason: ")
            terminal.type("a test\r")
            try terminal.wait(for: question)
            terminal.type("\u{3}")
            _ = try terminal.end()
            let silent = try Usher.console(words, on: database.conninfo())
            try silent.wait(for: "--reason: ")
            silent.type("\r")
            try silent.wait(for: "hint: add `--reason TEXT`")
            #expect(try silent.end() == 3)
            #expect(try Usher.run(words, on: database.conninfo()).status == 3)
        }
        // A reason does not allow a test state in production.
        let state = try Usher.console(["state", "force", "ada@example.com", "trial-expired"], on: database.conninfo())
        #expect(try state.end() == 3)
    }

    @Test func endOfInputInAnAnswerDeclinesTheChange() throws {
        let terminal = try Usher.console(
            ["partner", "grant", "ada@example.com", "--source", "marketing"], on: try MarkedDatabase.conninfo)
        try terminal.wait(for: "Make this change? [y/N] ")
        terminal.type("ye\u{4}\u{4}")
        try terminal.wait(for: "ye\nusher: declined")
        #expect(try terminal.end() == 3)
    }

    // MARK: Mild changes that need a confirmation

    private static let extend = ["trial", "extend", "ada@example.com", "--days", "3"]

    @Test func mildChangeInProductionShowsItsPreviewAndAsks() throws {
        let database = try MarkedDatabase.fresh(as: "production")
        let words = Self.extend + ["--reason", "a test"]
        let terminal = try Usher.console(words, on: database.conninfo())
        #expect(try terminal.wait(for: "Make this change? [y/N] ").contains("trial_ends_at"))
        terminal.type("n\r")
        #expect(try terminal.end() == 3)
        let agreed = try Usher.console(words, on: database.conninfo())
        try agreed.wait(for: "Make this change? [y/N] ")
        agreed.type("y\r")
        try agreed.wait(for: "Done.")
        #expect(try agreed.end() == 0)
        #expect(try Usher.console(words + ["--yes"], on: database.conninfo()).end() == 0)
        #expect(try Usher.console(words + ["--no-input"], on: database.conninfo()).end() == 0)
        #expect(try Usher.run(words, on: database.conninfo()).status == 0, "without a terminal usher doesn't prompt")
    }

    @Test(.long) func mildChangeOfTwoUsersAsksInEveryEnvironment() throws {
        let database = try MarkedDatabase.fresh()
        #expect(try Usher.console(Self.extend, on: database.conninfo()).end() == 0, "usher doesn't prompt for one user")
        let due = try Usher.console(["trial", "expire", "--due"], on: database.conninfo())
        try due.wait(for: "Make this change? [y/N] ")
        due.type("\r")
        #expect(try due.end() == 3)
        let both = ["trial", "extend", "ada@example.com", "trial@example.com", "--days", "3"]
        let named = try Usher.console(both, on: database.conninfo())
        try named.wait(for: "Make this change? [y/N] ")
        named.type("y\r")
        try named.wait(for: "Done.")
        #expect(try named.end() == 0)
        #expect(try Usher.run(both, on: database.conninfo()).status == 0)
    }

    @Test(.long) func wrongConfirmOptionIsRefusedEvenForAMildChange() throws {
        let database = try MarkedDatabase.fresh()
        let wrong = try Usher.run(Self.extend + ["--confirm", "grace@example.com"], on: database.conninfo())
        #expect(wrong.status == 3)
        #expect(wrong.errors.contains("--confirm ada@example.com"))
        #expect(try Usher.run(Self.extend + ["--confirm", "ADA@example.com"], on: database.conninfo()).status == 0)
    }

    // MARK: The preview is printed where usher asks

    @Test(arguments: [[], ["--json"], ["-o", "ndjson"], ["--fields", "table"]])
    func terminalShowsThePreviewIfOutputIsRedirected(format: [String]) throws {
        let database = try MarkedDatabase.fresh()
        let scratch = try Scratch()
        let file = try scratch.file("output", "")
        let words = ["partner", "grant", "ada@example.com", "--source", "marketing"] + format
        let terminal = try Usher.console(words, on: database.conninfo(), output: .output(file.path))
        let seen = try terminal.wait(for: "Make this change? [y/N] ")
        #expect(seen.contains("partner grant  ada@example.com  test"))
        #expect(seen.contains("partner_source") && seen.contains("access: paywall → active"))
        terminal.type("n\r")
        #expect(try terminal.end() == 3)
        // Without --json the file gets the preview too.
        #expect(try String(contentsOf: file, encoding: .utf8).contains("partner_source") == format.isEmpty)
    }

    @Test(.long) func terminalShowsThePreviewBeforeTheJSON() throws {
        let terminal = try Usher.console(
            ["partner", "grant", "ada@example.com", "--source", "marketing", "--json"],
            on: try MarkedDatabase.fresh().conninfo())
        #expect(try terminal.wait(for: "Make this change? [y/N] ").contains("access: paywall → active"))
        terminal.type("y\r")
        #expect(try terminal.wait(for: "\"refused\"").contains("\"operation\""))
        #expect(try terminal.end() == 0)
    }

    @Test func bulkChangeAndDeletionShowTheirPreviewBeforeAsking() throws {
        let database = try MarkedDatabase.fresh()
        let users = try database.connect().execute("select id::text from auth.users limit 120").rows
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "users", holding: users.compactMap { $0.values[0].text }.joined(separator: "\n"))
        for (words, question, part) in [
            (["trial", "extend", "--days", "1", "--from", file], " to continue: ", "trial extend  "),
            (["account", "delete", "ada@example.com"], "to delete the account: ", "owned"),
        ] {
            for format in [[], ["--json"]] {
                let terminal = try Usher.console(words + format, on: database.conninfo(), output: .nothing)
                #expect(try terminal.wait(for: question).contains(part), "\(words) \(format)")
                terminal.type("no\r")
                #expect(try terminal.end() == 3)
            }
        }
    }

    /// The tests run without a terminal, so usher can't prompt the person who starts them.
    @Test func testsCannotOpenTheRealTerminal() throws {
        #expect(try Subprocess.run("sh", ["-c", "exec 3<>/dev/tty"]).status != 0)
    }
}
