import Changes
import PQ
import Support
import Testing

/// usher counts the other users whose rows an action writes.
@Suite(.long) struct OtherUsersCountTests {
    private static let tables = [
        "insert into public.people (id, tier) select n, 'free' from generate_series(4, 40) n",
        """
        create table public.notice (id integer primary key generated always as identity, about integer references public.people,
                                    author integer references public.people, seen boolean, text text)
        """,
        "insert into public.notice (about) select id from public.people",
        "insert into public.notice (about, author) values (2, 1), (null, null)",
        "create table public.trace (notice integer, about integer references public.people)",
    ]

    private func lab(_ statement: String, _ more: String = "", _ setup: String...) throws -> ChangeLab {
        let database = try Lab.withLedger().database
        for statement in Self.tables + setup { try database.run(statement) }
        return try ChangeLab(
            database,
            try Lab.app(
                "-- @decision mood  Is this person glad?\n-- @rule any  As everybody is.\ntrue;\n-- @action lab go  Does it.\n\(more)-- @do\n\(statement);\n"
            ))
    }

    @Test(arguments: [
        ("delete from public.notice where about <> :user and author is null", 39),
        ("with gone as (delete from public.notice where about <> :user and author is null) select :user", 39),
        ("update public.notice set seen = true where about > :user + 30", 9),
        ("insert into public.notice (about) select id from users where id <> :user", 39),
        // The previous owner of a row counts too.
        ("update public.notice set about = :user where author is null and about <> :user", 39),
        ("update public.notice set about = null where author is null and about > :user + 30", 9),
        // Rows of the named users, and rows without an owner, don't count.
        ("delete from public.notice where author = :user or about = :user", 0),
        ("update public.notice set seen = true where about is null and id > :user", 0),
        ("insert into public.notice (about, author) select id, :user from users", 0),
    ])
    func changeCountsOtherAffectedUsers(statement: String, users: Int) throws {
        let lab = try lab(statement)
        func expectOthers(_ report: ChangeReport) {
            #expect(report.others?.count ?? 0 == users)
            #expect(report.others?.tables == (users == 0 ? nil : ["public.notice"]))
        }
        expectOthers(try lab.plan(.action("lab", "go", on: "1")))
        let report = try lab.run(.action("lab", "go", on: "1"))
        expectOthers(report)
        #expect(report.operation != nil)
        let recorded = try lab.value(
            """
            select payload -> 'beside' ->> 'users' from usher.operation where kind = 'change'
            """)
        #expect(recorded == (users == 0 ? nil : String(users)))
    }

    /// Rows that triggers write belong to the app and don't count.
    @Test func rowsThatTriggersWriteDoNotCountAsOtherUsers() throws {
        let lab = try lab(
            "update public.notice set seen = true where about = :user", "",
            """
            create function public.traced() returns trigger language plpgsql as $$ begin
                insert into public.trace select new.id, id from public.people;
                return new;
            end $$
            """, "create trigger traced after update on public.notice for each row execute function public.traced()")
        let plan = try lab.plan(.action("lab", "go", on: "1"))
        #expect(plan.changes.count > 40 && plan.others == nil)
    }

    /// usher counts users in a secret column, but doesn't record them.
    @Test(arguments: [
        ("update public.notice set seen = true where about > :user + 30", 9),
        ("delete from public.notice where about > :user + 30", 9),
        ("insert into public.notice (about) select id from users where id <> :user", 39),
        ("update public.notice set seen = true where about = :user", 0),
    ])
    func usersInASecretColumnCountAsOtherUsers(statement: String, users: Int) throws {
        let account = "-- @account\n-- @root public.people.id\n-- @secret public.notice.about"
        let base = try lab(statement)
        let lab = try ChangeLab(
            base.database, try Lab.app("-- @action lab go  Does it.\n-- @do\n\(statement);\n\(account)"))
        #expect(try lab.plan(.action("lab", "go", on: "1")).others?.count ?? 0 == users)
        #expect(try lab.run(.action("lab", "go", on: "1")).others?.count ?? 0 == users)
        let recorded = "jsonb_path_exists(payload, '$.*.about')"
        #expect(try lab.value("select count(*) from usher.change where \(recorded)") == "0")
    }

    @Test func userNamedInAnArgumentDoesNotCountAsAnotherUser() throws {
        let lab = try lab(
            "update public.notice set seen = true where about = :other and id > :user", "-- @arg other: user\n")
        #expect(try lab.plan(.action("lab", "go", on: "1", values: ["other": "2"])).others == nil)
    }

    /// A batch counts the other users whose rows it writes, in one statement or row by row.
    ///
    /// If an action writes only rows of the named users, one statement changes each batch after the first. Only these
    /// batches record the decisions that usher didn't check.
    @Test(arguments: [
        ("update public.notice set seen = true where about = any (:users)", 0),
        ("update public.notice set seen = true where about in (select u + 5000 from unnest(:users) u)", 1200),
        ("update public.notice n set about = n.about - 5000 where n.about - 5000 = any (:users)", 1200),
    ])
    func bulkChangeBatchCountsOtherAffectedUsers(statement: String, users: Int) throws {
        let lab = try lab(
            statement, "",
            "insert into public.people (id, tier) select n, 'many' from generate_series(1001, 2200) n",
            "insert into public.people (id, tier) select n, 'else' from generate_series(6001, 7200) n",
            "insert into public.notice (about) select id from public.people where id > 1000")
        var request = ChangeRequest.action("lab", "go")
        request.subjects = (1001...2200).map(String.init)
        let bulk = try lab.bulk(request)
        _ = try bulk.plan()
        #expect(try bulk.run { _ in true }.progress.done == 1200)
        let parts = try lab.rows(
            """
            select coalesce(payload -> 'beside' ->> 'users', '0') from usher.operation where kind = 'batch'
            """)
        #expect(parts.count > 1 && parts.compactMap { $0[0].flatMap { Int($0) } }.reduce(0, +) == users, "\(parts)")
        let atOnce = try lab.value(
            "select count(*) from usher.operation where kind = 'batch' and payload ? 'unasked'")
        #expect(atOnce == (users == 0 ? String(parts.count - 1) : "0"))
    }
}
