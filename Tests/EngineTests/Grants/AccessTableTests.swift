import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// The test computes the published table of access in Swift, and compares the result with the app file.
@Suite struct AccessTableTests {
    /// One profile; dates are in microseconds around the instant of the decision.
    struct Profile {
        let tier: String
        let status: String
        let isPartner: Bool
        let trialEnds: Int?
        let subscriptionEnds: Int?

        /// True if the table grants access; all other profiles see the paywall.
        func hasAccess(at instant: Int) -> Bool {
            func isFuture(_ date: Int?) -> Bool { date.map { $0 > instant } ?? false }
            switch (tier, status) {
            case ("trial", "active"): return isFuture(trialEnds)
            case ("partner", "active"): return isPartner
            case ("foundation", "active"), ("mastery", "active"): return true
            case ("foundation", "cancelled"), ("mastery", "cancelled"): return isFuture(subscriptionEnds)
            default: return false
            }
        }
    }

    private static let dates: [Int?] = [nil, -86_400_000_000, -1, 0, 1, 86_400_000_000]
    private static let instants = [-86_400_000_000, -1, 0, 1, 86_400_000_000]
    private static let anchor = "timestamptz '2026-03-01 12:00:00+00'"

    private static let profiles: [Profile] = {
        var profiles: [Profile] = []
        for tier in ["trial", "foundation", "mastery", "partner"] {
            for status in ["active", "expired", "inactive", "cancelled"] {
                for isPartner in [false, true] {
                    for trialEnds in dates {
                        for subscriptionEnds in dates {
                            profiles.append(
                                Profile(
                                    tier: tier, status: status, isPartner: isPartner, trialEnds: trialEnds,
                                    subscriptionEnds: subscriptionEnds))
                        }
                    }
                }
            }
        }
        return profiles
    }()

    @Test func accessDecisionMatchesThePublishedTableAtEveryTime() throws {
        let database = try Self.filledDatabase()
        let app = try AppLibrary.app("impulse")
        for instant in Self.instants {
            let at = try Self.text(of: instant, in: database)
            var active: Set<String> = []
            let listing = try Listing.users(
                ListOptions(decision: (name: "access", outcome: "active")),
                in: Inquiry.open(on: try database.connect(), candidates: [app], options: InquiryOptions(at: at)))
            _ = try listing.stream { row in
                if let email = row.copy().shown("email")?.text { active.insert(email) }
            }
            for (index, profile) in Self.profiles.enumerated() {
                let isActive = active.contains("case-\(index)@example.com")
                #expect(isActive == profile.hasAccess(at: instant), "\(profile) at \(instant) µs")
            }
        }
    }

    @Test(.long) func accessDecisionIsTheSameForOneUserAndForAllUsers() throws {
        let database = try Self.filledDatabase()
        let app = try AppLibrary.app("impulse")
        let connection = try database.connect()
        for index in stride(from: 0, to: Self.profiles.count, by: 37) {
            for instant in [-1, 0, 1] {
                let report = try UserQuestion(user: "case-\(index)@example.com", wantsEverything: false).ask(
                    on: connection, candidates: [app],
                    options: InquiryOptions(at: try Self.text(of: instant, in: database)))
                let access = try #require(report.decisions.first { $0.name == "access" })
                #expect(access.outcome == (Self.profiles[index].hasAccess(at: instant) ? "active" : "paywall"))
                #expect(access.rules.filter(\.decided).count == 1)
                #expect(!access.isUncertain)
            }
        }
    }

    /// A database with one user for each profile.
    private static func filledDatabase() throws -> TestDatabase {
        let database = try TestCluster.database(of: "impulse")
        func array(_ values: [Int?]) -> String {
            "{" + values.map { $0.map(String.init) ?? "null" }.joined(separator: ",") + "}"
        }
        let connection = try database.connect()
        _ = try connection.execute(
            Query(
                """
                insert into auth.users (id, email)
                select md5(n::text)::uuid, 'case-' || n || '@example.com' from generate_series(0, \(unsafe: "\(profiles.count - 1)")) n
                """))
        let update: Query = """
            update public.profiles p
               set subscription_tier = c.tier, subscription_status = c.status, is_partner = c.partner,
                   trial_ends_at = \(unsafe: anchor) + c.trial * interval '1 microsecond',
                   subscription_end_date = \(unsafe: anchor) + c.subscription * interval '1 microsecond'
              from unnest(\(arrayLiteral(profiles.map(\.tier)))::text[], \(arrayLiteral(profiles.map(\.status)))::text[],
                          \(arrayLiteral(profiles.map { "\($0.isPartner)" }))::boolean[],
                          \(array(profiles.map(\.trialEnds)))::bigint[], \(array(profiles.map(\.subscriptionEnds)))::bigint[])
                   with ordinality as c (tier, status, partner, trial, subscription, n)
             where p.id = md5((c.n - 1)::text)::uuid
            """
        let changed = try connection.execute(update).affected
        #expect(changed == profiles.count)
        return database
    }

    private static func text(of instant: Int, in database: TestDatabase) throws -> String {
        let rows = try database.connect().execute(
            "select (\(unsafe: anchor) + \(String(instant))::bigint * interval '1 microsecond')::text as at")
        return try #require(rows.first?.shown("at")?.text)
    }
}
