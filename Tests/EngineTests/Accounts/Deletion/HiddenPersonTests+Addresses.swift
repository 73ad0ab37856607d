@testable import Accounts
import PQ
import Support
import Testing

/// Persons who are named by addresses that only other rows know.
extension HiddenPersonTests {
    // MARK: Addresses that only other rows know

    @Test(arguments: [
        ("user_emails", "address"), ("email_addresses", "address"), ("identities", "email"),
        ("contact_methods", "value"),
    ]) func booksOfAddresses(table: String, column: String) throws {
        let lab = try people([
            "create table \(table) (id serial primary key, user_id int not null references users on delete cascade, \(column) text)",
            "insert into \(table) (user_id, \(column)) values (42, 'ada2@private.org'), (42, 'bob@example.com'), (7, 'b@b.org')",
            "create table places (id serial primary key, recipient text)",
            "insert into places (recipient) values ('ada2@private.org'), ('bob@example.com'), ('b@b.org')",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.places.recipient 1"])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.value("select count(*) from places") == "2")
    }

    @Test(arguments: [
        #"{"email": "Ada2@Private.org"}"#,
        #"{"emails": ["x", "ada2@private.org"], "mail": "bob@example.com", "company": {"email": "b@b.org"}}"#,
        #"{"boss_email": "b@b.org", "emailAddress":"ada2@private.org"}"#,
    ]) func addressesInJSON(json: String) throws {
        let lab = try people([
            "alter table users add meta jsonb", "update users set meta = '\(json)' where id = 42",
            "create table places (id serial primary key, recipient text)",
            "insert into places (recipient) values ('ada2@private.org'), ('bob@example.com'), ('b@b.org')",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.places.recipient 1"])
        #expect(try lab.delete("42", suspected: ["delete"]).isVerified)
        #expect(try lab.value("select count(*) from places") == "2")
    }

    @Test func addressesOfWhoeverLeadsThemAreNotTheirs() throws {
        let lab = try people([
            "alter table users add manager_email text, add meta jsonb",
            #"update users set manager_email = 'mgr@corp.com', meta = '{"boss": {"boss_email": "b@corp.com"}}' where id = 42"#,
            "create table outgoing_emails (id serial primary key, user_id int references users on delete cascade, from_address text)",
            "insert into outgoing_emails (user_id, from_address) values (42, 'noreply@corp.com')",
            "create table places (id serial primary key, mail text)",
            "insert into places (mail) values ('mgr@corp.com'), ('b@corp.com'), ('noreply@corp.com')",
        ])
        #expect(try lab.delete("42").isVerified)
    }

    @Test(arguments: [
        ("J\u{fc}rgen@example.com", "j\u{dc}RGEN@Example.com"),
        ("J\u{fc}rgen@example.com", #"{"m":"j\u00fcrgen@example.com"}"#),
        ("J\u{dc}RGEN@example.com", "J\u{dc}RGEN@example.com"),
    ]) func addressesWithOtherLetters(address: String, text: String) throws {
        let lab = try people([
            "update users set email = '\(address)' where id = 42", "create table places (id int, place text)",
            "insert into places values (1, '\(text)'), (2, 'rgen@example.com')",
        ])
        #expect(try lab.plan("42").suspects.map { "\($0.name) \($0.rows)" } == ["public.places.place 1"])
    }

    /// What stands behind a backslash in JSON, and in a document within a document behind several.
    @Test(arguments: [#""ada"@example.com"#, #"a\da@example.com"#, "a/da@example.com", "a'd&a@example.com"])
    func addressesThatJSONEscapes(address: String) throws {
        let quoted = address.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        let lab = try people([
            "update users set email = '\(quoted)' where id = 42",
            "create table places (id int primary key, j jsonb, t text, l text[])",
            "insert into places select 1, jsonb_build_object('to', email), null, null from users where id = 42",
            "insert into places select 2, null, jsonb_build_object('raw', jsonb_build_object('to', email)::text)::text, null from users where id = 42",
            "insert into places select 3, null, null, array['to ' || email] from users where id = 42",
            #"insert into places values (4, '{"to": "da@example.com"}', 'da@example.com', null)"#,
            "insert into places select 5, null, replace(to_jsonb(email)::text, '/', '\\/'), null from users where id = 42",
        ])
        #expect(
            try lab.plan("42").suspects.map { "\($0.column) \($0.rows)" }.sorted() == ["j 1", "l 1", "t 2"])
        let app = try ErasureLab.app([
            "@mention public.places.j : anonymise", "@mention public.places.t : anonymise",
            "@mention public.places.l : detach",
        ])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(
            try lab.rows("select j, t, l from places order by id") == [
                [#"{"to": "***"}"#, nil, nil], [nil, #"{"raw": "{\"to\": \"***\"}"}"#, nil], [nil, nil, "{}"],
                [#"{"to": "da@example.com"}"#, "da@example.com", nil], [nil, #""***""#, nil],
            ])
    }

    /// The addresses of others are theirs, whatever stands before its last letters.
    @Test(arguments: [
        "o''ada@example.com", "x+ada@example.com", "x%ada@example.com", "joada@example.com", "x!ada@example.com",
        "a/ada@example.com",
    ])
    func addressesOfOthersAreNoResidue(other: String) throws {
        let lab = try people(["update users set email = '\(other)' where id <> 42"])
        #expect(try residue("ada@example.com", lab).found.map { "\($0.table) \($0.rows)" } == ["public.users 1"])
    }

    /// So it is with a key that is a text.
    @Test func keysThatJSONEscapes() throws {
        let lab = try ErasureLab(
            "create table users (id text primary key)", #"insert into users values ('ada"l\ove'), ('bob')"#,
            "create table places (id int primary key, j jsonb)",
            #"insert into places select 1, jsonb_build_object('x', 'for ' || id) from users where id <> 'bob'"#)
        #expect(try lab.plan(#"ada"l\ove"#).suspects.map(\.column) == ["j"])
        #expect(
            try residue(#"ada"l\ove"#, lab).found.map { "\($0.table) \($0.rows)" } == [
                "public.places 1", "public.users 1",
            ])
    }

    @Test func columnsWithAnOrderOfTheirOwn() throws {
        let lab = try lab(
            "text collate blind", hers: "'See ADA@example.com'",
            "create collation blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        let found = try found(lab, ["ada@example.com"])
        #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan)
        try lab.database.run(
            "alter table users alter email type text collate blind, add username text collate blind",
            "create table things (id int primary key, owner uuid not null references users on delete cascade)",
            "create table marks (id int primary key, thing_type text collate blind, thing_id int, x_type text collate blind, x_id int)",
            "insert into things values (1, '\(ErasureLab.ada)')", "insert into marks values (1, null, null, 'Thing', 1)"
        )
        try lab.grant()
        #expect(try lab.plan(ErasureLab.ada).suspects.map(\.column) == ["x_id", "place"])
    }
}
