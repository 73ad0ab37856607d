@testable import Asking
@testable import Accounts
import Support
import Testing

/// References whose names say little, and rows above those of users.
extension LooseReferenceTests {
    @Test(arguments: [
        ("orders", "cover_order_id int", "1"), ("orders", "added_order_ids int[]", "'{1,2}'"),
        ("orders", "orderid int", "1"), ("orders", "guardian_order_id int", "1"), ("shop_orders", "deal_id int", "1"),
        ("shop_orders", "\"dealId\" int", "1"), ("shop_orders", "main_deal_id text", "'1'"),
    ]) func namesThatSayLess(table: String, column: String, value: String) throws {
        let lab = try lab([
            "create table \(table) (id int primary key, owner int not null references users on delete cascade)",
            "create table bills (id int primary key, deal_id int references \(table) on delete cascade)",
            "insert into \(table) values (1, 42), (2, 7)",
            "create table lines (id int primary key, \(column))", "insert into lines values (1, \(value)), (2, null)",
        ])
        let name = column.split(separator: " ")[0].filter { $0 != "\"" }
        try follow(lab, "public.lines.\(name)", rows: 1, of: "public.\(table)")
    }

    @Test func whatIsCalledLikeItsOwnTable() throws {
        let lab = try lab([
            "create table posts (id int primary key, owner int not null references users on delete cascade, parent_id int)",
            "create table related_posts (id int primary key, related_post_id int)",
            "create table post_versions (id int primary key, owner int references users on delete cascade, parent_id int)",
            "insert into posts values (1, 42, null), (2, 7, 1)", "insert into related_posts values (1, 2), (2, 1)",
            "insert into post_versions values (1, 42, null), (2, 7, 1)",
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == [
                "public.posts.parent_id 1", "public.related_posts.related_post_id 1",
            ])
    }

    /// Nothing enforces that no two users have the same settings, and no two have.
    @Test func halvesThatNobodyElseHappensToHave() throws {
        let lab = try lab([
            "create table settings (id int primary key, client_secret text)",
            "insert into settings select 1000 + n, 'secret ' || n from generate_series(1, 30) n",
            "insert into users select 100 + n, n || '@example.org' from generate_series(1, 30) n",
            "alter table users add settings_id int references settings",
            "update users set settings_id = 900 + id where id > 100",
        ])
        #expect(try lab.plan("101").suspects.map { "\($0.name) \($0.rows)" } == ["public.settings.id 1"])
        #expect(try failure { try lab.delete("101", dryRun: true) }.kind == .refused)
        #expect(try lab.delete("101", suspected: ["delete"]).isVerified)
        #expect(try lab.value("select count(*) from settings where id = 1001") == "0")
        // What two share is what many may share.
        try lab.database.run("update users set settings_id = 1003 where id = 102")
        #expect(try lab.plan("104").suspects.isEmpty)
    }

    /// The other half of a user stands above it: `users.person_id` refers to what is known of a person.
    @Test(arguments: ["people", "records"]) func halvesThatNobodyElseHas(table: String) throws {
        let unique = table == "people" ? "" : "unique"
        let lab = try lab([
            "create table \(table) (id int primary key, name text)",
            "create table notes (id int primary key, half int references \(table) on delete cascade)",
            "insert into \(table) values (100, 'Ada'), (200, 'Bob'), (300, 'shared'), (400, 'nobody')",
            "insert into notes values (1, 100), (2, 200)",
            "alter table users add half int \(unique) references \(table)",
            "update users set half = case id when 42 then 100 else 200 end",
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows): \($0.isHalf) \($0.refersTo)" } == [
                "public.\(table).id 1: true [\"public.users\"]"
            ])
        #expect(try failure { try lab.delete("42", dryRun: true) }.kind == .refused)
        let before = try lab.everything()
        let plan = try lab.plan("42", suspected: ["delete"])
        #expect(plan.total == 3)
        #expect(try lab.everything() == before)
        if table == "people" {
            try lab.database.run("insert into users values (8, 'c@example.com', 100)")
            #expect(try lab.plan("42").suspects.isEmpty)
            #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
            #expect(try lab.value("select count(*) from people") == "4")
        } else {
            #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
            #expect(try lab.rows("select id from records order by id") == [["200"], ["300"], ["400"]])
            #expect(try lab.rows("select id from notes") == [["2"]])
        }
    }

    @Test func halvesThatStayAreReported() throws {
        let lab = try lab([
            "create table people (id int primary key)", "insert into people values (1), (2)",
            "alter table users add person_id int references people", "update users set person_id = 1 where id = 42",
        ])
        #expect(try failure { try lab.delete("42") }.details.map { $0.prefix(19) } == ["public.people.id: 1"])
        let report = try lab.delete("42", suspected: ["keep"])
        #expect(report.isVerified && report.kept.map { "\($0.table) \($0.rows)" } == ["public.people 1"])
    }

    @Test func ordersOfSomebodyElses() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "insert into orders values (1, 42)", "create table lines (id int primary key, external_order_id int)",
            "insert into lines values (1, 1)",
        ])
        #expect(try lab.delete("42").isVerified)
    }

    /// Whatever refers to the other half of somebody else is somebody else's.
    @Test func halvesOfOthersShareRows() throws {
        let lab = try lab([
            "create table people (id int primary key)", "insert into people values (100), (200)",
            "alter table users add person_id int references people",
            "update users set person_id = case id when 42 then 100 else 200 end",
            "create table reviews (id int primary key, by int not null references people, about int references people)",
            "create table comments (id int primary key, review int not null references reviews on delete cascade)",
            "insert into reviews values (1, 100, null), (2, 200, 100), (3, 200, 200)",
            "insert into comments values (1, 1), (2, 2), (3, 3)",
        ])
        let plan = try lab.plan("42", suspected: ["delete"])
        #expect(plan.collateral == 1 && plan.total == 6)
        let refusal = try failure { try lab.delete("42", suspected: ["delete"]) }
        #expect(refusal.kind == .refused && refusal.message.contains("another user"))
        #expect(try lab.delete("42", collateral: .detach, suspected: ["delete"]).isVerified)
        #expect(
            try lab.rows("select id, by, about from reviews order by id") == [["2", "200", nil], ["3", "200", "200"]])
        #expect(try lab.rows("select id from comments order by id") == [["2"], ["3"]])
        #expect(try lab.rows("select id from people") == [["200"]])
    }
}
