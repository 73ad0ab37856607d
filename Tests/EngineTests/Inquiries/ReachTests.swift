import Asking
import AppFile
import Changes
import Commands
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Acts that would change other users than they are asked about: found by a check, and not installed.
@Suite struct ReachTests {
    private static let tables = [
        "create table public.gifts (id integer primary key, person integer)", "insert into public.gifts values (1, 1)",
        "create table public.profiles (id integer primary key references public.people, note text)",
        "insert into public.people (id, tier) values (4, 'free')",
        "insert into public.profiles select id from public.people",
    ]

    private func database(_ more: String...) throws -> TestDatabase {
        let database = try Lab.withLedger().database
        for statement in Self.tables + more { try database.run(statement) }
        return database
    }

    private func app(_ statement: String) throws -> App {
        try Lab.app(
            """
            -- @action lab good  Does it.
            -- @do
            update public.people set score = 1 where id = any(:users);

            -- @action lab go  Does it to others.
            -- @do
            \(statement);
            """)
    }

    private func errors(in app: App, on database: TestDatabase) throws -> [AppFinding] {
        try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions()).filter {
            $0.severity == .error
        }
    }

    static let loose = [
        "update public.people set score = 1 where exists (select 1 from public.people p where p.id = any(:users))",
        "update public.people p set score = 1 from public.people q where q.id = any(:users)",
        "update public.people p set score = 1 from public.people q where q.id = any(:users) and p.tier = q.tier",
        "update public.people set score = 1 where id <= (select max(p.id) from public.people p where p.id = any(:users))",
        """
        with s as (select from public.gifts where person = any(:users))
        update public.people set score = 1 where exists (select from s)
        """,
        "update public.profiles set note = 'x' where (select count(*) from public.gifts g where g.person = any(:users)) > 0",
        "delete from public.profiles p using public.gifts g where g.person = any(:users) returning p.id",
        "delete from public.profiles p where p.id <> :user",
    ]

    @Test(arguments: loose) func whatWouldChangeOthersIsAMistake(statement: String) throws {
        let database = try database()
        let app = try app(statement)
        let found = try errors(in: app, on: database)
        // One mistake is told once, whichever question finds it.
        #expect(found.count == 1, "\(statement): \(found)")
        #expect(found.allSatisfy { $0.place.file.bytes[$0.place.offset...].starts(with: Array(statement.utf8)) })
        let report = try Install(
            on: try database.connect(), app: app, environment: nil, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: nil)
        ).run(reason: nil, isDryRun: false)
        #expect(report.app?.acts.map(\.name) == ["lab good"])
        #expect(Set(report.app?.obstacles.map(\.subject) ?? []) == [.act(.action, "lab go")])
    }

    /// Rows of others may be meant, so that is a doubt; whoever they refer to besides makes no difference.
    @Test(arguments: [
        ("delete from public.letters where reader <> :user and writer is null", true),
        ("update public.letters l set read = true from public.people p where p.id = :user", true),
        ("delete from public.letters where writer = :user or reader = :user", false),
        ("update public.letters set read = true where reader is null and writer is null and id > :user", false),
    ]) func whatWouldWriteRowsOfOthersIsADoubt(statement: String, isDoubted: Bool) throws {
        let database = try database(
            """
            create table public.letters (id integer primary key, reader integer references public.people,
                                         writer integer references public.people, read boolean)
            """, "insert into public.letters values (1, 1, null), (2, 2, 1), (3, 3, null), (4, null, null)")
        let app = try app(statement)
        let found = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(found.filter { $0.severity == .error } == [])
        let doubts = found.filter { if case .reachesRows = $0.mistake { true } else { false } }
        #expect(doubts.count == (isDoubted ? 1 : 0), "\(found)")
        #expect(doubts.allSatisfy { $0.severity == .warning })
    }

    @Test(arguments: [
        "update public.people set score = 1 where id = :user",
        "update public.people p set score = 1 from public.gifts g where g.person = p.id and p.id = any(:users)",
        "update public.profiles set note = 'x' where id in (select g.person from public.gifts g where g.person = any(:users))",
        "with s as (select :user as id) update public.people p set score = 1 from s where s.id = p.id",
        "delete from public.profiles where id = any(:users) returning id",
        "delete from public.gifts g using public.profiles p where p.id = g.person and p.id = any(:users)",
        "insert into public.gifts select id + 10, id from users where id = any(:users)",
    ]) func whatKeepsToItsSubjectsIsNone(statement: String) throws {
        let database = try database()
        #expect(try errors(in: try app(statement), on: database) == [])
    }

    @Test func whereNobodyIsNobodyTells() throws {
        let database = try database("truncate public.people cascade")
        let report = try AppCheck.report(
            on: try app(
                "update public.people p set score = 1 from public.people q where q.id = any(:users) and p.tier = q.tier"
            ),
            on: try database.connect(), options: InquiryOptions())
        #expect(report.unseen.map(\.what) == [.changedUsersOfNone, .changedUsersOfNone])
        #expect(report.unseen.words.first?.contains("lab good, lab go") == true)
    }
}
