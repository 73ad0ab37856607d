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

    /// A database of another encoding takes no other character.
    @Test func whatIsSentToEveryDatabaseIsASCII() throws {
        for path in EmbeddedSQL.paths(below: "usher/") + EmbeddedSQL.paths(below: "catalog/") {
            #expect(try #require(EmbeddedSQL.bytes(of: path)).allSatisfy { $0 < 0x80 }, "\(path)")
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

    @Test func theChangelogBeginsWithTheVersion() throws {
        let changes = try String(contentsOf: Self.root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        #expect(changes.split(separator: "\n").first { $0.hasPrefix("## ") } == "## \(VersionView.number)")
    }

    /// A picture begins with a command at a prompt; its lines are those of the screen that is kept, or their beginnings.
    ///
    /// The second one is a ticket.
    @Test func thePicturesOfTheReadmeAreWhatTheProgramShows() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let pictures = readme.components(separatedBy: "```\n").enumerated().filter { $0.offset % 2 == 1 }
        #expect(pictures.count == 2)
        let golden = Self.root.appendingPathComponent("Tests/Golden")
        let screens = try FileManager.default.contentsOfDirectory(atPath: golden.path).map { name in
            try String(contentsOf: golden.appendingPathComponent(name), encoding: .utf8)
        }
        for (number, (_, picture)) in pictures.enumerated() {
            let lines = picture.split(separator: "\n").map(String.init)
            let command = try #require(lines.first)
            let words = command.dropFirst("$ usher ".count)
            let isTicket = number == 1
            let place = isTicket ? "\n\(command)\n" : " columns: usher \(words), "
            let screen = try #require(screens.first { $0.contains(place) }, "\(words)")
            var shown = screen.split(separator: "\n")[...]
            for line in isTicket ? lines : Array(lines.dropFirst()) where line != "…" {
                guard let place = shown.firstIndex(where: { $0.hasPrefix(line) }) else {
                    Issue.record("the screen of \(words) has no line \(line)")
                    break
                }
                shown = shown[(place + 1)...]
            }
        }
    }
}
