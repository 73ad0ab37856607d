import Foundation
import LocalCluster
import PQ
import Support
import Testing

@Suite struct ConnectTests {
    @Test func connectingFailsWithoutAServer() throws {
        let scratch = try Scratch()
        let text = "host=\(scratch.folder.path) dbname=x user=x"
        let message = try refusal { try Connection(try Conninfo(text), cancellation: Cancellation()) }
        #expect(message.contains("No such file or directory"))
    }

    @Test func connectingFailsForAnUnknownDatabase() throws {
        let text = try TestCluster.shared.conninfo(database: "nowhere")
        let message = try refusal { try Connection(try Conninfo(text), cancellation: Cancellation()) }
        #expect(message.contains("database \"nowhere\" does not exist"))
    }

    @Test func connectingFailsForAnUnknownUser() throws {
        let text = try TestCluster.shared.conninfo(database: "postgres", user: "nobody at all")
        let message = try refusal { try Connection(try Conninfo(text), cancellation: Cancellation()) }
        #expect(message.contains("role \"nobody at all\" does not exist"))
    }

    @Test func connectingFailsIfTheServerClosesTheConnection() throws {
        let server = try FakeServer(.closing)
        let message = try refusal {
            try Connection(try Conninfo(server.conninfo), cancellation: Cancellation())
        }
        #expect(message.contains("server closed the connection unexpectedly"))
    }

    @Test func connectingToASilentServerTimesOut() throws {
        let server = try FakeServer(.silent)
        let text = server.conninfo + " connect_timeout=2"
        let message = try refusal { try Connection(try Conninfo(text), cancellation: Cancellation()) }
        #expect(message == "no answer within 2 s")
    }

    @Test func explicitTimeoutOverridesConnectTimeout() throws {
        let server = try FakeServer(.silent)
        let text = server.conninfo + " connect_timeout=500"
        let message = try refusal {
            try Connection(try Conninfo(text), cancellation: Cancellation(), within: 1)
        }
        #expect(message == "no answer within 1 s")
    }

    /// libpq tries one host after the other, each with its own time limit.
    @Test func connectionUsesTheNextHostIfTheFirstHostFails() throws {
        let scratch = try Scratch()
        let cluster = try TestCluster.shared
        let text = "host=\(scratch.folder.path),\(cluster.socketFolder) dbname=postgres user=\(cluster.superuser)"
        let connection = try Connection(try Conninfo(text), cancellation: Cancellation())
        #expect(connection.host == cluster.socketFolder)
    }

    @Test func interruptBeforeConnectingEndsConnecting() throws {
        let server = try FakeServer(.silent)
        let cancellation = Cancellation()
        cancellation.request()
        // Without a time-out, only the interrupt can end connecting.
        let text = server.conninfo + " connect_timeout=0"
        #expect(throws: PQError.interrupted) { try Connection(try Conninfo(text), cancellation: cancellation) }
    }

    @Test func interruptFromAnotherThreadEndsConnecting() throws {
        let server = try FakeServer(.silent)
        let cancellation = Cancellation()
        let task = BackgroundTask { cancellation.request() }
        let text = server.conninfo + " connect_timeout=0"
        #expect(throws: PQError.interrupted) { try Connection(try Conninfo(text), cancellation: cancellation) }
        try task.join()
    }

    @Test func connectionReadsItsPasswordFromThePasswordFile() throws {
        let guarded = try GuardedRole()
        let scratch = try Scratch()
        let host = guarded.database.cluster.socketFolder
        func connect(_ password: String?) throws -> Connection {
            let line = password.map { "\(host):5432:*:\(guarded.name):\($0)\n" } ?? ""
            let file = try scratch.file("pgpass", line)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let text = guarded.database.conninfo(user: guarded.name) + " passfile=\(file.path)"
            return try Connection(try Conninfo(text), cancellation: Cancellation())
        }
        #expect(try connect("open sesame").user == guarded.name)
        let none = try refusal { try connect(nil) }
        #expect(none.contains("no password supplied"))
        let wrong = try refusal { try connect("hunter2") }
        #expect(wrong.contains("password authentication failed"))
        #expect(!wrong.contains("hunter2"))
    }

    @Test func connectionReadsItsPasswordFromTheEnvironment() async throws {
        let guarded = try GuardedRole()
        await #expect(processExitsWith: .success) {
            [text = guarded.database.conninfo(user: guarded.name) as String, name = guarded.name as String] in
            setVariable("PGPASSWORD", "open sesame")
            let connection = try Connection(try Conninfo(text))
            #expect(connection.user == name)
        }
    }

    /// After a late failure the connection must be freed exactly once; the allocator of the C library aborts on a
    /// second time.
    @Test func failedConnectionsDoNotUseUpDescriptors() async throws {
        let text = try TestCluster.shared.conninfo(database: "nowhere")
        await #expect(processExitsWith: .success) { [text = text as String] in
            let cancellation = Cancellation()
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            // The first connection may open descriptors that libraries keep.
            _ = try? Connection(try Conninfo(text), cancellation: cancellation)
            let before = try descriptors()
            for _ in 0..<50 { _ = try? Connection(try Conninfo(text), cancellation: cancellation) }
            let after = try descriptors()
            #expect(after == before)
        }
    }

    private func refusal(_ body: () throws -> Connection) throws -> String {
        let error = try #require(throws: PQError.self) { _ = try body() }
        guard case .cannotConnect(let unreachable) = error else { throw error }
        return unreachable.reason
    }
}

/// A role that needs a password.
struct GuardedRole {
    let name: String
    let database: TestDatabase

    init() throws {
        database = try TestCluster.emptyDatabase()
        name = "guarded_\(database.name)"
        let connection = try database.connect()
        _ = try connection.execute("create role \(unsafe: name) login password 'open sesame'")
        let path = try #require(try setting("hba_file", of: connection))
        // Several tests may edit the file at once, and the first matching line decides.
        try Self.lock.withLock {
            let rules = try String(contentsOfFile: path, encoding: .utf8)
            try Data("local all \(name) scram-sha-256\n\(rules)".utf8).write(to: URL(fileURLWithPath: path))
        }
        _ = try connection.execute("select pg_reload_conf()")
        eventually("the server wants a password") { (try? database.connect(user: name)) == nil }
    }

    private static let lock = NSLock()
}
