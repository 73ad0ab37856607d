import Acts
import AppFile
import Asking
import Changes
import Foundation
@testable import PQ
import Support
import Synchronization
import Testing

/// Two operators and the app change the same rows at the same time, or connections break.
@Suite(.waiting) struct ConcurrentChangeTests {
    private static let app = """
        -- @action lab go  One more.
        -- @do
        update public.people set score = score + 1 where id = any(:users);

        -- @action lab add  Adds a letter, three at most.
        -- @refuse There are three.
        (select count(*) from public.letters l where l.person = facts.id) >= 3;
        -- @warn {email} was seen at {seen}.
        true;
        -- @do
        insert into public.letters (person) select unnest(:users);

        -- @action lab pair  Adds letters one by one.
        -- @each id
        -- @do
        insert into public.letters (person) values (:user);
        """
    private static let letters =
        "create table public.letters (id integer generated always as identity primary key, person integer)"

    private static let go = ChangeRequest.action("lab", "go", on: "1")
    private static let add = ChangeRequest.action("lab", "add", on: "1")

    private func lab(_ statements: String...) throws -> ChangeLab {
        let lab = try ChangeLab(Self.app, Self.letters)
        let connection = try lab.database.connect()
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        return lab
    }

    private func score(_ lab: ChangeLab) throws -> Int {
        Int(try lab.value("select score from people where id = 1") ?? "") ?? -1
    }

    // MARK: Operators

    /// Runs a change repeatedly on several threads; returns the number of successes and the failures.
    private func runConcurrently(
        _ lab: ChangeLab, _ request: ChangeRequest, threads: Int, each: Int
    ) throws -> (done: Int, failures: [Failure.Kind]) {
        let others = (0..<threads).map { _ in
            BackgroundTask {
                var done = 0
                var failures: [Failure.Kind] = []
                let connection = try lab.connect()
                for _ in 0..<each {
                    do { if try lab.run(request, on: connection).operation != nil { done += 1 } } catch let failure
                        as Failure
                    {
                        failures.append(failure.kind)
                    }
                }
                return (done: done, failures: failures)
            }
        }
        return try others.map { try $0.value() }.reduce(into: (0, [])) { sum, part in
            sum.0 += part.done
            sum.1 += part.failures
        }
    }

    @Test func concurrentChangesDoNotLoseAnUpdate() throws {
        let lab = try lab()
        let (done, failures) = try runConcurrently(lab, Self.go, threads: 4, each: 8)
        #expect(failures.allSatisfy { $0 == .conflict }, "\(failures)")
        #expect(done > 0)
        #expect(try score(lab) == 10 + done)
        #expect(try lab.value("select count(*) from usher.change") == String(done))
        #expect(try lab.isIntact())
    }

    @Test func everyChangeThatWaitsForALockSucceeds() throws {
        let lab = try lab()
        let (done, failures) = try runConcurrently(lab, Self.go, threads: 10, each: 1)
        #expect(failures == [])
        #expect(try done == 10 && score(lab) == 20)
    }

    @Test func concurrentChangesDoNotBypassARefusal() throws {
        let lab = try lab()
        let (done, failures) = try runConcurrently(lab, Self.add, threads: 4, each: 3)
        #expect(done == 3)
        #expect(failures.allSatisfy { $0 == .refused || $0 == .conflict }, "\(failures)")
        #expect(try lab.value("select count(*) from letters") == "3")
    }

    @Test func secondOperatorWaitsAndSeesTheFirstChange() throws {
        let lab = try lab(
            """
            create function public.slow() returns trigger language plpgsql as $$ begin
                perform pg_advisory_xact_lock_shared(77);
                return new;
            end $$
            """,
            "create trigger slow before update on public.people for each row execute function public.slow()")
        let gate = try lab.database.connect()
        _ = try gate.execute("select pg_advisory_lock(77)")
        let first = BackgroundTask { try lab.run(Self.go).lines }
        try eventually("the first change waits in its trigger") { try lab.waiting() == 1 }
        let second = BackgroundTask { try lab.run(Self.go).lines }
        try eventually("the second change waits") { try lab.waiting() == 2 }
        _ = try gate.execute("select pg_advisory_unlock(77)")
        #expect(try first.value() == [#"~ public.people {"id": 1} score: 10 → 11"#])
        #expect(try second.value() == [#"~ public.people {"id": 1} score: 11 → 12"#])
    }

