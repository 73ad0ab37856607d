package import Acts
internal import Asking
internal import Changes
internal import Ledger
package import LocalCluster
package import PQ
import Dispatch
import Glibc
import Synchronization

/// The Postgres server of a test run, which stops with the process.
package enum TestCluster {
    private static let started = Result {
        // Autovacuum is off, because it would visit hundreds of short-lived databases.
        let cluster = try LocalCluster.start(settings: ["autovacuum": "off"], name: "usher-tests", in: memory)
        let template = try Conninfo(cluster.conninfo(database: "template1"))
        try DemoDatabase.prepare(try Connection(template, cancellation: Cancellation()))
        return cluster
    }

    /// A folder in memory for the databases of a run, if the machine has one.
    ///
    /// A database has 300 small files, which take ten times as long on a disk with a journal.
    private static let memory: String? = {
        var disk = statvfs()
        guard unsafe statvfs("/dev/shm", &disk) == 0, UInt64(disk.f_bavail) * UInt64(disk.f_frsize) > 6 << 30 else {
            return nil
        }
        return "/dev/shm"
    }()
    private static let templates = Mutex<[String: Template]>([:])

    /// A database to copy; holds its lock during its creation and during each copy.
    ///
    /// CREATE DATABASE refuses a template that is being copied at the same time.
    private final class Template: Sendable {
        let isMade = Mutex(false)

        /// Runs some work, unless an earlier call did it.
        func once(_ make: () throws -> Void) throws {
            try isMade.withLock { isMade in
                if !isMade { try make() }
                isMade = true
            }
        }
    }

    private static func template(_ name: String) -> Template {
        templates.withLock { templates in
            let template = templates[name] ?? Template()
            templates[name] = template
            return template
        }
    }

    private static let fillings = Mutex(())
    private static let counter = Atomic<Int>(0)

    /// The cluster; the first test starts it.
    package static var shared: LocalCluster { get throws { try started.get() } }

    /// Returns whether the server has at least this version of Postgres.
    package static func isAtLeast(_ version: Int) -> Bool {
        (Int((try? shared.version) ?? "") ?? 0) >= version
    }

    /// The roles of operators, created once, because all databases of a cluster share them.
    package static let operatorRoles = Result {
        let connection = try administration()
        for statement in LedgerSchema.roles { _ = try connection.execute(statement) }
    }

    /// The database for statements about other databases; its connections are reused.
    private static let server = Result { TestDatabase(name: "postgres", cluster: try shared) }

    /// A connection of the superuser, to create databases and roles.
    package static func administration() throws -> Connection {
        try Connection(try Conninfo(try shared.conninfo(database: "postgres")), cancellation: Cancellation())
    }

    /// A new database with the schema and sample data of an app, cloned from a template.
    package static func database(of app: String) throws -> TestDatabase {
        try template(app).once {
            try template("template1").isMade.withLock { _ in try DemoDatabase.create(app, on: try administration()) }
            let filling = try Connection(
                try Conninfo(try shared.conninfo(database: app, user: DemoDatabase.owner)), cancellation: Cancellation()
            )
            // The sample data of two apps create the same roles.
            try fillings.withLock { _ in _ = try DemoDatabase.fill(app, on: filling) }
        }
        return try database(from: app)
    }

    package static func emptyDatabase() throws -> TestDatabase { try database(from: "template1") }

    /// A new test database with the schema `usher`.
    package static func ledgerDatabase() throws -> TestDatabase {
        let database = try database(like: "with_ledger") { database in
            try operatorRoles.get()
            let connection = try database.connect()
            for statement in LedgerSchema.transaction { _ = try connection.execute(statement) }
        }
        try database.session { _ = try $0.execute(LedgerSchema.mark("test")) }
        return database
    }

    /// A copy of a template that the first test creates, so that tests share its preparation.
    ///
    /// The owner of the database and its environment are not copied.
    package static func database(
        like template: String, encoding: String? = nil, made make: (TestDatabase) throws -> Void
    ) throws -> TestDatabase {
        try self.template(template).once {
            let administration = try administration()
            _ = try administration.execute("drop database if exists \(unsafe: template)")
            let options = encoding.map { "encoding '\($0)' locale 'C' template template0" } ?? ""
            try self.template("template1").isMade.withLock { _ in
                _ = try administration.execute("create database \(unsafe: template) \(unsafe: options)")
            }
            try make(TestDatabase(name: template, cluster: try shared))
        }
        return try database(from: template)
    }

    /// Copies a database that has no open connections.
    package static func copy(of database: TestDatabase, owner: String) throws -> TestDatabase {
        database.endSessions()
        let copy = try self.database(from: database.name)
        try copy.run("alter database \(copy.name) owner to \(owner)")
        return copy
    }

    /// Copies files, which takes half as long as logging every page.
    ///
    /// A test database needn't survive a crash.
    private static let copying = " strategy file_copy"

    private static func database(from template: String) throws -> TestDatabase {
        let name = "test_\(counter.add(1, ordering: .relaxed).newValue)"
        try self.template(template).isMade.withLock { _ in
            try server.get().run("create database \(name) template \(template)\(isAtLeast(15) ? copying : "")")
        }
        dropReleased()
        return TestDatabase(name: name, cluster: try shared, lease: DatabaseLease(name: name))
    }

    /// The number of databases that the tests create before an unused database is dropped.
    ///
    /// A test may still connect by a string after its last use of the value.
    private static let grace = 100
    private static let released = Mutex<[(name: String, at: Int)]>([])

    fileprivate static func release(_ name: String) {
        released.withLock { $0.append((name, counter.load(ordering: .relaxed))) }
    }

    /// Drops the databases of ended tests, so that a run needs the memory of a few hundred at most.
    private static func dropReleased() {
        let now = counter.load(ordering: .relaxed)
        let due = released.withLock { names in
            let due = names.prefix { $0.at + grace < now }
            names.removeFirst(due.count)
            return due.map(\.name)
        }
        // Dropping a database waits for a checkpoint and for every session, so another thread does it.
        sweeper.async {
            for name in due where (try? server.get().run("drop database if exists \(name)")) == nil {
                // The database can't be dropped yet, because a session is still connected.
                release(name)
            }
        }
    }
    private static let sweeper = DispatchQueue(label: "drops databases")
}

