import Accounts
import Asking
import PQ
import Support
import Testing

/// Where a person hid from a deletion and from the search for what is left: types, spellings, names and numbers.
@Suite struct HiddenPersonTests {
    /// Ada, whose column is the only one that holds her, and Bob, whose column is the same.
    func lab(_ column: String, hers: String, his: String = "null", _ first: String...) throws -> ErasureLab {
        try ErasureLab(
            twoUsersAnd: first + [
                "create table places (id serial primary key, place \(column))",
                "insert into places (place) values (\(hers)), (\(his))",
            ])
    }

    func residue(_ text: String, _ lab: ErasureLab) throws -> Residue {
        try Residue.search(
            text, on: try lab.database.connect(user: "postgres"), options: InquiryOptions(), progress: { _ in })
    }

    /// The columns in which a deletion and a search for the id or the address find her.
    func found(_ lab: ErasureLab, _ texts: [String]) throws -> (plan: [String], residue: [String]) {
        let plan = try lab.plan(ErasureLab.ada).suspects.map { "\($0.name) \($0.rows)" }
        let places = try texts.flatMap { try residue($0, lab).found.filter { $0.table == "public.places" } }
        return (plan, places.map { "\($0.table).\($0.column) \($0.rows)" })
    }

    // MARK: Types

    private static let bare = "aaaaaaaa000040008000000000000001"

    @Test(arguments: [
        ("id_of_id", "'\(ErasureLab.ada)'", "'\(ErasureLab.bob)'"),
        ("plain_id[]", "array['\(ErasureLab.ada)']::plain_id[]", "array['\(ErasureLab.bob)']::plain_id[]"),
        ("ids", "array['\(ErasureLab.ada)']::ids", "array['\(ErasureLab.bob)']::ids"),
        ("bytea", "'\\x\(bare)'", "'\\x00'"), ("bytea", "'by \(ErasureLab.ada)'", "'by \(ErasureLab.bob)'"),
        ("char(32)", "'\(bare)'", "'x'"), ("text", "upper('see \(bare)')", "'see'"),
        ("hstore[]", "array[hstore('by', '\(ErasureLab.ada)')]", "array[hstore('by', 'x')]"),
        ("ltree[]", "array['top.\(bare)']::ltree[]", "array['top.x']::ltree[]"),
        ("ltree", "'top.aaaaaaaa_0000_4000_8000_000000000001'", "'top.x'"),
    ]) func typesThatHoldAnId(column: String, hers: String, his: String) throws {
        let lab = try lab(
            column, hers: hers, his: his, "create extension hstore", "create extension ltree",
            "create domain plain_id as uuid", "create domain id_of_id as plain_id", "create domain ids as plain_id[]")
        let found = try found(lab, [ErasureLab.ada])
        #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan)
        #expect(try lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try residue(ErasureLab.ada, lab).isClean)
        #expect(try lab.value("select count(*) from places") == "1")
    }

    // MARK: Addresses

    @Test(arguments: [
        #"{"from":"Ada \u003cada@example.com\u003e"}"#, "ada@example.com_deleted_2024", "ada@example.com-gone",
        "deleted-ada@example.com", "deleted+ada@example.com", "deleted.ada@example.com", "20240101.ada@example.com",
        "/x?u%3Dada@example.com", "/x?email=ada%40example.com&x=1", "<ADA@example.com>.", #"a\nada@example.com"#,
        "(ada@example.com)",
    ]) func addressesAmongOtherLetters(text: String) throws {
        for column in ["text", "bytea", "text[]", "varchar(99)"] {
            let value = "'\(text)'::text"
            let hers =
                column == "bytea" ? "convert_to(\(value), 'utf8')" : column == "text[]" ? "array[\(value)]" : value
            let found = try found(try lab(column, hers: hers), ["ada@example.com"])
            #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan, "\(column)")
        }
    }

    @Test(arguments: [
        "joann.ada2@example.com", "jada@example.com", "mary.ada@example.com", "ada@example.com.au",
        "ada@example.community",
        "ada@example.com-shop.de", "test+fresh-ada@example.com", "TEST+fresh-ada@example.com",
        #"a\ntest+fresh-ada@example.com"#, #"\u003ctest+fresh-ada@example.com"#, "/x?u%3Dtest+fresh-ada@example.com",
    ]) func addressesOfOthers(text: String) throws {
        let lab = try lab("text", hers: "'to \(text)'")
        try lab.database.run(
            "insert into users values ('cccccccc-0000-4000-8000-000000000001', 'Test+Fresh-Ada@example.com')")
        let found = try found(lab, ["ada@example.com"])
        #expect(found.plan.isEmpty && found.residue.isEmpty)
        #expect(try lab.delete(ErasureLab.ada).isVerified && residue("ada@example.com", lab).isClean)
    }

    // MARK: Numbers

