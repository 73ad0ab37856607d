import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// Before the commit usher verifies that no remaining row contains the deleted user or refers to a deleted row.
@Suite struct VerificationTests {
    /// The user's row was deleted without usher, and rows without a foreign key are left.
    @Test func deletionByKeyRemovesLeftoversOfAnAlreadyDeletedUser() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table visits (id int primary key, user_id uuid)",
                "create table notes (id int primary key, visit int not null references visits on delete cascade)",
                "insert into visits values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
                "insert into notes values (1, 1), (2, 2)", "delete from users where id = '\(ErasureLab.ada)'",
            ])
        let nobody = "cccccccc-0000-4000-8000-000000000001"
        #expect(try failure { try lab.delete(nobody, suspected: ["delete"]) }.kind == .notFound)
        let plan = try lab.plan(ErasureLab.ada)
        #expect(plan.isRootGone && plan.undeclared.map(\.name) == ["public.visits.user_id"])
        let scratch = try Scratch()
        let refusal = try failure {
            try lab.delete(ErasureLab.ada, suspected: ["delete"]) {
                $0.archive = scratch.folder.appendingPathComponent("x").path
            }
        }
        #expect(refusal.message.hasPrefix("the user's own row is already deleted"), "\(refusal)")
        let report = try lab.delete(ErasureLab.ada, suspected: ["delete"])
        #expect(report.isVerified && report.rows("public.visits") == 1 && report.rows("public.notes") == 1)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    /// A trigger or a rule keeps the row and removes its reference, so no row refers to a deleted row.
    @Test(arguments: ["id int primary key, ", ""], [nil, 1])
    func deletionIsRefusedIfATriggerKeepsARow(key: String, batch: Int?) throws {
        let update = "update notes set user_id = null where body = old.body"
        for change in [
            "create trigger keep before delete on notes for each row execute function keep()",
            "create rule keep as on delete to notes do instead \(update)",
        ] {
            let lab = try ErasureLab(twoUsersAnd: [
                "create table notes (\(key)user_id uuid references users, body text)",
                "create function keep() returns trigger language plpgsql as 'begin \(update); return null; end'",
                change,
                "insert into notes (\(key.isEmpty ? "" : "id, ")user_id, body) values (\(key.isEmpty ? "" : "1, ")'\(ErasureLab.ada)', 'x')",
            ])
            let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.batch = batch } }
            #expect(refusal.details.contains { $0.hasPrefix("public.notes: 1 row") }, "\(refusal)")
            #expect(try lab.value("select count(*) from notes where user_id = '\(ErasureLab.ada)'") == "1")
        }
    }

    /// The trigger changes a counter; the old text in the same row is under `@ignore`.
    @Test(arguments: [true, false]) func leftoversAreNotSearchedUnderIgnore(isIgnored: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table groups (id int primary key, icon text, members int)",
            "insert into groups values (1, 'https://cdn.example.com/\(ErasureLab.ada).png', 1)",
            "create table members (id int primary key, user_id uuid references users on delete cascade)",
            "insert into members values (1, '\(ErasureLab.ada)')",
            """
            create function uncount() returns trigger language plpgsql as
            'begin update groups set members = members - 1; return null; end'
            """,
            "create trigger uncount after delete on members for each row execute function uncount()",
        ])
        let app = try ErasureLab.app(isIgnored ? ["@ignore public.groups.icon : It shows the group."] : [])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified == isIgnored)
    }

    private static func user(_ number: Int) -> String { "cccccccc-0000-4000-8000-00000000000\(number)" }

    /// Users with numbers as keys, and triggers that keep old values.
    private func lab(users: Int, _ statements: [String]) throws -> ErasureLab {
        let users = (0...users).map { "insert into users values ('\(Self.user($0))', 'user\($0)@example.com')" }
        let triggers = [
            "create function skip() returns trigger language plpgsql as $$ begin return null; end $$",
            """
            create function put_back() returns trigger language plpgsql as
            $$ begin new.user_id = old.user_id; return new; end $$
            """,
        ]
        return try ErasureLab(twoUsersAnd: users + triggers + statements)
    }

    /// Expects a refusal that names a table and changes nothing.
    private func expectRefusal(
        naming table: String, in lab: ErasureLab, _ body: () throws -> DeletionReport
    ) throws {
        let before = try lab.everything()
        let refusal = try failure { _ = try body() }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.hasPrefix(table) }, "\(table): \(refusal)")
        #expect(try lab.everything() == before, "\(table)")
    }

    @Test func deletionVerificationFindsAReferenceThatSetNullMissed() throws {
        let lab = try lab(
            users: 3,
            [
                "create table a (id int primary key, user_id uuid references users on delete set null)",
                "create table docs (id int primary key, user_id uuid references users on delete cascade)",
                "create table b (id int primary key, doc int references docs on delete set null)",
                "create table c (id int primary key, doc int)",
                "create trigger skip before update on a for each row execute function skip()",
                "create trigger skip before update on b for each row execute function skip()",
                "insert into a values (1, '\(Self.user(1))')",
                "insert into docs values (1, '\(Self.user(2))'), (2, '\(Self.user(3))')",
                "insert into b values (1, 1)", "insert into c values (1, 2)",
            ])
        for (number, table) in ["a", "b"].enumerated() {
            for batch in [nil, 1] {
                try expectRefusal(naming: "public.\(table): 1 row", in: lab) {
                    try lab.delete(Self.user(number + 1)) { $0.batch = batch }
                }
            }
        }
        let app = try ErasureLab.app([
            "@refers public.c.doc -> public.docs.id", "@refers public.c.doc : detach : Of no use any more.",
        ])
        let report = try lab.delete(Self.user(3), root: nil, app: app) { $0.batch = 1 }
        #expect(report.isVerified && report.rows("public.docs") == 1)
        #expect(try lab.value("select doc from c") == nil)
    }

    /// A trigger skips the update that detaches the shared row, so the database would delete the row with the user.
    @Test func deletionVerificationFindsASharedRowThatKeptItsReference() throws {
        let lab = try lab(
            users: 1,
            [
                """
                create table a (id int primary key, user_id uuid references users on delete cascade,
                                other uuid references users on delete cascade)
                """,
                "create trigger skip before update on a for each row execute function skip()",
                "insert into a values (1, '\(Self.user(1))', '\(ErasureLab.bob)')",
            ])
        try expectRefusal(naming: "public.a", in: lab) { try lab.delete(Self.user(1), collateral: .detach) }
    }

    private func app(_ lines: String...) throws -> App {
        try ErasureLab.app(lines + ["@refers public.a.user_id -> public.users.id"])
    }

    @Test func deletionVerificationFindsAColumnThatASetDirectiveCouldNotChange() throws {
        let lab = try lab(
            users: 1,
            [
                "create table a (id int primary key, user_id uuid, name text)",
                "create table b (id int primary key, user_id uuid references users on delete set null, name text)",
                "insert into a values (1, '\(Self.user(1))', 'one')",
                "create trigger put_back before update on a for each row execute function put_back()",
                "create trigger skip before update on b for each row execute function skip()",
            ])
        let nobody = "'00000000-0000-4000-8000-000000000000'"
        let apps = try [
            app("@set public.a.user_id = \(nobody) : Kept by law."),
            app("@set public.a.user_id = \(nobody) where name = 'one' : Kept by law."),
            app("@set public.a.user_id = \(nobody) via user_id : Kept by law."),
            app("@set public.a.name = '' : Kept by law.", "@refers public.a.user_id : detach : Kept by law."),
        ]
        for app in apps {
            try expectRefusal(naming: "public.a: 1 row", in: lab) { try lab.delete(Self.user(1), root: nil, app: app) }
        }
        try lab.database.run("delete from a", "insert into b values (1, '\(Self.user(1))', 'one')")
        let foreign = try app("@set public.b.user_id = '\(Self.user(0))' : Kept by law.")
        try expectRefusal(naming: "public.b: 1 row", in: lab) { try lab.delete(Self.user(1), root: nil, app: foreign) }
    }

    /// The UPDATE reports the right number of rows, but a trigger restores the old value.
    @Test func deletionVerificationFindsAReferenceThatATriggerRestored() throws {
        let lab = try lab(
            users: 1,
            [
                "create table a (id int primary key, user_id uuid)",
                "insert into a values (1, '\(Self.user(1))')",
                "create trigger put_back before update on a for each row execute function put_back()",
            ])
        let app = try app("@refers public.a.user_id : detach : Of no use any more.")
        try expectRefusal(naming: "public.a: 1 row", in: lab) { try lab.delete(Self.user(1), root: nil, app: app) }
    }

    @Test func deletionVerificationAcceptsDetachedAndSetColumns() throws {
        let lab = try lab(
            users: 1,
            [
                "create table a (id int primary key, user_id uuid, name text)",
                "insert into a values (1, '\(Self.user(1))', 'one')",
            ])
        let app = try app("@set public.a.name = '' : Kept by law.", "@refers public.a.user_id : detach : Kept by law.")
        #expect(try lab.delete(Self.user(1), root: nil, app: app).isVerified)
        #expect(try lab.rows("select user_id, name from a") == [[nil, ""]])
    }

    /// The condition of the directive reads rows that the deletion deletes.
    @Test(arguments: [("exists", "2"), ("not exists", "1")])
    func deletionEvaluatesTheConditionOfADirectiveBeforeItDeletesRows(test: String, left: String) throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table invoices (id int primary key, order_id int, user_id uuid not null references users on delete cascade)",
                "create table orders (id int primary key, user_id uuid)",
                "insert into orders values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.ada)')",
                "insert into invoices values (1, 1, '\(ErasureLab.ada)')",
            ])
        let app = try ErasureLab.app([
            "@refers public.orders.user_id -> public.users.id where \(test) (select from public.invoices i where i.order_id = t.id)"
        ])
        let before = try lab.everything()
        do {
            try lab.delete(ErasureLab.ada, root: nil, app: app)
            #expect(try lab.rows("select id from orders") == [[left]])
        } catch let refusal as Failure {
            #expect(refusal.kind == .refused, "\(refusal)")
            #expect(try lab.everything() == before)
        }
    }

    // MARK: Faults behind correct row counts

    private static let posts = [
        "create table posts (id int, user_id uuid not null references users on delete cascade, held boolean, primary key (id))",
        "insert into posts values (1, '\(ErasureLab.ada)', false), (2, '\(ErasureLab.ada)', true), (3, '\(ErasureLab.bob)', false)",
    ]
    /// For each post of Ada, a trigger deletes a post of another user.
    ///
    /// So the number of deleted rows is right, although a post of Ada is kept.
    private static let reply = [
        """
        create function reply() returns trigger language plpgsql as $$ begin
        if old.user_id = '\(ErasureLab.ada)' then delete from posts where id = old.id + 2; end if; return null; end $$
        """,
        "create trigger reply after delete on posts for each row execute function reply()",
    ]

    @Test func deletionVerificationFindsARowThatARewriteRuleKept() throws {
        let rule = "create rule held as on delete to posts where old.held do instead nothing"
        let lab = try lab(users: 0, Self.posts + [rule] + Self.reply)
        try expectRefusal(naming: "public.posts", in: lab) { try lab.delete(ErasureLab.ada) }
    }

    @Test func deletionVerificationFindsARowThatAPartitionTriggerKept() throws {
        let parts = [
            Self.posts[0] + " partition by range (id)",
            "create table few partition of posts for values from (0) to (10)",
            Self.posts[1],
            """
            create function keep() returns trigger language plpgsql as
            $$ begin if old.held then return null; end if; return old; end $$
            """,
            "create trigger keep before delete on few for each row execute function keep()",
        ]
        let lab = try lab(users: 0, parts + Self.reply)
        try expectRefusal(naming: "public.posts", in: lab) { try lab.delete(ErasureLab.ada) }
    }

    /// A trigger writes with disabled foreign keys, so its row breaks a foreign key.
    @Test(arguments: ["insert into posts values (9, old.id, false)", "update posts set user_id = old.id where id = 3"])
    func deletionVerificationFindsRowsThatBypassAForeignKey(statement: String) throws {
        let lab = try lab(
            users: 0,
            Self.posts + [
                """
                create function late() returns trigger language plpgsql security definer set session_replication_role = replica
                as $$ begin \(statement); return null; end $$
                """,
                "create trigger late after delete on users for each row execute function late()",
            ])
        let report = try? lab.delete(ErasureLab.ada)
        let left = try lab.value("select count(*) from posts where user_id = '\(ErasureLab.ada)'")
        #expect(report == nil ? left == "2" : left == "0" || report?.isVerified == false)
    }

    /// TRUNCATE doesn't report a row count, and an archive doesn't contain the removed rows.
    @Test(arguments: [nil, 1]) func deletionIsRefusedIfATriggerTruncatesATable(batch: Int?) throws {
        let lab = try lab(
            users: 0,
            Self.posts + [
                "create table drafts (id int primary key)", "insert into drafts values (1)",
                """
                create function cut() returns trigger language plpgsql security definer as
                $$ begin truncate drafts; return null; end $$
                """,
                "create trigger cut after delete on posts for each row execute function cut()",
            ])
        let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.batch = batch } }
        #expect(refusal.message.hasPrefix("a trigger truncates, alters, creates or drops a table;"), "\(refusal)")
        #expect(try lab.value("select count(*) from drafts") == "1")
        #expect(try lab.value("select count(*) from posts") == "3")
    }

    @Test func deletionThatTheServerCancelsSaysThatNothingWasDeleted() throws {
        let lab = try lab(
            users: 0,
            [
                """
                create function stop() returns trigger language plpgsql as
                $$ begin perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(5); return old; end $$
                """,
                "create trigger stop before delete on users for each row execute function stop()",
            ])
        let refusal = try failure { try lab.delete(ErasureLab.ada) }
        #expect(refusal.remainder == "; nothing was deleted", "\(refusal)")
        #expect(try lab.value("select count(*) from users where id = '\(ErasureLab.ada)'") == "1")
    }
}
