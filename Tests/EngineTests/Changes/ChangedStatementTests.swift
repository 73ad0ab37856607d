@testable import Asking
@testable import Changes
import AppFile
import PQ
import Support
import Testing

/// usher records the changes of each kind of statement.
@Suite struct ChangedStatementTests: ChangedRowsSuite {
    @Test func upsertIsRecordedAsAnUpdateOrAnInsert() throws {
        let lab = try ChangeLab(
            Self.action(
                """
                insert into public.prefs as p (person, theme, seen) select unnest(:users), 'dark', 1
                    on conflict (person) do update set theme = excluded.theme
                """),
            "create table public.prefs (person integer primary key, theme text, seen integer default 0)",
            "insert into public.prefs values (1, 'light', 7)")
        var both = Self.go
        both.subjects = ["1", "2"]
        #expect(
            try hold(lab, both).lines == [
                #"~ public.prefs {"person": 1} theme: light → dark"#,
                #"+ public.prefs {"person": 2} person: NULL → 2, theme: NULL → dark, seen: NULL → 1"#,
            ])
    }

    @Test func severalStatementsOnOneRowAreRecordedAsOneChange() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.people set tier = 'paid' where id = any(:users)",
                "update public.people set score = score + 1 where id = any(:users)",
                "update public.people set score = score + 1, mood = 'sad' where id = any(:users)"))
        #expect(
            try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid, mood: glad → sad, score: 10 → 12"#])
    }

    /// An update of users' own rows runs only once, unless a trigger after the update may write other rows.
    @Test(arguments: [("before", "1"), ("after", "2")])
    func updateOfUsersOwnRowsRunsOnce(time: String, runs: String) throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            "create sequence public.runs",
            """
            create function public.count_runs() returns trigger language plpgsql as $$ begin
                perform nextval('public.runs'); return new;
            end $$
            """,
            "create trigger count_runs \(time) update on public.people for each row execute function public.count_runs()"
        )
        #expect(try lab.plan(Self.go).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
        #expect(try lab.value("select last_value from runs") == runs)
        try hold(lab)
    }

    @Test func rowThatIsInsertedAndDeletedIsNotRecorded() throws {
        let lab = try ChangeLab(
            Self.action(
                "insert into public.people (id, tier) select u + 100, 'x' from unnest(:users) u",
                "update public.people set tier = 'paid' where id = any(:users)",
                "delete from public.people where id - 100 = any(:users)"))
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    @Test func rowThatIsUpdatedAndDeletedIsRecordedAsADelete() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.seats set place = 'gone' where person = any(:users)",
                "delete from public.seats where place = 'gone' and person = any(:users)"),
            "create table public.seats (id integer primary key, person integer, place text)",
            "insert into public.seats values (1, 1, 'back'), (2, 2, 'back')")
        #expect(
            try hold(lab).lines == [
                #"- public.seats {"id": 1} id: 1 → NULL, person: 1 → NULL, place: back → NULL"#
            ])
    }

    @Test func undoRestoresARowReplacedUnderItsUniqueKey() throws {
        let lab = try ChangeLab(
            Self.action(
                "delete from public.seats where person = any(:users)",
                "insert into public.seats select 100 + u, u, 'front' from unnest(:users) u"),
            "create table public.seats (id integer primary key, person integer unique, place text)",
            "insert into public.seats values (1, 1, 'back'), (2, 2, 'back')")
        #expect(try hold(lab).changes.map(\.kind.rawValue).sorted() == ["delete", "insert"])
    }

    @Test func rowReplacedUnderItsKeyIsRecordedAsADeleteAndAnInsert() throws {
        let lab = try ChangeLab(
            Self.action(
                "delete from public.profiles where person = any(:users)",
                "insert into public.profiles (person) select unnest(:users)",
                "insert into public.badges select unnest(:users), 'new'"),
            "create table public.profiles (person integer primary key, name text, updated_at timestamptz default now())",
            "create table public.badges (person integer references public.profiles on delete cascade, name text primary key)",
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.updated_at := clock_timestamp(); return new;
            end $$
            """,
            "create trigger touch before update on public.profiles for each row execute function public.touch()",
            "insert into public.profiles values (1, 'Ada', '2026-01-01'), (2, 'Bea', '2026-01-01')",
            "insert into public.badges values (1, 'old'), (1, 'older'), (2, 'other')")
        #expect(
            try hold(lab).changes.map { "\($0.kind) \($0.table)" } == [
                "insert public.badges", "delete public.badges", "delete public.badges", "delete public.profiles",
                "insert public.profiles",
            ])
    }

    /// Constraints allow only some orders of deleting, inserting and updating rows.
    @Test(arguments: [
        // The updated row refers to the inserted row.
        [
            "insert into public.plans select 2 + u, 'new' from unnest(:users) u",
            "update public.seats set plan = 2 + id where id = any(:users)",
        ],
        // The updated row refers to the inserted row instead of the deleted row.
        [
            "insert into public.plans select 2 + u, 'new' from unnest(:users) u",
            "update public.seats set plan = 2 + id where id = any(:users)",
            "delete from public.plans where id = any(:users)",
        ],
        // The deleted row gives its unique value to the updated row.
        [
            "delete from public.plans where id - 1 = any(:users)",
            "update public.plans set name = 'two' where id = any(:users)",
        ],
        // An inserted row also gets the old value of the updated row.
        [
            "delete from public.plans where id - 1 = any(:users)",
            "update public.plans set name = 'two' where id = any(:users)",
            "insert into public.plans select 2 + u, 'one' from unnest(:users) u",
        ],
        // The updated rows refer to the inserted row, and have the unique value of the deleted row.
        [
            "insert into public.plans select 2 + u, 'new' from unnest(:users) u",
            "update public.seats set plan = 2 + id where id = any(:users)",
            "delete from public.plans where id - 1 = any(:users)",
            "update public.plans set name = 'two' where id = any(:users)",
        ],
    ]) func undoFollowsTheOrderThatConstraintsAllow(_ statements: [String]) throws {
        let lab = try ChangeLab(
            Self.action(statements.joined(separator: ";\n-- @do\n")),
            "create table public.plans (id integer primary key, name text unique)",
            "create table public.seats (id integer primary key, plan integer references public.plans)",
            "insert into public.plans values (1, 'one'), (2, 'two')", "insert into public.seats values (1, 1)")
        #expect(try hold(lab).changes.count == statements.count)
    }

    @Test func undoSwapsUniqueValuesBack() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.seats set place = -place where place in (1, 2) and 1 = any(:users)",
                "update public.seats set place = 3 + place where place < 0 and 1 = any(:users)"),
            "create table public.seats (id integer primary key, place integer unique deferrable)",
            "insert into public.seats values (1, 1), (2, 2), (3, 3)")
        #expect(try hold(lab).changes.count == 2)
    }

    @Test func auditLogRecordsTheWritesOfAWITHQuery() throws {
        let lab = try ChangeLab(
            Self.action(
                """
                with gone as (delete from public.seats where person = any(:users) returning person, place),
                     moved as (update public.seats s set place = 'front' from gone where s.person = gone.person + 1 returning s.id)
                update public.people set tier = (select 'was ' || place from gone) where id = any(:users)
                """),
            "create table public.seats (id integer primary key, person integer unique, place text)",
            "insert into public.seats values (1, 1, 'back'), (2, 2, 'back')")
        #expect(
            try hold(lab).lines == [
                #"~ public.people {"id": 1} tier: free → was back"#,
                #"- public.seats {"id": 1} id: 1 → NULL, person: 1 → NULL, place: back → NULL"#,
                #"~ public.seats {"id": 2} place: back → front"#,
            ])
    }

    @Test func auditLogRecordsTheWritesOfAFunction() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.people set tier = 'paid' where id = any(:users)", "select public.bonus(:users)"),
            """
            create function public.bonus(users integer[]) returns void language sql as
                $$ update public.people set score = score + 1 where id = any(users) $$
            """)
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid, score: 10 → 11"#])
    }

    /// The server doesn't count the rows of a TRUNCATE, and usher can't undo DDL.
    @Test func changeIsRefusedIfItTruncatesATableOrRunsDDL() throws {
        let notes = "create table public.notes (id integer primary key)"
        let filled = "insert into public.notes values (1), (2)"
        for body in ["truncate public.notes", "alter table public.notes add more text", "drop table public.notes"] {
            let lab = try ChangeLab(
                Self.action(
                    "update public.people set tier = 'paid' where id = any(:users)",
                    "select public.f() where 1 = any(:users)"),
                notes,
                filled, "create function public.f() returns void language plpgsql as $$ begin \(body); end $$")
            let refusal = try failure { try lab.run(Self.go) }
            #expect(refusal.kind == .refused, "\(body): \(refusal.message)")
            let named = body.hasPrefix("drop") ? "pg_class" : "public.notes"
            #expect(refusal.message.contains(named), "\(refusal.message)")
            #expect(try lab.value("select tier from people where id = 1") == "free")
        }
    }
}
