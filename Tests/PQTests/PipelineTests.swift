import PQ
import Support
import Testing

@Suite struct PipelineTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestCluster.emptyDatabase()
        connection = try database.connect()
    }

    @Test(arguments: [true, false]) func failedPipelineBatchDoesNotAffectTheOtherBatches(_ isPipelining: Bool) throws {
        let connection = try database.connect(isPipelining: isPipelining)
        let outcomes = try connection.pipeline([
            ["select 1 as n"], ["select 2 as n", "select 1/0", "select 3 as n"], ["select nonsense"], [],
            ["select 4 as n"],
        ])
        #expect(outcomes.map(\.count) == [1, 3, 1, 0, 1])
        #expect(try outcomes[0][0].get().first?.shown("n")?.text == "1")
        #expect(try outcomes[1][0].get().first?.shown("n")?.text == "2")
        #expect(outcomes[1][1].state == SQLState(rawValue: "22012"))
        #expect(outcomes[1][2].state == .inFailedTransaction)
        #expect(outcomes[2][0].state?.rawValue == "42703")
        #expect(try outcomes[4][0].get().first?.shown("n")?.text == "4")
        try expectUsable(connection)
    }

    /// The server's message about its shutdown arrives where usher expects the end of a batch.
    @Test(arguments: 0...2) func pipelineReportsAServerShutdownAsALostConnection(statements: Int) throws {
        let answers = Array(repeating: [.parsed, .bound, .noRows, .done] as [FakeServer.Message], count: statements)
        let server = try FakeServer(.saying(answers.joined() + [.ended]))
        let connection = try Connection(try Conninfo(server.conninfo), cancellation: Cancellation())
        let thrown = #expect(throws: PQError.self) { _ = try connection.pipeline([["begin", "begin"]]) }
        guard case .connectionLost(let words) = thrown else { throw try #require(thrown) }
        #expect(words == "terminated by an administrator")
        #expect(!connection.isAlive)
    }

    /// An error that arrives after the answer to the last statement belongs to that statement.
    @Test(arguments: [true, false])
    func deferredErrorOfAPipelineBatchBelongsToItsLastStatement(_ isPipelining: Bool) throws {
        _ = try connection.execute("create table public.once (n int unique deferrable initially deferred)")
        let connection = try database.connect(isPipelining: isPipelining)
        let outcomes = try connection.pipeline([
            ["insert into public.once values (1), (1)"], ["select 2 as n"],
        ])
        #expect(outcomes[0][0].state == SQLState(rawValue: "23505"))
        #expect(try outcomes[1][0].get().first?.shown("n")?.text == "2")
        try expectUsable(connection)
    }

    /// The server reports a position in the statement, and usher reads the table's name there.
    @Test func lockTimeoutErrorNamesTheTable() throws {
        _ = try connection.execute("create table public.kept (n int)")
        let holder = try database.connect()
        for statement: Query in ["begin", "lock table public.kept"] { _ = try holder.execute(statement) }
        _ = try connection.execute("set lock_timeout = '100ms'")
        let outcome = try connection.pipeline([["select 'ä', n from public.kept where n > 1"]])[0][0]
        guard case .failure(let error) = outcome else { throw try #require(nil as (any Error)?) }
        #expect(error.state == .lockNotAvailable && error.table == "public.kept")
        try expectUsable(connection)
    }

    @Test func emptyPipelineSucceeds() throws {
        #expect(try connection.pipeline([]).isEmpty)
        try expectUsable(connection)
    }

    /// The batches are far larger than the buffers of both sides.
    @Test func largePipelineInBothDirectionsDoesNotDeadlock() throws {
        let text = String(repeating: "x", count: 10_000)
        let queries = (0..<2000).map { Query(unsafe: "select $1::text || $2::text as text", [text, "\($0)"]) }
        let outcomes = try connection.pipeline(queries.map { [$0] })
        #expect(try outcomes.enumerated().allSatisfy { try $1[0].get().first?.shown("text")?.text == text + "\($0)" })
        #expect(outcomes.count == 2000)
        let together = try connection.pipeline([Array(queries.prefix(300))])
        #expect(try together[0].allSatisfy { try $0.get().rows.count == 1 })
        try expectUsable(connection)
    }

    @Test(arguments: [true, false]) func deadlineOfAPipelineCancelsItsRunningStatements(_ isPipelining: Bool) throws {
        let connection = try database.connect(isPipelining: isPipelining)
        let outcomes = try connection.pipeline(
            [["select 1 as n"], ["select pg_sleep(600)"], ["select pg_sleep(600)", "select 2"]], timeout: 0.3)
        #expect(try outcomes[0][0].get().first?.shown("n")?.text == "1")
        #expect(outcomes[1][0].state == .queryCanceled)
        #expect(outcomes[2][0].state == .queryCanceled)
        #expect(outcomes[2][1].state == .inFailedTransaction)
        try expectUsable(connection)
    }

    /// Each statement is short, and the time limit still ends the batch.
    @Test(arguments: [true, false]) func deadlineOfAPipelineEndsManyShortStatements(_ isPipelining: Bool) throws {
        let connection = try database.connect(isPipelining: isPipelining)
        let outcomes = try connection.pipeline(
            Array(repeating: ["select pg_sleep(0.02)"], count: 100), timeout: 0.3)
        #expect(outcomes.count == 100)
        #expect(outcomes.contains { $0[0].state == .queryCanceled })
        try expectUsable(connection)
    }

    @Test(arguments: [true, false]) func interruptEndsAPipeline(_ isPipelining: Bool) throws {
        let cancellation = Cancellation()
        let connection = try database.connect(cancellation: cancellation, isPipelining: isPipelining)
        let task = BackgroundTask(asSoonAs: connection.backendPID, sleepsIn: database) { _ in cancellation.request() }
        #expect(throws: PQError.interrupted) {
            try connection.pipeline([["select 1"], ["select pg_sleep(600)"], ["select pg_sleep(600)"]])
        }
        try task.join()
        try expectUsable(connection)
    }

    @Test(arguments: [true, false]) func pipelineOnALostConnectionThrows(_ isPipelining: Bool) throws {
        let connection = try database.connect(isPipelining: isPipelining)
        let pid = connection.backendPID
        let task = BackgroundTask(asSoonAs: pid, sleepsIn: database) { watcher in
            _ = try watcher.execute("select pg_terminate_backend(\(String(pid))::int)")
        }
        let error = try #require(throws: PQError.self) {
            try connection.pipeline([["select 1"], ["select pg_sleep(600)"], ["select 2"]])
        }
        try task.join()
        #expect(error == .connectionLost("terminating connection due to administrator command"))
        #expect(!connection.isAlive)
    }
}

extension Result where Failure == ServerError {
    /// The SQLSTATE of a failure, or nil for a success.
    var state: SQLState? {
        if case .failure(let error) = self { error.state } else { nil }
    }
}
