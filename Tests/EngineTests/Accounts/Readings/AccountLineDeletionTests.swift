import Accounts
import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// The directives of `@account` decide what a deletion does with a row.
@Suite struct AccountLineDeletionTests {
    private func app(_ lines: String...) throws -> App { try ErasureLab.app(lines) }

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(twoUsersAnd: statements)
    }

    private func failure(_ body: () throws -> Void) throws -> Failure {
        try #require(throws: Failure.self, performing: body)
    }

    /// Only keys and `@refers` determine the owner of a row; other directives only declare what happens to the row.
    @Test(arguments: [
        "@keep public.orders : Books.",
        "@set public.orders.contact = 'gone' : Books.", "@shared public.lines : delete : Both agreed.",
    ])
    func keepSetOrSharedDirectiveDoesNotMakeASharedRowOwned(line: String) throws {
        let lab = try lab(
            "create table branches (id int primary key, manager uuid references users on delete cascade)",
            "create table articles (id int primary key, branch int references branches on delete cascade)",
            "create table orders (id int primary key, user_id uuid references users, contact text)",
            """
            create table lines (ordered int references orders on delete cascade, article int references articles on delete cascade,
                                primary key (ordered, article))
            """,
            "insert into branches values (1, '\(ErasureLab.ada)')", "insert into articles values (1, 1)",
            "insert into orders values (1, '\(ErasureLab.bob)', 'Bob')", "insert into lines values (1, 1)")
        let isSettled = line.hasPrefix("@shared")
        let report = try lab.delete(
            ErasureLab.ada, root: nil, app: try app(line), collateral: isSettled ? nil : .delete, dryRun: true)
        #expect(report.plan.shared == 1 && report.isComplete)
        guard !isSettled else { return }
        let failure = try failure { _ = try lab.delete(ErasureLab.ada, root: nil, app: try app(line)) }
        #expect(failure.message.contains("shared with other users"), "\(failure)")
    }

    @Test func deletionEmptiesColumnsThatADirectiveDetaches() throws {
        let lab = try lab(
            "create table posts (id int primary key, user_id uuid references users on delete cascade, editor uuid)",
            "insert into posts values (1, '\(ErasureLab.bob)', '\(ErasureLab.ada)'), (2, '\(ErasureLab.ada)', null)",
            "create table boards (id int primary key, clerk uuid references users on delete cascade)",
            "insert into boards values (1, '\(ErasureLab.ada)')")
        let app = try app(
            "@refers public.posts.editor -> public.users.id", "@refers public.posts.editor : detach : Not theirs.",
            "@refers public.boards.clerk : detach : Not theirs.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select string_agg(id || coalesce(editor::text, '-'), ' ') from posts") == "1-")
        #expect(try lab.value("select count(*) from boards where clerk is null") == "1")
    }

    /// The array may contain keys or emails; the entries of other users stay in the array.
    @Test(
        .long,
        arguments: [
            ("uuid", "email", "text[]"), ("uuid", "email", "citext[] not null"), ("uuid", "id", "text[]"),
            ("uuid", "id", "uuid[]"), ("uuid", "id", "ids"), ("uuid", "id", "one_id[]"), ("text", "id", "text[]"),
            ("bigint", "email", "text[]"), ("bigint", "id", "bigint[]"),
        ]) func deletionRemovesTheUserFromAnArrayThatADirectiveDeclares(key: String, column: String, type: String)
        throws
    {
        let id = key == "bigint" ? "7000 + g" : "('00000000-0000-4000-8000-' || lpad(g::text, 12, '0'))::\(key)"
        let lab = try ErasureLab(
            "create extension if not exists citext", "create domain one_id as uuid", "create domain ids as uuid[]",
            "create table users (id \(key) primary key, email citext)",
            "insert into users select \(id), 'u' || g || '@example.com' from generate_series(1, 3) g",
            "create table lists (id int primary key, who \(type))",
            "insert into lists select 1, array_agg(\(column) order by id) from users",
            "insert into lists select 2, array_agg(\(column)) from users where email like 'u1@%'",
            "insert into lists select 3, array_agg(\(column)) from users where email like 'u3@%'",
            "analyze")
        let lines = try app(
            "@refers public.lists.who -> public.users.\(column) : detach : Lists are of whoever made them.")
        let rest = """
            select l.id, (select string_agg(u.email::text, ' ' order by u.email) from users u where u.\(column)::text = any (l.who::text[])),
                   pg_catalog.cardinality(l.who) from lists l order by 1
            """
        // The line of the app file decides, so the operator's answer has no effect.
        for answer in [AccountAnswer?.none, .keep, .detach] {
            let report = try lab.delete("u1@example.com", root: nil, app: lines, collateral: answer, dryRun: true)
            #expect(report.isComplete && report.plan.entry("public.lists", .detach)?.rows == 2)
        }
        #expect(try lab.delete("u1@example.com", root: nil, app: lines, collateral: .detach).isVerified)
        let left = [["1", "u2@example.com u3@example.com", "2"], ["2", nil, "0"], ["3", "u3@example.com", "1"]]
        #expect(try lab.rows(rest) == left)
    }

    /// `via email` also matches a reference to `lower(email)`, as a survey writes it.
    @Test func setDirectiveViaEmailMatchesAReferenceByLowercaseEmail() throws {
        let lab = try lab(
            "create table guests (id int primary key, email text not null, name text)",
            "insert into guests values (1, 'ADA@example.com', 'Ada'), (2, 'bob@example.com', 'Bob')")
        let app = try app(
            "@refers public.guests (lower(email)) -> public.users.email",
            "@set public.guests.email = 'gone-' || id via email : Of the meeting.",
            "@set public.guests.name = '' via email : Of the meeting.")
        let findings = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        #expect(findings.isEmpty, "\(findings)")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(
            try lab.rows("select email, name from guests order by id") == [
                ["gone-1", ""], ["bob@example.com", "Bob"],
            ])
    }

    @Test func detachedRowLosesAnEmailInAnyLetterCase() throws {
        let lab = try lab(
            "create table guests (id int primary key, email text)",
            "insert into guests values (1, 'ADA@example.com'), (2, 'bob@example.com')")
        let app = try app("@refers public.guests (lower(email)) -> public.users.email : detach : The list stays.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.rows("select email from guests order by id") == [[nil], ["bob@example.com"]])
    }

    @Test func accountPlanShowsAPathOnceIfTwoDirectivesDeclareIt() throws {
        let lab = try lab(
            "create table posts (id int primary key, author text)", "insert into posts values (1, 'ada@example.com')")
        let app = try app(
            "@refers public.posts.author -> public.users.email", "@refers public.posts.author : detach : Not theirs.")
        let plan = try lab.delete(ErasureLab.ada, root: nil, app: app, dryRun: true).plan
        #expect(plan.entry("public.posts", .detach)?.via == "public.users → public.posts.author")
    }

    @Test func deletionRefusesToEmptyARequiredColumn() throws {
        let lab = try lab(
            "create table posts (id int primary key, editor uuid not null)",
            "insert into posts values (1, '\(ErasureLab.ada)')")
        let app = try app(
            "@refers public.posts.editor -> public.users.id", "@refers public.posts.editor : detach : Not theirs.")
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.contains("can't be NULL") })
        #expect(try lab.value("select count(*) from users") == "2")
    }

    @Test func refersDirectiveWithAConditionAppliesOnlyToMatchingRows() throws {
        let lab = try lab(
            "create table notes (id int primary key, kind text, about text)",
            "insert into notes values (1, 'user', '\(ErasureLab.ada)'), (2, 'robot', '\(ErasureLab.ada)'), (3, 'user', '\(ErasureLab.bob)')"
        )
        let app = try app(
            "@refers public.notes.about -> public.users.id where kind = 'user'", "@ignore public.notes.a* : Robots.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from notes") == "2 3")
    }

    @Test func deletionDoesNotAskAboutAColumnInADeclaredExpression() throws {
        let lab = try lab(
            "create table notes (id int primary key, kind text, user_id text)",
            "insert into notes values (1, 'user', 'u:\(ErasureLab.ada)'), (2, 'robot', 'u:\(ErasureLab.ada)')")
        let app = try app(
            "@refers public.notes (split_part(user_id, ':', 2)) -> public.users.id where kind = 'user'")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select string_agg(id::text, ' ') from notes") == "2")
    }

    @Test func deletionDeletesAnOwnedRowWithItsLastReference() throws {
        let lab = try lab(
            "create table files (id int primary key)", "insert into files values (1), (2), (3)",
            "create table letters (id int primary key, user_id uuid references users on delete cascade, file_id int references files)",
            "insert into letters values (1, '\(ErasureLab.ada)', 1), (2, '\(ErasureLab.ada)', 2), (3, '\(ErasureLab.bob)', 2)"
        )
        let app = try app("@owns public.letters.file_id -> public.files.id")
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.isVerified)
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from files") == "2 3")
    }

    /// A row that remaining rows refer to is not deleted, for every kind of reference.
    @Test(arguments: ["users", "letters"], ["references files on delete set null", "references files", ""])
    func ownedRowStaysIfARemainingRowRefersToIt(owner: String, reference: String) throws {
        for batch in [nil, 1] { try leaves(whatRowsReferTo: reference, ownedBy: owner, inBatchesOf: batch) }
    }

    private func leaves(whatRowsReferTo reference: String, ownedBy owner: String, inBatchesOf batch: Int?) throws {
        let (ada, bob) = (ErasureLab.ada, ErasureLab.bob)
        let lab = try lab(
            "create table files (id int primary key)", "insert into files values (1), (2), (3)",
            owner == "users"
                ? "alter table users add file_id int unique references files"
                : "create table letters (id int primary key, user_id uuid references users on delete cascade, file_id int references files)",
            owner == "users"
                ? "update users set file_id = case id when '\(ada)' then 1 else 3 end"
                : "insert into letters values (1, '\(ada)', 1), (2, '\(ada)', 2), (3, '\(bob)', 3)",
            "create table pages (id int primary key, owner uuid not null references users on delete cascade, cover int \(reference))",
            "insert into pages values (1, '\(bob)', 1), (2, '\(ada)', 1), (3, '\(ada)', \(owner == "users" ? "null" : "2")), (4, '\(bob)', null)"
        )
        let lines = reference.isEmpty ? ["@refers public.pages.cover -> public.files.id"] : []
        let app = try ErasureLab.app(["@owns public.\(owner).file_id -> public.files.id"] + lines)
        let report = try lab.delete(ada, root: nil, app: app) { $0.batch = batch }
        #expect(report.isVerified, "\(report.undeclared)")
        #expect(try lab.rows("select id, cover from pages order by 1") == [["1", "1"], ["4", nil]])
        // Only owned rows are deleted; a row without an owner stays.
        let left = owner == "users" ? "1 2 3" : "1 3"
        #expect(try lab.value("select string_agg(id::text, ' ' order by id) from files") == left)
    }

    @Test func setDirectiveChangesOnlyRowsOfItsCondition() throws {
        let lab = try lab(
            "create table bills (id int primary key, user_id uuid references users on delete set null, name text, paid boolean)",
            "insert into bills values (1, '\(ErasureLab.ada)', 'Ada', true), (2, '\(ErasureLab.ada)', 'Ada', false)")
        let app = try app("@set public.bills.name = 'gone' where paid : The law.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select string_agg(name, ' ' order by id) from bills") == "gone Ada")
    }

    @Test func sharedDirectiveDecidesAboutSharedRowsOfItsTable() throws {
        let lab = try lab(
            "create table chats (id int primary key, a uuid references users on delete cascade, b uuid references users on delete cascade)",
            "insert into chats values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)'), (2, '\(ErasureLab.ada)', null)",
            "create table teams (id int primary key, owner uuid not null references users on delete cascade, deputy uuid references users)",
            "insert into teams values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')")
        #expect(try failure { try lab.delete(ErasureLab.ada, root: nil, app: try self.app()) }.kind == .refused)
        let app = try app(
            "@shared public.chats : delete : Both agreed.",
            "@shared public.teams : give = deputy : They lead it.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select count(*) from chats") == "0")
        #expect(try lab.value("select owner from teams") == ErasureLab.bob)
    }

    /// `app check` reports the value at its place in the `@shared` directive.
    @Test(arguments: [
        ("@shared public.teams : give = deputy : x", "deputy"),
        ("@shared public.teams : give = (select max(u.email) from public.users u) : x", "(select max"),
        ("@shared public.teams : give = 'nobody' : x", "'nobody'"),
        ("@shared public.teams : give = deputy::uuid : x", nil),
        ("@set public.teams.born = name : x", "name"), ("@set public.teams.born = 'soon' : x", "'soon'"),
        ("@set public.teams.born = null : x", nil), ("@set public.teams.name = 'gone' : x", nil),
    ])
    func appCheckReportsAGiveValueThatTheColumnCannotContain(line: String, place: String?) throws {
        let lab = try lab(
            "create table teams (id int primary key, owner uuid references users on delete cascade, deputy text, name text, born date)"
        )
        let findings = try AppCheck.findings(
            in: try app(line), on: try lab.database.connect(), options: InquiryOptions()
        ).filter { $0.severity == .error }
        let texts = findings.map { String(decoding: $0.place.file.bytes[$0.place.offset...].prefix(11), as: UTF8.self) }
        #expect(texts.count == (place == nil ? 0 : 1) && texts.allSatisfy { $0.hasPrefix(place ?? "") }, "\(findings)")
    }

    @Test func writtenDirectiveDecidesAboutRowsThatTriggersWrite() throws {
        func lab() throws -> ErasureLab {
            try self.lab(
                "create table log (line text)",
                "create function note() returns trigger language plpgsql security definer set search_path = public as $$ begin insert into log values (old.email); return old; end $$",
                "create trigger note after delete on users for each row execute function note()")
        }
        let kept = try lab()
        let report = try kept.delete(
            ErasureLab.ada, root: nil, app: try app("@written public.log : keep : The postmaster counts by it."))
        #expect(report.isVerified)
        #expect(try kept.value("select count(*) from log") == "1")
        let removed = try lab()
        #expect(
            try removed.delete(ErasureLab.ada, root: nil, app: try app("@written public.log : remove : It names them."))
                .isVerified)
        #expect(try removed.value("select count(*) from log") == "0")
    }

    /// The deletion empties a column of another user's row; this row isn't a row of the trigger.
    @Test func writtenDirectiveDoesNotRemoveRowsThatTheDeletionChanges() throws {
        let lab = try lab(
            "create table notes (id int primary key, user_id uuid references users on delete cascade)",
            "create table audit (id serial, actor uuid references users on delete set null, writer uuid references users on delete cascade, body text)",
            "create function note() returns trigger language plpgsql security definer set search_path = public as $$ begin insert into audit (body) values ('gone'); return old; end $$",
            "create trigger note after delete on notes for each row execute function note()",
            "insert into notes values (1, '\(ErasureLab.ada)')",
            "insert into audit (actor, writer) values ('\(ErasureLab.ada)', '\(ErasureLab.bob)')")
        let lines = try app("@shared public.audit : detach : x", "@written public.audit : remove : Log.")
        let refusal = try failure { _ = try lab.delete(ErasureLab.ada, root: nil, app: lines) }
        #expect(refusal.message.contains("can't tell which rows to remove"), "\(refusal)")
        #expect(try lab.value("select count(*) from audit") == "1")
    }

    @Test func refusalBecauseOfRowsThatTriggersWriteNamesTheWrittenDirective() throws {
        let lab = try lab(
            "create table log (who uuid)",
            "create function note() returns trigger language plpgsql security definer set search_path = public as $$ begin insert into log values (old.id); return old; end $$",
            "create trigger note after delete on users for each row execute function note()")
        let lines = try app("@refers public.log.who -> public.users.id : detach : x")
        let refusal = try failure { _ = try lab.delete(ErasureLab.ada, root: nil, app: lines) }
        #expect(refusal.hint?.contains("@written") == true, "\(refusal)")
    }

    /// A line selects rows by an email that two users have, so the rows can belong to either user.
    @Test(arguments: [("ADA@example.com", ""), ("ADA@example.com", " : detach"), ("bob@example.com", "")])
    func deletionIsRefusedIfAnotherUserHasTheSameEmail(email: String, answer: String) throws {
        let lab = try lab(
            "create table invoices (id int primary key, customer_email text)",
            "insert into invoices values (1, 'ada@example.com')",
            "update users set email = '\(email)' where id = '\(ErasureLab.bob)'")
        let lines = try app(
            "@refers public.invoices.customer_email -> public.users.email",
            "@refers public.invoices.customer_email\(answer.isEmpty ? " : delete" : answer) : x")
        if email == "bob@example.com" {
            #expect(try lab.delete(ErasureLab.ada, root: nil, app: lines).isVerified)
            return
        }
        let refusal = try failure { _ = try lab.delete(ErasureLab.ada, root: nil, app: lines) }
        #expect(
            refusal.details == [
                "another user has the same email in public.users, so usher can't tell whose rows contain this email"
            ], "\(refusal)")
        if answer.isEmpty {
            // An email that no row contains decides nothing.
            try lab.database.run("update invoices set customer_email = null")
            #expect(try lab.delete(ErasureLab.ada, root: nil, app: lines).isVerified)
            return
        }
        // Without the other user, nobody else has the email.
        #expect(try lab.delete(ErasureLab.ada, ErasureLab.bob, root: nil, app: lines).isVerified)
    }

    /// Each required reference to the deleted user gets the new value.
    @Test func sharedDirectiveGivesEachRequiredReferenceToAnotherUser() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)",
            "insert into users select n, n || '@example.com' from generate_series(1, 4) n",
            "create table invites (id int primary key, from_id int not null references users, to_id int not null references users)",
            "insert into invites values (1, 1, 2), (2, 2, 3), (3, 1, 3)")
        let report = try lab.delete("2", root: nil, app: try app("@shared public.invites : give = 4 : x"))
        #expect(report.isVerified && report.plan.rows(under: .set) == ["public.invites": 2])
        #expect(
            try lab.rows("select from_id, to_id from invites order by id") == [["1", "4"], ["4", "3"], ["1", "3"]])
    }

    @Test func deletionAppliesTheRefusalsAndWarningsOfTheAppFile() throws {
        let lab = try lab("create table payments (user_id uuid references users on delete cascade, until timestamptz)")
        func app(_ email: String) throws -> App {
            try self.app(
                "@refuse {email} pays still.\nemail = '\(email)';",
                "@warn The gift goes too.\ncreated is null and :now is not null;"
            )
        }
        try lab.database.run("alter table users add created timestamptz")
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: try app("ada@example.com")) }
        #expect(refusal.kind == .refused && refusal.details == ["ada@example.com pays still."])
        let plan = try AccountPlan.make(
            AccountRequest(users: [ErasureLab.ada]), on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [try app("bob@example.com")], options: InquiryOptions())
        #expect(plan.appWarnings == [FilledSentence(text: "The gift goes too.")] && plan.obstacles.isEmpty)
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: try app("bob@example.com")).isVerified)
    }

    @Test func appCheckReportsImpossibleAccountDirectives() throws {
        let lab = try lab(
            "create table bills (id int primary key, user_id uuid not null references users, clerk uuid not null, twice text generated always as (id::text) stored)",
            "create table notes (id int primary key, user_id uuid references users, clerk uuid, readers uuid[] not null)"
        )
        let app = try app(
            "@refers public.notes.readers : detach : A list goes on without one.",
            "@keep public.bills : A.", "@refers public.bills.clerk -> public.users.id : detach : B.",
            "@refers public.notes.user_id : keep : C.", "@keep public.notes : D.", "@keep public.\"Missing\" : F.",
            "@set public.bills.twice = 'x' : G.", "@owns public.notes.clerk -> public.bills.id",
            "@owns public.notes.user_id -> public.users.id")
        let findings = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        #expect(
            findings.map(\.message) == [
                "usher doesn't know which table public.notes.readers refers to: write `@refers public.notes.readers -> TABLE.COLUMN`",
                "every row of public.bills must refer to public.users, so no row can stay when the row of public.users is deleted",
                "@refers can't detach public.bills.clerk, because the column can't be set to NULL",
                "public.notes.user_id has a foreign key to public.users, so no row can stay when the row of public.users is deleted",
                "@keep public.\"Missing\": relation \"public.Missing\" does not exist",
                "the database generates public.bills.twice, so @set can't change the column",
                "there is no foreign key from public.notes.clerk to public.bills.id",
                "public.notes.user_id refers to users, but an account can't own another account",
            ])
    }

    /// A row can stay if the row that it refers to stays, or if the reference can be null.
    @Test func appCheckReportsAKeepDirectiveForRowsThatNeedADeletedRow() throws {
        let lab = try lab(
            "create domain reference as int not null",
            "create table orders (id int primary key, user_id uuid not null references users)",
            "create table items (id int primary key, order_id int not null references orders)",
            "create table labels (id int primary key, item_id reference references items)",
            "create table tickets (id int primary key, order_id int references orders)")
        func found(_ lines: String...) throws -> [String] {
            try AppCheck.findings(
                in: try ErasureLab.app(lines), on: try lab.database.connect(), options: InquiryOptions()
            ).map(
                \.message)
        }
        let sentence = { (table: String, other: String) in
            "every row of public.\(table) must refer to public.\(other), so no row can stay when the row of public.\(other) is deleted"
        }
        #expect(try found("@keep public.items : A.") == [sentence("items", "orders")])
        #expect(try found("@keep public.labels : A.") == [sentence("labels", "items")])
        #expect(try found("@keep public.tickets : A.") == [])
        #expect(
            try found("@keep public.orders : A.", "@keep public.items : A.") == [sentence("orders", "users")])
    }

    /// A declared reference that can't be null is like a foreign key: `@keep` can't keep rows with this reference.
    @Test(arguments: [
        (["@refers public.bills.owner -> public.users.id", "@keep public.bills : A."], "bills"),
        (["@refers public.bills.owner -> public.users.id", "@keep public.bills via owner : A."], "bills.owner"),
        (["@refers public.bills.owner -> public.users.id", "@set public.bills.note = null : A."], "bills"),
        (["@set public.orders.note = null : A."], "orders"),
        (["@refers public.bills.owner -> public.users.id where note = 'x'", "@keep public.bills : A."], "bills"),
        (
            [
                "@refers public.bills.owner -> public.users.id where note = 'x'",
                "@keep public.bills where note = 'y' : A.",
            ], nil
        ),
        (["@refers public.bills.owner -> public.users.id : keep : B.", "@keep public.bills : A."], nil),
        (["@refers public.notes.owner -> public.users.id", "@keep public.notes : A."], nil),
        (["@set public.orders.user_id = '\(ErasureLab.bob)' : A.", "@keep public.orders : A."], nil),
        (["@set public.orders.user_id = '\(ErasureLab.bob)' via user_id : A."], nil),
        (
            [
                "@refers public.bills.owner -> public.users.id", "@refers public.lines.bill -> public.bills.id",
                "@keep public.lines : A.",
            ], "lines"
        ),
    ]) func appCheckReportsAKeepDirectiveForRowsThatRequireAUser(lines: [String], table: String?) throws {
        let lab = try lab(
            "create table bills (id int primary key, owner uuid not null, note text)",
            "create table lines (id int primary key, bill int not null)",
            "create table notes (id int primary key, owner uuid, note text)",
            "create table orders (id int primary key, user_id uuid not null references users, note text)")
        let findings = try AppCheck.findings(
            in: try ErasureLab.app(lines), on: try lab.database.connect(), options: InquiryOptions()
        ).filter { $0.severity == .error }
        #expect(findings.count == (table == nil ? 0 : 1), "\(findings.map(\.message))")
        #expect(
            findings.allSatisfy { $0.message.contains("public.\(table ?? "-") ") && $0.place.offset > 0 },
            "\(findings.map(\.message))")
    }

    /// `@set` can't change the user's own row, except a reference to another user.
    ///
    /// `@set` can't empty a required column either.
    @Test(arguments: [
        (
            "@set public.users.name = 'gone' : x",
            "public.users.name is in the user's own row, which a deletion always deletes"
        ),
        ("@set public.users.referrer = null : x", nil),
        ("@shared public.teams : give = null : x", "every row of public.teams must refer to public.users,"),
        (
            "@shared public.teams : give = (null::uuid) : x",
            "every row of public.teams must refer to public.users,"
        ), ("@shared public.clubs : give = null : x", nil),
    ])
    func appCheckReportsImpossibleValuesOfSetAndSharedDirectives(line: String, message: String?) throws {
        let lab = try lab(
            "alter table users add name text, add referrer uuid references users",
            "create table teams (id int primary key, owner uuid not null references users)",
            "create table clubs (id int primary key, owner uuid references users)")
        let findings = try AppCheck.findings(
            in: try app(line), on: try lab.database.connect(), options: InquiryOptions()
        ).filter { $0.severity == .error }
        #expect(findings.count == (message == nil ? 0 : 1), "\(findings)")
        #expect(findings.allSatisfy { $0.message.hasPrefix(message ?? "-") && $0.place.offset > 0 })
    }

    @Test(arguments: [
        ("@keep public.countries where name = 'x' : A.", true), ("@set public.countries.name = null : A.", true),
        ("@shared public.countries : delete : A.", true), ("@keep public.notes where body = 'x' : A.", false),
        ("@set public.pages.body = null : A.", false), ("@keep public.countries : A.", false),
    ]) func appCheckReportsAnAccountDirectiveWithoutAnEffect(line: String, isMistake: Bool) throws {
        let lab = try lab(
            "create table countries (id int primary key, name text)",
            "create table notes (id int primary key, user_id uuid references users, country int references countries, body text)",
            "create table pages (id int primary key, note int references notes, body text)")
        let findings = try AppCheck.findings(
            in: try app(line), on: try lab.database.connect(), options: InquiryOptions()
        ).filter { $0.severity == .error }
        #expect(findings.count == (isMistake ? 1 : 0), "\(findings.map(\.message))")
        #expect(findings.allSatisfy { $0.message.contains("no effect") && $0.place.offset > 0 })
    }
}
