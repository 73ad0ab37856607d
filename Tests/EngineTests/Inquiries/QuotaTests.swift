import Asking
import Inquiries
import PQ
import Support
import Testing

@Suite struct QuotaTests {
    private static let twoRows = Failure(.failed, "the quota returns 2 rows for this user instead of one")
    private static let twoRowsOfOne = Failure(.failed, "the quota returns more than one row for 1 user")

    private static let sample = Result { try Sample() }

    private func usage(_ user: String, _ quota: String = "impulses", at: String? = nil) throws -> [String?] {
        let report = try Self.sample.get().ask(user, options: InquiryOptions(at: at)).quota(quota)
        #expect(report.unavailable == nil)
        guard let usage = report.usage else { return [] }
        return ["used", "limit", "period"].map { usage.shown($0)?.text }
    }

    @Test func quotaUsesTheLimitOfTheUsersTier() throws {
        #expect(try usage("ada@example.com") == ["3", "3", "total"])
        #expect(try usage("ada@example.com", "check-ins") == ["5", "7", "total"])
        #expect(try usage("katherine@example.com") == ["12", "60", "month"])
        #expect(try usage("grace@example.com") == ["30", "30", "month"])
    }

    @Test func quotaOfAnEndedMonthIsUnused() throws {
        // zoe used everything in a month that ended two days ago.
        #expect(try usage("zoe@example.org") == ["0", "30", "month"])
        #expect(try usage("zoe@example.org", at: "2020-01-01") == ["30", "30", "month"])
        let report = try Self.sample.get().ask("zoe@example.org")
        #expect(try report.decision("create-impulse").outcome == "allowed")
    }

    @Test func quotaIsUnusedFromTheExactEndOfItsPeriod() throws {
        let sample = try Self.sample.get()
        let resets = try #require(try sample.ask("grace@example.com").quota("impulses").usage?.shown("resets_at")?.text)
        #expect(try usage("grace@example.com", at: resets) == ["0", "30", "month"])
        let before = try sample.database.connect().execute(
            "select (\(resets)::timestamptz - interval '1 microsecond')::text as at")
        #expect(try usage("grace@example.com", at: before.first?.shown("at")?.text) == ["30", "30", "month"])
    }

