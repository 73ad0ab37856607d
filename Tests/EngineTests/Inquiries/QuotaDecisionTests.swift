import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// The test computes the published table of quota decisions in Swift, and compares the result with the app file.
@Suite struct QuotaDecisionTests {
    /// The limits of a tier; nil stands for a tier without configuration.
    struct Limits {
        let impulses: Int
        let checkIns: Int
        let period: String
    }

    /// One combination of tier, status, usage and period.
    struct Case {
        let tier: String
        let status: String
        /// The recorded usage, or nil if the user has no row.
        let used: (impulses: Int, checkIns: Int)?
        /// The end of the period, in microseconds from the base time, or nil.
        let resets: Int?
    }

    /// The outcome according to the published table: access first, then the limit, then the usage of the current
    /// period.
    static func expectedOutcome(_ user: Case, at instant: Int, used: Int, limit: Int?, period: String?) -> String {
        // Every trial has time left and every partner has the flag, so the status alone decides.
        guard user.status == "active" else { return "paywall" }
        guard let limit, let period else { return "undefined" }
        let startsOver = period == "month" && user.used != nil && user.resets.map { $0 <= instant } ?? false
        return (startsOver ? 0 : used) < limit ? "allowed" : "quota-exceeded"
    }

    private static let cases: [Case] = {
        var cases: [Case] = []
        for tier in ["trial", "partner", "foundation", "mastery"] {
            for status in ["active", "expired"] {
                cases.append(Case(tier: tier, status: status, used: nil, resets: nil))
                for used in [0, 1, 2, 3, 4, 60, 1_000_000] {
                    for resets in [nil, -86_400_000_000, -1, 0, 1, 86_400_000_000] as [Int?] {
                        cases.append(Case(tier: tier, status: status, used: (used, used / 2), resets: resets))
                    }
                }
            }
        }
        return cases
    }()

    private static let configurations: [[String: Limits]] = [
        [
            "trial": Limits(impulses: 3, checkIns: 1, period: "total"),
            "partner": Limits(impulses: 3, checkIns: 2, period: "month"),
            "foundation": Limits(impulses: 60, checkIns: 30, period: "month"),
            "mastery": Limits(impulses: 2, checkIns: 2, period: "total"),
        ],
        [
            "trial": Limits(impulses: 0, checkIns: 1, period: "month"),
            "partner": Limits(impulses: 1, checkIns: 0, period: "total"),
            "foundation": Limits(impulses: 0, checkIns: 0, period: "total"),
        ],
    ]

    @Test(arguments: configurations.indices) func quotaDecisionMatchesThePublishedTable(_ index: Int) throws {
        let limits = Self.configurations[index]
        let sample = try Self.sample(limits)
        for instant in [-1, 0, 1] {
            for (decision, isImpulse) in [("create-impulse", true), ("create-check-in", false)] {
                let outcomes = try Self.outcomes(of: decision, in: sample, at: instant)
                for (number, user) in Self.cases.enumerated() {
                    let limit = limits[user.tier]
                    let expected = Self.expectedOutcome(
                        user, at: instant, used: (isImpulse ? user.used?.impulses : user.used?.checkIns) ?? 0,
                        limit: isImpulse ? limit?.impulses : limit?.checkIns, period: limit?.period)
                    #expect(outcomes[number] == expected, "\(decision) of \(user) at \(instant) µs")
                }
            }
        }
    }

    @Test func quotaDecisionUsesTheLimitOfAnAssumedTier() throws {
        let sample = try Self.sample(Self.configurations[0])
        for (number, user) in Self.cases.enumerated() where number % 29 == 1 {
            for (tier, limit) in Self.configurations[0] where tier != "partner" && tier != "trial" {
                let report = try sample.ask(
                    "case-\(number)@example.com", options: InquiryOptions(at: "2026-03-01 12:00:00Z"),
                    assuming: ["tier": tier])
                let assumed = Case(tier: tier, status: user.status, used: user.used, resets: user.resets)
                let expected = Self.expectedOutcome(
                    assumed, at: 0, used: user.used?.impulses ?? 0, limit: limit.impulses, period: limit.period)
                #expect(try report.decision("create-impulse").outcome == expected, "\(user) as \(tier)")
            }
        }
    }

    private static func outcomes(of decision: String, in sample: Sample, at instant: Int) throws -> [Int: String] {
        let at = "2026-03-01 12:00:00+00"
        let text = try #require(
            try sample.database.connect().execute(
                "select (\(at)::timestamptz + \(String(instant))::bigint * interval '1 microsecond')::text"
            ).first?.values[0].text)
        var outcomes: [Int: String] = [:]
        for outcome in ["paywall", "undefined", "quota-exceeded", "allowed"] {
            let found = try sample.list(
                ListOptions(decision: (decision, outcome)), options: InquiryOptions(at: text))
            for address in found where address.hasPrefix("case-") {
                guard let number = Int(address.dropFirst(5).prefix { $0 != "@" }) else { continue }
                #expect(outcomes[number] == nil, "\(address) has two outcomes")
                outcomes[number] = outcome
            }
        }
        return outcomes
    }

    /// One user for each case, and the limits.
    private static func sample(_ limits: [String: Limits]) throws -> Sample {
        let sample = try Sample()
        let connection = try sample.database.connect()
        func array(_ values: [Int?]) -> String {
            "{" + values.map { $0.map(String.init) ?? "null" }.joined(separator: ",") + "}"
        }
        _ = try connection.execute(
            """
            insert into auth.users (id, email)
            select md5(n::text)::uuid, 'case-' || n || '@example.com'
              from generate_series(0, \(String(cases.count - 1))::int) n
            """)
        _ = try connection.execute(
            """
            update public.profiles p
               set subscription_tier = c.tier, subscription_status = c.status, is_partner = true,
                   trial_ends_at = timestamptz '2026-03-02 12:00:00+00'
              from unnest(\(arrayLiteral(cases.map(\.tier)))::text[], \(arrayLiteral(cases.map(\.status)))::text[])
                   with ordinality as c (tier, status, n)
             where p.id = md5((c.n - 1)::text)::uuid
            """)
        _ = try connection.execute(
            """
            insert into public.impulse_quota (user_id, impulses_used, check_ins_used, resets_at)
            select md5((c.n - 1)::text)::uuid, c.impulses, c.check_ins,
                   timestamptz '2026-03-01 12:00:00+00' + c.resets * interval '1 microsecond'
              from unnest(\(array(cases.map { $0.used?.impulses }))::int[], \(array(cases.map { $0.used?.checkIns }))::int[],
                          \(array(cases.map(\.resets)))::bigint[]) with ordinality as c (impulses, check_ins, resets, n)
             where c.impulses is not null
            """)
        for tier in ["trial", "partner", "foundation", "mastery"] {
            guard let limit = limits[tier] else {
                _ = try connection.execute("delete from subscription_config where tier = \(tier)")
                continue
            }
            _ = try connection.execute(
                """
                update subscription_config
                   set impulse_limit = \(String(limit.impulses))::int, check_in_limit = \(String(limit.checkIns))::int,
                       period = \(limit.period)
                 where tier = \(tier)
                """)
        }
        return sample
    }
}
