import Foundation
import Acts
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Scripts rely on the output and the exit codes of the commands for requests and notes.
@Suite struct RequestCommandTests {
    private static let ada = "ada@example.com"
    static let grant = ["partner", "grant", ada, "--source", "influencer"]

    /// The sample data, with a support agent and an admin.
    static func database() throws -> (support: String, admin: String) {
        let database = try MarkedDatabase.granted()
        for role in ["support", "admin"] { try database.makeRole("cli_\(role)", "in role usher_\(role)") }
        return (database.conninfo(user: "cli_support"), database.conninfo(user: "cli_admin"))
    }

    @Test func consoleCommandLastPrintsARefusedCommandToo() throws {
        let (_, admin) = try Self.database()
        let terminal = try Usher.console([], on: admin)
        try terminal.wait(for: "impulse> ")
        terminal.enter("quota reset \(Self.ada) --reason wanted --request")
        try terminal.wait(for: "run the command without --request")
        try terminal.wait(for: "impulse> ")
        terminal.enter("last")
        try terminal.wait(for: "--request")
        try terminal.wait(for: "impulse> ")
    }

    @Test func requestShowsItsDatesInTheTimeZoneOfTheReader() throws {
        let (support, admin) = try Self.database()
        let until = ["--until", "2099-12-24", "--tz", "Europe/Berlin"]
        #expect(try Usher.run(Self.grant + until + ["--request"], on: support).status == 0)
        let id = try Usher.run(["request", "list", "-o", "name"], on: admin).output.trimmingCharacters(in: .newlines)
        for words in [["user", "show", Self.ada, "--brief"], ["request", "show", id]] {
            let shown = try Usher.run(words + ["--tz", "America/New_York"], on: admin).output
            #expect(shown.contains("2099-12-23 18:00") && !shown.contains("2099-12-23 23:00:00+00"), "\(shown)")
        }
    }

