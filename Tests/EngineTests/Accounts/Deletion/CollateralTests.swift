@testable import Accounts
@testable import Asking
import PQ
import Support
import Testing

/// Rows of the account that are also somebody else's: asked about, never just deleted.
@Suite struct CollateralTests {
    private static let people = [
        "create table users (id int primary key, email text)",
        "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com')",
    ]

    private func lab(_ statements: String...) throws -> ErasureLab {
        try ErasureLab(Self.people + statements)
    }

    /// Deletes Ada unanswered, and gives what it is refused for.
    private func shared(_ lab: ErasureLab, suspected: [String] = []) throws -> [String] {
        let before = try lab.everything()
        let refusal = try failure { try lab.delete("42", suspected: suspected) }
        #expect(refusal.kind == .refused && refusal.message.contains("another user"), "\(refusal)")
        #expect(try lab.everything() == before)
        return refusal.details
    }

    /// What stays for others and is emptied of what it refers to loses the name, whichever word lets it stay.
    @Test(arguments: [AccountAnswer.keep, .detach], [true, false])
    func whatStaysWithoutWhatItRefersToLosesTheName(answer: AccountAnswer, isLine: Bool) throws {
        let lab = try lab(
            """
            create table teams (id int primary key, lead int references users on delete cascade,
                                deputy int references users on delete cascade)
            """, "insert into teams values (1, 42, 7), (2, 42, null), (3, 7, 42)")
        let app = try ErasureLab.app(["@collateral public.teams : \(answer.rawValue) : They go on."])
        for dryRun in [true, false] {
            let report = try lab.delete(
                "42", root: isLine ? nil : "public.users", app: isLine ? app : nil, collateral: isLine ? nil : answer,
                dryRun: dryRun)
            #expect(report.plan.entry("public.teams", .detach)?.rows == 2)
            #expect(report.plan.groups.map { "\($0.kind) \($0.rows)" } == ["alone 2", "detached 2"])
            #expect(report.kept.isEmpty && report.detached.map { "\($0.table) \($0.rows)" } == ["public.teams 2"])
        }
        #expect(try lab.rows("select id, lead, deputy from teams order by id") == [["1", nil, "7"], ["3", "7", nil]])
    }

    /// Of rows that stay those keep what they say in which the person is only mentioned.
    @Test func whatOnlyMentionsThePersonStaysAsItIs() throws {
        let lab = try lab(
            """
            create table teams (id int primary key, lead int references users on delete cascade,
                                deputy int references users on delete cascade, note text)
            """,
            "insert into teams values (1, 42, 7, ''), (2, 7, null, 'ask ada@example.com'), (3, 7, null, 'or ada@example.com')"
        )
        let report = try lab.delete("42", collateral: .keep, suspected: ["public.teams.note=delete"])
        let told = report.plan.entries.filter { $0.table == "public.teams" }.map { "\($0.policy) \($0.rows)" }
        #expect(told == ["detach 1", "keep 2"])
    }

    @Test func messagesBetweenAccountsAreOfBoth() throws {
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
        let report = try lab.delete("42", collateral: .keep)
        #expect(report.isVerified)
        #expect(try lab.rows("select id, chat from messages order by id") == [["2", nil], ["3", nil]])
    }