/// Releases a test database when nothing refers to it any more.
private final class DatabaseLease: Sendable {
    let name: String

    init(name: String) { self.name = name }

    deinit { TestCluster.release(name) }
}

/// Idle connections of a test to its database, by user, because a new connection costs more than a statement.
private final class IdleConnections: Sendable {
    /// Returns a connection that is not in use.
    private struct Idle: @unchecked Sendable { let connection: Connection }

    private let connections = Mutex<[String: [Idle]]>([:])

    func take(_ user: String?) -> Connection? { connections.withLock { $0[user ?? ""]?.popLast() }?.connection }

    func give(_ connection: Connection, of user: String?) {
        let idle = Idle(connection: connection)
        connections.withLock { $0[user ?? "", default: []].append(idle) }
    }

    func close() { connections.withLock { $0 = [:] } }
}

/// A database for one test or suite.
package struct TestDatabase: Sendable {
    package let name: String
    package let cluster: LocalCluster
    private let lease: DatabaseLease?
    private let idle = IdleConnections()

    /// An existing database of any cluster.
    package init(name: String, cluster: LocalCluster) { self.init(name: name, cluster: cluster, lease: nil) }

    fileprivate init(name: String, cluster: LocalCluster, lease: DatabaseLease?) {
        self.name = name
        self.cluster = cluster
        self.lease = lease
    }

    /// A connection string for the superuser or another role.
    package func conninfo(user: String? = nil) -> String { cluster.conninfo(database: name, user: user) }

    /// A new connection, which an interrupt of the tests doesn't reach.
    package func connect(
        user: String? = nil, cancellation: Cancellation = Cancellation(), isPipelining: Bool = true
    ) throws -> Connection {
        try Connection(try Conninfo(conninfo(user: user)), cancellation: cancellation, isPipelining: isPipelining)
    }

    /// Opens more connections for an operation that needs several.
    package func elsewhere(user: String? = nil) -> Elsewhere {
        { () throws(Failure) in
            do throws(PQError) {
                return try Connection(try Conninfo(conninfo(user: user)), cancellation: Cancellation())
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Returns rows as texts, read by the superuser.
    package func rows(_ sql: String) throws -> [[String?]] {
        try session { try $0.execute(Query(unsafe: sql)).rows.map { $0.values.map(\.text) } }
    }

    /// Runs work on a reused connection, unless an earlier use failed.
    package func session<R>(user: String? = nil, _ body: (Connection) throws -> R) throws -> R {
        let connection = try idle.take(user) ?? connect(user: user)
        let result = try body(connection)
        if connection.isIdle { idle.give(connection, of: user) }
        return result
    }

    /// Runs statements as the superuser, one after the other.
    package func run(_ statements: String...) throws {
        try session { connection in
            for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        }
    }

    /// Closes the connections that `session` keeps.
    package func endSessions() { idle.close() }

    /// The findings of `audit verify` in words, as the superuser or another role.
    package func auditFindings(user: String? = nil) throws -> [String] {
        try session(user: user) { connection in
            try Audit.verify(head: nil, on: connection, options: InquiryOptions()).problems.map { problem in
                (problem.operation.map { "\($0) " } ?? "") + problem.detail
            }
        }
    }

    /// Creates a login role, unless another suite has created it.
    package func makeRole(_ name: String, _ options: String = "") throws {
        // Another suite can create the role at the same time.
        try run(
            """
            do $$ begin create role \(name) login \(options);
            exception when duplicate_object or unique_violation then null; end $$
            """)
    }
}
