import Accounts
import Asking
import Support
import Testing

/// What is looked into for the person where nobody asks for everything: the price of a small account is that of its rows.
@Suite struct ThoroughTests {
    private func lab() throws -> ErasureLab {
        try ErasureLab(twoUsersAnd: [
            "create table remarks (id int primary key, body text, facts jsonb)",
            "insert into remarks values (1, 'by \(ErasureLab.ada)', null), (2, 'ada@example.com', '{\"user_id\": \"\(ErasureLab.ada)\"}')",
            "create table visits (id int primary key, user_ref uuid)",
            "insert into visits values (1, '\(ErasureLab.ada)')",
            "create table found (id int primary key, x uuid)", "insert into found values (1, '\(ErasureLab.ada)')",
            "create index on found (x)",
            "create table lost (id int primary key, x uuid)", "insert into lost values (1, '\(ErasureLab.ada)')",
            "create table written (id int primary key, user_id text)",
            "insert into written values (1, '\(ErasureLab.ada)'), (2, 'not \(ErasureLab.ada)')",
            "create table mails (id int primary key, email text)",
            "insert into mails values (1, 'Ada@Example.com'), (2, 'x ada@example.com')",
            "create table letters (id int primary key, email text)", "create index on letters (email)",
            "insert into letters values (1, 'ada@example.com'), (2, 'bob@example.com')",
            // What is soon read is looked into whole.
            "insert into remarks select n, repeat('x', 1000), null from generate_series(3, 1000) n",
            "insert into written select n, repeat('x', 1000) from generate_series(3, 1000) n",
            "insert into mails select n, repeat('x', 1000) from generate_series(3, 1000) n",
        ])
    }

    @Test func textsOnlyWhereTheyAreAskedFor() throws {
        let lab = try lab()
        let some = try lab.plan(ErasureLab.ada, thoroughly: false)
        #expect(
            some.suspects.map(\.name) == [
                "public.found.x", "public.letters.email", "public.lost.x", "public.mails.email",
                "public.visits.user_ref", "public.written.user_id",
            ])
        #expect(some.suspects.map(\.rows) == [1, 1, 1, 1, 1, 1])
        let all = try lab.plan(ErasureLab.ada).suspects
        #expect(
            Set(all.map(\.name)).subtracting(some.suspects.map(\.name)) == [
                "public.remarks.body", "public.remarks.facts",
            ])
        #expect(all.first { $0.name == "public.mails.email" }?.rows == 2)
    }

    /// What somebody answers for is looked into as everything is.
    @Test func columnsThatAreNamed() throws {
        let lab = try lab()
        let plan = try lab.plan(ErasureLab.ada, suspected: ["public.remarks.body=delete"], thoroughly: false)
        #expect(plan.entry("public.remarks")?.rows == 2)
        #expect(!plan.unanswered.map(\.name).contains("public.remarks.body"))
    }

    @Test func aDeletionGoesByThatToo() throws {
        let lab = try lab()
        let refusal = try failure { try lab.delete(ErasureLab.ada) { $0.account.isThorough = false } }
        #expect(refusal.details.count == 6 && refusal.details.allSatisfy { !$0.contains("remarks") })
        let report = try lab.delete(ErasureLab.ada, suspected: ["delete"]) { $0.account.isThorough = false }
        #expect(report.isVerified && report.rows("public.mails") == 1 && report.rows("public.remarks") == 0)
        #expect(try lab.value("select count(*) from remarks where id < 3") == "2")
    }
}
