import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// `app check` finds all mistakes of a file in one run, each at its place.
@Suite struct MistakesTests {
    /// Each line with `--!` contains one mistake; the words after the mark are part of the finding.
    private static let file = """
        -- @app wrong  Twenty mistakes
        -- @requires public.subscription_config.no_such_limit --! this database doesn't have this table or column

        -- @users
        -- @key id
        -- @email email
        select a.id, a.email, p.subscription_tier as tier, p.subscription_status as status, p.trial_ends_at
          from auth.users a left join public.profiles p on p.id = a.id;

        -- @select a  Wrong column.
        trial_end > :now; --! trial_end
        -- @select b  Wrong value.
        tier = 'gold'; --! never 'gold'
        -- @select c  Another wrong value.
        status in ('active', 'activ'); --! never 'activ'
        -- @select d  No condition.
        1; --! must be type boolean
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
        delete from public.profiles p where p.id = :user returning p.id; --! only the SQL of a @do can
        -- @panel Hidden change
        with gone as (delete from public.profiles p where p.id = :user returning p.id) select * from gone; --! only the SQL of a @do can
        -- @panel Lock
        select p.id from public.profiles p where p.id = :user for update; --! only the SQL of a @do can
        -- @panel Clock
        select p.id from public.profiles p where p.id = :user and p.trial_ends_at > now(); --! usher answers for a fixed time
        -- @panel Unknown definition
        select 1 from usres; --! usres
        -- @panel Unknown parameter
        select 1 where :usr = 1; --! :usr
        -- @panel Zero
        select 1 / 0 from public.profiles p where p.id = :user;
        -- @panel Wrong value in a subquery
        select exists (select from public.profiles q where q.id = :user and q.subscription_tier = 'golden'); --! never 'golden'
        -- @panel Cut
        --  off --! doesn't continue
        select 1 where :user is not null;
        -- @panel Secret
        select p.notification_email from public.profiles p where p.id = :user; --! a @secret

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
        select p.id from public.profiles p;
        -- @panel Twice
        -- @columns id, id --! id appears twice
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

        -- @decision three  Which tier?
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
        update public.profiles set trial_converted = true where created_at < :now; --! isn't limited to the rows of a user
        -- @do
        update public.profiles p set trial_converted = true where p.is_partner and exists (select from auth.users where id = any(:users));
        -- @do
        update public.profiles p set trial_converted = true
         where exists (select from auth.users u where u.id = p.id and u.id = any(:users));
        -- @do
        update public.profiles set trial_converted = true
         where email in (select u.email from auth.users u where u.id = any(:users)) or subscription_tier = 'trial';

        -- @state nowhere  A state of nobody.
        -- @do
        delete from public.profiles where subscription_tier = 'trial'; --! isn't limited to the rows of a user
        -- @state everywhere  A state of everybody.
        -- @on nothing
        -- @do
        update public.profiles set trial_converted = true;

        -- @check broken  An invariant.
        -- @fix user nobody --! there is no @action user nobody
        select id from users where tier; --! boolean

        -- @account
        -- @root auth.users.ident --! ident
        -- @secret public.profiles.notification_email
        -- @refers public.profiles.nobody -> auth.users.id --! nobody
        """

    @Test(arguments: [("not null", false), ("", true)])
    func appCheckReportsDetachOfSharedRowsWithARequiredReference(
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
            findings.map(\.message)
                == (isRight
                    ? []
                    : [
                        "every row of public.shares must refer to public.members, so no row can stay when the row of public.members is deleted"
                    ]))
    }

    @Test func appCheckReportsEveryMistakeAtItsPlace() throws {
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
            )
        for (line, words) in expected {
            let here = findings.filter { $0.file.position(of: $0.offset).line == line }
            #expect(here.contains { $0.message.contains(words) }, "line \(line): \(words)")
        }
        let places = Set(expected.map(\.line))
        for finding in findings where !places.contains(finding.file.position(of: finding.offset).line) {
            Issue.record("\(finding.report.joined(separator: "\n"))")
        }
    }

    /// usher reports a mistake once, even if the server finds it too, or if the mistake affects several uses of a name.
    @Test(arguments: [
        (
            "-- @panel P\nselect title from public.store_products where product_id = :user and state = 'faild';",
            #"invalid input value for enum public.store_state: "faild""#
        ),
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
            -- @assume network: online | offline = online
            -- @rule a  A.
            network = 'ofline';
            -- @rule b  B.
            true;
            """, "network is never 'ofline'"
        ),
    ])
    func appCheckReportsEachMistakeOnce(_ blocks: String, _ message: String) throws {
        let app = try Lab.app(
            "",
            header: """
                -- @app lab
                -- @requires public.store_products
                -- @users
                -- @key id
                select p.product_id as id, p.title, p.state from public.store_products p;

                \(blocks)
                """)
        let found = try AppCheck.findings(
            in: app, on: try TestCluster.database(of: "importer").connect(), options: InquiryOptions())
        #expect(found.map(\.message) == [message], "\(found.flatMap(\.report))")
    }

    @Test func appCheckWarnsIfASelectReadsAColumnNamedLikeASecret() throws {
        let names = [
            "pw_digest", "pw_hash", "totp_seed", "otp_seed", "signing_key", "recovery_codes", "magic_link",
            "access_jwt", "accept_code", "auth_key", "salt", "pin", "bearer",
        ]
        let lab = try Lab("create table keys (id integer, \(names.map { "\($0) text" }.joined(separator: ", ")))")
        func found(_ panel: String) throws -> [Diagnostic] {
            try AppCheck.findings(
                in: try Lab.app("-- @panel Keys\n\(panel)"), on: try lab.database.connect(), options: InquiryOptions())
        }
        let read = try found("select k.* from public.keys k where k.id = :user;")
        #expect(
            read.map { $0.message.split(separator: ",")[0] }
                == names.sorted().map { "this SQL reads public.keys.\($0)" })
        #expect(read.allSatisfy { $0.severity == .warning })
        #expect(try found("select k.id from public.keys k where k.id = :user;").isEmpty)
    }

    @Test func appCheckWarnsAboutAnAmbiguousNameInASubquery() throws {
        let lab = try Lab("create table orders (id integer, tier text, person integer)")
        func found(_ condition: String) throws -> [String] {
            try AppCheck.findings(
                in: try Lab.app("-- @account\n-- @root public.people.id\n-- @refuse No.\n\(condition);"),
                on: try lab.database.connect(), options: InquiryOptions()
            ).map(\.message)
        }
        #expect(
            try found("exists (select from public.orders o where o.person = id)")
                == ["here id means public.orders.id, not the fact id"])
        #expect(try found("exists (select from public.orders o where o.person = facts.id and o.tier = 'x')").isEmpty)
        #expect(try found("tier = 'x' and exists (select from public.orders o where person = facts.id)").isEmpty)
    }

    @Test func appCheckSkipsTheCheckOfRightsInAReadOnlySession() throws {
        let lab = try Lab()
        try lab.database.run("alter database \(lab.database.name) set default_transaction_read_only = on")
        let app = try Lab.app("-- @panel P\nselect p.nothing from public.people p where p.id = :user;")
        let report = try AppCheck.report(on: app, on: try lab.database.connect(), options: InquiryOptions())
        #expect(report.unchecked?.hasSuffix("the session is read-only") == true)
        #expect(report.findings.map(\.message) == ["column p.nothing does not exist"])
    }
}
