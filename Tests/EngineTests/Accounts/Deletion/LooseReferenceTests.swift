@testable import Asking
@testable import Accounts
import PQ
import Support
import Testing

/// Rows that refer to what goes without a foreign key: found by the names of their columns, and by types beside them.
@Suite struct LooseReferenceTests {
    static let uuid = "0d0d0000-3333-4333-8333-cccccccccccc"
    static let other = "0d0d0000-3333-4333-8333-dddddddddddd"

    func lab(_ statements: [String]) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text)",
                "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
            ] + statements)
    }

    /// Deletes Ada without an answer, which is refused and names the column, and then with one.
    func follow(_ lab: ErasureLab, _ column: String, rows: Int, of table: String) throws {
        let plan = try lab.plan("42")
        #expect(plan.suspects.map { "\($0.name) \($0.rows)" } == ["\(column) \(rows)"])
        #expect(plan.suspects.first?.refersTo.contains { $0.contains(table) } == true)
        let before = try lab.everything()
        for isDryRun in [true, false] {
            let refusal = try failure { try lab.delete("42", dryRun: isDryRun) }
            #expect(refusal.kind == .refused && refusal.details.count == 1, "\(refusal)")
        }
        for answer in ["delete", "detach"] {
            let report = try lab.delete("42", suspected: [answer], dryRun: true)
            #expect(report.wouldBeComplete, "\(answer)")
        }
        #expect(try lab.everything() == before)
    }

    @Test(arguments: [
        ("uuid", "order_id uuid", "'\(uuid)'"), ("uuid", "\"orderId\" uuid", "'\(uuid)'"),
        ("uuid", "order_id text", "'\(uuid)'"), ("int", "order_id bigint", "42"), ("bigint", "order_id int", "42"),
        ("int", "order_id varchar(9)", "'42'"), ("text", "order_id text", "'42'"),
    ]) func namesThatSayWhichTable(type: String, column: String, value: String) throws {
        let key = type == "uuid" ? "'\(Self.uuid)'" : "'42'"
        let other = type == "uuid" ? "gen_random_uuid()" : "'43'"
        let name = column.split(separator: " ")[0].filter { $0 != "\"" }
        let lab = try lab([
            "create table shop_orders (id \(type) primary key, owner int not null references users on delete cascade)",
            "insert into shop_orders values (\(key), 42), (\(other), 7)",
            "create table shop_lines (id int primary key, \(column), ship_to text)",
            "insert into shop_lines values (1, \(value), 'Ada'), (2, null, 'nobody')",
        ])
        try follow(lab, "public.shop_lines.\(name)", rows: 1, of: "public.shop_orders")
    }

    @Test func oneLeadsToTheNext() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int)",
            "create table notes (id int primary key, line_id int not null)",
            "create table marks (note_id int primary key, text text)",
            "insert into orders values (1, 42), (2, 7)", "insert into lines values (10, 1), (20, 2)",
            "insert into notes values (100, 10), (200, 20)", "insert into marks values (100, 'x'), (200, 'y')",
        ])
        #expect(try lab.plan("42").suspects.map(\.name) == ["public.lines.order_id"])
        let report = try lab.delete("42", suspected: ["delete"])
        #expect(report.isVerified && report.rows("public.marks") == 1)
        #expect(try lab.rows("select id from notes") == [["200"]])
        #expect(try lab.rows("select note_id from marks") == [["200"]])
    }

    @Test func rowsThatGoOverTheWayMentionNobodyAnyMore() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int, ship_to text)",
            "insert into orders values (1, 42)", "insert into lines values (1, 1, 'ada@example.com'), (2, null, 'x')",
        ])
        let answers = ["public.lines.order_id=delete"]
        #expect(try lab.plan("42").suspects.map(\.column) == ["order_id", "ship_to"])
        #expect(try lab.plan("42", suspected: answers).suspects.isEmpty)
        #expect(try lab.delete("42", suspected: answers, dryRun: true).wouldBeComplete)
        #expect(try lab.delete("42", suspected: answers).isVerified)
    }

    @Test(arguments: ["Post", "Forum::Post", "forum_posts", "App\\Models\\Forum\\Post", "forum.Post"])
    func textsThatSayWhichTable(spelling: String) throws {
        let lab = try lab([
            "create table posts (id int primary key, author int not null references users on delete cascade)",
            "create table forum_posts (id int primary key, author int not null references users on delete cascade)",
            "create table likes (id int primary key, likeable_type text, likeable_id int)",
            "insert into posts values (1, 42)", "insert into forum_posts values (1, 42)",
            "insert into likes values (1, '\(spelling)', 1), (2, 'Photo', 1), (3, '\(spelling)', 2), (4, null, 1)",
        ])
        let table = spelling == "Post" ? "public.posts" : "posts"
        try follow(lab, "public.likes.likeable_id", rows: 1, of: table)
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from likes order by id") == [["2"], ["3"], ["4"]])
    }

    @Test(arguments: [
        ("order_uuid uuid", "'0d0d0000-3333-4333-8333-cccccccccccc'"), ("last_order_id int", "1"),
        ("order_id text", "'1'"), ("order_uuid text", "'0D0D000033334333-8333CCCCCCCCCCCC'"),
    ]) func keysThatAreNotTheFirst(column: String, value: String) throws {
        let name = String(column.split(separator: " ")[0])
        let lab = try lab([
            """
            create table orders (tenant int, id int unique, uuid uuid unique, primary key (tenant, id),
                                 owner int not null references users on delete cascade)
            """,
            "insert into orders values (1, 1, '\(Self.uuid)', 42), (1, 2, gen_random_uuid(), 7)",
            "create table lines (id int primary key, \(column), order_type text)",
            "insert into lines values (1, \(value), 'online'), (2, null, null)",
        ])
        try follow(lab, "public.lines.\(name)", rows: 1, of: "public.orders")
    }

    @Test func wordsOfAListAndTreesWithoutKeys() throws {
        let lab = try lab([
            "create type kind as enum ('Movie', 'Cache')",
            "create table movies (id int primary key, owner int not null references users on delete cascade)",
            "create table caches (id int primary key, owner int not null references users on delete cascade)",
            "create table comments (id int primary key, parent_id int, owner int not null references users on delete cascade)",
            "create table likes (id int primary key, subject_type kind, subject_id int, movie_id int, cache_id int)",
            "insert into movies values (1, 42), (2, 7)", "insert into caches values (1, 42), (2, 7)",
            "insert into comments values (1, null, 42), (2, 1, 7), (3, 1, 42)",
            "insert into likes values (1, 'Movie', 1, null, null), (2, 'Cache', 2, null, 1), (3, null, null, 1, 2)",
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == [
                "public.comments.parent_id 1", "public.likes.cache_id 1", "public.likes.movie_id 1",
                "public.likes.subject_id 1",
            ])
        #expect(try lab.delete("42", collateral: .delete, suspected: ["delete"]).isVerified)
    }

    @Test func otherThingsThatAreCalledAlike() throws {
        let lab = try lab([
            "create table order_items (id int primary key, owner int not null references users on delete cascade)",
            "create table blog_comment (id int primary key, owner int not null references users on delete cascade)",
            "create table microblog_comment (id int primary key, owner int not null references users on delete cascade)",
            "create table kinds (id int primary key, app text, model text)",
            "insert into kinds values (1, 'microblog', 'comment')",
            "insert into order_items values (5, 42)", "insert into blog_comment values (5, 42)",
            "create table moves (id int primary key, item_id int, content_type_id int references kinds, object_id int)",
            "insert into moves values (1, 5, 1, 5)",
        ])
        // An item may well be one of the order, as the survey asks too; a comment of another table is none.
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.moves.item_id 1"])
        #expect(try lab.delete("42", suspected: ["public.moves.item_id=keep"]).isVerified)
    }

    @Test func bigTablesAreReadValueByValue() throws {
        let lab = try lab([
            "create table posts (id int primary key, author int not null references users on delete cascade)",
            "create table likes (id int primary key, likeable_type text, likeable_id int, pad text) with (fillfactor = 10)",
            "insert into posts values (1, 42)",
            """
            insert into likes select n, case n % 3 when 0 then 'Post' when 1 then 'Photo' end, n, repeat('x', 900)
              from generate_series(1, 8300) n
            """,
            "update likes set likeable_id = 1 where id = 3", "create index on likes (likeable_type)",
        ])
        #expect(try lab.value("select pg_relation_size('likes') / 8192 > 8192") == "t")
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.likes.likeable_id 1"])
    }

    @Test(arguments: ["references content_types", ""]) func listsOfTablesSayWhichOne(key: String) throws {
        let lab = try lab([
            "create table content_types (id int primary key, app_label varchar(99), model varchar(99))",
            "insert into content_types values (1, 'public', 'users'), (2, 'shop', 'order'), (3, 'shop', 'item')",
            "create table shop_order (id int primary key, owner int not null references users on delete cascade)",
            "insert into shop_order values (5, 42), (6, 7)",
            "create table log (id int primary key, content_type_id int \(key), object_id text)",
            "insert into log values (1, 2, '5'), (2, 3, '5'), (3, 2, '6'), (4, null, '5')",
            "create table actions (id int primary key, target_content_type_id int \(key), target_object_id int)",
            "insert into actions values (1, 1, 42), (2, 1, 7), (3, 2, 42)",
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == [
                "public.actions.target_object_id 1", "public.log.object_id 1",
            ])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from log order by id") == [["2"], ["3"], ["4"]])
        #expect(try lab.rows("select id from actions order by id") == [["2"], ["3"]])
    }

    @Test func rowsOfOtherUsersOnlyLoseTheReference() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "alter table users add last_seen_order_id int, add order_id int",
            "insert into orders values (1, 42)", "update users set order_id = 1 where id = 7",
        ])
        try follow(lab, "public.users.order_id", rows: 1, of: "public.orders")
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id, order_id from users") == [["7", nil]])
    }

    @Test(arguments: [
        ("int", "order_ids bigint[]", "{42, 43}", "{43}"), ("int", "\"orderIds\" text[]", "{43,42}", "{43}"),
        ("text", "order_ids text[] not null", "{42,43,NULL}", "{43,NULL}"), ("int", "order_ids int[]", "{42}", "{}"),
        ("uuid", "order_ids uuid[]", "{\(uuid),\(other)}", "{\(other)}"),
        ("uuid", "order_ids uuid[]", "{{\(uuid),\(other)},{\(other),\(uuid)}}", "{{NULL,\(other)},{\(other),NULL}}"),
        ("int", "order_ids text[]", "{{{42},{43}},{{43},{42}}}", "{{{NULL},{43}},{{43},{NULL}}}"),
        ("uuid", "order_uuids text[]", "{\(other),\(uuid.uppercased())}", "{\(other)}"),
    ]) func listsOfKeys(type: String, column: String, value: String, rest: String) throws {
        let (own, other) = type == "uuid" ? (Self.uuid, Self.other) : ("42", "43")
        let lab = try lab([
            "create table orders (id \(type) primary key, owner int not null references users on delete cascade)",
            "insert into orders values ('\(own)', 42), ('\(other)', 7)",
            "create table rounds (id int primary key, \(column))",
            "insert into rounds values (1, '\(value)'), (2, '{\(other)}')",
        ])
        let name = column.split(separator: " ")[0].filter { $0 != "\"" }
        try follow(lab, "public.rounds.\(name)", rows: 1, of: "public.orders")
        #expect(try lab.plan("42").suspects.first?.kind == .list)
        // A list does not go with one of those that it lists.
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select \"\(name)\" from rounds order by id") == [[rest], ["{\(other)}"]])
    }

    @Test func rowsOfTablesThatInherit() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int references users on delete cascade)",
            """
            create table big_orders (primary key (id), foreign key (owner) references users on delete cascade)
             inherits (orders)
            """,
            "insert into big_orders values (1, 42), (2, 7)",
            "create table lines (id int primary key, order_id int)", "create table late_lines () inherits (lines)",
            "create table notes (id int primary key, about_type text, about_id int)",
            "insert into lines values (1, 1), (2, 2)", "insert into late_lines values (3, 1), (4, 2)",
            "insert into notes values (1, 'Order', 1), (2, 'Order', 2)",
        ])
        #expect(
            try lab.plan("42").suspects.map(\.name) == [
                "public.late_lines.order_id", "public.lines.order_id", "public.notes.about_id",
            ])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from lines order by id") == [["2"], ["4"]])
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    @Test func keysThatAreNothingElseInTheWorldTellTablesOfOneNameApart() throws {
        let lab = try lab([
            "create schema web", "create schema shop", "create schema stock",
            "create table web.orders (id uuid primary key, owner int not null references users on delete cascade)",
            "create table shop.orders (id uuid primary key, owner int not null references users on delete cascade)",
            "create table stock.lines (id int primary key, order_id uuid)",
            "insert into web.orders values ('\(Self.uuid)', 42)", "insert into shop.orders values ('\(Self.other)', 7)",
            "insert into stock.lines values (1, '\(Self.uuid)'), (2, '\(Self.other)')",
        ])
        try follow(lab, "stock.lines.order_id", rows: 1, of: "web.orders")
    }
}
