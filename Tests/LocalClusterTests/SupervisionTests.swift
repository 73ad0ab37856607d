import Foundation
import Support
import Testing

@testable import LocalCluster

@Suite struct SupervisionTests {
    @Test func clusterIsRemovedIfItsProcessIsKilled() throws {
        let holder = try Holder(name: "usher-killed")
        let (server, shell) = try processes(of: holder.folder)
        holder.forceKill()
        eventually("the folder is gone") { !Files.exists(holder.folder) }
        for pid in [server, shell] { eventually("process \(pid) is gone") { !isAlive(pid) } }
    }

    @Test(.long) func clusterIsRemovedIfItsProcessExits() throws {
        let holder = try Holder(name: "usher-exits", mode: "exit")
        ChildProcess.wait(for: holder.pid)
        eventually("the folder is gone") { !Files.exists(holder.folder) }
    }

    @Test(.long) func clusterIsRemovedIfItsProcessIsKilledDuringTheStart() throws {
        // The name is unique to this run, because other runs on this machine create similar folders.
        let name = "usher-e\(getpid())"
        let parent = try temporaryFolder()
        let holder = try Holder.launch(name: name, output: nil)
        var folder = ""
        eventually("initdb runs") {
            folder = Files.names(in: parent).first { $0.hasPrefix(name + "-") }.map { parent + "/" + $0 } ?? ""
            return Files.exists(folder + "/data/base")
        }
        kill(holder, SIGKILL)
        ChildProcess.wait(for: holder)
        eventually("the folder is gone") { !Files.exists(folder) }
    }

    @Test(.long) func stopRemovesAClusterWithoutASupervisor() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, shell) = try processes(of: cluster.folder)
        kill(shell, SIGKILL)
        cluster.stop()
        #expect(!isAlive(server))
        #expect(!Files.exists(cluster.folder))
    }

    @Test(.long) func stopRemovesAClusterWithADeadServer() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        let (server, _) = try processes(of: cluster.folder)
        kill(server, SIGQUIT)
        eventually("the server is gone") { !isAlive(server) }
        cluster.stop()
        #expect(!Files.exists(cluster.folder))
    }

    @Test(.long) func interruptOfAProcessGroupKeepsTheServerRunning() throws {
        let holder = try Holder(name: "usher-interrupt")
        defer { holder.end() }
        let (server, shell) = try processes(of: holder.folder)
        for pid in [server, shell] {
            #expect(getpgid(pid) != holder.pid)
            #expect(getsid(pid) != holder.pid)
        }
        #expect(kill(-holder.pid, SIGINT) == 0)
        #expect(try ask("host=\(holder.folder) dbname=postgres user=postgres", "select 1") == "1")
        #expect(isAlive(server))
    }

    @Test(.long) func startOfAnotherClusterKeepsTheClusterOfARunningProcess() throws {
        let holder = try Holder(name: "usher-living")
        defer { holder.end() }
        let cluster = try LocalCluster.start(name: "usher-living")
        #expect(try ask("host=\(holder.folder) dbname=postgres user=postgres", "select 1") == "1")
        cluster.stop()
        #expect(try ask("host=\(holder.folder) dbname=postgres user=postgres", "select 1") == "1")
    }

    @Test(.long) func keptClusterOutlivesItsProcess() throws {
        let holder = try Holder(name: "usher-kept", mode: "keep")
        ChildProcess.wait(for: holder.pid)
        // If the test succeeds, it has already destroyed the cluster.
        defer { try? LocalCluster.destroy(folder: holder.folder) }
        let server = try #require(ClusterFolder.server(of: holder.folder))
        #expect(try ask("host=\(holder.folder) dbname=postgres user=postgres", "select 1") == "1")

        try LocalCluster.destroy(folder: holder.folder)
        #expect(!isAlive(server))
        #expect(!Files.exists(holder.folder))
        #expect(throws: ClusterError.notKept(folder: holder.folder)) {
            try LocalCluster.destroy(folder: holder.folder)
        }
    }

    @Test(.long) func destroyByFolderRefusesAClusterThatWasNotKept() throws {
        let cluster = try LocalCluster.start(name: "usher-test")
        #expect(throws: ClusterError.notKept(folder: cluster.folder)) {
            try LocalCluster.destroy(folder: cluster.folder)
        }
        #expect(throws: ClusterError.notKept(folder: "/tmp")) { try LocalCluster.destroy(folder: "/tmp") }
        #expect(Files.exists(cluster.folder))
    }

    /// Another user could put a file or a link into the folder.
    @Test func destroyRemovesOnlyFoldersWithAnOwnerFileOfThisUser() throws {
        let parent = NSTemporaryDirectory() + "/destroy-" + UUID().uuidString
        let manager = FileManager.default
        defer { try? manager.removeItem(atPath: parent) }
        func make(_ name: String, _ owner: String?) throws -> String {
            let folder = parent + "/" + name
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try owner?.write(toFile: folder + "/owner", atomically: false, encoding: .utf8)
            return folder
        }
        let kept = try make("kept", "usher cluster 2\n")
        let file = try make("file", nil)
        try manager.createSymbolicLink(atPath: file + "/owner", withDestinationPath: kept + "/owner")
        var others = [file, try make("empty", ""), try make("earlier", "usher cluster 1\n")]
        let hard = try make("hard", "usher cluster 2\n")
        try manager.linkItem(atPath: hard + "/owner", toPath: parent + "/link")
        others.append(hard)
        for folder in others {
            #expect(throws: ClusterError.notKept(folder: folder)) { try LocalCluster.destroy(folder: folder) }
            #expect(manager.fileExists(atPath: folder))
        }
        try LocalCluster.destroy(folder: kept)
        #expect(!manager.fileExists(atPath: kept))
    }
}
