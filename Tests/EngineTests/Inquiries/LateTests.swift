import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// What is not read in time says what was read, and which index would have spared that.
@Suite struct LateTests {
    private static let lab = Result {
        try Lab(
            "create table notes (id integer primary key, person integer, \"Kind\" text, at timestamptz)",
            "insert into notes select n, n, 'kind ' || n, '2026-01-01'::timestamptz from generate_series(1, 20000) n",
            "analyze notes")
    }

    private static let slow = """
        -- @timeline notes
        select n.at, 'note', 'a note', null from public.notes n where n.person = :user and pg_sleep(20) is not null;
        -- @timeline kinds
        select n.at, 'note', 'a note', null from public.notes n where lower(n."Kind") = 'kind ' || :user and pg_sleep(20) is not null;
        -- @stat notes  Notes.
        select 'all', count(*) from public.notes n where n.person > 0 and pg_sleep(20) is not null;
        -- @check notes  Notes are in order.
        select n.id from public.notes n where n.person = 7 and pg_sleep(20) is not null;
        """

    private func connection() throws -> (Connection, App, InquiryOptions) {
        (try Self.lab.get().database.connect(), try Lab.app(Self.slow), InquiryOptions(timeout: 0.5))
    }

    private static let byPerson = "create index concurrently on \"public\".\"notes\" (person)"

    private func remedy(_ reason: Unreadable?) -> Unreadable.Remedy? {
        if case .late(_, askedAt: _, let remedy)? = reason { remedy } else { nil }
    }

    @Test func aTimelineNamesTheIndexOfEachSource() throws {
        let (connection, app, options) = try connection()
        let report = try Inquiry.timeline(
            of: "1", since: nil, limit: 5, on: connection, candidates: [app], options: options)
        #expect(
            report.unavailable.map { remedy($0.reason) } == [
                .index(Self.byPerson),
                .index("create index concurrently on \"public\".\"notes\" (lower(\"Kind\"))"),
            ])
    }

    @Test func whatReadsEverythingNamesTheTable() throws {
        let (connection, app, options) = try connection()
        let report = try Inquiry.stats(on: connection, candidates: [app], options: options)
        #expect(remedy(report.stats[0].unavailable) == .patience(table: "public.notes"))
    }

    @Test func aCheckNamesTheIndexToo() throws {
        let (connection, app, options) = try connection()
        let reports = try Inquiry.checks(nil, limit: 5, on: connection, candidates: [app], options: options)
        #expect(remedy(reports[0].unavailable) == .index(Self.byPerson))
    }
}
