import Accounts
import AppFile
import Asking
import Foundation
import Grants
import Inquiries
import PQ
import Support
import Testing

/// What the lines of an app file say of some rows only, of what is said in texts, and of the app's own queue.
@Suite struct AccountWayTests {
    private func app(_ lines: String...) throws -> App { try ErasureLab.app(lines) }

    private func lab(_ statements: String...) throws -> ErasureLab { try ErasureLab(twoUsersAnd: statements) }

    private func failure(_ body: () throws -> Void) throws -> Failure {
        try #require(throws: Failure.self, performing: body)
    }

    /// Deletes Ada with an archive, looks, restores her, and holds everything to what it was before.
    private func roundTrip(
        _ lab: ErasureLab, _ app: App, as role: String = ErasureLab.hosted, collateral: AccountAnswer? = nil,
        look: (ErasureReport) throws -> Void
    ) throws {
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: collateral, role: role) {
            $0.archive = path
        }
        #expect(report.isVerified, "\(report.suspects) \(report.written)")
        try look(report)
        let back = try Restore.open(
            path, reason: nil, isDryRun: false, on: try lab.database.connect(user: role),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: role)
        ).run(reason: nil, ticket: nil, isDryRun: false)
        #expect(back.missed.isEmpty, "\(back.missed)")
        #expect(try lab.everything() == before)
    }

    // MARK: Some rows of a table

    private func letters() throws -> ErasureLab {
        try lab(
            """
            create table letters (id int primary key, sender uuid references users on delete cascade,
                                  recipient uuid references users on delete cascade, state text, body text)
            """,
            """
            insert into letters values (1, '\(ErasureLab.ada)', null, 'open', 'one'), (2, null, '\(ErasureLab.ada)', 'open', 'two'),
                   (3, '\(ErasureLab.ada)', '\(ErasureLab.ada)', 'paid', 'three'), (4, '\(ErasureLab.bob)', null, 'paid', 'four')
            """,
            "create table stamps (id int primary key, letter int references letters on delete cascade)",
            "insert into stamps values (1, 1), (2, 2), (3, 3), (4, 4)")
    }

    private let left = """
        select string_agg(concat_ws(' ', id, sender is not null, recipient is not null, body), ', ' order by id) from letters
        """

    @Test func rowsStayThatComeByOneWay() throws {
        let lab = try letters()
        let app = try app("@keep public.letters via recipient : Who wrote it keeps it.")
        try roundTrip(lab, app) { report throws in
            #expect(try lab.value(left) == "2 f f two, 3 f f three, 4 t f four")
            #expect(try lab.value("select string_agg(id::text, ' ' order by id) from stamps") == "2 3 4")
            let kept = try #require(report.plan.entry("public.letters", .keep))
            #expect(kept.rows == 2 && kept.why == .declared("Who wrote it keeps it."))
            #expect(report.plan.entry("public.letters")?.rows == 1)
        }
    }

    @Test func rowsStayThatMeetACondition() throws {
        let lab = try letters()
        try roundTrip(lab, try app("@keep public.letters where state = 'paid' : The law.")) { report throws in
            #expect(try lab.value(left) == "3 f f three, 4 t f four")
            #expect(report.plan.entry("public.letters", .keep)?.rows == 1 && report.rows("public.letters") == 2)
        }
        let both = try letters()
        try roundTrip(both, try app("@keep public.letters via sender where state = 'open' : The law.")) { _ throws in
            #expect(try both.value(left) == "1 f f one, 4 t f four")
        }
    }

    @Test func rowsThatStayByAWayAreOverwritten() throws {
        let lab = try letters()
        let app = try app(
            "@anonymise public.letters.body = 'gone' via sender : Answers refer to it.",
            "@anonymise public.letters.state = 'old' via sender where state = 'open' : Nobody waits.")
        try roundTrip(lab, app) { report throws in
            #expect(try lab.value(left) == "1 f f gone, 3 f f gone, 4 t f four")
            #expect(try lab.value("select string_agg(state, ' ' order by id) from letters") == "old paid paid")
            #expect(report.plan.entry("public.letters", .anonymise)?.rows == 2)
        }
    }

    /// Whatever a key does with the reference, and whatever whoever deletes says of rows that others share.
    @Test(arguments: ["cascade", "set null", "no action"], [AccountAnswer?.none, .keep, .detach, .delete])
    func rowsThatALineOverwritesAreOverwritten(action: String, answer: AccountAnswer?) throws {
        let lab = try lab(
            """
            create table deals (id int primary key, owner uuid references users on delete set null,
                                seller uuid references users on delete \(action), title text, state text)
            """,
            """
            insert into deals values (1, null, '\(ErasureLab.ada)', 'a', 'open'), (2, '\(ErasureLab.ada)', null, 'b', 'open'),
                   (3, '\(ErasureLab.bob)', '\(ErasureLab.ada)', 'c', 'paid'), (4, '\(ErasureLab.ada)', '\(ErasureLab.ada)', 'd', 'paid'),
                   (5, '\(ErasureLab.ada)', '\(ErasureLab.bob)', 'e', 'open')
            """)
        let app = try app(
            "@anonymise public.deals.title = 'gone' via seller : Books.",
            "@anonymise public.deals.state = 'old' via seller where state = 'open' : Nobody waits.")
        try roundTrip(lab, app, collateral: answer) { report throws in
            #expect(
                try lab.value(
                    "select string_agg(concat_ws(' ', id, owner, seller, title, state), ', ' order by id) from deals")
                    == "1 gone old, 2 b open, 3 \(ErasureLab.bob) gone paid, 4 gone paid, 5 \(ErasureLab.bob) e open")
            let entries = report.plan.entries.filter { $0.table == "public.deals" }
            #expect(entries.map(\.rows) == [3, 2] && entries.first?.policy == .anonymise)
        }
    }

    /// What led to a row, or met the condition, is emptied and overwritten itself.
    @Test func aRowStaysAlthoughWhatKeptItIsGone() throws {
        let lab = try lab(
            "create table notes (id int primary key, author uuid references users on delete cascade, about uuid, state text)",
            "insert into notes values (1, '\(ErasureLab.ada)', '\(ErasureLab.ada)', 'a'), (2, null, '\(ErasureLab.ada)', 'b')"
        )
        let app = try app(
            "@reference public.notes.about -> public.users.id", "@keep public.notes via author : Others read it.",
            "@anonymise public.notes.author = null via author : Not who made it.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(
            try lab.value("select string_agg(concat_ws(' ', id, author, about), ', ') from notes")
                == "1 \(ErasureLab.ada)")
    }

    @Test func rowsThatCannotStayRefuseBefore() throws {
        let lab = try lab(
            "create table bills (id int primary key, payer uuid not null references users, paid boolean)",
            "insert into bills values (1, '\(ErasureLab.ada)', true)",
            "create table visits (user_id uuid references users, paid boolean)",
            "insert into visits values ('\(ErasureLab.ada)', true)")
        let refusal = try failure {
            try lab.delete(ErasureLab.ada, root: nil, app: try self.app("@keep public.bills where paid : The law."))
        }
        #expect(refusal.kind == .refused)
        #expect(
            refusal.details.contains { $0.contains("must not be empty, so rows that a line") }, "\(refusal.details)")
        let keyless = try failure {
            try lab.delete(ErasureLab.ada, root: nil, app: try self.app("@keep public.visits where paid : The law."))
        }
        #expect(keyless.kind == .refused && keyless.message.contains("public.visits has no key"))
        #expect(try lab.value("select count(*) from users") == "2")
    }

    // MARK: What is said in texts

    @Test func aTextLosesNobodyButThePerson() throws {
        let lab = try lab(
            "create table logs (id int primary key, line text not null, data jsonb not null, raw json)",
            """
            insert into logs values
                (1, 'Mail to Ada@Example.com, cc bob@example.com, of \(ErasureLab.ada.uppercased())!',
                 '{"by": "\(ErasureLab.ada)", "to": ["ada@example.com", "bob@example.com"], "n": 1.10}',
                 '{"b" : "ada\\u0040example.com",  "a":2}'),
                (2, 'bob@example.com and joada@example.com', '{"by": "\(ErasureLab.bob)"}', null),
                (3, 'ada@example.com', '"ada@example.com"', '["x''\\"ada@example.com"]')
            """)
        let app = try app(
            "@mention public.logs.line : anonymise", "@mention public.logs.data : anonymise",
            "@mention public.logs.raw : anonymise")
        try roundTrip(lab, app) { report throws in
            #expect(
                try lab.rows("select line, data, raw from logs order by id") == [
                    [
                        "Mail to ***, cc bob@example.com, of ***!",
                        #"{"n": 1.10, "by": "***", "to": ["***", "bob@example.com"]}"#,
                        #"{"b" : "***",  "a":2}"#,
                    ],
                    ["bob@example.com and joada@example.com", #"{"by": "\#(ErasureLab.bob)"}"#, nil],
                    ["***", #""***""#, #"["x'\"***"]"#],
                ])
            #expect(report.plan.entry("public.logs", .anonymise)?.rows == 2)
        }
    }

    /// An address that only ends like theirs is nobody's for certain, so that no line changes what names it.
    @Test(arguments: [
        ("anonymise", ["to y-ada@example.com", "to ***", "***, y-ada@example.com"]),
        ("detach", ["to y-ada@example.com", nil, nil]),
    ])
    func aLineTakesNoLongerAddressForThePerson(answer: String, left: [String?]) throws {
        let lab = try lab(
            "create table logs (id int primary key, line text, data jsonb, list text[])",
            """
            insert into logs values
                (1, 'to y-ada@example.com', '{"to": "y-ada@example.com"}', '{y-ada@example.com}'),
                (2, 'to ada@example.com', null, '{ada@example.com,y-ada@example.com}'),
                (3, 'ada@example.com, y-ada@example.com', null, null)
            """)
        let app = try app(
            "@mention public.logs.line : \(answer)", "@mention public.logs.data : \(answer)",
            "@mention public.logs.list : detach")
        try roundTrip(lab, app) { report throws in
            #expect(try lab.rows("select line from logs order by id").map { $0[0] } == left)
            #expect(
                try lab.rows("select data, list from logs order by id") == [
                    [#"{"to": "y-ada@example.com"}"#, "{y-ada@example.com}"], [nil, "{y-ada@example.com}"], [nil, nil],
                ])
            let residue = try Residue.search(
                "ada@example.com", on: try lab.database.connect(user: "postgres"), candidates: [app],
                options: InquiryOptions(), progress: { _ in })
            // It is there to look at, and holds nobody up.
            #expect(Set(residue.found.map(\.column)).isSuperset(of: ["data", "list"]) && residue.isClean)
        }
        // Of what no line settles whoever decides is told.
        let open = try lab.plan(ErasureLab.ada, thoroughly: false).unanswered
        #expect(
            open.map { "\($0.column) \($0.rows) \($0.isDoubtful)" } == ["data 1 true", "line 3 false", "list 2 false"])
    }

    /// Whoever is known by the address alone is no longer address either.
    @Test func aLongerAddressIsNotTheKey() throws {
        let lab = try ErasureLab(
            "create table users (email text primary key)",
            "insert into users values ('ada@example.com'), ('bob@example.com')",
            "create table logs (id int primary key, line text)",
            "insert into logs values (1, 'to y-ada@example.com'), (2, 'to ada@example.com')")
        let app = try ErasureLab.app(["@mention public.logs.line : anonymise"], key: "email")
        #expect(try lab.delete("ada@example.com", root: nil, app: app) { $0.account.isThorough = false }.isVerified)
        #expect(try lab.rows("select line from logs order by id") == [["to y-ada@example.com"], ["to ***"]])
    }

    /// Small numbers are people only where a name says so, and other numbers stay.
    @Test func aDocumentLosesTheNumberOfThePerson() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)",
            "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
            "create table events (id int primary key, data jsonb)",
            """
            insert into events values (1, '{"user_id": 42, "count": 42, "other": {"user": {"id": 42}}, "path": "users/42/a.png"}'),
                   (2, '{"user_id": 7, "count": 42}'), (3, '{"user_ids": [42, 7, 42]}'),
                   (4, '{"user_id": "42", "count": "42", "user": {"id": "42"}, "raw": "{\\"user_id\\": \\"42\\"}"}')
            """)
        #expect(
            try lab.delete("42", root: nil, app: try app("@mention public.events.data : anonymise")).isVerified)
        #expect(
            try lab.rows("select data from events order by id") == [
                [#"{"path": "users/***/a.png", "count": 42, "other": {"user": {"id": null}}, "user_id": null}"#],
                [#"{"count": 42, "user_id": 7}"#],
                // Of what cannot be told from the rest nothing stays.
                ["null"],
                [#"{"raw": "{\"user_id\": null}", "user": {"id": null}, "count": "42", "user_id": null}"#],
            ])
    }

    /// A long number is a person wherever it stands, as a number or in quotes.
    @Test func aDocumentLosesTheLongNumberOfThePerson() throws {
        let (ada, bob) = ("482100937465", "482100937466")
        let lab = try ErasureLab(
            "create table users (id bigint primary key, email text)",
            "insert into users values (\(ada), 'ada@example.com'), (\(bob), 'bob@example.com')",
            "create table events (id int primary key, data jsonb)",
            """
            insert into events values (1, '{"who": "\(ada)", "n": \(ada), "\(ada)": 1, "of": ["\(ada)", "\(bob)"]}'),
                   (2, '"\(ada)"'), (3, '{"raw": "{\\"who\\": \\"\(ada)\\"}", "to": "\(bob)"}')
            """)
        #expect(try lab.delete(ada, root: nil, app: try app("@mention public.events.data : anonymise")).isVerified)
        #expect(
            try lab.rows("select data from events order by id") == [
                [#"{"n": null, "of": [null, "\#(bob)"], "who": null, "null": 1}"#], ["null"],
                [#"{"to": "\#(bob)", "raw": "{\"who\": null}"}"#],
            ])
    }

    /// What a list lists may go by whichever way, and the rest of the list stays.
    @Test(arguments: ["", "@reference public.albums.shown -> public.photos.id"], ["int", "text", "uuid"])
    func keysOfRowsThatGoLeaveTheirLists(reference: String, type: String) throws {
        let name = reference.isEmpty ? "photo_ids" : "shown"
        let begins = ["uuid": "cccccccc-0000-4000-8000-00000000000", "text": "photo "][type] ?? ""
        func id(_ number: String) -> String { "('\(begins)' || \(number))::\(type)" }
        let lab = try lab(
            "create table photos (id \(type) primary key)",
            "insert into photos select \(id("n")) from generate_series(1, 3) n",
            "alter table users add avatar \(type) unique references photos",
            "update users set avatar = \(id("case when email ~ '^ada' then 1 else 2 end"))",
            "create table albums (id int primary key, \(name) \(type)[])",
            """
            insert into albums values (1, array[\(id("1")), \(id("2"))]), (2, array[\(id("2")), \(id("3"))]),
                                      (3, array[\(id("1"))]), (4, null)
            """)
        let lines = ["@owns public.users.avatar -> public.photos.id", "@detach public.albums.\(name) : They go."]
        let app = try ErasureLab.app(lines + [reference].filter { !$0.isEmpty })
        try roundTrip(lab, app) { report throws in
            #expect(report.rows("public.photos") == 1)
            #expect(report.plan.entry("public.albums", .detach)?.rows == 2)
            #expect(
                try lab.rows("select cardinality(\(name)) from albums order by id") == [["1"], ["2"], ["0"], [nil]])
        }
    }

    // MARK: The app's own queue

    private func shop() throws -> ErasureLab {
        try lab(
            "create table plans (id int primary key, user_id uuid references users on delete cascade, at_stripe text)",
            "insert into plans values (1, '\(ErasureLab.ada)', 'sub_1'), (2, '\(ErasureLab.bob)', 'sub_2')",
            """
            create table jobs (id int generated always as identity primary key, kind text not null, "for" text,
                               due timestamptz not null, shout text generated always as (upper(kind)) stored)
            """,
            "insert into jobs (kind, \"for\", due) values ('mail', '\(ErasureLab.bob)', '2026-01-01')")
    }

    private let cancel = """
        @do Cancels what runs at Stripe.
        insert into public.jobs (kind, "for", due)
        select 'cancel', p.at_stripe || ' of ' || u.email, :now
          from public.plans p join users u on u.id = p.user_id where p.user_id = any(:users);
        """

    @Test func whatTheAppHasToDoIsWrittenDownBefore() throws {
        let lab = try shop()
        let app = try app(cancel)
        let plan = try AccountPlan.make(
            AccountRequest(users: [ErasureLab.ada]), on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [app], options: InquiryOptions())
        #expect(plan.written.map(\.table) == ["public.jobs"] && plan.written[0].why == "Cancels what runs at Stripe.")
        let tried = try lab.delete(ErasureLab.ada, root: nil, app: app, dryRun: true)
        #expect(tried.added.map(\.rows) == [1] && tried.wouldBeComplete)
        #expect(try lab.value("select count(*) from jobs") == "1")
        try roundTrip(lab, app) { report throws in
            #expect(report.added.map(\.table) == ["public.jobs"] && report.added[0].rows == 1)
            #expect(report.written.isEmpty)
            #expect(
                try lab.rows("select kind, \"for\", shout from jobs order by id")[1]
                    == ["cancel", "sub_1 of ada@example.com", "CANCEL"])
        }
    }

    /// Whoever has no more than the derived rights.
    @Test func whatTheLinesDoIsGrantedToWhoeverDeletes() throws {
        let lab = try shop()
        try lab.database.run(
            "create table memos (id int primary key, line text not null, mood text)",
            "insert into memos values (1, 'of ada@example.com', 'ada@example.com'), (2, 'x', null)")
        let app = try app(
            "@mention public.memos.line : anonymise", "@mention public.memos.mood : detach", cancel)
        let grants = try RoleGrants.derive(
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions())
        #expect(grants.unknown.isEmpty, "\(grants.unknown)")
        for grant in grants.grants { try lab.database.run(grant.sql) }
        let role = "exact_eraser"
        try lab.database.makeRole(role, "in role usher_eraser")
        try roundTrip(lab, app, as: role) { report throws in
            #expect(try lab.value("select concat_ws(' ', line, mood) from memos where id = 1") == "of ***")
            #expect(report.added.map(\.rows) == [1])
        }
    }

    @Test func whatWasWorkedOnIsLeftByARestoration() throws {
        let lab = try shop()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        try lab.delete(ErasureLab.ada, root: nil, app: try app(cancel)) { $0.archive = path }
        try lab.database.run("update jobs set kind = 'done' where kind = 'cancel'")
        let back = try Restore.open(
            path, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted)
        ).run(reason: nil, ticket: nil, isDryRun: false)
        #expect(back.missed == [.workedOn(TableRows("public.jobs", 1))])
        #expect(try lab.value("select count(*) from jobs") == "2")
    }

    @Test func batchesAddToTheQueueOnce() throws {
        let lab = try shop()
        try lab.database.run(
            "create table steps (id int primary key, user_id uuid references users on delete cascade)",
            "insert into steps select n, '\(ErasureLab.ada)' from generate_series(1, 30) n",
            "grant select, insert, update, delete on steps to \(ErasureLab.hosted)")
        let report = try lab.delete(ErasureLab.ada, root: nil, app: try app(cancel)) { $0.batch = 10 }
        #expect(report.isVerified && report.added.map(\.rows) == [1], "\(report.suspects) \(report.written)")
        #expect(try lab.value("select count(*) from jobs where kind = 'cancel'") == "1")
        #expect(try lab.value("select count(*) from users") == "1")
    }

    @Test func aQueueThatDoesNotTakeItRefusesTheDeletion() throws {
        let lab = try shop()
        try lab.database.run(
            "create table todo (id int generated always as identity primary key, user_id uuid references users on delete cascade)",
            "grant select, insert, update, delete on todo to \(ErasureLab.hosted)",
            "alter table jobs add constraint known check (kind <> 'cancel')")
        let refused = try failure { try lab.delete(ErasureLab.ada, root: nil, app: try self.app(self.cancel)) }
        #expect(refused.kind == .refused && refused.message.contains("Cancels what runs at Stripe."))
        let goes = try failure {
            try lab.delete(
                ErasureLab.ada, root: nil,
                app: try self.app("@do Tells.\ninsert into public.todo (user_id) select unnest(:users);"))
        }
        #expect(goes.message.contains("would go again with the account"))
        try lab.database.run(
            "alter table jobs drop constraint known", "revoke insert on jobs from \(ErasureLab.hosted)")
        let forbidden = try failure { try lab.delete(ErasureLab.ada, root: nil, app: try self.app(self.cancel)) }
        #expect(
            forbidden.kind == .forbidden
                && forbidden.details.contains { $0.contains("may not insert into public.jobs") })
        #expect(try lab.value("select count(*) from users") == "2")
        #expect(try lab.value("select count(*) from jobs") == "1")
    }

    @Test func linesThatNoDeletionCouldFollowAreMistakes() throws {
        let lab = try lab(
            "create table bills (id int primary key, payer uuid not null references users, clerk uuid, n int)",
            "create table todo (user_id uuid not null references users)")
        let app = try app(
            "@keep public.bills via payer : A.", "@keep public.bills via clerk : B.",
            "@keep public.bills where nn > 1 : C.",
            "@keep public.bills via nobody : D.", "@mention public.bills.n : anonymise",
            "@do Tells.\ninsert into public.todo (user_id) select unnest(:users);")
        let findings = try AppCheck.findings(in: app, on: try lab.database.connect(), options: InquiryOptions())
        let messages = Set(findings.map(\.message))
        #expect(
            messages == [
                "public.bills.payer must refer to public.users, so no row can stay without it",
                "public.bills.clerk leads nowhere: no foreign key and no @reference holds it",
                "@keep: column \"nn\" does not exist",
                "@keep public.bills via nobody: column \"nobody\" does not exist",
                "public.bills.n is integer, in which nobody can be made unknown",
                "every row of public.bills must refer to public.users, so none can stay without it",
                "every row of public.todo must refer to public.users, so none can stay without it",
            ], "\(messages)")
    }
}
