import Accounts
import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// A survey whose proposals are taken as they are, and what a deletion makes of them.
@Suite struct SurveyedDeletionTests {
    private static let header = """
        -- @app shop  Shop
        -- @requires public.users
        -- @users
        -- @key id
        -- @email email
        select u.* from public.users u;

        -- @account
        -- @root public.users.id
        """

    private func survey(_ lab: ErasureLab, _ app: App? = nil, _ answers: String...) throws -> Survey {
        try Survey.make(
            AccountRequest(users: [], root: app == nil ? try AccountRoot.Name("public.users") : nil),
            answers: try answers.map { try Survey.Answer($0) },
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: app.map { [$0] } ?? [],
            options: InquiryOptions())
    }

    /// An app file with all that a survey proposes.
    private func proposed(_ survey: Survey) throws -> App {
        let scratch = try Scratch()
        let file = try scratch.path(of: "shop.sql", holding: Self.header)
        try Survey.append(survey.block, to: file)
        return try AppLibrary.app(file)
    }

    /// A value is evidence as far as the line that it speaks for finds it: a reference compares texts as they are.
    @Test(arguments: [
        ("upper(id::text)", "mention"), ("replace(id::text, '-', '')", "mention"), ("id::text", "reference"),
    ])
    func keysInOtherLettersAreFoundByWhatIsProposed(written: String, line: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table marks (id int primary key, ref text not null)",
            "insert into marks select row_number() over (), \(written) from users",
        ])
        let survey = try survey(lab)
        #expect(
            survey.unsettled.flatMap { $0.proposal.map(\.line) } == [
                line == "mention"
                    ? "@mention public.marks.ref : anonymise" : "@reference public.marks.ref -> public.users.id"
            ])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: try proposed(survey)).isVerified)
        #expect(
            try lab.value("select count(*) from marks where replace(lower(ref), '-', '') ~ '^aaaaaaaa0000'") == "0")
    }

    /// Names that are words of SQL stand in lines as they are.
    @Test func wordsOfSQLAreNames() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table \"order\" (id int primary key, \"from\" text, \"desc\" text)",
            "create table \"group\" (id int primary key, \"user\" uuid)",
            "insert into \"order\" select row_number() over (), email, 'by ' || email from users",
            "insert into \"group\" select row_number() over (), id from users",
        ])
        let app = try proposed(try survey(lab))
        let findings = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        #expect(findings.isEmpty, "\(findings)")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
    }

    /// As Devise makes them: a column for an email that nobody confirmed yet stands before the one that `@email` names.
    private func devise(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            [
                "create table users (id serial primary key, unconfirmed_email text, email text, name text not null)",
                "create table contacts (id serial primary key, email text, name text)",
                """
                insert into users (email, unconfirmed_email, name)
                select 'u' || g || '@x.test', case when g % 70 = 0 then 'new.u' || g || '@x.test' end, 'U' || g
                  from generate_series(1, 210) g
                """,
                """
                insert into contacts (email, name)
                select case when g % 50 = 0 then 'U' || g || '@x.test' else 'c' || g || '@y.test' end, 'C'
                  from generate_series(1, 600) g
                """, "insert into contacts (email, name) values ('new.u70@x.test', 'C')",
            ] + statements + ["analyze"])
    }

    @Test func aSurveyProposesTheColumnThatEmailNames() throws {
        let lab = try devise()
        let app = try ErasureLab.app([])
        let lines = try survey(lab, app).unsettled.flatMap { $0.proposal.map(\.line) }
        #expect(
            lines == [
                "@reference public.contacts (lower(email)) -> public.users.email", "@detach public.contacts.email",
            ])
    }

    /// Whichever email of a user a line names, it means all of them.
    @Test(arguments: ["email", "unconfirmed_email", "(lower(email))"])
    func aReferenceToOneEmailOfAUserCoversAll(column: String) throws {
        let lab = try devise()
        let target = column.hasPrefix("(") ? "public.users \(column)" : "public.users.\(column)"
        let app = try ErasureLab.app([
            "@reference public.contacts (lower(email)) -> \(target)", "@detach public.contacts.email : They stay.",
        ])
        for user in ["50", "70"] {
            #expect(try lab.delete(user, root: nil, app: app).isVerified)
            #expect(try lab.value("select count(*) from contacts where email ilike '%u\(user)@x.test'") == "0")
        }
        #expect(try lab.value("select count(email) from contacts") == "599")
    }

    /// A second email may stand in a table of its own, and be somebody's there who is known by another.
    @Test func aReferenceToAnEmailCoversTheListOfEmails() throws {
        let lab = try devise(
            "create table secondary_emails (id int primary key, user_id int not null references users on delete cascade, email text)",
            "insert into secondary_emails values (1, 7, 'Seven@x.test'), (2, 8, 'eight@x.test')",
            "insert into contacts (email, name) values ('seven@x.test', 'C'), ('eight@x.test', 'C')")
        let app = try ErasureLab.app([
            "@reference public.contacts (lower(email)) -> public.users.email",
            "@detach public.contacts.email : They stay.",
        ])
        #expect(try lab.delete("7", root: nil, app: app).isVerified)
        let left = try lab.rows("select email from contacts where email in ('seven@x.test', 'eight@x.test')")
        #expect(left == [["eight@x.test"]])
    }

    /// Rows of a kind that a line keeps take nothing along, so what hangs on them opens no question.
    @Test(arguments: [
        "@keep public.contacts via owner_id : Of the team.",
        "@anonymise public.contacts.name = 'x' via owner_id : Of the team.",
        "@anonymise public.contacts.name = 'x' via owner_id where id > 0 : Of the team.",
    ])
    func rowsThatStayOpenNoQuestions(line: String) throws {
        func lab(_ key: String) throws -> ErasureLab {
            try ErasureLab(
                "create table users (id int primary key, email text)",
                "create table contacts (id int primary key, owner_id int\(key), name text)",
                "create table talks (id int primary key, contact_id int references contacts on delete cascade)",
                "create table parts (id int primary key, talk_id int, body text)",
                "create table log (id int, body text)",
                "create function note() returns trigger language plpgsql as 'begin insert into log values (old.id, old.name); return null; end'",
                "create trigger note after delete on contacts for each row execute function note()")
        }
        let declared = "@reference public.contacts.owner_id -> public.users.id"
        let gone = ["public.log", "public.parts.talk_id"]
        for (key, lines) in [("", [declared]), (" references users on delete cascade", [])] {
            let lab = try lab(key)
            #expect(try survey(lab, try ErasureLab.app(lines)).unsettled.map(\.name) == gone)
            #expect(try survey(lab, try ErasureLab.app(lines + [line])).unsettled.map(\.name) == [])
        }
        let some = "@keep public.contacts via owner_id where id > 7 : Of the team."
        #expect(
            try survey(try lab(""), try ErasureLab.app([declared, some])).unsettled.map(\.name) == gone)
    }

    /// What a file settles in a database with rows it settles in an empty one of the same tables, as tests of migrations have it.
    @Test func whatIsSettledWithDataIsSettledWithout() throws {
        let tables = [
            "create table users (id bigint primary key, email text not null)",
            "create table companies (id bigint primary key)",
            "create table bills (id int primary key, customer_id bigint, client_id bigint, sent_to text)",
            "create table parts (id int primary key, bill_id int)",
            "create table secondary_emails (id int primary key, user_id bigint not null references users on delete cascade, email text)",
            "create table remarks (id int primary key, subject_type text, subject_id bigint, author_id bigint, body text)",
        ]
        let rows = [
            "insert into users select n * 1000033 + 7, n || '@example.com' from generate_series(1, 100) n",
            "insert into companies select n * 1000003 from generate_series(1, 100) n",
            "insert into bills select n, n * 1000003, 5 - n * 7, n || '@example.com' from generate_series(1, 100) n",
            "insert into parts select n, n from generate_series(1, 100) n",
            "insert into secondary_emails select n, n * 1000033 + 7, n || '@example.net' from generate_series(1, 90) n",
            """
            insert into remarks select n, case when n % 2 = 0 then 'User' else 'Company' end,
                   case when n % 2 = 0 then n * 1000033 + 7 else n * 1000003 end, n, 'x' from generate_series(1, 90) n
            """, "analyze",
        ]
        let full = try ErasureLab(tables + rows)
        let app = try proposed(try survey(full))
        for lab in [full, try ErasureLab(tables)] {
            for weighsData in [true, false] {
                let asked = try Survey.make(
                    AccountRequest(users: []), weighingData: weighsData,
                    on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app], options: InquiryOptions())
                #expect(asked.isSettled, "\(asked.unsettled)")
            }
        }
    }

    /// The catalog asks the same of every database of a schema, whatever stands in it.
    @Test func withoutDataASurveyAsksTheSameEverywhere() throws {
        let tables = [
            "create table users (id bigint primary key, email text)",
            "create table hunde (id int primary key, halter bigint, user_id bigint, mail text)",
        ]
        let rows = [
            "insert into users select n * 1000003, n || '@example.com' from generate_series(1, 100) n",
            "insert into hunde select n, n * 1000003, n, 'x' from generate_series(1, 100) n", "analyze",
        ]
        for lab in [try ErasureLab(tables), try ErasureLab(tables + rows)] {
            let asked = try Survey.make(
                AccountRequest(users: []), weighingData: false,
                on: try lab.database.connect(user: ErasureLab.hosted), candidates: [try ErasureLab.app([])],
                options: InquiryOptions())
            #expect(asked.unsettled.map(\.name) == ["public.hunde.mail", "public.hunde.user_id"])
        }
    }

    /// Of what users share a survey tells as soon as some do, and proposes what somebody says.
    @Test func whatUsersShareIsTold() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table teams (id int primary key, owner uuid not null references users on delete cascade)",
            """
            create table crew (id int primary key, team int references teams on delete cascade,
                               member uuid not null references users on delete cascade)
            """,
            "insert into teams values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
            "insert into crew values (1, 1, '\(ErasureLab.ada)'), (2, 2, '\(ErasureLab.bob)')",
        ])
        #expect(try survey(lab).shared.isEmpty)
        try lab.database.run("insert into crew values (3, 1, '\(ErasureLab.bob)')")
        let told = try survey(lab)
        #expect(told.shared == ["public.crew"] && told.isSettled)
        let answered = try survey(lab, nil, "public.crew=keep")
        #expect(answered.unsettled.flatMap { $0.proposal.map(\.line) } == ["@collateral public.crew : keep"])
        let app = try proposed(answered)
        #expect(try survey(lab, app).shared.isEmpty)
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.rows("select id, team from crew order by id") == [["2", "2"], ["3", nil]])
    }

    /// Where each address stands once, the row is that user's, and no two of them could be overwritten.
    @Test func rowsOfOneAddressEachGoWithTheUser() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table newsletter (address text primary key, ok bool)",
            "insert into newsletter select email, true from users", "create table signups (who text unique not null)",
            "insert into signups select upper(email) from users",
        ])
        let survey = try survey(lab)
        #expect(
            survey.unsettled.flatMap { $0.proposal.map(\.line) }.sorted() == [
                "@reference public.newsletter (lower(address)) -> public.users.email",
                "@reference public.signups (lower(who)) -> public.users.email",
            ])
        let app = try proposed(survey)
        for user in [ErasureLab.ada, ErasureLab.bob] {
            #expect(try lab.delete(user, root: nil, app: app).isVerified)
        }
        #expect(try lab.rows("select address from newsletter union all select who from signups").isEmpty)
    }

    /// Where the database takes no mark in place of an address, nobody is told to put one there: an index over an expression, one of
    /// several columns, a check, a domain, a length.
    @Test(arguments: [
        (
            "text not null", "create unique index on t (lower(who))",
            "@reference public.t (lower(who)) -> public.users.email"
        ),
        ("text", "create unique index on t (who, n)", "@mention public.t.who : detach"),
        ("text not null check (who ~ '@')", "", nil), ("mail", "", "@mention public.t.who : detach"),
        ("text check (length(who) < 99)", "create index on t (lower(who))", "@mention public.t.who : anonymise"),
    ])
    func whatTakesNoMarkIsNotAnonymised(type: String, index: String, line: String?) throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create domain mail as text check (value ~ '@')",
                "create table t (id int primary key, n int, who \(type))",
                "insert into t select row_number() over (), 1, upper(email) from users", index,
            ].filter { !$0.isEmpty })
        #expect(try survey(lab).unsettled.map { $0.proposal.map(\.line) } == [[line].compactMap(\.self)])
    }

    /// Who deletes is asked about nothing that the survey took for nobody: where an address or a key begins and ends is the same for
    /// both.
    @Test(arguments: [
        "'write to ' || email || '!'", "'It was ' || email || '. Bye'", "'was it ' || email || '?'", "email || '#2'",
        "'a/' || email", "'mailto!' || email || '...'", "'User#' || id", "'of (' || id || ').'",
        "'user_' || id || '.png'",
        "'<' || email || '>'", "replace(email, '@', '&#64;')", "'to ' || replace(email, '@', '&#x40;')",
        "'/x?to=' || replace(email, '@', '%40')",
    ])
    func whatTheSurveyReadsADeletionReadsToo(written: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (id int primary key, body text)",
            "insert into notes select row_number() over (), \(written) from users",
        ])
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.notes.body"])
        let (plan, asked) = (try lab.plan(ErasureLab.ada, thoroughly: false), ["body 1 false"])
        #expect(plan.suspects.map { "\($0.column) \($0.rows) \($0.isDoubtful)" } == asked)
    }

    /// What a letter of somebody's refers to, and nothing else does, is asked about as what somebody's own row refers to; a list of
    /// kinds is not, though one of them is of one letter alone.
    @Test(arguments: ["unique", ""]) func whatHangsTheOtherWayIsAskedAboutAtAnyDistance(key: String) throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)",
            "insert into users select n, n || '@x.org' from generate_series(1, 30) n",
            "create table scans (id int primary key, body text)",
            "insert into scans select n + 1000, 'scan' from generate_series(1, 30) n",
            "create table kinds (id int primary key)", "insert into kinds select generate_series(1, 9)",
            """
            create table letters (id int primary key, user_id int not null references users on delete cascade,
                                  scan int \(key) references scans, kind int references kinds)
            """,
            "insert into letters select n, n, n + 1000, 1 + n % 8 from generate_series(1, 30) n",
            "insert into letters values (31, 7, null, 9)")
        for _ in 1...2 {
            #expect(try lab.plan("7", thoroughly: false).unanswered.map(\.name) == ["public.scans.id"])
            let asked = try survey(lab).unsettled.map(\.name)
            #expect(asked == ["public.letters.scan"])
            // Remembered or looked up, it is the same.
            try lab.database.run("analyze")
        }
        let report = try lab.delete("7", suspected: ["public.scans.id=delete"]) { $0.account.isThorough = false }
        #expect(report.isVerified && report.rows("public.scans") == 1)
        #expect(try lab.value("select count(*) from scans where id = 1007") == "0")
    }

    @Test func addressesAreTheSameInAnyLetters() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email citext unique not null)",
            "create table newsletter (email citext primary key)",
            "create table signins (id int primary key, email text)",
            "insert into users select g, 'u' || g || '@example.org' from generate_series(1, 60) g",
            "insert into newsletter select initcap(email::text) from users",
            "insert into signins select id, upper(email::text) from users", "analyze")
        let app = try proposed(try survey(lab))
        #expect(try survey(lab, app).isSettled)
        #expect(try lab.delete("7", root: nil, app: app).isVerified)
        #expect(try lab.value("select count(*) from newsletter where email::text ilike 'u7@%'") == "0")
        #expect(try lab.value("select count(*) from signins where email ilike 'u7@%'") == "0")
        #expect(try lab.value("select count(*) || ' ' || count(email) from signins") == "60 59")
    }

    /// A database in which addresses of users stand in small letters, some of them beside others of their own kind.
    private func addressBook() throws -> ErasureLab {
        try ErasureLab(
            "create table users (id bigint primary key, email text unique not null)",
            "create table newsletter (email text primary key)",
            "create table invoices (id int primary key, billed_to text)",
            "create table invites (id int primary key, invitee_email text)",
            "insert into users select g, 'user' || g || '@Example.com' from generate_series(1, 60) g",
            "insert into newsletter select lower(email) from users where id <= 30",
            "insert into invoices select id, lower(email) from users",
            "insert into invites select id, lower(email) from users", "analyze")
    }

    /// Whoever is reached by an address is meant by it, whatever else lists some of them.
    @Test func anAddressOfAUserMeansTheUser() throws {
        let lab = try addressBook()
        let first = try survey(lab)
        #expect(
            first.unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.invites.invitee_email anonymise", "public.invoices.billed_to anonymise",
                "public.newsletter.email delete",
            ])
        let app = try proposed(first)
        #expect(try survey(lab, app).unsettled.map(\.name) == [])
        for user in ["7", "40"] {
            #expect(try lab.delete(user, root: nil, app: app).isVerified)
            for place in ["invoices where billed_to", "invites where invitee_email", "newsletter where email"] {
                #expect(try lab.value("select count(*) from \(place) like 'user\(user)@%'") == "0", "\(place) \(user)")
            }
        }
    }

    /// A line that an address leads to another table says nothing of whoever is not listed there.
    @Test func aLineToAnotherListOfAddressesHidesNobody() throws {
        let lines = [
            "@reference public.newsletter (lower(email)) -> public.users.email",
            "@reference public.invoices (lower(billed_to)) -> public.newsletter.email",
            "@reference public.invites (lower(invitee_email)) -> public.users.email",
        ]
        let app = try ErasureLab.app(lines + ["@detach public.invoices.billed_to : x"])
        let lab = try addressBook()
        for (user, isThorough) in [("7", true), ("40", true), ("8", false), ("41", false)] {
            let report = try lab.delete(user, root: nil, app: app) { $0.account.isThorough = isThorough }
            #expect(report.isVerified)
            #expect(try lab.value("select count(*) from invoices where billed_to like 'user\(user)@%'") == "0")
        }
        #expect(try lab.value("select count(*) || ' ' || count(billed_to) from invoices") == "60 56")
        // Where no line says what becomes of whoever is not listed, somebody has to.
        let open = try ErasureLab.app(lines)
        #expect(try lab.delete("9", root: nil, app: open) { $0.account.isThorough = false }.isVerified)
        let refusal = try failure { try lab.delete("42", root: nil, app: open) { $0.account.isThorough = false } }
        #expect(refusal.kind == .refused && "\(refusal)".contains("public.invoices.billed_to"), "\(refusal)")
    }

    /// What is written by hand compares as its type does.
    @Test func aTypeThatFoldsLettersIsComparedByItsOwnOperator() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email citext unique not null)",
            "create table newsletter (email citext primary key)",
            "insert into users values (1, 'ada@example.org')", "insert into newsletter values ('Ada@Example.org')")
        let app = try ErasureLab.app(["@reference public.newsletter.email -> public.users.email"])
        #expect(try lab.delete("1", root: nil, app: app).isVerified)
        #expect(try lab.value("select count(*) from newsletter") == "0")
    }

    @Test func anIndexHidesNoLetters() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email text unique not null)",
            "create table newsletter (email citext primary key)", "create table signins (email text unique)",
            "insert into users values (1, 'ada@example.org')", "insert into newsletter values ('Ada@Example.org')",
            "insert into signins values ('aDa@example.org')")
        #expect(
            try lab.plan("1", thoroughly: false).suspects.map(\.name)
                == ["public.newsletter.email", "public.signins.email"])
    }

    /// Nearly any small number stands among small keys.
    @Test func whatNearlyAnyColumnCouldBeIsAskedAndNotProposed() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text unique not null)",
            "create table parcels (id int primary key, user_id bigint not null references users on delete cascade)",
            "create table scans (user_id bigint primary key references users on delete cascade, parcel int)",
            "insert into users select g, 'u' || g || '@example.org' from generate_series(1, 60) g",
            "insert into parcels select g, 1 + g % 40 from generate_series(0, 79) g",
            "insert into scans select user_id, count(*) from parcels group by 1", "analyze")
        let question = try #require(try survey(lab).unsettled.first)
        #expect(question.name == "public.scans.parcel" && question.effect == .ask && question.proposal.isEmpty)
        let app = try proposed(try survey(lab))
        #expect(try survey(lab, app).unsettled.map(\.name) == ["public.scans.parcel"])
        let failure = try #require(throws: Failure.self) { try lab.delete("3", root: nil, app: app) }
        #expect(failure.kind == .refused)
        let answered = try survey(lab, nil, "parcel=plain")
        #expect(try lab.delete("3", root: nil, app: try proposed(answered)).isVerified)
        #expect(try lab.value("select count(*) from scans where parcel is null") == "0")
    }

    @Test func wordsThatNobodyKnowsAreAskedAboutAndNotGuessed() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text unique not null)",
            "create table firms (id bigint primary key, name text)",
            "create table accounts (id int primary key, owner_type text, owner bigint)",
            "insert into users select g, 'u' || g || '@example.org' from generate_series(1, 60) g",
            "insert into firms select g, 'F' from generate_series(1, 60) g",
            "insert into accounts select g, (array['P', 'F'])[1 + g % 2], 1 + g / 2 from generate_series(0, 119) g",
            "analyze")
        let question = try #require(try survey(lab).unsettled.first)
        #expect(question.name == "public.accounts.owner" && question.effect == .ask)
        #expect(question.because.contains { $0.fact == .untyped(column: "owner_type", words: ["F", "P"]) })
        let app = try proposed(try survey(lab))
        #expect(throws: Failure.self) { try lab.delete("4", root: nil, app: app) }
        #expect(try lab.value("select count(owner) from accounts") == "120")
    }

    @Test func aTypeMayBeCalledLikeTheKeyAndSayTheWholeNameOfATable() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text unique not null)",
            "create table firms (id bigint primary key, name text)", "create schema crm",
            "create table crm.users (id bigint primary key)", "insert into crm.users values (1)",
            "create table tags (id int primary key, taggable text, taggable_id bigint)",
            "create table books (id int primary key, author text, author_id bigint)",
            "insert into users select g, 'u' || g || '@example.org' from generate_series(1, 60) g",
            "insert into firms select g, 'F' from generate_series(1, 60) g",
            "insert into tags select g, (array['public.users', 'public.firms'])[1 + g % 2], 1 + g / 2 from generate_series(0, 119) g",
            "insert into books values (1, 'Ann', 1), (2, 'Bob', 2), (3, 'firms', 3)", "analyze")
        let survey = try survey(lab)
        #expect(
            survey.unsettled.map { $0.proposal.map { $0.line + ($0.reason.map { " : \($0)" } ?? "") } } == [
                [
                    "@reference public.books.author_id -> public.users.id",
                    "@detach public.books.author_id : staysWithout",
                ],
                [
                    "@reference public.tags.taggable_id -> public.users.id where taggable::text in ('public.users')",
                    "@reference public.tags.taggable_id -> public.firms.id where taggable::text in ('public.firms')",
                ],
            ])
        #expect(try lab.plan("4").suspects.map(\.name).contains("public.tags.taggable_id"))
        #expect(try lab.delete("4", root: nil, app: try proposed(survey)).isVerified)
        #expect(try lab.value("select count(*) from tags where taggable_id = 4") == "1")
    }

    /// What a deletion would ask about because nobody else has it, a survey asks about; and a line closes both.
    @Test func whatOnlyOneUserHasIsAskedOnce() throws {
        let lab = try ErasureLab(
            "create table carts (id int primary key)",
            "create table items (id int primary key, cart_id int references carts)",
            "create table blobs (id int primary key)", "create table teams (id int primary key)",
            "create table variants (id int primary key, blob_id int not null references blobs)",
            """
            create table users (id bigint primary key, email text, cart_id int unique references carts,
                avatar_id int references blobs, team_id int references teams)
            """, "insert into carts select generate_series(1, 60)", "insert into items select id, id from carts",
            "insert into blobs select generate_series(1, 60)", "insert into variants select id, id from blobs",
            "insert into teams values (1)",
            "insert into users select g, 'u' || g || '@example.org', g, g, 1 from generate_series(1, 60) g", "analyze")
        #expect(
            try survey(lab).unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.users.avatar_id ask", "public.users.cart_id ask",
            ])
        let kept = try proposed(try survey(lab, nil, "cart_id=keep", "avatar_id=keep"))
        #expect(try survey(lab, kept).isSettled)
        #expect(try lab.delete("7", root: nil, app: kept).isVerified)
        let owned = try proposed(try survey(lab, nil, "cart_id=delete", "avatar_id=delete"))
        #expect(try survey(lab, owned).isSettled)
        #expect(try lab.delete("8", root: nil, app: owned).isVerified)
        #expect(
            try lab.rows(
                """
                select (select count(*) from carts), (select count(*) from items), (select count(*) from blobs),
                       (select count(*) from variants)
                """) == [["59", "59", "59", "59"]])
    }

    // MARK: What triggers write

    /// A trigger of a table, which does something with each row that goes.
    private static func trigger(_ name: String, on table: String, _ body: String) -> [String] {
        [
            "create function \(name)() returns trigger language plpgsql security definer set search_path = public as $$ begin \(body) return coalesce(new, old); end $$",
            "create trigger \(name) after delete on \(table) for each row execute function \(name)()",
        ]
    }

    /// What triggers copy of an account that goes is asked about before; what they count holds nobody.
    @Test func whatTriggersWriteIsSettledBeforehand() throws {
        func lab() throws -> ErasureLab {
            try ErasureLab(
                [
                    "create table users (id bigint primary key, email text)",
                    "insert into users values (7, 'ada@example.com'), (8, 'bob@example.com')",
                    "create table notes (id uuid primary key, user_id bigint references users on delete cascade, body text)",
                    "create table marks (id int primary key, user_id bigint references users on delete cascade, what text)",
                    "insert into notes values ('0190f5d0-0000-4000-8000-000000000001', 7, 'a')",
                    "create table log (id int generated always as identity primary key, what text, day date)",
                    "create table bin (id int generated always as identity primary key, old_row jsonb)",
                    "create table counts (day date primary key, n int)", "create table other (what text)",
                ]
                    + Self.trigger("say", on: "users", "insert into log (what) values (old.email);")
                    + Self.trigger(
                        "bury", on: "notes",
                        "insert into public.bin (old_row) values (to_jsonb(old)); insert into marks values (2, 8, old.id::text);"
                    )
                    + Self.trigger(
                        "tally", on: "notes",
                        "insert into counts values (current_date, 1) on conflict (day) do update set n = counts.n + 1;")
                    // Nothing of the account makes it fire.
                    + Self.trigger("idle", on: "other", "insert into other values (old.what);"))
        }
        let asked = try lab()
        let survey = try survey(asked)
        #expect(
            survey.unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.bin keep", "public.log keep", "public.marks delete",
            ])
        #expect(
            survey.unsettled.flatMap(\.proposal).map(\.line) == [
                "@written public.bin : keep", "@written public.log : keep", "@written public.marks : remove",
            ])
        #expect(survey.unsettled.map { $0.because.map(\.fact) }[0] == [.written(by: ["public.bury"], adds: true)])
        let app = try proposed(survey)
        #expect(try self.survey(asked, app).isSettled)
        let report = try asked.delete("7", root: nil, app: app)
        #expect(report.isVerified && report.leftByTriggers.isEmpty)
        #expect(try asked.value("select count(*) from marks") == "0")
        // What was said of a table is taken.
        let answered = try self.survey(asked, nil, "public.log=delete", "public.bin=keep")
        #expect(
            answered.unsettled.flatMap(\.proposal).map(\.line) == [
                "@written public.bin : keep", "@written public.log : remove", "@written public.marks : remove",
            ])
        #expect(try failure { _ = try self.survey(asked, nil, "public.notes=keep") }.kind == .usage)
    }

    /// What a proposal leads to, frees or has triggers write is asked about with it, and nothing once it is written down.
    @Test func whoeverWritesAllDownIsAskedNothingMore() throws {
        let lab = try ErasureLab(
            [
                "create table users (id int primary key, email text)",
                "insert into users select n * 1000003, n || '@x.org' from generate_series(1, 30) n",
                "create table scans (id int primary key, body text)",
                "insert into scans select n + 1000, 'scan' from generate_series(1, 30) n",
                "create table visits (id int primary key, user_id int, scan int references scans)",
                "insert into visits select n, n * 1000003, n + 1000 from generate_series(1, 30) n",
                "create table pages (id int primary key, scan_id int not null)",
                "insert into pages select n, n + 1000 from generate_series(1, 30) n",
                "create table letters (id int primary key, email text not null, body text)",
                "insert into letters select n, n || '@x.org', 'x' from generate_series(1, 30) n",
                "create table stamps (id int primary key, letter_id int not null)",
                "insert into stamps select n, n from generate_series(1, 30) n",
                "create table notes (id int primary key, recipient_email text)",
                "insert into notes select n, n || '@x.org' from generate_series(1, 30) n",
                "create table log (id int generated always as identity primary key, what text)", "analyze",
            ] + Self.trigger("tell", on: "notes", "insert into log (what) values (old.recipient_email);"))
        try lab.database.run(
            "create trigger change after update on notes for each row execute function tell()")
        let first = try survey(lab, nil, "public.visits.scan=delete")
        let names = first.unsettled.map(\.name)
        for name in ["pages.scan_id", "stamps.letter_id", "visits.scan", "log"] {
            #expect(names.contains("public.\(name)"), "\(names)")
        }
        #expect(try survey(lab, try proposed(first)).unsettled.map(\.name) == [])
    }

    /// What a line keeps as triggers wrote it is asked about where a deletion looks, whether rows stand there yet or not.
    @Test func whatIsKeptAsTriggersWroteItIsNotAskedAboutLater() throws {
        let lab = try ErasureLab(
            [
                "create table users (id uuid primary key, email text)",
                "insert into users values ('\(ErasureLab.ada)', 'ada@example.com'), ('\(ErasureLab.bob)', 'bob@example.com')",
                "create table log (id int generated always as identity primary key, user_id uuid, ref uuid, what text, was jsonb)",
            ]
                + Self.trigger(
                    "say", on: "users", "insert into log (ref, what, was) values (old.id, old.email, to_jsonb(old));"))
        let keep = "@written public.log : keep : The books."
        let named = try ErasureLab.app([keep])
        let app = try ErasureLab.app([keep, "@reference public.log.user_id -> public.users.id"])
        for _ in 1...2 {
            #expect(try survey(lab, named).unsettled.map(\.name) == ["public.log.user_id"])
            #expect(try survey(lab, app).unsettled.map(\.name) == [])
            try lab.database.run(
                "insert into log (ref, what, was) select id, email, to_jsonb(users) from users", "analyze")
        }
        let report = try lab.delete(ErasureLab.bob, root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.isVerified)
    }

    /// What a line lets stand in a column stands there by it, too, where a trigger wrote it; beside it, it does not.
    @Test(arguments: [
        ("(what) values (old.email)", true), ("(what, who) values (old.email, old.email)", false),
        ("(who) values (old.id::text)", false), ("(what) values (old.id::text)", true),
    ])
    func columnsThatMentionPeopleMayDoSoInWhatTriggersWrite(values: String, isVerified: Bool) throws {
        for keep in ["@mention public.log.what : keep", "@keep public.log.what : Names are for good."] {
            let lab = try ErasureLab(
                [
                    "create table users (id uuid primary key, email text)",
                    "insert into users values ('\(ErasureLab.ada)', 'ada@example.com')",
                    "create table log (id int generated always as identity primary key, what text, who text)",
                ] + Self.trigger("say", on: "users", "insert into log \(values);"))
            let app = try ErasureLab.app([keep])
            #expect(try survey(lab, app).unsettled.map(\.name) == ["public.log"])
            let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
            #expect(report.isVerified == isVerified, "\(keep)")
            #expect(report.written.map(\.why) == [isVerified ? .mentions : .holdsPerson])
            let whole = try ErasureLab.app([keep, "@mention public.log.who : keep"])
            #expect(try survey(lab, whole).isSettled)
        }
    }
}
