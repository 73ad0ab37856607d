import Accounts
import Acts
import AppFile
import Asking
import PQ
import Support
import Testing

/// A deletion evaluates the SQL of all lines in one snapshot, so it changes and deletes the rows of the plan.
@Suite struct LineConditionDeletionTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text not null)",
                "insert into users values (1, 'a@x.com'), (2, 'b@x.com'), (3, 'c@x.com')",
            ] + statements)
    }

    @discardableResult
    private func delete(
        _ lab: ErasureLab, _ lines: String..., batch: Int? = nil
    ) throws -> DeletionReport {
        try lab.delete("1", root: nil, app: try ErasureLab.app(lines)) { $0.batch = batch }
    }

    /// The UPDATE of the contracts empties a column that the condition of the invoices reads.
    @Test(
        arguments: [("exists", "1 2"), ("not exists", "2 3")],
        ["@keep public.invoices", "@set public.invoices.total = 0"])
    func conditionReadsATableThatTheDeletionChanges(test: (sql: String, left: String), line: String) throws {
        let lab = try lab(
            "create table contracts (id int primary key, user_id int references users on delete set null, invoice int)",
            "create table invoices (id int primary key, user_id int references users, total int)",
            "insert into contracts values (1, 1, 1), (2, 2, 3)",
            "insert into invoices values (1, 1, 10), (3, 1, 20), (2, 2, 30)")
        let condition = "\(test.sql) (select from public.contracts c where c.user_id = t.user_id and c.invoice = t.id)"
        let report = try delete(lab, "\(line) where \(condition) : x", "@ignore public.contracts.invoice : x")
        #expect(report.isVerified && report.further.isEmpty && report.rows("public.invoices") == 1)
        let left = try lab.value("select string_agg(id::text, ' ' order by id) from invoices")
        #expect(left == test.left && report.plan.total == 2)
    }

    @Test func conditionOfASharedLineReadsATableThatTheDeletionChanges() throws {
        let lab = try lab(
            "create table teams (id int primary key, owner int references users on delete cascade)",
            "create table members (id int primary key, team int, user_id int references users on delete set null)",
            "insert into teams values (1, 1), (2, 1)", "insert into members values (1, 1, 1), (2, 2, 2)")
        let report = try delete(
            lab,
            "@shared public.teams where exists (select from public.members m where m.team = t.id and m.user_id is distinct from t.owner) : detach : x",
            "@ignore public.members.team : x")
        #expect(report.isVerified)
        #expect(try lab.rows("select id, owner from teams") == [["2", nil]])
    }

    /// A trigger of kept rows changes rows that are deleted.
    @Test func deletionDeletesRowsThatATriggerChangedBefore() throws {
        let lab = try lab(
            "create table orders (id int primary key, user_id int references users, paid bool, updated_at timestamptz)",
            "create table items (id int primary key, order_id int references orders on delete set null, picked_by int references users on delete set null)",
            """
            create function touch() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update orders set updated_at = now() where id = old.order_id; return null; end $$
            """, "create trigger touch after update on items for each row execute function touch()",
            "insert into orders values (1, 1, true), (2, 1, false)", "insert into items values (1, 1, 1), (2, 2, 1)")
        #expect(try delete(lab, "@keep public.orders where t.paid : x").isVerified)
        #expect(try lab.rows("select id, user_id from orders") == [["1", nil]])
        #expect(try lab.rows("select id, order_id, picked_by from items") == [["1", "1", nil], ["2", nil, nil]])
    }

    private static let orders = [
        "create table orders (id int primary key, user_id int references users, paid bool)",
        "insert into orders values (1, 1, true), (2, 1, false)",
    ]

    /// The new value is the key of the deleted user.
    @Test func deletionIsRefusedIfASetLineWritesTheDeletedUser() throws {
        let lab = try lab(Self.orders[0], Self.orders[1])
        let before = try lab.everything()
        let refusal = try failure { try delete(lab, "@set public.orders.user_id = 1 where paid : x") }
        #expect(refusal.details.contains { $0.hasPrefix("public.orders: 1 row") }, "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// A trigger moves an unpaid order to another user, so the DELETE would find fewer rows than planned.
    @Test func deletionIsRefusedIfATriggerMovesAPlannedRow() throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1],
            """
            create function move() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update orders set user_id = 2 where id = 2 and user_id = 1; return null; end $$
            """, "create trigger move after update on orders for each row when (old.id = 1) execute function move()")
        let before = try lab.everything()
        let refusal = try failure { try delete(lab, "@keep public.orders where t.paid : x") }
        #expect(
            refusal.message.hasPrefix("the deletion would change or delete other rows of public.orders"), "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// A trigger of one table changes a row of the other table, which the same statement changes.
    @Test func deletionUpdatesTablesOneByOneIfTheServerRefusesOneStatement() throws {
        let lab = try lab(
            "create table a (id int primary key, user_id int references users on delete set null)",
            "create table b (id int primary key, user_id int references users on delete set null, done bool)",
            """
            create function touch() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update b set done = true where id = new.id; return new; end $$
            """, "create trigger touch before update on a for each row execute function touch()",
            "insert into a values (1, 1)", "insert into b values (1, 1, false)")
        let report = try lab.delete("1")
        // The server also counts the rows of the refused statement, but these aren't rows of the trigger.
        #expect(report.isVerified && report.written.map { "\($0.table) \($0.rows)" } == ["public.b 1"])
        #expect(try lab.rows("select a.user_id, b.user_id, b.done from a, b") == [[nil, nil, "t"]])
    }

    /// A trigger or an earlier batch could change the result of the condition or value.
    @Test(arguments: [
        "@keep public.orders where t.paid",
        "@refers public.orders.id -> public.users.id where t.paid : delete",
        "@keep public.orders where exists (SELECT from public.users u where u.id = t.id)",
        "@keep public.orders where public.is_paid(t.id)",
        "@set public.orders.paid = (select count(*) > 1 from public.orders)",
    ]) func deletionInBatchesIsRefusedIfSQLOfALineDecides(line: String) throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1],
            "create function is_paid(int) returns boolean stable language sql as 'select paid from public.orders where id = $1'"
        )
        let refusal = try failure { try delete(lab, "\(line) : x", batch: 1) }
        #expect(
            refusal.message
                == "SQL of a line selects or changes rows of public.orders, and batches could change its result")
        #expect(try lab.value("select count(*) from orders") == "2")
    }

    /// The deletion changes the orders before it deletes logs.
    @Test func conditionOfARefersLineSeesTheRowsBeforeTheDeletion() throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1], "create table logs (id int primary key, actor int, order_id int)",
            "insert into logs values (1, 1, 1), (2, 1, 2), (3, 2, 3)")
        let refers = """
            @refers public.logs.actor -> public.users.id where t.order_id = (select max(o.id) from public.orders o where o.user_id = t.actor)
            """
        let report = try delete(
            lab, refers, "@keep public.orders where t.paid : x", "@ignore public.logs.order_id : x")
        #expect(report.isVerified)
        #expect(try lab.rows("select id from logs order by id") == [["1"], ["3"]])
    }

    /// A trigger copies each changed row into a history that already contains a row of the user.
    @Test(arguments: ["set null", "cascade"]) func historyOfAChangedRowLosesTheUserOrIsDeleted(action: String) throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1],
            "create table history (no int primary key generated always as identity, order_id int, user_id int references users on delete \(action), old bool)",
            """
            create function copy() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into history (order_id, user_id) values (old.id, old.user_id); return null; end $$
            """, "create trigger copy after update on orders for each row execute function copy()",
            "insert into history (order_id, user_id, old) values (1, 1, true), (9, 2, true)")
        let report = try delete(
            lab, "@keep public.orders where t.paid : x", "@ignore public.history.order_id : x",
            "@keep public.history where t.old : x")
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from history where user_id = 1") == "0")
        #expect(try lab.value("select count(*) from history where old") == "2")
    }

    /// A line can keep rows that are deleted only because all their owners are deleted.
    @Test(arguments: ["", ", user_id int references users on delete set null"]) func keepLineSelectsOwnedRows(
        column: String
    ) throws {
        let lab = try lab(
            "create table files (id int primary key, legal bool\(column))",
            "create table posts (id int primary key, user_id int not null references users on delete cascade, file_id int references files)",
            "insert into files select n, n = 1 from generate_series(1, 4) n",
            column.isEmpty ? "select" : "update files set user_id = 1 where id < 3",
            "insert into posts values (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 1, 3)")
        let report = try delete(
            lab, "@owns public.posts.file_id -> public.files.id", "@keep public.files where t.legal : Kept by law.")
        #expect(report.isVerified)
        #expect(try lab.rows("select id from files order by id") == [["1"], ["3"], ["4"]])
    }

    /// usher updates one table after another, so the trigger changes no row of the same statement.
    @Test func triggerMayChangeAKeptRowOfAnotherTable() throws {
        let lab = try lab(
            "create table items (id int primary key, order_id int, picked_by int references users on delete set null)",
            "create table orders (id int primary key, user_id int references users, updated bool, paid bool)",
            "alter table items add foreign key (order_id) references orders on delete cascade",
            """
            create function touch() returns trigger language plpgsql security definer set search_path = public as
            $$ begin update orders set updated = true where id = new.order_id; return new; end $$
            """, "create trigger touch before update on items for each row execute function touch()",
            "insert into orders values (1, 1, false, true), (2, 2, false, true)",
            "insert into items values (1, 1, 1), (2, 2, 1)")
        #expect(try delete(lab, "@keep public.orders where t.paid : x").isVerified)
        #expect(try lab.value("select count(*) from items where picked_by is null") == "2")
        #expect(
            try lab.rows("select id, user_id, updated from orders order by 1") == [["1", nil, "t"], ["2", "2", "t"]])
    }

    // MARK: Batches

    /// A cascade of a deleted row in a batch would delete the kept row.
    @Test func deletionInBatchesKeepsRowsBelowCascades() throws {
        let lab = try lab(
            "create table a (id int primary key, u int references users on delete cascade)",
            "create table b (id int primary key, a int references a on delete cascade)",
            "create table c (id int primary key, b int references b on delete cascade)",
            "insert into a values (1, 1), (2, 1)", "insert into b values (1, 1)", "insert into c values (1, 1)")
        #expect(try delete(lab, "@keep public.c : x", batch: 10).isVerified)
        #expect(try lab.rows("select id, b from c") == [["1", nil]])
        #expect(try lab.value("select count(*) from a") == "0")
    }

    /// usher finds the rest of a tree by its deleted parents, so batches don't delete rows of trees.
    @Test func deletionInBatchesDeletesWholeTreesOfDeclaredReferences() throws {
        let lab = try lab(
            "create table tree (id int primary key, u int references users on delete cascade, parent int)",
            "insert into tree values (1, 1, null), (2, null, 1), (3, null, 2), (4, null, 3)",
            """
            create function refuse() returns trigger language plpgsql as
            $$ begin if old.id = 3 then raise exception 'not 3'; end if; return old; end $$
            """, "create trigger refuse before delete on tree for each row execute function refuse()")
        let line = "@refers public.tree.parent -> public.tree.id"
        #expect(throws: Failure.self) { try delete(lab, line, batch: 1) }
        try lab.database.run("drop trigger refuse on tree")
        let id = try lab.unfinished()
        let app = try ErasureLab.app([line])
        #expect(try lab.delete("1", root: nil, app: app) { ($0.batch, $0.resumes) = (1, id) }.isVerified)
        #expect(try lab.value("select count(*) from tree") == "0")
    }

    // MARK: Several lines

    /// When the row of p is found, one row of t leaves the set, and another row joins it.
    @Test func rowsBelowAKeptRowStayIfAnotherRowIsDeletedInstead() throws {
        let lab = try lab(
            "create table x (id int primary key, u int references users on delete cascade)",
            "create table p (id int primary key, x int references x on delete cascade)",
            "create table t (id int primary key, u int references users on delete cascade, p int references p on delete cascade, q int references p on delete cascade)",
            "create table c (id int primary key, t int references t on delete cascade)",
            "create table d (id int primary key, c int references c on delete cascade)",
            "insert into x values (1, 1)", "insert into p values (1, 1)",
            "insert into t values (101, 1, null, 1), (102, null, 1, null)",
            "insert into c values (201, 101), (202, 102)", "insert into d values (301, 201), (302, 202)")
        #expect(try delete(lab, "@keep public.t via q : x").isVerified)
        #expect(try lab.rows("select t.id, c.id, d.id from t, c, d") == [["101", "201", "301"]])
    }

    @Test func answerOfARefersLineAppliesOnlyToItsCondition() throws {
        let lab = try lab(
            "create table r (id int primary key, u int, k text)", "insert into r values (1, 1, 'x'), (2, 1, 'y')")
        let line = "@refers public.r.u -> public.users.id where t.k ="
        #expect(try delete(lab, "\(line) 'x' : detach : w", "\(line) 'y' : delete : w").isVerified)
        #expect(try lab.rows("select id, u from r") == [["1", nil]])
    }

    @Test(arguments: [("set null", "delete"), ("cascade", "detach")])
    func answerWithAConditionDoesNotReplaceAForeignKey(action: String, answer: String) throws {
        let lab = try lab(
            "create table r (id int primary key, u int references users on delete \(action), k text)",
            "insert into r values (1, 1, 'x'), (2, 1, 'y')")
        let line = "@refers public.r.u -> public.users.id where t.k = 'x' : \(answer) : w"
        if answer == "delete" {
            #expect(try delete(lab, line).isVerified)
            #expect(try lab.rows("select id, u from r") == [["2", nil]])
        } else {
            let refusal = try failure { try delete(lab, line) }
            #expect(refusal.message.contains("has no effect"), "\(refusal)")
        }
    }

    @Test func conditionWithTheCommandTABLESeesTheRowsBeforeTheDeletion() throws {
        let lab = try lab(
            "create table log (id int primary key, who int)",
            "create table vu (r int primary key references log, u int references users on delete cascade)",
            "insert into log values (11, 1)", "insert into vu values (11, 1)",
            "create view public.vu_ as select r from public.vu")
        #expect(
            try delete(lab, "@refers public.log.who -> public.users.id where t.id in (table public.vu_)").isVerified)
        #expect(try lab.value("select count(*) from log") == "0")
    }

    @Test(arguments: ["@keep public.mails", "@set public.mails.note = 'gone'"])
    func deletionIsRefusedIfAKeptRowContainsTheEmailOfTwoUsers(line: String) throws {
        let lab = try lab(
            "create table mails (id int primary key, mail text, note text)",
            "update users set email = 'A@x.com' where id = 2",
            "insert into mails values (1, 'a@x.com', 'm'), (2, 'A@x.com', 'n')")
        let refusal = try failure {
            try delete(lab, "@refers public.mails.mail -> public.users.email", "\(line) : x")
        }
        #expect(refusal.details.contains { $0.hasPrefix("another user has the same email") }, "\(refusal)")
    }

    /// A trigger restores the reference of a kept row, and inserts another row.
    @Test func deletionIsRefusedIfATriggerRestoresAReference() throws {
        let lab = try lab(
            "create table notes (id int primary key generated by default as identity (start 100), u int references users on delete cascade, k text)",
            """
            create function hold() returns trigger language plpgsql as
            $$ begin if old.k = 'locked' then new.u := old.u; end if; return new; end $$
            """, "create trigger hold before update on notes for each row execute function hold()",
            """
            create function copy() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into notes (k) values ('history'); return null; end $$
            """, "create trigger copy after update on notes for each row execute function copy()",
            "insert into notes values (1, 1, 'locked'), (2, 1, 'open')")
        let refusal = try failure { try delete(lab, "@keep public.notes : x") }
        #expect(refusal.details.contains { $0.hasPrefix("public.notes: 1 row") }, "\(refusal)")
        #expect(try lab.value("select count(*) from notes") == "2")
    }

    /// The UPDATE runs under the search path of the app, which has another `=` for citext.
    @Test func planAndUpdateCompareCitextInTheSameWay() throws {
        let lab = try lab(
            "create extension citext",
            "create table docs (id int primary key, u int references users on delete cascade, kind citext, body text)",
            "insert into docs values (1, 1, 'Invoice', 'a'), (2, 1, 'invoice', 'b'), (3, 2, 'Invoice', 'c')")
        let report = try delete(
            lab, "@keep public.docs : x", "@set public.docs.body = null where t.kind = 'invoice' : x")
        #expect(report.isVerified && report.plan.rows(under: .set) == ["public.docs": 1])
        #expect(
            try lab.rows("select id, u, body from docs order by 1") == [
                ["1", nil, "a"], ["2", nil, nil], ["3", "2", "c"],
            ])
    }

    /// The new values depend on rows of the other table, which also changes.
    @Test func newValuesAreComputedBeforeTheFirstChange() throws {
        let lab = try lab(
            "create table a (id int primary key, u int references users on delete cascade, v text, at timestamptz, f float8, l int[])",
            "create table b (u int references users on delete cascade, v text)",
            "insert into a values (1, 1, 'x', '2026-01-01', 0.1, '{1,null}'), (2, 1, 'y', null, null, null)",
            "insert into b values (1, 'p'), (1, 'q')")
        #expect(
            try delete(
                lab, "@set public.a.v = (select min(b.v) from public.b) : x", "@set public.a.l = t.l || 7 : x",
                "@set public.a.f = t.f + 0.2 : x", "@set public.a.at = t.at + interval '1 day' : x",
                "@set public.b.v = (select max(a.v) from public.a) : x"
            ).isVerified)
        #expect(
            try lab.rows("select id, u, v, at at time zone 'UTC', f = 0.1::float8 + 0.2, l from a order by 1")
                == [["1", nil, "p", "2026-01-02 00:00:00", "t", "{1,NULL,7}"], ["2", nil, "p", nil, nil, "{7}"]])
        #expect(try lab.rows("select u, v from b") == [[nil, "y"], [nil, "y"]])
    }

    @Test func twoOwnsLinesCanNameTheSameTable() throws {
        let lab = try lab(
            "create table files (id int primary key)", "insert into files values (1), (2), (3)",
            "create table posts (id int primary key, u int references users on delete cascade, f int references files)",
            "create table avatars (id int primary key, u int references users on delete cascade, f int references files)",
            "insert into posts values (1, 1, 1), (2, 2, 3)", "insert into avatars values (1, 1, 2), (2, 1, 3)")
        let report = try delete(
            lab, "@owns public.posts.f -> public.files.id", "@owns public.avatars.f -> public.files.id")
        #expect(report.isVerified)
        #expect(try lab.rows("select id from files") == [["3"]])
    }

    /// The posts stay, so the file that they own stays, too.
    @Test func fileOfAKeptRowStays() throws {
        let lab = try lab(
            "create table b (id int primary key)", "insert into b values (1)",
            "create table c (id int primary key, b int references b on delete cascade, u int references users on delete cascade)",
            "create table a (id int primary key, u int references users on delete cascade, f int references b, q int references c)",
            "insert into c values (1, null, 1)", "insert into a values (1, 1, 1, 1)")
        #expect(try delete(lab, "@owns public.a.f -> public.b.id", "@keep public.a via q : x").isVerified)
        #expect(try lab.rows("select a.f, a.q, b.id from a, b") == [["1", nil, "1"]])
    }

    // MARK: Types

    @Test func refersLineComparesEnumsAndArraysAsWholeValues() throws {
        let lab = try lab(
            "create type mood as enum ('glad', 'sad')",
            "create table o (k int[] primary key, m mood unique, u int references users on delete cascade)",
            "insert into o values ('{1,2}', 'glad', 1), ('{2,3}', 'sad', 2)",
            "create table r (id int primary key, k int[], m mood)",
            "insert into r values (1, '{1,2}', null), (2, '{2,3}', null), (3, null, 'glad'), (4, null, 'sad')")
        #expect(
            try delete(lab, "@refers public.r.k -> public.o.k", "@refers public.r.m -> public.o.m").isVerified)
        #expect(try lab.rows("select id, k from r order by id") == [["2", "{2,3}"], ["4", nil]])
    }
}
