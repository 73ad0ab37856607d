import Asking
import Changes
import PQ
import Support
import Testing

/// The key of the users may differ from the primary key of their table.
///
/// The primary key may also contain a date, as in partitioned tables, or be another column.
@Suite(.waiting, .long) struct RootKeyTests {
    private static let app = """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select unpaid  Users who did not pay.
        tier = 'free';
        -- @decision access  Does this person get in?
        -- @rule in  Paid.
        tier = 'paid';
        -- @rule out  Not paid.
        true;
        -- @decision mood  Is this person glad?
        -- @rule any  As everybody is.
        true;
        -- @action trial grant  Give a user access.
        -- @select unpaid
        -- @expect access in
        -- @do
        update public.people set tier = 'paid' where id = any(:users);
        -- @action trial spread  Give more users access.
        -- @do
        update public.people set tier = 'paid' where id in (select u + n from unnest(:users) u, generate_series(0, 1) n);
        """
    private static let tables = [
        [
            """
            create table public.people (id integer not null, email text, tier text default 'free', made date not null,
                                        primary key (id, made)) partition by range (made)
            """,
            "create table public.people_2025 partition of public.people for values from ('2025-01-01') to ('2026-01-01')",
            "create table public.people_2026 partition of public.people for values from ('2026-01-01') to ('2027-01-01')",
        ],
        [
            """
            create table public.people (number bigint generated always as identity primary key,
                                        id integer not null unique, email text, tier text default 'free', made date)
            """
        ],
    ]

    private func lab(_ table: [String]) throws -> ChangeLab {
        let database = try Lab.withLedger().database
        let fill = """
            insert into public.people (id, email, made)
            select n, 'u' || n || '@example.com', date '2025-07-01' + n % 360 from generate_series(1, 1200) n order by -n
            """
        for statement in ["drop table public.people"] + table + [fill, "analyze public.people"] {
            try database.run(statement)
        }
        return try ChangeLab(database, try Lab.app(Self.app, header: ""))
    }

    @Test(arguments: tables) func bulkBatchAndItsUndoTakeOneStatementEach(table: [String]) throws {
        let lab = try lab(table)
        let before = try lab.rows("select * from public.people order by id")
        var request = ChangeRequest(.action(noun: "trial", verb: "grant"))
        request.selections = ["unpaid"]
        let session = try lab.bulk(request)
        _ = try session.plan()
        let report = try session.run { _ in true }
        #expect(report.progress.done == 1200 && report.progress.changes == 1200)
        let undone = try lab.bulk(ChangeRequest(.undo(operation: report.operation)))
        _ = try undone.plan()
        #expect(try undone.run { _ in true }.progress.done == 1200)
        #expect(try lab.rows("select * from public.people order by id") == before)
        // The first batch compares every row, so it also finds rows that triggers change.
        let ways = try lab.rows(
            """
            select b.undoes is not null, count(*) > 1, count(*) filter (where not b.payload ? 'unasked')
              from usher.operation b where b.kind = 'batch' group by 1 order by 1
            """)
        #expect(ways == [["f", "t", "1"], ["t", "t", "0"]])
        #expect(try lab.isIntact())
    }

    @Test(arguments: tables) func changeIsRefusedIfItAffectsOtherUsers(table: [String]) throws {
        let lab = try lab(table)
        #expect(try lab.run(.action("trial", "grant", on: "7")).changes.count == 1)
        let refusal = try failure { try lab.run(.action("trial", "spread", on: "8")) }
        #expect(refusal.code == "others", "\(refusal)")
        #expect(try lab.value("select count(*) from public.people where tier = 'paid'") == "1")
    }
}
