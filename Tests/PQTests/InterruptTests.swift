import Foundation
import LocalCluster
import Support
import Synchronization
import Testing

@testable import PQ

@Suite struct InterruptTests {
    private let database: TestDatabase
    private let cancellation = Cancellation()
    private let connection: Connection

    init() throws {
        database = try TestCluster.emptyDatabase()
        connection = try database.connect(cancellation: cancellation)
    }

    @Test func interruptEndsTheStatementNotTheConnection() throws {
        let pid = connection.backendPID
        let task = BackgroundTask(asSoonAs: pid, sleepsIn: database) { [cancellation] _ in cancellation.request() }
        #expect(throws: PQError.interrupted) { try connection.execute("select pg_sleep(600)") }
        try task.join()
        #expect(cancellation.isRequested)
        try expectUsable(connection)
        #expect(connection.backendPID == pid)
    }

    @Test func interruptBeforeAStatementEndsTheStatement() throws {
        cancellation.request()
        #expect(throws: PQError.interrupted) { try connection.execute("select pg_sleep(600)") }
        cancellation.reset()
        #expect(!cancellation.isRequested)
        try expectUsable(connection)
    }

    @Test func statementRunsAfterAnInterruptIsReset() throws {
        cancellation.request()
        cancellation.reset()
        try expectUsable(connection)
    }

    /// A late cancel request would end the wrong statement.
    @Test func cancelRequestDoesNotReachTheNextStatement() throws {
        for round in 0..<200 {
            cancellation.request()
            _ = try? connection.execute("select pg_sleep(0.001)")
            let next = try connection.execute("select \("\(round)") as round from generate_series(1, 1000)")
            #expect(next.rows.count == 1000)
        }
        try expectUsable(connection)
    }

    @Test func timeoutEndsTheStatementNotTheConnection() throws {
        #expect(throws: PQError.timedOut(seconds: 0.2)) {
            try connection.execute("select pg_sleep(600)", timeout: 0.2)
        }
        try expectUsable(connection)
    }

    @Test func secondInterruptClosesTheConnection() throws {
        let pid = connection.backendPID
        let task = BackgroundTask(asSoonAs: pid, sleepsIn: database) { [cancellation] _ in
            // A stopped backend answers no cancel request.
            kill(pid_t(pid), SIGSTOP)
            cancellation.request()
            eventually("usher notices the first interrupt") { !cancellation.isUnnoticed }
            cancellation.request()
        }
        defer { kill(pid_t(pid), SIGCONT) }
        #expect(throws: PQError.interrupted) { try connection.execute("select pg_sleep(600)") }
        try task.join()
        #expect(!connection.isAlive)
        #expect(throws: PQError.self) { try connection.execute("select 1") }
    }

    /// The server ignores the cancel request, and no operator presses Ctrl-C again.
    @Test func connectionClosesIfTheServerIgnoresTheCancelRequest() throws {
        let pid = connection.backendPID
        connection.patience = 0.2
        defer { kill(pid_t(pid), SIGCONT) }
        let task = BackgroundTask(asSoonAs: pid, sleepsIn: database) { _ in kill(pid_t(pid), SIGSTOP) }
        #expect(throws: PQError.timedOut(seconds: 2)) { try connection.execute("select pg_sleep(600)", timeout: 2) }
        try task.join()
        #expect(!connection.isAlive)
    }

    /// A cancel request needs its own connection, and the second interrupt must not wait for it.
    @Test func secondInterruptDoesNotWaitForTheCancelRequestOfTheFirst() throws {
        let cluster = try LocalCluster.start(name: "usher-pq-tests")
        let database = TestDatabase(name: "postgres", cluster: cluster)
        let connection = try database.connect(cancellation: cancellation)
        let file = try String(contentsOfFile: cluster.folder + "/data/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(pid_t(file.prefix { $0 != "\n" }))
        let returned = Flag()
        let task = BackgroundTask(asSoonAs: connection.backendPID, sleepsIn: database) { [cancellation] _ in
            kill(postmaster, SIGSTOP)
            defer { kill(postmaster, SIGCONT) }
            cancellation.request()
            eventually("usher notices the first interrupt") { !cancellation.isUnnoticed }
            cancellation.request()
            eventually("the statement returns") { returned.isSet }
        }
        #expect(throws: PQError.interrupted) { try connection.execute("select pg_sleep(600)") }
        returned.set()
        try task.join()
        #expect(!connection.isAlive)
    }

    /// The text of the statement is longer than the socket's buffer, and the stopped server doesn't read it.
    @Test func timeoutEndsTheSendingOfALongStatement() throws {
        let pid = pid_t(connection.backendPID)
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGCONT) }
        connection.patience = 0.2
        let text = String(repeating: "x", count: 20_000_000)
        #expect(throws: PQError.timedOut(seconds: 0.3)) {
            try connection.execute("select length(\(text))", timeout: 0.3)
        }
        #expect(!connection.isAlive)
    }

    @Test func lostConnectionThrowsTheReasonOfTheServer() throws {
        let pid = connection.backendPID
        let task = BackgroundTask(asSoonAs: pid, sleepsIn: database) { watcher in
            _ = try watcher.execute("select pg_terminate_backend(\(String(pid))::int)")
        }
        let error = try #require(throws: PQError.self) { try connection.execute("select pg_sleep(600)") }
        try task.join()
        #expect(error == .connectionLost("terminating connection due to administrator command"))
        #expect(!connection.isAlive)
        #expect(throws: PQError.self) { try connection.execute("select 1") }
        #expect(throws: PQError.self) { try connection.pipeline([["select 1"]]) }
        #expect(throws: (any Error).self) { try connection.stream("select 1") { _ in } }
        try connection.rollbackIfOpen()
    }

    @Test func statementOnAConnectionThatWasLostWhileIdleThrows() throws {
        let watcher = try database.connect()
        let pid = String(connection.backendPID)
        _ = try watcher.execute("select pg_terminate_backend(\(pid)::int)")
        try eventually("the session is gone") {
            try watcher.execute("select 1 from pg_stat_activity where pid = \(pid)::int").rows.isEmpty
        }
        let error = try #require(throws: PQError.self) { try connection.execute("select 1") }
        #expect(error == .connectionLost("terminating connection due to administrator command"))
        #expect(!connection.isAlive)
    }

    @Test func connectionKeepsNoticesUpToALimit() throws {
        _ = try connection.execute("do $$ begin raise notice 'one'; raise warning 'two'; end $$")
        #expect(
            connection.takeNotices() == [
                Notice(severity: "NOTICE", state: SQLState(rawValue: "00000"), message: "one"),
                Notice(severity: "WARNING", state: SQLState(rawValue: "01000"), message: "two"),
            ])
        #expect(connection.takeNotices().isEmpty)
        _ = try connection.execute("do $$ begin for i in 1..20000 loop raise notice 'flood %', i; end loop; end $$")
        let notices = connection.takeNotices()
        #expect(notices.count == 1000)
        #expect(notices.first?.message == "flood 1")
        try expectUsable(connection)
    }
}

/// A flag that any thread can set once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

extension Cancellation {
    /// True if the pipe contains a request that no wait has read yet.
    fileprivate var isUnnoticed: Bool {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 1
    }
}
