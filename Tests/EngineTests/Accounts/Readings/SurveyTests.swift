import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// `account survey` asks questions and proposes lines for a database without an app file.
@Suite(.waiting) struct SurveyTests {
    private func survey(_ lab: ErasureLab, root: String = "public.users", _ answers: String...) throws -> Survey {
        try Survey.make(
            AccountRequest(users: [], root: root),
            answers: try answers.map { try Survey.Answer($0) },
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions())
    }

    /// A database without rows, like a test database for an app's migrations.
    private func empty(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(
            ["create table users (id bigint primary key, email text)"] + statements)
    }

    @Test func accountSurveyAsksByNameAboutEmptyColumns() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint, editor_id int, title text, views int)",
            "create table likes (\"userId\" bigint not null, \"postId\" int not null)",
            "create table teams (id int primary key, created_by bigint, size int)")
        let survey = try survey(lab)
        #expect(!survey.isClean)
        #expect(
            survey.undeclared.map { "\($0.name) \($0.effect)" } == [
                "public.likes.postId delete", "public.likes.userId delete", "public.posts.editor_id ask",
                "public.posts.user_id delete", "public.teams.created_by ask",
            ])
        #expect(survey.undeclared[0].proposal == ["@refers public.likes.\"postId\" -> public.posts.id"])
    }

    /// A message belongs to a talk and to its author.
    ///
    /// The proposal keeps the message and empties the reference to the author.
    @Test func accountSurveyProposesToDetachSharedMessages() throws {
        let lab = try empty(
            "create table talks (id int primary key, title text)",
            "create table messages (id int primary key, user_id bigint, talk_id int references talks, body text)",
            "create table events (id int primary key, sender_type text, sender_id bigint, talk_id int)",
            "create table guests (id int primary key, email text not null, talk_id int not null)",
            "insert into users values (1, 'a@example.com')",
            "insert into events values (1, 'User', 1, 1)")
        let survey = try survey(lab)
        #expect(
            survey.undeclared.map { "\($0.name) \($0.effect)" } == [
                "public.events.sender_id detach", "public.guests.email ask", "public.messages.user_id detach",
            ])
    }

    /// The table of users has two columns with emails, and `@email` names one of these columns.
    @Test func accountSurveyProposesTheEmailColumnOfTheAppFile() throws {
        let lab = try ErasureLab(
            "create table users (id bigint primary key, unconfirmed_email text, email text)",
            "create table contacts (id int primary key, email text)")
        let app = try ErasureLab.app([])
        let survey = try Survey.make(
            AccountRequest(users: []), on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app],
            options: InquiryOptions())
        #expect(
            survey.undeclared.map { $0.proposal } == [
                ["@refers public.contacts.email -> public.users.email : detach : The row stays without the user."]
            ])
    }

    /// Small numbers are keys in every table, so equal values prove nothing about `category_id` or `paths`.
    @Test func accountSurveyOnlyAsksAboutNumbersWithAnUnknownName() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 20) n",
            "create table calls (id int primary key, category_id bigint, path_ids bigint[], taken_by bigint, sold_by bigint, user_id bigint)",
            "insert into calls select n, n, array[n], n, n + 10, n from generate_series(1, 20) n")
        #expect(
            try survey(lab).undeclared.map { "\($0.name) \($0.effect)" } == [
                "public.calls.category_id ask", "public.calls.path_ids ask", "public.calls.sold_by ask",
                "public.calls.taken_by detach", "public.calls.user_id delete",
            ])
    }

    /// PaperTrail stores keys of users as texts.
    @Test func accountSurveyAsksAboutTextsThatAreNumberKeys() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(11, 30) n",
            "create table versions (id int primary key, whodunnit text, event text)",
            "insert into versions select n, n, case when n > 12 then 'update' else '12' end from generate_series(11, 30) n"
        )
        #expect(
            try survey(lab).undeclared.map { "\($0.name) \($0.effect)" } == ["public.versions.whodunnit ask"])
    }

    /// Deleting a customer must not delete a member of the staff, or empty the email that the member signs in with.
    @Test func accountSurveyAsksAboutUniqueEmails() throws {
        let lab = try empty(
            "create table staff (id int primary key, email text unique)",
            "create table guards (id int primary key, email text not null unique)",
            "create table mails (id int primary key, email text not null)")
        #expect(
            try survey(lab).undeclared.map { "\($0.name) \($0.effect)" } == [
                "public.guards.email ask", "public.mails.email delete", "public.staff.email ask",
            ])
    }

    @Test func accountSurveyAsksAboutAColumnWhoseValuesContradictItsName() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (id int primary key, user_id uuid)",
            "insert into notes select n, gen_random_uuid() from generate_series(1, 30) n",
        ])
        let question = try #require(try survey(lab).undeclared.first)
        #expect(question.name == "public.notes.user_id" && question.effect == .ask)
        #expect(question.because.map(\.sentence).contains("none of 30 sampled values is a key of the table"))
    }

    /// No table has a name like the type `Zeppelin`.
    @Test func accountSurveyAsksAboutAPolymorphicReferenceWithAnUnknownType() throws {
        let lab = try empty(
            "create table logs (id int primary key, owner_type text, owner_id bigint)",
            "insert into logs values (1, 'Zeppelin', 1)")
        let survey = try survey(lab)
        #expect(survey.undeclared.map { "\($0.name) \($0.effect)" } == ["public.logs.owner_id ask"])
        #expect(survey.undeclared.first?.proposal == [])
    }

    /// Every undeclared column that blocks a deletion is also in the survey.
    @Test func accountSurveyAsksAboutEveryColumnThatADeletionAsksAbout() throws {
        let lab = try empty(
            "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
            "create table orders (id int primary key, user_id bigint not null references users on delete cascade)",
            "create table marks (id int primary key, order_id int, mail text, who text)",
            "insert into orders values (1, 42), (2, 7)",
            "insert into marks values (1, 1, 'ada@example.com', 'ADA@example.com'), (2, 2, 'bob@example.com', 'x')")
        let asked = try lab.plan("42").undeclared.map(\.name)
        let surveyed = Set(try survey(lab).undeclared.map(\.name))
        #expect(!asked.isEmpty && surveyed.isSuperset(of: asked), "\(asked)")
    }

    @Test func accountSurveyAppliesTheAnswersOfTheOperator() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint)", "create table marks (id int, post_id int)",
            "create table boards (id int primary key, user_id bigint)")
        #expect(try survey(lab).undeclared.count == 3)
        let kept = try survey(lab, "public.posts.user_id=detach")
        #expect(kept.undeclared.map(\.name) == ["public.boards.user_id", "public.posts.user_id"])
        #expect(try survey(lab, "user_id=ignore").undeclared.map(\.effect) == [.ignore, .ignore])
        #expect(try survey(lab, "public.posts=keep").undeclared.map(\.effect) == [.delete, .keep])
        #expect(throws: Failure.self) { try Survey.Answer("user_id=perhaps") }
        #expect(throws: Failure.self) { try Survey.Answer("public.posts=delete") }
        for column in ["\"User_Id\"", "nobody", "public.posts.id_of_user"] {
            #expect(try failure { _ = try survey(lab, "\(column)=ignore") }.kind == .usage)
        }
    }

    /// The key of a join table is named after both tables, but its values are generated.
    @Test func accountSurveyIgnoresGeneratedKeysNamedAfterAnotherTable() throws {
        let lab = try empty(
            """
            create table team_users (team_user_id bigint generated always as identity primary key,
                                     user_id bigint not null references users on delete cascade)
            """, "create table seats (seat_user_id bigserial primary key, user_id bigint references users)",
            "create table badges (user_id bigint primary key, label text)")
        #expect(try survey(lab).undeclared.map(\.name) == ["public.badges.user_id"])
    }

    /// A text column named `client_id` usually has the id of another system.
    @Test func accountSurveyIgnoresATextColumnNamedClientId() throws {
        let lab = try empty(
            "create table plans (id int primary key, client_id text, user_id text)",
            "create table calls (id int primary key, client_id bigint)")
        let survey = try survey(lab)
        #expect(survey.undeclared.map(\.name) == ["public.calls.client_id", "public.plans.user_id"])
        #expect(
            survey.undeclared.last?.proposal == [
                "@refers public.plans.user_id -> public.users (id::text)"
            ])
    }

    @Test func accountSurveyUsesForeignKeysAsEvidenceForColumnsOfTheSameName() throws {
        let lab = try empty(
            "create table besitzer (id int primary key references users on delete cascade)",
            "create table hunde (id int primary key, halter int references users on delete cascade)",
            "create table katzen (id int primary key, halter int)")
        let survey = try survey(lab)
        #expect(survey.undeclared.map(\.name) == ["public.katzen.halter"])
        #expect(survey.undeclared.first?.because.map(\.points) == [3])
    }

    @Test func accountSurveyFindsReferencesByTheirValues() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table hunde (id int primary key, halter uuid not null, rasse uuid)",
            "insert into hunde select n, case when n % 2 = 0 then '\(ErasureLab.ada)' else '\(ErasureLab.bob)' end::uuid, gen_random_uuid() from generate_series(1, 40) n",
        ])
        let survey = try survey(lab)
        #expect(survey.undeclared.map(\.name) == ["public.hunde.halter"])
        #expect(survey.undeclared.first?.parent == "public.users.id")
    }

    /// The text column contains keys of posts, but no column refers to the text column or to a generated key.
    @Test func accountSurveyDoesNotProposeATextCopyOfAKeyAsAParent() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id uuid primary key default gen_random_uuid(), user_id uuid references users on delete cascade)",
            "insert into posts (user_id) select '\(ErasureLab.ada)' from generate_series(1, 40)",
            "create table found (id text primary key, body text)", "insert into found select id::text, 'x' from posts",
            "create table events (id int generated always as identity primary key, what text, subject uuid)",
            "insert into events (what, subject) select 'made', id from posts",
        ])
        #expect(
            try survey(lab).undeclared.map { [$0.name, $0.parent] } == [
                ["public.events.subject", "public.posts.id"], ["public.found.id", "public.posts.id"],
            ])
    }

    /// A directive can't contain these names, but the survey still lists the columns.
    @Test func accountSurveyAsksAboutNamesThatADirectiveCannotContain() throws {
        let lab = try empty(
            "create table \"x -> y : z where\" (id int primary key, \"user_id\" bigint, \"a -> b ( user_id\" bigint)",
            "create table \"a (lower(b)\" (id int primary key, user_id bigint)")
        #expect(try survey(lab).undeclared.count == 3)
    }

    @Test func accountSurveyListsNumberColumnsOnlyIfTheirNameLooksLikeAKey() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 200) n",
            "create table goods (id int primary key, shelf int, stock int, user_id bigint)",
            "insert into goods select n, n % 50 + 1, n % 90 + 1, n % 200 + 1 from generate_series(1, 300) n", "analyze")
        #expect(try survey(lab).undeclared.map(\.name) == ["public.goods.user_id"])
    }

    @Test func accountSurveyUsesTheTypeColumnOfAPolymorphicReference() throws {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 20) n",
            "create table products (id int primary key)", "insert into products select n from generate_series(1, 20) n",
            "create table comments (id int primary key, subject_type text, subject_id bigint)",
            """
            insert into comments select n, case when n = 9 then 'Badge' when n % 2 = 0 then 'User' else 'Product' end, n
              from generate_series(1, 20) n
            """
        )
        let question = try #require(try survey(lab).undeclared.first)
        #expect(question.name == "public.comments.subject_id")
        #expect(
            question.proposal == [
                "@refers public.comments.subject_id -> public.users.id where subject_type::text in ('User')",
                "public.comments.subject_id, ask: the column subject_type also contains Badge, and no table has such a name",
            ])
        #expect(try survey(lab).undeclared.count == 1)
    }

    @Test func accountSurveyFindsUsersInTextsAndDocuments() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table events (id int primary key, payload jsonb, note text, kind text)",
            """
            insert into events values (1, '{"by": "\(ErasureLab.ada)"}', 'from ada@example.com', 'a'), (2, '{"n": 1}', 'x', 'b')
            """,
            "create table invites (id int primary key, mail text not null)",
        ])
        #expect(
            try survey(lab).undeclared.map { "\($0.name) \($0.effect)" } == [
                "public.events.note ignore", "public.events.payload ignore", "public.invites.mail delete",
            ])
    }

    @Test func directivesThatTheSurveyProposesAnswerAllItsQuestions() throws {
        let lab = try empty(
            "create table posts (id int primary key, user_id bigint not null)",
            "create table marks (id int, post_id int not null)")
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
        #expect(again.undeclared.map(\.name) == [] && again.isClean)
        #expect(throws: Failure.self) { try Survey.append(try survey(lab).block, to: "/dev/zero") }
    }

    /// The text column contains values that can't be keys of the named table.
    @Test func accountSurveyAsksAboutAPolymorphicReferenceWithATextKey() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table products (id uuid primary key)", "insert into products select gen_random_uuid()",
            "create table remarks (id int primary key, about_type text, about_id text)",
            "insert into remarks values (1, 'Product', 'number 1'), (2, 'User', '\(ErasureLab.ada)')",
        ])
        #expect(try survey(lab).undeclared.map(\.name) == ["public.remarks.about_id"])
    }

    /// Today no user has this email, but a later user may, so the app file must decide about the column.
    @Test(arguments: ["email", "contact_email"]) func accountSurveyAsksAboutEveryEmailColumn(column: String)
        throws
    {
        let lab = try empty(
            "insert into users select n, n || '@example.com' from generate_series(1, 20) n",
            "create table staff (id int primary key, \(column) text)",
            "create table guests (id int primary key, \(column) text)",
            "insert into staff select n, 'staff' || n || '@example.net' from generate_series(1, 8) n", "analyze")
        let asked = try survey(lab).undeclared
        #expect(asked.map(\.name) == ["public.guests.\(column)", "public.staff.\(column)"])
        #expect(asked.allSatisfy { !$0.proposal.isEmpty })
    }

    /// A column that the role can't read may name a user.
    @Test func accountSurveyListsColumnsThatTheRoleCannotRead() throws {
        let lab = try empty(
            "create table rooms (id int primary key, shelf int, wessen int, note text, seal uuid, made date)",
            "create table halls (id serial primary key, wessen int)")
        try lab.database.run(
            "revoke select on rooms from \(ErasureLab.hosted)",
            "grant select (id, shelf) on rooms to \(ErasureLab.hosted)",
            "revoke select on halls from \(ErasureLab.hosted)")
        let survey = try survey(lab)
        #expect(survey.hidden == ["public.halls.wessen", "public.rooms.note", "public.rooms.wessen"])
        #expect(!survey.isClean)
    }
}
