import Changes
import PQ
import Support
import Testing

/// The report counts users whom a bulk change refused or no longer selected.
@Suite(.waiting) struct BulkReportTests: BulkSuite {
    @Test func bulkChangeReportListsAThousandRefusedUsersAndCountsTheRest() throws {
        let lab = try lab("update public.people set score = 13 where id > 2")
        let report = try run(lab, request("expire"))
        #expect(report.progress.done == 2)
        #expect(report.progress.refused == 1198)
        #expect(report.refused.count == 1000)
        #expect(report.untold == 198)
        #expect(report.progress.passed == 0)
    }

    /// The report counts users who are no longer selected, but gives no reason for them.
    @Test func resumedBulkChangeCountsUsersWhoAreNoLongerSelected() throws {
        let lab = try lab()
        let first = try run(lab, request("expire"), until: 1)
        try lab.database.run(
            "update public.people set tier = 'paid' where id between 701 and 710",
            "delete from public.people where id = 800")
        let rest = try run(lab, request("expire") { $0.resumes = first.operation })
        #expect(rest.progress.done == 1189)
        #expect(rest.progress.refused == 0)
        #expect(rest.progress.passed == 11)
        #expect(try outcome(lab, first.operation) == "committed")
        #expect(try lab.isIntact())
    }
}