    @Test(arguments: ["on delete cascade", "", "on delete set null"]) func rowsOfTwoOwners(action: String) throws {
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

    /// What the database would take along with a row is no reason to take the row first.
    @Test(arguments: ["1, 42", "1, 7", "null, null"], [true, false])
    func batchesLeaveWhatOthersShare(second: String, isLine: Bool) throws {
        let lab = try lab(
            "create table teams (id int primary key, owner int references users on delete cascade)",
            """
            create table crew (id int primary key, team int references teams on delete cascade,
                               member int references users on delete cascade)
            """,
            "insert into teams values (1, 42)", "insert into crew values (1, 1, 7), (2, \(second))")
        let kept = try ErasureLab.app(["@collateral public.crew : keep : They go on."])
        let report = try lab.delete(
            "42", root: isLine ? nil : "public.users", app: isLine ? kept : nil, collateral: isLine ? nil : .keep
        ) { $0.batch = 1 }
        #expect(report.isVerified)
        #expect(try lab.value("select count(*) from teams") == "0")
        #expect(try lab.rows("select team, member from crew where id = 1") == [[nil, "7"]])
    }

    @Test(arguments: ["references users", ""]) func whoWroteDownWhatOthersUseOwnsNothing(key: String) throws {
        let lab = try lab(
            "create table taxes (id int primary key, created_by int \(key))", "insert into taxes values (1, 7)",
            "create table invoices (id int primary key, owner int references users on delete cascade)",
            "insert into invoices values (1, 42), (2, 7)",
            "create table lines (id int primary key, invoice int references invoices on delete cascade, tax int references taxes)",
            "insert into lines values (1, 1, 1), (2, 2, 1)")
        let report = try lab.delete("42")
        #expect(report.isVerified && report.rows("public.lines") == 1)
        #expect(try lab.rows("select id from lines") == [["2"]])
    }

    @Test(arguments: ["references users on delete set null", "references users", ""])
    func whoInvitedSomebodySharesNoMembership(key: String) throws {
        let lab = try lab(
            "create table orgs (id int primary key)", "insert into orgs values (1)",
            """
            create table members (id int primary key, org int references orgs,
                                  user_id int not null references users on delete cascade, "invitedById" int \(key))
            """,
            "insert into members values (1, 1, 42, 7), (2, 1, 7, null)")
        let report = try lab.delete("42")
        #expect(report.isVerified && report.rows("public.members") == 1)
        #expect(try lab.rows("select id from members") == [["2"]])
    }

    @Test func whoIsNearerOwnsARow() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int not null references users on delete cascade)",
            """
            create table likes (id int primary key, post int not null references posts on delete cascade,
                                user_id int not null references users on delete cascade)
            """,
            "create table emojis (id int primary key, \"like\" int references likes on delete cascade, post int references posts)",
            "insert into posts values (1, 7), (2, 42)", "insert into likes values (1, 1, 42)",
            "insert into emojis values (1, 1, null)")
        let report = try lab.delete("42")
        #expect(report.isVerified && report.rows("public.likes") == 1 && report.rows("public.emojis") == 1)
        #expect(try lab.rows("select id from posts") == [["1"]])
    }

    @Test(arguments: [("int", "42", "7"), ("uuid", ErasureLab.ada, ErasureLab.bob), ("text", "ada_love", "bob")])
    func columnsThatHoldUsersWithoutAKey(type: String, ada: String, bob: String) throws {
        let lab = try ErasureLab(
            "create table users (id \(type) primary key, email text)",
            "insert into users values ('\(ada)', 'ada@example.com'), ('\(bob)', 'bob@example.com')",
            "create table projects (id int primary key, owner \(type) references users on delete cascade)",
            """
            create table docs (id int primary key, project int references projects on delete cascade, author_id \(type),
                               size int)
            """,
            "insert into projects values (1, '\(ada)')",
            "insert into docs values (1, 1, '\(bob)', 7), (2, 1, '\(ada)', 7), (3, 1, null, 7)")
        let refusal = try failure { try lab.delete(ada) }
        #expect(refusal.kind == .refused && refusal.details == ["public.docs: 1 of 3"])
        let report = try lab.delete(ada, collateral: .keep)
        #expect(report.isVerified && report.rows("public.docs") == 2)
        #expect(try lab.rows("select id, project, author_id from docs") == [["1", nil, bob]])
    }

    // MARK: What a suspicion reaches

    @Test func anotherOfAlmostTheSameAddressLosesNothing() throws {
        let lab = try lab(
            "alter table users add meta jsonb",
            "create table settings (user_id int primary key references users on delete cascade, backup text, prefs jsonb)",
            "insert into users values (8, 'Ada@Example.com', '{\"email\": \"Ada@Example.com\", \"plan\": \"gold\"}')",
            "insert into settings values (8, 'x', '{\"a\": \"ada@example.com\", \"b\": \"keep\"}'), (42, null, null)")
        let twin = "select u::text || s::text from users u join settings s on s.user_id = u.id where u.id = 8"
        let before = try lab.value(twin)
        for answer in ["delete", "detach"] {
            let plan = try lab.plan("42", suspected: [answer])
            #expect(
                plan.suspects.map(\.name) == ["public.settings.prefs", "public.users.email", "public.users.meta"])
            #expect(
                plan.obstacles.isEmpty && plan.warnings.contains { if case .untouched = $0 { true } else { false } })
        }
        let report = try lab.delete("42", suspected: ["delete"])
        #expect(!report.isVerified)
        #expect(
            report.suspects.map(\.name) == ["public.settings.prefs", "public.users.email", "public.users.meta"])
        #expect(try lab.value(twin) == before)
    }

    @Test func whatOthersWroteAboutSomebodyIsTheirs() throws {
        let lab = try lab(
            "create table a (id int primary key, author int, body text)",
            "create table b (id int primary key, log jsonb)",
            "create table c (id int primary key, author text, body text)",
            "create table posts (id int primary key, author int not null references users)",
            "create table d (id int primary key, post int references posts, body text)",
            "create table e (id int primary key, body text)",
            "insert into a values (1, 7, 'thanks ada@example.com'), (2, 42, 'to bob@example.com from ada@example.com')",
            "insert into b values (1, '{\"user_id\": 7, \"cc\": \"ada@example.com\"}'), (2, '{\"cc\": \"ada@example.com\"}')",
            "insert into c values (1, 'bob@example.com', 'hi ada@example.com'), (2, 'ada@example.com', 'hi')",
            "insert into posts values (1, 7)",
            "insert into d values (1, 1, 'ada@example.com'), (2, null, 'ada@example.com')",
            "insert into e values (1, 'ada@example.com'), (2, 'ada@example.com and bob@example.com')")
        #expect(
            try shared(lab, suspected: ["delete"]) == [
                "public.a: 1 of 2", "public.b: 1 of 2", "public.c: 1 of 2", "public.d: 1 of 2", "public.e: 1 of 2",
            ])
        let others =
            "select body from a where id = 1 union all select log::text from b where id = 1 union all select body from d where id = 1"
        let before = try lab.rows(others)
        let kept = try lab.delete("42", collateral: .keep, suspected: ["delete"])
        #expect(!kept.isVerified && kept.rows("public.a") == 1 && kept.rows("public.e") == 1)
        #expect(
            kept.suspects.map { "\($0.name) \($0.rows)" } == [
                "public.a.body 1", "public.b.log 1", "public.c.body 1", "public.d.body 1", "public.e.body 1",
            ])
        #expect(try lab.rows(others) == before)
    }

    @Test func whatOthersWroteIsNotEmptied() throws {
        let lab = try lab(
            "create table a (id int primary key, author int, body text, log jsonb)",
            "create table posts (id int primary key, author int not null references users, body text)",
            "insert into a values (1, 7, 'thanks ada@example.com', null), (2, null, 'to ada@example.com', null)",
            "insert into a values (3, null, 'ada@example.com and bob@example.com', null)",
            "insert into a values (4, null, null, '{\"user_id\": 7, \"cc\": \"ada@example.com\"}')",
            "insert into posts values (1, 7, 'ada@example.com')")
        let report = try lab.delete("42", suspected: ["detach"])
        #expect(!report.isVerified)
        #expect(
            report.suspects.map { "\($0.name) \($0.rows)" }
                == ["public.a.body 2", "public.a.log 1", "public.posts.body 1"])
        #expect(try lab.rows("select id from a where body is null and log is null") == [["2"]])
    }

    @Test func whatOthersWroteGoesWhenItIsToGo() throws {
        let lab = try lab(
            "create table a (id int primary key, author int, body text not null)",
            "insert into a values (1, 7, 'thanks ada@example.com'), (2, 7, 'else')")
        #expect(try shared(lab, suspected: ["delete"]) == ["public.a: 1 of 1"])
        #expect(try lab.delete("42", collateral: .delete, suspected: ["delete"]).isVerified)
        #expect(try lab.rows("select id from a") == [["2"]])
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

    @Test func rowsOfOthersLoseTheirReferenceAndNothingElse() throws {
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

    @Test func whatMustReferCannotLoseItsReference() throws {
        let lab = try ErasureLab(Self.people + Self.chats)
        try lab.database.run("alter table messages alter chat set not null")
        let before = try lab.everything()
        let refusal = try failure { try lab.delete("42", collateral: .detach) }
        #expect(
            refusal.kind == .refused
                && refusal.details == [
                    "public.messages (chat) → public.chats must not be empty, so rows that others share cannot stay: --collateral delete takes them"
                ], "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// So it is where a line says what it refers to, before anything is tried.
    @Test(arguments: [AccountAnswer.keep, .detach]) func norWhereALineSaysThatItRefers(answer: AccountAnswer) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id int primary key, user_id uuid references users on delete cascade)",
            "create table comments (id int primary key, about int not null, writer uuid references users)",
            "insert into posts values (1, '\(ErasureLab.ada)')",
            "insert into comments values (1, 1, '\(ErasureLab.bob)')",
        ])
        let app = try ErasureLab.app(["@reference public.comments.about -> public.posts.id"])
        let plan = try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: .delete, dryRun: true).plan
        #expect(plan.obstacles.isEmpty && plan.entry("public.comments")?.mayStay == false)
        let before = try lab.everything()
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: answer) }
        #expect(
            refusal.details.contains { $0.contains("public.comments.about") && $0.contains("must not be empty") },
            "\(refusal)")
        #expect(try lab.everything() == before)
    }

    @Test func listsOfSeveralLoseOneAndTextsOfOthersStayAsTheyAre() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int, readers int[], body text)",
            "insert into posts values (1, 7, '{7,42}', 'hi'), (2, 7, '{7}', 'to ada@example.com'), (3, 42, '{42}', 'x')"
        )
        let report = try lab.delete("42", collateral: .detach, suspected: ["delete"])
        #expect(report.rows("public.posts") == 1)
        #expect(
            try lab.rows("select id, author, readers, body from posts order by id") == [
                ["1", "7", "{7}", "hi"], ["2", "7", "{7}", "to ada@example.com"],
            ])
        // What another wrote about somebody still says so.
        #expect(!report.isVerified && report.suspects.map(\.name) == ["public.posts.body"])
    }

    @Test func chainsOfManyLinksAreAskedAboutAtOnce() throws {
        // Each table refers three times to the one before it: more chains than anybody could follow one by one.
        var statements: [String] = [
            "create table t0 (id int primary key, owner int references users, c0 int)",
            "insert into t0 values (1, 42), (2, 7)",
        ]
        for number in 1...6 {
            let links = ["x", "y", "z"].map { "\($0) int references t\(number - 1)" }.joined(separator: ", ")
            statements += [
                "create table t\(number) (id int primary key, \(links))",
                "insert into t\(number) values (1, 1, 1, 1), (2, 2, 2, 2), (3, 1, 2, 1)",
            ]
        }
        let lab = try ErasureLab(Self.people + statements)
        let plan = try lab.plan("42")
        #expect(plan.entry("public.t1")?.collateral == 1 && plan.entry("public.t2")?.collateral == 1)
        #expect(plan.entry("public.t6").map { $0.rows > 0 } == true)
    }
}
