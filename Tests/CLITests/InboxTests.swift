import Foundation
import PQ
import Support
import Testing

/// The top of a user's screen lists broken invariants, and objects that are not processed yet.
@Suite struct InboxTests {
    private func inbox(of user: String, on database: String) throws -> [[String: Any]] {
        let shown = try Usher.run(["user", "show", user, "--json"], on: database)
        #expect(shown.status == 0, "\(shown.errors)")
        return try #require(try object(shown.output)["inbox"] as? [[String: Any]])
    }

    @Test func userShowListsAnUnprocessedPurchaseEventWithItsRepair() throws {
        let database = try MarkedDatabase.conninfo
        let items = try inbox(of: "niklaus@example.com", on: database)
        #expect(items.map { $0["name"] as? String } == ["webhooks"])
        let item = try #require(items.first)
        #expect(Set(item.keys) == ["kind", "name", "summary", "key", "facts", "command", "role"])
        #expect(item["kind"] as? String == "broken")
        let key = try #require(item["key"] as? String)
        #expect(item["command"] as? String == "event replay \(key)")
        #expect((item["facts"] as? [String: Any])?["event_type"] as? String == "SUBSCRIBED")
        let screen = try Usher.run(["user", "show", "niklaus@example.com"], on: database).output
        let (line, verdict) = (screen.range(of: "broken "), screen.range(of: "The user has paid"))
        #expect(try #require(line).lowerBound > (try #require(verdict)).lowerBound)
        #expect(screen.contains("Process the event: usher event replay \(key)"))
        #expect(!screen.contains("nothing is broken"))
    }

    @Test func inboxListsOnlyItemsOfTheShownUser() throws {
        let items = try inbox(of: "ada@example.com", on: try MarkedDatabase.conninfo)
        #expect(items.map { $0["name"] as? String } == ["trial-overdue"])
        #expect(items.first?["command"] as? String == "trial expire ada@example.com")
    }

    /// The webhook is listed although it is too recent to break the invariant.
    @Test func inboxListsAnUnprocessedWebhookThatJustArrived() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            """
            insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
            select 'fresh-1', 'SUBSCRIBED', 'production', u.id, '{}' from auth.users u where u.email = 'grace@example.com'
            """)
        let items = try inbox(of: "grace@example.com", on: database.conninfo())
        #expect(items.map { $0["kind"] as? String } == ["waiting"])
        #expect(items.first?["key"] as? String == "fresh-1")
        #expect(items.first?["command"] as? String == "event replay fresh-1")
        #expect(items.first?["summary"] as? String == "Events that arrived but are not processed.")
    }

    @Test(arguments: [
        ("impulse", "niklaus@example.com", "event replay"), ("xtablo", "linus@example.com", "event replay"),
        ("xtablo", "annie@example.com", nil),
        ("strikelab", "edsger@example.com", "user repair"),
    ])
    func inboxListsTheProblemsOfEachApp(app: String, user: String, command: String?) throws {
        let database = try TestCluster.database(of: app)
        let items = try inbox(of: user, on: database.conninfo())
        #expect(!items.isEmpty)
        if let command {
            #expect(items.contains { ($0["command"] as? String)?.hasPrefix(command + " ") == true })
        } else {
            #expect(items.contains { $0["command"] is NSNull })
        }
    }

    @Test func inboxListsAnUndoneOperation() throws {
        let database = try MarkedDatabase.fresh()
        let conninfo = database.conninfo()
        let granted = try Usher.run(
            ["partner", "grant", "ada@example.com", "--source", "marketing", "--yes", "--json"], on: conninfo)
        let id = try #require(try object(granted.output)["operation"] as? String)
        #expect(try inbox(of: "ada@example.com", on: conninfo).allSatisfy { $0["kind"] as? String != "undone" })
        #expect(try Usher.run(["audit", "undo", id, "--yes"], on: conninfo).status == 0)
        let items = try inbox(of: "ada@example.com", on: conninfo)
        let undone = try #require(items.first { $0["kind"] as? String == "undone" })
        #expect(undone["command"] as? String == "audit show \(id)")
        #expect(try inbox(of: "grace@example.com", on: conninfo).isEmpty)
    }

    /// An object without an owner is not on the screen of a user, so the screen of the object lists its problems.
    @Test func objectShowListsTheInvariantsThatTheObjectBreaks() throws {
        let database = try TestCluster.database(of: "xtablo")
        func show(_ condition: String) throws -> String {
            let rows = try database.connect().execute(
                Query(unsafe: "select id::text from public.organizations where \(condition) order by id limit 1"))
            let key = try #require(rows.first?.values.first?.text)
            return try Usher.run(["organization", "show", key], on: database.conninfo()).output
        }
        let ownerless = try show("billing_owner_id is null")
        #expect(ownerless.contains("broken") && ownerless.contains("no-owner"), "\(ownerless)")
        let owned = try show("name = 'Indigo Theatre'")
        #expect(!owned.contains("no-owner"), "\(owned)")
        let unlisted = try show(
            """
            billing_owner_id is not null and not exists (
                select from public.organization_members m where m.organization_id = organizations.id
                   and m.user_id = organizations.billing_owner_id)
            """)
        #expect(unlisted.contains("→ usher organization enroll "), "\(unlisted)")
    }
}
