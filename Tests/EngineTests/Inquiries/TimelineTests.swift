import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// The timeline merges the events of all sources by time.
@Suite struct TimelineTests {
    private static let sample = Result { try Sample() }

    private func timeline(
        _ user: String, since: String? = nil, limit: Int = 1000, of app: App? = nil, on database: TestDatabase? = nil
    ) throws -> TimelineReport {
        let sample = try Self.sample.get()
        return try Inquiry.open(
            on: try (database ?? sample.database).connect(), candidates: [app ?? sample.app], options: InquiryOptions(),
            for: .users
        ).timeline(of: user, since: since, limit: limit)
    }

    @Test func timelineMergesAllSourcesWithTheLatestEventFirst() throws {
        let report = try timeline("grace@example.com")
        #expect(Set(report.events.map(\.source)) == ["account", "store", "payment", "content", "sign-in"])
        let times = report.events.compactMap(\.at.text)
        #expect(times.count == report.events.count)
        #expect(times == times.sorted(by: >))
        #expect(!report.isCut)
        #expect(report.unavailable.isEmpty)
    }

    @Test func timelineLimitCutsTheOldestEvents() throws {
        let all = try timeline("grace@example.com")
        let some = try timeline("grace@example.com", limit: 7)
        #expect(some.events.map(\.at) == all.events.prefix(7).map(\.at))
        #expect(some.isCut)
        #expect(try !timeline("grace@example.com", limit: all.events.count).isCut)
        #expect(try timeline("grace@example.com", limit: all.events.count - 1).isCut)
    }

    @Test func sinceOptionIncludesEventsAtItsOwnTime() throws {
        let all = try timeline("grace@example.com")
        let middle = try #require(all.events[all.events.count / 2].at.text)
        let since = try timeline("grace@example.com", since: middle)
        #expect(since.events.count == all.events.filter { ($0.at.text ?? "") >= middle }.count)
        #expect(since.events.last?.at.text == middle)
    }

    @Test func timelineOrdersFractionsOfSecondsInfinityAndMissingTimes() throws {
        let lab = try Lab()
        let app = try Lab.app(
            """
            -- @timeline one
            select t::timestamptz as at, 'k' as kind, coalesce(t, 'none') as title, null as detail
              from (values ('2026-01-01 00:00:00Z'), ('2026-01-01 00:00:00.5Z'), ('2026-01-01 00:00:00.000001Z'),
                           ('infinity'), ('-infinity'), (null)) as v (t)
             where :user = 1;
            -- @timeline other
            select timestamptz '2026-01-01 00:00:00.25Z' as at, 'k' as kind, 'quarter' as title, 'd' as detail;
            """)
        let report = try timeline("1", of: app, on: lab.database)
        #expect(
            report.events.map(\.title.text) == [
                "infinity", "2026-01-01 00:00:00.5Z", "quarter", "2026-01-01 00:00:00.000001Z", "2026-01-01 00:00:00Z",
                "-infinity", "none",
            ])
    }

    @Test func timelineNamesAnUnreadableSource() throws {
        let sample = try Sample()
        try sample.database.run("drop table iap_transactions cascade")
        let report = try timeline("grace@example.com", on: sample.database)
        #expect(report.unavailable.map(\.source) == ["payment"])
        #expect(report.unavailable[0].reason.sentence.contains("apps/impulse/screens.sql:"))
        #expect(Set(report.events.map(\.source)) == ["account", "store", "content", "sign-in"])
    }

    @Test(arguments: ["garbage", "2026-13-45", "", "' or true --"]) func invalidSinceOptionIsAUsageError(
        _ text: String
    ) throws {
        let error = try failure { _ = try timeline("grace@example.com", since: text) }
        #expect(error.kind == .usage)
        #expect(error.message == "--since \(quoteWord(text)) is not a time")
    }
}
