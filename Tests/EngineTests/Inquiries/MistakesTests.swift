import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// What `app check` says of files that do not fit: each mistake at its place, all at once.
@Suite struct MistakesTests {
    /// Every line that ends in `--!` holds one mistake, told by the words behind the mark.
    private static let file = """
        -- @app wrong  Twenty mistakes
        -- @requires public.subscription_config.no_such_limit --! does not exist

        -- @users
        -- @key id
        -- @email email
        select a.id, a.email, p.subscription_tier as tier, p.subscription_status as status, p.trial_ends_at --! are called like secrets
          from auth.users a left join public.profiles p on p.id = a.id;

        -- @select a  Wrong column.
        trial_end > :now; --! trial_end
        -- @select b  Wrong value.
        tier = 'gold'; --! never 'gold'
        -- @select c  Another wrong value.
        status in ('active', 'activ'); --! never 'activ'
        -- @select d  No condition.
        1; --! this is integer
        -- @select e  Wrong operator.
        trial_ends_at + 1 > :now; --! operator does not exist

        -- @panel Wrong table
        select * from public.no_such_table t where t.id = :user; --! no_such_table
        -- @panel Wrong column
        select p.nothing from public.profiles p where p.id = :user; --! nothing
        -- @panel Wrong type
        select 1 where :user = 7; --! operator does not exist
        -- @panel Syntax
        select p.id,, p.email from public.profiles p; --! syntax error

        -- @pannel Misspelt --! unknown directive @pannel
        -- @panel Change
        delete from public.profiles p where p.id = :user returning p.id; --! only a SELECT
        -- @panel Hidden change
        with gone as (delete from public.profiles p where p.id = :user returning p.id) select * from gone; --! may not change
        -- @panel Lock
        select p.id from public.profiles p where p.id = :user for update; --! may not lock
        -- @panel Clock
        select p.id from public.profiles p where p.id = :user and p.trial_ends_at > now(); --! the instant asked about
        -- @panel Unknown definition
        select 1 from usres; --! usres
        -- @panel Unknown parameter
        select 1 where :usr = 1; --! :usr
        -- @panel Zero
        select 1 / 0 from public.profiles p where p.id = :user; --! division by zero
        -- @panel Wrong value in a subquery
        select exists (select from public.profiles q where q.id = :user and q.subscription_tier = 'golden'); --! never 'golden'
        -- @panel Cut
        --  off --! does not continue
        select 1 where :user is not null;
        -- @panel Secret
        select p.notification_email from public.profiles p where p.id = :user; --! would be shown

        -- @timeline short
        select p.created_at, 'x' from public.profiles p where p.id = :user; --! 4 columns
        -- @quota short
        select id from users; --! 5 columns
        -- @quota half
        select id, 1, 2, 'day', :now from users;
        -- @history  Not enough.
        select :now where :user is null; --! 2 columns
        -- @quota plain
        select id, 1, null, 'day', null from users;
        -- @quota words
        select id, 'many', 2, 'day', :now from users; --! used must be a number
        -- @timeline words
        select 'yesterday', 'a', 'b', 'c' where :user is not null; --! at must be a time
        -- @panel Of everybody
        select p.id from public.profiles p; --! nothing here says :user
        -- @panel Twice
        -- @columns id, id --! id stands twice
        select p.id from public.profiles p where p.id = :user;

        -- @decision one  A question?
        -- @rule x  The {tire} is gone. --! {tire}
        -- @advice Buy {tyre}. --! {tyre}
        tier = 'trial';
        -- @because  It is {trie}. --! {trie}
        status = 'activ'; --! never 'activ'
        -- @rule w  Distinct.
        status is distinct from 'activ'; --! never 'activ'
        -- @rule v  Any.
        tier = any (array['trial', 'golden']); --! never 'golden'
        -- @rule y  A function.
        no_such_function(tier); --! no_such_function
        -- @rule z  Else.
        true;

        -- @decision three  Which tier? --! 'foundation'
        -- @rule x  Trial.
        tier = 'trial' or tier = 'partner' or tier = 'mastery';
        -- @rule z  Else.
        true;

        -- @decison four  Misspelt. --! unknown directive @decison
        -- @rule x  X.
        tier = 'trial';
        -- @rule z  Else.
        -- @advice Nothing.
        true;

        -- @decision two  Without the key?
        select p.email from public.profiles p; --! no column id
        -- @rule z  Else.
        true;

        -- @action user spoil  A change.
        -- @grade mild
        -- @option level: silver | trial --! never 'silver'
        -- @refuse Never.
        mood = 'bad'; --! mood
        -- @do
        update public.profiles set subscription_tier = :level where id = any(:users);
        -- @do
        update public.profiles set subscription_status = 'paused' where id = any(:users); --! never 'paused'
        -- @do
        delete from public.profile where id = any(:users); --! public.profile
        -- @do
        update public.profiles set trial_converted = true where created_at < :now; --! names none of its subjects
        -- @do
        update public.profiles p set trial_converted = true where p.is_partner and exists (select from auth.users where id = any(:users)); --! only whether
        -- @do
        update public.profiles p set trial_converted = true
         where exists (select from auth.users u where u.id = p.id and u.id = any(:users));
        -- @do
        update public.profiles set trial_converted = true
         where email in (select u.email from auth.users u where u.id = any(:users)) or subscription_tier = 'trial';

        -- @state nowhere  A state of nobody.
        -- @do
        delete from public.profiles where subscription_tier = 'trial'; --! names none of its subjects
        -- @state everywhere  A state of everybody.
        -- @on nothing
        -- @do
        update public.profiles set trial_converted = true;

        -- @check broken  An invariant.
        -- @fix user nobody --! no such action
        select id from users where tier; --! boolean

        -- @account
        -- @root auth.users.ident --! ident
        -- @secret public.profiles.notification_email
        -- @refers public.profiles.nobody -> auth.users.id --! nobody
        """

