@testable import Asking
import Accounts
import AppFile
import PQ
import Support
import Testing

/// Deletions work in schemas from production that once led to a wrong deletion.
@Suite(.long) struct ProductionSchemaTests {
    private static let users = [
        "create table people (id int primary key, email text, invited_by int references people)",
        "insert into people values (1, 'ada@example.com', null), (2, 'bob@example.com', 1), (3, 'eve@example.com', 2)",
    ]

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(Self.users + statements)
    }

    @Test(arguments: [nil, .keep, .detach, .delete] as [AccountAnswer?])
    func invitedUserDoesNotCountAsASharedRow(answer: AccountAnswer?) throws {
        let lab = try lab(
            "create table profiles (id int primary key references people on delete cascade, mentor int references people)",
            "insert into profiles values (1, null), (2, 1), (3, 2)")
        let plan = try lab.plan("2", root: "people", collateral: answer)
        #expect(plan.shared == 0 && plan.total == 2)
        #expect(try lab.delete("2", root: "people", collateral: answer).isVerified)
        #expect(try lab.rows("select id, invited_by from people order by id") == [["1", nil], ["3", nil]])
        #expect(try lab.rows("select id, mentor from profiles order by id") == [["1", nil], ["3", nil]])
    }

    /// Keys of a fixed length: trailing blanks don't matter, and a key that only begins like another key is different.
    @Test(
        arguments: [
            ("char(8)", "A0000001", "A"), ("bit(8)", "11110000", "10000000"), ("bit varying(8)", "11", "1"),
            ("code", "A0000001", "A"),
        ], ["no action", "cascade", "set null"])
    func deletionDoesNotConfuseSimilarKeysOfAFixedLength(key: (type: String, hers: String, his: String), action: String)
        throws
    {
        let lab = try lab(
            "create domain plain_code as char(8)", "create domain code as plain_code check (value <> '')",
            "create table orders (no \(key.type) primary key, person int not null references people)",
            "create table lines (id int primary key, no \(key.type) references orders on delete \(action))",
            "insert into orders values ('\(key.hers)', 1), ('\(key.his)', 2)",
            "insert into lines values (1, '\(key.hers)'), (2, '\(key.his)'), (3, '\(key.hers)')")
        let report = try lab.delete("1", root: "people")
        #expect(report.isVerified && report.rows("public.orders") == 1)
        #expect(try lab.rows("select no::text from orders") == [[key.his]])
        let left = action == "set null" ? [["1", nil], ["2", key.his], ["3", nil]] : [["2", key.his]]
        #expect(try lab.rows("select id, no::text from lines order by id") == left)
    }

    @Test(arguments: ["no action", "cascade", "set null"]) func deletionFollowsReferencesOfArrayKeys(action: String)
        throws
    {
        let lab = try lab(
            "create domain way as int[]",
            "create table nodes (path way, tenant int, person int references people, primary key (path, tenant))",
            """
            create table leaves (id int primary key, path int[], tenant int,
                                 foreign key (path, tenant) references nodes on delete \(action))
            """,
            "create table roots (path int[] unique references roots (path) on delete cascade, person int references people)",
            "insert into nodes values ('{1,2}', 1, 1), ('{1}', 1, 2)",
            "insert into roots values ('{1}', 1), ('{2}', 2)",
            "insert into leaves values (1, '{1,2}', 1), (2, '{1}', 1), (3, null, 1)")
        let report = try lab.delete("1", root: "people")
        #expect(report.isVerified && report.rows("public.nodes") == 1 && report.rows("public.roots") == 1)
        #expect(try lab.rows("select path from leaves where id = 2 or path is not null") == [["{1}"]])
    }

    @Test(arguments: ["char(36)", "char(40)", "varchar(36)", "user_id", "uuid"])
    func deletionDeletesRowsOfUsersWithTextOrUuidKeys(type: String) throws {
        let lab = try ErasureLab(
            "create domain id_text as char(36)", "create domain user_id as id_text",
            "create table users (id \(type) primary key, email text)",
            "create table posts (id \(type) primary key, author \(type) references users on delete cascade)",
            "create table notes (id serial primary key, writer \(type), meta jsonb, what text)",
            "insert into users values ('\(ErasureLab.ada)', 'ada@example.com'), ('\(ErasureLab.bob)', 'bob@example.com')",
            "insert into posts select id, id from users",
            "insert into notes (writer, meta, what) select id, jsonb_build_object('x', id), 'by ' || id from users")
        #expect(try lab.plan(ErasureLab.ada).undeclared.map(\.column) == ["writer"])
        #expect(try lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        for table in ["users", "posts", "notes"] { #expect(try lab.value("select count(*) from \(table)") == "1") }
    }

    @Test func deletionAsksAboutAMaterializedViewThatContainsTheUser() throws {
        let lab = try lab("create materialized view directory as select lower(email) as email from people")
        try lab.database.run("grant select on directory to \(ErasureLab.hosted)")
        let refusal = try failure { try lab.delete("2", root: "people") { $0.account.undeclared = .delete } }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.contains("materialized view") })
        #expect(try lab.delete("2", root: "people", suspected: ["public.directory=keep"]).isVerified)
    }

    @Test func deletionFindsEmailsInAnyLetterCase() throws {
        let lab = try lab(
            "create table letters (email text, meta jsonb)", "insert into letters values ('BOB@Example.com', null)")
        #expect(try lab.plan("2", root: "people").undeclared.map(\.column) == ["email"])
        #expect(try failure { try lab.delete("2", root: "people") }.kind == .refused)
    }

    @Test func deletionFindsEmailsInTextAndArrayColumns() throws {
        let lab = try lab(
            "create table tokens (identifier text, token text)",
            "create table posts (id int primary key, readers text[])",
            "insert into tokens values ('bob@example.com', 'x'), ('eve@example.com', 'y')",
            "insert into posts values (1, '{ada@example.com,Bob@example.com}'), (2, '{eve@example.com}')")
        let suspects = try lab.plan("2", root: "people").undeclared
        #expect(suspects.map(\.column) == ["readers", "identifier"])
        #expect(suspects.map(\.rows) == [1, 1])
        #expect(try failure { try lab.delete("2", root: "people") }.kind == .refused)
    }

    @Test func deletionSearchesForTextIdsInTextColumns() throws {
        let lab = try ErasureLab(
            "create table members (id text primary key, email text)",
            "insert into members values ('cuid_0123456789', 'ada@example.com'), ('ann', 'ann@example.com')",
            "create table shelves (id text primary key, name text)",
            "insert into shelves values ('cuid_0123456789', 'hers'), ('x', 'ann')", "create table mails (email text)",
            "insert into mails values ('ADA@example.com')")
        #expect(
            try lab.plan("cuid_0123456789", root: "members").undeclared.map(\.table) == [
                "public.mails", "public.shelves",
            ])
        // A short name may mean anything, so usher reports the column as undeclared.
        #expect(try lab.plan("ann", root: "members").undeclared.map(\.table) == ["public.shelves"])
    }

    /// Composite primary keys with foreign keys onto another unique column, a cycle, and an audit trigger that needs an
    /// actor.
    @Test func deletionDeletesACycleOfRowsWithCompositeKeys() throws {
        let lab = try ErasureLab(
            """
            create table persons (tenant int not null, id bigint not null unique, email text, primary key (tenant, id))
            """,
            """
            create table vouchers (tenant int not null, id bigint not null unique, owner bigint not null references persons (id),
                                   current bigint not null, primary key (tenant, id))
            """,
            """
            create table versions (tenant int not null, id bigint not null unique,
                                   voucher bigint not null references vouchers (id) deferrable initially deferred,
                                   author bigint references persons (id) on delete set null, primary key (tenant, id))
            """,
            "create table log (id int generated always as identity, who bigint not null, was jsonb)",
            """
            create function log() returns trigger language plpgsql as $$
            begin insert into log (who, was) values (nullif(current_setting('app.person', true), '')::bigint, to_jsonb(old));
                  return null; end $$
            """,
            "insert into persons values (1, 1, 'ada@example.com'), (1, 2, 'bob@example.com')",
            """
            with v as (insert into vouchers select 1, n, 1 + n % 2, n from generate_series(1, 10) n)
            insert into versions select 1, n, n, 1 + n % 2 from generate_series(1, 10) n
            """,
            "alter table vouchers add foreign key (current) references versions (id)",
            "create trigger log after delete on vouchers for each row execute function log()")
        let refusal = try failure { try lab.delete("1", root: "persons.id") }
        #expect(refusal.kind == .refused && refusal.hint?.contains("--set") == true)
        let report = try lab.delete("1", root: "persons.id") { request in
            request.settings = [("app.person", "2")]
            try request.account.answer(["public.log=delete"])
        }
        #expect(report.isVerified)
        #expect(try lab.rows("select count(*) from vouchers union all select count(*) from log") == [["5"], ["0"]])
        #expect(try lab.value("select count(*) from versions v join vouchers using (id)") == "5")
    }
}
