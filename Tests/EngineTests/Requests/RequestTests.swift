import Acts
import AppFile
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// One operator requests a change, and another operator approves the request.
@Suite struct RequestTests {
    private static func paid(_ user: String = "1") -> ChangeRequest {
        var request = ChangeRequest.action("tier", "set", on: user, values: ["tier": "paid"])
        request.reason = "asked by mail"
        request.ticket = "T-7"
        return request
    }

    @Test func approvedChangeRunsAsTheApprover() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(Self.paid())
        #expect(asked.role == "usher_admin")
        // The requester sees the same preview as the approver, and usher doesn't commit the preview.
        #expect(asked.changes.count == 1)
        #expect(asked.decisions.map(\.before) == ["free"] && asked.decisions.map(\.after) == ["paid"])
        #expect(asked.warnings.map(\.sentence.plain) == ["Glad."])
        #expect(try lab.owner.value("select tier from people where id = 1") == "free")
        let list = try FiledRequest.list(
            all: false, limit: 9, on: try lab.admin.connect(), options: InquiryOptions())
        #expect(list.rows.map { $0.shown("target")?.text } == ["one@example.com"])
        #expect(list.rows.map { $0.shown("reason")?.text } == ["asked by mail"])
        let done = try lab.admin.approve(asked.request)
        #expect(done.request == asked.request)
        #expect(done.decisions.map(\.after) == ["paid"])
        #expect(try lab.owner.value("select tier from people where id = 1") == "paid")
        let row = try lab.owner.rows(
            """
            select operator, request::text, payload ->> 'asked_by', payload ->> 'reason', payload ->> 'ticket'
              from usher.operation where id = '\(try #require(done.operation))'
            """)
        #expect(row == [["desk_admin", asked.request, "desk_support", "asked by mail", "T-7"]])
        let filed = try lab.support.filed(asked.request)
        #expect(!filed.isOpen)
        #expect(filed.summary.shown("state")?.text == "approved")
        #expect(filed.summary.shown("answered_by")?.text == "desk_admin")
        #expect(try failure { try filed.requireOpen() }.kind == .conflict)
        // An operator can undo an approved change like any other change.
        try lab.admin.undo(done.operation)
        #expect(try lab.owner.value("select tier from people where id = 1") == "free")
        #expect(try lab.owner.isIntact())
    }

    @Test func requestIsRefusedIfTheRequesterHasTheRole() throws {
        let lab = try RequestLab()
        for (own, request) in [
            (lab.admin, Self.paid()), (lab.support, ChangeRequest.action("score", "raise", on: "1")),
        ] {
            let refusal = try failure { try own.ask(request) }
            #expect(refusal.kind == .refused)
            #expect(refusal.code == "needless")
        }
        let forbidden = try failure { try lab.support.run(Self.paid()) }
        #expect(forbidden.kind == .forbidden)
        #expect(forbidden.hint?.contains("--request") == true)
        let approving = try failure { try lab.support.approve(try lab.support.ask(Self.paid()).request) }
        #expect(approving.kind == .forbidden)
        #expect(approving.hint?.contains("--request") == false)
    }

    @Test func eraserCannotApproveActions() throws {
        let lab = try RequestLab()
        let request = try lab.support.ask(Self.paid()).request
        try lab.database.makeRole("desk_eraser", "in role usher_eraser")
        try lab.database.run("grant select on people to usher_eraser")
        let eraser = ChangeLab(installed: lab.owner.app, on: lab.database, role: "desk_eraser")
        for attempt in [
            { _ = try eraser.run(Self.paid()) }, { _ = try eraser.ask(Self.paid()) },
            { try eraser.note("x", about: "1") }, { _ = try eraser.approve(request) },
            { try eraser.answer(request, .decline) },
        ] as [() throws -> Void] {
            let refusal = try failure { try attempt() }
            #expect(refusal.kind == .forbidden)
            #expect(
                refusal.message
                    == "you need the role usher_support, usher_admin or usher_engineer to run or undo actions",
                "\(refusal)")
        }
    }

    @Test func requestIsRefusedIfTheChangeWouldBeRefused() throws {
        let lab = try RequestLab()
        let refusal = try failure { try lab.support.ask(Self.paid("2")) }
        #expect(refusal.kind == .refused)
        #expect(refusal.message.hasSuffix("Paid already."))
        #expect(try failure { try lab.support.ask(Self.paid("nobody@example.com")) }.kind == .notFound)
        #expect(try lab.owner.operations() == 0)
        var dry = Self.paid()
        dry.isDryRun = true
        #expect(try lab.support.ask(dry).request == nil)
        #expect(try lab.owner.operations() == 0)
    }

    @Test func approvalConflictsIfDataOfThePreviewChangedSinceTheRequest() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(Self.paid())
        // Columns that the change doesn't depend on may differ at the approval.
        try lab.database.run("update people set score = 99, seen = now() where id = 1")
        #expect(
            try lab.admin.session(try lab.admin.filed(asked.request).change(hasMoved: false)).plan().hasMoved == false)
        // The requester saw the old value that the change would overwrite.
        try lab.database.run("update people set tier = 'gold' where id = 1")
        #expect(try lab.admin.session(try lab.admin.filed(asked.request).change(hasMoved: false)).plan().hasMoved)
        try lab.database.run("update people set tier = 'free', mood = 'sad' where id = 1")
        let session = try lab.admin.session(try lab.admin.filed(asked.request).change(hasMoved: false))
        let plan = try session.plan()
        #expect(plan.hasMoved)
        #expect(plan.changes.count == 1)
        let refusal = try failure { _ = try session.run(as: plan) }
        #expect(refusal.kind == .conflict)
        #expect(try lab.owner.value("select tier from people where id = 1") == "free")
        #expect(try lab.admin.approve(asked.request, hasMoved: true).operation != nil)
        #expect(try lab.owner.value("select tier from people where id = 1") == "paid")
    }

    @Test func approvalFailsIfTheChangeIsRefusedSinceTheRequest() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(Self.paid())
        try lab.database.run("update people set tier = 'paid' where id = 1")
        let refusal = try failure { try lab.admin.approve(asked.request, hasMoved: true) }
        #expect(refusal.kind == .refused && refusal.message.hasSuffix("Paid already."))
        try lab.database.run("delete from people where id = 1")
        #expect(try failure { try lab.admin.approve(asked.request) }.kind == .notFound)
        #expect(try lab.admin.filed(asked.request).isOpen)
    }

    @Test func approvedChangeUsesTheTimeOfTheApproval() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(Self.paid())
        try lab.database.run("update usher.operation set at = at - interval '9 days' where kind = 'request'")
        try lab.admin.approve(asked.request)
        let isFresh = """
            select p.seen > a.at - interval '6 minutes' from people p, usher.operation a where p.id = 1 and a.kind = 'change'
            """
        #expect(try lab.owner.value(isFresh) == "t")
    }

    @Test func secondApprovalOfARequestIsRefused() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(Self.paid())
        let first = try lab.admin.session(try lab.admin.filed(asked.request).change(hasMoved: false))
        let second = try lab.other.session(try lab.other.filed(asked.request).change(hasMoved: false))
        let plans = (try first.plan(), try second.plan())
        _ = try first.run(as: plans.0)
        let refusal = try failure { _ = try second.run(as: plans.1) }
        #expect(refusal.kind == .conflict, "\(refusal)")
        #expect(try lab.owner.operations(where: "o.request is not null") == 1)
        #expect(try lab.owner.isIntact())
    }

    @Test func operatorCanRequestABulkChange() throws {
        let lab = try RequestLab()
        try lab.database.run(
            "insert into people select g, 'p' || g || '@example.com', 'free', 'sad' from generate_series(1000, \(1000 + ChangeLab.atOnce)) g"
        )
        var request = Self.paid()
        request.subjects = (1000...1000 + ChangeLab.atOnce).map(String.init)
        let asked = try lab.support.ask(request)
        let bulk = try lab.admin.bulk(try lab.admin.filed(asked.request).change(hasMoved: false))
        _ = try bulk.plan()
        let report = try bulk.run { _ in true }
        #expect(report.progress.done == ChangeLab.atOnce + 1)
        #expect(
            try lab.owner.value("select count(*) from people where id >= 1000 and tier = 'paid'")
                == "\(ChangeLab.atOnce + 1)")
        #expect(try lab.admin.filed(asked.request).summary.shown("operation")?.text == report.operation)
        #expect(try lab.owner.isIntact())
    }

    @Test func requestedSelectionIsEvaluatedAtApproval() throws {
        let lab = try RequestLab()
        var request = Self.paid()
        (request.subjects, request.selections) = ([], ["free"])
        let few = try lab.support.ask(request)
        #expect(try lab.admin.filed(few.request).summary.shown("target")?.text == "--free")
        try lab.database.run("update people set tier = 'free' where id = 2")
        let done = try lab.admin.approve(few.request)
        #expect(Set(done.subjects.map(\.key)) == ["1", "2"])
        // The selection is evaluated at the start of the bulk change, and one undo covers all its users.
        try lab.database.run(
            "insert into people select g, null, 'free', 'sad' from generate_series(1000, \(1000 + ChangeLab.atOnce)) g")
        let many = try lab.support.ask(request)
        let bulk = try lab.admin.bulk(try lab.admin.filed(many.request).change(hasMoved: false))
        _ = try bulk.plan()
        let report = try bulk.run { _ in true }
        #expect(report.progress.done == ChangeLab.atOnce + 1)
        let undo = try lab.support.ask(ChangeRequest(.undo(operation: report.operation)))
        let back = try lab.admin.bulk(try lab.admin.filed(undo.request).change(hasMoved: false))
        #expect(try back.run { _ in true }.progress.done == ChangeLab.atOnce + 1)
        #expect(try lab.owner.value("select count(*) from people where tier = 'free'") == "\(ChangeLab.atOnce + 1)")
        for asked in [few, many, undo] {
            #expect(try lab.admin.filed(asked.request).summary.shown("state")?.text == "approved")
        }
        #expect(try lab.owner.isIntact())
    }

    @Test func approvalOfASelectionCannotChangeOtherUsers() throws {
        let lab = try RequestLab()
        var request = Self.paid()
        (request.subjects, request.selections) = ([], ["free"])
        let asked = try #require(try lab.support.ask(request).request)
        try lab.database.run("update people set tier = 'gold' where id = 2")
        let run = #"""
            select usher.run('{"id": "\#(OtherID.make())", "app": "lab", "digest": "\#(lab.owner.app.digest)", "kind": "action",
                "name": "tier set", "keys": ["2"], "arguments": {"tier": "paid"}, "selections": ["free"], "reason": "x",
                "request": "\#(asked)"}')
            """#
        let connection = try lab.database.connect(user: "desk_admin")
        _ = try connection.execute("begin isolation level repeatable read")
        let refusal = try failure {
            do throws(PQError) { _ = try connection.execute(Query(unsafe: run)) } catch { throw Failure(error) }
        }
        #expect(refusal.state?.rawValue == "US003")
        _ = try connection.execute("rollback")
        #expect(try lab.owner.value("select tier from people where id = 2") == "gold")
    }

    @Test func approvedBulkChangeCanBeResumed() throws {
        let lab = try RequestLab()
        try lab.database.run(
            "insert into people select g, null, 'free', 'sad' from generate_series(1000, \(1000 + ChangeLab.atOnce)) g")
        var request = Self.paid()
        (request.subjects, request.selections) = ([], ["free"])
        let asked = try lab.support.ask(request)
        let stopped = try lab.admin.bulk(try lab.admin.filed(asked.request).change(hasMoved: false))
        _ = try stopped.plan()
        let first = try stopped.run { _ in false }
        #expect(first.isInterrupted && first.progress.handled < first.progress.total)
        let operation = first.operation
        let filed = try lab.admin.filed(asked.request)
        #expect(try failure { try filed.requireOpen() }.kind == .conflict)
        #expect(filed.summary.shown("operation")?.text == operation)
        var change = try filed.change(hasMoved: false)
        change.resumes = operation
        let rest = try lab.admin.bulk(change)
        #expect(try rest.plan().total == first.progress.total)
        #expect(try rest.run { _ in true }.progress.done == first.progress.total)
        #expect(try lab.owner.value("select count(*) from people where tier = 'free'") == "0")
        #expect(try lab.owner.isIntact())
    }

    @Test func operatorCanRequestAnUndo() throws {
        let lab = try RequestLab()
        let done = try lab.admin.run(Self.paid())
        let undo = ChangeRequest(.undo(operation: try #require(done.operation)))
        #expect(try failure { try lab.support.undo(done.operation) }.kind == .forbidden)
        #expect(try failure { try lab.admin.ask(undo) }.kind == .refused)
        var part = undo
        part.except = ["1"]
        #expect(try failure { try lab.support.ask(part) }.code == "excepted_request")
        let asked = try lab.support.ask(undo)
        // The approval finds out if later changes overwrote the rows.
        try lab.database.run("update people set tier = 'gold' where id = 1")
        #expect(try failure { try lab.admin.approve(asked.request) }.code == "changed_since")
        try lab.database.run("update people set tier = 'paid' where id = 1")
        try lab.admin.approve(asked.request)
        #expect(try lab.owner.value("select tier from people where id = 1") == "free")
        #expect(try lab.admin.filed(asked.request).summary.shown("state")?.text == "approved")
        #expect(try lab.owner.isIntact())
    }

    @Test func approverTypesTheSecretOfARequest() throws {
        let lab = try RequestLab()
        let asked = try lab.support.ask(.action("word", "set", on: "1"))
        #expect(try lab.owner.operations(where: "o.payload::text like '%xyzzy%'") == 0)
        var change = try lab.admin.filed(asked.request).change(hasMoved: false)
        change.values["word"] = "xyzzy"
        let session = try lab.admin.session(change)
        _ = try session.run(as: try session.plan())
        #expect(try lab.owner.value("select tier from people where id = 1") == "xyzzy")
        #expect(
            try lab.owner.operations(
                where: "o.payload::text like '%xyzzy%'")
                == 0)
    }

    @Test(
        arguments: sample([
            "perform tell(new.id)", "execute 'sel' || 'ect tell(1)'", "perform U&\"t\\0065ll\"(1)",
            "perform new.tell_row",
            "perform \"Tell \"\"Me\"()", "perform pg_advisory_lock(4242)", "perform setval('counter', 9)",
            "insert into people values (9)", "perform query_to_xml('select 1', true, true, '')", "new.mood := 'glad'",
            "new.email := md5(new.email)",
        ]))
    func requestPreviewRunsOnlyTriggersThatARollbackUndoes(statement: String) throws {
        let lab = try RequestLab()
        try lab.database.run(
            "create sequence counter",
            "create function tell(id int) returns void language plpgsql as $$ begin perform 1; end $$",
            "create function \"Tell \"\"Me\"() returns void language sql as $$ select tell(1) $$",
            "create function tell_row(people) returns void language sql as $$ select tell(1) $$",
            """
            create function note_change() returns trigger language plpgsql as $$
            begin \(statement); return new; end $$
            """,
            """
            create trigger note_change before update on people for each row when (new.id > 0) execute function note_change()
            """)
        let isHarmless = statement.contains(":=")
        let asked = try lab.support.ask(Self.paid())
        #expect(asked.request != nil && asked.changes.isEmpty != isHarmless)
        let remarks = asked.warnings.map(\.sentence.plain).filter { $0.hasPrefix("usher shows no preview") }
        #expect(remarks.count == (isHarmless ? 0 : 1))
    }

    /// An UPDATE also runs the functions in checks, indexes and defaults, and the rules of the table.
    @Test(arguments: [
        "alter table people add check (odd(score))", "create index on people (odd(score))",
        "alter table people add column pet boolean default odd(1)",
        "create rule also as on update to people do also delete from people where id = 99",
        "create cast (text as mood) with function \"To Mood\"(text) as assignment",
        "create domain pet as integer check (odd(value)); alter table people add column pet pet",
    ])
    func requestDoesNotRunAPreviewIfTheWriteWouldRunAFunctionOrARule(setup: String) throws {
        let lab = try RequestLab()
        try lab.database.run(
            "create function odd(integer) returns boolean language sql immutable as 'select true'",
            "create function \"To Mood\"(text) returns mood language sql immutable as 'select null::mood'")
        for statement in setup.split(separator: ";") { try lab.database.run(String(statement)) }
        let asked = try lab.support.ask(Self.paid())
        #expect(asked.request != nil && asked.changes.isEmpty)
    }

    // MARK: Two people

    @Test func requesterCannotResumeABulkChangeThatNeedsTwoPeople() throws {
        let lab = try RequestLab(environment: "production")
        let last = 1000 + ChangeLab.atOnce
        try lab.database.run("insert into people select g, null, 'free', 'sad' from generate_series(1000, \(last)) g")
        var request = ChangeRequest.action("tier", "give", on: "1")
        (request.subjects, request.reason) = ((1000...last).map(String.init), "asked")
        let asked = try lab.admin.ask(request)
        var change = try lab.other.filed(asked.request).change(hasMoved: false)
        change.reason = "approved"
        let started = try lab.other.bulk(change)
        _ = try started.plan()
        change.resumes = try started.run { _ in false }.operation
        let refusal = try failure {
            let rest = try lab.admin.bulk(change)
            _ = try rest.plan()
            _ = try rest.run { _ in true }
        }
        #expect(refusal.code == "takes_two")
        #expect(try lab.owner.value("select count(*) from people where tier = 'free' and id >= 1000") == "1")
        // The deletion of a user erases the record of the request. The approver continues with the command of the action.
        try lab.deleteUser("1000")
        #expect(try failure { _ = try lab.other.filed(asked.request).change(hasMoved: false) }.code == "erased")
        (change.answers, change.subjects) = (nil, [])
        let rest = try lab.other.bulk(change)
        _ = try rest.plan()
        _ = try rest.run { _ in true }
        #expect(try lab.owner.value("select count(*) from people where tier = 'free' and id >= 1000") == "0")
    }

    @Test func productionChangeNeedsTheApprovalOfAnotherPerson() throws {
        let lab = try RequestLab(environment: "production")
        var request = ChangeRequest.action("tier", "give", on: "1")
        request.reason = "asked"
        let alone = try failure { try lab.admin.run(request) }
        #expect(alone.kind == .refused)
        #expect(alone.code == "takes_two")
        let asked = try lab.admin.ask(request)
        #expect(asked.changes.count == 1)
        #expect(asked.decisions.map(\.after) == ["paid"])
        let own = try failure { try lab.admin.approve(asked.request) }
        #expect(own.kind == .refused)
        #expect(own.code == "takes_another")
        // The requester saw this row in the preview, so usher notices that the row changed since then.
        try lab.database.run("update people set tier = 'gold' where id = 1")
        #expect(try lab.other.session(try lab.other.filed(asked.request).change(hasMoved: false)).plan().hasMoved)
        try lab.database.run("update people set tier = 'free' where id = 1")
        let done = try lab.other.approve(asked.request)
        #expect(try lab.owner.value("select tier from people where id = 1") == "paid")
        // One person can undo the change; undoing the undo needs two people again.
        #expect(!done.takesTwoToUndo)
        var undo = ChangeRequest(.undo(operation: try #require(done.operation)))
        undo.reason = "a mistake"
        let undone = try lab.admin.run(undo)
        #expect(undone.takesTwoToUndo)
        undo.what = .undo(operation: try #require(undone.operation))
        #expect(try failure { try lab.admin.run(undo) }.code == "takes_two")
        let redone = try lab.other.approve(try lab.admin.ask(undo).request)
        #expect(try lab.owner.value("select tier from people where id = 1") == "paid")
        // The undo of that runs no action, so one person can undo again.
        #expect(!redone.takesTwoToUndo)
        undo.what = .undo(operation: try #require(redone.operation))
        #expect(try failure { try lab.admin.ask(undo) }.code == "needless")
        let again = try lab.admin.run(undo)
        #expect(again.takesTwoToUndo)
        #expect(try lab.owner.value("select tier from people where id = 1") == "free")
        undo.what = .undo(operation: try #require(again.operation))
        #expect(try failure { try lab.admin.run(undo) }.code == "takes_two")
        #expect(try lab.owner.isIntact())
    }

    /// The undo of an undo changes the users again, so its batches need the same two people.
    @Test(.long) func redoOfABulkChangeThatNeedsTwoPeopleRunsAfterTheApproval() throws {
        let lab = try RequestLab(environment: "production")
        let last = 1000 + ChangeLab.atOnce
        try lab.database.run("insert into people select g, null, 'free', 'sad' from generate_series(1000, \(last)) g")
        func run(_ change: ChangeRequest, as person: ChangeLab, stops: Bool = false) throws -> BulkReport {
            let session = try person.bulk(change)
            _ = try session.plan()
            return try session.run { _ in !stops }
        }
        func paid() throws -> String? {
            try lab.owner.value("select count(*) from people where tier = 'paid' and id >= 1000")
        }
        var change = ChangeRequest.action("tier", "give", on: "1")
        (change.subjects, change.reason) = ((1000...last).map(String.init), "asked")
        var approved = try lab.other.filed(try lab.admin.ask(change).request).change(hasMoved: false)
        approved.reason = "approved"
        var undo = ChangeRequest(.undo(operation: try run(approved, as: lab.other).operation))
        undo.reason = "a mistake"
        let undone = try run(undo, as: lab.admin)
        #expect(try undone.progress.done == ChangeLab.atOnce + 1 && paid() == "0")
        #expect(undone.takesTwoToUndo)
        undo.what = .undo(operation: undone.operation)
        #expect(try failure { _ = try run(undo, as: lab.admin) }.code == "takes_two")
        approved = try lab.other.filed(try lab.admin.ask(undo).request).change(hasMoved: false)
        approved.reason = "approved"
        let started = try run(approved, as: lab.other, stops: true)
        #expect(try started.progress.refused == 0 && started.progress.handled > 0 && paid() != "0")
        approved.resumes = started.operation
        #expect(try failure { _ = try run(approved, as: lab.admin) }.code == "takes_two")
        let redone = try run(approved, as: lab.other)
        #expect(redone.progress.done == ChangeLab.atOnce + 1 && !redone.takesTwoToUndo)
        #expect(try paid() == "\(ChangeLab.atOnce + 1)")
        #expect(try lab.owner.isIntact())
    }

    // MARK: Deletion

    @Test func deletionRemovesNotesAndRequestsOfTheUser() throws {
        let lab = try RequestLab()
        let open = try lab.support.ask(Self.paid())
        let declined = try lab.support.ask(.action("tier", "give", on: "1"))
        try lab.admin.answer(declined.request, .decline)
        let withdrawn = try lab.support.ask(.action("word", "set", on: "1"))
        try lab.support.answer(withdrawn.request, .withdraw)
        let others = try lab.support.ask(.action("tier", "give", on: "2"))
        for user in ["1", "2"] { try lab.support.note("called about one@example.com", about: user) }
        #expect(try lab.support.notesAndRequests("1")?.notes.count == 1)
        #expect(try lab.support.notesAndRequests("1")?.requests.map { $0.shown("text")?.text } == ["tier set paid"])
        #expect(try lab.owner.isIntact())
        try lab.deleteUser("1")
        let left = """
            select count(*) from usher.operation o where o.subjects && array['1'] or o.payload -> 'users' ? '1'
                or o.payload ->> 'target' = 'one@example.com'
            """
        #expect(try lab.owner.value(left) == "0")
        #expect(try lab.owner.rows("select key from usher.note") == [["2"]])
        #expect(try lab.admin.filed(open.request).summary.shown("state")?.text == "forgotten")
        #expect(try lab.admin.filed(declined.request).summary.shown("state")?.text == "declined")
        #expect(try failure { try lab.admin.approve(open.request) }.code == "erased")
        #expect(try lab.admin.filed(others.request).isOpen)
        #expect(try lab.support.notesAndRequests("2")?.requests.count == 1)
        _ = try lab.database.connect().execute("select usher.seal()")
        #expect(try lab.database.auditFindings() == [])
    }
}
