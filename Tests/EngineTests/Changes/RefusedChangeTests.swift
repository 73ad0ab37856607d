@testable import Asking
import AppFile
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// usher refuses changes, reports the users, and records the refusal in the audit log.
@Suite struct RefusedChangeTests {
    private static let decision = """
        -- @decision access  Does this person get in?
        -- @rule in  Paid.
        tier = 'paid';
        -- @rule out  Not paid.
        true;

        """

    private func five() -> ChangeRequest {
        var request = ChangeRequest.action("lab", "go")
        request.subjects = ["1", "2", "3", "4", "5"]
        return request
    }

    private static let more = "insert into public.people (id, tier, score) values (4, 'free', 4), (5, 'free', 5)"

    @Test func changeRollsBackIfTheOutcomeIsUnexpected() throws {
        let lab = try ChangeLab(
            Self.decision + """
                -- @action lab go  Does it.
                -- @expect access in
                -- @do
                update public.people set tier = 'free!' where id = any(:users);
                """)
        let before = try lab.everything()
        let refusal = try failure { try lab.run(.action("lab", "go", on: "1")) }
        #expect(refusal.kind == .refused)
        #expect(
            refusal.message
                == "`lab go` was refused for one@example.com, so nothing was changed: "
                + "expected access to be in, but the outcome would be out")
        #expect(refusal.hint == "`usher user why one@example.com` shows the rules")
        #expect(try lab.everything() == before)
        #expect(try lab.operations(where: "outcome = 'refused' and payload -> 'users' = '[\"1\"]'") == 1)
        #expect(try lab.operations() == 1)
    }

    /// The audit log still has the attempt and its user.
    @Test func auditLogShortensLongTextsOfARefusedChange() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @option note: text
            -- @refuse Never.
            true;
            -- @do
            update public.people set tier = :note where id = any(:users);
            """)
        let words = String(repeating: "word ", count: 100_000)
        var request = ChangeRequest.action("lab", "go", on: "1", values: ["note": words])
        request.reason = words
        #expect(try failure { try lab.run(request) }.kind == .refused)
        #expect(
            try lab.operations(
                where: """
                    outcome = 'refused' and payload -> 'users' = '["1"]' and payload ->> 'because' <> ''
                    and payload -> 'arguments' ->> 'note' like 'word word %…' and length(payload::text) < 10000
                    """) == 1)
    }

    /// Actions on seats of users; the decision `standing` has an answer for each seat of a user.
    private static let seatActions = """
        -- @object seat  A seat in a team.
        -- @key id
        -- @user person
        select s.id, s.person, s.team, s.state from public.seats s;

        -- @object place  A seat, with all its users.
        -- @key id
        select s.id, s.team from public.seats s;
        -- @members
        select s.id, s.person from public.seats s;

        -- @decision standing  Is each seat paid?
        -- @per team
        select u.id, s.team, s.state from users u join public.seats s on s.person = u.id;
        -- @rule open  It is open.
        state = 'open';
        -- @rule taken  It is taken.
        true;

        -- @action seat open  Opens one.
        -- @on seat
        -- @expect standing of team open
        -- @do
        update public.seats set state = 'open' where id = any(:keys);

        -- @action place open  Opens one.
        -- @on place
        -- @expect standing of team open
        -- @do
        update public.seats set state = 'open' where id = any(:keys);

        -- @action seat clear  Opens all.
        -- @on seat
        -- @expect standing open
        -- @do
        update public.seats set state = 'open' where id = any(:keys);

        -- @action seat take  Takes one.
        -- @on seat
        -- @expect standing of team open
        -- @do
        update public.seats set state = 'taken' where id = any(:keys);

        -- @action seat leave  Remove a seat from its user.
        -- @on seat
        -- @expect standing of team open | taken
        -- @do
        update public.seats set person = null where id = any(:keys);
        """

    private static let states = "select string_agg(coalesce(person, 0) || state, ' ' order by id) from public.seats"

    private func seatLab() throws -> ChangeLab {
        try ChangeLab(
            Self.seatActions,
            "create table public.seats (id integer primary key, person integer, team text, state text)",
            "insert into public.seats values (1, 1, 'red', 'taken'), (2, 1, 'blue', 'taken'), (3, 2, 'red', 'taken')")
    }

    /// A decision can have several answers for a user.
    ///
    /// `@expect` applies to all these answers, or only to the answer of the object.
    @Test func expectDirectiveOfAnObjectIsComparedWithTheOutcomeForTheObject() throws {
        let lab = try seatLab()
        for noun in ["seat", "place"] {
            #expect(try lab.run(.action(noun, "open", on: "1")).changes.count == 1)
            #expect(try lab.value(Self.states) == "1open 1taken 2taken")
            try lab.database.run("update public.seats set state = 'taken'")
        }
        var both = ChangeRequest.action("seat", "open", on: "1")
        both.subjects = ["1", "3"]
        #expect(try lab.run(both).changes.count == 2)
        #expect(try lab.value(Self.states) == "1open 1taken 2open")
    }

    @Test func changeIsRefusedIfADecisionHasAnotherOutcomeThanExpected() throws {
        let lab = try seatLab()
        for (verb, complaint) in [
            ("clear", "expected standing to be open, but the outcome would be taken"),
            ("take", "expected standing to be open, but the outcome would be taken"),
            ("leave", "expected standing to be open or taken, but the decision has no outcome"),
        ] {
            let refusal = try failure { try lab.run(.action("seat", verb, on: "1")) }
            #expect(refusal.kind == .refused)
            #expect(
                "\(refusal.message) \(refusal.details)".contains(complaint), "\(refusal.message) \(refusal.details)")
        }
        #expect(try lab.value(Self.states) == "1taken 1taken 2taken")
    }

    @Test func statementThatDoesNotUseTheUsersParameterIsRefused() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @do
            update public.people set score = 1 where id = any(:users);
            -- @do
            update public.people set tier = 'free!' where seen < :now;

            -- @state free  Free.
            -- @do
            update public.people set tier = 'free!';

            -- @state equal  The same for everybody.
            -- @on nothing
            -- @do
            update public.people set tier = 'equal';
            """)
        let before = try lab.everything()
        var state = ChangeRequest(.state("free"))
        state.subjects = ["1"]
        for request in [.action("lab", "go", on: "1"), five(), state] {
            for refusal in [try failure { try lab.run(request) }, try failure { _ = try lab.plan(request) }] {
                #expect(refusal.kind == .refused && !refusal.details.isEmpty, "\(refusal)")
                #expect(refusal.message.contains("could also change users that you didn't name"))
            }
        }
        #expect(try lab.everything() == before)
        state.what = .state("equal")
        let report = try lab.run(state)
        #expect(report.subjects.map(\.key) == ["1"])
        #expect(report.changes.count == 3)
    }

    /// Statements that use `:users`; usher refuses the statements that also change other users.
    @Test(arguments: [
        ("update public.people set score = 1 where cardinality(:users) > 0", false),
        ("update public.people set score = 1 where id = any(:users) or score = 0", false),
        ("update public.people set score = 1 where id <> all(:users)", false),
        ("delete from public.gifts where cardinality(:users) > 0", false),
        ("delete from public.gifts where person = any(:users)", true),
        ("update public.gifts set what = 'cake' where person = :user", true),
        ("update public.people set score = 1 where id = any(:users)", true),
        ("insert into public.gifts select id + 10, id, 'pen' from users where id = any(:users)", true),
    ]) func statementThatUsesItsUsersAndAlsoChangesOtherUsersIsRefused(statement: String, keeps: Bool) throws {
        let lab = try ChangeLab(
            "-- @action lab go  Does it.\n-- @do\n\(statement);\n",
            "create table public.gifts (id integer primary key, person integer, what text)",
            "insert into public.gifts values (1, 1, 'book'), (2, 2, 'book'), (3, null, 'book')")
        let gifts = "select jsonb_agg(g order by id)::text from public.gifts g"
        let before = try (lab.everything(), lab.value(gifts))
        if keeps {
            #expect(try lab.run(.action("lab", "go", on: "1")).changes.count == 1)
            return
        }
        let refusal = try failure { try lab.run(.action("lab", "go", on: "1")) }
        #expect(refusal.kind == .refused && refusal.code == "loose")
        #expect(try lab.everything() == before.0)
        #expect(try lab.value(gifts) == before.1)
    }

    /// Statements that change other users whenever `:users` is not empty.
    @Test(arguments: [
        "update public.people set score = 1 where exists (select from public.gifts g where g.person = any(:users))",
        "update public.people p set score = 1 from public.gifts g where g.person = any(:users)",
        """
        with s as (select from public.gifts where person = any(:users))
        update public.people set score = 1 where exists (select from s)
        """,
        "update public.profiles set note = 'x' where exists (select from public.gifts g where g.person = any(:users))",
        "delete from public.profiles where exists (select from public.gifts g where g.person = any(:users))",
        "delete from public.profiles p using public.gifts g where g.person = any(:users) and p.id <> g.person",
        "merge into public.people p using (select unnest(:users) + 1 as id) s on p.id = s.id when matched then update set score = 1",
        "merge into public.profiles p using (select unnest(:users) + 1 as id) s on p.id = s.id when matched then delete",
        """
        with d as (delete from public.profiles p using unnest(:users) u (id) where p.id = u.id + 1 returning p.id)
        update public.people p set score = 1 where p.id = any(:users) and exists (select from d)
        """,
        "insert into public.profiles select u.id + 1, 'n' from unnest(:users) u (id) on conflict (id) do update set note = 'n'",
    ]) func statementThatChangesOtherUsersForAnyUserIsRefused(statement: String) throws {
        let lab = try ChangeLab(
            "-- @action lab go  Does it.\n-- @do\n\(statement);\n",
            "create table public.gifts (id integer primary key, person integer)",
            "insert into public.gifts values (1, 1)",
            "create table public.profiles (id integer primary key references public.people, note text)",
            "insert into public.profiles select id from public.people")
        let before = try lab.everything()
        // Postgres 14 has no MERGE and reports a syntax error.
        let isStatement = try !statement.hasPrefix("merge") || lab.database.connect().serverVersion >= 15_00_00
        let refusal = try failure { try lab.run(.action("lab", "go", on: "1")) }
        #expect(refusal.kind == .refused && (refusal.code == "others") == isStatement, "\(refusal)")
        #expect(try lab.everything() == before)
    }

    @Test func statementThatOnlyChecksTheUsersForNullIsRefused() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @do
            update public.people set score = 1 where :users is not null;
            """)
        let refusal = try failure { try lab.run(.action("lab", "go", on: "1")) }
        #expect(refusal.state?.rawValue == "US003")
    }

    @Test func changeIsRefusedIfTheUsersQueryReturnsAUserTwice() throws {
        let header = """
            -- @app lab  Laboratory
            -- @requires public.people
            -- @users
            -- @key id
            -- @email email
            select p.id, p.email, n.part from public.people p cross join (values (1), (2)) n (part) where p.id < n.part + 1;
            -- @select first  The first.
            part = 1 or part = 2;


            """
        let app = try Lab.app(
            """
            -- @action lab go  Does it.
            -- @select first
            -- @do
            update public.people set score = coalesce(score, 0) + 1 where id = any(:users);
            """, header: header)
        let lab = try ChangeLab(try Lab.withLedger().database, app)
        let before = try lab.everything()
        var request = ChangeRequest(.action(noun: "lab", verb: "go"))
        request.selections = ["first"]
        let refusal = try failure { _ = try lab.plan(request) }
        #expect(refusal.message == "the select of the app file returns the key 1 more than once; nothing was changed")
        #expect(try lab.everything() == before)
        let stats = try Inquiry.open(on: try lab.connect(), candidates: [app], options: InquiryOptions()).stats()
        #expect(stats.users == nil)
        #expect(stats.unavailable?.sentence == "@users returns 1 users more than once")
    }

    @Test func changeOfFiveUsersSkipsTheRefusedAndFailingUsers() throws {
        let lab = try ChangeLab(
            Self.decision + """
                -- @action lab go  Does it.
                -- @expect access in
                -- @refuse Number two stays.
                id = 2;
                -- @do
                update public.people set tier = case when id = 4 then 'no' else 'paid' end, score = 10 / (id - 3)
                 where id = any(:users);
                """, Self.more)
        let plan = try lab.plan(five())
        let report = try lab.run(five())
        #expect(plan.refused == report.refused)
        #expect(report.subjects.map(\.key) == ["1", "5"])
        #expect(
            report.refused.map { "\($0.subject?.key ?? "") \($0.isFailure) \($0.sentence.plain)" }
                == [
                    "2 false Number two stays.", "3 true division by zero",
                    "4 false expected access to be in, but the outcome would be no",
                ].map { $0.replacing("would be no", with: "would be out") })
        #expect(
            try lab.value("select string_agg(id::text, ',' order by id) from people where tier = 'paid' and score <> 0")
                == "1,5")
        let users = try lab.value("select payload -> 'users' from usher.operation where kind = 'change'")
        #expect(users == #"["1", "5"]"#, "the audit log lists only the changed users")
        try lab.undo(report.operation)
        #expect(try lab.value("select count(*) from people where tier = 'paid'") == "1")
    }

    @Test func failedChangeOfOneUserDoesNotAffectTheOtherUsers() throws {
        let lab = try ChangeLab(
            Self.decision + """
                -- @action lab go  Does it.
                -- @each score
                -- @expect access in
                -- @refuse There are two already.
                (select count(*) from public.log) >= 2;
                -- @do
                insert into public.log (person, share) select :user, 12 / (:user - 4);
                -- @do
                update public.people set tier = 'paid' where id = :user;
                """, Self.more,
            "create table public.log (id integer generated always as identity primary key, person integer, share integer)"
        )
        let report = try lab.run(five())
        // In the order of the score: user 2 is changed, user 4 fails, user 5 is changed, and then the log is full.
        #expect(report.subjects.map(\.key) == ["2", "5"])
        #expect(
            report.refused.map { "\($0.subject?.key ?? "") \($0.isFailure) \($0.sentence.plain)" } == [
                "1 false There are two already.", "3 false There are two already.", "4 true division by zero",
            ])
        #expect(try lab.value("select string_agg(person::text, ',' order by id) from log") == "2,5")
    }

    @Test func deferredErrorOfOneUserDoesNotAffectTheOtherUsers() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @each id
            -- @do
            insert into public.log (person, code) values (:user, :user * 10);
            -- @do
            insert into public.codes values (:user * 10);
            """, Self.more, "create table public.codes (code integer primary key)",
            """
            create table public.log (id integer generated always as identity primary key, person integer,
                                     code integer references public.codes deferrable initially deferred)
            """,
            """
            create function public.check_log() returns trigger language plpgsql as $$ begin
                if new.person = 3 then raise exception 'not three'; end if;
                return null;
            end $$
            """,
            """
            create constraint trigger check_log after insert on public.log deferrable initially deferred
                for each row execute function public.check_log()
            """)
        let report = try lab.run(five())
        #expect(report.subjects.map(\.key) == ["1", "2", "4", "5"])
        #expect(report.refused.map(\.sentence.plain) == ["not three"])
        #expect(try lab.value("select count(*) from log") == "4")
    }

    @Test func changeNamesAMissingUserAndChangesTheOtherUsers() throws {
        let lab = try ChangeLab(
            "-- @action lab go  Does it.\n-- @do\nupdate public.people set score = 99 where id = any(:users);")
        var request = ChangeRequest.action("lab", "go")
        request.subjects = ["1", "nobody@example.com", "TWO@example.com", "1", "17"]
        let report = try lab.run(request)
        #expect(report.subjects.map(\.key) == ["1", "2"])
        #expect(report.refused.map { $0.subject?.key } == ["nobody@example.com", "17"])
        request.subjects = ["17"]
        #expect(try failure { try lab.run(request) }.kind == .notFound)
    }

    @Test func refusalShowsFactsWithoutSecrets() throws {
        let lab = try ChangeLab(
            """
            -- @action lab go  Does it.
            -- @arg code: secret
            -- @refuse {tier} and {code}.
            :code = 'refuse me';
            -- @do
            update public.people set score = (:code::text)::integer where id = any(:users);
            """)
        let refusal = try failure { try lab.run(.action("lab", "go", on: "1", values: ["code": "refuse me"])) }
        #expect(refusal.message.hasSuffix(", so nothing was changed: free and (secret)."))
        let objection = try failure { try lab.run(.action("lab", "go", on: "1", values: ["code": "s3same"])) }
        #expect(objection.message == #"invalid input syntax for type integer: "(secret)""#)
        let done = try lab.run(.action("lab", "go", on: "1", values: ["code": "4711"]))
        #expect(done.operation != nil)
        for word in ["refuse me", "s3same"] {
            #expect(try lab.operations(where: "payload::text like '%\(word)%'") == 0)
        }
        #expect(try lab.operations(where: "payload -> 'arguments' ? 'code'") == 0)
    }

    // MARK: Secret columns

    private static let safe = """
        -- @account
        -- @root public.people.id
        -- @secret public.codes.hash
        """

    private static let codes = [
        """
        create table public.codes (person integer primary key, hash text unique, label text, uses integer check (uses > 0))
        """, "insert into public.codes values (1, 'h4sh-one', 'a', 1), (2, 'h4sh-two', 'b', 1)",
    ]

    private func codesLab(_ statement: String) throws -> ChangeLab {
        try ChangeLab(
            "-- @action lab go  Does it.\n-- @do\n\(statement);\n\(Self.safe)", Self.codes[0], Self.codes[1])
    }

    @Test func auditLogDoesNotContainValuesOfASecretColumn() throws {
        for statement in [
            "update public.codes set hash = 'h4sh-new', label = 'z' where person = any(:users)",
            "update public.codes set hash = 'h4sh-new' where person = any(:users)",
            "delete from public.codes where person = any(:users)",
            "insert into public.codes select 10 + u, 'h4sh-new', 'c', 1 from unnest(:users) u",
        ] {
            let lab = try codesLab(statement)
            let plan = try lab.plan(.action("lab", "go", on: "1"))
            let report = try lab.run(.action("lab", "go", on: "1"))
            #expect(plan.lines == report.lines)
            #expect(report.changes.count == 1, "\(statement)")
            #expect(report.changes.first?.secrets == ["hash"], "\(statement)")
            #expect(!"\(report)".contains("h4sh"), "\(statement)")
            #expect(
                try lab.value("select count(*) from usher.change where payload::text ~ 'h4sh'") == "0", "\(statement)")
            let digest = try lab.value("select count(*) from usher.change where payload::text ~ '[0-9a-f]{32}'")
            #expect(digest == "0", "\(statement)")
            if statement.hasPrefix("insert") {
                try lab.undo(report.operation)
                #expect(try lab.value("select count(*) from codes") == "2")
            } else {
                let refusal = try failure { try lab.undo(report.operation) }
                #expect(refusal.kind == .refused)
                #expect(refusal.message.contains("hash"))
            }
        }
    }

    /// SQL compares names in any letter case, unless they are quoted.
    @Test(arguments: [#"public."Safe codes"."Hash""#, #"PUBLIC."Safe codes"."Hash""#])
    func secretColumnNamesFollowSQLQuoting(name: String) throws {
        let blocks = """
            -- @action lab go  Does it.
            -- @do
            update public."Safe codes" set "Hash" = 'h4sh-new', uses = 7 where person = any(:users);
            -- @action lab wrong  Does it wrong.
            -- @do
            update public."Safe codes" set "Hash" = 'h4sh-two', uses = -1 where person = any(:users);
            -- @account
            -- @root public.people.id
            -- @secret \(name)
            """
        let lab = try ChangeLab(
            blocks,
            """
            create table public."Safe codes" (person integer primary key, "Hash" text, uses integer check (uses > 0))
            """, #"insert into public."Safe codes" values (1, 'h4sh-one', 1)"#)
        let report = try lab.run(.action("lab", "go", on: "1"))
        #expect(report.changes.first?.secrets == ["Hash"])
        #expect(!"\(report)".contains("h4sh"))
        #expect(try lab.value("select count(*) from usher.change where payload::text ~ 'h4sh'") == "0")
        let objection = try failure { try lab.run(.action("lab", "wrong", on: "1")) }
        #expect(!"\(objection)".contains("h4sh"))
        #expect(try lab.operations(where: "payload::text ~ 'h4sh'") == 0)
    }

    @Test func usherHidesAServerErrorAboutASecretColumn() throws {
        for statement in [
            "update public.codes set uses = 0 where person = any(:users)",
            "update public.codes set hash = 'h4sh-two' where person = any(:users)",
        ] {
            let lab = try codesLab(statement)
            let objection = try failure { try lab.run(.action("lab", "go", on: "1")) }
            #expect(objection.kind == .failed)
            #expect(!"\(objection)".contains("h4sh"), "\(objection)")
            #expect(try lab.operations(where: "payload::text ~ 'h4sh'") == 0)
        }
    }

    @Test func changeIsRefusedWithoutAnAuditLog() throws {
        let lab = try Lab()
        let change = try ChangeLab(
            lab.database,
            try Lab.app(
                "-- @action lab go  Does it.\n-- @do\nupdate public.people set score = 1 where id = any(:users);"))
        let request = ChangeRequest.action("lab", "go", on: "1")
        for refusal in [try failure { try change.run(request) }, try failure { _ = try change.plan(request) }] {
            #expect(refusal.code == Ledger.noLedger)
        }
    }

    @Test func changeIsRefusedIfTheSearchPathHidesTheCatalog() throws {
        let lab = try ChangeLab(
            "-- @action lab go  Does it.\n-- @do\nupdate public.people set score = 1 where id = any(:users);")
        _ = try lab.database.connect().execute(
            "alter database \(Identifier(lab.database.name)) set search_path = public, pg_catalog")
        // Only new sessions have the new path.
        lab.database.endSessions()
        #expect(
            try failure { try lab.run(.action("lab", "go", on: "1")) } == Failure(.unsafeSearchPath(first: "public")))
    }
}
