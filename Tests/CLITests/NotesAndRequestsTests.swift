import Foundation
import PQ
import Support
import Testing

/// Support sees previews of bulk changes, timelines, links, repeated output (`--watch`), and requests.
@Suite struct NotesAndRequestsTests {
    private static let few = ["ada", "grace", "katherine", "trial"].map { "\($0)@example.com" }

    @Test func bulkPreviewNamesUsersAndEachRefusalOnce() throws {
        let words = ["partner", "grant"] + Self.few + ["--source", "influencer", "-n"]
        let run = try Usher.run(words, on: try MarkedDatabase.conninfo)
        #expect(run.status == 7)
        #expect(run.output.contains("~ public.profiles  ada@example.com, trial@example.com\n"))
        #expect(!run.output.contains("034cc0f7-3e67-40be-a037-f5598145161b"))
        #expect(run.output.contains("✗ 2, as grace@example.com: The user pays for foundation"))
        #expect(run.output.contains("\n    grace@example.com, katherine@example.com\n"))
        #expect(run.errors.contains("katherine@example.com, as grace@example.com: The user pays"))
        let one = try Usher.run(
            ["partner", "grant", Self.few[0], "--source", "influencer", "-n"], on: try MarkedDatabase.conninfo)
        #expect(
            one.output.contains("~ public.profiles  ada@example.com\n"), "the row is named by the user's email")
    }

    @Test func userTimelineShowsTheDecisionsThatAnOperationChanged() throws {
        let database = try MarkedDatabase.granted().conninfo()
        let done = try object(
            try Usher.run(
                ["partner", "grant", "dennis@example.com", "--source", "influencer", "-y", "--json"], on: database
            ).output)
        let operation = try #require(done["operation"] as? String)
        #expect(try Usher.run(["audit", "undo", operation, "-y"], on: database).status == 0)
        let events = try objects(
            try Usher.run(["user", "timeline", "dennis@example.com", "--limit", "2", "--json"], on: database).output)
        let details = events.compactMap { $0["detail"] as? String }
        #expect(details.first?.hasPrefix("access: active -> paywall, ") == true)
        #expect(details.last?.hasPrefix("access: paywall -> active, ") == true)
        #expect(details.last?.contains("undone") == true)
        #expect(try Usher.run(["audit", "verify"], on: database).status == 0)
    }

    @Test func deletionOfAPayingUserWarnsAboutFurtherCharges() throws {
        for (app, user, words) in [
            ("impulse", "katherine", "The store keeps charging for mastery"),
            ("xtablo", "grace", "Stripe keeps charging"), ("xtablo", "annie", "Apple keeps charging"),
            ("xtablo", "grace", "organization transfer"),
        ] {
            let database = try MarkedDatabase.fresh(app).conninfo()
            let plan = try object(
                try Usher.run(["account", "plan", "\(user)@example.com", "--json"], on: database).output)
            let warnings = try #require(plan["warnings"] as? [String])
            #expect(warnings.contains { $0.contains(words) }, "\(app) \(user): \(warnings)")
        }
        let plan = try Usher.run(["account", "plan", "ada@example.com"], on: try MarkedDatabase.conninfo)
        #expect(!plan.output.contains("charging"))
    }

    @Test func listCommandsOfAnAppAcceptTheOptionsOfAllLists() throws {
        let database = try MarkedDatabase.conninfo
        func emails(_ more: [String]) throws -> [String] {
            try objects(try Usher.run(["partner", "list", "--json"] + more, on: database).output).compactMap {
                $0["email"] as? String
            }
        }
        let all = try emails([])
        #expect(all.count > 3)
        #expect(try emails(["--sort=-email"]) == all.sorted(by: >))
        #expect(try emails(["--sort", "email", "--limit", "2"]) == Array(all.sorted().prefix(2)))
        #expect(try emails(["--user", all[1]]) == [all[1]])
        #expect(try emails(["--user", "ada@example.com"]).isEmpty)
        let (old, new) = (try emails(["--until", "2026-09-01"]), try emails(["--since", "2026-09-01"]))
        #expect(Set(old).isDisjoint(with: new) && Set(old + new) == Set(all))
        let missing = try Usher.run(["partner", "list", "--sort", "nope"], on: database)
        #expect(missing.status == 2 && missing.errors.contains("partner_source"))
        let nobodys = try Usher.run(
            ["organization", "candidates", "Indigo Theatre", "--user", "grace@example.com"],
            on: try TestCluster.database(of: "xtablo").conninfo())
        #expect(nobodys.status == 2, "\(nobodys.errors)")
    }

    @Test func userShowPrintsLinksToOtherSystems() throws {
        let database = try TestCluster.database(of: "xtablo").conninfo()
        let address = "https://dashboard.stripe.com/customers/cus_0f0edd1b556bb0"
        let plain = try Usher.run(["user", "show", "grace@example.com"], on: database)
        #expect(plain.output.contains("Stripe  \(address)"))
        let document = try object(try Usher.run(["user", "show", "grace@example.com", "--json"], on: database).output)
        #expect((document["links"] as? [String: String])?["Stripe"] == address)
        let none = try Usher.run(["user", "show", "linus@example.com"], on: database)
        #expect(none.status == 0 && !none.output.contains("dashboard.stripe.com/customers/\n"))
    }

    @Test func watchOptionPrintsTheResultAgainAfterAWrite() throws {
        let database = try MarkedDatabase.fresh()
        let terminal = try Usher.console(
            ["user", "show", "ada@example.com", "--watch", "0.5", "--no-pager"], on: database.conninfo(), columns: 200)
        try terminal.wait(for: "Ada Lovelace")
        try database.run(
            "update public.profiles set notification_email = 'king@example.com' where email = 'ada@example.com'")
        try terminal.wait(for: "king@example.com")
        terminal.type("\u{3}")
        #expect(try terminal.end() == 0)
        let refused = try Usher.run(
            ["partner", "grant", "ada@example.com", "--source", "influencer", "--watch", "1"], on: database.conninfo())
        #expect(refused.status == 2)
        #expect(try Usher.run(["user", "list", "--watch", "1", "-o", "csv"], on: database.conninfo()).status == 2)
    }

    @Test func completionOffersOpenRequests() throws {
        let database = try MarkedDatabase.granted()
        try database.makeRole("desk_asker", "in role usher_support")
        let asked = try object(
            try Usher.run(
                ["partner", "grant", "ada@example.com", "--source", "influencer", "--request", "--json"],
                on: database.conninfo(user: "desk_asker")
            ).output)
        let id = try #require(asked["request"] as? String)
        let offered = try Usher.run(
            ["__complete", "--", "request", "approve", ""], on: database.conninfo(),
            environment: ["USHER_COMPLETION_SECONDS": "20"])
        #expect(offered.output.contains("\(id)\tpartner grant, ada@example.com, desk_asker"), "\(offered.output)")
    }
}
