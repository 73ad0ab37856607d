import Foundation
import PQ
import Support
import Testing

/// usher processes webhooks once each, in order, and never overwrites newer data with older data.
@Suite(.long) struct EventReplayTests {
    private static let owner = "test+unpaid@example.com"

    /// Stores an unprocessed RevenueCat event; hours count from the start of the subscription's first period.
    private static func send(
        _ id: String, _ type: String, hour: Int, periodEnd: Int, transaction: String = "t",
        environment: String = "PRODUCTION", to database: TestDatabase
    ) throws {
        _ = try database.connect().execute(
            """
            insert into public.apple_subscription_events (event_id, event_type, environment, payload)
            select \(id), \(type), lower(\(environment)), jsonb_build_object('event', jsonb_build_object(
                       'id', \(id)::text, 'type', \(type)::text, 'environment', \(environment)::text, 'store', 'APP_STORE',
                       'period_type', 'NORMAL', 'app_user_id', u.id::text, 'product_id', 'annual_ios',
                       'original_transaction_id', 'replayed', 'transaction_id', \(transaction)::text,
                       'event_timestamp_ms', 1790000000000 + \(String(hour))::bigint * 3600000,
                       'purchased_at_ms', 1790000000000,
                       'expiration_at_ms', 1790000000000 + \(String(periodEnd))::bigint * 3600000))
              from auth.users u where u.email = \(owner)
            """)
    }

    private static func value(_ query: Query, _ database: TestDatabase) throws -> String? {
        try database.connect().execute(query).first?.values.first?.text
    }

    private static func subscription(_ database: TestDatabase) throws -> String? {
        try value(
            """
            select status || ' ' || last_event_type || ' ' || extract(epoch from current_period_end)::bigint / 3600 - 497222
              from public.apple_subscriptions where original_transaction_id = 'replayed'
            """, database)
    }

    private static func isProcessed(_ id: String, _ database: TestDatabase) throws -> String? {
        try value(
            "select (processed_at is not null)::text from public.apple_subscription_events where event_id = \(id)",
            database)
    }

    private func replay(_ words: [String], _ database: TestDatabase) throws -> Subprocess.Result {
        try Usher.run(["event", "replay"] + words + ["--yes", "--json"], on: database.conninfo())
    }

    @Test func eventWithoutAValidTimeDoesNotBlockOtherEvents() throws {
        let database = try MarkedDatabase.fresh("impulse")
        for (id, time) in [("broken", "garbage"), ("leap", "2026-02-31T10:00:00Z"), ("fine", "2026-11-20T10:00:00.5Z")]
        {
            _ = try database.connect().execute(
                """
                insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
                select \(id), e.event_type, 'production', e.user_id, e.payload || jsonb_build_object('at', \(time)::text)
                  from public.iap_webhook_events e
                  join public.subscription_config c on c.product_id = e.payload ->> 'product_id'
                 where e.event_type = 'DID_RENEW' and e.user_id is not null limit 1
                """)
        }
        let list = try Usher.run(["event", "list", "--unprocessed", "-o", "name"], on: database.conninfo())
        #expect(list.status == 0, "\(list.errors)")
        #expect(Set(list.output.split(separator: "\n")).isSuperset(of: ["broken", "leap", "fine"]))
        let one = try replay(["broken"], database)
        #expect(one.status == 3)
        #expect(one.errors.contains("The event has no time"))
        #expect(try replay(["--unprocessed"], database).status == 7)
        let left = try database.connect().execute(
            "select event_id from public.iap_webhook_events where event_id in ('broken', 'leap', 'fine') and processed_at is null"
        ).rows.compactMap { $0.values[0].text }
        #expect(Set(left) == ["broken", "leap"])
    }

