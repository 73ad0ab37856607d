import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// `@keep` and `@set` apply to rows of the user, not to rows that only refer to the user's rows.
@Suite struct PolicyTests {
    private static let people = [
        "create table people (id int primary key, email text)",
        "insert into people values (1, 'ada@example.com'), (2, 'bob@example.com')",
    ]

    private func lab(_ statements: [String]) throws -> ErasureLab {
        try ErasureLab(Self.people + statements)
    }

    private func app(_ lines: String...) throws -> App {
        try Lab.app((["@account", "@root public.people.id"] + lines).map { "-- \($0)" }.joined(separator: "\n"))
    }

    private func entries(_ report: DeletionReport, _ table: String) -> [String] {
        report.plan.entries.filter { $0.table == table }.map { "\($0.policy.rawValue) \($0.rows)" }
    }

    private static let log = [
        "create table envelopes (id int primary key, owner int references people on delete cascade)",
        """
        create table log (id int primary key, envelope int references envelopes on delete set null, email text,
                          name text, user_id int)
        """,
        "insert into envelopes values (1, 1), (2, 2)",
        """
        insert into log values (1, 1, 'ada@example.com', 'Ada', 1), (2, 1, 'ada@example.com', 'Ada', 1), (3, null, 'ada@example.com', 'Ada', 1),
            (4, 2, 'ada@example.com', 'Ada', 1), (5, 1, 'ada@example.com', 'Ada', null), (6, 1, 'bob@example.com', 'Bob', 2),
            (7, 1, 'bob@example.com', 'Bob', 2), (8, 2, 'bob@example.com', 'Bob', 2)
        """,
    ]

    /// The log has rows of Ada herself, and rows of Bob that refer to Ada's envelopes.
    @Test func setDirectiveLeavesRowsOfOtherUsersUnchangedExceptTheirReference() throws {
        let lab = try lab(Self.log)
        let app = try app(
            "@refers public.log.email -> public.people.email", "@set public.log.email = 'gone' : Kept by law.",
            "@set public.log.name = 'x' || name : Kept by law.",
            "@set public.log.user_id = null : Kept by law.")
        let report = try lab.delete("1", root: nil, app: app)
        #expect(report.isVerified && entries(report, "public.log") == ["set 5", "detach 2"])
        #expect(
            try lab.rows("select * from log order by id") == [
                ["1", nil, "gone", "xAda", nil], ["2", nil, "gone", "xAda", nil], ["3", nil, "gone", "xAda", nil],
                ["4", "2", "gone", "xAda", nil], ["5", nil, "gone", "xAda", nil],
                ["6", nil, "bob@example.com", "Bob", "2"], ["7", nil, "bob@example.com", "Bob", "2"],
                ["8", "2", "bob@example.com", "Bob", "2"],
            ])
    }

    @Test(arguments: ["set", "keep"]) func rowsOfAUsersOrderAreOwnedUnlessAnotherUserSharesThem(policy: String)
        throws
    {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references people on delete cascade)",
            """
            create table notes (id int primary key, order_id int references orders on delete cascade,
                                author int references people on delete set null, body text)
            """,
            "insert into orders values (1, 1), (2, 2)",
            "insert into notes values (1, 1, 1, 'a'), (2, 1, 2, 'b'), (3, 1, null, 'c'), (4, 2, 1, 'd'), (5, 2, 2, 'e')",
        ])
        let isKept = policy == "keep"
        let app = try app(isKept ? "@keep public.notes : Why not." : "@set public.notes.body = '' : Why not.")
        let report = try lab.delete("1", root: nil, app: app, collateral: .detach)
        #expect(report.isVerified && entries(report, "public.notes") == ["\(policy) 3", "detach 1"])
        #expect(
            try lab.rows("select * from notes order by id") == [
                ["1", nil, nil, isKept ? "a" : ""], ["2", nil, "2", "b"], ["3", nil, nil, isKept ? "c" : ""],
                ["4", "2", nil, isKept ? "d" : ""], ["5", "2", "2", "e"],
            ])
    }

    @Test func setDirectiveChangesOnlyRowsOfTheUser() throws {
        let lab = try lab(
            Self.log + ["insert into envelopes values (0, null)"])
        let app = try app(
            "@refers public.log.email -> public.people.email", "@set public.log.email = 'gone' : Kept by law.",
            "@set public.log.envelope = 0 : Kept by law.",
            "@refers public.log.user_id -> public.people.id : detach : Kept by law.")
        let report = try lab.delete("1", root: nil, app: app)
        #expect(report.isVerified)
        #expect(
            try lab.rows("select id, envelope, email, user_id from log where id > 4 order by id") == [
                ["5", "0", "gone", nil], ["6", nil, "bob@example.com", "2"], ["7", nil, "bob@example.com", "2"],
                ["8", "2", "bob@example.com", "2"],
            ])
    }

    @Test func deletionIsRefusedIfAKeptRowCannotLoseItsReference() throws {
        let lab = try lab(Self.log + ["alter table log add check (id <> 6 or envelope is not null)"])
        let app = try app(
            "@refers public.log.email -> public.people.email", "@set public.log.email = 'gone' : Kept by law.",
            "@set public.log.user_id = null : Kept by law.")
        let before = try lab.everything()
        #expect(try failure { try lab.delete("1", root: nil, app: app) }.kind == .refused)
        #expect(try lab.everything() == before)
    }

    // MARK: Printed names

    @Test func accountPlanPrintsColumnNamesThatOptionsAccept() throws {
        let lab = try lab([
            "create table \"Recipient\" (id int primary key, \"userEmail\" text)",
            "insert into \"Recipient\" values (1, 'ada@example.com')",
        ])
        let name = #"public."Recipient"."userEmail""#
        #expect(try lab.plan("1", root: "people").undeclared.map(\.path) == [name])
        let refusal = try failure { try lab.delete("1", root: "people") }
        #expect(refusal.details.map { $0.prefix(name.count + 5) } == ["\(name): 1 r"])
        for spelling in [name, #"public."Recipient""#] {
            let report = try lab.delete("1", root: "people", suspected: ["\(spelling)=keep"], dryRun: true)
            #expect(report.isComplete, "\(spelling)")
        }
        let unquoted = try failure {
            try lab.delete("1", root: "people", suspected: ["public.Recipient.userEmail=keep"], dryRun: true)
        }
        #expect(unquoted.kind == .usage && unquoted.hint?.contains("double quotes") == true, "\(unquoted)")
        #expect(try lab.delete("1", root: "people", suspected: ["\(name)=delete"]).isVerified)
    }

}
