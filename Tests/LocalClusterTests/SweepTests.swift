import Foundation
import Testing

@testable import LocalCluster

/// Each test sweeps a folder of its own, so that nobody else's clusters are in play.
@Suite struct SweepTests {
    private let identity: Owner.Identity

    init() throws {
        identity = try #require(Owner.Identity.current)
    }

    @Test func readsWhatItWrote() throws {
        try inFolder { parent in
            let folder = try make(parent, "usher-a", .process(identity))
            #expect(Owner(of: folder, users: [geteuid()]) == .process(identity))
            #expect(Owner(of: folder, users: []) == nil)
            try Owner.kept.write(in: folder)
            #expect(Owner(of: folder, users: [geteuid()]) == .kept)
        }
    }

    @Test func sweepsTheDeadAloneAndUnderItsNameAlone() throws {
        let reused = changed(start: identity.start + 1)
        let rebooted = changed(boot: "another")
        let elsewhere = changed(pid: 2_000_000_000, namespace: "pid:[1]")
        try inFolder { parent in
            let dead = [
                try make(parent, "usher-reused", .process(reused)), try make(parent, "usher-boot", .process(rebooted)),
                try make(parent, "usher-gone", .process(changed(pid: 2_000_000_000))),
            ]
            let others = [
                try make(parent, "usher-alive", .process(identity)), try make(parent, "usher-kept", .kept),
                try make(parent, "usher-elsewhere", .process(elsewhere)), try make(parent, "usher-foreign", nil),
                try make(parent, "demo-gone", .process(changed(pid: 2_000_000_000))),
            ]
            ClusterFolder.sweep(parent, name: "usher", account: nil)
            for folder in dead { #expect(!Files.exists(folder), "\(folder)") }
            for folder in others { #expect(Files.exists(folder), "\(folder)") }
        }
    }

    @Test(arguments: [
        "", "usher cluster 1\n", "usher cluster 2\nkeep\n", "usher cluster 1\npid 0\nstart 1\nboot b\nnamespace n\n",
    ])
    func takesNoOtherFileForItsOwn(text: String) throws {
        try inFolder { parent in
            let folder = try make(parent, "usher-foreign", nil)
            try Files.write(text, to: folder + "/owner")
            #expect(Owner(of: folder, users: [geteuid()]) == nil)
            ClusterFolder.sweep(parent, name: "usher", account: nil)
            #expect(Files.exists(folder))
        }
    }

    @Test func takesNoLinkForItsOwn() throws {
        try inFolder { parent in
            let real = try make(parent, "demo-gone", .process(changed(pid: 2_000_000_000)))
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

    @Test func aForeignFolderIsLeftAlone() throws {
        let foreign = try temporaryFolder() + "/usher-foreign"
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: true)
        defer { Files.removeTree(foreign) }
        try LocalCluster.start().stop()
        #expect(Files.exists(foreign))
    }

    @Test func removalDoesNotFollowLinks() throws {
        try inFolder { parent in
            let outside = try make(parent, "outside", .kept)
            let tree = try make(parent, "tree", nil)
            let manager = FileManager.default
            try manager.createDirectory(atPath: tree + "/a/b/c", withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: tree + "/a/link", withDestinationPath: outside)
            try Files.write("x", to: tree + "/a/b/.hidden")
            #expect(Files.removeTree(tree))
            #expect(!Files.exists(tree))
            #expect(Files.exists(outside + "/owner"))
            #expect(Files.removeTree(tree))
        }
    }

    private func changed(
        pid: pid_t? = nil, start: UInt64? = nil, boot: String? = nil, namespace: String? = nil
    ) -> Owner.Identity {
        Owner.Identity(
            pid: pid ?? identity.pid, start: start ?? identity.start, boot: boot ?? identity.boot,
            namespace: namespace ?? identity.namespace)
    }

    private func make(_ parent: String, _ name: String, _ owner: Owner?) throws -> String {
        let folder = parent + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try owner?.write(in: folder)
        return folder
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/sweep-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { Files.removeTree(folder) }
        try body(folder)
    }
}
