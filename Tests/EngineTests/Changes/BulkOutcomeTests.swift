import Acts
import Asking
import Changes
import Foundation
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// The audit log records the decisions that a bulk change changed.
@Suite(.waiting) struct BulkOutcomeTests: BulkSuite {
    private func recordedDecisions(of person: Int, in lab: ChangeLab) throws -> [String] {
        let report = try Inquiry.open(
            on: try lab.connect(), candidates: [lab.app], options: InquiryOptions(), for: .users
        ).timeline(of: String(person), since: nil, limit: 100)
        #expect(report.unavailable.map(\.reason) == [])
        return report.events.filter { $0.source == Audit.source }.map {
            let detail = $0.detail.text ?? ""
            // Operator and time are not compared.
            let decisions = detail.components(separatedBy: ", by ").first ?? detail
            return "\($0.title.text ?? ""): \(decisions)"
        }
    }

    /// The first batch records every decision; later batches run as one statement.
    @Test func timelineShowsTheDecisionsOfABulkChange() throws {
        let lab = try lab(rule: "tier in ('paid', 'trial');")
        let report = try run(lab, request("expire"))
        #expect(try recordedDecisions(of: 1, in: lab) == ["trial expire: access: in -> out, committed"])
        #expect(
            try recordedDecisions(of: 1100, in: lab)
                == ["trial expire: access: not recorded -> out, not recorded for: mood, committed"])
        _ = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(
            try recordedDecisions(of: 1100, in: lab) == [
                "audit undo: not recorded for: access and mood, committed",
                "trial expire: access: not recorded -> out, not recorded for: mood, undone",
            ])
        #expect(try lab.isIntact())
    }

    /// A batch runs as one statement, without the users who would not get the expected outcome.
    @Test func bulkChangeSkipsUsersWhoWouldNotGetTheExpectedOutcome() throws {
        let lab = try lab(rule: "tier = 'paid' or score = 7;")
        let report = try run(lab, request("expire"))
        #expect(report.progress.done == 1080)
        #expect(report.progress.refused == 120)
        #expect(
            Set(report.refused.map(\.sentence.plain)) == ["expected access to be out, but the outcome would be in"],
            "\(report.refused)")
        let last = try recordedDecisions(of: 1100, in: lab)
        #expect(last == ["trial expire: access: not recorded -> out, not recorded for: mood, partial"])
        #expect(try recordedDecisions(of: 1107, in: lab) == [])
        #expect(try lab.value("select count(*) from people where tier = 'trial' and score = 7") == "120")
        try audit(lab, rows: 1080)
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.done == 1080)
        #expect(try lab.isIntact())
    }

    @Test func timelineNamesDecisionsThatABatchDidNotRecord() throws {
        let lab = try lab(rule: "tier in ('paid', 'trial');")
        _ = try run(lab, request("extend"))
        #expect(try recordedDecisions(of: 1, in: lab) == ["trial extend: committed"])
        #expect(
            try recordedDecisions(of: 1100, in: lab) == ["trial extend: not recorded for: access and mood, committed"])
    }

    /// The timeline reads the operations of a user by index, with 40,000 other operations in the audit log.
    @Test func timelineReadsTheAuditLogThroughAnIndex() throws {
        let lab = try lab()
        _ = try run(lab, request("expire"))
        try lab.database.run(
            """
            insert into usher.operation (id, kind, outcome, command, root, subjects, digest, payload)
            select gen_random_uuid(), 'change', 'committed', 'trial extend', 'public.people', array[n::text], '', jsonb_build_object('users', array[n::text])
              from generate_series(1, 20000) n
            """,
            """
            insert into usher.operation (id, kind, outcome, command, digest, payload)
            select gen_random_uuid(), 'change', 'refused', 'trial extend', '', jsonb_build_object('users', array[n::text])
              from generate_series(1, 20000) n
            """, "analyze usher.operation")
        let query = Audit.query("timeline", ["1100", nil, "100", nil])
        let plan = try lab.connect().execute(
            Query(unsafe: "explain (costs off) " + query.sql, query.parameters)
        ).rows.compactMap { $0.values[0].text }.joined(separator: "\n")
        for index in ["operation_subjects", "operation_users"] { #expect(plan.contains(index), "\(plan)") }
        #expect(!plan.contains("Seq Scan on operation"), "\(plan)")
    }
}
