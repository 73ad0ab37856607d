import Accounts
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// Columns that hold the person although nothing declares it: found, answered for, and then treated like any reference.
@Suite struct SuspectTests {
    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(twoUsersAnd: statements)
    }

    /// However many go at once, each of them is looked for.
    @Test func whatHoldsAnyOfManyIsFoundWhole() throws {
        let lab = try ErasureLab([
            "create table users (id int primary key, email text)",
            "insert into users select n, format('person%s@example.com', n) from generate_series(1, 1500) n",
            "create table letters (id int primary key, email text)", "insert into letters select id, email from users",
        ])
        let request = AccountRequest(users: (1...1400).map(String.init), root: try AccountRoot.Name("public.users"))
        let plan = try AccountPlan.make(
            request, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions())
        #expect(plan.unanswered.map { "\($0.name) \($0.rows)" } == ["public.letters.email 1400"])
    }

    // MARK: As ways to rows

    /// Where no app file was surveyed nobody has looked into a column that nothing speaks for; where one was, nothing was found,
    /// and what is soon read is looked into all the same.
    @Test func whatNothingSpeaksForIsLookedIntoWhereNobodyHas() throws {
        let lab = try lab(
            "create table visits (id int primary key, what uuid)", "insert into visits values (1, '\(ErasureLab.ada)')",
            "insert into visits select n, '\(ErasureLab.bob)' from generate_series(2, 20000) n")
        let plan = try lab.plan(ErasureLab.ada, thoroughly: false)
        #expect(plan.unanswered.map(\.name) == ["public.visits.what"])
        let app = try ErasureLab.app([])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.account.isThorough = false }.isVerified)
    }

    @Test func answeredRowsAreDeletedWithWhatHangsOnThemAndCounted() throws {
        let lab = try lab(
            "create table rooms (id int primary key, creator uuid)",
            "create table notes (id int primary key, room int not null references rooms on delete cascade)",
            "insert into rooms values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
            "insert into notes values (1, 1), (2, 1), (3, 2)")
        let report = try lab.delete(ErasureLab.ada, suspected: ["delete"])
        #expect(report.isVerified && report.rows("public.rooms") == 1 && report.rows("public.notes") == 2)
        #expect(try lab.rows("select id from notes") == [["3"]])
    }

    @Test func whatOthersHaveBehindASuspectIsCollateral() throws {
        let lab = try lab(
            "create table rooms (id int primary key, creator uuid)",
            """
            create table subscriptions (id int primary key, room int not null references rooms on delete cascade,
                                        user_id uuid not null references users on delete cascade)
            """,
            "insert into rooms values (1, '\(ErasureLab.ada)')",
            "insert into subscriptions values (1, 1, '\(ErasureLab.ada)'), (2, 1, '\(ErasureLab.bob)')")
        let refusal = try failure { try lab.delete(ErasureLab.ada, suspected: ["delete"]) }
        #expect(refusal.kind == .refused && refusal.details == ["public.subscriptions: 1 of 2"])
        #expect(try lab.value("select count(*) from subscriptions") == "2")
        let report = try lab.delete(ErasureLab.ada, collateral: .delete, suspected: ["delete"])
        #expect(report.isVerified && report.rows("public.subscriptions") == 2)
    }

    @Test func rowsThatNameAnotherInASuspectedColumnAreCollateral() throws {
        let lab = try lab(
            "create table messages (id int primary key, sender uuid, recipient text)",
            "insert into messages values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)'), (2, '\(ErasureLab.bob)', '\(ErasureLab.ada)')"
        )
        #expect(try lab.plan(ErasureLab.ada, suspected: ["delete"]).collateral == 2)
        let kept = try lab.delete(ErasureLab.ada, collateral: .keep, suspected: ["delete"])
        #expect(kept.isVerified)
        #expect(
            try lab.rows("select sender, recipient from messages order by id") == [
                [nil, ErasureLab.bob], [ErasureLab.bob, nil],
            ])
    }

    @Test func cascadesBetweenSuspectsAreNoTriggersThatKeepRows() throws {
        let lab = try lab(
            "create table events (id int primary key, sender uuid)",
            """
            create table relations (id int primary key, event int references events on delete cascade, actor uuid)
            """,
            "insert into events values (1, '\(ErasureLab.ada)')",
            "insert into relations values (1, 1, '\(ErasureLab.ada)'), (2, null, '\(ErasureLab.ada)'), (3, 1, null)")
        let report = try lab.delete(ErasureLab.ada, suspected: ["delete"])
        #expect(report.isVerified && report.rows("public.relations") == 3)
    }

    @Test func anotherAccountIsNeverDeletedForMentioningOne() throws {
        let lab = try lab("alter table users add invited_by uuid", "update users set invited_by = '\(ErasureLab.ada)'")
        #expect(try lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id, invited_by from users") == [[ErasureLab.bob, nil]])
    }

    @Test func archivesHoldAnsweredRowsToo() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor uuid)",
            "create table tags (id int primary key, by_user text)",
            "insert into visits values (1, '\(ErasureLab.ada)')", "insert into tags values (1, '\(ErasureLab.ada)')")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        #expect(
            try lab.delete(ErasureLab.ada, suspected: ["delete", "public.tags.by_user=detach"]) { $0.archive = path }
                .isVerified)
        #expect(try lab.everything() != before)
        _ = try Restore.open(
            path, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted)
        ).run(reason: nil, ticket: nil, isDryRun: false)
        #expect(try lab.everything() == before)
    }

    /// Rows that go for what they say do not stay for what they refer to, and nothing is asked about that.
    @Test(arguments: ["delete", "public.reviews=delete"])
    func whatIsDeletedForAnAddressIsNotDetached(answer: String) throws {
        let lab = try lab(
            "create table reviews (id int primary key, reviewer uuid references users on delete set null, author_email text)",
            "insert into reviews select 1, id, email from users where id = '\(ErasureLab.ada)'",
            "insert into reviews values (2, '\(ErasureLab.ada)', null)")
        let report = try lab.delete(ErasureLab.ada, suspected: [answer])
        #expect(report.isVerified && report.rows("public.reviews") == 1)
        #expect(try lab.rows("select id, reviewer from reviews") == [["2", nil]])
    }

    // MARK: Answers

    @Test func answersForSingleColumns() throws {
        let lab = try lab(
            "create table a (id int primary key, owner uuid)",
            "create table b (id int primary key, owner uuid not null)",
            "create table c (id int primary key, owner uuid)",
            "insert into a values (1, '\(ErasureLab.ada)')", "insert into b values (1, '\(ErasureLab.ada)')",
            "insert into c values (1, '\(ErasureLab.ada)')")
        let some = try lab.plan(ErasureLab.ada, suspected: ["public.a.owner=detach", "public.b.owner=delete"])
        #expect(some.suspects.map(\.name) == ["public.c.owner"])
        let plan = try lab.plan(ErasureLab.ada, suspected: ["detach", "public.c.owner=keep"])
        #expect(plan.obstacles == [.required(.answered(path: "public.b.owner", isOfUsers: false))])
        let report = try lab.delete(
            ErasureLab.ada, suspected: ["delete", "public.a.owner=detach", "public.c.owner=keep"])
        #expect(report.isVerified && report.rows("public.b") == 1)
        #expect(report.kept.map { "\($0.table) \($0.rows)" } == ["public.c 1"])
        #expect(try lab.value("select count(owner) from a") == "0")
    }

    @Test(arguments: ["public.a.nothing=delete", "maybe", "a=b=c", "a..b=keep"])
    func answersAboutNothingAreRefused(text: String) throws {
        let lab = try lab(
            "create table a (id int primary key, owner uuid)", "insert into a values (1, '\(ErasureLab.bob)')")
        #expect(try failure { try lab.delete(ErasureLab.ada, suspected: [text]) }.kind == .usage)
        #expect(try lab.value("select count(*) from users") == "2")
    }

    /// A list of lists keeps its shape, whatever it lists.
    @Test(arguments: [
        ("uuid[]", "{%bob,%ada}", "{%bob}"), ("uuid[][]", "{{%ada,%bob},{%bob,%ada}}", "{{NULL,%bob},{%bob,NULL}}"),
        ("names", "{{%ada,%bob},{%bob,NULL}}", "{{NULL,%bob},{%bob,NULL}}"),
        ("text[]", "{{ada@example.com},{to %bob}}", "{{NULL},{\"to %bob\"}}"),
        ("citext[]", "{{Ada@example.com},{bob@example.com}}", "{{NULL},{bob@example.com}}"),
    ])
    func othersWhoAreListedStay(type: String, listed: String, rest: String) throws {
        func filled(_ list: String) -> String {
            list.replacing("%ada", with: ErasureLab.ada).replacing("%bob", with: ErasureLab.bob)
        }
        let lab = try lab(
            "create extension if not exists citext", "create domain names as text[]",
            "create table teams (id int primary key, member_ids \(type) not null)",
            "insert into teams values (1, '\(filled(listed))')")
        #expect(try lab.delete(ErasureLab.ada, suspected: ["detach"]).isVerified)
        #expect(try lab.value("select member_ids from teams") == filled(rest))
    }

    @Test func whoeverIsListedWithOthersSharesTheRow() throws {
        let lab = try lab(
            "create table teams (id int primary key, member_ids uuid[] not null)",
            "insert into teams values (1, array['\(ErasureLab.bob)', '\(ErasureLab.ada)']::uuid[])")
        #expect(try lab.plan(ErasureLab.ada, suspected: ["delete"]).collateral == 1)
    }

    /// A list holds who they are by another table's key, too.
    @Test func whoIsListedByAnotherKeyIsTakenOut() throws {
        let profile = "00000000-0000-0000-0000-0000000000aa"
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table profiles (id uuid primary key, user_id uuid not null unique references users on delete cascade)",
                "insert into profiles values ('\(profile)', '\(ErasureLab.ada)')",
                "create table teams (id int primary key, member_ids uuid[] not null)",
                "insert into teams values (1, array['\(ErasureLab.bob)', '\(profile)']::uuid[])",
            ])
        let report = try lab.delete(ErasureLab.ada, suspected: ["detach"])
        #expect(report.isVerified)
        #expect(try lab.value("select member_ids from teams") == "{\(ErasureLab.bob)}")
    }

    /// What was to stay and a trigger deleted all the same is not reported as there, nor foretold.
    @Test func whatATriggerDeletedIsNotKept() throws {
        let lab = try lab(
            "create table bills (id int primary key, payer_id uuid)",
            "insert into bills values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.ada)'), (3, '\(ErasureLab.bob)')",
            """
            create function tidy() returns trigger language plpgsql security definer as
            $$ begin delete from public.bills where id = 1; return null; end $$
            """,
            "create trigger tidy after delete on users for each row execute function tidy()")
        let dry = try lab.delete(ErasureLab.ada, suspected: ["public.bills.payer_id=keep"], dryRun: true)
        #expect(dry.kept.map { "\($0.table) \($0.rows)" } == ["public.bills 1"])
        let report = try lab.delete(ErasureLab.ada, suspected: ["public.bills.payer_id=keep"])
        #expect(report.kept.map { "\($0.table) \($0.rows)" } == ["public.bills 1"])
        #expect(report.further.map { "\($0.table) \($0.rows)" } == ["public.bills 1"])
        #expect(try lab.value("select count(*) from bills where payer_id = '\(ErasureLab.ada)'") == "1")
    }

    /// An address is the same however somebody wrote it, as in the directory: by its name, and by what the app file calls one.
    @Test(arguments: [
        ("email", "public.letters.sent_to -> public.users.email"),
        ("email", "public.letters (lower(sent_to)) -> public.users.email"),
        ("email", "public.letters (trim(sent_to)) -> public.users.email"),
        ("email", "public.letters.sent_to -> public.users (lower(email))"),
        ("signin", "public.letters.sent_to -> public.users.signin"),
    ])
    func anAddressIsTheSameHoweverItIsWritten(column: String, line: String) throws {
        let lab = try lab(
            "alter table users add signin text", "update users set signin = email",
            "create table letters (id int primary key, sent_to varchar(80))",
            "insert into letters select 1, upper(email) from users where id = '\(ErasureLab.ada)'",
            "insert into letters select 2, initcap(email) from users where id = '\(ErasureLab.ada)'",
            "insert into letters select 3, email from users where id = '\(ErasureLab.ada)'",
            "insert into letters select 4, email from users where id = '\(ErasureLab.bob)'")
        let app = try Lab.app(
            "-- @account\n-- @root public.users.id\n-- @reference \(line)",
            header: """
                -- @app lab  Laboratory
                -- @requires public.users
                -- @users
                -- @key id
                -- @email \(column)
                select u.* from public.users u;


                """)
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.isVerified && report.rows("public.letters") == 3)
        #expect(try lab.rows("select id from letters") == [["4"]])
    }

    /// What a line of the app file keeps is kept for its reason.
    @Test func aColumnThatStaysSaysWhy() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table bills (id int primary key, payer_id uuid)",
                "insert into bills values (1, '\(ErasureLab.ada)')",
            ])
        let app = try ErasureLab.app(["@keep public.bills.payer_id : The law wants it for ten years."])
        let entry = try AccountPlan.make(
            AccountRequest(users: [ErasureLab.ada], root: nil), on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [app], options: InquiryOptions()
        ).entry("public.bills", .keep)
        #expect(entry?.why == .declared("The law wants it for ten years."))
    }

    /// What a document is asked for in a line is no word about a column of that name.
    @Test func aMemberOfADocumentIsNoColumn() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "create table events (id int primary key, user_id uuid, payload jsonb)",
                "insert into events values (1, '\(ErasureLab.ada)', '{}'), (2, null, '{\"user_id\": \"\(ErasureLab.ada)\"}')",
            ])
        let app = try ErasureLab.app(["@reference public.events (payload ->> 'user_id') -> public.users.id"])
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        #expect(refusal.kind == .refused)
        #expect("\(refusal.message) \(refusal.details)".contains("public.events.user_id"), "\(refusal)")
        #expect(
            try lab.delete(ErasureLab.ada, root: nil, app: app, suspected: ["public.events.user_id=delete"]).isVerified)
        #expect(try lab.value("select count(*) from events") == "0")
    }

    // MARK: Where they are looked for

    /// Everything that once was overlooked, by what identifies a user.
    @Test(arguments: [
        ("uuid", ErasureLab.ada), ("bigint", "770077007"), ("integer", "770077007"), ("text", "@ada:example.com"),
    ]) func overlooked(type: String, id: String) throws {
        let isNumber = id.first == "7"
        let lab = try ErasureLab(
            "create table users (id \(type) primary key, email text)",
            "create table u_pk (user_id \(type) primary key, bio text)",
            "create table u_other (id serial primary key, user_id \(isNumber ? "numeric" : "varchar(60)"))",
            "create table u_acct (id serial primary key, account_id \(type))",
            "create table u_text (id serial primary key, user_id text)",
            "create table u_log (id serial primary key, object_id text)",
            "create table u_arr (id serial primary key, member_ids \(type)[])",
            "create table u_json (id serial primary key, payload jsonb)",
            "create table u_mail (id serial primary key, payload json)",
            "create table u_free (id serial primary key, note text, to_addr text)",
            "create table u_poly (id serial primary key, commentable_type text, commentable_id \(type))",
            "insert into users values ('\(id)', 'ann@example.com')", "insert into u_pk values ('\(id)', 'x')",
            "insert into u_other (user_id) values ('\(id)')", "insert into u_acct (account_id) values ('\(id)')",
            "insert into u_text (user_id) values ('\(id)')", "insert into u_log (object_id) values ('\(id)')",
            "insert into u_arr (member_ids) values (array['\(id)']::\(type)[])",
            "insert into u_json (payload) values (jsonb_build_object('by', '\(id)'::\(type)))",
            "insert into u_mail (payload) values ('{\"to\": \"line\\nAnn@Example.com\"}')",
            "insert into u_free (note, to_addr) values ('wrote to ann@example.com.', 'ann@example.com')",
            "insert into u_poly (commentable_type, commentable_id) values ('User', '\(id)')",
            // Joann is somebody else.
            "insert into u_free (note, to_addr) values ('joann@example.com', 'ann@example.com.au')")
        let all = [
            "u_acct.account_id", "u_arr.member_ids", "u_free.note", "u_free.to_addr", "u_json.payload",
            "u_log.object_id",
            "u_mail.payload", "u_other.user_id", "u_pk.user_id", "u_poly.commentable_id", "u_text.user_id",
        ]
        let suspects = try lab.plan(id).suspects
        #expect(suspects.map(\.name) == all.map { "public.\($0)" } && suspects.allSatisfy { $0.rows == 1 })
        let places = try residue(id, lab).found.map { "\($0.table).\($0.column)" }
        let byId = all.filter {
            !$0.hasPrefix("u_free") && !$0.hasPrefix("u_mail") && (!isNumber || $0 != "u_json.payload")
        }
        #expect(Set(places).isSuperset(of: byId.map { "public.\($0)" }))
        #expect(try lab.delete(id, suspected: ["delete"]).isVerified)
        #expect(try residue(id, lab).found.isEmpty && residue("wrote to ann@example.com", lab).found.isEmpty)
        #expect(try lab.value("select count(*) from u_free") == "1")
    }

    private func residue(_ text: String, _ lab: ErasureLab) throws -> Residue {
        try Residue.search(
            text, on: try lab.database.connect(user: "postgres"), options: InquiryOptions(), progress: { _ in })
    }

    @Test func smallNumbersMeanSomebodyWhereANameSaysSo() throws {
        let lab = try ErasureLab(
            "create table people (id int primary key)", "insert into people values (7), (8)",
            "create table a (id serial primary key, person_id bigint, people_count int, amount int, tagged text)",
            "insert into a (person_id, people_count, amount, tagged) values (7, 7, 7, '7')",
            "create table b (id serial primary key, data jsonb)",
            "insert into b (data) values ('{\"person\": 7, \"n\": 1}'), ('{\"n\": 7}'), ('{\"person\": 77}')")
        let suspects = try lab.plan("7", root: "people").suspects
        #expect(suspects.map { "\($0.name) \($0.rows)" } == ["public.a.person_id 1", "public.b.data 1"])
        let found = try residue("7", lab)
        #expect(!found.isClean && found.found.contains { $0.column == "person_id" })
        #expect(
            found.unsearched.contains {
                guard $0.table == "public.a", case .ambiguous(let columns) = $0.gap else { return false }
                return columns.contains("amount")
            })
        #expect(try residue("770077007", lab).isClean)
    }

    @Test func theRootSaysWhomASmallNumberMeans() throws {
        let lab = try ErasureLab(
            "create table boats (id int primary key)", "insert into boats values (7), (8)",
            "create table trips (id serial primary key, boat_id int, crew int, boat int references boats)",
            "insert into trips (boat_id, crew, boat) values (7, 7, 8)")
        let connection = try lab.database.connect(user: "postgres")
        let found = try Residue.search(
            "7", root: try AccountRoot.Name("boats"), on: connection, options: InquiryOptions(), progress: { _ in })
        #expect(found.found.map { "\($0.table).\($0.column)" } == ["public.boats.id", "public.trips.boat_id"])
        #expect(found.unsearched.map(\.gap) == [.ambiguous(columns: ["crew"])])
        #expect(throws: Failure.self) {
            try Residue.search(
                "7", root: try AccountRoot.Name("ships"), on: connection, options: InquiryOptions(), progress: { _ in })
        }
    }

    /// Where a line lets somebody be named that is said, and a number that a line calls plain is nobody's.
    @Test func linesSayWhereSomebodyStaysNamed() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)", "insert into users values (7, 'ada@example.com')",
            "create table log (id serial primary key, what text, note text)",
            "insert into log (what, note) values ('of ada@example.com', 'by ada@example.com')",
            "create table bills (id serial primary key, payer text, amount int, pages int)",
            "insert into bills (payer, amount) values ('ada@example.com', 7)")
        let app = try ErasureLab.app([
            "@mention public.log.what : keep", "@keep public.bills : The law.",
            "@plain public.bills.amount : It is money.",
        ])
        func search(_ text: String) throws -> Residue {
            try Residue.search(
                text, on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app],
                options: InquiryOptions(), progress: { _ in })
        }
        let found = try search("ada@example.com").found.map { "\($0.table).\($0.column) \($0.isSettled)" }
        #expect(
            found == [
                "public.bills.payer true", "public.log.what true", "public.log.note false", "public.users.email false",
            ])
        #expect(try search("7").unsearched.map(\.gap) == [.ambiguous(columns: ["pages"])])
    }

    @Test func keysInFileNamesAreFoundAndThoseOfOthersAreTheirs() throws {
        let lab = try ErasureLab(
            "create table users (id text primary key)",
            "insert into users values ('adalove'), ('adalove.x'), ('adalove2'), ('bob')",
            "create table shots (id serial primary key, path text)",
            "insert into shots (path) values ('img/adalove.png'), ('img/adalove2.png')",
            "create table owned (id serial primary key, user_id text)",
            "insert into owned (user_id) values ('adalove.x')")
        let plan = try lab.plan("adalove", suspected: ["delete"])
        #expect(plan.entry("public.shots")?.rows == 1 && plan.entry("public.owned")?.collateral == 1)
        #expect(try lab.delete("adalove", suspected: ["delete", "public.owned=keep"]).isVerified)
        #expect(try lab.rows("select path from shots") == [["img/adalove2.png"]])
    }

    @Test func idsInTheMiddleOfWordsAreFound() throws {
        let lab = try lab(
            "create table shots (id serial primary key, path text)",
            "insert into shots (path) values ('x\(ErasureLab.ada)_1.png')")
        #expect(try lab.plan(ErasureLab.ada).suspects.map(\.name) == ["public.shots.path"])
    }

    @Test func whatIsKeptIsInTheReceipt() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor uuid)",
            "insert into visits values (1, '\(ErasureLab.ada)')")
        let report = try lab.delete(ErasureLab.ada, suspected: ["keep"])
        #expect(report.isVerified && report.kept.map(\.table) == ["public.visits"] && report.kept.map(\.rows) == [1])
        #expect(report.plan.entry("public.visits", .keep)?.why == .onRequest(columns: ["visitor"]))
    }

    /// Tried or done, a receipt counts the same, be it that a line or whoever deletes has it stay.
    @Test func whatLinesKeepIsInTheReceiptToo() throws {
        let lab = try lab(
            "create table visits (id int primary key, visitor uuid, note text, body text)",
            "insert into visits values (1, '\(ErasureLab.ada)', null, 'ada@example.com'), (2, null, null, 'of ada@example.com')",
            "create table marks (id int primary key, note text)", "insert into marks values (1, 'of ada@example.com')",
            "create table bills (id int primary key, payer uuid references users on delete set null)",
            "insert into bills values (1, '\(ErasureLab.ada)')")
        let app = try ErasureLab.app([
            "@mention public.visits.body : keep", "@keep public.marks.note : The law.", "@keep public.bills : The law.",
        ])
        func kept(dryRun: Bool) throws -> [String] {
            try lab.delete(
                ErasureLab.ada, root: nil, app: app, suspected: ["public.visits.visitor=keep"], dryRun: dryRun
            ).kept.map { "\($0.table) \($0.rows)" }
        }
        let tried = try kept(dryRun: true)
        #expect(tried.contains("public.marks 1") && tried.contains("public.visits 3"), "\(tried)")
        #expect(try kept(dryRun: false) == tried)
    }

    // MARK: Rows that triggers write

    private static let audited = [
        "create table orders (id uuid primary key, user_id uuid references users on delete cascade, total int)",
        "create table lines (id uuid primary key, order_id uuid references orders on delete cascade, what text)",
        "create table audit_log (id bigint generated always as identity primary key, old_row jsonb)",
        "create table deletions (at timestamptz default now(), what text)",
        """
        create function audit() returns trigger language plpgsql security definer as
        $$ begin insert into audit_log (old_row) values (to_jsonb(old)); return null; end $$
        """,
        "create trigger audit after delete on lines for each row execute function audit()",
        "insert into orders values ('cccccccc-0000-4000-8000-000000000001', '\(ErasureLab.ada)', 3)",
        """
        insert into lines values ('dddddddd-0000-4000-8000-000000000001', 'cccccccc-0000-4000-8000-000000000001', 'a ring')
        """, "insert into audit_log (old_row) values ('{}')",
    ]

    private func run(_ statements: [String], in lab: ErasureLab) throws {
        for statement in statements { try lab.database.run(statement) }
    }

    @Test func copiesOfRowsThatDoNotNameThePersonRemainUntilSomebodyAnswers() throws {
        let lab = try lab()
        try run(Self.audited, in: lab)
        try lab.grant()
        let dry = try lab.delete(ErasureLab.ada, dryRun: true)
        #expect(!dry.wouldBeComplete && dry.leftByTriggers.map { "\($0.table) \($0.rows)" } == ["public.audit_log 1"])
        let report = try lab.delete(ErasureLab.ada, suspected: ["public.audit_log=delete"])
        #expect(report.isVerified && report.written.map(\.isRemoved) == [true])
        #expect(try lab.rows("select old_row from audit_log") == [["{}"]])
    }

    @Test func whatTriggersWriteIsKeptAndListed() throws {
        let lab = try lab()
        try run(
            Self.audited + [
                """
                create function bury() returns trigger language plpgsql security definer as
                $$ begin insert into deletions (what) values ('an order of ' || old.total); return null; end $$
                """, "create trigger bury after delete on orders for each row execute function bury()",
            ], in: lab)
        try lab.grant()
        let report = try lab.delete(ErasureLab.ada)
        #expect(
            report.written.map { "\($0.table) \($0.rows) \($0.isRemoved)" } == [
                "public.audit_log 1 false", "public.deletions 1 false",
            ])
        // The key of a line that went stands in the one, nobody and nothing in the other.
        #expect(!report.isVerified && report.leftByTriggers.map(\.table) == ["public.audit_log"])
        #expect(try lab.value("select count(*) from audit_log") == "2")
        try lab.database.run(
            "insert into orders values ('cccccccc-0000-4000-8000-000000000002', '\(ErasureLab.bob)', 3)")
        let other = try lab.delete(ErasureLab.bob)
        #expect(other.isVerified && other.written.map { "\($0.table) \($0.rows)" } == ["public.deletions 1"])
        #expect(try lab.value("select count(*) from deletions") == "2")
    }

    @Test func whatTheDeletionItselfEmptiesNoTriggerTouched() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key)", "insert into users values (1), (2)",
            """
            create table logs (id int primary key, create_uid int references users on delete set null,
                               write_uid int references users on delete set null, user_id int)
            """,
            "insert into logs values (1, 1, 1, 1), (2, 1, 2, null), (3, 2, 1, 2)")
        let report = try lab.delete("1", suspected: ["keep"])
        #expect(report.written.isEmpty && report.isVerified)
        #expect(report.kept.map { "\($0.table) \($0.rows)" } == ["public.logs 1"])
    }
}
