import Foundation
import PQ
import Support
import Testing

/// The operator can run each advised command exactly as usher prints it.
@Suite struct AdviceTests {
    /// A production database with the roles of a support agent and an admin.
    private func database(_ app: String = "impulse") throws -> (support: String, admin: String) {
        let database = try MarkedDatabase.granted(app, as: "production")
        for role in ["support", "admin"] { try database.makeRole("advised_\(role)", "in role usher_\(role)") }
        return (database.conninfo(user: "advised_support"), database.conninfo(user: "advised_admin"))
    }

    @Test(.long) func userShowListsAnUnprocessedEventOnceWithItsRepair() throws {
        let (support, _) = try database("xtablo")
        let card = try object(try Usher.run(["user", "show", "linus@example.com", "--json"], on: support).output)
        let waiting = try #require(card["inbox"] as? [[String: Any]])
        #expect(waiting.map { $0["command"] as? String } == ["event replay rc-stuck-9d7c3915"])
    }

    /// The move of a purchase makes the new owner a customer of RevenueCat.
    @Test func purchaseMoveDoesNotBreakAnInvariantOfTheNewOwner() throws {
        let database = try MarkedDatabase.granted("xtablo")
        let broken = ["check", "customer", "-o", "name"]
        let before = try Usher.run(broken, on: database.conninfo()).output
        let move = ["purchase", "move", "Tdc06ca99c6ef79", "--to", "linus@example.com", "--confirm", "Tdc06ca99c6ef79"]
        let moved = try Usher.run(move, on: database.conninfo())
        #expect(moved.status == 0, "\(moved.errors)")
        let card = try object(
            try Usher.run(["user", "show", "linus@example.com", "--json"], on: database.conninfo()).output)
        let inbox = try #require(card["inbox"] as? [[String: Any]])
        #expect(!inbox.contains { $0["name"] as? String == "customer" }, "\(inbox)")
        #expect(try Usher.run(broken, on: database.conninfo()).output == before)
    }

    /// The screen of a user shows the value that breaks an invariant, the expected value, and the command that fixes
    /// it.
    @Test func userShowListsABrokenInvariantAndItsFix() throws {
        let database = try MarkedDatabase.granted("xtablo")
        try database.run(
            "delete from public.apple_customers where user_id = (select id from public.profiles where email = 'annie@example.com')"
        )
        let card = try Usher.run(["user", "show", "annie@example.com"], on: database.conninfo()).output
        let id = try #require(card.split(separator: "\n").first?.split(separator: " ").last)
        #expect(card.contains("revenuecat_app_user_id \(id)   expected not set"), "\(card)")
        #expect(card.contains("→ usher purchase link Tdc06ca99c6ef79"), "\(card)")
        let mended = try Usher.run(["purchase", "link", "Tdc06ca99c6ef79", "--yes"], on: database.conninfo())
        #expect(mended.output.hasPrefix("purchase link  Tdc06ca99c6ef79  "), "\(mended.output)")
        #expect(mended.status == 0, "\(mended.errors)")
        let after = try Usher.run(["user", "show", "annie@example.com"], on: database.conninfo()).output
        #expect(!after.contains("customer  the rule"), "\(after)")
    }