    @Test func userWithoutAProfileDoesNotHaveAQuota() throws { #expect(try usage("ken@example.com") == []) }

    @Test func quotaDoesNotShowUsageIfTheTierLacksAConfiguration() throws {
        let sample = try Sample()
        try sample.database.run("delete from subscription_config where tier = 'partner'")
        let report = try sample.ask("margaret@example.com")
        #expect(try report.quota("impulses").usage == nil)
        #expect(try report.decision("create-impulse").outcome == "undefined")
    }

    @Test func quotaShowOfAUserMatchesUserShow() throws {
        let sample = try Self.sample.get()
        let alone = try Inquiry.open(
            on: try sample.database.connect(), candidates: [sample.app], options: InquiryOptions(), for: .users
        ).quotas(of: "linus@example.com")
        let shown = try sample.ask("linus@example.com").quotas
        #expect(alone.map(\.name) == shown.map(\.name))
        #expect(alone.map(\.usage) == shown.map(\.usage))
    }

    @Test func quotaShowCountsEveryUserOnce() throws {
        let sample = try Self.sample.get()
        let summary = try Inquiry.open(
            on: try sample.database.connect(), candidates: [sample.app], options: InquiryOptions()
        ).quotas()
        let profiles = try sample.database.connect().execute("select count(*) from profiles").first?.values[0].text
        for quota in summary {
            let users = quota.rows?.rows.compactMap { $0.shown("users")?.text.flatMap { Int($0) } }.reduce(0, +)
            #expect(users.map { "\($0)" } == profiles, "\(quota.name)")
        }
    }

    // MARK: Several quotas of one kind

    @Test func quotaWithPerHasOneAnswerForEachTeamOfAUser() throws {
        let lab = try Lab()
        let blocks = """
            -- @quota seats
            -- @per team
            select * from (values (1, 3, 5, 'total', null::timestamptz, 'blue'), (1, 9, 9, 'total', null, 'red'),
                                  (1, 1, 9, 'total', null, 'red'), (2, 1, 9, 'total', null, 'red')) s;
            """
        let report = try lab.ask("1", blocks)
        #expect(report.quotas.map { $0.per?.name } == ["team", "team"])
        #expect(report.quotas.map { $0.per?.value.text } == ["blue", "red"])
        #expect(report.quotas.map { $0.usage?.shown("used")?.text } == ["3", nil])
        #expect(report.quotas.map(\.unavailable) == [nil, Self.twoRows])
        #expect(try lab.ask("2", blocks).quotas.map { $0.usage?.shown("used")?.text } == ["1"])
        let sound = blocks.replacing("(1, 1, 9, 'total', null, 'red'), ", with: "")
        let all = try Inquiry.open(
            on: try lab.database.connect(), candidates: [try Lab.app(sound)], options: InquiryOptions()
        ).quotas()
        #expect(all[0].rows?.rows.map { $0.shown("users")?.text } == ["1", "2"])
        #expect(all[0].rows?.rows.map { $0.shown("exhausted")?.text } == ["0", "1"])
        // A user with several exhausted quotas counts once.
        let both = try Lab.app(sound.replacing("(1, 3, 5, ", with: "(1, 9, 9, "))
        let summary = try Inquiry.open(on: try lab.database.connect(), candidates: [both], options: InquiryOptions())
            .quotas()[0]
        #expect(summary.rows?.rows.map { $0.shown("users")?.text } == ["2"])
        #expect(summary.rows?.rows.map { $0.shown("exhausted")?.text } == ["1"])
    }

    // MARK: One row for each user

    @Test func quotaIsUnavailableIfItReturnsTwoRowsForAUser() throws {
        let lab = try Lab()
        let blocks = """
            -- @quota seats
            select * from (values (1, 3, 5, 'total', null::timestamptz), (1, 9, 9, 'total', null), (2, 1, 9, 'total', null)) s;
            -- @panel Mood
            select mood from public.people where id = :user;
            """
        let report = try lab.ask("1", blocks)
        #expect(try report.quota("seats").usage == nil)
        #expect(try report.quota("seats").unavailable == Self.twoRows)
        #expect(try report.panel("Mood").rows?.first?.values.map(\.text) == ["glad"])
        #expect(try lab.ask("2", blocks).quota("seats").usage?.shown("used")?.text == "1")
        let app = try Lab.app(blocks)
        let connection = try lab.database.connect()
        let alone = try Inquiry.open(on: connection, candidates: [app], options: InquiryOptions(), for: .users).quotas(
            of: "1")
        #expect(alone.map(\.unavailable) == [Self.twoRows])
        let all = try Inquiry.open(on: connection, candidates: [app], options: InquiryOptions()).quotas()
        #expect(all.map(\.unavailable) == [Self.twoRowsOfOne])
        #expect(all.allSatisfy { $0.rows == nil })
        let stats = try Inquiry.open(on: connection, candidates: [app], options: InquiryOptions()).stats()
        #expect(stats.quotas.map(\.unavailable) == [Self.twoRowsOfOne])
    }

    @Test func statsOfADecisionWithPerCountAUserOncePerOutcome() throws {
        let lab = try Lab("insert into people (id) values (4)")
        let blocks = """
            -- @define seat (person, organisation, full)  Seats.
            select * from (values (1, 'north', true), (1, 'south', true), (2, 'south', true), (2, 'west', false)) s (a, b, c);
            -- @decision seats  Are there seats left?
            -- @per organisation
            select p.*, s.organisation, s.full from public.people p join seat s on s.person = p.id;
            -- @rule full  All are taken.
            facts.full;
            -- @rule left  Some are left.
            true;
            """
        let stats = try Inquiry.open(
            on: try lab.database.connect(), candidates: [try Lab.app(blocks)], options: InquiryOptions()
        ).stats()
        #expect(stats.users == 4)
        #expect(stats.decisions.first?.rows?.rows.map { $0.values.map(\.text) } == [["full", "2"], ["left", "1"]])
    }
}
