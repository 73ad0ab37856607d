import Accounts
import AppFile
import Asking
import Support
import Testing

/// Rows that an `@owns`, `@keep` or `@set` line keeps, and the rows that depend on them.
@Suite struct KeptRowTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text not null)",
                "insert into users values (1, 'a@x.com'), (2, 'b@x.com'), (3, 'c@x.com')",
            ] + statements)
    }

    @discardableResult
    private func delete(
        _ lab: ErasureLab, _ users: String = "1", _ lines: String..., shared: AccountAnswer? = nil, batch: Int? = nil
    ) throws -> DeletionReport {
        let app = try ErasureLab.app(lines)
        return try lab.delete(users.split(separator: " ").map(String.init), root: nil, app: app, collateral: shared) {
            $0.batch = batch
        }
    }

    /// A deleted blob would delete the attachments of other users.
    @Test func ownedRowStaysIfACascadingKeyOfAnotherUserRefersToIt() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id int not null references users on delete cascade)",
            "create table blobs (id int primary key)",
            "create table attachments (id int primary key, post_id int references posts on delete cascade, blob_id int references blobs on delete cascade)",
            "insert into posts values (1, 1), (2, 2)", "insert into blobs values (1), (2), (3)",
            "insert into attachments values (1, 1, 1), (2, 2, 1), (3, 2, 2), (4, 1, 3)")
        let report = try delete(lab, "1", "@owns public.attachments.blob_id -> public.blobs.id")
        #expect(report.isVerified && report.rows("public.blobs") == 1)
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from attachments") == "2 3")
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from blobs") == "1 2")
    }

    /// The profile gets another user; a search that starts again must not begin with this profile.
    @Test func profileWithReferencesToItsOwnTableCanGetAnotherUser() throws {
        let lab = try lab(
            "create table profiles (id int primary key, user_id int not null unique references users, referred_by int references profiles on delete cascade)",
            "create table posts (id int primary key, author int references profiles on delete cascade)",
            "insert into profiles values (10, 1, null), (20, 2, 10)", "insert into posts values (1, 10), (2, 20)")
        let report = try delete(lab, "1", "@set public.profiles.user_id = 3 where id = 10 : x")
        #expect(report.isVerified && report.plan.total == 1)
        #expect(try lab.rows("select id, user_id from profiles order by 1") == [["10", "3"], ["20", "2"]])
        #expect(try lab.value("select count(*) from posts") == "2")
    }

    /// No table refers to the users, so only the `@owns` line leads to the people.
    @Test func ownedRowOfAUserIsDeleted() throws {
        let lab = try lab(
            "create table people (id int primary key)", "insert into people values (1), (2), (3)",
            "alter table users add person int references people", "update users set person = id")
        let report = try delete(lab, "1", "@owns public.users.person -> public.people.id")
        #expect(report.isVerified && report.rows("public.people") == 1)
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from people") == "2 3")
    }

    /// Bob's message to Ada, and Bob's comment on Ada's post.
    @Test func rowsOfOthersThatReferToAnOwnedRowAreShared() throws {
        let lab = try lab(
            "create table people (id int primary key)", "insert into people values (1), (2), (3)",
            "alter table users add person int references people", "update users set person = id",
            "create table messages (id int primary key, sender int not null references people on delete cascade, receiver int not null references people on delete cascade)",
            "create table posts (id int primary key, author int not null references people on delete cascade)",
            "create table comments (id int primary key, author int not null references people on delete cascade, post int not null references posts on delete cascade)",
            "insert into messages values (1, 2, 1), (2, 2, 3)", "insert into posts values (1, 1), (2, 2)",
            "insert into comments values (1, 1, 1), (2, 2, 1), (3, 2, 2)")
        let owns = "@owns public.users.person -> public.people.id"
        let refusal = try failure { try delete(lab, "1", owns) }
        #expect(refusal.details.sorted() == ["public.comments: 1 of 2", "public.messages: 1 of 1"], "\(refusal)")
        #expect(try delete(lab, "1", owns, shared: .delete).plan.total == 6)
    }

    @Test(arguments: ["@keep public.orders via customer_id", "@set public.orders.note = 'gone' via customer_id"])
    func rowsUnderTheOnlyKeptRowStay(line: String) throws {
        let lab = try lab(
            "create table customers (id int primary key, user_id int not null references users)",
            "create table orders (id int primary key, customer_id int references customers, created_by int references users, note text)",
            "create table items (id int primary key, order_id int not null references orders)",
            "create table shipments (id int primary key, item_id int not null references items)",
            "insert into customers values (10, 1)", "insert into orders values (100, 10, 1)",
            "insert into items values (1000, 100)", "insert into shipments values (10000, 1000)")
        let report = try delete(lab, "1", "\(line) : x")
        #expect(report.isVerified && report.plan.total == 2)
        for table in ["orders", "items", "shipments"] {
            #expect(try lab.value("select count(*) from \(table)") == "1", "\(table)")
        }
    }

    /// The rows under the kept order were found before the order was kept, and refer to each other.
    @Test(arguments: [
        "root_id int references items", "root_id int not null references items",
        "root_id int references items on delete cascade",
    ]) func rowsThatReferToEachOtherStayUnderAKeptRow(root: String) throws {
        let lab = try orders(
            "create table items (id int primary key, order_id int references orders, \(root))",
            "insert into items values (1000, 100, 1000), (1001, 100, 1000), (2000, 200, 2000)")
        let report = try delete(lab, "1", "@keep public.orders via customer_id : x")
        #expect(report.isVerified && report.plan.total == 2)
        #expect(try lab.value("select count(*) from items") == "3")
    }

    /// Another order of the user is deleted.
    @Test func rowsOfTablesThatReferToEachOtherStayUnderAKeptRow() throws {
        let lab = try orders(
            "insert into orders values (101, 20, 1)",
            "create table shipments (id int primary key, order_id int not null references orders, last int)",
            "create table tracking (id int primary key, shipment_id int not null references shipments)",
            "alter table shipments add foreign key (last) references tracking",
            "insert into shipments values (1, 100), (2, 200), (3, 101)",
            "insert into tracking values (1, 1), (2, 2), (3, 3)", "update shipments set last = id")
        let report = try delete(lab, "1", "@keep public.orders via customer_id : x", shared: .delete)
        #expect(report.isVerified)
        for table in ["shipments", "tracking"] {
            #expect(try lab.value("select string_agg(id::text, ' ' order by id) from \(table)") == "1 2", "\(table)")
        }
    }

    @Test func longChainUnderAKeptRowStays() throws {
        let lab = try orders(
            "create table revisions (id int primary key, order_id int references orders, previous int references revisions)",
            "insert into revisions select n, 100, nullif(n - 1, 0) from generate_series(1, 1200) n")
        #expect(try delete(lab, "1", "@keep public.orders via customer_id : x").isVerified)
        #expect(try lab.value("select count(*) from revisions") == "1200")
    }

    private func orders(_ statements: String...) throws -> ErasureLab {
        let lab = try lab(
            "create table customers (id int primary key, user_id int not null references users)",
            "create table orders (id int primary key, customer_id int references customers, created_by int references users)",
            "insert into customers values (10, 1), (20, 2)", "insert into orders values (100, 10, 1), (200, 20, 2)")
        for statement in statements { try lab.database.run(statement) }
        try lab.grant()
        return lab
    }

    /// The messages exist before the threads, as after a restore in the order of names.
    @Test func rowsOfTwoTablesAreDeletedInTwoStatementsIfOneKeyCanBeEmptied() throws {
        let lab = try lab(
            "create table messages (id int primary key, thread int not null, n int)",
            "create table threads (id int primary key, owner int not null references users, last int references messages on delete set null, total int)",
            "alter table messages add foreign key (thread) references threads",
            """
            create function uncount() returns trigger language plpgsql as
            'begin update threads set total = total - 1 where id = old.thread; return old; end'
            """,
            "create trigger uncount before delete on messages for each row execute function uncount()",
            "insert into threads values (1, 1, null, 2)", "insert into messages values (1, 1), (2, 1)",
            "update threads set last = 2")
        let report = try delete(lab)
        #expect(report.rows("public.messages") == 2 && report.rows("public.threads") == 1)
    }

    @Test func setLineChangesAKeptRowThatOnlyAnOwnsLineReaches() throws {
        let lab = try lab(
            "create table receipts (id int primary key, name text)",
            "create table deliveries (id int primary key, user_id int references users on delete cascade, receipt_id int references receipts)",
            "insert into receipts values (5, 'Ada'), (6, 'Bob')", "insert into deliveries values (1, 1, 5), (2, 2, 6)")
        let report = try delete(
            lab, "1", "@owns public.deliveries.receipt_id -> public.receipts.id",
            "@set public.receipts.name = 'gone' : x")
        #expect(report.isVerified && report.plan.rows(under: .set) == ["public.receipts": 1])
        #expect(try lab.rows("select id, name from receipts order by 1") == [["5", "gone"], ["6", "Bob"]])
    }

    /// A cascade would delete the kept row together with the user whom the line writes.
    @Test func setLineThatWritesADeletedUserIntoAKeyIsRefused() throws {
        let lab = try lab(
            "create table owners (team int, u int references users on delete cascade, deputy int references users on delete set null, primary key (team, u))",
            "insert into owners values (1, 1, 2), (2, 1, 3)")
        let refusal = try failure { try delete(lab, "1 2", "@set public.owners.u = t.deputy via u : x") }
        #expect(refusal.message.contains("would leave rows of the account behind"), "\(refusal)")
        #expect(try lab.value("select count(*) from owners") == "2")
        try delete(lab, "1", "@set public.owners.u = t.deputy via u : x")
        #expect(try lab.rows("select team, u from owners order by 1") == [["1", "2"], ["2", "3"]])
    }

    /// The key of the sender becomes null before the cascade of the thread deletes the message.
    @Test(arguments: [true, false]) func deletedRowIsNotReportedAsChangedIfAKeyEmptiesItFirst(isEarly: Bool) throws {
        let sender = "sender_id int references users on delete set null"
        let thread = "thread_id int references threads on delete cascade"
        let lab = try lab(
            "create table threads (id int primary key, owner int not null references users on delete cascade)",
            "create table messages (\(isEarly ? "\(sender), \(thread)" : "\(thread), \(sender)"))",
            "insert into threads values (1, 1), (2, 2)",
            "insert into messages (thread_id, sender_id) values (1, 1), (1, null), (2, 1), (2, 2)")
        let report = try delete(lab, shared: .detach)
        #expect(report.isVerified && report.written.isEmpty && report.further.isEmpty)
        #expect(report.rows("public.messages") == 2)
        #expect(try lab.rows("select sender_id from messages order by 1") == [["2"], [nil]])
    }

    @Test func newSharedRowsDoNotStopADeletionIfALineAnswers() throws {
        let lab = try lab(
            "create table likes (user_id int references users, author int references users)",
            "insert into likes values (1, 2)")
        let lines = ["@shared public.likes : delete : x"]
        let report = try lab.database.session(user: ErasureLab.hosted) { connection in
            let request = DeletionRequest(AccountRequest(users: ["1"]))
            let candidates = [try ErasureLab.app(lines)]
            return try Deletion(request, on: connection, candidates: candidates, options: .init()) {
                () throws(Failure) in throw Failure(.connection, "there is no other connection")
            }.run { _, _ throws(Failure) in
                do { try lab.database.run("insert into likes values (1, 3)") } catch { Issue.record("\(error)") }
            }
        }
        #expect(report.isVerified && report.rows("public.likes") == 2)
    }

    // MARK: Values of undeclared columns

    /// Many frameworks store ids of any type in a text column.
    @Test func textColumnNamedAfterUsersMayContainANumber() throws {
        let lab = try lab("create table events (user_id text, kind text)", "insert into events values ('1', 'x')")
        let refusal = try failure { try delete(lab) }
        #expect(refusal.details.contains { $0.contains("public.events.user_id") }, "\(refusal)")
    }

    @Test func valueWithoutAnAtSignIsNoEmail() throws {
        let lab = try lab(
            "alter table users add email_status text",
            "update users set email_status = 'verified' where id = 1",
            "create table domains (status text)", "insert into domains values ('verified')")
        #expect(try delete(lab).isVerified)
    }

    // MARK: Batches

    /// A trigger updates a counter in a row that a later batch deletes.
    @Test func batchesContinueIfATriggerChangesRowsThatAreDeletedLater() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id int not null references users, likes int default 0)",
            "create table likes (id int primary key, post_id int not null references posts)",
            "insert into posts select n, 1 from generate_series(1, 5) n",
            "insert into likes select n, 1 + n % 5 from generate_series(1, 20) n",
            """
            create function uncount() returns trigger language plpgsql as
            'begin update posts set likes = likes - 1 where id = old.post_id; return null; end'
            """,
            "create trigger uncount after delete on likes for each row execute function uncount()")
        let report = try delete(lab, batch: 4)
        #expect(report.isVerified && report.rows("public.likes") == 20 && report.rows("public.posts") == 5)
    }

    /// The trigger moves a row of Bob to the deleted user.
    @Test func batchesAreRefusedIfATriggerMovesRowsToTheUser() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id int references users on delete cascade)",
            "create table stats (id int primary key, last_by int references users on delete cascade)",
            "insert into stats values (1, 2), (2, 1)",
            """
            create function move() returns trigger language plpgsql as
            'begin update stats set last_by = old.user_id; return null; end'
            """,
            "create trigger move after delete on notes for each row execute function move()",
            "insert into notes select n, 1 from generate_series(1, 10) n")
        let refusal = try failure { try delete(lab, batch: 4) }
        #expect(refusal.message.contains("triggers write rows into public.stats"), "\(refusal)")
        #expect(try lab.value("select last_by from stats where id = 1") == "2")
    }

    @Test func batchesCountTheRowsThatACascadeInTheTableDeletes() throws {
        let lab = try lab(
            "create table comments (id int primary key, user_id int not null references users, parent int references comments on delete cascade)",
            "insert into comments select n, 1, nullif(n / 2, 0) from generate_series(1, 30) n")
        let report = try delete(lab, batch: 4)
        #expect(report.isVerified && report.rows("public.comments") == 30)
    }

    /// The project moves to Bob after the plan.
    @Test func batchesKeepTheRowsOfAParentThatMovedToAnotherUser() throws {
        let lab = try lab(
            "create table projects (id int primary key, owner int not null references users)",
            "create table tasks (id int primary key, project int not null references projects)",
            "insert into projects values (1, 1), (2, 1)",
            "insert into tasks select n, 1 + n % 2 from generate_series(1, 40) n")
        let report = try lab.database.session(user: ErasureLab.hosted) { connection in
            var request = DeletionRequest(AccountRequest(users: ["1"], root: "public.users"))
            request.batch = 5
            return try Deletion(request, on: connection, candidates: [], options: .init()) {
                () throws(Failure) in throw Failure(.connection, "there is no other connection")
            }.run { _, _ throws(Failure) in
                do { try lab.database.run("update projects set owner = 2 where id = 2") } catch {
                    Issue.record("\(error)")
                }
            }
        }
        #expect(report.isVerified && report.rows("public.tasks") == 20)
        #expect(try lab.value("select count(*) from tasks where project = 2") == "20")
    }
}
