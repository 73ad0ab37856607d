import AppFile
import Catalog
import Inquiries
import PQ
import Support
import Testing

/// Queries about one user use indexes, so other users don't slow them down.
@Suite struct InboxPlanTests {
    private static func plan(_ query: ComposedQuery, on connection: Connection) throws -> String {
        let rows = try connection.execute(Query(unsafe: "explain (costs off) " + query.sql, query.values)).rows
        return rows.compactMap { $0.values[0].text }.joined(separator: "\n")
    }

    /// The check of one user doesn't read the many events of other users.
    @Test func invariantCheckOfOneUserUsesAnIndex() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at)
            select 'many-' || n, 'DID_RENEW', 'production', u.id, '{}', now() - interval '1 day'
              from auth.users u, generate_series(1, 20000) n where u.email = 'grace@example.com'
            """, "analyze public.iap_webhook_events")
        let connection = try database.connect()
        let app = try AppLibrary.whole(try AppLibrary.app("impulse"))
        let key = try #require(
            try connection.execute("select id from auth.users where email = 'ada@example.com'").rows[0].values[0].text)
        let user = UserKey.known(key, type: "uuid")
        let check = try #require(app.checks.first { $0.name == "webhooks" })
        let query = try #require(app.queries(["user": user.binding]).violations(of: check, by: user, limit: 3))
        let plan = try Self.plan(query, on: connection)
        #expect(plan.contains("iap_webhook_events_user_id_idx"), "\(plan)")
        #expect(!plan.contains("Seq Scan on iap_webhook_events"), "\(plan)")
        let awaited = try #require(app.awaited.first)
        var filter = App.ListFilter()
        filter.selections = [awaited.selection]
        filter.user = user
        let waiting = try Self.plan(app.queries().list(of: awaited.object, filter), on: connection)
        #expect(!waiting.contains("Seq Scan on iap_webhook_events"), "\(waiting)")
    }

    @Test func inboxOfAUserSkipsAnInvariantForRowsWithoutAUser() throws {
        let app = try AppLibrary.whole(try AppLibrary.app("importer"))
        let check = try #require(app.checks.first { $0.name == "store-stuck" })
        #expect(app.queries().violations(of: check, by: .known("x", type: "uuid"), limit: 3) == nil)
    }
}