    @Test func requestedChangeRunsWhenAnAdminApprovesIt() throws {
        let (support, admin) = try Self.database()
        let refused = try Usher.run(Self.grant + ["--json"], on: support)
        #expect(refused.status == 5)
        #expect((try object(refused.errors)["error"] as? [String: Any])?["code"] as? String == "forbidden")
        #expect(refused.errors.contains("--request"))
        let tried = try objects(try Usher.run(["audit", "list", "--user", Self.ada, "--json"], on: support).output)
        #expect(tried.first?["outcome"] as? String == "refused")
        #expect(try Usher.run(Self.grant + ["--request"], on: admin).status == 3)
        let asked = try object(
            try Usher.run(Self.grant + ["--request", "--reason", "mail", "--ticket", "T-1", "--json"], on: support)
                .output)
        let id = try #require(asked["request"] as? String)
        #expect(asked["role"] as? String == "usher_admin")
        #expect(asked["operation"] is NSNull && (asked["changes"] as? [Any])?.isEmpty == false)
        #expect(try Usher.run(Self.grant + ["--request"], on: support).status == 6)
        let list = try objects(try Usher.run(["request", "list", "--json"], on: admin).output)
        #expect(list.map { $0["id"] as? String } == [id])
        #expect(list.first?["state"] as? String == "open" && list.first?["ticket"] as? String == "T-1")
        let card = try object(
            try Usher.run(["user", "show", Self.ada, "--json", "--fields", "notes,requests"], on: support).output)
        #expect((card["requests"] as? [[String: Any]])?.first?["asks"] as? String == "partner grant influencer")
        // An admin gets the command to approve; a support agent reads which role can approve.
        let approval = "\n  → usher request approve \(id.prefix(8))\n"
        #expect(try Usher.run(["user", "show", Self.ada], on: admin).output.contains(approval))
        let other = try Usher.run(["user", "show", Self.ada], on: support).output
        #expect(!other.contains(approval) && other.contains("usher_admin can approve request \(id.prefix(8))"))
        // The approver sees the change; the arguments are shown as the requester typed them.
        let recorded = try Usher.run(["audit", "list", "-o", "name"], on: admin).output
        let seen = try Usher.run(["request", "show", id], on: admin)
        #expect(
            seen.status == 0 && seen.output.contains("subscription_tier") && seen.output.contains("source influencer"))
        let blind = try Usher.run(["request", "show", id], on: support).output
        #expect(!blind.contains("subscription_tier") && blind.contains("Only usher_admin can preview this change"))
        #expect(try Usher.run(["audit", "list", "-o", "name"], on: admin).output == recorded)
        #expect(try Usher.run(["request", "approve", id, "--yes"], on: support).status == 5)
        #expect(try Usher.run(["request", "approve", id], on: admin).status == 3)
        let dry = try object(try Usher.run(["request", "approve", id, "--json", "-n"], on: admin).output)
        #expect(dry["dry_run"] as? Bool == true && dry["request"] as? String == id)
        let done = try object(
            try Usher.run(["request", "approve", String(id.prefix(8)), "--yes", "--json"], on: admin).output)
        let operation = try #require(done["operation"] as? String)
        #expect(done["request"] as? String == id)
        #expect(try Usher.run(["request", "approve", id, "--yes"], on: admin).status == 6)
        let shown = try object(try Usher.run(["audit", "show", operation, "--json"], on: support).output)
        #expect(shown["request"] as? String == id)
        #expect(shown["asked_by"] as? String == "cli_support" && shown["operator"] as? String == "cli_admin")
        let end = try object(try Usher.run(["request", "show", id, "--json"], on: support).output)
        #expect(end["state"] as? String == "approved" && end["operation"] as? String == operation)
        #expect(try Usher.run(["audit", "verify"], on: support).status == 0)
    }

    @Test func approvingAnOutdatedRequestShowsTheChangeAndExitsWithSix() throws {
        let (support, admin) = try Self.database()
        let asked = try object(try Usher.run(Self.grant + ["--request", "--json"], on: support).output)
        let id = try #require(asked["request"] as? String)
        let extended = try Usher.run(["trial", "extend", Self.ada, "--days", "7", "--yes"], on: admin)
        #expect(extended.status == 0, "\(extended.errors)")
        let moved = try Usher.run(["request", "approve", id, "--yes"], on: admin)
        #expect(moved.status == 6)
        #expect(moved.output.contains("subscription_tier  trial → partner"))
        #expect(moved.errors.contains("--moved"))
        let document = try Usher.run(["request", "approve", id, "--yes", "--json"], on: admin)
        #expect(document.status == 6)
        #expect((try object(document.output)["changes"] as? [Any])?.count == 2)
        #expect(try Usher.run(["request", "approve", id, "--yes", "--moved"], on: admin).status == 0)
    }

    @Test func requestCanBeAnsweredOnlyOnce() throws {
        let (support, admin) = try Self.database()
        for way in ["decline", "withdraw"] {
            let asked = try object(try Usher.run(Self.grant + ["--request", "--json"], on: support).output)
            let id = try #require(asked["request"] as? String)
            let (right, wrong) = way == "decline" ? (admin, support) : (support, admin)
            #expect([3, 5].contains(try Usher.run(["request", way, id], on: wrong).status))
            let answered = try Usher.run(["request", way, id, "--reason", "no", "--json"], on: right)
            #expect(answered.status == 0, "\(answered.errors)")
            #expect(try object(answered.output)["request"] as? String == id)
            #expect(try Usher.run(["request", way, id], on: right).status == 6)
        }
        #expect(try Usher.run(["request", "show", "00000000"], on: support).status == 4)
        #expect(try Usher.run(["request", "show", "x"], on: support).status == 4)
    }

    @Test func screensMakeControlCharactersInANoteVisible() throws {
        let (support, admin) = try Self.database()
        let noted = try Usher.run(["user", "note", Self.ada, "evil \u{1B}]0;x\u{07}\u{202E}"], on: support)
        #expect(noted.status == 0, "\(noted.errors)")
        for words in [["user", "show", Self.ada], ["user", "timeline", Self.ada], ["audit", "list"]] {
            let screen = try Usher.run(words, on: admin).output
            #expect(!screen.contains("\u{1B}") && !screen.contains("\u{202E}"), "\(words)")
            if words[0] == "user" { #expect(screen.contains("evil \\u{1B}]0;x\\u{07}\\u{202E}"), "\(words)") }
        }
        #expect(try Usher.run(["user", "note", Self.ada, " "], on: support).status == 2)
        #expect(try Usher.run(["user", "note", "nobody@example.com", "x"], on: support).status == 4)
    }

    @Test func onlyChangesCanBeRequested() throws {
        let (support, _) = try Self.database()
        for words in [
            ["user", "show", Self.ada, "--request"], ["account", "plan", Self.ada, "--request"],
            ["account", "delete", Self.ada, "--request", "--shared", "delete"],
            ["install", "--request"],
            Self.grant + ["--request", "--at", "2026-12-01"],
        ] {
            #expect(try Usher.run(words, on: support).status == 2, "\(words)")
        }
        let state = try Usher.run(["state", "force", Self.ada, "trial-expired", "--request", "--json"], on: support)
        #expect(try object(state.output)["role"] as? String == "usher_engineer", "\(state.errors)")
        let setting = try Usher.run(
            ["quota", "set", "trial", "impulse_limit", "5", "--request", "--json"], on: support)
        let id = try #require(try object(setting.output)["request"] as? String, "\(setting.errors)")
        #expect(try Usher.run(["request", "show", id], on: support).output.contains("quota set"))
    }

    @Test func consolePromptCountsOpenRequests() throws {
        let (support, admin) = try Self.database()
        let terminal = try Usher.console(on: admin)
        try terminal.wait(for: "test impulse> ")
        #expect(try Usher.run(Self.grant + ["--request"], on: support).status == 0)
        terminal.enter("user note \(Self.ada) seen")
        try terminal.wait(for: "test impulse 1 request> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
        let other = try Usher.console(on: support)
        try other.wait(for: "test impulse> ")
        other.enter("quit")
        #expect(try other.end() == 0)
    }

    @Test func requestListOfAUserAcceptsEveryNameOfTheUser() throws {
        let (support, admin) = try Self.database()
        let asked = try object(try Usher.run(Self.grant + ["--request", "--json"], on: support).output)
        let id = try #require(asked["request"] as? String)
        #expect(
            try Usher.run(["partner", "grant", "alan@example.com", "--source", "marketing", "--request"], on: support)
                .status == 0)
        let key = try Usher.run(["user", "find", Self.ada, "-o", "name"], on: support).output
        for name in [Self.ada, "ADA@example.com", key.split(separator: "\n").joined()] {
            let list = try objects(try Usher.run(["request", "list", "--user", name, "--json"], on: admin).output)
            #expect(list.map { $0["id"] as? String } == [id], "\(name)")
        }
        #expect(try objects(try Usher.run(["request", "list", "--json"], on: admin).output).count == 2)
        let nobody = try Usher.run(["request", "list", "--user", Self.ada.replacing("ada", with: "aida")], on: admin)
        #expect(nobody.status == 4 && nobody.errors.contains("there is no user"), "\(nobody)")
    }

    @Test func tabAtAConfirmationDoesNotEnterText() throws {
        let (_, admin) = try Self.database()
        let question = try Usher.console(Self.grant, on: admin)
        try question.wait(for: "Make this change? [y/N] ")
        question.enter("\ty\t")
        #expect(try question.end() == 0)
    }
}
