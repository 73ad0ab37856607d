import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// What `@keep` and `@anonymise` are about: rows that hold the person, and not those that merely refer to something of theirs.
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

    private func entries(_ report: ErasureReport, _ table: String) -> [String] {
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

    /// Her envelopes are in the log for what she did with them, and for what others did.
    @Test func rowsOfOthersOnlyLoseTheirReference() throws {
        let lab = try lab(Self.log)
        let app = try app(
            "@reference public.log.email -> public.people.email", "@anonymise public.log.email = 'gone' : Kept by law.",
            "@anonymise public.log.name = 'x' || name : Kept by law.",
            "@anonymise public.log.user_id = null : Kept by law.")
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("ada.archive").path
        let report = try lab.delete("1", root: nil, app: app) { $0.archive = path }
        #expect(report.isVerified && entries(report, "public.log") == ["anonymise 5", "detach 2"])
        #expect(
            try lab.rows("select * from log order by id") == [
                ["1", nil, "gone", "xAda", nil], ["2", nil, "gone", "xAda", nil], ["3", nil, "gone", "xAda", nil],
                ["4", "2", "gone", "xAda", nil], ["5", nil, "gone", "xAda", nil],
                ["6", nil, "bob@example.com", "Bob", "2"], ["7", nil, "bob@example.com", "Bob", "2"],
                ["8", "2", "bob@example.com", "Bob", "2"],
            ])
        // What others write into their rows since then is theirs too.
        try lab.database.run("update log set name = 'Robert' where id = 6")
        let back = try Restore.open(
            path, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted)
        ).run(reason: nil, ticket: nil, isDryRun: false)
        #expect(back.missed.isEmpty && back.reattached.map { "\($0.table) \($0.rows)" } == ["public.log 7"])
        #expect(try lab.value("select name from log where id = 6") == "Robert")
        try lab.database.run("update log set name = 'Bob' where id = 6")
        #expect(try lab.everything() == before)
    }

    @Test(arguments: ["anonymise", "keep"]) func whatHangsOnSomethingOfHersIsHersUnlessAnothersToo(policy: String)
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
        let app = try app(isKept ? "@keep public.notes : Why not." : "@anonymise public.notes.body = '' : Why not.")
        let report = try lab.delete("1", root: nil, app: app)
        #expect(report.isVerified && entries(report, "public.notes") == ["\(policy) 3", "detach 1"])
        #expect(
            try lab.rows("select * from notes order by id") == [
                ["1", nil, nil, isKept ? "a" : ""], ["2", nil, "2", "b"], ["3", nil, nil, isKept ? "c" : ""],
                ["4", "2", nil, isKept ? "d" : ""], ["5", "2", "2", "e"],
            ])
    }

    @Test func theColumnThatIsLostIsLostAsTheFileSays() throws {
        let lab = try lab(
            Self.log + ["insert into envelopes values (0, null)", "alter table log alter envelope set default 0"])
        let app = try app(
            "@reference public.log.email -> public.people.email", "@anonymise public.log.email = 'gone' : Kept by law.",
            "@anonymise public.log.envelope = 0 : Kept by law.")
        let report = try lab.delete("1", root: nil, app: app, suspected: ["public.log.user_id=detach"])
        #expect(report.isVerified)
        #expect(
            try lab.rows("select id, envelope, email, user_id from log where id > 4 order by id") == [
                ["5", "0", "gone", nil], ["6", "0", "bob@example.com", "2"], ["7", "0", "bob@example.com", "2"],
                ["8", "2", "bob@example.com", "2"],
            ])
    }

    /// What is overwritten where a row holds the person may hold her in other rows as well.
    @Test func columnsThatAreOverwrittenElsewhereAreAskedAbout() throws {
        let lab = try lab(Self.log)
        let app = try app("@anonymise public.log.email = 'gone' : Kept by law.")
        let refusal = try failure { try lab.delete("1", root: nil, app: app) }
        #expect(
            refusal.kind == .refused
                && refusal.details.map { $0.prefix(24) } == ["public.log.email: 5 rows", "public.log.user_id: 4 ro"])
    }

    @Test func rowsThatAreToStayAreNeverDeletedInstead() throws {
        let lab = try lab(Self.log + ["alter table log add check (id <> 6 or envelope is not null)"])
        let app = try app(
            "@reference public.log.email -> public.people.email", "@anonymise public.log.email = 'gone' : Kept by law.",
            "@anonymise public.log.user_id = null : Kept by law.")
        let before = try lab.everything()
        #expect(try failure { try lab.delete("1", root: nil, app: app) }.kind == .refused)
        #expect(try lab.everything() == before)
    }

    // MARK: Names

    @Test func namesThatAreShownCanBeAnsweredWith() throws {
        let lab = try lab([
            "create table \"Recipient\" (id int primary key, \"userEmail\" text)",
            "insert into \"Recipient\" values (1, 'ada@example.com')",
        ])
        let name = #"public."Recipient"."userEmail""#
        #expect(try lab.plan("1", root: "people").suspects.map(\.path) == [name])
        let refusal = try failure { try lab.delete("1", root: "people") }
        #expect(refusal.details.map { $0.prefix(name.count + 5) } == ["\(name): 1 r"])
        for spelling in [name, "public.Recipient.userEmail", "public.Recipient", #"public."Recipient""#] {
            let report = try lab.delete("1", root: "people", suspected: ["\(spelling)=keep"], dryRun: true)
            #expect(report.wouldBeComplete, "\(spelling)")
        }
        try lab.database.run("create table recipient (useremail text)", "insert into recipient values ('x')")
        try lab.grant()
        let doubt = try failure {
            try lab.delete("1", root: "people", suspected: ["public.Recipient.userEmail=keep"], dryRun: true)
        }
        #expect(
            doubt.kind == .usage && doubt.message.contains("public.Recipient.userEmail and public.recipient.useremail"))
        #expect(try lab.delete("1", root: "people", suspected: ["\(name)=delete"]).isVerified)
    }

    /// What a line keeps because of what it hangs on is theirs, too, and told as that.
    @Test func whatHangsOnWhatStaysIsInThePlan() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table invoices (id int primary key, user_id uuid references users)",
            "create table items (id int primary key, invoice_id int references invoices, contact text)",
            "create table parts (id int primary key, item_id int references items, invoice_id int)",
            "insert into invoices values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
            "insert into items values (1, 1, 'ada@example.com'), (2, 1, null), (3, 2, 'bob@example.com')",
            "insert into parts values (1, 1), (2, 2), (3, 2), (4, 3)",
        ])
        let app = try ErasureLab.app(
            ["invoices", "items", "parts"].map { "@keep public.\($0) : The books of \($0)." })
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app)
        #expect(report.isVerified)
        #expect(
            ["invoices", "items", "parts"].map { report.plan.entry("public.\($0)", .keep)?.rows } == [1, 2, 3])
        #expect(report.plan.entry("public.items", .keep)?.why == .declared("The books of items."))
        #expect(report.kept.map(\.rows) == [1, 2, 3])
    }
}
