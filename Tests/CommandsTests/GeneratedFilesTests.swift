import CommandLine
import Commands
import EmbeddedSQL
import Foundation
import Support
import Testing

/// Generated files and lists match their sources.
@Suite struct GeneratedFilesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func grammarCheckFindsNoProblemInTheCommandsOfUsher() {
        #expect(Verbs.grammar.problems() == [])
    }

    @Test func everySQLFileIsEmbeddedUnchanged() throws {
        let folder = Self.root.appendingPathComponent("sql")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".sql") }
        #expect(EmbeddedSQL.paths(below: "").filter { $0.hasSuffix(".sql") } == files.sorted())
        for file in files {
            let stored = try Data(contentsOf: folder.appendingPathComponent(file))
            #expect(EmbeddedSQL.bytes(of: file) == Array(stored), "\(file)")
        }
    }

    /// Databases with other encodings accept only ASCII in statements.
    @Test func embeddedSQLForEveryDatabaseIsASCII() throws {
        for path in EmbeddedSQL.paths(below: "usher/") + EmbeddedSQL.paths(below: "catalog/") {
            #expect(try #require(EmbeddedSQL.bytes(of: path)).allSatisfy { $0 < 0x80 }, "\(path)")
        }
    }

    @Test func linksInTheDocumentsLeadToFiles() throws {
        for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "sql/README.md"] {
            let document = Self.root.appendingPathComponent(name)
            let text = try String(contentsOf: document, encoding: .utf8)
            for link in text.matches(of: /(?:\]\(|srcset="|src=")([^)"#]+)/).map({ String($0.1) }) {
                // The link leads to a page of the site that hosts the repository.
                if link.hasPrefix("../../") || link.contains("://") { continue }
                let path = document.deletingLastPathComponent().appendingPathComponent(link).path
                #expect(FileManager.default.fileExists(atPath: path), "\(name): \(link)")
            }
        }
    }

    @Test func readmeHasAtMost125Lines() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 125)
    }

    @Test func changelogBeginsWithTheCurrentVersion() throws {
        let changes = try String(contentsOf: Self.root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        #expect(changes.split(separator: "\n").first { $0.hasPrefix("## ") } == "## \(VersionView.number)")
    }
}
