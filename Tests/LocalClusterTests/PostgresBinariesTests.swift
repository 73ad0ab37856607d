import Foundation
import Testing

@testable import LocalCluster

@Suite struct PostgresBinariesTests {
    @Test func binariesSearchFindsThePostgresServer() throws {
        let found = try PostgresBinaries.find()
        #expect(Files.isExecutable(found.folder + "/initdb"))
        #expect(Files.isExecutable(found.folder + "/postgres"))
        #expect(found.version.first?.isNumber == true)
    }

    @Test func binariesSearchFindsThePostgresServerWithoutPATH() throws {
        #expect(throws: Never.self) { try PostgresBinaries.find(chosen: "", path: "") }
    }

    @Test func binariesSearchReadsOnlyTheChosenFolder() throws {
        #expect(throws: ClusterError.binariesNotFound(searched: ["/nowhere"])) {
            try PostgresBinaries.find(chosen: "/nowhere", path: "/usr/bin")
        }
        let known = try PostgresBinaries.find()
        #expect(try PostgresBinaries.find(chosen: known.folder, path: "") == known)
    }

    @Test func binariesSearchSkipsFoldersWithClientWrappers() throws {
        let known = try PostgresBinaries.find()
        try inFolder { folder in
            for name in ["psql", "pg_ctl", "initdb"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: "/usr/bin/perl")
            }
            let found = try PostgresBinaries.find(chosen: "", path: folder + ":" + known.folder)
            #expect(found == known)
        }
    }

    @Test func binariesSearchSkipsABrokenPostgres() throws {
        try inFolder { folder in
            for name in ["initdb", "pg_ctl", "postgres"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: "/bin/false")
            }
            #expect(throws: ClusterError.binariesNotFound(searched: [folder])) {
                try PostgresBinaries.find(chosen: folder, path: "")
            }
        }
    }

    @Test func binariesSearchFollowsLinksToTheFolderOfTheServer() throws {
        let known = try PostgresBinaries.find()
        try inFolder { folder in
            for name in ["initdb", "pg_ctl", "postgres"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: known.folder + "/" + name)
            }
            #expect(try PostgresBinaries.find(chosen: folder, path: "") == known)
        }
    }

    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18"),
        ("postgres (PostgreSQL) 18beta1\n", "18beta1"),
        ("postgres (PostgreSQL)\n", nil),
        ("psql 15\n", nil),
        ("", nil),
    ])
    func postgresVersionIsParsedFromTheOutputOfTheServerProgram(text: String, version: String?) {
        #expect(PostgresBinaries.version(in: text) == version)
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
