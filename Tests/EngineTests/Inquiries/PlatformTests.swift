import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// The platform files fit apps that use the tables of these platforms.
@Suite struct PlatformTests {
    private static let shop = """
        -- @app shop  Shop
        -- @requires public."Account"."providerAccountId"
        -- @requires stripe.subscriptions
        -- @include authjs
        -- @include stripe
        -- @account
        -- @refers stripe.customers.email -> public."User".email
        -- @refers stripe.customers (lower(email)) -> public."User".email
        """
    private static let club = """
        -- @app club  Club
        -- @requires public."account"."providerId"
        -- @include better-auth
        """

    /// An app with names as Drizzle writes them.
    ///
    /// The app file replaces blocks of the platform file.
    private static let guild = """
        -- @app guild  Guild
        -- @requires public."account".provider_id
        -- @include better-auth
        -- @users
        -- @key id
        -- @email email
        select u.id, u.name, u.email, u.email_verified as is_verified from public."user" u;
        -- @object session  A session on a device.
        -- @key id
        -- @user user_id
        select s.id, s.user_id, s.created_at, s.expires_at as expires, s.ip_address as ip, s.user_agent from public."session" s;
        -- @panel Sign-in methods
        select a.provider_id as provider, a.created_at as linked from public."account" a where a.user_id = :user;
        -- @action session revoke  Sign a user out everywhere, or end one session.
        -- @option session?: uuid
        -- @do
        delete from public."session" where user_id = any(:users) and (:session is null or id = :session);
        -- @account
        -- @ignore public."account".account_id : The column contains the id of the row's own user.
        -- @secret public."account".access_token
        -- @secret public."account".refresh_token
        -- @secret public."account".id_token
        """

    private static let game = """
        -- @app game  Game
        -- @requires public.revenuecat_events.app_user_id
        -- @include revenuecat
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email, p.created_at from public.people p;
        -- @account
        -- @root public.people.id
        -- @refers public.revenuecat_events.app_user_id -> public.people.id
        """