    func people(_ statements: [String], _ id: String = "42") throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id int primary key, email text)",
                "insert into users values (\(id), 'ada@example.com'), (7, 'bob@example.com')",
                "create table positions (id serial primary key)",
                "create table team_categories (id serial primary key)",
                // Neither the users of teams nor the owners of stores make users and owners anything else.
                "create table team_users (id serial primary key)", "create table store_owners (id serial primary key)",
                "create schema old", "create table old.users (id serial primary key)",
            ] + statements)
    }

    @Test(arguments: [
        ("follower_id int", "42"), ("\"followerId\" bigint", "42"), ("who int", "42"), ("follower smallint", "42"),
        ("user_id double precision", "42"), ("user_id real", "42"), ("fan_id numeric", "42"),
        ("\"invitedBy\" int", "42"), ("updatedby int", "42"), ("\"seenBy\" int[]", "'{7,42}'"), ("user_id int", "42"),
        ("owner_id int", "42"), ("account_id int", "42"), ("j jsonb", #"'{"approvedBy":42}'"#),
        ("user_ids int[]", "'{7,42}'"), ("user_id oid", "42"), ("liked_by text[]", "'{7,42}'"),
        ("user_ids varchar(9)[]", "'{42}'"),
        ("participants int[]", "'{7,42}'"), ("fan_ids bigint[]", "'{7,42}'"), ("liked_by float8[]", "'{7,42}'"),
        ("j jsonb", #"'{"user":{"id":42}}'"#), ("j jsonb", #"'{"user_ids":[7,42]}'"#),
        ("j jsonb", #"'{"follower":42}'"#),
        ("j json", #"'{"members":[{"id":7},{"id" : 42,"name":"Ada"}]}'"#), ("j text", #"'x {"user_id":42}'"#),
        ("j jsonb", #"'{"body":"{\"ownerId\": 42}"}'"#), ("j jsonb", #"'{"created_by":"42"}'"#),
        ("path text", "'users/42/a.png'"), ("path text", "'user:42'"), ("path text", "'x/USER-42.png'"),
        ("path text", "'gid://app/User/42'"), ("path text[]", "array['a', 'user_id=42&x=1']"),
    ]) func numbersThatNamesSayAreUsers(column: String, value: String) throws {
        let name = String(column.split(separator: " ")[0]).split(separator: "\"").joined()
        let lab = try people([
            "create table places (n int default 9, \(column))", "insert into places values (9, \(value))",
        ])
        #expect(try lab.plan("42").suspects.map(\.name) == ["public.places.\(name)"])
        #expect(
            try lab.delete("42", collateral: .delete, suspected: ["delete"]).isVerified
                && lab.value("select count(*) from places") == "0")
    }

    @Test func listsKeepTheOthers() throws {
        let lab = try people([
            "create table places (id int default 1, liked_by text[], user_ids bigint[])",
            "insert into places values (1, '{7,42,x}', '{42,7}')",
        ])
        #expect(try lab.delete("42", suspected: ["detach"]).isVerified)
        #expect(try lab.rows("select liked_by, user_ids from places") == [["{7,x}", "{7}"]])
    }

    @Test(arguments: ["prefs", "user_prefs", "profile", "user_settings", "account_info"])
    func keysSharedWithUsers(table: String) throws {
        let lab = try people([
            "create table \(table) (id int primary key, bio text)",
            "insert into \(table) values (42, 'ada'), (7, 'bob')",
            "create table countries (id int primary key, name text)", "insert into countries values (42, 'de')",
            "create table settings (id int primary key, name text)", "insert into settings values (42, 'theme')",
            "create table user_stats (id int primary key, user_id int references users on delete cascade)",
            "insert into user_stats values (42, 7), (7, 42)",
        ])
        #expect(try lab.plan("42").suspects.map(\.name) == ["public.\(table).id"])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.value("select count(*) from \(table)") == "1")
    }

    // MARK: Types beside numbers

    @Test func numbersOfRowsThatMayBeOfSeveralTables() throws {
        let lab = try people([
            "create table comments (n int default 9, subject_type text, subject_id int, \"ofType\" varchar, \"ofId\" bigint)",
            """
            insert into comments values (9, 'User', 42, null, null), (9, 'Position', 42, 'Users', 42), (9, 'Browser', 42, null, null),
                                        (9, 'App\\Models\\User', 42, null, null)
            """,
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == [
                "public.comments.ofId 1", "public.comments.subject_id 2",
            ])
    }

    @Test func numbersThatNobodyClassified() throws {
        let lab = try people([
            "create table follows (id serial primary key, follower_id int, position_id int, subject_type text, subject_id int)",
            "insert into follows (follower_id, position_id, subject_type, subject_id) values (42, 42, 'Position', 42)",
        ])
        let survey = try Survey.make(
            AccountRequest(users: [], root: try AccountRoot.Name("public.users")),
            on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [], options: InquiryOptions())
        #expect(survey.unsettled.map(\.name) == ["public.follows.follower_id"])
    }

    @Test func namesThatAreWordsOfAnotherKind() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "alter table users add username text unique, add api_token text unique",
                "update users set username = 'test', api_token = 'secret-1' where email like 'ada%'",
                "create table settings (environment text, author text, note text)",
                "insert into settings values ('test', 'test', 'secret-1'), ('live', 'Test', '')",
            ])
        #expect(try lab.plan(ErasureLab.ada).suspects.map { "\($0.column) \($0.rows)" } == ["author 1"])
    }

    @Test func numbersOfOtherThings() throws {
        let lab = try people([
            """
            create table places (id serial primary key, position_id int, last_position_id int, category_id bigint,
                "positionId" int, position_ids int[], amount int, version int, followers int, is_admin int, member_count int,
                paid int, grid int, status_id int, owner_type_code int, user_role int, display_id int, "fromOrgId" int, object_type text, object_id int, j jsonb, note text)
            """,
            """
            insert into places values (42, 42, 42, 42, 42, '{42}', 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 'Position', 42,
                '{"n":42,"user_count":42,"position":{"id":42},"users":[{"id":7,"age":42}],"user":{"id":7},"age":42,"ids":[42],"factor":42}',
                '42 users, user:420, user:7/42, position/42, browser/42, user:42.5, v42')
            """,
        ])
        #expect(try lab.plan("42").suspects.isEmpty && lab.delete("42").isVerified)
    }

    @Test func theLedgerCountsNobody() throws {
        let lab = try people(["create table notes (user_id int references users on delete cascade)"])
        #expect(try lab.delete("42").isVerified && residue("42", lab).isClean)
        #expect(try residue("1", lab).isClean)
    }

    /// So short a number stands in many texts and means nobody there, which is said and not passed over.
    @Test func textsAreSaidToBeSearchedInPart() throws {
        let lab = try people([
            "create table letters (body text, meta jsonb)", "insert into letters values ('7 of 9', '{}')",
        ])
        let short = try residue("7", lab)
        #expect(short.partly.first { $0.table == "public.letters" }?.columns == ["body", "meta"])
        #expect(!short.found.contains { $0.table == "public.letters" })
        #expect(try residue("770077007", lab).partly.isEmpty && residue("ada@example.com", lab).partly.isEmpty)
    }

    // MARK: Texts that are keys

    @Test(arguments: [
        ("citext", "Ada_Lov", "text", "'ada_lov'"), ("citext", "Ada_Lov", "citext", "'ADA_LOV'"),
        ("citext", "Ada_Lov", "jsonb", #"'{"x":"ada_lov"}'"#), ("citext", "Ada_Lov", "text", "'thanks to ADA_LOV!'"),
        ("citext", "Ada", "text", "'ADA'"), ("text", "ada", "jsonb", #"'{"participants":["ada","bob"]}'"#),
        ("text", "ada", "text", "'users/ada/x'"), ("text", ErasureLab.ada, "text", "upper('\(ErasureLab.ada)')"),
        ("char(40)", ErasureLab.ada, "uuid", "'\(ErasureLab.ada)'"),
        ("text", ErasureLab.ada, "uuid[]", "array['\(ErasureLab.ada)']::uuid[]"),
        ("text", ErasureLab.ada, "text", "'img_x\(ErasureLab.ada).png'"),
    ]) func keysThatAreTexts(type: String, key: String, column: String, value: String) throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id \(type) primary key)",
            "insert into users values ('\(key)'), ('bob')", "create table places (place \(column))",
            "insert into places values (\(value))")
        #expect(try lab.plan(key).suspects.map(\.name) == ["public.places.place"])
        #expect(
            try lab.delete(key, suspected: ["delete"]).isVerified && lab.value("select count(*) from places") == "0")
    }

    @Test func wordsThatAreNoKeys() throws {
        let lab = try ErasureLab(
            "create table users (id text primary key)", "insert into users values ('ada'), ('Adalove')",
            "create table places (place text, j jsonb)",
            #"insert into places values ('ADALOVE', '{"ada":1, "x":"adam", "y":"the ada", "z":"Ada"}')"#)
        #expect(try lab.plan("ada").suspects.isEmpty && lab.plan("Adalove").suspects.isEmpty)
    }

    // MARK: What else somebody is known by

    @Test func namesAndKeysOfTheUsersOwnRows() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "alter table users add login text unique, add user_name text, add phone text, add bio text, add code text unique",
                """
                update users set login = 'ada@other.org', user_name = 'ada_lov', phone = '+491701234567', bio = 'hello', code = 'abc'
                 where email like 'ada%'
                """,
                "create table profiles (id uuid primary key, user_id uuid not null unique references users on delete cascade)",
                "insert into profiles values ('cccccccc-0000-4000-8000-000000000001', '\(ErasureLab.ada)')",
                "create table places (author text, who uuid, body text, doc jsonb)",
                """
                insert into places values ('ada_lov', null, '', null), ('Ada_lov', null, 'by ada_lov', null), ('abc', null, 'hello', null),
                    (null, null, '+491701234567', null), ('x', 'cccccccc-0000-4000-8000-000000000001', '', null),
                    (null, null, 'to ADA@other.org', '{"p": "cccccccc-0000-4000-8000-000000000001"}')
                """,
            ])
        #expect(
            try lab.plan(ErasureLab.ada).suspects.map { "\($0.column) \($0.rows)" } == [
                "author 1", "body 2", "doc 1", "who 1",
            ])
        #expect(try lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try lab.value("select count(*) from places") == "2")
    }
}
