import AppFile
import Changes
import Ledger
import PQ
import Support
import Synchronization
import Testing

/// usher limits the number of users in a change, and the age of a preview.
@Suite struct ChangeLimitsTests {
    private static let app = """
        -- @action lab see  Seen now.
        -- @do
        update public.people set seen = :now where id = any(:users);
        """

    /// A clock that moves only when a test moves it.
    private final class StoppedClock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        var limits: ChangeLimits { ChangeLimits { self.instant.withLock { $0 } } }

        func advance(by duration: Duration) { instant.withLock { $0 += duration } }
    }

    @Test(arguments: [(99, App.Grade.mild), (100, .severe), (101, .severe)])
    func changeOfAHundredUsersCountsAsSevere(count: Int, grade: App.Grade) throws {
        let lab = try ChangeLab(
            Self.app, "insert into public.people (id) select n from generate_series(4, 101) n")
        var request = ChangeRequest.action("lab", "see")
        request.subjects = (1...count).map(String.init)
        let confirmation = try lab.session(request).confirmation()
        #expect(confirmation.grade == grade)
        #expect(confirmation.answers == [String(count)])
        #expect(confirmation.isAskedAtTerminal)
    }

    @Test(arguments: [
        ("test", 11, App.Grade.mild), ("staging", 11, .mild), ("production", 10, .mild), ("production", 11, .severe),
    ])
    func changeOfMoreThanTenUsersInProductionNeedsTheirNumberAsConfirmation(
        _ environment: String, count: Int, grade: App.Grade
    ) throws {
        let lab = try ChangeLab(Self.app, "insert into public.people (id) select n from generate_series(4, 20) n")
        _ = try lab.database.connect().execute(LedgerSchema.mark(environment))
        var request = ChangeRequest.action("lab", "see")
        request.reason = "asked for"
        request.subjects = (1...count).map(String.init)
        let confirmation = try lab.session(request).confirmation()
        #expect(confirmation.grade == grade)
        #expect(confirmation.answers == [String(count)])
        #expect(confirmation.isAskedAtTerminal)
        // An untrusted environment counts as production.
        try lab.database.run("delete from usher.environment")
        #expect(try lab.session(request).confirmation().grade == (count > 10 ? .severe : .mild))
    }

    @Test(arguments: ["test", "staging", "production"])
    func mildChangeOfOneUserNeedsAConfirmationOnlyInProduction(environment: String) throws {
        let lab = try ChangeLab(Self.app)
        _ = try lab.database.connect().execute(LedgerSchema.mark(environment))
        var request = ChangeRequest.action("lab", "see", on: "1")
        request.reason = "asked for"
        let confirmation = try lab.session(request).confirmation()
        #expect(confirmation.grade == .mild)
        #expect(confirmation.isAskedAtTerminal == (environment == "production"))
    }

    @Test(arguments: [(Duration.seconds(300), false), (.seconds(300) + .milliseconds(1), true)])
    func changeRepeatsAPreviewOlderThanFiveMinutes(age: Duration, isMadeAnew: Bool) throws {
        let lab = try ChangeLab(Self.app)
        let clock = StoppedClock()
        let session = try lab.session(.action("lab", "see", on: "1"), limits: clock.limits)
        let plan = try session.plan()
        clock.advance(by: age)
        let report = try session.run(as: plan)
        #expect((report.now != plan.now) == isMadeAnew)
        let seen = try lab.value("select seen = '\(report.now)' from people where id = 1")
        #expect(seen == "t", "the preview and the change use the same time")
    }
}
