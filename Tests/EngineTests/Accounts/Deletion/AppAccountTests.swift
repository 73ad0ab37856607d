import Accounts
import AppFile
import Asking
import Changes
import Inquiries
import PQ
import Support
import Testing

/// Deletions in the five shipped apps, with the `@account` lines of their app files.
@Suite struct AppAccountTests {
    private func lab(_ app: String) throws -> ErasureLab {
        try ErasureLab(database: try TestCluster.database(of: app), [])
    }

    /// The rows of all other users are the same before and after the deletion.
    @Test(arguments: ["impulse", "xtablo", "langchat", "strikelab", "importer"])
    func deletionLeavesNoRowOfAUserOfTheBuiltInApps(app: String) throws {
        let lab = try lab(app)
        let file = try AppLibrary.app(app)
        let users = try lab.rows(
            "select id, email from auth.users order by created_at desc, id limit \(isDeep ? 8 : 2)")
        for user in users {
            let id = try #require(user[0])
            let report = try lab.delete(id, root: nil, app: file, collateral: .delete)
            #expect(report.isVerified, "\(app) \(id): \(report.undeclared) \(report.appeared ?? [:])")
            let left = try lab.everything().filter { row in
                row.contains(id) && !row.hasPrefix("storage.objects")
            }
            #expect(left.isEmpty, "\(app): \(left.prefix(3))")
        }
    }

    /// The audit log doesn't record the table of users if `@users` selects from a view and the app file has no `@root`.
    @Test func deletionReportsAppsWhoseEntriesItCannotErase() throws {
        let lab = try ErasureLab([
            "create table person (id int primary key)", "insert into person values (1), (2), (3)",
        ])
        try lab.database.run(
            """
            insert into usher.act (app, digest, kind, name, role, definition)
            values ('members', '\\x00', 'app', 'members', 'usher_support', '{"root": null}')
            """)
        #expect(try lab.delete("3", root: "public.person").remarks == [])
        try lab.database.run(
            """
            select usher.record(gen_random_uuid(), 'change', 'committed', 'member pay', 'members', '\\x00', null, null, null,
                                '{1}', '{"users": ["1"]}')
            """)
        let report = try lab.delete("1", root: "public.person")
        #expect(report.remarks.count == 1 && report.remarks[0].contains("@root TABLE.COLUMN"), "\(report.remarks)")
        try lab.database.run("update usher.act set retired_at = now()")
        #expect(try lab.delete("2", root: "public.person").remarks == [])
    }

