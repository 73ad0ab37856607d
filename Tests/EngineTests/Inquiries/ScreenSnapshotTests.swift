@testable import Inquiries
import AppFile
import Asking
import PQ
import Support
import Synchronization
import Testing

/// usher reads all parts of a screen in one snapshot.
@Suite struct ScreenSnapshotTests {
    private static let blocks = """
        -- @panel People
        select count(*) as people from public.people;
        -- @decision open  Is it open?
        -- @rule no  The tier is {tier}.
        tier = 'free';
        -- @rule yes  Always.
        true;
        """

    /// Options that change the database once, between the first and the second statement.
    private func changing(_ database: TestDatabase, by statement: String, when isNow: @escaping @Sendable (Int) -> Bool)
        -> InquiryOptions
    {
        let seen = Mutex(0)
        return InquiryOptions { _ in
            let number = seen.withLock { count in
                count += 1
                return count
            }
            if isNow(number) { try? database.run(statement) }
        }
    }

    @Test func userReportIgnoresChangesBetweenItsQueries() throws {
        let lab = try Lab()
        // Statement 1 is the lookup of the user. The test changes the row before usher sends the next statements.
        let options = changing(
            lab.database, by: "update people set tier = 'paid'", when: { $0 == 1 })
        let report = try lab.ask("1", Self.blocks, options: options)
        #expect(try report.decision("open").outcome == "no")
        #expect(try report.decision("open").facts.first { $0.name == "tier" }?.value.text == "free")
        #expect(try lab.ask("1", Self.blocks).decision("open").outcome == "yes")
    }

    @Test func userReportIgnoresNewRowsBetweenItsQueries() throws {
        let lab = try Lab()
        let options = changing(lab.database, by: "insert into people values (4)", when: { $0 == 1 })
        let report = try lab.ask("1", Self.blocks, options: options)
        #expect(try report.panel("People").rows?.rows[0].values[0].text == "3")
        #expect(try lab.ask("1", Self.blocks).panel("People").rows?.rows[0].values[0].text == "4")
    }

    @Test func usherReadsTheWholeReportAgainIfARuleRaisesAnError() throws {
        let lab = try Lab()
        let blocks = """
            -- @panel People
            select count(*) as people from public.people;
            -- @decision raising  Does it raise?
            -- @rule never  It raises.
            1 / (id - 1) = 0;
            -- @rule count  Others.
            true;
            -- @decision other  Is it free?
            -- @rule free  Yes.
            tier = 'free';
            -- @rule paid  No.
            true;
            """
        // After the error, usher reads the report again, rule by rule. By then, the second run has taken its snapshot.
        let isChanged = Atomic<Bool>(false)
        let options = InquiryOptions { query in
            let isCareful = query.sql.contains("\"rule 0\"") && !query.sql.contains("\"rule 1\"")
            guard isCareful, isChanged.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
            else { return }
            try? lab.database.run("update people set tier = 'paid' where id = 1", "insert into people values (9)")
        }
        let report = try lab.ask("1", blocks, options: options)
        let wasChanged = isChanged.load(ordering: .relaxed)
        #expect(wasChanged)
        #expect(try report.panel("People").rows?.rows[0].values[0].text == "3")
        #expect(try report.decision("other").outcome == "free")
        #expect(try report.decision("raising").outcome == "count")
    }
}
