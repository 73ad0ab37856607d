@testable import Asking
import AppFile
import Changes
import Foundation
import PQ
import Support
import Synchronization
import Testing

/// An operator resumes an interrupted bulk change.
@Suite(.waiting) struct BulkResumeTests: BulkSuite {
    @Test func resumedBulkChangeDoesNotChangeAUserTwice() throws {
        let lab = try lab()
        // The action doesn't change the selection: users stay due.
        let first = try run(lab, request("extend"), until: 1)
        #expect(first.isInterrupted)
        #expect(first.progress.done == 500)
        #expect(try outcome(lab, first.operation) == "running")
        let second = try failure { _ = try run(lab, request("extend")) }
        #expect(second.kind == .conflict)
        #expect(second.code == "unfinished" && second.hint?.contains(first.operation) == true)
        let other = try failure { _ = try run(lab, request("expire") { $0.resumes = first.operation }) }
        #expect(other.kind == .usage)
        let third = try run(lab, request("extend") { $0.resumes = first.operation }, until: 1)
        #expect(third.progress.done == 1000)
        #expect(third.progress.batches == 1)
        // `--resume` accepts the beginning of an operation's id, and refuses an unknown id.
        let id = first.operation
        let none = try failure { _ = try run(lab, request("extend") { $0.resumes = "zzz" }) }
        #expect(none.kind == .notFound)
        let last = try run(lab, request("extend") { $0.resumes = String(id.prefix(13)) })
        #expect(last.progress.done == 1200)
        #expect(!last.isInterrupted)
        #expect(try outcome(lab, first.operation) == "committed")
        #expect(try lab.value("select sum(score) from people") == String(1200 / 10 * 45 + 1200))
        try audit(lab, rows: 1200)
        #expect(try failure { _ = try run(lab, request("extend") { $0.resumes = first.operation }) }.kind == .refused)
        #expect(try run(lab, request("extend"), until: 1).progress.done == 500, "a new bulk change may begin")
    }

    @Test func interruptedUndoOfABulkChangeCanBeResumed() throws {
        let lab = try lab()
        let undo = ChangeRequest(.undo(operation: try run(lab, request("extend")).operation))
        let first = try run(lab, undo, until: 1)
        #expect(first.isInterrupted)
        #expect(try failure { _ = try run(lab, undo) }.code == "unfinished")
        // Somebody undoes the other two batches.
        let batches = try lab.rows(
            "select id from usher.operation where kind = 'batch' and undoes is null order by at limit 2")
        for batch in batches { try lab.undo(batch[0]) }
        var rest = undo
        rest.resumes = first.operation
        let last = try run(lab, rest)
        #expect(!last.isInterrupted && last.progress.refused == 1000)
        #expect(try outcome(lab, first.operation) == "partial")
        #expect(try lab.value("select sum(score) from people") == String(1200 / 10 * 45))
    }

    /// The audit log contains the users of the bulk change.
    @Test(.long, arguments: [false, true]) func resumedBulkChangeDoesNotNeedTheNamesOfItsUsers(isSelected: Bool) throws
    {
        let lab = try lab()
        var begun = request("extend")
        if !isSelected {
            begun.selections = []
            begun.subjects = (1...1200).map(String.init)
        }
        let first = try run(lab, begun, until: 1)
        var rest = ChangeRequest(.action(noun: "trial", verb: "expire"))
        rest.resumes = first.operation
        #expect(try failure { _ = try run(lab, rest) }.code == "other_bulk")
        rest.what = .action(noun: "trial", verb: "extend")
        let session = try lab.bulk(rest)
        try lab.database.run("delete from people where tier = 'trial' and id between 501 and 505")
        let plan = try session.plan()
        #expect(plan.total == 1200 && plan.sample.changes.isEmpty)
        let last = try session.run { _ in true }
        #expect(last.progress.done == 1195 && last.progress.passed == 5)
        #expect(try outcome(lab, first.operation) == "committed")
        try audit(lab, rows: 1195)
    }