    // MARK: Preview and run

    @Test(arguments: [true, false]) func changeConflictsIfAnotherSessionLocksTheUserTooLong(isOperator: Bool) throws {
        let lab = try lab()
        let other = try lab.database.connect()
        _ = try other.execute("begin")
        _ = try other.execute(
            isOperator
                ? "select pg_advisory_xact_lock(hashtextextended('usher public.people 1', 0))"
                : "update public.people set score = score where id = 1")
        let conflict = try failure {
            _ = try lab.session(Self.go, options: InquiryOptions(timeout: 1)).run(as: nil)
        }
        #expect(conflict.kind == .conflict, "\(conflict)")
    }

    @Test func writeToOtherColumnsAfterThePreviewIsNotAConflict() throws {
        let lab = try lab()
        for request in [Self.go, Self.add] {
            let session = try lab.session(request)
            let plan = try session.plan()
            try lab.database.run("update public.people set seen = clock_timestamp(), mood = 'sad' where id = 1")
            #expect(try session.run(as: plan).operation != nil, "\(plan.command)")
        }
    }

    @Test func changeConflictsIfItsRowWasWrittenAfterThePreview() throws {
        let lab = try lab()
        let session = try lab.session(Self.go)
        let plan = try session.plan()
        try lab.database.run("update public.people set score = 50 where id = 1")
        let before = try lab.everything()
        #expect(try failure { _ = try session.run(as: plan) }.kind == .conflict)
        #expect(try lab.everything() == before)
        #expect(try lab.operations(where: "outcome = 'refused'") == 1)
        let fresh = try session.plan()
        #expect(try session.run(as: fresh).lines == [#"~ public.people {"id": 1} score: 50 → 51"#])
    }

    @Test func changeConflictsIfItsUserWasDeletedAfterThePreview() throws {
        let lab = try lab()
        let session = try lab.session(Self.go)
        let plan = try session.plan()
        try lab.database.run("delete from public.people where id = 1")
        #expect(try failure { _ = try session.run(as: plan) }.kind == .conflict)
    }

    @Test func changeIsRefusedIfARefusalConditionHoldsSinceThePreview() throws {
        let lab = try lab()
        let session = try lab.session(Self.add)
        let plan = try session.plan()
        try lab.database.run("insert into public.letters (person) values (1), (1), (1)")
        let refusal = try failure { _ = try session.run(as: plan) }
        #expect(refusal.kind == .refused)
        #expect(refusal.message.hasSuffix(": There are three."))
    }

    /// Updates the row repeatedly and holds each lock for a moment, so that a waiting change must retry.
    ///
    /// With several writers, one writer is always waiting when another writer commits.
    private func interfering<Value: Sendable>(
        _ lab: ChangeLab, times: Int, writers: Int = 1, _ body: () throws -> Value
    ) throws -> Value {
        let database = lab.database
        let isHeld = Atomic(false)
        let isOver = Atomic(false)
        let app = (0..<writers).map { _ in
            BackgroundTask {
                let connection = try database.connect()
                for _ in 0..<times where !isOver.load(ordering: .relaxed) {
                    _ = try connection.execute("begin")
                    _ = try connection.execute("update public.people set seen = clock_timestamp() where id = 1")
                    isHeld.store(true, ordering: .relaxed)
                    usleep(200_000)
                    _ = try connection.execute("commit")
                }
            }
        }
        while !isHeld.load(ordering: .relaxed) { usleep(1000) }
        defer { isOver.store(true, ordering: .relaxed) }
        let value = try body()
        isOver.store(true, ordering: .relaxed)
        for writer in app { try writer.value() }
        return value
    }

