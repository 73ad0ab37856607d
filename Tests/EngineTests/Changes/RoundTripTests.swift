import Acts
import AppFile
import Asking
import Changes
import Inquiries
import PQ
import Support
import Synchronization
import Testing

/// usher sends statements together if they don't depend on each other.
///
/// So a change takes few round trips.
@Suite struct RoundTripTests {
    private func lab() throws -> ChangeLab { try ChangeLab(sample: "impulse") }

    private func grant(_ user: String) -> ChangeRequest {
        var request = ChangeRequest(.action(noun: "partner", verb: "grant"))
        request.values = ["source": "influencer"]
        request.subjects = [user]
        return request
    }

    @Test func previewTakesThreeRoundTripsAndTheChangeTwoMore() throws {
        let lab = try lab()
        let connection = try lab.connect()
        let ada = try #require(
            try connection.execute(
                """
                select p.email from public.profiles p where p.subscription_tier = 'trial' and p.email is not null
                 order by p.id limit 1
                """
            ).first?.text("email"))
        let before = connection.roundTrips
        let session = try lab.session(grant(ada), on: connection)
        let plan = try session.plan()
        #expect(plan.changes.count > 0)
        #expect(connection.roundTrips - before == 3)
        // No transaction stays open while the operator reads the preview.
        #expect(connection.isIdle)
        _ = try session.run(as: plan)
        #expect(connection.roundTrips - before == 5)
        #expect(connection.isIdle)
    }

    @Test func changeByKeyTakesAsManyRoundTripsAsByEmail() throws {
        let lab = try lab()
        let connection = try lab.connect()
        let key = try #require(
            try connection.execute(
                "select id::text as id from public.profiles where subscription_tier = 'trial' order by id limit 1"
            ).first?.text("id"))
        let before = connection.roundTrips
        _ = try lab.session(grant(key), on: connection).plan()
        #expect(connection.roundTrips - before == 3)
    }

    /// usher sends the query for row-security policies together with the lookup, and reads the policies first.
    @Test func rowSecurityDoesNotAddARoundTripToThePreview() throws {
        try TestCluster.operatorRoles.get()
        let lab = try lab()
        let login = "trips_admin"
        try lab.database.makeRole(login, "in role usher_admin")
        try lab.database.run(
            "grant usage on schema auth, public, usher to \(login)",
            "grant select on all tables in schema auth, public, usher to \(login)",
            "grant execute on all functions in schema usher to \(login)",
            "create policy trips on public.profiles for select to \(login) using (true)")
        let key = try #require(
            try lab.value("select id from public.profiles where subscription_tier = 'trial' order by id limit 1"))
        #expect(try lab.value("select relrowsecurity from pg_class where oid = 'public.profiles'::regclass") == "t")
        let connection = try lab.database.connect(user: login)
        _ = try lab.session(grant(key), on: connection).plan()
        #expect(connection.roundTrips == 3)
        try lab.database.run("drop policy trips on public.profiles")
        let failure = try failure {
            _ = try lab.session(grant(key), on: try lab.database.connect(user: login))
        }
        #expect(failure.kind == .forbidden && failure.message.contains("public.profiles"), "\(failure)")
    }

    @Test func settingChangeAndItsUndoTakeAsManyRoundTripsAsAnAction() throws {
        let lab = try lab()
        let connection = try lab.connect()
        let setting = ChangeRequest(.setting(table: nil, key: "partner", column: "impulse_limit", value: "41"))
        var before = connection.roundTrips
        let set = try lab.session(setting, on: connection)
        let plan = try set.plan()
        #expect(plan.changes.count == 1)
        #expect(connection.roundTrips - before == 3)
        let operation = try #require(try set.run(as: plan).operation)
        #expect(connection.roundTrips - before == 5)
        before = connection.roundTrips
        let undo = try lab.session(ChangeRequest(.undo(operation: operation)), on: connection)
        let undoing = try undo.plan()
        #expect(undoing.changes.count == 1)
        #expect(connection.roundTrips - before == 3)
        #expect(try undo.run(as: undoing).operation != nil)
        #expect(connection.roundTrips - before == 5)
    }

    @Test func batchOfABulkChangeTakesTwoRoundTrips() throws {
        let bulk = BulkTests()
        let lab = try bulk.lab()
        let connection = try lab.connect()
        var other: Connection?
        let before = connection.roundTrips
        guard case .bulk(let session) = try lab.open(bulk.request("expire"), on: connection, elsewhere: { other = $0 })
        else {
            Issue.record("usher did not open a bulk change")
            return
        }
        session.sizer = ChangeLab.sizer
        _ = try session.plan()
        // The preview takes six round trips for every size of the bulk change; a small change takes three.
        let preview = connection.roundTrips - before
        #expect(preview == 6)
        var taken: [Int] = []
        let report = try session.run { _ in
            taken.append(other?.roundTrips ?? 0)
            return true
        }
        #expect(report.progress.done == 1200 && taken.count > 2)
        #expect(Set(zip(taken.dropFirst(), taken).map { $0 - $1 }) == [2])
        // The batches used another connection than the preview.
        #expect(connection.roundTrips - before == preview)
    }

    @Test func batchOfABulkUndoIsOneStatement() throws {
        let bulk = BulkTests()
        let lab = try bulk.lab()
        let done = try bulk.run(lab, bulk.request("extend"))
        let asked = Mutex<[String]>([])
        var options = InquiryOptions()
        options.trace = { query in asked.withLock { $0.append(query.sql) } }
        var other: Connection?
        let undo = ChangeRequest(.undo(operation: done.operation))
        guard case .bulk(let session) = try lab.open(undo, options: options, elsewhere: { other = $0 }) else {
            Issue.record("usher did not open a bulk undo")
            return
        }
        _ = try session.plan()
        asked.withLock { $0 = [] }
        var taken: [Int] = []
        let report = try session.run { _ in
            taken.append(other?.roundTrips ?? 0)
            return true
        }
        #expect(report.progress.done == 1200 && taken.count == done.progress.batches)
        #expect(Set(zip(taken.dropFirst(), taken).map { $0 - $1 }) == [2])
        // The two other statements are the start of the undo, and the query that finds no further row.
        let statements = asked.withLock { $0 }
        #expect(statements.count { $0.contains("usher.batch") } == taken.count + 1)
        #expect(statements.count { $0.contains("usher.begin") } == 1 && statements.count == taken.count + 2)
    }

    @Test func refusedChangeDoesNotLeaveATransactionOpen() throws {
        let lab = try lab()
        let connection = try lab.connect()
        let before = connection.roundTrips
        #expect(throws: Failure.self) { try lab.session(grant("nobody@example.com"), on: connection).plan() }
        #expect(connection.roundTrips > before)
        #expect(try connection.execute("select 1 as one").only().integer("one") == 1)
    }
}
