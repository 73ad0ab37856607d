@testable import Accounts
import Support
import Testing

/// Persons whom names of columns, words beside them and paths speak of.
extension HiddenPersonTests {
    /// A copy of a row names people as its columns do.
    @Test func copiesNameWhomColumnsOfThatNameReferTo() throws {
        let lab = try people([
            """
            create table transfers (id int primary key, from_id int references users on delete cascade,
                                    "toId" int references users on delete set null, approver int references users on delete set null,
                                    at int)
            """,
            "create table history (id int primary key, old jsonb)",
            #"insert into history values (1, '{"from_id": 42, "toId": 7, "approver": "42", "at": 42}')"#,
            #"insert into history values (2, '{"from_id": 7, "toId": 42}'), (3, '{"from_id": 7, "at": 42}')"#,
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.column) \($0.rows)" } == ["old 2"])
        let app = try ErasureLab.app(["@mention public.history.old : anonymise"])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(
            try lab.rows("select old from history order by id") == [
                [#"{"at": 42, "toId": 7, "from_id": null, "approver": null}"#], [#"{"toId": null, "from_id": 7}"#],
                [#"{"at": 42, "from_id": 7}"#],
            ])
    }

    @Test(arguments: ["users/1234567", "user:1234567:profile", #"["gid://app/User/1234567"]"#, "x\nuser_id: 1234567\n"])
    func longNumbersBehindNames(text: String) throws {
        let lab = try people(
            [
                "create table cache (key text)", "insert into cache values ('users/1234568'), ('v1234567')",
                "insert into cache values (E'\(text.split(separator: "\n").joined(separator: "\\n"))')",
            ], "1234567")
        #expect(try lab.plan("1234567").suspects.map { "\($0.name) \($0.rows)" } == ["public.cache.key 1"])
    }

    @Test(arguments: ["contacts", "people", "admins", "accounts"]) func wordsOfTablesThatArePeopleToo(table: String)
        throws
    {
        let word = table == "people" ? "Person" : "\(table.prefix(1).uppercased())\(table.dropFirst().dropLast())"
        let lab = try people([
            "create table \(table) (id int primary key)", "insert into \(table) values (42), (7)",
            "create table messages (id int primary key, sender_type text, sender_id int)",
            "insert into messages values (1, 'User', 42), (2, '\(word)', 42), (3, 'User', 7), (4, '\(word)', 7)",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.messages.sender_id 1"])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from messages order by id") == [["2"], ["3"], ["4"]])
    }

    /// Audits of anything say with a word of what, whatever the column of that word and the type of the key are.
    @Test(arguments: [
        ("id", "text", "type"), ("id", "int", "kind"), ("id", "int", "class"), ("Id", "varchar(9)", "Type"),
    ]) func wordsBesideKeysOfAnyType(id: String, type: String, word: String) throws {
        let (key, kind) = id == "Id" ? ("\"onId\"", "\"onType\"") : ("on_id", "on_\(word)")
        let lab = try people([
            "create table posts (id int primary key, author int references users on delete cascade)",
            "insert into posts values (42, 7), (7, 42), (8, 7)",
            "create table audits (id int primary key, \(kind) text, \(key) \(type))",
            "insert into audits values (1, 'User', '42'), (2, 'Post', '42'), (3, 'Post', '7'), (4, 'User', '7')",
        ])
        let name = key.filter { $0 != "\"" }
        // Once for the user, and once for the post that goes.
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == [
                "public.audits.\(name) 1", "public.audits.\(name) 1",
            ])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from audits order by id") == [["2"], ["4"]])
    }

    @Test func typesBesideNumbersSayWhatTheyAre() throws {
        let lab = try people([
            "create table variant_records (id int primary key)", "insert into variant_records values (42)",
            "create table attachments (id int primary key, record_type text, record_id int)",
            "insert into attachments values (1, 'User', 42), (2, 'VariantRecord', 7), (3, null, 42)",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.attachments.record_id 1"])
    }

    /// Where users are another table's rows, the authors of an account's articles are those.
    @Test(arguments: ["accounts", "tenants"]) func rootsOfAnotherName(root: String) throws {
        let column = "\(root.dropLast())_id"
        let lab = try people([
            "create table \(root) (id int primary key)", "insert into \(root) values (42), (7)",
            "create table notes (id int primary key, \(column) int, author_id int, approved_by int)",
            "insert into notes values (1, 42, 7, 7), (2, 7, 42, 42)",
        ])
        #expect(try lab.plan("42", root: root).suspects.map { "\($0.name) \($0.rows)" } == ["public.notes.\(column) 1"])
        #expect(try lab.delete("42", root: root, suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from notes") == [["2"]])
    }

    @Test func longNamesAreNoWordsOfAnotherKind() throws {
        let lab = try people([
            "alter table users add username text", "update users set username = 'adalovelace' where id = 42",
            "create table log (what text)", "insert into log values ('adalovelace'), ('adalovelaces')",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.log.what 1"])
    }

    /// A short name is one where a column speaks of people, and a word like others elsewhere.
    @Test(arguments: ["al", "a_b", "x"]) func shortNamesAreReadWhereUsersAre(name: String) throws {
        let lab = try people([
            "alter table users add handle text unique", "update users set handle = '\(name)' where id = 42",
            "create table threads (id int primary key, by_handle text references users (handle) on delete cascade)",
            "create table posts (id int primary key, author text, what text)",
            "insert into posts values (1, '\(name)', 'x'), (2, 'bob', '\(name)'), (3, '\(name)s', 'of \(name)')",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.posts.author 1"])
    }

    @Test func longNumbersOfOtherRows() throws {
        let lab = try people(
            [
                "create table products (id int primary key)", "insert into products values (1234567)",
                "create table lines (id serial primary key, product_id int, buyer_id int)",
                "insert into lines (product_id, buyer_id) values (1234567, 7), (8, 1234567)",
            ], "1234567")
        #expect(try lab.plan("1234567").suspects.map { "\($0.name) \($0.rows)" } == ["public.lines.buyer_id 1"])
    }

    @Test func listsOfUsersWhoAreNotTheRoot() throws {
        let lab = try people([
            "create table members (id int primary key)", "insert into members values (42), (7)",
            "create table lists (id int primary key, user_ids int[], member_ids int[])",
            "insert into lists values (1, '{42}', '{7}'), (2, '{7}', '{42}')",
        ])
        #expect(try lab.delete("42", root: "members", suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from lists") == [["1"]])
    }
}
