import Accounts
import Asking
import LocalCluster
import PQ
import Support
import Testing

/// usher explains why it refuses a deletion, and stops a deletion at the time limit.
@Suite(.waiting) struct RefusalTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            ["create table users (id int primary key)", "insert into users values (1), (2)"] + statements)
    }

    @Test func finishedDeletionInBatchesTakesNoMoreSteps() throws {
        let lab = try lab(
            "create table likes (id int primary key, person int references users on delete cascade)",
            "insert into likes select n, 1 from generate_series(1, 20) n")
        try lab.delete("1") { $0.batch = 5 }
        let deletion = try #require(try lab.value("select id from usher.operation where kind = 'bulk'"))
        let end = """
            select usher.record_deletion_step(jsonb_build_object(
                'part', 'end', 'operation', gen_random_uuid(), 'parent', '\(deletion)', 'outcome', 'failed', 'because', 'x'))
            """
        let connection = try lab.database.connect(user: ErasureLab.hosted)
        let refusal = try failure {
            do throws(PQError) { _ = try connection.execute(Query(unsafe: end)) } catch { throw Failure(error) }
        }
        #expect(refusal.state?.rawValue == "US005")
        #expect(try lab.value("select usher.outcome('\(deletion)')") == "committed")
    }

    /// This server doesn't count the rows of a foreign table, so the report could not list them.
    @Test func deletionIsRefusedIfATriggerWritesAForeignTable() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id int references users on delete cascade)",
            "insert into notes values (1, 1), (2, 2)", "create table log (line text)")
        try lab.database.run(
            "create extension postgres_fdw",
            """
            create server here foreign data wrapper postgres_fdw
                options (host '\(lab.database.cluster.socketFolder)', dbname '\(lab.database.name)')
            """,
            "create user mapping for public server here options (user '\(lab.database.cluster.superuser)', password_required 'false')",
            "create foreign table public.away (line text) server here options (table_name 'log')",
            """
            create function write() returns trigger language plpgsql security definer as
            $$ begin insert into public.away values (old.id); return old; end $$
            """, "create trigger write before delete on notes for each row execute function write()")
        let refusal = try failure { try lab.delete("1") }
        #expect(refusal.kind == .refused)
        #expect(refusal.message.contains("the foreign table public.away"), "\(refusal)")
        #expect(try lab.value("select count(*) from users") == "2")
        #expect(try lab.value("select count(*) from log") == "0")
    }

    @Test func accountPlanRefusesATextThatIsNotAValidUserKey() throws {
        let lab = try lab()
        for value in ["ada@example.com", "99999999999999"] {
            let refusal = try failure { _ = try lab.plan(value) }
            #expect(refusal.kind == .usage && refusal.message.contains("public.users.id"), "\(refusal)")
        }
    }

    @Test func deletionErrorExplainsATriggerThatNeedsASearchPath() throws {
        let lab = try lab(
            "create schema app", "create table app.log (line text)", "create type app.kind as enum ('gone')",
            "create table notes (id int primary key, user_id int not null references users on delete cascade)",
            "insert into notes values (1, 1)",
            "create function write() returns trigger language plpgsql as $$ begin insert into log values ('x'); return old; end $$",
            "create trigger write before delete on notes for each row execute function write()")
        try lab.database.run("alter role \(ErasureLab.hosted) reset search_path")
        for body in [
            "begin insert into log values ('x'); return old; end",
            "declare k kind := 'gone'; begin return old; end", "begin perform nowhere(1); return old; end",
        ] {
            try lab.database.run(
                "set check_function_bodies = off",
                "create or replace function write() returns trigger language plpgsql as $$ \(body) $$")
            let refusal = try failure { try lab.delete("1") }
            #expect(refusal.hint?.contains("search_path") == true, "\(body): \(refusal)")
            #expect(refusal.message.hasPrefix("public.notes: "), "\(body): \(refusal)")
            #expect(refusal.details.contains { $0.contains("the trigger write on public.notes") })
        }
    }

    @Test func deletionErrorNamesTheSettingThatATriggerNeeds() throws {
        let lab = try lab(
            "create table log (actor text not null)",
            "create table notes (id int primary key, user_id int not null references users on delete cascade)",
            "insert into notes values (1, 1)",
            "create function actor() returns text language sql as $$ select current_setting('app.actor', true) $$",
            """
            create function write() returns trigger language plpgsql as
            $$ begin insert into public.log values (public.actor()); return old; end $$
            """, "create trigger write before delete on notes for each row execute function write()")
        let warnings = try lab.plan("1").warnings
        #expect(
            warnings.contains { $0.hasSuffix("checks who makes the change (public.write); add --set app.actor=VALUE") },
            "\(warnings)")
        #expect(
            try failure { try lab.delete("1") }.hint
                == "a trigger checks who makes the change: add --set app.actor=VALUE")
        #expect(try lab.delete("1") { $0.settings = [("app.actor", "me")] }.isVerified)
    }

    private static func renumbering(_ condition: String) -> [String] {
        [
            """
            create table notes (id int primary key, place int, ahead int,
                                user_id int not null references users on delete cascade)
            """,
            "insert into notes select n, n, null, 1 + n % 2 from generate_series(1, 8) n",
            """
            create function move() returns trigger language plpgsql as
            $$ begin update public.notes set place = place - 1 where \(condition); return old; end $$
            """, "create trigger move before delete on notes for each row execute function move()",
        ]
    }

    /// A DELETE of several rows fails if a trigger changes one of them first, so usher deletes them one by one.
    @Test(arguments: ["", "--batch", "no key"])
    func deletionDeletesRowsWhoseTriggersChangeEachOtherOneByOne(how: String)
        throws
    {
        let lab = try ErasureLab(
            ["create table users (id int primary key)", "insert into users values (1), (2), (3)"]
                + Self.renumbering("place > old.place"))
        if how == "no key" { try lab.database.run("alter table notes drop constraint notes_pkey") }
        func delete() throws -> DeletionReport {
            try lab.delete("1", "2") { if how == "--batch" { $0.batch = 3 } }
        }
        if how == "no key" {
            let refusal = try failure { _ = try delete() }
            #expect(refusal.message.hasPrefix("public.notes: "), "\(refusal)")
            #expect(refusal.details.contains { $0.contains("the trigger move on public.notes") })
            return
        }
        #expect(try delete().isVerified)
        #expect(try lab.rows("select count(*), (select count(*) from users) from notes") == [["0", "1"]])
    }

    /// The trigger of each user changes the next user, who is deleted too.
    @Test func deletionDeletesUsersWhoseTriggersChangeEachOtherOneByOne() throws {
        let lab = try lab(
            "alter table users add credit int", "insert into users values (3), (4)",
            """
            create function pay() returns trigger language plpgsql as
            $$ begin update public.users set credit = 1 where id = old.id + 1; return old; end $$
            """, "create trigger pay before delete on users for each row execute function pay()")
        let report = try lab.delete("1", "2", "3")
        #expect(report.isVerified)
        #expect(try lab.rows("select id, credit from users") == [["4", "1"]])
    }

    /// usher can't delete a row whose own trigger changes the row first.
    @Test func deletionErrorNamesATriggerThatChangesItsOwnRow() throws {
        let lab = try lab()
        for statement in Self.renumbering("id = old.id") { try lab.database.run(statement) }
        try lab.grant()
        let refusal = try failure { _ = try lab.delete("1") }
        #expect(refusal.message.hasPrefix("public.notes: "), "\(refusal)")
        #expect(refusal.details.contains { $0.contains("the trigger move on public.notes") }, "\(refusal)")
        #expect(refusal.hint?.contains("after") == true, "\(refusal)")
    }

    @Test func deletionErrorNamesATriggerThatKeepsRows() throws {
        let lab = try lab(
            """
            create table notes (id int primary key,
                                user_id int not null references users deferrable initially deferred)
            """,
            "insert into notes values (1, 1)",
            "create function keep() returns trigger language plpgsql as $$ begin return null; end $$",
            "create trigger keep_notes before delete on notes for each row execute function keep()")
        let refusal = try failure { try lab.delete("1") }
        #expect(refusal.kind == .refused)
        #expect(refusal.details.contains { $0.contains("keep_notes") && $0.contains("public.notes") }, "\(refusal)")
    }

    @Test func deletionUsesALongerTimeoutUnlessTheOperatorChoseOne() throws {
        let lab = try lab(
            "create table seen (timeout text)",
            """
            create function look() returns trigger language plpgsql security definer as
            $$ begin insert into public.seen values (current_setting('statement_timeout')); return old; end $$
            """,
            "create trigger look before delete on users for each row execute function look()")
        for (user, isChosen) in [("1", false), ("2", true)] {
            var options = InquiryOptions(timeout: 7)
            options.isTimeoutChosen = isChosen
            let request = DeletionRequest(AccountRequest(users: [user], root: "public.users"))
            let database = lab.database
            let connection = try database.connect(user: ErasureLab.hosted)
            _ = try Deletion(request, on: connection, candidates: [], options: options) { () throws(Failure) in
                throw Failure(.connection, "not needed")
            }.run()
        }
        #expect(try lab.rows("select timeout from seen") == [["7min"], ["7s"]])
    }
}