    /// No table of the five apps has an undeclared column with users, and the survey finds such columns of new tables.
    @Test(arguments: ["impulse", "xtablo", "langchat", "strikelab", "importer"])
    func builtInAppsDeclareEveryColumnThatTheSurveyFinds(app: String) throws {
        let lab = try lab(app)
        func survey() throws -> Survey {
            try Survey.make(
                AccountRequest(users: []), on: try lab.database.connect(user: ErasureLab.hosted),
                candidates: [try AppLibrary.app(app)], options: InquiryOptions())
        }
        #expect(try survey().isClean)
        try lab.database.run(
            "create table public.notes (id serial primary key, author uuid, mail text, log jsonb)",
            "create table public.marks (id serial primary key, note_id int)",
            """
            insert into public.notes (author, mail, log)
            select id, email, jsonb_build_object('by', id) from auth.users limit 3
            """,
            "create table public.letters (id serial primary key, user_id uuid references auth.users on delete cascade)",
            "create table public.stamps (id serial primary key, letter_id int)",
            "insert into public.letters (user_id) select id from auth.users limit 3",
            "insert into public.stamps (letter_id) select id from public.letters")
        try lab.grant()
        #expect(
            try survey().undeclared.map(\.name) == [
                "public.notes.author", "public.notes.log", "public.notes.mail", "public.stamps.letter_id",
            ])
    }

    @Test func deletionInImpulseKeepsPaymentsForTheDeclaredReason() throws {
        let lab = try lab("impulse")
        let report = try lab.delete("grace@example.com", root: nil, app: try AppLibrary.app("impulse"))
        let kept = try #require(report.plan.entry("public.iap_transactions", .keep))
        let law = "Accounting law requires payment records; without the user they are anonymous."
        #expect(kept.rows == 4 && kept.why == law)
        #expect(report.plan.entry("public.iap_webhook_events", .set)?.rows == 4)
        #expect(try lab.value("select count(*) from public.iap_transactions where user_id is null") == "4")
        #expect(try lab.value("select count(*) from public.iap_webhook_events where payload = '{}'") == "4")
    }

    @Test func refusedDeletionInXtabloListsRowsSharedWithOtherUsers() throws {
        let lab = try lab("xtablo")
        let owner = try #require(
            try lab.value(
                """
                select o.billing_owner_id from public.organizations o
                  join public.organization_members m on m.organization_id = o.id and m.user_id <> o.billing_owner_id
                 where o.billing_owner_id is not null limit 1
                """))
        let refusal = try failure {
            try lab.delete(owner, root: nil, app: try AppLibrary.app("xtablo"))
        }
        #expect(refusal.kind == .refused)
        #expect(refusal.details.contains { $0.hasPrefix("public.organization_members") })
        // The rows of the other users require a reference to the organisation.
        let before = try lab.everything()
        let stuck = try failure {
            try lab.delete(owner, root: nil, app: try AppLibrary.app("xtablo"), collateral: .detach)
        }
        #expect(stuck.details.contains { $0.contains("can't be NULL") })
        #expect(try lab.everything() == before)
    }

    @Test func refusedDeletionInLangchatListsRowsSharedWithOtherUsers() throws {
        let lab = try lab("langchat")
        let user = try #require(
            try lab.value("select sender_id from public.messages group by 1 order by count(*) desc limit 1"))
        let app = try AppLibrary.app("langchat")
        let refusal = try failure { try lab.delete(user, root: nil, app: app) }
        #expect(refusal.details.contains { $0.hasPrefix("public.messages") })
        // A conversation requires both of its users, so a deletion can't empty the reference to one of them.
        #expect(try failure { try lab.delete(user, root: nil, app: app, collateral: .detach) }.kind == .refused)
        #expect(try lab.delete(user, root: nil, app: app, collateral: .delete).isVerified)
    }

    @Test func deletionDoesNotDeleteRowsOfStoredFilesWithoutAStorageAPI() throws {
        let lab = try lab("impulse")
        let files = try lab.value("select count(*) from storage.objects")
        let report = try lab.delete("ada@example.com", root: nil, app: try AppLibrary.app("impulse"))
        #expect(report.filesLeft.count == 2 && report.isVerified && !report.isComplete)
        #expect(try lab.value("select count(*) from storage.objects") == files)
    }

    @Test func auditLogDoesNotContainTheKeyOrEmailOfADeletedUser() throws {
        let lab = try lab("impulse")
        let app = try AppLibrary.app("impulse")
        var change = ChangeRequest(.action(noun: "partner", verb: "grant"))
        change.subjects = ["alan@example.com"]
        change.values = ["source": "influencer"]
        let database = lab.database
        let opened = try OpenedChange.open(
            change,
            in: Inquiry.open(on: try database.connect(), candidates: [app], options: InquiryOptions(), for: .change)
        ) { () throws(Failure) in throw Failure(.connection, "no") }
        guard case .one(let session) = opened else {
            Issue.record("a change of one user is not a bulk change")
            return
        }
        _ = try session.run(as: nil)
        let id = try #require(try lab.value("select id from auth.users where email = 'alan@example.com'"))
        let report = try lab.delete(id, root: nil, app: app, collateral: .delete) { $0.reason = "asked for it" }
        #expect(report.forgotten > 0)
        let ledger = try lab.rows("select o::text from usher.operation o union all select c::text from usher.change c")
        #expect(!ledger.contains { $0[0]?.contains(id) == true || $0[0]?.contains("alan@example.com") == true })
        #expect(
            try lab.value("select payload ->> 'reason' from usher.operation where kind = 'erasure'") == "asked for it")
        #expect(try lab.database.auditFindings() == [])
        let naming = try failure {
            try lab.delete("ada@example.com", root: nil, app: app) { $0.reason = "ada@example.com wants it" }
        }
        #expect(naming.kind == .refused)
    }

    @Test func recordedAttemptOfARefusedDeletionDoesNotNameTheUser() throws {
        let app = try ErasureLab.app([])
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (id int primary key, owner uuid references users, other uuid references users)",
            "insert into notes values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
        ])
        let wish = "wish of ADA@example.com"
        let attempts: [(AccountAnswer?, String?, String?)] = [
            (.delete, wish, nil), (nil, wish, "T-1"), (.delete, nil, "mail/\(ErasureLab.ada)"),
            (nil, "as the law has it", "T-1"),
        ]
        for isAnswered in [false, true] {
            for (collateral, reason, ticket) in attempts {
                let refusal = try failure {
                    try lab.delete("ada@example.com", root: nil, app: app, collateral: collateral) {
                        ($0.reason, $0.ticket, $0.isAnswered) = (reason, ticket, isAnswered)
                    }
                }
                #expect(refusal.kind == .refused, "\(refusal)")
            }
        }
        let reasons = try lab.rows("select payload ->> 'reason', payload ->> 'ticket' from usher.operation order by at")
        let silent: [String?] = [nil, nil]
        let attempt = [silent, silent, silent, ["as the law has it", "T-1"]]
        #expect(reasons == attempt + attempt)
    }

    @Test func deletionRefusesATicketThatContainsTheKeyAsAWholeNumber() throws {
        let app = try ErasureLab.app([])
        let lab = try ErasureLab([
            "create table users (id int primary key, email text)", "insert into users values (1042, 'ada@example.com')",
        ])
        #expect(try failure { try lab.delete("1042", root: nil, app: app) { $0.ticket = "T-1042" } }.kind == .refused)
        let report = try lab.delete("1042", root: nil, app: app) { $0.ticket = "T-10421042" }
        #expect(report.isComplete)
    }
}
