import Accounts
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
        "@keep public.orders where exists (SELECT from public.users u where u.id = t.id)",
        "@keep public.orders where public.is_paid(t.id)",
        "@set public.orders.paid = (select count(*) > 1 from public.orders)",
    ]) func deletionInBatchesIsRefusedIfSQLReadsOtherRows(line: String) throws {
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

    @Test(arguments: ["t.paid", "pg_catalog.lower(t.id::text || ' select ') <> '2 select '"])
    func deletionInBatchesKeepsRowsByTheirOwnColumns(condition: String) throws {
        let lab = try lab(Self.orders[0], Self.orders[1])
        #expect(try delete(lab, "@keep public.orders where \(condition) : x", batch: 1).isVerified)
        #expect(try lab.rows("select id, user_id from orders") == [["1", nil]])
    }

    /// The DELETE evaluates these conditions again, after other rows changed.
    @Test func deletionIsRefusedIfAConditionOfItsDELETEReadsOtherRows() throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1], "create table logs (id int primary key, actor int, order_id int)",
            "insert into logs values (1, 1, 1), (2, 1, 2), (3, 2, 3)")
        let refers = """
            @refers public.logs.actor -> public.users.id where t.order_id = (select max(o.id) from public.orders o where o.user_id = t.actor)
            """
        let refusal = try failure {
            try delete(lab, refers, "@keep public.orders where t.paid : x", "@ignore public.logs.order_id : x")
        }
        #expect(
            refusal.details == [
                "SQL of the lines about public.logs reads other rows, which the deletion may change first"
            ])
        #expect(try lab.value("select count(*) from logs") == "3")
    }

    /// A trigger copies each changed row into a history that already contains a row of the user.
    @Test(arguments: ["set null", "cascade"]) func historyOfAChangedRowLosesTheUserOrIsDeleted(action: String) throws {
        let lab = try lab(
            Self.orders[0], Self.orders[1],
            "create table history (no int generated always as identity, order_id int, user_id int references users on delete \(action), old bool)",
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

    /// The condition reads only its own row, so usher may update one table after another.
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
        #expect(
            try lab.rows("select id, user_id, updated from orders order by id") == [["1", nil, "t"], ["2", "2", "t"]])
        #expect(try lab.value("select count(*) from items where picked_by is null") == "2")
    }
}
