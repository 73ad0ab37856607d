@testable import Accounts
import AppFile
@testable import Asking
import PQ
import Support
import Testing

/// Without `--shared` or `@shared`, a deletion never deletes rows that also belong to other users.
@Suite struct SharedRowTests {
    private static let people = [
        "create table users (id int primary key, email text)",
        "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
    ]

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(Self.people + statements)
    }

    /// Tries to delete Ada without `--shared`, and returns the reasons of the refusal.
    private func shared(_ lab: ErasureLab, suspected: [String] = []) throws -> [String] {
        let before = try lab.everything()
        let refusal = try failure { try lab.delete("42", suspected: suspected) }
        #expect(refusal.kind == .refused && refusal.message.contains("shared"), "\(refusal)")
        #expect(try lab.everything() == before)
        return refusal.details
    }

    /// The option `--shared` or the directive `@shared` decides that rows stay for other users.
    @Test(arguments: [AccountAnswer.detach], [true, false])
    func sharedRowsLoseTheirReferenceToTheDeletedUser(answer: AccountAnswer, isLine: Bool) throws {
        let lab = try lab(
            """
            create table teams (id int primary key, lead int references users on delete cascade,
                                deputy int references users on delete cascade)
            """, "insert into teams values (1, 42, 7), (2, 42, null), (3, 7, 42)")
        let app = try ErasureLab.app(["@shared public.teams : \(answer.rawValue) : They go on."])
        for dryRun in [true, false] {
            let report = try lab.delete(
                "42", root: isLine ? nil : "public.users", app: isLine ? app : nil, collateral: isLine ? nil : answer,
                dryRun: dryRun)
            #expect(report.plan.entry("public.teams", .detach)?.rows == 2)
            #expect(report.plan.groups.map { "\($0.kind) \($0.rows)" } == ["owned 2", "detached 2"])
            #expect(report.plan.rows(under: .keep).isEmpty && report.plan.rows(under: .detach) == ["public.teams": 2])
        }
        #expect(try lab.rows("select id, lead, deputy from teams order by id") == [["1", nil, "7"], ["3", "7", nil]])
    }

    @Test func deletionCountsAMessageOfAnotherUserInAChatAsShared() throws {
        let lab = try lab(
            "create table profiles (id int primary key, user_id int not null unique references users on delete cascade)",
            "create table accts (id int primary key, profile_id int not null references profiles on delete cascade)",
            "create table chats (id int primary key, creator int references accts on delete cascade)",
            """
            create table messages (id int primary key, chat int references chats on delete cascade,
                                   sender int references accts on delete cascade)
            """,
            "insert into profiles values (1, 42), (2, 7)", "insert into accts values (10, 1), (20, 2)",
            "insert into chats values (1, 10)", "insert into messages values (1, 1, 10), (2, 1, 20), (3, null, 20)")
        #expect(try shared(lab) == ["public.messages: 1 of 2"])
        let report = try lab.delete("42", collateral: .detach)
        #expect(report.isVerified)
        #expect(try lab.rows("select id, chat from messages order by id") == [["2", nil], ["3", nil]])
    }

    @Test(arguments: ["on delete cascade"])
    func deletionCountsARowThatBelongsToTwoUsersAsShared(action: String) throws {
        let lab = try lab(
            "create table folders (id int primary key, owner int not null references users on delete cascade)",
            "create table orgs (id int primary key, owner int not null references users on delete cascade)",
            """
            create table docs (id int primary key, folder int references folders on delete cascade,
                               org int references orgs \(action))
            """,
            "insert into folders values (1, 42)", "insert into orgs values (1, 7), (2, 42)",
            "insert into docs values (1, 1, 1), (2, 1, 2), (3, 1, null)")
        #expect(try shared(lab) == ["public.docs: 1 of 3"])
        #expect(try lab.delete("42", collateral: .delete).isVerified)
        #expect(try lab.value("select count(*) from docs") == "0")
    }

    @Test(arguments: ["1, 42", "1, 7", "null, null"], [true, false])
    func deletionInBatchesKeepsSharedRowsDespiteACascade(second: String, isLine: Bool) throws {
        let lab = try lab(
            "create table teams (id int primary key, owner int references users on delete cascade)",
            """
            create table crew (id int primary key, team int references teams on delete cascade,
                               member int references users on delete cascade)
            """,
            "insert into teams values (1, 42)", "insert into crew values (1, 1, 7), (2, \(second))")
        let kept = try ErasureLab.app(["@shared public.crew : detach : They go on."])
        let report = try lab.delete(
            "42", root: isLine ? nil : "public.users", app: isLine ? kept : nil, collateral: isLine ? nil : .detach
        ) { $0.batch = 1 }
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from teams") == "0")
        #expect(try lab.rows("select team, member from crew where id = 1") == [[nil, "7"]])
    }

    // MARK: Rows that only lose their reference

    private static let chats = [
        "create table chats (id int primary key, creator int references users on delete cascade)",
        """
        create table messages (id int primary key, chat int references chats on delete cascade,
                               sender int references users on delete cascade, body text)
        """,
        "insert into chats values (1, 42), (2, 7)",
        "insert into messages values (1, 1, 42, 'hers'), (2, 1, 7, 'his'), (3, 2, 42, 'hers'), (4, 2, 7, 'his')",
    ]

    @Test func sharedRowsOfOtherUsersLoseOnlyTheirReferenceToTheUser() throws {
        let lab = try ErasureLab(Self.people + Self.chats)
        #expect(try shared(lab) == ["public.messages: 1 of 3"])
        let plan = try lab.plan("42", collateral: .detach)
        #expect(plan.entry("public.messages")?.rows == 2 && plan.entry("public.messages", .detach)?.rows == 1)
        let report = try lab.delete("42", collateral: .detach)
        #expect(report.isVerified && report.rows("public.messages") == 2 && report.rows("public.chats") == 1)
        #expect(
            try lab.rows("select id, chat, sender, body from messages order by id") == [
                ["2", nil, "7", "his"], ["4", "2", "7", "his"],
            ])
    }

    @Test func deletionIsRefusedIfASharedRowRequiresItsReference() throws {
        let lab = try ErasureLab(Self.people + Self.chats)
        try lab.database.run("alter table messages alter chat set not null")
        let before = try lab.everything()
        let refusal = try failure { try lab.delete("42", collateral: .detach) }
        #expect(
            refusal.kind == .refused
                && refusal.details == [
                    "public.messages (chat) → public.chats can't be NULL, but some rows stay and would lose this value"
                ], "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// The plan finds the required column of `@refers` before anything is deleted.
    @Test(arguments: [AccountAnswer.detach]) func deletionIsRefusedIfARefersDirectiveDetachesARequiredColumn(
        answer: AccountAnswer
    )
        throws
    {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id int primary key, user_id uuid references users on delete cascade)",
            "create table comments (id int primary key, about int not null, writer uuid references users)",
            "insert into posts values (1, '\(ErasureLab.ada)')",
            "insert into comments values (1, 1, '\(ErasureLab.bob)')",
        ])
        let app = try ErasureLab.app(["@refers public.comments.about -> public.posts.id"])
        let plan = try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: .delete, dryRun: true).plan
        #expect(plan.obstacles.isEmpty)
        let before = try lab.everything()
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: answer) }
        #expect(
            refusal.details.contains { $0.contains("public.comments (about)") && $0.contains("can't be NULL") },
            "\(refusal)")
        #expect(try lab.everything() == before)
    }

}