    /// Rows that others share can stay without a user only where the column may be empty by which they come.
    @Test(arguments: [("not null", false), ("", true)]) func sharedRowsAreDetachedWhereTheyCanBe(
        required: String, isRight: Bool
    ) throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id int primary key, email text)",
            "create table members (id int primary key, user_id int not null references users on delete cascade)",
            """
            create table shares (id int primary key, member_id int \(required) references members on delete cascade,
                                 created_by int references users on delete set null)
            """)
        let text = """
            -- @app lab  Lab
            -- @requires public.users
            -- @users
            -- @key id
            -- @email email
            select u.id, u.email from public.users u;

            -- @account
            -- @root public.users.id
            -- @shared public.shares : detach : They stay for others.
            """
        let app = try AppParser.parse(SourceFile(name: "lab.sql", text: text)) { _ in nil }
        let findings = try AppCheck.findings(in: app, on: try database.connect(), options: InquiryOptions())
        #expect(
            findings.map(\.mistake) == (isRight ? [] : [.cannotStay(table: "public.shares", root: "public.members")]))
    }

    @Test func everyMistakeIsFoundAtItsPlace() throws {
        let marked = Self.file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var expected: [(line: Int, words: String)] = []
        let lines = marked.enumerated().map { index, line in
            let parts = line.components(separatedBy: " --! ")
            if parts.count == 2 { expected.append((index + 1, parts[1])) }
            return parts[0]
        }
        #expect(expected.count >= 20)
        let scratch = try Scratch()
        let (app, mistakes) = try AppLibrary.examine(
            try scratch.file("wrong.sql", lines.joined(separator: "\n")).path)
        let findings =
            try mistakes
            + AppCheck.findings(
                in: try #require(app), on: try TestCluster.database(of: "impulse").connect(), options: InquiryOptions()
            ).map(\.told)
        for (line, words) in expected {
            let here = findings.filter { $0.file.position(of: $0.offset).line == line }
            #expect(here.contains { $0.message.contains(words) }, "line \(line): \(words)")
        }
        let places = Set(expected.map(\.line))
        for finding in findings where !places.contains(finding.file.position(of: finding.offset).line) {
            Issue.record("\(finding.report.joined(separator: "\n"))")
        }
    }

    /// What several parts of the program notice of one mistake is told once.
    @Test(arguments: [
        ("-- @select a  A.\nstate in ('failed', 'emty');", "state is never 'emty'"),
        (
            "-- @panel P\nselect p.title from public.store_products p where p.product_id = :user and p.state = 'faild';",
            "state is never 'faild'"
        ),
        (
            "-- @panel P\nselect title from public.store_products where product_id = :user and state = 'faild';",
            "state is never 'faild'"
        ),
        ("-- @panel P\nselect s.id from stores s where s.id = :user and s.state = 'faild';", "state is never 'faild'"),
        (
            """
            -- @decision d  D?
            -- @assume state: public.store_stat
            select u.*, coalesce(:state, u.state) as said from users u;
            -- @rule a  A.
            said = 'failed';
            -- @rule b  B.
            true;
            """, "state: type \"public.store_stat\" does not exist"
        ),
        (
            """
            -- @decision d  D?
            -- @assume state: public.store_state
            select u.id, coalesce(:state, u.state) as state from users u;
            -- @rule a  A.
            state = 'faild';
            -- @rule b  B.
            true;
            """, "state is never 'faild'"
        ),
        (
            """
            -- @decision d  D?
            -- @assume network: online | offline = online
            -- @rule a  A.
            network = 'ofline';
            -- @rule b  B.
            true;
            """, "network is never 'ofline'"
        ),
    ])
    func oneMistakeIsOneFinding(_ blocks: String, _ message: String) throws {
        let header = """
            -- @app lab
            -- @requires public.store_products
            -- @users
            -- @key id
            select p.product_id as id, p.title, p.state from public.store_products p;
            -- @object stores  Stores.
            -- @key id
            select p.product_id as id, p.state from public.store_products p;


            """
        let head =
            blocks.hasPrefix("-- @select")
            ? header.replacing("-- @object stores", with: blocks + "\n-- @object stores") : header + blocks
        let app = try Lab.app("", header: head)
        let found = try AppCheck.findings(
            in: app, on: try TestCluster.database(of: "importer").connect(), options: InquiryOptions())
        #expect(found.map(\.message) == [message], "\(found.flatMap(\.report))")
        #expect(found.allSatisfy { $0.hint?.hasPrefix("did you mean ") == true })
    }

    @Test func whatStandsInTheTablesIsLookedAt() throws {
        let lab = try Lab(
            "create table keys (id integer primary key, api_key text, \"resetToken\" text, token_count integer)")
        let app = try Lab.app(
            "-- @panel Keys\nselect k.id from public.keys k where k.id = :user;",
            header: """
                -- @app lab
                -- @requires public.people
                -- @users
                -- @key id
                select p.* from public.people p cross join generate_series(1, 2);


                """)
        let found = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        let errors = found.filter { $0.severity == .error }.map(\.message)
        #expect(errors.count == 1 && errors[0].hasPrefix("@users has several rows with the key "), "\(errors)")
        #expect(
            found.compactMap(\.hint) == ["-- @secret public.keys.api_key\n-- @secret public.keys.\"resetToken\""])
    }

    /// Values that nobody is to see under names that say nothing of it, and ids, links and words under others.
    @Test func valuesThatLookLikeSecretsAreNotShown() throws {
        let lab = try Lab(
            """
            create table keys (id text primary key, person integer references people, opening text, digest bytea, signed text,
                drawn text, cus text, uuid text, slug text, link text, sealed text, known text, slot text, sha1 text)
            """,
            """
            insert into keys select md5(i::text), (select min(id) from people), '$2b$12$' || repeat('abCD01', 8),
                decode(md5(i::text), 'hex'), 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi' || i || '.c2lnbmVk',
                encode(sha256(i::text::bytea), 'base64'), 'cus_' || substr(md5(i::text), 1, 14), gen_random_uuid(),
                'the-' || (array['green', 'small', 'quiet'])[1 + i % 3] || '-house-number-' || i, 'https://example.com/' || md5(i::text),
                'in_' || encode(sha256(i::text::bytea), 'hex'), md5('k' || i), lpad(i::text, 40, '0'), left(md5(i::text), 12)
              from generate_series(1, 9) as i
            """)
        func found(_ panel: String, object: String = "") throws -> [String] {
            let app = try Lab.app(
                object + "-- @panel Keys\n" + panel,
                header: """
                    -- @app lab
                    -- @requires public.people
                    -- @users
                    -- @key id
                    select p.* from public.people p;


                    """)
            return try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
                .map(\.message)
        }
        let columns = ["opening", "signed", "drawn", "known", "digest"]
        #expect(
            try found(
                "select k.opening, k.signed, k.drawn, k.known, k.digest from public.keys k where k.person = :user;")
                == columns.map { "public.keys.\($0) would be shown, and its values look like secrets" })
        #expect(
            try found(
                "select k.opening, k.drawn from public.keys k where k.person = :user;",
                object:
                    "-- @account\n-- @root public.people.id\n-- @ignore public.keys.dr*n : It is the checksum of what was drawn.\n\n"
            )
                == ["public.keys.opening would be shown, and its values look like secrets"])
        #expect(
            try found("select coalesce(k.drawn, '') as it from public.keys k where k.person = :user;")
                == ["public.keys.drawn would be shown, and its values look like secrets"])
        #expect(
            try found(
                """
                select k.id, k.cus, k.uuid, k.slug, k.link, k.sealed, k.slot, k.sha1, left(k.drawn, 8), k.opening is null
                  from public.keys k where k.person = :user;
                """
            ).isEmpty)
        #expect(
            try found(
                "select k.known from public.keys k where k.person = :user;",
                object: """
                    -- @object box  Boxes.
                    -- @key id
                    -- @search known
                    select k.id, k.known from public.keys k;

                    """
            ).isEmpty)
    }

    /// The names that people give to what nobody is to see.
    @Test func namesOfSecrets() throws {
        let names = [
            "pw_digest", "pw_hash", "totp_seed", "otp_seed", "signing_key", "recovery_codes", "magic_link",
            "access_jwt", "accept_code", "auth_key", "salt", "pin", "bearer",
        ]
        let lab = try Lab("create table keys (id integer, \(names.map { "\($0) text" }.joined(separator: ", ")))")
        let app = try Lab.app("-- @panel Keys\nselect k.id from public.keys k where k.id = :user;")
        let found = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        let hints = found.compactMap(\.hint).flatMap { $0.split(separator: "\n") }
        #expect(names.allSatisfy { hints.contains("-- @secret public.keys.\($0)") }, "\(hints)")
    }

    /// What speaks against every deletion, however it is written, and what speaks against some.
    @Test(arguments: [
        ("true", true), ("1 = 1", true), ("not false", true), ("coalesce(null, true)", true), ("tier = 'paid'", false),
        ("false", false), ("exists (select from public.people p where p.id = facts.id)", false),
    ])
    func noPolicyMakesDeletionImpossible(condition: String, isImpossible: Bool) throws {
        let app = try Lab.app("-- @account\n-- @root public.people.id\n-- @refuse Not now.\n\(condition);\n")
        let found = try AppCheck.findings(in: app, on: try Lab().database.connect(), options: InquiryOptions())
        #expect(
            found.map(\.message) == (isImpossible ? ["this holds of everybody, so no account could be deleted"] : []))
        let source = app.users.select.file.bytes
        #expect(found.allSatisfy { String(decoding: source[$0.place.offset...], as: UTF8.self).hasPrefix(condition) })
    }
}
