import Foundation
import LocalCluster
import Support
import Synchronization
import Testing

@testable import PQ

/// usher determines the outcome of a COMMIT, also when the connection breaks.
@Suite struct CommitTests {
    private let database: TestDatabase
    private let cancellation = Cancellation()
    private let connection: Connection

    init() throws {
        database = try TestCluster.emptyDatabase()
        try database.run("create table public.t (n int unique deferrable initially deferred)")
        connection = try database.connect(cancellation: cancellation)
    }

    /// Begins a transaction with a row; a trigger on the table runs at the commit.
    private func begin(_ body: String) throws {
        try database.run(
            "create function public.last() returns trigger language plpgsql as $$ begin \(body); return null; end $$",
            """
            create constraint trigger last after insert on public.t deferrable initially deferred
                for each row execute function public.last()
            """)
        _ = try connection.execute("begin")
        _ = try connection.execute("insert into public.t values (1)")
    }

    private func count() throws -> String? {
        try database.connect().execute("select count(*) as n from public.t").first?.shown("n")?.text
    }

    @Test func commitAnswerContainsTheServersWarnings() throws {
        try begin("raise notice 'by the way'; raise warning 'half of it' using detail = 'the other half'")
        _ = try connection.execute("do $$ begin raise warning 'earlier'; end $$")
        let answer = try connection.commit(within: 10)
        #expect(answer.silence == nil)
        #expect(
            answer.warnings == [
                Notice(
                    severity: "WARNING", state: SQLState(rawValue: "01000"), message: "half of it",
                    detail: "the other half")
            ])
        #expect(try count() == "1")
    }

    @Test func commitThrowsTheErrorOfTheServer() throws {
        try begin("insert into public.t values (1)")
        let refusal = try serverError { _ = try connection.commit(within: 10) }
        #expect(refusal.state == .uniqueViolation)
        #expect(try count() == "0")
        try expectUsable(connection)
    }

    /// Postgres answers the COMMIT of a failed transaction with ROLLBACK and not with an error.
    @Test func failedTransactionIsNotCommitted() throws {
        try begin("null")
        _ = try? connection.execute("select 1/0")
        let refusal = try serverError { _ = try connection.commit(within: 10) }
        #expect(refusal.state == .inFailedTransaction)
        #expect(try count() == "0")
    }

    @Test func interruptOfACommitThatRunsATriggerRollsBack() throws {
        try begin("perform pg_sleep(600)")
        let task = BackgroundTask(asSoonAs: connection.backendPID, sleepsIn: database) { [cancellation] _ in
            cancellation.request()
        }
        #expect(throws: PQError.interrupted) { _ = try connection.commit(within: 600) }
        try task.join()
        #expect(try count() == "0")
        try expectUsable(connection)
    }

    @Test func commitOfASilentServerIsReportedAsUnknown() throws {
        try begin("perform pg_sleep(600)")
        connection.patience = 0.2
        let pid = pid_t(connection.backendPID)
        kill(pid, SIGSTOP)
        // An open transaction would delay the seals of every database of the cluster.
        defer {
            kill(pid, SIGTERM)
            kill(pid, SIGCONT)
        }
        let answer = try connection.commit(within: 0.2)
        #expect(answer.silence == .timedOut(seconds: 0.2))
        #expect(!connection.isAlive)
    }

    /// The commit is durable on this server although no replica has confirmed it, and usher says so.
    @Test func commitThatNoReplicaConfirmsProducesAWarning() throws {
        let cluster = try LocalCluster.start(name: "usher-replica")
        defer { cluster.stop() }
        let postgres = TestDatabase(name: "postgres", cluster: cluster)
        try postgres.run("create table t (n int)", "alter system set synchronous_standby_names = 'nobody'")
        try postgres.run("select pg_reload_conf()")
        let connection = try postgres.connect()
        var answer: (silence: PQError?, warnings: [Notice])?
        // A background process of the server must read the setting before commits wait for the replica.
        try eventually("the server waits for a replica") {
            _ = try connection.execute("begin")
            // A temporary server doesn't wait for its own disk, so the test turns this waiting on.
            _ = try connection.execute("set local synchronous_commit = on")
            _ = try connection.execute("insert into t values (1)")
            answer = try connection.commit(within: 2.5)
            return answer?.warnings.isEmpty == false
        }
        #expect(answer?.silence == nil)
        #expect(answer?.warnings.map(\.state.rawValue) == ["01000"])
        #expect(answer?.warnings.first?.detail?.contains("might not have been replicated") == true)
        #expect(try postgres.connect().execute("select n from t limit 1").rows.count == 1)
    }

    /// The longer text does not fit into the socket's buffer, so writing it also fails, with another error.
    @Test(arguments: [1, 5_000_000]) func lostConnectionReportsTheServersLastMessage(_ length: Int) throws {
        let server = try FakeServer(.saying([.ended]))
        let text = String(repeating: "x", count: length)
        let loss = PQError.connectionLost("terminated by an administrator")
        for use in [
            { connection in _ = try connection.execute("select \(text)") },
            { connection in _ = try connection.pipeline([["begin", "select \(text)"], ["select \(text)"]]) },
            { connection in if let silence = try connection.commit(within: 10).silence { throw silence } },
        ] as [(Connection) throws -> Void] {
            let connection = try Connection(try Conninfo(server.conninfo), cancellation: Cancellation())
            #expect(throws: loss) { try use(connection) }
            #expect(connection.closingMessage == "terminated by an administrator")
            #expect(!connection.isAlive)
        }
    }
}
