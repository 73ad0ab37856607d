@testable import Asking
@testable import Accounts
import Inquiries
import PQ
import Support
import Testing

/// What refers to rows that go in batches.
extension LooseReferenceTests {
    @Test func batchesForgetNothing() throws {
        let statements = [
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int)",
            "insert into orders select n, 42 from generate_series(1, 30) n",
            "insert into lines select n, n from generate_series(1, 40) n",
        ]
        let left = try lab(statements)
        #expect(
            try failure { try left.delete("42") { $0.batch = 10 } }.details.map { $0.prefix(29) } == [
                "public.lines.order_id: 30 row"
            ])
        #expect(try left.value("select count(*) from orders") == "30")
        let gone = try lab(statements)
        let report = try gone.delete("42", suspected: ["delete"]) { $0.batch = 10 }
        #expect(report.isVerified && report.planned.total == 61 && report.deleted.reduce(0) { $0 + $1.rows } == 61)
        #expect(try gone.value("select count(*) from lines") == "10")
    }

    /// A table that no batch can begin with is found again only while what its rows refer to is there.
    @Test func whatADeclaredReferenceLeadsToGoesToo() throws {
        let lab = try lab([
            "create table metas (id int primary key, owner int not null references users on delete cascade)",
            "create table fees (id int primary key, meta int, above int references fees)",
            "insert into metas select n, 42 from generate_series(1, 4) n",
            "insert into fees values (1, 1, null), (2, 2, 1), (3, 3, 2), (4, null, 3), (5, 77, null)",
        ])
        let app = try ErasureLab.app(["@reference public.fees.meta -> public.metas.id"])
        let report = try lab.delete("42", root: nil, app: app) { $0.batch = 1 }
        #expect(report.isVerified)
        #expect(try lab.rows("select id from fees order by 1") == [["5"]])
    }

    @Test func whatIsWrittenBetweenBatchesIsFound() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int)",
            "insert into orders select n, 42 from generate_series(1, 30) n",
        ])
        let report = try lab.delete("42") { request in
            request.batch = 10
            request.progress = { _, rows in
                if rows == 20 { _ = try? lab.database.run("insert into lines values (1, 5)") }
            }
        }
        #expect(
            !report.isVerified && report.suspects.map { "\($0.name) \($0.rows)" } == ["public.lines.order_id 1"]
        )
    }

    @Test func whatACascadeWouldTakeAlongWaits() throws {
        let lab = try lab([
            "create table mails (id int primary key, owner int references users on delete cascade)",
            """
            create table events (id int primary key, owner int references users on delete cascade,
                                 mail int references mails on delete cascade)
            """,
            "create table slots (id int primary key, event_id int)",
            "insert into mails values (1, 42), (2, 42), (3, 7)",
            "insert into events values (1, 42, 1), (2, 42, 2), (3, 7, 3)",
            "insert into slots values (1, 1), (2, 2), (3, 3)",
        ])
        #expect(try lab.delete("42", suspected: ["delete"]) { $0.batch = 1 }.isVerified)
        #expect(try lab.rows("select id from slots") == [["3"]])
    }

    @Test func whatLosesItsReferenceIsNoTriggersWork() throws {
        let lab = try lab([
            "create table calendars (id int primary key, owner int references users on delete cascade)",
            """
            create table bookings (id int primary key, owner int references users on delete cascade, note text,
                                   calendar int references calendars on delete set null)
            """,
            "insert into calendars values (1, 42), (2, 42), (3, 7)",
            "insert into bookings values (1, 42, '', 1), (2, 7, 'user/42', 2), (3, 42, 'ada@example.com', 3)",
        ])
        let report = try lab.delete("42", suspected: ["public.bookings.note=keep"]) { $0.batch = 1 }
        #expect(report.written.isEmpty && report.isVerified)
        #expect(try lab.rows("select id, calendar from bookings") == [["2", nil]])
    }

    /// What went together with the root, of a deletion in batches.
    private func last(_ lab: ErasureLab) throws -> [String] {
        try lab.rows(
            """
            select w.key || ' ' || w.value from usher.operation o, jsonb_each_text(o.payload -> 'arguments') w
             where o.kind = 'erasure' and w.key like 'delete %' order by 1
            """
        ).compactMap { $0[0] }
    }

    /// Whichever table the catalog lists first, children go before what their lines say they refer to.
    @Test(arguments: [false, true]) func whatLinesLeadToGoesInBatches(childrenFirst: Bool) throws {
        let tables = [
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int)", "create table notes (line_id int, text text)",
        ]
        let lab = try lab(
            (childrenFirst ? tables.reversed() : tables) + [
                "insert into orders select n, 42 from generate_series(1, 40) n",
                "insert into lines select n, n from generate_series(1, 50) n",
                "insert into notes select n, 'x' from generate_series(1, 60) n",
            ])
        let app = try ErasureLab.app([
            "@reference public.lines.order_id -> public.orders.id",
            "@reference public.notes.line_id -> public.lines.id",
        ])
        let report = try lab.delete("42", root: nil, app: app) { $0.batch = 10 }
        #expect(report.isVerified && report.rows("public.notes") == 40)
        #expect(try last(lab) == ["delete public.users 1"])
        #expect(try lab.value("select count(*) from notes") == "20")
    }

    /// Answers under threads go before what they answer to, though both are rows of one table, or of two that refer to each
    /// other.
    @Test func whatLinesLeadRoundGoesInBatches() throws {
        let lab = try lab([
            "create table posts (id int primary key, owner int references users on delete cascade, above int, best int)",
            "create table marks (id int primary key, post int, last_post int)",
            "insert into posts select n, 42, null, null from generate_series(1, 20) n",
            "insert into posts select n + 100, null, 1 + n % 20, null from generate_series(1, 60) n",
            "insert into marks select n, n, null from generate_series(1, 160) n",
            "insert into posts select n + 1000, null, null, n from generate_series(1, 30) n",
        ])
        let app = try ErasureLab.app([
            "@reference public.posts.above -> public.posts.id", "@reference public.marks.post -> public.posts.id",
            "@reference public.posts.best -> public.marks.id",
        ])
        let report = try lab.delete("42", root: nil, app: app) { $0.batch = 10 }
        #expect(report.isVerified && report.rows("public.posts") == 100)
        #expect(try last(lab) == ["delete public.users 1"])
        #expect(try lab.rows("select count(*) from posts union all select count(*) from marks") == [["10"], ["80"]])
    }

    /// What cannot be split is said beforehand: rows in a circle, and rows to which others refer that stay.
    @Test func whatWaitsForTheLastTransactionIsSaid() throws {
        let lab = try lab([
            "create table rings (id int primary key, owner int not null references users, other int references rings)",
            "create table trees (id int primary key, owner int not null references users, above int references trees)",
            "create table books (id int primary key, owner int not null references users)",
            "create table shelves (id int primary key, book int)",
            "insert into rings select n, 42, case when n < 5 then n + 1 when n = 5 then 1 end from generate_series(1, 40) n",
            "insert into trees select n, 42, case when n > 20 then n - 20 end from generate_series(1, 40) n",
            "insert into books select n, 42 from generate_series(1, 40) n",
            "insert into shelves select n, n from generate_series(1, 7) n",
        ])
        let app = try ErasureLab.app([
            "@reference public.shelves.book -> public.books.id", "@detach public.shelves.book : A shelf stays.",
        ])
        var request = ErasureRequest(AccountRequest(users: ["42"]))
        request.batch = 10
        let erasure = try Erasure.open(
            request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app],
            options: InquiryOptions(),
            elsewhere: lab.database.elsewhere(user: ErasureLab.hosted))
        #expect(
            Set(erasure.plan?.last.map { "\($0.table) \($0.rows)" } ?? []) == [
                "public.books 7", "public.rings 5", "public.users 1",
            ])
        #expect(try erasure.run().isVerified)
        let gone = try last(lab).filter { $0.hasPrefix("delete") }
        #expect(gone == ["delete public.books 7", "delete public.rings 5", "delete public.users 1"])
    }

    /// Whoever looks before, or tries it, is told the same as whoever deletes; and what refers to each other in a chain, too.
    @Test(arguments: [5, 50]) func whatWaitsIsSaidBeforehand(length: Int) throws {
        let lab = try lab([
            "create table chains (id int primary key, owner int not null references users, above int references chains)",
            "insert into chains select n, 42, case when n > 1 then n - 1 end from generate_series(1, \(length)) n",
            "insert into chains select n + 1000, 42, case when n > 20 then n + 980 end from generate_series(1, 40) n",
        ])
        var request = ErasureRequest(AccountRequest(users: ["42"], root: try AccountRoot.Name("public.users")))
        request.batch = 10
        let elsewhere = lab.database.elsewhere(user: ErasureLab.hosted)
        func erasure() throws -> Erasure {
            try Erasure.open(
                request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [],
                options: InquiryOptions(), elsewhere: elsewhere)
        }
        let plan = try AccountPlan.make(
            request.account, batch: 10, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [],
            options: InquiryOptions())
        request.isDryRun = true
        #expect(try erasure().run().planned.last == plan.last)
        request.isDryRun = false
        #expect(try erasure().plan?.last == plan.last)
        let said = try #require(plan.last.first { $0.why == .chained }?.rows)
        #expect(try erasure().run().isVerified)
        let waited = try last(lab).compactMap { line in
            line.hasPrefix("delete public.chains ") ? Int(line.split(separator: " ")[2]) : nil
        }
        #expect(waited.reduce(0, +) <= said && said < length, "\(waited) \(said)")
    }

    /// What goes with what refers to it is no answer to anything.
    @Test func whatALineOwnsIsSaidAsThat() throws {
        let lab = try lab([
            "create table files (id int primary key)",
            "create table sheets (id int primary key, owner int not null references users, file int unique references files)",
            "create table pages (id int primary key, file int not null references files)",
            "insert into files select n from generate_series(1, 10) n",
            "insert into sheets select n, 42, n from generate_series(1, 10) n",
            "insert into pages select n, n from generate_series(1, 10) n",
        ])
        let app = try ErasureLab.app(["@owns public.sheets.file -> public.files.id"])
        let plan = try AccountPlan.make(
            AccountRequest(users: ["42"]), batch: 2, on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [app], options: InquiryOptions())
        #expect(
            Set(plan.last.map { "\($0.table) \($0.rows) \($0.why)" }) == [
                "public.users 1 users", "public.files 10 owned", "public.pages 10 owned",
                "public.sheets 10 owner(of: \"public.files\")",
            ])
    }

    /// Whoever goes on with a deletion need not answer again, and may answer otherwise.
    @Test func answersAreKeptWithWhatWasBegun() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users, buyer int references users)",
            "create table lines (id int primary key, order_id int)",
            "insert into orders select n, 42, 7 from generate_series(1, 30) n",
            "insert into lines select n, n from generate_series(1, 40) n",
            "create table visits (id int primary key, user_id int not null references users)",
            "insert into visits select n, 42 from generate_series(1, 30) n",
            "create function stop() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
            "create trigger stop before delete on users for each row execute function stop()",
        ])
        let stopped = try failure {
            try lab.delete("42", collateral: .delete, suspected: ["public.lines.order_id=detach"]) { $0.batch = 10 }
        }
        #expect(stopped.kind == .partial)
        try lab.database.run("drop trigger stop on users")
        try lab.database.run("insert into orders values (99, 42, 7)", "insert into lines values (99, 99)")
        let report = try lab.delete("42") { ($0.batch, $0.resumes) = (10, try lab.unfinished()) }
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from lines where order_id is null") == "31")
    }
}
