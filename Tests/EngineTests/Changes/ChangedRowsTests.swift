@testable import Asking
import AppFile
import Changes
import PQ
import Support
import Testing

/// usher finds, records and restores every row that a statement changes, also through triggers.
@Suite struct ChangedRowsTests: ChangedRowsSuite {
    // MARK: Triggers and cascades

    @Test func auditLogRecordsTriggerWritesToAnotherTable() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            "create table public.totals (tier text primary key, people integer not null)",
            "insert into public.totals values ('free', 1), ('paid', 1)",
            """
            create function public.count_tiers() returns trigger language plpgsql as $$ begin
                update public.totals set people = people - 1 where tier = old.tier;
                update public.totals set people = people + 1 where tier = new.tier;
                return null;
            end $$
            """,
            "create trigger count_tiers after update on public.people for each row execute function public.count_tiers()"
        )
        let report = try hold(lab)
        #expect(
            report.lines == [
                #"~ public.people {"id": 1} tier: free → paid"#,
                #"~ public.totals {"tier": "free"} people: 1 → 0"#,
                #"~ public.totals {"tier": "paid"} people: 1 → 2"#,
            ])
    }

    /// A column named `t`, like the row alias in usher's own statements.
    @Test(arguments: ["jsonb default '{\"id\": 7}'", "text default 'x'", "public.both default (7, 'x')"])
    func changeRecordsARowWithAColumnNamedLikeAnAliasOfUsher(type: String) throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            "create type public.both as (id integer, tier text)", "alter table public.people add t \(type)")
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    @Test func triggerOfAChangeCanUseATemporaryTable() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            """
            create function public.remember() returns trigger language plpgsql as $$ begin
                create temp table if not exists remembered (id integer);
                insert into remembered values (new.id);
                return new;
            end $$
            """,
            "create trigger remember before update on public.people for each row execute function public.remember()")
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    @Test func undoReportsColumnsThatATriggerOverwrites() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            "alter table public.people add updated_at timestamptz",
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.updated_at := clock_timestamp(); return new;
            end $$
            """,
            "create trigger touch before update on public.people for each row execute function public.touch()")
        let before = try lab.everything()
        let report = try lab.run(Self.go)
        let columns = try #require(report.changes.first).columns
        #expect(columns.map(\.name) == ["tier", "updated_at"])
        let undone = try lab.undo(report.operation)
        #expect(try lab.everything() == before)
        #expect(
            undone.warnings.map(\.sentence.plain) == [
                "a trigger overwrites updated_at of public.people, so the undo does not restore these values"
            ])
        try lab.undo(undone.operation)
        #expect(try lab.value("select tier from people where id = 1") == "paid")
    }

    @Test func undoRestoresParentRowsBeforeCascadedRows() throws {
        let lab = try ChangeLab(
            Self.action("delete from public.people where id = any(:users)"),
            """
            create table public.a_letters (id integer primary key, person integer not null references public.people on delete cascade)
            """,
            """
            create table public.a_lines (letter integer references public.a_letters on delete cascade, n integer, text text,
                                         primary key (letter, n))
            """,
            "create table public.visits (id integer primary key, person integer references public.people on delete set null)",
            "insert into public.a_letters values (10, 1), (11, 1), (12, 2)",
            "insert into public.a_lines values (10, 1, 'x'), (10, 2, 'y'), (12, 1, 'z')",
            "insert into public.visits values (1, 1), (2, 2)")
        let report = try hold(lab)
        #expect(
            report.changes.map(\.table).sorted() == [
                "public.a_letters", "public.a_letters", "public.a_lines", "public.a_lines", "public.people",
                "public.visits",
            ])
    }

    @Test func undoRestoresRowsThatReferToEachOther() throws {
        let lab = try ChangeLab(
            Self.action("delete from public.tree where owner = any(:users)"),
            """
            create table public.tree (id integer primary key, owner integer references public.people,
                                      parent integer references public.tree on delete cascade)
            """,
            "insert into public.tree values (1, 1, null), (2, 1, 1), (3, 1, 2), (4, 2, null)")
        #expect(try hold(lab).changes.count == 3)
    }

    @Test func rowWhoseUpdateABeforeTriggerSkipsIsNotRecorded() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid', score = 1 where id = any(:users)"),
            """
            create function public.swallow() returns trigger language plpgsql as $$ begin
                return case when old.id = 1 then null else new end;
            end $$
            """,
            "create trigger swallow before update on public.people for each row execute function public.swallow()")
        let report = try lab.run(Self.go)
        #expect(report.changes.isEmpty)
        #expect(report.operation == nil)
        var both = Self.go
        both.subjects = ["1", "2"]
        #expect(try hold(lab, both).lines == [#"~ public.people {"id": 2} score: 0 → 1"#])
    }

    @Test func auditLogRecordsTriggerUpdatesOfOtherRows() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set score = 5 where id = any(:users)"),
            """
            create function public.spread() returns trigger language plpgsql as $$ begin
                if pg_trigger_depth() = 1 then update public.people set score = new.score + 1 where id = 2; end if;
                return new;
            end $$
            """,
            "create trigger spread before update on public.people for each row execute function public.spread()")
        let report = try lab.run(Self.go)
        #expect(
            report.lines == [
                #"~ public.people {"id": 1} score: 10 → 5"#, #"~ public.people {"id": 2} score: 0 → 6"#,
            ])
    }

    @Test func previewIncludesDeferredTriggers() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set score = 5 where id = any(:users)"),
            "create table public.log (id integer generated always as identity primary key, person integer)",
            """
            create function public.late() returns trigger language plpgsql as $$ begin
                if new.id = 2 then raise exception 'not two'; end if;
                insert into public.log (person) values (new.id);
                return null;
            end $$
            """,
            """
            create constraint trigger late after update on public.people deferrable initially deferred
                for each row execute function public.late()
            """)
        let report = try lab.run(Self.go)
        #expect(report.shape.count == 2)
        #expect(try lab.value("select count(*) from log") == "1")
        let before = try lab.everything()
        var two = Self.go
        two.subjects = ["2"]
        let objection = try failure { try lab.run(two) }
        #expect(objection.kind == .failed)
        #expect(objection.message == "not two")
        #expect(try lab.everything() == before)
        #expect(try lab.operations(where: "outcome = 'failed' and payload ->> 'because' = 'not two'") == 1)
    }

    // MARK: Keys

    @Test func changeCanOnlyInsertRowsIntoATableWithoutAKey() throws {
        let table = "create table public.notes (person integer, text text)"
        let inserting = try ChangeLab(
            Self.action("insert into public.notes select unnest(:users), 'hello'"), table,
            "insert into public.notes values (1, 'hello')")
        let report = try inserting.run(Self.go)
        #expect(report.lines == ["+ public.notes {} person: NULL → 1, text: NULL → hello"])
        #expect(try inserting.value("select count(*) from notes") == "2")
        let undone = try failure { try inserting.undo(report.operation) }
        #expect(undone.kind == .refused)
        #expect(undone.message.contains("public.notes"))
        for statement in [
            "update public.notes set text = 'x' where person = any(:users)",
            "delete from public.notes where person = any(:users)",
        ] {
            let lab = try ChangeLab(Self.action(statement), table, "insert into public.notes values (1, 'hello')")
            let refusal = try failure { try lab.run(Self.go) }
            #expect(refusal.kind == .refused)
            #expect(refusal.message.contains("public.notes"))
            #expect(try lab.value("select text from notes") == "hello")
        }
    }

    @Test func undoMovesARowBackToItsPartition() throws {
        let lab = try ChangeLab(
            Self.action("update public.events set day = '2026-02-10', kind = 'moved' where person = any(:users)"),
            """
            create table public.events (id integer, day date, person integer, kind text, updated_at timestamptz,
                                        primary key (id, day)) partition by range (day)
            """,
            "create table public.events_1 partition of public.events for values from ('2026-01-01') to ('2026-02-01')",
            "create table public.events_2 partition of public.events for values from ('2026-02-01') to ('2026-03-01')",
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.updated_at := clock_timestamp(); return new;
            end $$
            """,
            "create trigger touch before update on public.events for each row execute function public.touch()",
            "insert into public.events values (1, '2026-01-10', 1, 'x'), (2, '2026-02-10', 1, 'y'), (3, '2026-01-10', 2, 'z')"
        )
        let report = try hold(lab, ignoring: ["updated_at"])
        #expect(Set(report.changes.map(\.table)) == ["public.events"])
    }

    @Test func changeShowsCompositeKeys() throws {
        let lab = try ChangeLab(
            Self.action("update public.rates set rate = rate * 2 where person = any(:users)"),
            """
            create table public.rates (person integer, at timestamptz, label char(4), part bytea, share numeric, rate float8,
                                       primary key (person, at, label, part, share))
            """,
            #"""
            insert into public.rates values (1, '-infinity', 'a"', '\x00ff', 1.10, 1.5), (1, '2026-01-01 00:00:00.000001', 'b''\', '\x', 'NaN', 2),
                                            (2, 'infinity', '', '\x22', 0, 3)
            """#)
        #expect(try hold(lab).changes.count == 2)
    }

    @Test func changedKeyIsRecordedAsADeleteAndAnInsert() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set id = id + 100 where id = any(:users)"))
        let report = try hold(lab)
        #expect(report.changes.map(\.kind.rawValue).sorted() == ["delete", "insert"])
    }

    @Test func changeQuotesUnusualTableAndColumnNames() throws {
        let lab = try ChangeLab(
            Self.action(
                #"""
                update "Bad ""Sch.ema"."sel'ect $1 :now" t set "a{b}\" = 'x', "order by; --" = null where t."we""ird" = any(:users)
                """#),
            #"create schema "Bad ""Sch.ema""#,
            #"""
            create table "Bad ""Sch.ema"."sel'ect $1 :now" ("we""ird" integer primary key, "a{b}\" text, "order by; --" json)
            """#,
            #"""
            insert into "Bad ""Sch.ema"."sel'ect $1 :now" values (1, 'it''s \ "so"', '{"a":  1}'), (2, null, null)
            """#)
        #expect(try hold(lab).changes.count == 1)
    }
}
