package import Acts
internal import Asking
internal import Changes
internal import Ledger
package import LocalCluster
package import PQ
import Dispatch
import Glibc
import Synchronization

/// The one Postgres of a test run; it goes away with the process.
package enum TestCluster {
    private static let started = Result {
        // Hundreds of databases would be visited all the time, and none of them lives for long.
        let cluster = try LocalCluster.start(settings: ["autovacuum": "off"], name: "usher-tests", in: memory)
        let template = try Conninfo(cluster.conninfo(database: "template1"))
        try DemoDatabase.prepare(try Connection(template, cancellation: Cancellation()))
        return cluster
    }

    /// A folder in memory with room for the databases of a run, if there is one: a database has 300 small files, and on a
    /// disk with a journal they take ten times as long.
    private static let memory: String? = {
        var disk = statvfs()
        guard unsafe statvfs("/dev/shm", &disk) == 0, UInt64(disk.f_bavail) * UInt64(disk.f_frsize) > 6 << 30 else {
            return nil
        }
        return "/dev/shm"
    }()
    private static let templates = Mutex<Set<String>>([])
    private static let counter = Atomic<Int>(0)

    /// The cluster, started when the first test asks for it.
    package static var shared: LocalCluster { get throws { try started.get() } }

    /// Whether the servers of this run know what a version of Postgres brought.
    package static func isAtLeast(_ version: Int) -> Bool {
        let own = (try? PostgresBinaries.find())?.version.prefix { $0.isNumber } ?? ""
        return (Int(own) ?? 0) >= version
    }

    /// The roles of operators, which all databases of a cluster share; made once, before anybody makes them side by side.
    package static let operatorRoles = Result {
        let connection = try administration()
        for statement in LedgerSchema.roles { _ = try connection.execute(statement) }
    }

    /// A connection of the superuser, to make databases and roles with.
    package static func administration() throws -> Connection {
        try Connection(try Conninfo(try shared.conninfo(database: "postgres")), cancellation: Cancellation())
    }

    /// A database of one's own with the schema and sample data of an app, cloned from a template.
    package static func database(of app: String) throws -> TestDatabase {
        try templates.withLock { made in
            guard !made.contains(app) else { return }
            try DemoDatabase.create(app, on: try administration())
            let filling = try Connection(
                try Conninfo(try shared.conninfo(database: app, user: DemoDatabase.owner)), cancellation: Cancellation()
            )
            try DemoDatabase.fill(app, on: filling)
            made.insert(app)
        }
        return try database(from: app)
    }

    /// An empty database of one's own.
    package static func emptyDatabase() throws -> TestDatabase { try database(from: "template1") }

    /// An empty database of one's own with the console's schema, which says that it is a test.
    package static func ledgerDatabase() throws -> TestDatabase {
        let database = try database(like: "with_ledger") { database in
            try operatorRoles.get()
            let connection = try database.connect()
            for statement in LedgerSchema.transaction { _ = try connection.execute(statement) }
        }
        _ = try database.connect().execute(LedgerSchema.mark("test"))
        return database
    }

    /// A copy of a database that is made when somebody first wants one: what many have in common is not made for each.
    ///
    /// What stands in no database, its owner and the mark of its environment, is not copied.
    package static func database(
        like template: String, encoding: String? = nil, made make: (TestDatabase) throws -> Void
    ) throws -> TestDatabase {
        try templates.withLock { made in
            guard !made.contains(template) else { return }
            let administration = try administration()
            _ = try administration.execute("drop database if exists \(unsafe: template)")
            let options = encoding.map { "encoding '\($0)' locale 'C' template template0" } ?? ""
            _ = try administration.execute("create database \(unsafe: template) \(unsafe: options)")
            try make(TestDatabase(name: template, cluster: try shared))
            made.insert(template)
        }
        return try database(from: template)
    }

    /// A copy of a database that nobody is connected to.
    package static func copy(of database: TestDatabase, owner: String) throws -> TestDatabase {
        database.endSessions()
        let copy = try self.database(from: database.name)
        try copy.run("alter database \(copy.name) owner to \(owner)")
        return copy
    }

    /// Where nothing has to survive a crash, copying files is half the work of writing down every page.
    private static let copying = " strategy file_copy"

    private static func database(from template: String) throws -> TestDatabase {
        let name = "test_\(counter.add(1, ordering: .relaxed).newValue)"
        // CREATE DATABASE refuses a template that is being copied at the same time.
        try templates.withLock { _ in
            _ = try administration().execute(
                "create database \(unsafe: name) template \(unsafe: template)\(unsafe: isAtLeast(15) ? copying : "")")
        }
        dropReleased()
        return TestDatabase(name: name, cluster: try shared, lease: DatabaseLease(name: name))
    }

    /// How many databases are made between the end of a test and the removal of its database.
    ///
    /// A test may still connect by a string after its last use of the value.
    private static let grace = 100
    private static let released = Mutex<[(name: String, at: Int)]>([])

    fileprivate static func release(_ name: String) {
        released.withLock { $0.append((name, counter.load(ordering: .relaxed))) }
    }

    /// Drops the databases of tests that ended a while ago, so that a run needs the memory of a few hundred at most.
    private static func dropReleased() {
        let now = counter.load(ordering: .relaxed)
        let due = released.withLock { names in
            let due = names.prefix { $0.at + grace < now }
            names.removeFirst(due.count)
            return due.map(\.name)
        }
        // A drop waits for a checkpoint and for every session, which no test has to.
        sweeper.async {
            for name in due where (try? administration().execute("drop database if exists \(unsafe: name)")) == nil {
                // Somebody is still connected.
                release(name)
            }
        }
    }
    private static let sweeper = DispatchQueue(label: "drops databases")
}

