import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// What a survey asks of databases that nobody described, and what it proposes.
@Suite(.waiting) struct SurveyTests {
    private func survey(_ lab: ErasureLab, root: String = "public.users", _ answers: String...) throws -> Survey {
        try Survey.make(
            AccountRequest(users: [], root: try AccountRoot.Name(root)),
            answers: try answers.map { try Survey.Answer($0) },
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions())
    }

    /// A database without a row, as the tests of an app's migrations have it.
    private func empty(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            ["create table users (id bigint primary key, email text)"] + statements)
    }

    @Test func namesAskWhereNothingStands() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint, editor_id int, title text, views int)",
            "create table likes (\"userId\" bigint not null, \"postId\" int not null)",
            "create table teams (id int primary key, created_by bigint, size int)")
        let survey = try survey(lab)
        #expect(!survey.isSettled)
        #expect(
            survey.unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.likes.postId delete", "public.likes.userId delete", "public.posts.editor_id detach",
                "public.posts.user_id delete", "public.teams.created_by detach",
            ])
        #expect(survey.unsettled[0].proposal.map(\.line) == ["@reference public.likes.\"postId\" -> public.posts.id"])
        #expect(
            survey.unsettled[2].proposal == [
                .init("@reference public.posts.editor_id -> public.users.id"),
                .init("@detach public.posts.editor_id", .staysWithout),
            ])
    }

    /// As others make them: the key of a row between two tables is called after both, and made up.
    @Test func aKeyThatIsMadeUpIsNobodyElses() throws {
        let lab = try empty(
            """
            create table team_users (team_user_id bigint generated always as identity primary key,
                                     user_id bigint not null references users on delete cascade)
            """, "create table seats (seat_user_id bigserial primary key, user_id bigint references users)",
            "create table badges (user_id bigint primary key, label text)")
        #expect(try survey(lab).unsettled.map(\.name) == ["public.badges.user_id"])
    }

    /// What another system knows somebody by is called so, too, and is a text.
    @Test func aTextIsHardlyANumber() throws {
        let lab = try empty(
            "create table plans (id int primary key, client_id text, user_id text)",
            "create table calls (id int primary key, client_id bigint)")
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.calls.client_id", "public.plans.user_id"])
        #expect(
            survey.unsettled.last?.proposal.map(\.line) == [
                "@reference public.plans.user_id -> public.users (id::text)"
            ])
    }

    @Test func aForeignKeySettlesAColumnAndSpeaksForItsNamesakes() throws {
        let lab = try empty(
            "create table besitzer (id int primary key references users on delete cascade)",
            "create table hunde (id int primary key, halter int references users on delete cascade)",
            "create table katzen (id int primary key, halter int)")
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.katzen.halter"])
        #expect(survey.unsettled.first?.because.map(\.points) == [3])
    }

    @Test func valuesSpeakWhereNamesDoNot() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table hunde (id int primary key, halter uuid not null, rasse uuid)",
            "insert into hunde select n, case when n % 2 = 0 then '\(ErasureLab.ada)' else '\(ErasureLab.bob)' end::uuid, gen_random_uuid() from generate_series(1, 40) n",
        ])
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.hunde.halter"])
        #expect(survey.unsettled.first?.parent == "public.users.id")
    }

    /// A text that holds the same keys knows of the rows, and is not what anything refers to; nor is a key that is made up.
    @Test func whatIsWrittenOtherwiseIsACopy() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id uuid primary key default gen_random_uuid(), user_id uuid references users on delete cascade)",
            "insert into posts (user_id) select '\(ErasureLab.ada)' from generate_series(1, 40)",
            "create table found (id text primary key, body text)", "insert into found select id::text, 'x' from posts",
            "create table events (id int generated always as identity primary key, what text, subject uuid)",
            "insert into events (what, subject) select 'made', id from posts",
        ])
        #expect(
            try survey(lab).unsettled.map { [$0.name, $0.parent] } == [
                ["public.events.subject", "public.posts.id"], ["public.found.id", "public.posts.id"],
            ])
    }

    /// What nobody can name in a line is asked about all the same.
    @Test func namesThatALineCannotSayAreAskedAbout() throws {
        let lab = try empty(
            "create table \"x -> y : z where\" (id int primary key, \"user_id\" bigint, \"a -> b ( user_id\" bigint)",
            "create table \"a (lower(b)\" (id int primary key, user_id bigint)")
        #expect(try survey(lab).unsettled.count == 3)
    }

    @Test func smallNumbersStandEverywhereAndSayNothing() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 200) n",
            "create table goods (id int primary key, shelf int, stock int, version int)",
            "insert into goods select n, n % 50 + 1, n % 90 + 1, n % 7 + 1 from generate_series(1, 300) n", "analyze")
        let survey = try survey(lab)
        #expect(survey.isSettled)
        // Which is not to say that they mean nobody.
        #expect(survey.untold == ["public.goods.shelf", "public.goods.stock", "public.goods.version"])
    }

    /// What a line settles, stands elsewhere, or is one of a few choices is not among them.
    @Test func numbersThatCannotBeToldApartAreNamed() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 200) n",
            "create table calls (id int primary key, from_id int, device_no smallint, order_no int, state int, cents int, user_id bigint)",
            "insert into calls select n, n % 90 + 1, n % 80 + 1, n % 70 + 1, n % 3 + 1, n * 100, n % 200 + 1 from generate_series(1, 300) n",
            "analyze")
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.calls.user_id"])
        #expect(survey.untold == ["public.calls.device_no", "public.calls.from_id", "public.calls.order_no"])
        let app = try ErasureLab.app([
            "@plain public.calls.*_no : Numbers.", "@reference public.calls.user_id -> public.users.id",
        ])
        let settled = try Survey.make(
            AccountRequest(users: []), on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app],
            options: InquiryOptions())
        #expect(settled.isSettled && settled.untold == ["public.calls.from_id"])
    }

    @Test func largeNumbersThatStandThereSayAll() throws {
        let lab = try empty(
            "insert into users select n * 1000003, n || '@example.com' from generate_series(1, 200) n",
            "create table goods (id int primary key, steward bigint, bought bigint)",
            "insert into goods select n, (n % 200 + 1) * 1000003, n * 999983 from generate_series(1, 300) n", "analyze")
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.goods.steward"])
        #expect(survey.unsettled.first?.because.contains { $0.points == 4 } == true)
    }

    /// By whatever else tells a person apart others may refer to one, too.
    @Test(arguments: [(700_000, true), (0, false)]) func otherKeysOfUsersAreReferredTo(first: Int, isTold: Bool) throws
    {
        let lab = try ErasureLab(
            "create table people (id uuid primary key, num int not null unique, email text)",
            "insert into people select gen_random_uuid(), \(first) + n, n || '@example.com' from generate_series(1, 60) n",
            "create table loans (id int primary key, people_num int, entleiher int, cents int)",
            "insert into loans select n, \(first) + 1 + n % 60, \(first) + 1 + n * 7 % 60, n * 100 from generate_series(1, 200) n",
            "create table tally (member_num int, n int)",
            "insert into tally select \(first) + 1 + n % 60, n * 1000 from generate_series(1, 200) n", "analyze")
        let survey = try survey(lab, root: "public.people")
        let asked = survey.unsettled.filter { $0.parent == "public.people.num" }.map(\.name)
        let all = ["public.loans.entleiher", "public.loans.people_num", "public.tally.member_num"]
        if isTold {
            #expect(survey.unsettled.map(\.name) == all && asked == all)
        } else {
            #expect(Set(asked + survey.untold) == Set(all), "\(asked) \(survey.untold)")
        }
        guard isTold else { return }
        #expect(
            survey.unsettled.first?.proposal.first?.line
                == "@reference public.loans.entleiher -> public.people.num")
    }

    /// What foreign keys refer to is a key, be it short or missing in some rows: so it is where no foreign key says so.
    @Test func shortKeysOfUsersAreReferredTo() throws {
        let lab = try ErasureLab(
            "create table users (id uuid primary key default gen_random_uuid(), handle text unique, motto text)",
            "insert into users (handle, motto) select chr(97 + g % 26) || chr(97 + g / 26), 'm' || g from generate_series(1, 90) g",
            "insert into users (motto) values ('n')",
            "create table threads (id int primary key, by_handle text references users (handle) on update cascade on delete cascade)",
            "create table seats (id int primary key, wer text, art text)",
            "insert into seats select row_number() over (), handle, motto from users where handle is not null",
            "analyze")
        let survey = try survey(lab)
        #expect(
            survey.unsettled.map { $0.proposal.first?.line } == ["@reference public.seats.wer -> public.users.handle"])
    }

    /// What the database counts has gaps where rows went: that small numbers stand between them says nothing.
    @Test func gapsBetweenCountedKeysSayNothing() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table notes (id serial primary key, user_id uuid references users on delete cascade)",
                "insert into notes (user_id) select '\(ErasureLab.ada)' from generate_series(1, 400) n",
                "delete from notes where id between 70 and 390",
                "create table pages (id text primary key, shelf int)",
                "insert into pages select 'p' || n, 1 + n % 60 from generate_series(1, 200) n", "analyze",
            ])
        #expect(try survey(lab).unsettled.map(\.name) == [])
    }

    /// Rows that are counted have the numbers of others, wherever some are missing.
    @Test func numbersThatAreCountedReferToNothingByThemselves() throws {
        let owned = "user_id bigint references users on delete cascade"
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 300) n",
            "create table reactions (id int primary key, \(owned))",
            "insert into reactions select n * 3, n from generate_series(1, 300) n",
            "create table comments (id int primary key, \(owned))",
            "insert into comments select n * 6, n from generate_series(1, 100) n",
            "create table pages (id int generated always as identity primary key, \(owned))",
            "insert into pages overriding system value select n * 6, n from generate_series(1, 100) n",
            "create table visits (place text, entry serial, \(owned))",
            "insert into visits select 'a', n * 6, n from generate_series(1, 100) n",
            "create table labels (day int default 0, \(owned), what text default '')",
            "insert into labels select n * 6, n from generate_series(1, 100) n", "analyze")
        #expect(try survey(lab).unsettled.map(\.name) == ["public.labels.day"])
    }

    @Test func keysThatNobodyCountsReferToOthersByThemselves() throws {
        let lab = try empty(
            "insert into users select n::bigint * 1000003000, n || '@example.com' from generate_series(1, 200) n",
            "create table cards (kennung bigint primary key, bio text)",
            "insert into cards select id, 'x' from users", "analyze")
        #expect(try survey(lab).unsettled.map(\.name) == ["public.cards.kennung"])
    }

    /// Values say what a column refers to, and so whether its rows go; an empty database has the name alone.
    @Test func valuesOfAnotherTableContradictAName() throws {
        let lab = try empty(
            "create table companies (id bigint primary key)",
            "insert into companies select n * 1000003 from generate_series(1, 100) n",
            "insert into users select n * 1000033 + 7, n || '@example.com' from generate_series(1, 100) n",
            "create table bills (id int primary key, customer_id bigint, client_id bigint)",
            "insert into bills select n, n * 1000003, 5 - n * 7 from generate_series(1, 100) n", "analyze")
        #expect(
            try survey(lab).unsettled.map { $0.proposal.first?.line } == [
                "@plain public.bills.client_id", "@reference public.bills.customer_id -> public.companies.id",
            ])
    }

    @Test func orphansAreSaidAndNotHeldAgainstAName() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (id int primary key, user_id uuid)",
            "insert into notes select n, gen_random_uuid() from generate_series(1, 30) n",
        ])
        let question = try #require(try survey(lab).unsettled.first)
        #expect(question.name == "public.notes.user_id")
        #expect(question.because.contains(Evidence(.misses(30, of: 30), points: 0)))
    }

    @Test func wordsBesideNumbersSayWhichTableIsMeant() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 20) n",
            "create table products (id int primary key)", "insert into products select n from generate_series(1, 20) n",
            "create table comments (id int primary key, subject_type text, subject_id bigint)",
            "insert into comments select n, case when n % 2 = 0 then 'User' else 'Product' end, n from generate_series(1, 20) n"
        )
        let question = try #require(try survey(lab).unsettled.first)
        #expect(question.name == "public.comments.subject_id")
        #expect(
            question.proposal.map(\.line) == [
                "@reference public.comments.subject_id -> public.users.id where subject_type::text in ('User')",
                "@reference public.comments.subject_id -> public.products.id where subject_type::text in ('Product')",
            ])
        #expect(try survey(lab).unsettled.count == 1)
    }

    /// Whatever their column is called, and be it of a type of its own.
    @Test(arguments: ["text", "kind", "a_kind"]) func wordsOfAListBesideKeysSayWhichTableIsMeant(type: String) throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create type kind as enum ('User', 'Post', 'nothing')", "create domain a_kind as kind",
                "create table posts (id uuid primary key, user_id uuid references users on delete cascade)",
                "insert into posts select gen_random_uuid(), id from users, generate_series(1, 20)",
                "create table marks (id int primary key, \"dingId\" uuid, \"dingArt\" \(type))",
                "insert into marks select row_number() over (), id, 'Post' from posts",
                "insert into marks select 100 + row_number() over (), id, 'User' from users", "analyze",
            ])
        let question = try #require(try survey(lab).unsettled.first)
        #expect(
            question.proposal.map(\.line) == [
                #"@reference public.marks."dingId" -> public.users.id where "dingArt"::text in ('User')"#,
                #"@reference public.marks."dingId" -> public.posts.id where "dingArt"::text in ('Post')"#,
            ])
        #expect(try survey(lab).unsettled.count == 1)
    }

    @Test func rowsOfAListOfTablesSayWhichTableIsMeant() throws {
        let lab = try empty(
            "create table kinds (id int primary key, app text, model text)",
            "insert into kinds values (1, 'auth', 'users'), (2, 'shop', 'order')",
            "create table shop_order (id int primary key, user_id bigint references users on delete cascade)",
            "create table log (id int primary key, content_type_id int references kinds, object_id text)",
            "insert into log values (1, 1, '5'), (2, 2, '5')")
        let question = try #require(try survey(lab).unsettled.first)
        #expect(
            question.proposal.map(\.line) == [
                "@reference public.log.object_id -> public.users.id where content_type_id::text in ('1')",
                "@reference public.log.object_id -> public.shop_order.id where content_type_id::text in ('2')",
            ])
    }

    @Test func authorsAreUsersAndNotTheAccountsTheyBelongTo() throws {
        let lab = try empty(
            "create table tenants (id int primary key)",
            "create table notes (id int primary key, tenant_id int, author_id int, approved_by int)")
        #expect(try survey(lab, root: "public.tenants").unsettled.map(\.name) == ["public.notes.tenant_id"])
        #expect(
            try survey(lab).unsettled.map(\.name) == ["public.notes.approved_by", "public.notes.author_id"])
    }

    @Test func namesThatAreWrittenAsOneWordOrSayWhetherSomebodyIsOne() throws {
        let lab = try empty(
            "create table visits (userid bigint, is_admin int, external_user_id bigint, paid int)",
            "insert into users values (1, 'a@example.com')", "insert into visits values (1, 1, 1, 1)")
        #expect(try survey(lab).unsettled.map(\.name) == ["public.visits.userid"])
    }

    /// Whatever a deletion asks about for its name, an engineer was asked about before.
    @Test func aDeletionAsksNothingThatTheSurveyDoesNot() throws {
        let lab = try empty(
            "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
            "create table shop_orders (id int primary key, user_id bigint not null references users on delete cascade)",
            "create table marks (id int primary key, follower int, order_id int, \"ofType\" text, \"ofId\" bigint, seen int[])",
            "create table fans (id int primary key, who bigint, amount int)",
            "insert into shop_orders values (1, 42), (2, 7)",
            "insert into marks values (1, 42, 1, 'User', 42, '{42}'), (2, 7, 2, 'User', 7, '{7}')",
            "insert into fans values (1, 42, 42)")
        let asked = try lab.plan("42").suspects.map(\.name)
        let surveyed = Set(try survey(lab).unsettled.map(\.name))
        #expect(asked.count == 4 && surveyed.isSuperset(of: asked), "\(asked)")
    }

    @Test func textsAndDocumentsThatMentionPeople() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table events (id int primary key, payload jsonb, note text, kind text)",
            """
            insert into events values (1, '{"by": "\(ErasureLab.ada)"}', 'from ada@example.com', 'a'), (2, '{"n": 1}', 'x', 'b')
            """,
            "create table invites (id int primary key, mail text not null)",
        ])
        #expect(
            try survey(lab).unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.events.note mention", "public.events.payload mention", "public.invites.mail delete",
            ])
    }

    @Test func documentsThatHoldKeysThatAreTexts() throws {
        let lab = try ErasureLab(
            "create table users (id text primary key, email text)",
            "insert into users select 'c' || substr(md5(g::text), 1, 24), g || '@example.com' from generate_series(1, 60) g",
            "create table events (id int primary key, data jsonb, other jsonb, line text)",
            """
            insert into events select 1, jsonb_build_object('by', id), '{"by": "c0123456789abcdef01234567"}', 'of ' || id
              from users limit 1
            """, "create table watches (data jsonb)",
            "insert into watches select jsonb_build_object('list', jsonb_build_array(id)) from users", "analyze")
        #expect(
            try survey(lab).unsettled.map { "\($0.name) \($0.effect)" } == [
                "public.events.data mention", "public.events.line mention", "public.watches.data mention",
            ])
    }

    @Test func documentsThatHoldWordsBehindNamesOfPeople() throws {
        let lab = try ErasureLab(
            "create table users (id text primary key, email text)",
            "insert into users values ('ann', 'ann@example.com'), ('bob', 'bob@example.com')",
            "create table events (id int primary key, data jsonb, other jsonb)",
            #"insert into events values (1, '{"user_id": "ann"}', '{"title": "ann"}')"#)
        #expect(try survey(lab).unsettled.map(\.name) == ["public.events.data"])
    }

    @Test func whatNobodyElseRefersToGoesWithItsRow() throws {
        let lab = try empty(
            "create table files (id int primary key)",
            "create table pages (file_id int references files on delete cascade)",
            "create table letters (id int primary key, user_id bigint references users on delete cascade, file_id int unique references files)",
            "create table prices (id int primary key)",
            "create table orders (id int primary key, user_id bigint references users on delete cascade, price_id int references prices)"
        )
        let survey = try survey(lab)
        #expect(
            survey.unsettled.map { $0.proposal.map(\.line) } == [["@owns public.letters.file_id -> public.files.id"]])
    }

    /// What texts, documents, lists or columns without a key name is somebody else's, too.
    @Test(arguments: [
        ("data jsonb", "jsonb_build_object('img', id)"), ("body text", "'<img src=\"/i/' || id || '\">'"),
        ("pictures uuid[]", "array[id]"), ("picture uuid", "id"), ("pictures text[]", "array['/i/' || id]"),
    ])
    func whatOthersNameIsNotProposed(column: String, value: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table files (id uuid primary key default gen_random_uuid(), path text)",
            "insert into files (path) select 'p' || g from generate_series(1, 80) g",
            "create table scans (file uuid references files on delete cascade, note text)",
            "create table letters (id int primary key, user_id uuid references users on delete cascade, file_id uuid unique references files)",
            "insert into letters select row_number() over (), '\(ErasureLab.ada)', id from files",
            "insert into scans select id, 'of ' || id from files",
            "create table pages (id int primary key, \(column))",
        ])
        #expect(try survey(lab).unsettled.map(\.effect) == [.owned])
        try lab.database.run(
            "insert into pages select row_number() over (), \(value) from files limit 40", "analyze")
        let asked = try survey(lab).unsettled.first { $0.name == "public.letters.file_id" }
        #expect(asked?.effect == .ask && asked?.proposal.isEmpty == true)
        #expect(asked?.because.map(\.fact) == [.owned(claims: ["public.pages"])])
    }

    /// Numbers mean what the name before them says; those that stand nowhere by chance need none.
    @Test(arguments: [(1, "file_id", true), (1, "n", false), (7919, "n", true)])
    func whatDocumentsNumber(step: Int, name: String, isNamed: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table files (id bigint primary key)",
            "insert into files select g * \(step) from generate_series(1, 80) g",
            "create table letters (id int primary key, user_id uuid references users on delete cascade, file_id bigint unique references files)",
            "insert into letters select row_number() over (), '\(ErasureLab.ada)', id from files",
            "create table pages (id int primary key, data jsonb)",
            "insert into pages select row_number() over (), jsonb_build_object('\(name)', id) from files limit 40",
            "analyze",
        ])
        #expect(try survey(lab).unsettled.map(\.effect) == [isNamed ? .ask : .owned])
    }

    @Test func anAnswerClosesWhatItWouldOpen() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint)", "create table marks (id int, post_id int)",
            "create table boards (id int primary key, user_id bigint)")
        #expect(try survey(lab).unsettled.count == 3)
        let kept = try survey(lab, "public.posts.user_id=detach")
        #expect(kept.unsettled.map(\.name) == ["public.boards.user_id", "public.posts.user_id"])
        #expect(kept.groups.map { $0.questions.count } == [1, 1])
        #expect(try survey(lab, "user_id=plain").unsettled.map(\.effect) == [.plain, .plain])
        #expect(try survey(lab).groups.first?.title == "user_id → public.users.id")
        #expect(throws: Failure.self) { try Survey.Answer("user_id=perhaps") }
        for column in ["\"User_Id\"", "nobody", "public.posts.id_of_user"] {
            #expect(try failure { _ = try survey(lab, "\(column)=plain") }.kind == .usage)
        }
    }

    /// Whoever settles a column says why in words of their own, or says something else of it.
    @Test func aLineIsWrittenOnceWhateverReasonItGives() throws {
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "shop.sql",
            holding: """
                -- @account
                -- @keep public.posts.editor : The magazine is printed.
                -- @mention public.posts.body : anonymise
                """)
        let block = """
            -- @account
            --
            -- editor: public.posts, public.notes
            -- @keep public.posts.editor : It says whom it named for good.
            -- @keep public.notes.editor : It says whom it named for good.
            -- @mention public.posts.body : keep

            """
        #expect(try Survey.append(block, to: file) == 1)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("-- @")
        }
        #expect(
            lines.dropFirst(3) == ["-- @account", "-- @keep public.notes.editor : It says whom it named for good."])
        #expect(try Survey.append(block, to: file) == 0)
    }

    @Test func whatIsWrittenSettlesEverything() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint not null, editor_id bigint)",
            "create table marks (id int, post_id int not null)",
            "create table files (id int primary key)",
            "create table letters (id int primary key, user_id bigint references users on delete cascade, file_id int unique references files)"
        )
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "shop.sql",
            holding: """
                -- @app shop  Shop
                -- @requires public.users
                -- @users
                -- @key id
                -- @email email
                select id, email from public.users;

                -- @account
                -- @root public.users.id
                """)
        let block = try survey(lab).block
        let proposed = block.split(separator: "\n").filter { $0.hasPrefix("-- @") }.dropFirst()
        #expect(try Survey.append(block, to: file) == proposed.count && !proposed.isEmpty)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try Survey.append(block, to: file) == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        let app = try AppLibrary.app(file)
        let connection = try lab.database.connect(user: ErasureLab.hosted)
        #expect(try AppCheck.findings(in: app, on: connection, options: InquiryOptions()).flatMap(\.report) == [])
        let again = try Survey.make(
            AccountRequest(users: []), on: connection, candidates: [app], options: InquiryOptions())
        #expect(again.unsettled.map(\.name) == [] && again.isSettled)
        #expect(throws: Failure.self) { try Survey.append(try survey(lab).block, to: "/dev/zero") }
    }

    @Test func whoDidItIsAUserHoweverTheNameEnds() throws {
        let lab = try empty(
            "create table cases (id int primary key, resolved_by_id bigint, \"changedById\" bigint, updater_id bigint, stand_by int)"
        )
        #expect(
            try survey(lab).unsettled.map(\.name) == [
                "public.cases.changedById", "public.cases.resolved_by_id", "public.cases.stand_by",
                "public.cases.updater_id",
            ])
    }

    /// What is typed may be written as no key of the table that is meant could be.
    @Test func aTypeBesideATextOfAnotherKind() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table products (id uuid primary key)", "insert into products select gen_random_uuid()",
            "create table remarks (id int primary key, about_type text, about_id text)",
            "insert into remarks values (1, 'Product', 'number 1'), (2, 'User', '\(ErasureLab.ada)')",
        ])
        #expect(try survey(lab).unsettled.map(\.name) == ["public.remarks.about_id"])
    }

    /// An email that is nobody's today may be a user's tomorrow, so a line says what becomes of the user's alone.
    @Test(arguments: ["email", "contact_email"]) func columnsOfEmailsAreAskedAboutWhateverTheyHold(column: String)
        throws
    {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 20) n",
            "create table staff (id int primary key, \(column) text)",
            "create table guests (id int primary key, \(column) text)",
            "insert into staff select n, 'staff' || n || '@example.net' from generate_series(1, 8) n", "analyze")
        let asked = try survey(lab).unsettled
        #expect(asked.map(\.name) == ["public.guests.\(column)", "public.staff.\(column)"])
        #expect(asked.allSatisfy { !$0.proposal.isEmpty && $0.effect != .plain })
    }

    /// What is called like several of something counts them, unless its values say otherwise.
    @Test func whatIsCalledLikeSeveralCountsThem() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 40) n",
            "create table posts (id int primary key, user_id bigint references users on delete cascade)",
            "insert into posts select n, n from generate_series(1, 40) n",
            "create table plans (id int primary key, users int, posts int, post int)",
            "insert into plans select n, n % 9 + 1, n % 8 + 1, n % 7 + 1 from generate_series(1, 40) n",
            "create table clusters (id int primary key, held int)",
            "insert into clusters select n, n % 30 + 1 from generate_series(1, 40) n",
            "insert into users values (1000000, 'z@example.com')", "analyze")
        let survey = try survey(lab)
        #expect(survey.unsettled.map(\.name) == ["public.plans.post"])
        #expect(survey.untold == ["public.clusters.held"])
    }

    /// A function says whom it fills a column with before it does.
    @Test func whatTriggersFillWithAPersonIsAskedAbout() throws {
        let lab = try empty(
            "insert into users values (1, 'a@example.com')",
            "create table notes (id int primary key, user_id bigint references users on delete cascade, body text, wer bigint)",
            "create table spur (id int generated always as identity primary key, wem bigint, was text, an text, n bigint, wo bigint)",
            """
            create function spuren() returns trigger language plpgsql as $$ begin
              insert into public.spur (wem, was, n) values (coalesce(new.user_id, old.user_id), new.body, 1);
              new.wer := new.user_id;
              return new; end $$
            """, "create trigger spuren before insert or update on notes for each row execute function spuren()",
            """
            create function meldung() returns trigger language plpgsql as $$ begin
              update spur set an = new.email, wo = new.id; return null; end $$
            """, "create trigger meldung after insert on users for each row execute function meldung()")
        let survey = try survey(lab)
        #expect(
            survey.unsettled.filter { $0.column != nil }.map(\.name) == [
                "public.notes.wer", "public.spur.an", "public.spur.wem", "public.spur.wo",
            ])
    }

    /// What a role may not read may name a person.
    @Test func whatNobodyMayReadIsListed() throws {
        let lab = try empty(
            "create table rooms (id int primary key, shelf int, wessen int, note text, seal uuid, made date)",
            "create table halls (id serial primary key, wessen int)")
        try lab.database.run(
            "revoke select on rooms from \(ErasureLab.hosted)",
            "grant select (id, shelf) on rooms to \(ErasureLab.hosted)",
            "revoke select on halls from \(ErasureLab.hosted)")
        let survey = try survey(lab)
        #expect(survey.hidden == ["public.halls.wessen", "public.rooms.note", "public.rooms.wessen"])
        #expect(!survey.isSettled)
    }

    /// What is asked about, and what of it is right, on keys large and small, in databases full and empty.
    @Test(arguments: PlantedColumns.all.indices) func plantedColumnsAreAskedAbout(place: Int) throws {
        let schema = PlantedColumns.all[place]
        let lab = try ErasureLab(schema.statements)
        let survey = try survey(lab, root: schema.root)
        let outcome = schema.outcome(Set(survey.unsettled.map(\.name)))
        print("\(schema.name): \(outcome.text)")
        #expect(outcome.missed.isEmpty && outcome.wrong.isEmpty, "\(schema.name): \(outcome.text)")
        for (column, line) in schema.lines {
            let proposal = survey.unsettled.first { $0.name == column }?.proposal.map(\.line) ?? []
            #expect(proposal.contains(line), "\(schema.name): \(column) \(proposal)")
        }
    }
}