    @Test func changeRetriesAfterASerializationConflictWithTheApp() throws {
        let lab = try lab()
        let report = try interfering(lab, times: 2) { try lab.session(Self.go).run(as: nil).lines }
        #expect(report == [#"~ public.people {"id": 1} score: 10 → 11"#])
        #expect(try lab.operations() == 1)
        let kind = try interfering(lab, times: 1000, writers: 2) {
            try failure { _ = try lab.session(Self.go).run(as: nil) }.kind
        }
        #expect(kind == .conflict)
        #expect(try score(lab) == 11)
    }

    // MARK: Lost connections

    @Test func changeHasNoEffectIfTheConnectionIsLostBeforeTheCommit() throws {
        let lab = try lab(
            """
            create function public.die() returns trigger language plpgsql as $$ begin
                perform pg_terminate_backend(pg_backend_pid());
                return new;
            end $$
            """,
            "create trigger die before update on public.people for each row execute function public.die()")
        let before = try lab.everything()
        let lost = try failure { try lab.run(Self.go) }
        #expect(lost.kind == .connection)
        #expect(lost.message.hasSuffix("; nothing was changed"))
        #expect(try lab.everything() == before)
        #expect(try lab.operations() == 0)
    }

    /// Commits wait for the advisory lock 77, because a deferred trigger on the audit log takes this lock.
    private func slowCommits() throws -> ChangeLab {
        try lab(
            """
            create function public.defer() returns trigger language plpgsql as $$ begin
                set constraints all deferred;
                return new;
            end $$
            """, "create trigger defer before insert on usher.operation for each row execute function public.defer()",
            """
            create function public.slow() returns trigger language plpgsql as $$ begin
                perform pg_advisory_xact_lock_shared(77);
                return null;
            end $$
            """,
            """
            create constraint trigger slow after insert on usher.operation deferrable initially deferred
                for each row when (new.outcome = 'committed') execute function public.slow()
            """)
    }

    /// A connection that one thread uses and another thread closes.
    private struct Held: @unchecked Sendable { let connection: Connection }

    /// The result of a change whose connection breaks during the commit, while another session intervenes.
    private func cut(
        _ lab: ChangeLab, _ intervene: (_ gate: Connection, _ connection: Connection) throws -> Void
    ) throws -> Result<[String], Failure> {
        let gate = try lab.database.connect()
        _ = try gate.execute("select pg_advisory_lock(77)")
        let held = Held(connection: try lab.connect())
        let change = BackgroundTask { () -> Result<[String], Failure> in
            do { return .success(try lab.run(Self.go, on: held.connection).lines) } catch let failure as Failure {
                return .failure(failure)
            }
        }
        try eventually("the change commits") {
            try lab.value(
                "select count(*) from pg_stat_activity where datname = current_database() "
                    + "and query = 'commit' and wait_event_type = 'Lock'") == "1"
        }
        try intervene(gate, held.connection)
        return try change.value()
    }

    @Test func changeIsReportedAsDoneIfItsCommitSucceedsWithoutAnAnswer() throws {
        let lab = try slowCommits()
        let outcome = try cut(lab) { gate, connection in
            connection.giveUp()
            try eventually("the second connection waits") { try lab.waiting() == 2 }
            _ = try gate.execute("select pg_advisory_unlock(77)")
        }
        #expect(try outcome.get() == [#"~ public.people {"id": 1} score: 10 → 11"#])
        #expect(try score(lab) == 11)
        #expect(try lab.operations(where: "outcome = 'committed'") == 1)
        #expect(try lab.operations() == 1)
    }

    @Test func changeIsRecordedAsLostIfTheConnectionBreaksBeforeTheCommit() throws {
        let lab = try slowCommits()
        let outcome = try cut(lab) { _, connection in
            _ = try lab.value("select pg_terminate_backend(\(connection.backendPID))")
        }
        guard case .failure(let lost) = outcome else {
            Issue.record("the change was not reported as lost")
            return
        }
        #expect(lost.kind == .connection)
        #expect(lost.message == "the connection was lost before the commit; nothing was changed")
        #expect(try score(lab) == 10)
        #expect(try lab.operations(where: "outcome = 'lost'") == 1)
        #expect(try lab.value("select count(*) from usher.change") == "0")
    }
}