    @Test func eventReplayProcessesEventsInChronologicalOrder() throws {
        let database = try MarkedDatabase.fresh("xtablo")
        // The events arrive in the wrong order.
        try Self.send("second", "RENEWAL", hour: 24, periodEnd: 48, to: database)
        try Self.send("first", "INITIAL_PURCHASE", hour: 0, periodEnd: 24, to: database)
        let unknown = try Self.value(
            "select count(*)::text from public.apple_subscription_events where processed_at is null", database)
        let all = try replay(["--unprocessed"], database)
        #expect(all.status == 7, "the sample has some that nobody can process: \(all.errors)")
        #expect(try Self.subscription(database) == "active RENEWAL 48")
        #expect(try Self.isProcessed("first", database) == "true")
        #expect(try Self.isProcessed("second", database) == "true")
        let left = try Self.value(
            "select count(*)::text from public.apple_subscription_events where processed_at is null", database)
        let refused = try object(all.output)["refused"] as? [[String: Any]]
        #expect(refused?.count == left.flatMap { Int($0) })
        #expect(unknown != left)

        let before = try Self.value(
            "select md5(string_agg(s::text, '' order by id)) from public.apple_subscriptions s", database)
        let again = try replay(["first", "second"], database)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try object(again.output)["operation"] is NSNull, "a processed event changes nothing")
        #expect(
            try Self.value(
                "select md5(string_agg(s::text, '' order by id)) from public.apple_subscriptions s", database)
                == before)
    }

    /// Sends an event of the store to a user of the sample who is in a trial.
    private static func sendToTrial(_ type: String, _ database: TestDatabase) throws -> String {
        let user = try #require(
            try value(
                """
                select p.id::text from public.profiles p
                 where p.subscription_tier = 'trial'
                   and not exists (select from public.iap_subscriptions s where s.user_id = p.id) order by p.id limit 1
                """, database))
        _ = try database.connect().execute(
            """
            insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload)
            values (\(type), \(type), 'production', \(user)::text::uuid, jsonb_build_object(
                    'at', now(), 'platform', 'ios', 'product_id', 'im.foundation.monthly',
                    'original_transaction_id', 'of-a-trial', 'expires_date', now() + interval '29 days'))
            """)
        return user
    }

    @Test(.long, arguments: ["CANCEL", "EXPIRED", "REFUNDED", "DID_FAIL_TO_RENEW"])
    func eventOtherThanAPurchaseDoesNotCreateASubscription(type: String) throws {
        let database = try MarkedDatabase.fresh("impulse")
        let user = try Self.sendToTrial(type, database)
        let result = try replay([type], database)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try Self.value(
                "select count(*)::text from public.iap_subscriptions where user_id = \(user)::text::uuid", database)
                == "0")
    }

    @Test(.long) func replayedPurchaseStartsAMonthOfQuota() throws {
        let database = try MarkedDatabase.fresh("impulse")
        let user = try Self.sendToTrial("SUBSCRIBED", database)
        let result = try replay(["SUBSCRIBED"], database)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try Self.value(
                "select (resets_at > now())::text from public.impulse_quota where user_id = \(user)::text::uuid",
                database) == "true")
    }

    @Test(.long) func dismissedEventDoesNotBlockAnOlderEvent() throws {
        let database = try MarkedDatabase.fresh("impulse")
        _ = try Self.sendToTrial("SUBSCRIBED", database)
        _ = try Self.sendToTrial("DID_FAIL_TO_RENEW", database)
        let dismissed = try Usher.run(
            ["event", "dismiss", "DID_FAIL_TO_RENEW", "--reason", "sent twice", "--yes", "--json"],
            on: database.conninfo())
        #expect(dismissed.status == 0, "\(dismissed.errors)")
        #expect(try replay(["SUBSCRIBED"], database).status == 0)
        #expect(
            try Self.value(
                "select count(*)::text from public.iap_subscriptions where original_transaction_id = 'of-a-trial'",
                database) == "1")
    }

    @Test func olderEventNeverOverwritesNewerData() throws {
        let database = try MarkedDatabase.fresh("xtablo")
        try Self.send("first", "INITIAL_PURCHASE", hour: 0, periodEnd: 24, to: database)
        try Self.send("second", "RENEWAL", hour: 24, periodEnd: 48, to: database)
        #expect(try replay(["first", "second"], database).status == 0)
        try Self.send("late", "EXPIRATION", hour: 12, periodEnd: 12, to: database)
        let late = try replay(["late"], database)
        #expect(late.status == 0, "\(late.errors)")
        let warnings = try object(late.output)["warnings"] as? [String]
        #expect(warnings?.first?.contains("newer event was already applied") == true)
        #expect(try Self.subscription(database) == "active RENEWAL 48")
        #expect(try Self.isProcessed("late", database) == "true")
    }

    @Test func sandboxEventsNeverChangeProductionData() throws {
        let database = try MarkedDatabase.fresh("xtablo")
        try Self.send("first", "INITIAL_PURCHASE", hour: 0, periodEnd: 24, to: database)
        #expect(try replay(["first"], database).status == 0)
        try Self.send("toy", "RENEWAL", hour: 24, periodEnd: 48, environment: "SANDBOX", to: database)
        let toy = try replay(["toy"], database)
        #expect(toy.status == 3)
        #expect(toy.errors.contains("a subscription of the other environment"))
        #expect(try Self.subscription(database) == "active INITIAL_PURCHASE 24")
        #expect(try Self.isProcessed("toy", database) == "false")
    }

    @Test func failedEventStaysUnprocessedAndTheOtherEventsAreProcessed() throws {
        let database = try MarkedDatabase.fresh("xtablo")
        try database.run("alter table public.apple_subscriptions add check (transaction_id <> 'impossible')")
        try Self.send("first", "INITIAL_PURCHASE", hour: 0, periodEnd: 24, to: database)
        try Self.send("broken", "RENEWAL", hour: 24, periodEnd: 48, transaction: "impossible", to: database)
        try Self.send("third", "RENEWAL", hour: 48, periodEnd: 72, to: database)
        let all = try replay(["first", "broken", "third"], database)
        #expect(all.status == 7, "\(all.errors)")
        let refused = try #require(object(all.output)["refused"] as? [[String: Any]])
        #expect(refused.map { $0["failed"] as? Bool } == [true])
        #expect((refused[0]["because"] as? String)?.contains("violates check constraint") == true)
        #expect(try Self.isProcessed("broken", database) == "false")
        #expect(try Self.subscription(database) == "active RENEWAL 72")
    }
}
