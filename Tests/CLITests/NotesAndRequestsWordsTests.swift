import Foundation
import PQ
import Support
import Testing

/// Screens show each fact once, in words that need no explanation.
@Suite struct NotesAndRequestsWordsTests {
    private static let screen: [String: String?] = ["NO_COLOR": "1", "TZ": "UTC"]

    private func lines(_ words: [String], on database: String) throws -> [String] {
        let terminal = try Usher.console(words, on: database, environment: Self.screen)
        _ = try terminal.end()
        return String(decoding: terminal.picture, as: UTF8.self).components(separatedBy: "\r\n")
    }

    /// `user why` prints the reason above the rules, and not again below them.
    @Test func userWhyPrintsTheReasonOnce() throws {
        let text = try lines(["user", "why", "grace@example.com"], on: try SampleDatabase.conninfo)
        let access = text.prefix { !$0.hasPrefix("create-impulse") }
        #expect(access.count { $0.contains("▸") } == 1)
        #expect(access.contains { $0.hasPrefix("  ▸ active") && $0.hasSuffix("the reason above") }, "\(access)")
        let all = try lines(["user", "why", "grace@example.com", "-v"], on: try SampleDatabase.conninfo)
        #expect(!all.contains { $0.contains("the reason above") })
    }

    @Test func objectListShowsIdPrefixesThatObjectShowAccepts() throws {
        let database = try TestCluster.database(of: "langchat").conninfo()
        let text = try lines(["match", "list", "--limit", "1"], on: database)
        let at = try #require(text.firstIndex { $0.hasPrefix("id ") }, "\(text)")
        let id = text[at + 1].prefix { $0 != " " }
        #expect(id.count == 8, "\(text)")
        #expect(try Usher.run(["match", "show", String(id)], on: database).status == 0)
        let exact = try Usher.run(["match", "list", "--limit", "1", "-o", "name"], on: database).output
        #expect(exact.hasPrefix(id) && exact.count == 37)
    }

