import Acts
import AppFile
import Asking
import Changes
import Foundation
import PQ
import Support
import Synchronization
import Testing

/// A bulk change runs in batches, and can be interrupted, refused for some users, and undone.
@Suite(.waiting) struct BulkTests: BulkSuite {
    @Test func bulkChangeCanBeUndone() throws {
        let lab = try lab()
        let before = try lab.everything()
        let plan = try lab.bulk(request("expire") { $0.isDryRun = true }).plan()
        #expect(plan.total == 1200)
        #expect(plan.sample.changes.count == 100)
        #expect(try lab.everything() == before)
        #expect(try lab.operations() == 0)
        let report = try run(lab, request("expire"))
        #expect(report.progress.done == 1200)
        #expect(report.progress.changes == 1200)
        #expect(report.progress.batches == 3)
        #expect(try lab.value("select count(*) from people where tier = 'expired'") == "1200")
        #expect(try outcome(lab, report.operation) == "committed")
        try audit(lab, rows: 1200)
        #expect(
            try lab.value("select distinct payload -> 'after' from usher.change") == #"{"tier": "expired"}"#,
            "a column with the same value did not change")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(try lab.everything() == before)
        #expect(try outcome(lab, report.operation) == "undone")
        #expect(try outcome(lab, undone.operation) == "committed")
        #expect(
            try failure { _ = try lab.open(ChangeRequest(.undo(operation: report.operation))) }.kind == .refused)
        _ = try run(lab, ChangeRequest(.undo(operation: undone.operation)))
        #expect(try lab.value("select count(*) from people where tier = 'expired'") == "1200")
    }

    @Test func bulkChangeOfAnEarlierAppFileCanStillBeUndone() throws {
        let lab = try lab()
        let before = try lab.everything()
        let report = try run(lab, request("expire"))
        // Earlier versions recorded neither the digest of the app file nor the list of users.
        try lab.database.run("update usher.operation set app_digest = null", "truncate usher.subject")
        let undone = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(undone.progress.refused == 0)
        #expect(try lab.everything() == before)
    }

    @Test func bulkChangeSkipsRefusedUsers() throws {
        let lab = try lab(
            "update public.people set score = 13 where id % 100 = 0",
            "alter table public.people add check (id <> 777 or tier = 'trial')")
        let session = try lab.bulk(request("expire"))
        let plan = try session.plan()
        #expect(plan.refusals.map { "\($0.count) \($0.sentence)" } == ["12 This one stays."])
        let report = try session.run { _ in true }
        #expect(report.progress.done == 1200 - 13)
        #expect(report.progress.refused == 13)
        #expect(report.refused.filter(\.isFailure).map { $0.subject?.key } == ["777"])
        #expect(report.refused.count == 13)
        #expect(try outcome(lab, report.operation) == "partial")
        try audit(lab, rows: 1200 - 13)
        #expect(
            try lab.value("select sum((payload ->> 'refused')::integer) from usher.operation where kind = 'batch'")
                == "13")
    }

    @Test func batchInOneStatementRecordsTheSameAsABatchRowByRow() throws {
        let triggers = [
            """
            create function public.touch() returns trigger language plpgsql as $$ begin
                new.email := 'touched-' || new.id; return new;
            end $$
            """,
            "create trigger touch before update on public.people for each row execute function public.touch()",
        ]
        let elsewhere = [
            """
            create function public.note() returns trigger language plpgsql as $$ begin
                if new.id % 500 = 1 then insert into public.log (person) values (new.id); end if;
                return null;
            end $$
            """,
            "create trigger note after update on public.people for each row execute function public.note()",
        ]
        let mixed = "update public.people set seen = '2030-01-01' where id % 2 = 0"
        let due = "update public.people set seen = '2026-01-01', score = 3 where id % 2 = 0"
        let again = "update public.people set email = 'touched-' || id where id % 3 = 0"
        let payloads =
            "select payload from usher.change where payload ->> 'table' = 'public.people' order by payload ->> 'key'"
        let fast = try lab(mixed, due, again, triggers[0], triggers[1])
        let thorough = try lab(mixed, due, again, triggers[0], triggers[1], elsewhere[0], elsewhere[1])
        let swift = try run(fast, request("expire")).progress
        #expect(swift.changes == 1200)
        // The sample doesn't show the writes to the other table, so the batches must compare every row.
        let slow = try run(thorough, request("expire")).progress
        #expect(slow.changes == 1200 + 3)
        #expect(try fast.rows(payloads) == thorough.rows(payloads))
        #expect(try thorough.value("select count(*) from usher.change where payload ->> 'table' = 'public.log'") == "3")
        #expect(
            try fast.value("select payload from usher.change where payload -> 'key' = '{\"id\": 2}'")
                == #"{"key": {"id": 2}, "after": {"tier": "expired", "email": "touched-2"}, "table": "public.people", "before": {"tier": "trial", "email": "u2@example.com"}}"#
        )
    }

    /// The last batch would also change another user, so it is refused; the earlier batches stay.
    @Test func bulkChangeBatchIsRefusedIfItWouldChangeAnotherUser() throws {
        let lab = try lab(
            extension: "score = score + 1 where id = any(:users) or id = 1 and 1001 = any(:users);\n-- instead of")
        let report = try run(lab, request("extend"))
        #expect(report.progress.done == 1000)
        #expect(try lab.value("select score from public.people where id = 1") == "2")
        #expect(try lab.value("select score from public.people where id = 700") == "1")
    }

    @Test func bulkChangeBatchRecordsTriggerRowsThatTheSampleMissed() throws {
        let lab = try lab(
            """
            create function public.note() returns trigger language plpgsql as $$ begin
                if new.id = 1100 then insert into public.log (person) values (new.id); end if;
                return null;
            end $$
            """,
            "create trigger note after update on public.people for each row execute function public.note()")
        let report = try run(lab, request("expire"))
        #expect(report.progress.changes == 1201)
        let before = try lab.value("select count(*) from usher.change where payload ->> 'table' = 'public.log'")
        #expect(before == "1")
        _ = try run(lab, ChangeRequest(.undo(operation: report.operation)))
        #expect(try lab.value("select count(*) from people where tier = 'trial'") == "1200")
        #expect(try lab.value("select count(*) from log") == "1", "the undo fires the trigger too, like any update")
    }

    /// A trigger changes the key, so the row can't be matched with an earlier row.
    @Test func auditLogRecordsARowWhoseKeyATriggerChanges() throws {
        let lab = try lab(
            """
            create function public.renumber() returns trigger language plpgsql as $$ begin
                if new.id = 1100 then new.id := -1100; end if;
                return new;
            end $$
            """,
            "create trigger renumber before update on public.people for each row execute function public.renumber()")
        let report = try run(lab, request("extend"))
        // The change counts as a deleted row and an inserted row.
        #expect(report.progress.changes == 1201)
        #expect(try lab.value("select count(*) from usher.change") == "1201")
        #expect(try lab.value("select count(*) from usher.change where payload::text like '%-1100%'") == "1")
        #expect(try lab.isIntact())
    }

    @Test(arguments: [
        "alter table public.people add late text generated always as (case when id > 10 then tier end) stored",
        """
        create function public.late() returns trigger language plpgsql as $$ begin
            if new.id = 1100 then new.mood := 'sad'; end if;
            return new;
        end $$
        """,
    ]) func bulkChangeRecordsColumnsThatChangeOnlyInLaterRows(setup: String) throws {
        let lab = try lab(setup)
        if setup.contains("function") {
            try lab.database.run(
                "create trigger late before update on people for each row execute function public.late()")
        }
        let session = try lab.bulk(request("expire"))
        // The change doesn't write these rows, so the sample of the change can't show the column.
        try lab.database.run("update public.people set tier = 'gone' where id <= 10")
        _ = try session.plan()
        let before = try lab.everything()
        let report = try session.run { _ in true }
        #expect(report.progress.changes == 1190)
        let column = setup.contains("function") ? "mood" : "late"
        #expect(try lab.value("select count(*) > 0 from usher.change where payload -> 'after' ? '\(column)'") == "t")
        try audit(lab, rows: 1190)
        #expect(try lab.everything() != before)
    }

    @Test func bulkChangeStopsIfTheEnvironmentBecomesProduction() throws {
        let lab = try lab()
        let session = try lab.bulk(request("expire"))
        _ = try session.plan()
        let refused = try failure {
            _ = try session.run { progress in
                if progress.batches == 1 { try? lab.database.run("update usher.environment set name = 'production'") }
                return true
            }
        }
        #expect(refused.details.contains { $0.hasPrefix("processed so far: 500 of ") }, "\(refused)")
        #expect(refused.kind == .refused)
        #expect(try lab.value("select count(*) from people where tier = 'expired'") == "500")
    }

    @Test func bulkChangeContinuesAfterFailedUsers() throws {
        let lab = try lab("alter table public.people add check (tier = 'trial' or id > 200)")
        let report = try run(lab, request("expire"))
        #expect(report.progress.done == 1000)
        #expect(report.progress.refused == 200)
        try audit(lab, rows: 1000)
    }

    @Test func bulkChangeChangesUsersInTheDeclaredOrder() throws {
        let lab = try lab(
            "delete from public.people where id > 505", "update public.people set score = null where id = 3")
        let report = try run(lab, request("note"))
        #expect(report.progress.done == 505)
        #expect(
            try lab.value(
                """
                select bool_and(l.person = p.id) from (select person, row_number() over (order by id) from public.log) l
                  join (select id, row_number() over (order by score, id) from public.people) p using (row_number)
                """) == "t")
    }

    @Test func bulkChangeDoesNotBlockTheApp() throws {
        let lab = try lab()
        let session = try lab.bulk(request("expire"))
        _ = try session.plan()
        let database = lab.database
        let isOver = Atomic(false)
        let app = BackgroundTask {
            let connection = try database.connect()
            while !isOver.load(ordering: .relaxed) {
                _ = try connection.execute(
                    "update public.people set mood = 'sad' where id = 1 + (random() * 1199)::integer")
                usleep(3000)
            }
        }
        let report = try session.run { _ in true }
        isOver.store(true, ordering: .relaxed)
        try app.value()
        #expect(report.progress.done == 1200, "\(report.refused.first?.sentence.plain ?? "")")
        try audit(lab, rows: 1200)
    }

    @Test func auditLogRecordsADeclinedBulkChange() throws {
        let lab = try lab()
        let session = try lab.bulk(request("expire"))
        let plan = try session.plan()
        #expect(plan.warnings.map { "\($0.count) \($0.sentence)" } == ["120 The score is close to nine."])
        #expect(try failure { try session.decline(Failure(.declined, "declined")) }.message == "declined")
        #expect(try lab.operations(where: "outcome = 'declined' and payload ->> 'because' = 'declined'") == 1)
    }

    @Test func batchSizeAdaptsSoThatABatchTakesHalfASecond() {
        var sizer = BatchSizer()
        func sizes(_ durations: Duration...) -> [Int] {
            durations.map {
                sizer.adjust(to: $0)
                return sizer.size
            }
        }
        #expect(sizes(.zero, .milliseconds(250), .milliseconds(400)) == [4_000, 8_000, 10_000])
        // A batch of twice this size would lock rows for most of a second.
        #expect(sizes(.milliseconds(499), .milliseconds(500)) == [10_020, 10_020])
        #expect(sizes(.milliseconds(625), .seconds(2), .seconds(9)) == [8_016, 4_008, 2_004])
        #expect(sizes(.zero, .zero, .zero).last == 20_000)
    }

    @Test func bulkChangeCanRunOnUsersWhomTheOperatorNames() throws {
        let lab = try lab()
        var request = ChangeRequest(.action(noun: "trial", verb: "extend"))
        request.subjects = (1...600).map { "U\($0)@example.com" } + ["nobody@example.com"]
        let report = try run(lab, request, until: 1)
        #expect(report.progress.done == 500)
        #expect(try failure { _ = try run(lab, request) }.kind == .conflict)
        var shorter = request
        shorter.subjects.removeLast(2)
        shorter.resumes = report.operation
        #expect(try failure { _ = try run(lab, shorter) }.kind == .usage)
        request.resumes = report.operation
        #expect(try run(lab, request).progress.done == 600)
        try audit(lab, rows: 600)
    }
}
