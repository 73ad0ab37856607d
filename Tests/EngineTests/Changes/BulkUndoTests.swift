import Acts
import Asking
import Changes
import PQ
import Support
import Testing

/// usher undoes a bulk change, also row by row and with partitions.
@Suite(.waiting) struct BulkUndoTests: BulkSuite {
    /// Three rows changed after the bulk change: one row is in the sample, and another row was changed back.
    @Test(arguments: [false, true]) func bulkUndoSkipsOnlyRowsThatChangedAfterTheBulkChange(isThorough: Bool) throws {
        let lab = try lab()
        let report = try run(lab, request("expire"))
        try lab.database.run(
            "update public.people set tier = 'bought' where id in (1100, 600, 601)",
            "update public.people set tier = 'trial' where id = 700")
        if isThorough {
            try lab.database.run(
                """
                create function public.note() returns trigger language plpgsql as $$ begin
                    if new.id % 500 = 1 then insert into public.log (person) values (new.id); end if;
                    return null;
                end $$
                """,
                "create trigger note after update on public.people for each row execute function public.note()")
        }
        let session = try lab.bulk(ChangeRequest(.undo(operation: report.operation)))
        #expect(try session.plan().sample.changes.count == (isThorough ? 100 : 99))
        let undone = try session.run { _ in true }
        #expect(undone.progress.done == 1200 - 3)
        #expect(undone.progress.refused == 3)
        let refusals = undone.refused.map { "\($0.subject?.key ?? "") \($0.sentence.plain)" }
        #expect(
            Set(refusals)
                == Set([600, 601, 1100].map { #"public.people {"id": \#($0)} has another value now in tier"# }),
            "\(refusals)")
        #expect(try outcome(lab, undone.operation) == "partial")
        #expect(try lab.value("select count(*) from people where tier = 'trial'") == "1197")
        #expect(try outcome(lab, report.operation) != "undone")
        #expect(
            try lab.value(
                """
                select count(*) from usher.change c join usher.operation o on o.id = c.operation
                 where o.undoes is not null and c.payload ->> 'table' = 'public.people'
                """) == "1196", "the undo doesn't write rows that have their old value already")
        // The undo restores a skipped row once the row has the value of the change again.
        try lab.database.run("update public.people set tier = 'expired' where tier = 'bought'")
        _ = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(try lab.value("select count(*) from people where tier = 'trial'") == "1200")
        #expect(try outcome(lab, report.operation) == "undone")
        #expect(try lab.isIntact())
    }

