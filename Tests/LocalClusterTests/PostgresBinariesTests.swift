import Foundation
import Testing

@testable import LocalCluster

@Suite struct PostgresBinariesTests {
    @Test func findsServerPrograms() throws {
        let found = try PostgresBinaries.find()
        #expect(Files.isExecutable(found.folder + "/initdb"))
        #expect(Files.isExecutable(found.folder + "/postgres"))
        #expect(found.version.first?.isNumber == true)
        #expect(PostgresBinaries.all().first == found)
    }

    @Test func findsWithoutAPath() throws {
        #expect(throws: Never.self) { try PostgresBinaries.find(environment: [:]) }
    }

    @Test func theOverrideAloneCounts() throws {
        #expect(throws: ClusterError.binariesNotFound(searched: ["/nowhere"])) {
            try PostgresBinaries.find(environment: ["USHER_PG_BIN": "/nowhere", "PATH": "/usr/bin"])
        }
        let known = try PostgresBinaries.find()
        #expect(try PostgresBinaries.find(environment: ["USHER_PG_BIN": known.folder]) == known)
    }

    @Test func passesOverClientWrappers() throws {
        let known = try PostgresBinaries.find()
        try inFolder { folder in
            for name in ["psql", "pg_ctl", "initdb"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: "/usr/bin/perl")
            }
            let found = try PostgresBinaries.find(environment: ["PATH": folder + ":" + known.folder])
            #expect(found == known)
        }
    }

    @Test func passesOverAPostgresThatDoesNotRun() throws {
        try inFolder { folder in
            for name in ["initdb", "postgres"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: "/bin/false")
            }
            #expect(throws: ClusterError.binariesNotFound(searched: [folder])) {
                try PostgresBinaries.find(environment: ["USHER_PG_BIN": folder])
            }
        }
    }

    @Test func linksAreFollowedToTheWholeSet() throws {
        let known = try PostgresBinaries.find()
        try inFolder { folder in
            for name in ["initdb", "postgres"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: known.folder + "/" + name)
            }
            let all = PostgresBinaries.all(environment: ["PATH": folder + ":" + known.folder])
            #expect(all.first == known)
            #expect(all.filter { $0 == known }.count == 1)
        }
    }

    @Test(arguments: [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18"),
        ("postgres (PostgreSQL) 18beta1\n", "18beta1"),
        ("postgres (PostgreSQL)\n", nil),
        ("psql 15\n", nil),
        ("", nil),
    ])
    func readsVersions(text: String, version: String?) {
        #expect(PostgresBinaries.version(in: text) == version)
    }

    @Test func theErrorSaysWhatToDo() {
        let text = ClusterError.binariesNotFound(searched: ["/a", "/b"]).description
        #expect(text.contains("/a, /b"))
        #expect(text.contains("apt-get install postgresql"))
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/binaries-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { Files.removeTree(folder) }
        try body(folder)
    }
}
