import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// `account restore` inserts the rows of an archive again.
@Suite(.waiting) struct RestoreTests: RestoreSuite {
    private static let ada = "00000000-0000-0000-0000-00000000000a"
    private static let bob = "00000000-0000-0000-0000-00000000000b"

    /// A child table has its own rows, possibly with the same keys as its parent table.
    @Test func restoreKeepsRowsOfParentAndChildTablesApart() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key, email text)",
            "insert into users values ('\(Self.ada)', 'ada@example.com'), ('\(Self.bob)', 'b')",
            "create table things (id int primary key, user_id uuid references users on delete cascade, name text)",
            "create table cars (primary key (id), foreign key (user_id) references users on delete cascade) inherits (things)",
            "insert into things values (1, '\(Self.ada)', 'a thing'), (2, '\(Self.bob)', 'b')",
            "insert into cars values (1, '\(Self.ada)', 'a car'), (3, '\(Self.ada)', 'c'), (4, '\(Self.bob)', 'd')")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        #expect(try lab.delete(Self.ada) { $0.archive = path }.isVerified)
        #expect(try lab.value("select count(*) from things") == "2")
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
        #expect(try lab.rows("select tableoid::regclass, id from things order by 1, 2").count == 5)
    }

    @Test func restoreReturnsEveryRowUnchanged() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key, email text, team int)",
            "insert into users values ('\(Self.ada)', 'ada@example.com', null), ('\(Self.bob)', 'b', null)",
            """
            create table odd (id bigint generated always as identity primary key,
                              user_id uuid not null references users on delete cascade, "quoted ""name" text, j json, b bytea,
                              f float8, n numeric, a text[], r int4range, t timestamptz, d double precision[],
                              up text generated always as (upper("quoted ""name")) stored)
            """,
            """
            insert into odd (user_id, "quoted ""name", j, b, f, n, a, r, t, d)
            values ('\(Self.ada)', E'line\\n"\\\\', '{"a" : 1,  "a":2}', '\\x00ff', 0.1 + 0.2, 12345678901234567890.50,
                    array['x,y', null, '"', '{}'], '[1,5)', '2026-01-01 00:00:00.000001+00', '{NaN,Infinity,1e-300}'),
                   ('\(Self.ada)', null, null, null, 'NaN', 'NaN', '{}', 'empty', 'infinity', null),
                   ('\(Self.bob)', 'b', null, null, 1, 1, '{}', null, null, null)
            """,
            """
            create table teams (id int primary key, owner uuid not null references users,
                                parent int references teams, lead int)
            """,
            "create table players (id int primary key, team int not null references teams)",
            "alter table teams add foreign key (lead) references players",
            "insert into teams values (1, '\(Self.ada)', null, null), (2, '\(Self.ada)', 1, null), (3, '\(Self.bob)', null, null)",
            "insert into players values (1, 1), (2, 2), (3, 3)", "update teams set lead = id",
            "create table marks (id int primary key, by uuid references users on delete set null, note text)",
            "insert into marks values (1, '\(Self.ada)', 'x'), (2, '\(Self.bob)', 'y')",
            "create table circle (id int primary key, other int not null, user_id uuid references users on delete cascade)",
            "insert into circle values (1, 2, '\(Self.ada)'), (2, 1, null)",
            "alter table circle add foreign key (other) references circle")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete(Self.ada) { $0.archive = path }
        #expect(report.isVerified)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try restore(path, lab, dryRun: true).operation == nil)
        #expect(try lab.everything() != before)
        let back = try restore(path, lab)
        #expect(back.missed.isEmpty)
        #expect(try lab.everything() == before)
        // A second restore is refused, because the rows exist already.
        let again = try failure { _ = try restore(path, lab) }
        #expect(again.kind == .conflict && again.message.contains(back.operation ?? "?"), "\(again)")
        #expect(try lab.everything() == before)
    }

    @Test func restoreReturnsReferencesWithoutForeignKeys() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)", "insert into users values (42, 'ada@example.com')",
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int, text text)",
            "create table hints (id int primary key, order_id int)",
            "insert into orders values (1, 42)", "insert into lines values (1, 1, 'x'), (2, 9, 'y')",
            "insert into hints values (1, 1)")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete("42", suspected: ["delete", "public.hints.order_id=detach"]) { $0.archive = path }
        #expect(report.isVerified)
        #expect(try lab.rows("select order_id from hints") == [[nil]])
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }

    @Test func restoreReplacesRowsOfASignUpTrigger() throws {
        let lab = try ErasureLab(database: try TestCluster.database(of: "impulse"), [])
        let app = try AppLibrary.app("impulse")
        let id = try #require(try lab.value("select id from auth.users where email = 'grace@example.com'"))
        func state() throws -> [String] {
            try lab.everything().filter { $0.contains(id) && !$0.hasPrefix("public.profiles") }
                + lab.rows("select to_jsonb(p) - 'updated_at' from public.profiles p where id = '\(id)'").compactMap {
                    $0[0]
                }
        }
        let before = try state()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("grace.archive").path
        try lab.delete(id, root: nil, app: app) { $0.archive = path }
        _ = try restore(path, lab)
        #expect(try state() == before)
    }

    @Test func refusedDeletionDoesNotWriteAnArchive() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key)", "insert into users values ('\(Self.ada)')",
            "create function no() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$",
            "create trigger no before delete on users for each row execute function no()")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        #expect(try failure { try lab.delete(Self.ada) { $0.archive = path } }.message.contains("never"))
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try scratch.file("x", "mine")
        #expect(
            try failure { try lab.delete(Self.ada) { $0.archive = path } }.message.hasPrefix(
                "can't create \(path): "))
    }

    @Test func restoreRefusesAnIncompleteArchive() throws {
        let lab = try ErasureLab("create table users (id uuid primary key)", "insert into users values ('\(Self.ada)')")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete(Self.ada) { $0.archive = path }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let half = try scratch.path(of: "half", holding: lines.dropLast().joined(separator: "\n"))
        #expect(try failure { _ = try restore(half, lab) }.kind == .usage)
        #expect(try restore(path, lab).restored.count == 1)
    }

    // MARK: Order of the rows

    private static let staff = [
        "create table job (id int primary key, person int not null references person on delete cascade, done_by int)",
        "create table employee (id int primary key, person int not null references person on delete cascade, last int)",
    ]

    @Test func restoreInsertsReferencedRowsBeforeRowsWithSetNullReferences() throws {
        try roundTrip(
            Self.staff[0], Self.staff[1],
            "alter table job add foreign key (done_by) references employee on delete set null",
            "insert into employee values (10, 1)", "insert into job values (5, 1, 10)")
    }

    @Test func restoreReturnsRowsInACycleOfNullableReferences() throws {
        try roundTrip(
            Self.staff[0], Self.staff[1],
            "alter table job add foreign key (done_by) references employee on delete set null",
            "alter table employee add foreign key (last) references job on delete set default",
            "insert into employee values (10, 1)", "insert into job values (5, 1, 10)", "update employee set last = 5")
    }

    @Test func restoreReturnsRowsInACycleOfRequiredReferences() throws {
        try roundTrip(
            Self.staff[0], Self.staff[1], "insert into employee values (10, 1, 5)", "insert into job values (5, 1, 10)",
            "alter table job alter done_by set not null", "alter table employee alter last set not null",
            "alter table job add foreign key (done_by) references employee",
            "alter table employee add foreign key (last) references job")
    }

    @Test func restoreReturnsRowsWithIdentityColumnsAndDeferrableKeys() throws {
        try roundTrip(
            """
            create table note (code text primary key deferrable initially deferred, n int generated always as identity,
                               person int not null references person on delete cascade)
            """, "insert into note (code, person) values ('k', 1), ('l', 1), ('m', 2)")
    }

    // MARK: Triggers

    private static let profiles = [
        """
        create table profile (id int generated always as identity primary key,
                              person int not null unique references person on delete cascade, name text default 'new')
        """,
        "insert into profile (person, name) values (1, 'ada'), (2, 'bob')",
        """
        create function sign_up() returns trigger language plpgsql security definer set search_path = public as
        $$ begin insert into profile (person) values (new.id); return null; end $$
        """,
        "create trigger sign_up after insert on person for each row execute function sign_up()",
    ]

    @Test func restoreReplacesARowThatATriggerInsertsWithAnotherKey() throws {
        try roundTrip(Self.profiles[0], Self.profiles[1], Self.profiles[2], Self.profiles[3])
    }

    @Test func restoreCorrectsRowsThatTriggersChange() throws {
        try roundTrip(
            "create table post (id int primary key, person int not null references person on delete cascade, likes int)",
            "create table liking (id int primary key, post int not null references post on delete cascade)",
            "insert into post values (1, 1, 2)", "insert into liking values (1, 1), (2, 1)",
            """
            create function likes() returns trigger language plpgsql as
            $$ begin update post set likes = likes + 1 where id = new.post; return null; end $$
            """, "create trigger likes after insert on liking for each row execute function likes()")
    }

    @Test func restoreReportsChangesThatItsTriggersMade() throws {
        let report = try roundTrip(
            "create table post (id int primary key, person int not null references person on delete cascade, at int)",
            "create table feed (id int generated always as identity, post int)", "create table total (posts int)",
            "create table inbox (id int primary key)", "insert into inbox values (1), (2)",
            "insert into post values (1, 1, 1), (2, 1, 1), (3, 2, 1)", "insert into total values (3)",
            """
            create function tell() returns trigger language plpgsql security definer set search_path = public as
            $$ begin
                 insert into feed (post) values (new.id); update total set posts = posts + 1; delete from inbox where id = new.id;
                 return null;
               end $$
            """, "create trigger tell after insert on post for each row execute function tell()",
            "create function stamp() returns trigger language plpgsql as $$ begin new.at := 7; return new; end $$",
            "create trigger stamp before insert or update on post for each row execute function stamp()",
            differing: true)
        #expect(
            report.missed == [
                "public.post: 2 rows different in at, which a trigger sets",
                "public.feed: 2 rows written by triggers and not in the archive",
                "public.inbox: 2 rows deleted by triggers",
                "public.total: 1 row written by triggers and not in the archive",
            ])
    }

    @Test func restoreUndoesTriggerChangesOfTheDeletion() throws {
        try roundTrip(
            "create table club (id int primary key, members int)", "insert into club values (7, 2)",
            "create table badge (id int primary key, member int)", "insert into badge values (1, 4), (2, 5)",
            "create table member (id int primary key, person int not null references person on delete cascade)",
            "insert into member values (4, 1), (5, 2)",
            """
            create function leave() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update club set members = members - 1; delete from badge where member = old.id; return null; end $$
            """, "create trigger leave after delete on member for each row execute function leave()")
    }

    private static let posts = [
        "create table post (id int primary key, person int not null references person on delete cascade)",
        "insert into post values (1, 1)",
    ]

    @Test func refusedRestoreQuotesTheErrorOfTheServer() throws {
        let refusal = try failure {
            try roundTrip(
                Self.posts,
                between: [
                    "create function late() returns trigger language plpgsql as $$ begin raise 'the books are closed'; end $$",
                    """
                    create constraint trigger late after insert on post deferrable initially deferred
                    for each row execute function late()
                    """,
                ])
        }
        #expect(refusal.kind == .conflict && refusal.message.contains("the books are closed"))
        #expect(refusal.details.contains { $0.contains("late()") })
        let kept = try failure {
            try roundTrip(
                Self.posts,
                between: [
                    "create function no() returns trigger language plpgsql as $$ begin return null; end $$",
                    "create trigger no before insert on post for each row execute function no()",
                ])
        }
        #expect(kept.message.hasPrefix("public.post: usher could not restore 1 of 1 rows"))
    }

    @Test(arguments: [
        ("drop table post", "the table public.post doesn't exist any more"),
        (
            "alter table post drop constraint post_pkey, add primary key (id, person)",
            "the key of public.post was changed since the deletion"
        ),
    ]) func restoreIsRefusedIfATableOrItsKeyChangedSinceTheDeletion(change: String, reason: String) throws {
        let refusal = try failure { try roundTrip(Self.posts, between: [change]) }
        #expect(refusal.kind == .conflict && refusal.message.hasPrefix(reason), "\(refusal)")
    }

    @Test func restoreIsRefusedIfAReferencedRowIsMissing() throws {
        let lab = try ErasureLab(
            "create table team (id int primary key)",
            "create table person (id int primary key, team int references team)",
            "insert into team values (1)", "insert into person values (1, 1)")
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete("1", root: "public.person") { $0.archive = path }
        try lab.database.run("delete from team")
        let refusal = try failure { _ = try restore(path, lab) }
        #expect(refusal.message.contains("public.person") && refusal.message.contains("person_team_fkey"))
        #expect(refusal.details.contains { $0.contains("Key (team)=(1) is not present") })
    }

    /// Both spellings are equal in the collation of the column.
    @Test func restoreReturnsAnotherSpelling() throws {
        let lab = try ErasureLab(
            "create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "create table users (id int primary key, email text)", "insert into users values (1, 'a@example.com')",
            "create table posts (id int primary key, u int references users, title text collate caseless)",
            "insert into posts values (1, 1, 'ANON')")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        let app = try ErasureLab.app(["@set public.posts.title = lower(t.title) : x"])
        try lab.delete("1", root: nil, app: app) { $0.archive = path }
        #expect(try restore(path, lab).missed.isEmpty)
        #expect(try lab.everything() == before)
    }
}
