import Accounts
import Inquiries
import Asking
import Catalog
import Foundation
import PQ
import Support
import Testing

/// Triggers fire in the deletion and in the restore.
@Suite(.waiting) struct RestoreTriggerTests: RestoreSuite {
    /// The user has no profile, but the trigger writes one for each new user.
    @Test func deletionSaysWhatARestoreWouldAdd() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)", "insert into users values (1, 'ada@example.com')",
            "create table profiles (id int primary key references users on delete cascade)",
            """
            create function welcome() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into profiles values (new.id); return null; end $$
            """, "create trigger welcome after insert on users for each row execute function welcome()")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let difference = "public.profiles: 1 row written by triggers and not in the archive"
        for isDryRun in [true, false] {
            let report = try lab.delete("1", dryRun: isDryRun) { $0.archive = path }
            #expect(report.remarks == ["an account restored from this archive would differ: \(difference)"])
        }
        #expect(try restore(path, lab).missed == [difference])
    }

    @Test func restoreReportsRowsThatADeleteTriggerAdded() throws {
        let report = try roundTrip(
            "create table post (id int primary key, person int not null references person on delete cascade)",
            "insert into post values (1, 1), (2, 2)",
            "create table slot (id int generated always as identity primary key, post int, state text)",
            "insert into slot (post, state) values (501, 'taken'), (502, 'taken')",
            """
            create function free() returns trigger language plpgsql security definer set search_path = public as
            $$ begin
                 delete from slot where post = old.id + 500; insert into slot (post, state) values (0, 'free'), (0, 'free');
                 return null;
               end $$
            """, "create trigger free after delete on post for each row execute function free()",
            differing: true)
        #expect(report.missed == ["public.slot: 2 rows added during the deletion, and not removed by the restore"])
        #expect(report.restored.contains { $0 == ("public.slot", 1) })
    }

    /// Some rows that the trigger wrote contain the user; the report counts the other rows, too.
    @Test func restoreReportsAllTriggerRowsOfATable() throws {
        let report = try roundTrip(
            "create table post (id int primary key, person int not null references person on delete cascade)",
            "insert into post values (1, 1), (2, 1), (3, 2)", "create table log (note text)",
            """
            create function note() returns trigger language plpgsql security definer set search_path = public as $$ begin
              insert into log values (case when old.id = 1 then (select max(email) from person) else 'somebody' end);
              return null;
            end $$
            """, "create trigger note after delete on post for each row execute function note()",
            differing: true)
        #expect(report.missed == ["public.log: 2 rows added during the deletion, and not removed by the restore"])
    }

    /// The trigger changes rows with a key and rows without one.
    @Test func restoreCountsRowsThatATriggerChanges() throws {
        let report = try roundTrip(
            "create table post (id int primary key, person int not null references person on delete cascade)",
            "insert into post values (1, 1), (2, 2)", "create table club (id int primary key, members int)",
            "insert into club values (7, 2), (8, 3)",
            "create table total (posts int)", "insert into total values (3), (4)",
            """
            create function more() returns trigger language plpgsql security definer set search_path = public as $$ begin
              update club set members = greatest(members, 3); update total set posts = greatest(posts, 4); return null;
            end $$
            """, "create trigger more after insert on post for each row execute function more()",
            differing: true)
        #expect(
            report.missed == [
                "public.club: 2 rows written by triggers and not in the archive",
                "public.total: 2 rows written by triggers and not in the archive",
            ])
    }

    private static let posts = [
        "create table post (id int primary key, person int not null references person on delete cascade)",
        "insert into post values (1, 1), (2, 2)",
        "create table mark (id int primary key, by int references person on delete set null, n int default 0)",
        "insert into mark values (1, 1), (2, 2), (3, null)",
    ]

    private static func changing(_ statement: String, _ event: String = "delete on post") -> [String] {
        [
            """
            create function change() returns trigger language plpgsql security definer set search_path = public as
            $$ begin \(statement); return null; end $$
            """, "create trigger change after \(event) for each row execute function change()",
        ]
    }

    /// A trigger changes the column that the deletion empties.
    @Test(arguments: ["update mark set by = null where id = 2", "update mark set by = 2 where id = 3"])
    func restoreUndoesATriggersWritesToDetachedColumns(statement: String) throws {
        let report = try roundTrip(Self.posts + Self.changing(statement))
        #expect(report.reattached.map(\.rows) == [2])
    }

    /// Without a key, usher can't find the rows that a trigger changed while usher deleted or detached rows.
    @Test(arguments: [
        changing("update log set n = n + 1 where person = 2"),
        changing("update log set n = n + 1 where person = 2", "update on mark"),
    ]) func deletionRefusesAnArchiveIfATriggerChangesATableWithoutAKey(trigger: [String]) throws {
        let refusal = try failure {
            try roundTrip(
                Self.posts + [
                    "create table log (person int references person on delete cascade, n int)",
                    "insert into log values (1, 1), (2, 1)",
                ] + trigger)
        }
        #expect(refusal.code == "no_key" && refusal.message.hasPrefix("public.log "), "\(refusal)")
    }

    private static let dated = [
        "create table post (id int primary key, person int not null references person on delete cascade, at timestamptz)",
        "create table mark (id int primary key, by int references person on delete set null, at timestamp(0))",
        "insert into post values (1, 1, '2020-01-01'), (2, 2, '2020-01-01')",
        "insert into mark values (1, 1, '2020-01-01'), (2, 2, '2020-01-01')",
        """
        create function touch() returns trigger language plpgsql as $$ begin new.at := clock_timestamp(); return new; end $$
        """,
        "create trigger touch before insert or update on post for each row execute function touch()",
        "create trigger touch before update on mark for each row execute function touch()",
    ]

    @Test func restoreAcceptsATimeThatATriggerSetsToTheCurrentTime() throws {
        let lab = try ErasureLab(
            ["create table person (id int primary key, email text)", "insert into person values (1, 'a'), (2, 'b')"]
                + Self.dated)
        func undated() throws -> [[String?]] {
            try lab.rows(
                """
                select 'post', to_jsonb(p) - 'at' from post p union all select 'mark', to_jsonb(m) - 'at' from mark m
                 order by 1, 2
                """)
        }
        let before = try undated()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete("1", root: "public.person") { $0.archive = path }
        let report = try restore(path, lab)
        #expect(report.missed.isEmpty)
        #expect(report.dated.map(\.table) == ["public.post", "public.mark"])
        #expect(report.dated.allSatisfy { ($0.rows, $0.columns) == (1, ["at"]) })
        #expect(try undated() == before)
    }

    /// Triggers of the restore change the `score` of Bob, whose `comments` the deletion changed.
    @Test func restoreReturnsAllColumnsOfAChangedRow() throws {
        let report = try roundTrip(
            "alter table person add comments int not null default 0, add score int not null default 0",
            "create table post (id int primary key, person int not null references person on delete cascade)",
            """
            create table comment (id int primary key, person int not null references person on delete cascade,
                                  post int not null references post on delete cascade)
            """,
            "create table vote (id int primary key, comment int not null references comment on delete cascade)",
            """
            create function count_comment() returns trigger language plpgsql as
            $$ declare d int := case tg_op when 'INSERT' then 1 else -1 end; c comment := case tg_op when 'INSERT' then new else old end;
            begin update person p set comments = comments + d where p.id = c.person; return null; end $$
            """,
            """
            create function count_vote() returns trigger language plpgsql as
            $$ declare d int := case tg_op when 'INSERT' then 1 else -1 end; v vote := case tg_op when 'INSERT' then new else old end;
            begin update person p set score = score + d from comment c where c.id = v.comment and p.id = c.person; return null; end $$
            """,
            "create trigger count after insert or delete on comment for each row execute function count_comment()",
            "create trigger count after insert or delete on vote for each row execute function count_vote()",
            "insert into post values (1, 1)", "insert into comment values (1, 2, 1)",
            "insert into vote values (1, 1), (2, 1)")
        #expect(report.missed.isEmpty)
    }

    /// An array of times does not record the time of writing, so usher restores the array.
    @Test func restoreReturnsArraysOfTimesUnchanged() throws {
        let report = try roundTrip(
            "create table plan (id int primary key, person int not null references person on delete cascade, "
                + "at timestamptz[], days timestamp[])",
            "insert into plan values (1, 1, '{2020-01-01,2020-01-02}', null), (2, 1, null, '{2020-01-01}')")
        #expect(report.missed.isEmpty && report.dated.isEmpty)
    }

    @Test func restoreReportsATimeThatATriggerSetsToAnotherTimeThanNow() throws {
        let report = try roundTrip(
            Self.dated[0], "insert into post values (1, 1, '2020-01-01')",
            """
            create function touch() returns trigger language plpgsql as
            $$ begin new.at := now() + interval '1 day'; return new; end $$
            """, "create trigger touch before insert or update on post for each row execute function touch()",
            differing: true)
        #expect(report.missed == ["public.post: 1 row different in at, which a trigger sets"])
        #expect(report.dated.isEmpty)
    }

    @Test func dryRunOfARestoreReportsTheSameRefusalAsTheRestore() throws {
        let lab = try ErasureLab("create table person (id int primary key)", "insert into person values (1)")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete("1", root: "public.person") { $0.archive = path }
        #expect(try restore(path, lab, dryRun: true).operation == nil)
        let operation = try #require(try restore(path, lab).operation)
        let again = try failure { _ = try restore(path, lab) }
        let rehearsed = try failure { _ = try restore(path, lab, dryRun: true) }
        #expect(rehearsed.message == again.message && rehearsed.message.contains(operation), "\(rehearsed)")
    }
}
