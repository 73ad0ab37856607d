import CommandLine
import Commands
import EmbeddedSQL
import Foundation
import Testing

/// What is generated, or listed by hand, and must follow its source.
@Suite struct GeneratedFilesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func theGrammarIsSound() {
        #expect(Verbs.grammar.problems() == [])
    }

    @Test(arguments: [(Shell.bash, "usher.bash"), (.zsh, "_usher"), (.fish, "usher.fish")])
    func completionsAreFresh(shell: Shell, file: String) throws {
        let stored = try String(contentsOf: Self.root.appendingPathComponent("completions/\(file)"), encoding: .utf8)
        #expect(stored == Verbs.grammar.completionScript(for: shell), "usher completion \(shell) >completions/\(file)")
    }

    @Test func everyFileOfTheSQLFolderIsEmbeddedAsItIs() throws {
        let folder = Self.root.appendingPathComponent("sql")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".sql") }
        #expect(EmbeddedSQL.paths() == files.sorted())
        for file in files {
            let stored = try Data(contentsOf: folder.appendingPathComponent(file))
            #expect(EmbeddedSQL.bytes(of: file) == Array(stored), "\(file)")
        }
    }

    @Test func theReadmeNamesEveryCommand() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        for command in Verbs.grammar.commands where !command.isHidden {
            let words = command.path.joined(separator: " ")
            #expect(readme.contains("`\(words)"), "\(words)")
        }
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }
}
