import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// A report states the reason for each unreadable part, and the other parts are complete.
@Suite struct BrokenPanelTests {
    @Test func panelWithAMissingTableReportsItsPlaceInTheAppFile() throws {
        let sample = try Sample()
        try sample.database.run("drop table iap_transactions cascade", "alter table auth.identities rename to gone")
        let report = try sample.ask("grace@example.com")
        for title in ["Transactions", "Sign-in methods"] {
            let panel = try report.panel(title)
            #expect(panel.rows == nil)
            #expect(panel.unavailable?.sentence.contains("does not exist") == true)
        }
        #expect(try report.panel("Transactions").unavailable?.sentence.contains("(apps/impulse/screens.sql:") == true)
        #expect(try report.panel("Sign-in methods").unavailable?.sentence.contains("(platform/supabase.sql:") == true)
        for title in ["Profile", "Store subscription", "Store webhooks", "Sessions"] {
            #expect(try report.panel(title).rows?.rows.isEmpty == false, "\(title)")
        }
        #expect(try report.decision("access").outcome == "active")
        #expect(try report.quota("impulses").usage != nil)
    }

    @Test func missingColumnOfTheUsersIsAnErrorThatSuggestsOptional() throws {
        let sample = try Sample()
        try sample.database.run("alter table profiles drop column trial_converted cascade")
        let error = try failure { _ = try sample.ask("grace@example.com") }
        #expect(error.message.hasPrefix("column p.trial_converted does not exist (apps/impulse.sql:"))
        #expect(error.hint == "if only some databases have this column, declare it with `@optional` in the app file")
    }

    @Test func unreadableDecisionAndQuotaReportTheReason() throws {
        let sample = try Sample()
        try sample.database.run("alter table impulse_quota rename column check_ins_used to taken")
        let report = try sample.ask("grace@example.com")
        #expect(try report.decision("access").outcome == "active")
        #expect(try report.decision("create-impulse").outcome == "quota-exceeded", "it reads another column")
        let decision = try report.decision("create-check-in")
        #expect(decision.outcome == nil)
        #expect(decision.unavailable?.sentence.contains("check_ins_used does not exist (apps/impulse.sql:") == true)
        #expect(try report.quota("impulses").unavailable?.sentence.contains("does not exist") == true)
        #expect(report.panels.allSatisfy { $0.unavailable == nil })
    }

    private static let denied = "your role can't read this data: permission denied for table "