/// Gives a database back when nothing refers to it any more.
private final class DatabaseLease: Sendable {
    let name: String

    init(name: String) { self.name = name }

    deinit { TestCluster.release(name) }
}

/// Idle connections of a test to its database, by user: a new one for each statement would cost more than the statement.
private final class IdleConnections: Sendable {
    /// A connection that nobody uses while it is here.
    private struct Idle: @unchecked Sendable { let connection: Connection }

    private let connections = Mutex<[String: [Idle]]>([:])

    func take(_ user: String?) -> Connection? { connections.withLock { $0[user ?? ""]?.popLast() }?.connection }

    func give(_ connection: Connection, of user: String?) {
        let idle = Idle(connection: connection)
        connections.withLock { $0[user ?? "", default: []].append(idle) }
    }

    func close() { connections.withLock { $0 = [:] } }
}

/// A database of a suite's own.
package struct TestDatabase: Sendable {
    package let name: String
    package let cluster: LocalCluster
    private let lease: DatabaseLease?
    private let idle = IdleConnections()

    /// A database that exists, of any cluster.
    package init(name: String, cluster: LocalCluster) { self.init(name: name, cluster: cluster, lease: nil) }

    fileprivate init(name: String, cluster: LocalCluster, lease: DatabaseLease?) {
        self.name = name
        self.cluster = cluster
        self.lease = lease
    }

    /// How to reach it, as the superuser or another role.
    package func conninfo(user: String? = nil) -> String { cluster.conninfo(database: name, user: user) }

    /// A connection of its own, which the tests' Ctrl-C does not reach.
    package func connect(
        user: String? = nil, cancellation: Cancellation = Cancellation(), isPipelining: Bool = true
    ) throws -> Connection {
        try Connection(try Conninfo(conninfo(user: user)), cancellation: cancellation, isPipelining: isPipelining)
    }

    /// Makes further connections for an operation that needs them.
    package func elsewhere(user: String? = nil) -> Elsewhere {
        { () throws(Failure) in
            do throws(PQError) {
                return try Connection(try Conninfo(conninfo(user: user)), cancellation: Cancellation())
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Rows as texts, read as the superuser.
    package func rows(_ sql: String) throws -> [[String?]] {
        try session { try $0.execute(Query(unsafe: sql)).rows.map { $0.values.map(\.text) } }
    }

    /// Does something on a connection that earlier calls used, unless one of them failed.
    package func session<R>(user: String? = nil, _ body: (Connection) throws -> R) throws -> R {
        let connection = try idle.take(user) ?? connect(user: user)
        let result = try body(connection)
        if connection.isIdle { idle.give(connection, of: user) }
        return result
    }

    /// Runs statements as the superuser, one after the other.
    package func run(_ statements: String...) throws {
        let connection = try connect()
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
    }

    /// Ends the sessions that `session` keeps.
    package func endSessions() { idle.close() }

    /// What `audit verify` finds, in words, as the superuser or another role.
    package func auditFindings(user: String? = nil) throws -> [String] {
        try Audit.verify(head: nil, on: try connect(user: user), options: InquiryOptions()).problems.map { problem in
            (problem.operation.map { "\($0) " } ?? "") + problem.detail
        }
    }

    /// Makes a login role, or takes it when another suite made it already.
    package func makeRole(_ name: String, _ options: String = "") throws {
        // Suites run side by side.
        try run(
            """
            do $$ begin create role \(name) login \(options);
            exception when duplicate_object or unique_violation then null; end $$
            """)
    }
}
