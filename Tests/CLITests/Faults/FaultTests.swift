import Foundation
import Support
import Testing

/// After a broken connection usher reports exactly what the database contains.
@Suite(.serialized, .waiting) struct FaultTests {
    /// The functions that record an operation.
    private static let recording = [
        "usher.call(", "usher.erase(", "usher.record_deletion_step(", "usher.restore(", "usher.record(",
    ]

    @Test(arguments: TestedCommand.all.filter { $0.all < 1000 })
    func usherReportsTheChangeAsDoneIfTheAnswerToTheCommitIsLost(
        _ command: TestedCommand
    ) throws {
        let place = FaultProxy.Place.answerToCommit(command.transaction, behind: Self.recording)
        let ending = try FaultRun(command).end(with: .init(.cut, at: place))
        #expect(ending.count.isHit)
        #expect(ending.contradictions == [], "\(ending.errors)")
        #expect(ending.outcome == .done, "\(ending.errors)")
    }

    /// usher reports the deletion as committed, and says that it could not search for leftovers.
    @Test func deletionReportsAFailedSearchAfterTheCommit() throws {
        let ending = try FaultRun(.named("account delete")).end(
            with: .init(.cut, at: .statementAfterCommit(1, behind: Self.recording), leavesWayBack: false))
        #expect(ending.count.isHit)
        #expect(ending.contradictions == [], "\(ending.errors)")
        #expect(ending.status == 7 && ending.done == 6)
        #expect(ending.output.contains("6 rows deleted") && !ending.output.contains("erified"), "\(ending.output)")
        #expect(
            ending.errors.contains("the account is deleted, but usher could not search for leftovers afterwards"))
        #expect(
            ending.errors.contains("usher couldn't search for leftovers afterwards:")
                && !ending.errors.contains("remains"))
        #expect(ending.errors.contains(/`usher account search \d+ --root users`/), "\(ending.errors)")
    }

    @Test(arguments: sample(TestedCommand.all)) func usherReportsThatNothingChangedIfTheCommitIsLost(
        _ command: TestedCommand
    )
        throws
    {
        let place = FaultProxy.Place.commit(command.transaction, behind: Self.recording)
        let ending = try FaultRun(command).end(with: .init(.cut, at: place))
        #expect(ending.count.isHit)
        #expect(ending.contradictions == [], "\(ending.errors)")
        #expect(ending.status == 5, "\(ending.errors)")
        #expect(ending.errors.contains("the connection was lost before the commit"))
    }

    @Test(
        arguments: ["partner grant", "account delete", "account restore", "install, the first time"].map(
            TestedCommand.named))
    func usherReportsAnUnknownOutcomeIfTheServerStaysUnreachableAfterTheCommit(_ command: TestedCommand) throws {
        let place = FaultProxy.Place.answerToCommit(command.transaction, behind: Self.recording)
        let ending = try FaultRun(command).end(with: .init(.cut, at: place, leavesWayBack: false))
        #expect(ending.contradictions == [])
        #expect(ending.status == 1)
        #expect(ending.outcome == .unknown)
        #expect(ending.done == command.all)
    }

    /// Without `--timeout`, only the operating system would end the wait, after an hour.
    @Test func usherReportsTheChangeAsDoneIfTheNetworkIsSilentAtTheCommit() throws {
        let place = FaultProxy.Place.answerToCommit(1, behind: Self.recording)
        let ending = try FaultRun(.named("partner grant")).end(
            with: .init(.silence, at: place), options: ["--timeout", "1"])
        #expect(ending.contradictions == [])
        #expect(ending.outcome == .done, "\(ending.errors)")
        #expect(ending.errors == "")
    }

    /// usher reports the change before it waits for the seal.
    @Test(arguments: FaultProxy.Fault.allCases) func usherReportsTheChangeAsDoneIfTheConnectionFailsDuringTheSeal(
        _ fault: FaultProxy.Fault
    ) throws {
        let ending = try FaultRun(.named("partner grant")).end(
            with: .init(fault, at: .statement("usher.seal(")), options: ["--timeout", "1"])
        #expect(ending.count.isHit)
        #expect(ending.contradictions == [])
        #expect(ending.outcome == .done, "\(ending.errors)")
        #expect(ending.output.contains("Done."))
        #expect(ending.errors == "")
    }

    @Test(arguments: [true, false]) func scriptReportsAReconnectionOnlyIfItSucceeds(_ leavesWayBack: Bool) throws {
        let database = try SampleDatabase.database
        let proxy = try FaultProxy(
            before: database.cluster, .init(.cut, at: .statement("savepoint"), leavesWayBack: leavesWayBack))
        defer { proxy.stop() }
        let command = "user list -o name\n"
        let result = try Usher.program(["--keep-going"], on: proxy.conninfo(database), input: command + command)
        #expect(result.status == 5)
        #expect(result.errors.contains("is open again") == leavesWayBack, "\(result.errors)")
        #expect(result.output.isEmpty == !leavesWayBack)
    }

    /// Breaks the connection at every message of every command; `.ci/deep/faults.sh` sets the interval between the
    /// messages.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["USHER_FAULTS"] != nil), arguments: TestedCommand.all)
    func commandReportMatchesTheDatabaseAfterTheLossOfAnyMessage(_ command: TestedCommand) throws {
        let variables = ProcessInfo.processInfo.environment
        let step = max(1, variables["USHER_FAULTS"].flatMap { Int($0) } ?? 1)
        let start = 1 + (variables["USHER_FAULTS_FROM"].flatMap { Int($0) } ?? 0) % step
        if let only = variables["USHER_FAULTS_OF"], !only.isEmpty, !command.testDescription.hasPrefix(only) { return }
        let whole = try FaultRun(command).end(with: nil)
        #expect(whole.outcome == .done && whole.contradictions == [], "\(whole.errors)")
        var tally: [FaultRun.Outcome: Int] = [:]
        for direction in FaultProxy.Direction.allCases {
            for number in stride(from: start, through: whole.count.messages[direction] ?? 0, by: step) {
                // The kinds of fault alternate; a silent network is rare because that case takes long.
                let fault: FaultProxy.Fault = number % 16 == 0 ? .silence : number % 2 == 0 ? .halve : .cut
                let trouble = FaultProxy.Trouble(
                    fault, at: .message(direction, number), leavesWayBack: number % 5 != 0)
                let ending = try FaultRun(command).end(with: trouble, options: ["--timeout", "1"])
                #expect(ending.contradictions == [], "\(trouble): \(ending.status) \(ending.errors)\(ending.output)")
                tally[ending.outcome, default: 0] += 1
            }
        }
        let figures = tally.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) \($0.key)" }
        print("faults: \(command.testDescription), \(whole.count.messages): \(figures.joined(separator: ", "))")
    }
}