    /// A trigger sets a time in each row.
    ///
    /// Some rows changed in another column, some were changed back, and some conflict with the undo.
    @Test(.long, arguments: [false, true]) func updatedAtColumnsDoNotBlockABulkUndo(isThorough: Bool) throws {
        let lab = try lab(
            "alter table public.people add touched timestamptz default '2026-01-01'",
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.touched := clock_timestamp(); return new;
            end $$
            """,
            "create trigger touch before update on public.people for each row execute function public.touch()")
        let report = try run(lab, request("expire"))
        try lab.database.run(
            "update public.people set mood = 'sad' where id % 4 = 0",
            "update public.people set tier = 'bought' where id in (1101, 601, 602)",
            "update public.people set tier = 'trial' where id in (701, 702)")
        if isThorough {
            try lab.database.run(
                """
                create function public.note() returns trigger language plpgsql as $$ begin
                    if new.id % 500 = 1 then insert into public.log (person) values (new.id); end if;
                    return null;
                end $$
                """,
                "create trigger note after update on public.people for each row execute function public.note()")
        }
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.done == 1200 - 3 && undone.progress.refused == 3)
        #expect(undone.left == [.overwritten("touched", table: "public.people")])
        #expect(
            Set(undone.refused.map { "\($0.subject?.key ?? "") \($0.sentence.plain)" })
                == Set([601, 602, 1101].map { #"public.people {"id": \#($0)} has another value now in tier"# }))
        #expect(
            try lab.rows("select tier, mood, count(*) from people group by 1, 2 order by 1, 2") == [
                ["bought", "glad", "3"], ["trial", "glad", "897"], ["trial", "sad", "300"],
            ])
        #expect(
            try lab.value(
                """
                select count(*) from usher.change c join usher.operation o on o.id = c.operation
                 where o.undoes is not null and c.payload ->> 'table' = 'public.people'
                """) == "1195", "the undo doesn't write rows that have their old value already")
        #expect(
            try lab.rows(
                """
                select distinct payload ? 'unasked' from usher.operation where undoes is not null and kind = 'batch' order by 1
                """)
                == (isThorough ? [["f"]] : [["f"], ["t"]]), "only batches without a conflict run as one statement")
        #expect(try lab.isIntact())
    }

    /// A row changed after the bulk change, and another row has its old value of a unique column.
    @Test func bulkUndoSkipsAChangedRowWhoseOldValueIsTaken() throws {
        let lab = try lab("create unique index on public.people (email)", extension: "email = 'new' || id")
        let report = try run(lab, request("extend"))
        try lab.database.run(
            "update public.people set email = 'other' where id = 600",
            "insert into public.people values (2000, 'u600@example.com', 'paid', 'glad', 1, '2026-01-01')")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.done == 1199 && undone.progress.refused == 1)
        #expect(
            undone.refused.map { "\($0.subject?.key ?? "") \($0.sentence.plain)" }
                == [#"public.people {"id": 600} has another value now in email"#])
        #expect(try lab.value("select count(*) from people where email = 'u' || id || '@example.com'") == "1199")
        #expect(try lab.isIntact())
    }

    @Test func bulkUndoSkipsInsertedRowsThatChanged() throws {
        let lab = try lab()
        let report = try run(lab, request("note"))
        try lab.database.run(
            "update public.log set person = 0 where person = 600", "delete from public.log where person = 700")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.done == 1198 && undone.progress.refused == 2)
        #expect(
            undone.refused.map { $0.sentence.plain }.sorted() == [
                "does not exist any more", "has another value now in person",
            ])
        #expect(try lab.rows("select person from public.log") == [["0"]])
        #expect(try lab.isIntact())
    }

    /// A trigger skips a row of the second batch, and somebody deleted a replaced row of the third batch.
    @Test(.long) func bulkUndoContinuesAfterRowsThatItCannotRestore() throws {
        let swap = """


            -- @action trial swap  Replaces the entries.
            -- @select due
            -- @do
            delete from public.log where person = any(:users);
            -- @do
            insert into public.log (id, person, text) overriding system value select u, u, 'new' from unnest(:users) u;
            """
        let lab = try lab(
            "alter table public.log add text text default 'old'",
            "insert into public.log (id, person) overriding system value select id, id from public.people",
            blocks: swap)
        let report = try run(lab, request("swap"))
        try lab.database.run(
            "delete from public.log where id = 1100",
            """
            create function public.skip() returns trigger language plpgsql as $$ begin
                return case when new.id <> 600 then new end;
            end $$
            """, "create trigger skip before insert on public.log for each row execute function public.skip()")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.done == 500 + 199 && undone.progress.refused == 500 + 1)
        #expect(try outcome(lab, undone.operation) == "partial")
        #expect(
            try lab.rows("select text, count(*) from public.log group by 1 order by 1") == [
                ["new", "500"], ["old", "699"],
            ])
        #expect(try lab.isIntact())
    }

    /// The sample has rows of each table, although triggers wrote as many rows into another table.
    @Test(.long) func previewOfABulkUndoSamplesEachTable() throws {
        let lab = try lab(
            """
            create function public.note() returns trigger language plpgsql as $$ begin
                insert into public.log (person) values (new.id);
                return null;
            end $$
            """, "create trigger note after update on public.people for each row execute function public.note()")
        let report = try run(lab, request("expire"))
        let sample = try lab.bulk(ChangeRequest(.undo(operation: report.operation))).plan().sample
        #expect(sample.changes.count { $0.table == "public.log" && $0.kind == .delete } == 100)
        #expect(sample.changes.count { $0.table == "public.people" && $0.kind == .update } == 100)
    }

    /// The operator confirms the number of objects, and the report counts them.
    @Test(.long) func undoOfABulkChangeOnObjectsCountsTheObjects() throws {
        let base = try lab()
        let app = """

            -- @object entry  A line of the log.
            -- @key id
            -- @user person
            select l.id, l.person from public.log l;
            -- @select even  Entries with an even number.
            person % 2 = 0;

            -- @action entry move  Somebody else's.
            -- @on entry
            -- @select even
            -- @do
            update public.log set person = person + 1 where id = any(:keys);
            """
        try base.database.run("insert into public.log (person) select id from public.people")
        let lab = try ChangeLab(base.database, try Lab.app(Self.app + app, header: ""))
        var request = ChangeRequest(.action(noun: "entry", verb: "move"))
        request.selections = ["even"]
        let report = try run(lab, request)
        #expect(report.progress.done == 600)
        let session = try lab.bulk(ChangeRequest(.undo(operation: report.operation)))
        #expect(try session.plan().total == 600)
        #expect(session.confirmation.answers == ["600"])
        let undone = try session.run { _ in true }
        #expect(undone.progress.total == 600 && undone.progress.done == 600)
        #expect(try lab.value("select count(*) from public.log where person % 2 = 0") == "600")
        #expect(try lab.isIntact())
    }

    /// A batch in which only triggers wrote has no row to restore, and doesn't hide other batches.
    @Test func bulkUndoRestoresRowsDespiteBatchesInWhichOnlyTriggersWrote() throws {
        let lab = try lab(
            "update public.people set mood = 'sad' where id > 200",
            """
            create function public.counted() returns trigger language plpgsql as $$ begin
                new.score := new.score + 1;
                return new;
            end $$
            """,
            "create trigger counted before update on public.people for each row execute function public.counted()",
            extension: "mood = 'sad'")
        let report = try run(lab, request("extend"))
        _ = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(try lab.value("select count(*) from people where mood = 'glad'") == "200")
    }

    /// One statement restores values of every type from the audit log, but names of objects depend on the search path
    /// of triggers.
    @Test(.long, arguments: [false, true]) func bulkUndoRestoresValuesOfEveryType(withNames: Bool) throws {
        let values = ChangedValueTests.values.filter { withNames || !$0.type.hasPrefix("reg") }
        let depth = values.map(\.values.count).max() ?? 0
        let columns = values.indices.map { "c\($0)" }
        let added = zip(columns, values).map { "add \($0) \($1.type)" }.joined(separator: ", ")
        let filled = zip(columns, values).map { column, kind in
            let cases = kind.values.enumerated().map { "when \($0) then (\($1))::\(kind.type)" }
            return "\(column) = case id % \(depth) \(cases.joined(separator: " ")) end"
        }
        let lab = try lab(
            ChangedValueTests.types[0], ChangedValueTests.types[1], "alter table public.people \(added)",
            "update public.people set \(filled.joined(separator: ", "))",
            extension: columns.map { "\($0) = null" }.joined(separator: ", "))
        let before = try lab.rows("select p::text from public.people p order by id")
        let report = try run(lab, request("extend"))
        #expect(report.progress.changes == 1200)
        _ = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(try lab.rows("select p::text from public.people p order by id") == before)
        // Only batches that run row by row check every decision.
        #expect(
            try lab.rows("select distinct undoes is null from usher.operation where payload ? 'unasked' order by 1")
                == (withNames ? [] : [["f"], ["t"]]))
        #expect(try lab.isIntact())
    }

    /// usher shows, counts and restores rows of partitions under the name of their table, in one statement.
    @Test(.long) func bulkChangeShowsPartitionsUnderTheNameOfTheirTable() throws {
        let lab = try lab(
            "create table public.parts (like public.people including defaults, primary key (id)) partition by hash (id)",
            """
            do $$ begin for n in 0..7 loop
                execute format('create table public.part%s partition of public.parts for values with (modulus 8, remainder %s)', n, n);
            end loop; end $$
            """,
            "insert into public.parts select * from public.people", "drop table public.people",
            "alter table public.parts rename to people",
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.email := 'touched-' || new.id; return new;
            end $$
            """,
            "create trigger touch before update on public.people for each row execute function public.touch()")
        let before = try lab.rows("select id, tier, seen from public.people order by id")
        let report = try run(lab, request("expire"))
        #expect(report.progress.done == 1200)
        #expect(
            try lab.rows("select distinct payload ->> 'table' from usher.change") == [["public.people"]])
        try audit(lab, rows: 1200)
        try lab.database.run("update public.people set tier = 'bought' where id = 600")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.refused == 1)
        try lab.database.run("update public.people set tier = 'trial' where id = 600")
        #expect(try lab.rows("select id, tier, seen from public.people order by id") == before)
        #expect(try lab.isIntact())
    }

    /// If a row moves to another partition, usher records a delete and an insert.
    ///
    /// The undo moves the row back.
    @Test func bulkUndoMovesARowBackToItsPartition() throws {
        let lab = try lab(
            """
            create table public.parts (like public.people including defaults, primary key (id, tier))
                partition by list (tier)
            """,
            "create table public.trials partition of public.parts for values in ('trial')",
            "create table public.others partition of public.parts default",
            "insert into public.parts select * from public.people where id <= 30", "drop table public.people",
            "alter table public.parts rename to people")
        let before = try lab.rows("select * from public.people order by id")
        let report = try lab.run(request("expire"))
        #expect(try lab.value("select count(*) from public.others") == "30")
        #expect(try lab.rows("select distinct payload ->> 'table' from usher.change") == [["public.people"]])
        try lab.undo(report.operation)
        #expect(try lab.rows("select * from public.people order by id") == before)
        #expect(try lab.isIntact())
    }
}
