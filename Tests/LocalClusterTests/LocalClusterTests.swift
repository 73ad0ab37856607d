import Foundation
import Support
import Testing

@testable import LocalCluster

@Suite struct LocalClusterTests {
    @Test func localClusterAnswersQueriesAndRemovesItsFilesAndProcesses() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, shell) = try processes(of: cluster.folder)
        let database = cluster.conninfo(database: "postgres")
        #expect(try ask(database, "select 1") == "1")
        #expect(try ask(database, "select current_user") == cluster.superuser)
        let encoding = "select pg_encoding_to_char(encoding), datcollate from pg_database where datname = 'template1'"
        #expect(try ask(database, encoding) == "UTF8|C.UTF-8")

        cluster.stop()
        #expect(!Files.exists(cluster.folder))
        for pid in [server, shell] { #expect(!isAlive(pid)) }
        cluster.stop()
    }

    @Test func localClusterDoesNotListenOnAPort() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, _) = try processes(of: cluster.folder)
        #expect(try ask(cluster.conninfo(database: "postgres"), "show listen_addresses") == "")
        // The kernel's lists of TCP and UDP sockets must not contain a socket of the server.
        let sockets = Set(
            Files.names(in: "/proc/\(server)/fd").compactMap { name in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(server)/fd/\(name)")
            }.filter { $0.hasPrefix("socket:[") }.map { $0.dropFirst(8).dropLast() })
        #expect(!sockets.isEmpty)
        for list in ["tcp", "tcp6", "udp", "udp6"] {
            let text = try String(contentsOfFile: "/proc/net/\(list)", encoding: .utf8)
            let lines = text.split(separator: "\n").dropFirst()
            // Postgres 14 sends statistics through a socket that is connected to itself and accepts no other sender.
            let open = lines.map { $0.split(separator: " ") }.filter { $0.count > 9 && $0[1] != $0[2] }
            let inodes = Set(open.map { $0[9] })
            #expect(inodes.isDisjoint(with: sockets), "\(list)")
        }
    }

    @Test func localClusterNeverRunsAsRoot() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, shell) = try processes(of: cluster.folder)
        for pid in [server, shell] {
            let users = try #require(processStatus(pid)?["Uid"]).split(whereSeparator: \.isWhitespace)
            #expect(!users.contains("0"))
            if geteuid() != 0 { #expect(users.allSatisfy { $0 == "\(geteuid())" }) }
            let groups = try #require(processStatus(pid)?["Gid"]).split(whereSeparator: \.isWhitespace)
            #expect(geteuid() != 0 || !groups.contains("0"))
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: cluster.folder)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func localClusterDoesNotInheritDescriptors() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        // The descriptor is inheritable, as some libraries leave their descriptors.
        let careless = ends[1]
        let inode = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(careless)")
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, shell) = try processes(of: cluster.folder)
        for pid in [server, shell] {
            let targets = Files.names(in: "/proc/\(pid)/fd").compactMap { name in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(name)")
            }
            #expect(!targets.isEmpty)
            #expect(!targets.contains(inode))
        }
    }

    @Test(.long) func twoClustersCanRunAtOnce() throws {
        let one = try LocalCluster.start(name: "usher-test")
        let two = try LocalCluster.start(name: "usher-test")
        #expect(one.folder != two.folder)
        #expect(try ask(one.conninfo(database: "postgres"), "select 1") == "1")
        one.stop()
        #expect(try ask(two.conninfo(database: "postgres"), "select 2") == "2")
    }

    @Test(.long) func releaseOfTheLastReferenceStopsTheCluster() throws {
        var cluster: LocalCluster? = try LocalCluster.start(name: "usher-test")
        let folder = try #require(cluster?.folder)
        #expect(Files.exists(folder))
        cluster = nil
        #expect(!Files.exists(folder))
    }

    @Test(.long) func givenSettingsReplaceTheDefaultsOfACluster() throws {
        let cluster = try LocalCluster.start(
            settings: ["shared_buffers": "24MB", "wal_level": "logical", "usher.note": "it's a \"test\" $HOME"],
            name: "usher-test")
        let database = cluster.conninfo(database: "postgres")
        #expect(try ask(database, "show shared_buffers") == "24MB")
        #expect(try ask(database, "show wal_level") == "logical")
        #expect(try ask(database, "show usher.note") == "it's a \"test\" $HOME")
        #expect(try ask(database, "show fsync") == "off")
    }

    @Test(.long) func givenSettingsCannotMakeTheClusterListenOnAPort() throws {
        let cluster = try LocalCluster.start(
            settings: ["listen_addresses": "*", "unix_socket_directories": "/tmp"], name: "usher-test")
        #expect(try ask(cluster.conninfo(database: "postgres"), "show listen_addresses") == "")
    }

    @Test(.long) func failedStartOfAClusterReportsTheReason() throws {
        let error = #expect(throws: ClusterError.self) {
            try LocalCluster.start(settings: ["max_connections": "many"], name: "usher-broken")
        }
        guard case .didNotStart(let log) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(log.contains("invalid value for parameter \"max_connections\""))
        #expect(try !Files.names(in: temporaryFolder()).contains { $0.hasPrefix("usher-broken-") })
    }

    @Test(.long) func localClusterQuotesItsConnectionString() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        #expect(
            cluster.conninfo(database: "a b", user: "o'x\\")
                == "host=\(cluster.socketFolder) port=5432 dbname='a b' user='o\\'x\\\\'")
        #expect(
            cluster.conninfo(database: "demo")
                == "host=\(cluster.socketFolder) port=5432 dbname=demo user=postgres")
        #expect(cluster.conninfo(database: "").contains("dbname='' "))
        let name = "o'x \\y"
        let database = cluster.conninfo(database: "postgres")
        #expect(try ask(database, "create database \"\(name)\"") == "CREATE DATABASE")
        #expect(try ask(cluster.conninfo(database: name), "select current_database()") == name)
    }
}
