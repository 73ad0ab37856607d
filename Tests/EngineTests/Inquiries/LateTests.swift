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

    private func slowness(_ reason: Unreadable?) -> Slowness? {
        if case .late(_, askedAt: _, let slowness)? = reason { slowness } else { nil }
    }

    private func reading(_ indexes: String...) -> Slowness {
        .reading(LongReading(table: "public.notes", indexes: indexes))
    }

    @Test func aTimelineNamesTheIndexOfEachSource() throws {
        let (connection, app, options) = try connection()
        let report = try Inquiry.timeline(
            of: "1", since: nil, limit: 5, on: connection, candidates: [app], options: options)
        #expect(
            report.unavailable.map { slowness($0.reason) } == [
                reading(Self.byPerson),
                reading("create index concurrently on \"public\".\"notes\" (lower(\"Kind\"))"),
            ])
    }

    @Test func whatReadsEverythingNamesTheTable() throws {
        let (connection, app, options) = try connection()
        let report = try Inquiry.stats(on: connection, candidates: [app], options: options)
        #expect(slowness(report.stats[0].unavailable) == reading())
    }

    @Test func aCheckNamesTheIndexToo() throws {
        let (connection, app, options) = try connection()
        let reports = try Inquiry.checks(nil, limit: 5, on: connection, candidates: [app], options: options)
        #expect(slowness(reports[0].unavailable) == reading(Self.byPerson))
    }

    private func slowness(of query: Query, on database: TestDatabase) throws -> Slowness? {
        let transaction = ReadTransaction(on: try database.connect(), settings: .init(timeout: 0.5))
        let error = try failure { _ = try transaction.ask(["select 1", query]) }
        if case .late(_, let slowness)? = error.refusal as? AskingRefusal { return slowness }
        return nil
    }

    /// What the engine asks by itself, of an account for instance, says it as well.
    @Test func whatIsAskedBesideTheAppNamesTheIndex() throws {
        let database = try Self.lab.get().database
        #expect(
            try slowness(
                of: "select count(*) from public.notes n where n.person = 7 and pg_sleep(20) is not null", on: database)
                == reading(Self.byPerson))
        // And of what is put together with the few that are wanted, the one by which it is.
        #expect(
            try slowness(
                of: """
                    select count(*) from public.notes n join public.people p on n.person = p.id and p.email = 'one@example.com'
                     where pg_sleep(20) is not null
                    """, on: database) == reading(Self.byPerson))
    }

    /// What is run for each row takes longer than what is run once, however small it is.
    @Test func whatIsRunForEachRowCountsAsOften() throws {
        let database = try Self.lab.get().database
        let plan = try database.connect().execute(
            ServerPlan.query(
                of: """
                    select p.id, (select count(*) from public.people q where q.score = p.person) from public.notes p
                    """))
        let transaction = ReadTransaction(on: try database.connect())
        #expect(transaction.longestReading(in: [ServerPlan(plan)])?.table == "public.people")
    }

    /// Tables of the ledger are made by this program, and nobody is to make indexes on them.
    @Test func noIndexIsAdvisedOnTheLedger() throws {
        let lab = try Lab.withLedger()
        try lab.database.run(
            """
            insert into usher.note (operation, root, key)
            select gen_random_uuid(), 'r' || n, 'k' || n from generate_series(1, 5000) n
            """, "analyze usher.note")
        #expect(
            try slowness(
                of: "select count(*) from usher.note n where n.root = 'r7' and pg_sleep(20) is not null",
                on: lab.database) == .reading(LongReading(table: "usher.note", indexes: [])))
    }
}