    @Test func userWhyPrintsNotSetForANullFact() throws {
        let text = try lines(
            ["user", "why", "ada@example.com", "--assume", "status=cancelled"], on: try SampleDatabase.conninfo)
        let words = text.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.contains("subscription_end_date is not set"), "\(text)")
    }

    /// The month of the quota ended in the past, so the screen doesn't show a time of the next reset.
    @Test func quotaShowReportsAnOverdueReset() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            "update public.impulse_quota set resets_at = now() - interval '10 days' where resets_at is not null")
        let text = try lines(["quota", "show", "grace@example.com"], on: database.conninfo())
        #expect(text.contains { $0.contains("should have started over") }, "\(text)")
        #expect(!text.contains { $0.contains("  starts over ") })
    }

    /// The preview of an action on an object names its user by email.
    @Test func previewOfAnEventReplayNamesItsUserAndTheChangedColumns() throws {
        let database = try MarkedDatabase.conninfo
        let event = try Usher.run(
            ["event", "list", "--user", "niklaus@example.com", "--unprocessed", "-o", "name"], on: database
        ).output.trimmingCharacters(in: .newlines)
        let replayed = try lines(["event", "replay", event, "-n"], on: database)
        #expect(replayed.contains { $0.hasPrefix("  ~ public.profiles  niklaus@example.com") }, "\(replayed)")
        let dismissed = try lines(["event", "dismiss", event, "-n"], on: database)
        #expect(dismissed.contains { $0.hasSuffix(#"payload       {…} → {…, "dismissed": true}"#) }, "\(dismissed)")
    }

    @Test func quotaShowPrintsTheTierOfTheUser() throws {
        let database = try SampleDatabase.conninfo
        #expect(try lines(["quota", "show", "ada@example.com"], on: database)[0] == "tier       trial")
        let rows = try objects(try Usher.run(["quota", "show", "ada@example.com", "--json"], on: database).output)
        #expect(rows.map { $0["tier"] as? String } == ["trial", "trial"])
    }

    /// A match and a report belong to both of their users.
    @Test(arguments: ["match", "report"]) func userFindByTheKeyOfASharedObjectFindsBothUsers(noun: String) throws {
        let database = try TestCluster.database(of: "langchat").conninfo()
        let id = try Usher.run([noun, "list", "--limit", "1", "-o", "name"], on: database).output
        let found = try Usher.run(["user", "find", id, "-o", "name"], on: database)
        #expect(found.output.split(separator: "\n").count == 2, "\(found.output)\(found.errors)")
    }

    @Test func bulkPreviewShowsEqualRowChangesOnce() throws {
        let database = try MarkedDatabase.fresh()
        let text = try lines(["trial", "expire", "--due", "-n"], on: database.conninfo())
        let rows = text.filter { $0.hasPrefix("  ~ public.profiles  ") }
        #expect(rows.count == 1, "\(text)")
        #expect(text.count { $0.contains("subscription_status") } == 1)
        #expect(text.contains { $0.hasSuffix(" more") })
        // If the changed rows have different values, the preview shows one of the values.
        let running = try database.connect().execute(
            "select id::text from profiles where subscription_tier = 'trial' and subscription_status = 'active' limit 20"
        )
        let extended = try lines(
            ["trial", "extend"] + running.rows.compactMap(\.values[0].text) + ["--days", "3", "-n"],
            on: database.conninfo())
        #expect(extended.count { $0.hasPrefix("  ~ public.profiles  ") } == 1, "\(extended)")
        #expect(extended.contains { $0.hasSuffix("(rows differ)") }, "\(extended)")
        let one = try lines(["trial", "expire", "ada@example.com", "-n"], on: database.conninfo())
        #expect(one.contains("  ~ public.profiles  ada@example.com"))
    }

    @Test func previewGroupsRowsThatDifferOnlyInATime() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            "alter table public.profiles disable trigger user",
            "update public.profiles set updated_at = created_at - interval '1 second'",
            "alter table public.profiles enable trigger user")
        let text = try lines(["trial", "expire", "--due", "-n"], on: database.conninfo())
        #expect(text.count { $0.hasPrefix("  ~ public.profiles  ") } == 1, "\(text)")
        #expect(text.contains { $0.contains("updated_at") && $0.hasSuffix("(rows differ)") })
    }

    /// usher tries a large bulk change on a sample of the users, so the preview also shows errors that no rule of the
    /// app file predicts.
    @Test func largeBulkPreviewShowsTheResultsOfItsSample() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table person (id integer primary key, tier text, banned boolean)",
            "insert into person select n, 'trial', n % 50 = 0 from generate_series(1, 1500) n")
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "club.sql",
            holding: """
                -- @app club  Club
                -- @requires public.person
                -- @users
                -- @key id
                select p.id, p.tier, p.banned from public.person p;
                -- @select due  On trial.
                tier = 'trial';
                -- @decision access  Does this person have access?
                -- @rule banned  Banned.
                banned;
                -- @rule full  Paid.
                tier = 'paid';
                -- @rule paywall  Else.
                true;
                -- @action person pay  Mark a person as paid.
                -- @select due
                -- @expect access full
                -- @refuse They are the third.
                id = 3;
                -- @do
                update public.person set tier = 'paid' where id = any(:users);

                """)
        let conninfo = database.conninfo()
        let options = ["--app", file]
        #expect(try Usher.run(options + ["install", "--environment", "test", "--yes"], on: conninfo).status == 0)
        let text = try lines(options + ["person", "pay", "--due", "-n"], on: conninfo)
        #expect(text.contains { $0.hasPrefix("✗ 1: They are the third.") }, "\(text)")
        #expect(text.count { $0.hasPrefix("✗") } == 2)
        #expect(text.contains("✗ 2: expected access to be full, but the outcome would be banned"))
    }
}
