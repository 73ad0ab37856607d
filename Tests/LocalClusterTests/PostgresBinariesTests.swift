import Foundation
import Testing

@testable import LocalCluster

@Suite struct PostgresBinariesTests {
    @Test func binariesSearchFindsThePostgresServer() throws {
        let found = try PostgresBinaries.folder()
        #expect(Files.isExecutable(found + "/initdb"))
        #expect(Files.isExecutable(found + "/postgres"))
    }

    @Test func binariesSearchFindsThePostgresServerWithoutPATH() throws {
        #expect(throws: Never.self) { try PostgresBinaries.folder(chosen: "", path: "") }
    }

    @Test func binariesSearchReadsOnlyTheChosenFolder() throws {
        #expect(throws: ClusterError.binariesNotFound(searched: ["/nowhere"])) {
            try PostgresBinaries.folder(chosen: "/nowhere", path: "/usr/bin")
        }
        let known = try PostgresBinaries.folder()
        #expect(try PostgresBinaries.folder(chosen: known, path: "") == known)
    }

    @Test func binariesSearchSkipsFoldersWithClientWrappers() throws {
        let known = try PostgresBinaries.folder()
        try inFolder { folder in
            for name in ["psql", "pg_ctl", "initdb"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: "/usr/bin/perl")
            }
            let found = try PostgresBinaries.folder(chosen: "", path: folder + ":" + known)
            #expect(found == known)
        }
    }

    @Test func binariesSearchFollowsLinksToTheFolderOfTheServer() throws {
        let known = try PostgresBinaries.folder()
        try inFolder { folder in
            for name in ["initdb", "pg_ctl", "postgres"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: known + "/" + name)
            }
            #expect(try PostgresBinaries.folder(chosen: folder, path: "") == known)
        }
    }

    @Test func errorOfMissingProgramsNamesThePackageToInstall() {
        let text = ClusterError.binariesNotFound(searched: ["/a", "/b"]).description
        #expect(text.contains("/a, /b"))
        #expect(text.contains("the package postgresql"))
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/binaries-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
