import Changes
import Foundation
import Ledger
import PQ
import Support
import Testing

/// usher prompts for a reason, for a confirmation, and for the installation of the app file.
@Suite struct PromptTests {
    @Test func missingArgumentIsAUsageErrorAtATerminal() throws {
        let terminal = try Usher.console(["user", "show"], on: try MarkedDatabase.conninfo)
        try terminal.wait(for: "missing argument USER")
        #expect(try terminal.end() == 2)
        let undo = try Usher.run(["audit", "undo"], on: try MarkedDatabase.conninfo)
        #expect(undo.status == 2 && undo.errors.contains("usher undo last") && undo.errors.contains("audit list"))
    }

    private static let own = """
        -- @app mine  My own
        -- @requires public.profiles.subscription_tier
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email, p.subscription_tier as tier from public.profiles p;
        -- @action tier drop  Set the lowest tier.
        -- @role support
        -- @grade mild
        -- @do
        update public.profiles set subscription_tier = 'foundation' where id = any(:users);
        """

    @Test func usherOffersToInstallTheAppFileOnATestDatabase() throws {
        let file = try Scratch()
        let path = try file.path(of: "mine.sql", holding: Self.own)
        let words = ["--app", path, "tier", "drop", "ada@example.com"]
        let question = "Install the actions of \(path)? [y/N] "
        let database = try MarkedDatabase.fresh()
        try TestCluster.operatorRoles.get()
        let owner = try database.connect(user: DemoDatabase.owner)
        for statement in LedgerSchema.transaction { _ = try owner.execute(statement) }
        let declined = try Usher.console(words, on: database.conninfo(), columns: 240)
        try declined.wait(for: question)
        declined.type("\r")
        try declined.wait(for: "the app file of mine is not installed")
        #expect(try declined.end() == 3)
        #expect(try Usher.run(words, on: database.conninfo()).status == 3, "usher can't prompt on a pipe")
        #expect(try Usher.console(words + ["--no-input"], on: database.conninfo()).end() == 3)
        try database.makeRole("offered_clerk", "in role usher_support")
        try database.run(
            "grant usage on schema public to usher_support", "grant select on public.profiles to usher_support",
            "alter role offered_clerk bypassrls")
        #expect(try Usher.console(words, on: database.conninfo(user: "offered_clerk")).end() == 3)
        let accepted = try Usher.console(words, on: database.conninfo(), columns: 240)
        try accepted.wait(for: question)
        accepted.type("y\r")
        try accepted.wait(for: "Done.")
        #expect(try accepted.end() == 0)
        // After the installation the operator can use the app file.
        #expect(try Usher.run(words + ["--dry-run"], on: database.conninfo(user: "offered_clerk")).status == 0)
        for environment in ["staging", "production"] {
            let other = try MarkedDatabase.fresh(as: environment)
            #expect(try Usher.console(words + ["--reason", "x"], on: other.conninfo()).end() == 3)
        }
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

    @Test func confirmationPromptAppearsAgainAfterASuspension() throws {
        let shell = try TerminalSession(
            "bash", ["--norc", "--noprofile", "-i"],
            environment: ["PS1": "$ ", "USHER": Usher.path, "DB": try MarkedDatabase.conninfo])
        try shell.wait(for: "$ ")
        shell.enter(#""$USHER" -d "$DB" partner grant ada@example.com --source marketing"#)
        try shell.wait(for: "Make this change? [y/N] ")
        shell.type("\u{1A}")
        try shell.wait(for: "Stopped")
        shell.enter("fg")
        try shell.wait(for: "Make this change? [y/N] ")
        shell.enter("")
        try shell.wait(for: "declined")
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

    @Test func mildChangeOfTwoUsersAsksInEveryEnvironment() throws {
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

    @Test func wrongConfirmationIsRefusedForEveryGrade() throws {
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

    @Test func terminalShowsThePreviewBeforeTheJSON() throws {
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