    @Test func userShowDoesNotAdviseTheRequesterToApproveTheirOwnRequest() throws {
        let (support, admin) = try database("xtablo")
        let move = ["purchase", "move", "Tdc06ca99c6ef79", "--to", "linus@example.com", "--request", "--reason", "x"]
        #expect(try Usher.run(move, on: admin).status == 0)
        let card = try Usher.run(["user", "show", "linus@example.com"], on: admin).output
        #expect(card.contains("requested: purchase move Tdc06ca99c6ef79 linus@example.com"))
        #expect(card.contains("another person with usher_admin can approve") && !card.contains("request approve"))
        #expect(
            try Usher.run(["user", "show", "linus@example.com"], on: support).output.contains("usher_admin can approve")
        )
    }

    @Test func requestToChangeASettingNamesItsRowAndColumn() throws {
        let (support, _) = try database()
        let ask = ["quota", "set", "trial", "impulse_limit", "5", "--reason", "x", "--request"]
        #expect(try Usher.run(ask, on: support).status == 0)
        let list = try objects(try Usher.run(["request", "list", "--json"], on: support).output)
        #expect(list.map { $0["target"] as? String } == ["trial impulse_limit"])
    }

    @Test func checkFixInProductionNeedsAReasonAndCanBeRequested() throws {
        let (support, admin) = try database()
        #expect(try Usher.run(["check", "trial-overdue", "--fix", "--yes"], on: admin).status == 3)
        let asked = try Usher.run(["check", "trial-overdue", "--fix", "--request", "--reason", "x"], on: support)
        #expect(asked.status == 0, "\(asked.errors)")
        let list = try objects(try Usher.run(["request", "list", "--json"], on: support).output)
        #expect(list.map { $0["command"] as? String } == ["trial expire"])
        #expect(try Usher.run(["check", "--request"], on: support).status == 2)
    }

    @Test func hintsInProductionContainTheReasonOption() throws {
        let (support, admin) = try database()
        let grant = ["partner", "grant", "alan@example.com", "--source", "marketing", "--reason", "x", "--yes"]
        let granted = try Usher.run(grant, on: admin)
        #expect(granted.status == 0, "\(granted.errors)")
        let undo = try #require(granted.output.split(separator: "\n").first { $0.contains("Undo: usher undo ") })
        #expect(undo.hasSuffix(" --reason TEXT"), "\(undo)")
        let check = try Usher.run(["check", "trial-overdue"], on: support).output
        #expect(check.contains("usher check trial-overdue --fix --reason TEXT"), "\(check)")
    }

    @Test func usherReportsTheRuleOfTwoPeopleBeforeItAsksForConfirmation() throws {
        let (_, admin) = try database()
        let renew = ["subscription", "renew", "mastery@example.com", "--until", "2030-01-01", "--reason", "x"]
        let refused = try Usher.run(renew, on: admin)
        #expect(refused.status == 3 && refused.output.isEmpty, "\(refused.output)")
        #expect(
            refused.errors.contains("needs two people") && refused.errors.contains("--request"), "\(refused.errors)")
    }

    @Test func confirmOptionIsIgnoredIfNoUserIsSelected() throws {
        let database = try MarkedDatabase.granted().conninfo()
        #expect(try Usher.run(["trial", "expire", "--due", "--yes"], on: database).status == 0)
        let again = try Usher.run(["trial", "expire", "--due", "--confirm", "13"], on: database)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("The selection has 0 users. Nothing changed"), "\(again.output)")
    }

    @Test func changeToTheSameValueReportsThatNothingChanged() throws {
        let (_, admin) = try database()
        let now = try objects(try Usher.run(["settings", "show", "quota", "--json"], on: admin).output)
        let limit = try #require(now.first { $0["tier"] as? String == "trial" }?["impulse_limit"] as? Int)
        let same = ["quota", "set", "trial", "impulse_limit", "\(limit)", "--reason", "x", "--yes"]
        let done = try Usher.run(same, on: admin)
        #expect(done.status == 0 && done.output.contains("Nothing changed"), "\(done.output)")
        #expect(!done.output.contains("rolled back") && !done.output.contains("Done"))
    }

    @Test(.long) func accountPlanSuggestsOnlyAllowedValuesOfTheSharedOption() throws {
        let database = try MarkedDatabase.granted("langchat").conninfo()
        let plan = try Usher.run(["account", "plan", "edith@example.com"], on: database).output
        #expect(plan.contains("--shared delete") && !plan.contains("detach"))
        let refused = try Usher.run(["account", "delete", "edith@example.com", "-n"], on: database)
        #expect(refused.status == 3 && refused.errors.contains("--shared delete"))
        #expect(!refused.errors.contains("detach"), "\(refused.errors)")
    }

    @Test func refusedExportNamesTheRoleAndDoesNotSuggestADeletion() throws {
        let (support, _) = try database()
        let refused = try Usher.run(["user", "export", "ada@example.com"], on: support)
        #expect(refused.status == 5 && !refused.errors.contains("account delete"), "\(refused.errors)")
        #expect(refused.errors.contains("connect as a member of usher_eraser: "), "\(refused.errors)")
        #expect(!refused.errors.contains("update"), "\(refused.errors)")
    }

    /// The completion begins with unprocessed events, and not with the oldest events.
    @Test func completionOffersUnprocessedEventsForEventReplay() throws {
        let database = try TestCluster.database(of: "impulse").conninfo()
        let offered = try Usher.run(
            ["--app", "impulse", "__complete", "--", "--app", "impulse", "event", "replay", ""], on: database
        ).output.split(separator: "\n")
        #expect(offered.count > 3 && offered.allSatisfy { $0.hasPrefix("stuck-") }, "\(offered)")
    }

    @Test func atOptionReadsATimeWithoutADateAsToday() throws {
        let database = try SampleDatabase.conninfo
        func at(_ text: String) throws -> String {
            let words = ["user", "why", "ada@example.com", "--at", text, "--json", "--tz", "Europe/Berlin"]
            return try #require(try object(try Usher.run(words, on: database).output)["at"] as? String)
        }
        #expect(try at("04:00") == at("today 04:00") && at("11:30 pm") == at("today 23:30"))
    }

    @Test(arguments: ["7 days ago", "1 hour ago", "-90 min"])
    func sinceOptionAcceptsRelativeTimes(text: String) throws {
        let database = try SampleDatabase.conninfo
        #expect(try Usher.run(["user", "timeline", "ada@example.com", "--since=\(text)"], on: database).status == 0)
        #expect(try Usher.run(["user", "timeline", "ada@example.com", "--since=no time"], on: database).status == 2)
    }
}
