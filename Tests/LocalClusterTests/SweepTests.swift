import Foundation
import Testing

@testable import LocalCluster

/// Each test sweeps a separate folder, so other clusters are not affected.
@Suite struct SweepTests {
    private static let signature = "usher cluster 1\n"

    @Test func clusterSweepRemovesOnlyDeadClustersWithItsName() throws {
        try inFolder { parent in
            let dead = try make(parent, "usher-dead", Self.signature)
            let alive = try make(parent, "usher-alive", Self.signature)
            let holder = unsafe open(alive + "/owner", O_RDONLY)
            defer { close(holder) }
            try #require(flock(holder, LOCK_EX) == 0)
            let others = [
                alive, try make(parent, "usher-kept", Self.signature + "keep\n"), try make(parent, "usher-empty", ""),
                try make(parent, "usher-later", "usher cluster 2\n"), try make(parent, "usher-foreign", nil),
                try make(parent, "demo-dead", Self.signature),
            ]
            ClusterFolder.sweep(parent, name: "usher", account: nil)
            #expect(!Files.exists(dead))
            for folder in others { #expect(Files.exists(folder), "\(folder)") }
        }
    }

    @Test func clusterSweepDoesNotFollowLinks() throws {
        try inFolder { parent in
            let real = try make(parent, "demo-gone", Self.signature)
            let manager = FileManager.default
            try manager.createSymbolicLink(atPath: parent + "/usher-folder", withDestinationPath: real)
            let folder = try make(parent, "usher-file", nil)
            try manager.createSymbolicLink(atPath: folder + "/owner", withDestinationPath: real + "/owner")
            let hard = try make(parent, "usher-hard", nil)
            try manager.linkItem(atPath: real + "/owner", toPath: hard + "/owner")
            ClusterFolder.sweep(parent, name: "usher", account: nil)
            for path in [real + "/owner", parent + "/usher-folder", folder, hard] {
                #expect(Files.exists(path), "\(path)")
            }
        }
    }

    @Test func startOfAClusterKeepsFoldersThatAreNotClusters() throws {
        let foreign = try temporaryFolder() + "/usher-foreign"
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: foreign) }
        try LocalCluster.start().stop()
        #expect(Files.exists(foreign))
    }

    private func make(_ parent: String, _ name: String, _ owner: String?) throws -> String {
        let folder = parent + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try owner?.write(toFile: folder + "/owner", atomically: false, encoding: .utf8)
        return folder
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/sweep-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