    private static func fixture(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent("Fixtures/\(name).sql"), encoding: .utf8)
    }

    private func database(_ fixtures: String..., rows: String = "") throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        let text = try fixtures.map { try Self.fixture($0) }.joined(separator: "\n") + rows
        let result = try Subprocess.run(
            "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: text)
        #expect(result.status == 0, "\(result.errors)")
        return database
    }

    private func app(_ text: String) throws -> App {
        let scratch = try Scratch()
        return try AppLibrary.app(try scratch.file("app.sql", text).path)
    }

    private func ask(_ app: App, _ user: String, on database: TestDatabase) throws -> UserReport {
        try UserQuestion(user: user, assumed: [:], wantsEverything: true).ask(
            on: try database.connect(), candidates: [app], options: InquiryOptions())
    }

    private static let people = """

        insert into "User" values ('u1', 'Ada', 'ada@example.com', null, null), ('u2', 'Ben', 'ben@example.com', now(), null);
        insert into "Account" (id, "userId", type, provider, "providerAccountId", expires_at)
        values ('a1', 'u1', 'oauth', 'google', '123', 1900000000);
        insert into "Session" values ('s1', 'token-1', 'u1', now() + interval '10 days'), ('s2', 'token-2', 'u2', now() - interval '1 day');
        """

    /// The SQL that inserts a row into each table of Stripe, in columns or as JSON.
    private static func stripe(typed: Bool) -> String {
        let rows: [(table: String, values: String)] = [
            ("customers", #"{"id": "cus_1", "email": "Ada@example.com", "metadata": {}, "created": 1700000000}"#),
            ("products", #"{"id": "prod_1", "name": "Gold"}"#),
            ("prices", #"{"id": "price_1", "product": "prod_1", "currency": "eur"}"#),
            (
                "subscriptions",
                #"{"id": "sub_1", "customer": "cus_1", "status": "active", "created": 1700000000, "cancel_at_period_end": true, "#
                    + #""current_period_start": 1890000000, "current_period_end": 1900000000}"#
            ),
            ("subscription_items", #"{"id": "si_1", "subscription": "sub_1", "price": "price_1", "quantity": 1}"#),
            (
                "invoices",
                #"{"id": "in_1", "customer": "cus_1", "status": "paid", "total": 900, "amount_remaining": 0, "currency": "eur", "#
                    + #""created": 1700000000}"#
            ),
            (
                "charges",
                #"{"id": "ch_1", "customer": "cus_1", "status": "succeeded", "amount": 900, "amount_refunded": 0, "#
                    + #""currency": "eur", "created": 1700000000}"#
            ),
        ]
        return rows.map { table, values in
            typed
                ? "insert into stripe.\(table) select (jsonb_populate_record("
                    + "null::stripe.\(table), '\(values)'::jsonb || '{\"updated_at\": \"2026-01-01\"}')).*;"
                : "insert into stripe.\(table) (_raw_data) values ('\(values)');"
        }.joined(separator: "\n")
    }

    @Test(arguments: ["typed", "generated"])
    func twoIncludedPlatformFilesDescribeSignInsAndPayments(shape: String) throws {
        let database = try database(
            "authjs", "stripe-\(shape)", rows: Self.people + Self.stripe(typed: shape == "typed"))
        let app = try app(Self.shop)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        let ada = try ask(app, "ada@example.com", on: database)
        #expect(try ada.decision("subscription").outcome == "paying")
        #expect(try ada.decision("subscription").because?.plain.contains("Gold; the subscription is cancelled") == true)
        #expect(try ada.decision("signed-in").outcome == "yes")
        for title in ["Sign-in methods", "Sessions", "Subscriptions", "Invoices", "Payments"] {
            #expect(try ada.panel(title).rows?.rows.count == 1, "\(title)")
        }
        let ben = try ask(app, "ben@example.com", on: database)
        #expect(try ben.decision("subscription").outcome == "none")
        #expect(try ben.decision("signed-in").outcome == "no")
        guard shape == "typed" else { return }
        try database.run("update stripe.subscriptions set status = 'paused'", "delete from stripe.subscription_items")
        let paused = try ask(app, "ada@example.com", on: database).decision("subscription")
        #expect(paused.outcome == "paused")
        #expect(paused.because?.plain.contains("NULL") == false)
    }

    @Test(arguments: ["typed", "generated"])
    func platformFilesDeclareEveryColumnThatTheSurveyFinds(shape: String) throws {
        let database = try database("authjs", "stripe-\(shape)", rows: Self.people)
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [try app(Self.shop)],
            options: InquiryOptions())
        #expect(survey.undeclared.map(\.name) == [])
        #expect(survey.missing == [])
    }

    @Test func platformFileOfBetterAuthFitsTheTablesOfBetterAuth() throws {
        let database = try database(
            "better-auth",
            rows: """

                insert into "user" values ('u1', 'Ada', 'ada@example.com', true, null, now(), now());
                insert into "session" values ('s1', now() + interval '1 day', 'token', now(), now(), '10.0.0.1', 'Firefox', 'u1');
                insert into "account" (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
                values ('a1', 'x', 'credential', 'u1', now(), now());
                """)
        let app = try app(Self.club)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        #expect(try ask(app, "ada@example.com", on: database).decision("signed-in").outcome == "yes")
        // A plug-in of Better Auth adds columns.
        try database.run(
            "alter table \"user\" add banned boolean, add \"banExpires\" timestamp, add role text",
            "update \"user\" set banned = true")
        #expect(try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions()).isEmpty)
        #expect(try ask(app, "ada@example.com", on: database).decision("signed-in").outcome == "banned")
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(survey.undeclared.map(\.name) == [])
    }

    @Test func platformFileOfBetterAuthFitsTablesWithSnakeCaseNames() throws {
        let database = try database(
            "better-auth-snake",
            rows: """

                insert into "user" (name, email) values ('Ada', 'ada@example.com');
                insert into "session" (expires_at, token, user_id) select now() + interval '1 day', 'token', id from "user";
                insert into "account" (account_id, provider_id, user_id) select 'x', 'credential', id from "user";
                """)
        let app = try app(Self.guild)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        let ada = try ask(app, "ada@example.com", on: database)
        #expect(try ada.decision("signed-in").outcome == "yes")
        #expect(try ada.panel("Sign-in methods").rows?.rows.count == 1)
        try database.run(
            "alter table \"user\" add banned boolean, add ban_expires timestamp",
            "update \"user\" set banned = true, ban_expires = now() - interval '1 day'")
        #expect(try ask(app, "ada@example.com", on: database).decision("signed-in").outcome == "yes")
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(survey.undeclared.map(\.name) == [])
        #expect(survey.missing == [])
    }

    /// An event as RevenueCat sends it, at an hour of 1 November 2026.
    private struct Purchase {
        let user: String
        let type: String
        let hour: Int
        var transaction: String? = "t1"
        var ends: Int? = 1_800_000_000
        var more = ""

        /// The SQL that inserts the whole body of the webhook, or only the event.
        func insert(raw: Bool, number: Int) -> String {
            let at = 1_793_491_200_000 + hour * 3_600_000
            let event =
                #"{"id": "e\#(number)", "type": "\#(type)", "event_timestamp_ms": \#(at), "app_user_id": "\#(user)", "#
                + #""product_id": "gold_monthly", "period_type": "NORMAL", "purchased_at_ms": \#(at), "#
                + #""expiration_at_ms": \#(ends.map { "\($0)000" } ?? "null"), "environment": "PRODUCTION", "store": "APP_STORE", "#
                + #""price_in_purchased_currency": 4.99, "currency": "EUR", "entitlement_ids": ["gold"], "#
                + #""original_transaction_id": \#(transaction.map { "\"\($0)\"" } ?? "null"), "transaction_id": "x\#(number)""#
                + (more.isEmpty ? "}" : ", \(more)}")
            let person = user.isEmpty ? "null" : "'\(user)'"
            return raw
                ? "insert into public.revenuecat_events (id, app_user_id, type, raw_event) values ('e\(number)', \(person), '\(type)', '\(event)');"
                : "insert into public.revenuecat_events (event_id, event_type, app_user_id, payload) "
                    + "values ('e\(number)', '\(type)', \(person), '{\"api_version\": \"1.0\", \"event\": \(event)}');"
        }
    }

    @Test(arguments: [("revenuecat", false), ("revenuecat-raw", true)])
    func includedPlatformFileOfRevenueCatDescribesPurchases(fixture: String, raw: Bool) throws {
        func id(_ number: Int) -> String { "00000000-0000-0000-0000-00000000000\(number)" }
        let over = 1_793_000_000
        let alias = #""aliases": ["$RCAnonymousID:1", "\#(id(8))"]"#
        let purchases = [
            Purchase(user: id(1), type: "INITIAL_PURCHASE", hour: 1), Purchase(user: id(1), type: "RENEWAL", hour: 2),
            Purchase(
                user: id(2), type: "CANCELLATION", hour: 3, transaction: "t2", more: #""cancel_reason": "UNSUBSCRIBE""#),
            Purchase(
                user: id(3), type: "CANCELLATION", hour: 3, transaction: "t3",
                more: #""cancel_reason": "CUSTOMER_SUPPORT""#),
            Purchase(user: id(4), type: "BILLING_ISSUE", hour: 4, transaction: "t4"),
            Purchase(
                user: id(5), type: "EXPIRATION", hour: 5, transaction: "t5", ends: over,
                more: #""expiration_reason": "BILLING_ERROR""#),
            Purchase(user: id(6), type: "NON_RENEWING_PURCHASE", hour: 5, transaction: "t6", ends: nil),
            Purchase(user: "$RCAnonymousID:1", type: "INITIAL_PURCHASE", hour: 6, transaction: "t8", more: alias),
            Purchase(user: id(9), type: "INITIAL_PURCHASE", hour: 6, transaction: "t9"),
            Purchase(
                user: "", type: "TRANSFER", hour: 7, transaction: nil,
                more: #""transferred_from": ["\#(id(9))"], "transferred_to": ["\#(id(7))"]"#),
            Purchase(user: "stranger", type: "INITIAL_PURCHASE", hour: 8, transaction: "t0"),
        ]
        let rows =
            (1...9).map { "insert into public.people values ('\(id($0))', 'p\($0)@example.com');" }
            + purchases.enumerated().map { $1.insert(raw: raw, number: $0) }
        let database = try database(fixture, rows: rows.joined(separator: "\n"))
        let app = try app(Self.game)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        let expected = [
            ("paying", "runs until"), ("paying", "the subscription is cancelled"), ("ended", "refunded"),
            ("late", "failed"),
            ("ended", "no longer tries"), ("paying", "without an end"), ("none", "event about a purchase"),
            ("paying", "runs until"),
            ("none", "event about a purchase"),
        ]
        let options = InquiryOptions(at: "2026-11-02T00:00:00Z")
        for (number, (outcome, words)) in expected.enumerated() {
            let report = try UserQuestion(user: "p\(number + 1)@example.com", assumed: [:], wantsEverything: true).ask(
                on: try database.connect(), candidates: [app], options: options)
            let decision = try report.decision("subscription")
            #expect(decision.because?.plain.contains(words) == true, "p\(number + 1): \(decision.because?.plain ?? "")")
            #expect(decision.outcome == outcome, "p\(number + 1)")
        }
        let checks = try Inquiry.open(
            on: try database.connect(), candidates: [app], options: InquiryOptions(), for: .users
        ).checks(nil, limit: 10)
        #expect(checks.map { $0.violations?.rows.count } == [1])
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(survey.undeclared.map(\.name) == [])
        #expect(survey.missing == [])
    }

    @Test func platformFileOfRevenueCatWorksForUsersWithoutAnEmail() throws {
        let key = "00000000-0000-0000-0000-000000000001"
        let database = try database(
            "revenuecat",
            rows: """

                alter table public.revenuecat_events alter column app_user_id type uuid using app_user_id::uuid;
                alter table public.revenuecat_events rename payload to event_data;
                insert into public.people values ('\(key)', 'ada@example.com');
                """)
        try database.run(
            Purchase(user: key, type: "INITIAL_PURCHASE", hour: 1).insert(raw: false, number: 1)
                .replacing("payload", with: "event_data"))
        let app = try app(Self.game)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        #expect(try ask(app, "ada@example.com", on: database).decision("subscription").outcome == "paying")
    }
}
