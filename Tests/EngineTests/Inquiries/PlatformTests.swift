import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// What many apps bring with them, on tables of the same shape.
@Suite struct PlatformTests {
    private static let shop = """
        -- @app shop  Shop
        -- @requires public."Account"."providerAccountId"
        -- @requires stripe.subscriptions
        -- @include authjs
        -- @include stripe
        -- @account
        -- @reference stripe.customers.email -> public."User".email
        -- @reference stripe.customers (lower(email)) -> public."User".email
        """
    private static let club = """
        -- @app club  Club
        -- @requires public."account"."providerId"
        -- @include better-auth
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

    /// A row of each table, as columns or as documents.
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
    func authAndPaymentsByTwoIncludes(shape: String) throws {
        let database = try database(
            "authjs", "stripe-\(shape)", rows: Self.people + Self.stripe(typed: shape == "typed"))
        let app = try app(Self.shop)
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        let ada = try ask(app, "ada@example.com", on: database)
        #expect(try ada.decision("subscription").outcome == "paying")
        #expect(try ada.decision("subscription").because?.plain.contains("Gold; it is cancelled") == true)
        #expect(try ada.decision("signed-in").outcome == "yes")
        for title in ["Sign-in methods", "Sessions", "Subscriptions", "Invoices", "Payments"] {
            #expect(try ada.panel(title).rows?.rows.count == 1, "\(title)")
        }
        let ben = try ask(app, "ben@example.com", on: database)
        #expect(try ben.decision("subscription").outcome == "none")
        #expect(try ben.decision("signed-in").outcome == "no")
    }

    @Test(arguments: ["typed", "generated"])
    func nothingOfAnAccountIsUnsettled(shape: String) throws {
        let database = try database("authjs", "stripe-\(shape)", rows: Self.people)
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [try app(Self.shop)],
            options: InquiryOptions())
        #expect(survey.unsettled.map(\.name) == [])
        #expect(survey.missing == [])
    }

    @Test func betterAuth() throws {
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
        // A plug-in adds columns.
        try database.run(
            "alter table \"user\" add banned boolean, add \"banExpires\" timestamp, add role text",
            "update \"user\" set banned = true")
        #expect(try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions()).isEmpty)
        #expect(try ask(app, "ada@example.com", on: database).decision("signed-in").outcome == "banned")
        let survey = try Survey.make(
            AccountRequest(users: []), on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(survey.unsettled.map(\.name) == [])
    }
}