    /// Changed users are no longer selected, so the selection has few users left.
    @Test(.long) func resumedBulkChangeContinuesIfFewerUsersAreSelected() throws {
        let lab = try lab()
        let first = try run(lab, request("expire"), until: 2)
        #expect(first.progress.done == 1000)
        for left in ["200", "0"] {
            #expect(try lab.value("select count(*) from people where tier = 'trial'") == left)
            let before = try lab.operations()
            let second = try failure { _ = try lab.open(request("expire")) }
            #expect(second.kind == .conflict)
            #expect(
                second.hint
                    == "continue with the same command and --resume \(first.operation)")
            #expect(try lab.operations() == before)
            guard left == "200" else { break }
            #expect(try lab.plan(request("expire")).count == 200, "a dry run begins nothing")
            _ = try run(lab, request("expire") { $0.resumes = first.operation }, until: 1)
        }
        let last = try run(lab, request("expire") { $0.resumes = first.operation })
        #expect(last.progress.done == 1200)
        #expect(try outcome(lab, first.operation) == "committed")
        // A bulk change of another action may begin. A new bulk change of the same action may begin after the end of
        // the first one.
        _ = try lab.open(request("extend"))
        _ = try lab.open(request("expire"))
    }

    @Test func resumeAfterTheLastBatchRecordsOnlyTheEnd() throws {
        let lab = try lab()
        let report = try run(lab, request("expire"), until: 3)
        #expect(report.isInterrupted)
        #expect(report.progress.done == 1200)
        let end = try run(lab, request("expire") { $0.resumes = report.operation })
        #expect(end.progress.done == 1200)
        #expect(try outcome(lab, report.operation) == "committed")
        try audit(lab, rows: 1200)
    }

    /// The deletion empties the payload of a batch, and with it the position in the list of users.
    @Test func resumedBulkChangeDoesNotRepeatUsersIfADeletionEmptiedABatch() throws {
        let lab = try lab()
        let first = try run(lab, request("extend"), until: 2)
        try forget(["700", "100"], in: lab)
        #expect(try lab.value("select count(*) from usher.operation where kind = 'batch' and payload is null") == "2")
        let last = try run(lab, request("extend") { $0.resumes = first.operation })
        #expect(last.progress.done == 1198)
        #expect(try outcome(lab, first.operation) == "committed")
        let raised = 1200 / 10 * 45 + 1198
        #expect(try lab.value("select sum(score) from people") == String(raised))
        #expect(try lab.isIntact())
        // The undo covers all recorded users, and counts deleted users as skipped.
        let undone = try run(lab, ChangeRequest(.undo(operation: first.operation)))
        #expect(try lab.value("select sum(score) from people") == String(raised - 1198))
        #expect(undone.progress.done == 1198 && undone.progress.batches == 3)
        #expect(undone.progress.refused == 2 && undone.progress.total == 1200)
        #expect(undone.refused.map(\.sentence.plain) == [LeftBehind.erased(1), .erased(1)].map(\.sentence))
        #expect(try outcome(lab, undone.operation) == "partial")
        #expect(try outcome(lab, first.operation) == "undone")
        #expect(try lab.isIntact())
    }

    /// The deleted user's key is not found, whether the operator names the user again or not.
    @Test(arguments: [false, true]) func bulkChangeResumesIfARemainingUserWasDeleted(isNamedAgain: Bool) throws {
        let lab = try lab()
        var named = ChangeRequest(.action(noun: "trial", verb: "extend"))
        named.subjects = (1...1200).map { "u\($0)@example.com" }
        let first = try run(lab, named, until: 1)
        try forget(["1100"], in: lab)
        if !isNamedAgain { named.subjects.remove(at: 1099) }
        let again = try failure { _ = try run(lab, named) }
        #expect(again.code == "unfinished" && again.hint?.contains(first.operation) == true)
        named.resumes = first.operation
        var other = named
        other.subjects.removeLast()
        #expect(try failure { _ = try run(lab, other) }.code == "other_bulk")
        other = named
        other.what = .action(noun: "trial", verb: "expire")
        #expect(try failure { _ = try run(lab, other) }.code == "other_bulk")
        #expect(try run(lab, named).progress.done == 1199)
        #expect(try lab.value("select sum(score) from people") == String(1200 / 10 * 45 + 1199))
        #expect(try lab.isIntact())
    }

    private func forget(_ keys: [String], in lab: ChangeLab) throws {
        let connection = try lab.database.connect()
        for (number, key) in keys.enumerated() {
            let erase: Query = """
                select usher.erase('{"operation": "\(unsafe: LedgerLab.id(number + 1))", "app": "lab", "keys": ["\(unsafe: key)"],
                                     "root": {"schema": "public", "table": "people", "key": "id"}}')
                """
            for query in ["begin", erase, "delete from people where id = \(unsafe: key)", "commit"] as [Query] {
                _ = try connection.execute(query)
            }
        }
    }

    /// Every operator can read the digests in the record of a bulk change, so no digest may depend on a secret.
    @Test func unfinishedBulkChangeIsFoundWithAnotherSecret() throws {
        let mark = """


            -- @action trial mark  Mark them.
            -- @arg word: secret
            -- @select due
            -- @do
            update public.people set score = length(:word) where id = any(:users);
            """
        let lab = try lab(blocks: mark)
        let first = try run(lab, request("mark") { $0.values["word"] = "first" }, until: 1)
        #expect(first.isInterrupted)
        let second = try failure { _ = try run(lab, request("mark") { $0.values["word"] = "other" }) }
        #expect(second.code == "unfinished")
    }

    @Test func secondResumeOfTheSameBulkChangeIsRefused() throws {
        let lab = try lab()
        let first = try run(lab, request("extend"), until: 1)
        let left = try lab.bulk(request("extend") { $0.resumes = first.operation })
        let right = try lab.bulk(request("extend") { $0.resumes = first.operation })
        _ = try left.plan()
        _ = try right.plan()
        // After the first batch of `left`, `right` runs the remaining batches, so `left` fails.
        var other: BulkReport?
        let conflict = try failure {
            _ = try left.run { _ in
                other = try? right.run { _ in true }
                return true
            }
        }
        #expect(conflict.kind == .conflict)
        #expect(other?.progress.done == 1200)
        try audit(lab, rows: 1200)
        #expect(try lab.value("select sum(score) from people") == String(1200 / 10 * 45 + 1200))
    }

    @Test(.long) func resumedBulkChangeReportsEarlierFailures() throws {
        let lab = try lab("alter table public.people add check (tier = 'trial' or id not between 501 and 1000)")
        var named = ChangeRequest(.action(noun: "trial", verb: "expire"))
        named.subjects = (1...1200).map(String.init) + ["nobody@example.com"]
        let first = try run(lab, named, until: 2)
        #expect(first.progress.refused == 501)
        named.resumes = first.operation
        let last = try run(lab, named)
        #expect(last.progress.done == 700)
        #expect(last.progress.refused == 500, "the audit log has no users who don't exist")
        #expect(try outcome(lab, first.operation) == "partial")
        try audit(lab, rows: 700)
        #expect(
            try outcome(lab, try run(lab, ChangeRequest(.undo(operation: last.operation))).operation)
                == "committed")
        #expect(try outcome(lab, last.operation) == "undone")
    }
}
