import AppFile
import Operations
import PQ
import Support
import Testing

/// Whatever a statement sets off is found to the last row, recorded, and taken back.
@Suite struct ChangedRowsTests {
    /// An action `lab go` of some statements.
    private static func action(_ statements: String..., more: String = "") -> String {
        "-- @action lab go  Does it.\n\(more)\n" + statements.map { "-- @do\n\($0);\n" }.joined()
    }

    private static let go = ChangeRequest.action("lab", "go", on: "1")

    /// Makes the change, which has to be what its dry run said, and takes it back and back again.
    @discardableResult
    private func hold(
        _ lab: ChangeLab, _ request: ChangeRequest = go, ignoring columns: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ChangeReport {
        let before = try lab.everything(but: columns)
        let plan = try lab.plan(request)
        #expect(try lab.everything(but: columns) == before, sourceLocation: sourceLocation)
        let report = try lab.run(request)
        #expect(report.shape == plan.shape, sourceLocation: sourceLocation)
        let after = try lab.everything(but: columns)
        #expect(after != before, sourceLocation: sourceLocation)
        let undone = try lab.undo(report.operation)
        #expect(try lab.everything(but: columns) == before, sourceLocation: sourceLocation)
        try lab.undo(undone.operation)
        #expect(try lab.everything(but: columns) == after, sourceLocation: sourceLocation)
        #expect(try lab.isIntact(), sourceLocation: sourceLocation)
        return report
    }

    // MARK: Triggers and cascades

    @Test func aTriggerThatWritesAnotherTableIsSeen() throws {
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

    /// A name like `t` means the column where a statement of the engine calls a row so.
    @Test(arguments: ["jsonb default '{\"id\": 7}'", "text default 'x'", "public.both default (7, 'x')"])
    func columnsMayBeCalledAsTheEngineCallsRows(type: String) throws {
        let lab = try ChangeLab(
            Self.action("update public.people set tier = 'paid' where id = any(:users)"),
            "create type public.both as (id integer, tier text)", "alter table public.people add t \(type)")
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    @Test func aTriggerMayKeepNotesInATemporaryTable() throws {
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

    @Test func whatATriggerRewritesInTheRowItselfIsTheTriggersOwn() throws {
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
        #expect(columns.map(\.isRewritten) == [false, true])
        let undone = try lab.undo(report.operation)
        #expect(try lab.everything() == before)
        #expect(
            undone.warnings.map(\.sentence.plain) == [
                "updated_at of public.people is left to the triggers that write it"
            ])
        try lab.undo(undone.operation)
        #expect(try lab.value("select tier from people where id = 1") == "paid")
    }

    @Test func cascadesAreSeenAndPutBackParentsFirst() throws {
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

    @Test func rowsThatReferToEachOtherArePutBack() throws {
        let lab = try ChangeLab(
            Self.action("delete from public.tree where owner = any(:users)"),
            """
            create table public.tree (id integer primary key, owner integer references public.people,
                                      parent integer references public.tree on delete cascade)
            """,
            "insert into public.tree values (1, 1, null), (2, 1, 1), (3, 1, 2), (4, 2, null)")
        #expect(try hold(lab).changes.count == 3)
    }

    @Test func whatABeforeTriggerSwallowsIsNoChange() throws {
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

    @Test func aTriggerThatUpdatesOtherRowsOfTheTableIsSeen() throws {
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

    @Test func aDeferredTriggerHasItsSayBeforeAnythingIsShown() throws {
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

    @Test func aTableWithoutAKeyTakesNewRowsOnly() throws {
        let table = "create table public.notes (person integer, text text)"
        let inserting = try ChangeLab(
            Self.action("insert into public.notes select unnest(:users), 'hello'"), table,
            "insert into public.notes values (1, 'hello')")
        let report = try inserting.run(Self.go)
        #expect(report.lines == ["+ public.notes {} text: NULL → hello, person: NULL → 1"])
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

    @Test func aRowThatMovesToAnotherPartitionMovesBack() throws {
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
        #expect(Set(report.changes.map(\.table)) == ["public.events_1", "public.events_2"])
    }

    @Test func keysOfSeveralColumnsAndTypesAreTold() throws {
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

    @Test func aKeyThatIsWrittenOverIsARowThatGoesAndOneThatComes() throws {
        let lab = try ChangeLab(
            Self.action("update public.people set id = id + 100 where id = any(:users)"))
        let report = try hold(lab)
        #expect(report.changes.map(\.kind.rawValue).sorted() == ["delete", "insert"])
    }

    @Test func namesOfAnyKindAreQuoted() throws {
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

    // MARK: Statements

    @Test func anInsertThatBecomesAnUpdateIsOne() throws {
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

    @Test func severalStatementsOnOneRowAreOneChange() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.people set tier = 'paid' where id = any(:users)",
                "update public.people set score = score + 1 where id = any(:users)",
                "update public.people set score = score + 1, mood = 'sad' where id = any(:users)"))
        #expect(
            try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid, mood: glad → sad, score: 10 → 12"#])
    }

    @Test func aRowThatComesAndGoesIsNoChange() throws {
        let lab = try ChangeLab(
            Self.action(
                "insert into public.people (id, tier) select u + 100, 'x' from unnest(:users) u",
                "update public.people set tier = 'paid' where id = any(:users)",
                "delete from public.people where id > 100"))
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    @Test func aRowReplacedByOneWithTheSameUniqueKeyIsPutBack() throws {
        let lab = try ChangeLab(
            Self.action(
                "delete from public.seats where person = any(:users)",
                "insert into public.seats select 100 + u, u, 'front' from unnest(:users) u"),
            "create table public.seats (id integer primary key, person integer unique, place text)",
            "insert into public.seats values (1, 1, 'back'), (2, 2, 'back')")
        #expect(try hold(lab).changes.map(\.kind.rawValue).sorted() == ["delete", "insert"])
    }

    @Test func aRowReplacedByOneWithTheSameKeyGoesAndComes() throws {
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

    @Test func uniqueValuesThatWereExchangedAreExchangedBack() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.seats set place = -place where place in (1, 2) and 1 = any(:users)",
                "update public.seats set place = 3 + place where place < 0"),
            "create table public.seats (id integer primary key, place integer unique deferrable)",
            "insert into public.seats values (1, 1), (2, 2), (3, 3)")
        #expect(try hold(lab).changes.count == 2)
    }

    @Test func whatASubqueryWritesIsWritten() throws {
        let lab = try ChangeLab(
            Self.action(
                """
                with gone as (delete from public.seats where person = any(:users) returning person, place),
                     moved as (update public.people p set score = 99 from gone where p.id = gone.person + 1 returning p.id)
                update public.people set tier = (select 'was ' || place from gone) where id = any(:users)
                """),
            "create table public.seats (id integer primary key, person integer unique, place text)",
            "insert into public.seats values (1, 1, 'back'), (2, 2, 'back')")
        #expect(
            try hold(lab).lines == [
                #"~ public.people {"id": 1} tier: free → was back"#, #"~ public.people {"id": 2} score: 0 → 99"#,
                #"- public.seats {"id": 1} id: 1 → NULL, person: 1 → NULL, place: back → NULL"#,
            ])
    }

    @Test func whatAFunctionWritesIsWritten() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.people set tier = 'paid' where id = any(:users)", "select public.bonus(:users)"),
            """
            create function public.bonus(users integer[]) returns void language sql as
                $$ update public.people set score = score + 1 where id = any(users) $$
            """)
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid, score: 10 → 11"#])
    }

    @Test func aViewIsWrittenThrough() throws {
        let lab = try ChangeLab(
            Self.action("update public.happy set tier = 'paid' where id = any(:users)"),
            "create view public.happy as select id, tier from public.people where mood = 'glad'")
        #expect(try hold(lab).lines == [#"~ public.people {"id": 1} tier: free → paid"#])
    }

    /// The server does not count what TRUNCATE removes, and DDL is nothing that could be taken back.
    @Test func whatCannotBeCountedIsRefused() throws {
        let notes = "create table public.notes (id integer primary key)"
        let filled = "insert into public.notes values (1), (2)"
        for body in ["truncate public.notes", "alter table public.notes add more text", "drop table public.notes"] {
            let lab = try ChangeLab(
                Self.action("update public.people set tier = 'paid' where id = any(:users)", "select public.f()"),
                notes,
                filled, "create function public.f() returns void language plpgsql as $$ begin \(body); end $$")
            let refusal = try failure { try lab.run(Self.go) }
            #expect(refusal.kind == .refused, "\(body): \(refusal.message)")
            #expect(refusal.message.contains(body.hasPrefix("drop") ? "table" : "public.notes"), "\(refusal.message)")
            #expect(try lab.value("select tier from people where id = 1") == "free")
        }
    }

    // MARK: Values

    /// Values of every kind, beside a row of others.
    private static let values: [(type: String, values: [String])] = [
        ("json", [#"'{"b": 1,  "a": [1.0,2]}'"#, #"' "text" '"#, "'null'"]),
        ("jsonb", [#"'{"b": 1.10, "a": null}'"#, "'null'", "'\"null\"'", "'17'", "'true'", "'[]'"]),
        ("numeric", ["1.10", "'NaN'", "'Infinity'", "12345678901234567890.123456789000", "-0.000"]),
        ("float8", ["0.1", "'NaN'", "'-Infinity'", "'-0'", "1e308", "5e-324"]), ("float4", ["0.1", "'NaN'", "'-0'"]),
        ("bigint", ["9223372036854775807", "-9223372036854775808"]), ("money", ["'-12.34'"]),
        ("interval", ["'1 mon 2 days 03:04:05.000006'", "'-1 day 24:00:00'"]),
        (
            "timestamptz",
            ["'infinity'", "'-infinity'", "'0044-03-15 00:00:00+00 BC'", "'2026-01-01 00:00:00.000001+00'"]
        ),
        ("timestamp", ["'infinity'", "'294276-12-31 23:59:59.999999'"]), ("date", ["'infinity'", "'4713-01-01 BC'"]),
        ("time", ["'24:00:00'"]), ("timetz", ["'12:00:00.000001-07:30'"]),
        ("integer[]", ["'{}'", "'{1,NULL,3}'", "'{{1,2},{3,4}}'", "'[0:2]={1,2,3}'"]),
        ("text[]", [#"'{"a,b","\"q\"",NULL,"NULL","\\"}'"#]), ("json[]", [#"array['{"a":  1}', 'null']::json[]"#]),
        ("jsonb[]", ["array['null', '1', null]::jsonb[]"]), ("numeric[]", ["'{NaN,1.10}'"]),
        ("bytea", [#"'\x00ff5c'"#, "''"]), ("text", ["''", #"E'\\ \" \n\t\x01 ü'"#, "'null'"]),
        ("varchar(3)", ["'a  '"]),
        ("char(4)", ["'a'"]), ("\"char\"", ["'x'"]), ("name", ["'n'"]), ("bit(4)", ["b'0101'"]), ("varbit", ["b'01'"]),
        ("uuid", ["'00000000-0000-4000-8000-00000000000a'"]), ("inet", ["'10.0.0.1/8'"]), ("cidr", ["'10.0.0.0/8'"]),
        ("macaddr", ["'08:00:2b:01:02:03'"]), ("public.mood", ["'sad'"]), ("public.mood[]", ["'{sad,glad}'"]),
        ("public.share", ["0.5"]), ("public.pair", [#"row(1, '{"a":  1}', null)"#, "row(null, null, 'null')"]),
        ("int4range", ["'[1,5)'", "'empty'"]), ("tstzrange", ["'[2026-01-01, infinity)'"]),
        ("datemultirange", ["'{[2026-01-01,2026-01-05)}'"]), ("tsvector", ["'a:1 ''b c'':2'"]),
        ("tsquery", ["'a & b'"]),
        ("point", ["'(0.1,-0)'"]), ("polygon", ["'((0,0),(1,0.1),(1,1))'"]), ("xml", ["'<a b=\"1\"> x</a>'"]),
        ("oid", ["4294967295"]), ("regclass", ["'public.people'"]), ("pg_lsn", ["'16/B374D848'"]),
        ("boolean", ["true"]),
    ]

    private static let types = [
        "create domain public.share as numeric(5, 3) check (value < 1)",
        "create type public.pair as (n integer, j json, b jsonb)",
    ]

    @Test func valuesOfEveryTypeArePutBackToTheByte() throws {
        let columns = Self.values.indices.map { "c\($0)" }
        let definition = zip(columns, Self.values).map { "\($0) \($1.type)" }.joined(separator: ", ")
        let depth = Self.values.map(\.values.count).max() ?? 0
        let rows = (0..<depth).map { index in
            "(\(index), 1, "
                + Self.values.map { $0.values.indices.contains(index) ? $0.values[index] : "null" }
                .joined(separator: ", ") + ")"
        }
        let table = "create table public.things (id integer primary key, person integer, \(definition))"
        let fill = rows.map { "insert into public.things values \($0)" }
        let emptied = columns.map { "\($0) = null" }.joined(separator: ", ")
        let turned =
            "update public.things t set (\(columns.joined(separator: ", "))) = (select "
            + columns.map { "o.\($0)" }.joined(separator: ", ")
            + " from public.things o where o.id = (t.id + 1) % \(depth)) where t.person = any(:users)"
        for statement in [
            "update public.things set \(emptied) where person = any(:users)", turned,
            "delete from public.things where person = any(:users)",
        ] {
            let lab = try ChangeLab(Self.action(statement), Self.types[0], Self.types[1], table)
            let connection = try lab.database.connect()
            for statement in fill { _ = try connection.execute(Query(statement)) }
            #expect(try hold(lab).changes.count == depth)
        }
    }

    @Test func jsonNullAndNullAreTwoThings() throws {
        let lab = try ChangeLab(
            Self.action("update public.docs set b = 'null', j = 'null' where person = any(:users)"),
            "create table public.docs (person integer primary key, b jsonb, j json)",
            "insert into public.docs values (1, null, null)")
        #expect(try hold(lab).lines.count == 1)
    }

    @Test func generatedAndIdentityColumnsArePutBack() throws {
        let lab = try ChangeLab(
            Self.action(
                "update public.items set price = 5 where person = any(:users) and price = 1",
                "delete from public.items where person = any(:users) and price = 2",
                "insert into public.items (person, price) select unnest(:users), 9"),
            """
            create table public.items (id integer generated always as identity primary key, person integer, price integer,
                                       double integer generated always as (price * 2) stored)
            """,
            "insert into public.items (person, price) values (1, 1), (1, 2), (2, 1)")
        let report = try lab.run(Self.go)
        #expect(report.changes.count == 3)
        let undone = try lab.undo(report.operation)
        #expect(
            try lab.rows("select id, price, double from items order by 1").map {
                $0.map { $0 ?? "" }.joined(separator: " ")
            }
                == ["1 1 2", "2 2 4", "3 1 2"])
        try lab.undo(undone.operation)
        #expect(try lab.value("select string_agg(price::text, ' ' order by price) from items") == "1 5 9")
    }
}
