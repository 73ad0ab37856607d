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

    @Test func changelogBeginsWithTheCurrentVersion() throws {
        let changes = try String(contentsOf: Self.root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        #expect(changes.split(separator: "\n").first { $0.hasPrefix("## ") } == "## \(VersionView.number)")
    }
}