    @Test func userReportShowsOnlyPartsWhoseTablesTheRoleCanRead() throws {
        let sample = try Sample()
        try sample.database.makeRole("some_tables", "bypassrls")
        try sample.database.run(
            "grant usage on schema auth, public to some_tables",
            "grant select on auth.users, auth.sessions, profiles, subscription_config, iap_webhook_events to some_tables",
            """
            grant select (user_id, platform, platform_product_id, original_transaction_id, status, auto_renew_enabled, expires_date)
               on iap_subscriptions to some_tables
            """)
        let report = try sample.ask("grace@example.com", role: "some_tables")
        #expect(try report.decision("access").outcome == "active")
        #expect(
            try report.decision("create-impulse").unavailable?.sentence.hasPrefix(Self.denied + "impulse_quota") == true
        )
        #expect(
            try report.quota("check-ins").unavailable?.sentence.hasPrefix(Self.denied + "impulse_quota") == true)
        #expect(
            try report.panel("Store subscription").unavailable?.sentence.hasPrefix(Self.denied + "iap_subscriptions")
                == true)
        #expect(
            try report.panel("Transactions").unavailable?.sentence.hasPrefix(Self.denied + "iap_transactions") == true)
        #expect(
            try report.panel("Transactions").unavailable?.sentence.contains("for the role usher_support") == true)
        #expect(try report.panel("Sessions").rows != nil)
        #expect(try report.panel("Profile").rows?.rows.count == 1)
    }

    @Test func roleThatCannotReadTheUserTablesGetsAnError() throws {
        let sample = try Sample()
        try sample.database.makeRole("no_tables", "bypassrls")
        try sample.database.run("grant usage on schema auth, public to no_tables")
        // A role without a right on the schema gets the same message as a role without a right on the tables.
        try sample.database.makeRole("no_schema")
        for role in ["no_tables", "no_schema"] {
            let works: [() throws -> Void] = [
                { _ = try sample.ask("grace@example.com", role: role) },
                { _ = try sample.list(ListOptions(), role: role) },
                { _ = try sample.list(ListOptions(sort: "email"), role: role) },
            ]
            for work in works {
                let error = try failure(of: work)
                #expect(error.kind == .forbidden && error.state == .insufficientPrivilege)
                #expect(error.hint == "ask the owner of the tables for SELECT, or for the role usher_support")
            }
        }
    }

    private static let slow = """
        -- @panel Slow
        select pg_sleep(30)::text as nap;
        -- @panel Quick
        select 1 as one;
        -- @decision slow  Is it slow?
        -- @rule yes  It is.
        pg_sleep(30) is not null;
        -- @rule no  It is not.
        true;
        -- @decision quick  Is it quick?
        -- @rule yes  It is.
        true;
        """

    @Test func slowPanelTimesOutAndTheOtherPanelsAreShown() throws {
        let lab = try Lab()
        let clock = ContinuousClock()
        var found: UserReport?
        let took = try clock.measure { found = try lab.ask("1", Self.slow, options: InquiryOptions(timeout: 0.5)) }
        let report = try #require(found)
        #expect(took < .seconds(5))
        let reason = try #require(try report.panel("Slow").unavailable).sentence
        #expect(reason.contains(" did not arrive in time: "))
        #expect(reason.firstMatch(of: #/the result of .+:\d+ did not/#) != nil, "\(reason)")
        #expect(try report.panel("Quick").rows?.rows.count == 1)
        #expect(try report.decision("slow").unavailable?.sentence.contains("did not arrive in time") == true)
        #expect(try report.decision("quick").outcome == "yes")
    }

    @Test func slowUsersQueryTimesOut() throws {
        let lab = try Lab("create view asleep as select p.*, pg_sleep(30)::text as nap from people p")
        let app = try Lab.app(
            "",
            header: """
                -- @app lab  Lab
                -- @requires public.asleep
                -- @users
                -- @key id
                select p.* from public.asleep p;

                """)
        let error = try failure {
            _ = try UserQuestion(user: "1", wantsEverything: true).ask(
                on: try lab.database.connect(), candidates: [app], options: InquiryOptions(timeout: 0.3))
        }
        #expect(error.kind == .failed)
        #expect(error.state == .queryCanceled)
        #expect(error.hint?.contains("--timeout") == true)
    }

    @Test func quotaHistoryIsChronologicalOrReportsWhyItIsMissing() throws {
        let report = try Lab().ask(
            "1",
            """
            -- @quota letters
            select id, 1, 2, 'day', null::timestamptz from users;
            -- @history  A day.
            select date '2026-01-01' + n, n from generate_series(99, 0, -1) n where :user is not null;
            -- @quota calls
            select id, 1, 2, 'day', null::timestamptz from users;
            -- @history  A day.
            select :now, 1 / (case when :user is null then 1 else 0 end);
            """)
        let letters = try #require(try report.quota("letters").history)
        #expect(letters.summary == "A day.")
        // The history shows the latest forty steps, in chronological order.
        #expect(letters.rows?.rows.map { $0.values[1].text } == (40...99).map(String.init))
        let calls = try report.quota("calls")
        #expect(calls.usage != nil)
        #expect(calls.history?.rows == nil)
        #expect(calls.history?.unavailable?.sentence.contains("division by zero") == true)
    }

    @Test func panelShowsItsDeclaredColumnsUpToItsLimit() throws {
        let report = try Lab().ask(
            "1",
            """
            -- @panel Numbers
            -- @limit 3
            -- @columns b, a
            select n as a, n * 2 as b, 'x' as c from generate_series(1, 4) n;
            -- @panel Three
            -- @limit 3
            select n from generate_series(1, 3) n;
            """)
        let numbers = try report.panel("Numbers")
        #expect(numbers.isCut)
        #expect(numbers.rows?.columns.map(\.name) == ["b", "a"])
        #expect(numbers.rows?.rows.map { $0.values.map(\.text) } == [["2", "1"], ["4", "2"], ["6", "3"]])
        #expect(try !report.panel("Three").isCut)
    }
}
