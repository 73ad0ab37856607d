import AppFile
import Foundation
import Testing

/// The guide of the language lists the directives that the parser knows.
@Suite struct LanguageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("sql/README.md")
    private static let marks = ("<!-- directives -->\n", "<!-- end of directives -->\n")

    /// `USHER_GOLDEN=write` writes the list into the guide.
    @Test func languageGuideListsEveryDirective() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = page.components(separatedBy: Self.marks.0)
        let rest = try #require(parts.last?.components(separatedBy: Self.marks.1))
        #expect(parts.count == 2 && rest.count == 2)
        let entries = Self.entries
        if ProcessInfo.processInfo.environment["USHER_GOLDEN"] == "write" {
            try (parts[0] + Self.marks.0 + entries + Self.marks.1 + rest[1]).write(
                to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(rest[0] == entries)
        }
    }

    private static var entries: String {
        Language.directives.map { rule in
            let forms = rule.forms.map { form in
                "`\(form.text)`"
                    + (form.blocks.isEmpty ? "" : " in \(form.blocks.map { "`@\($0)`" }.joined(separator: ", "))")
            }
            return "- \(forms.joined(separator: "; "))  \n  \(rule.summary)  \n  Example: `\(rule.exampleLine)`\n"
        }.joined()
    }

    /// The guide's own app file contains the example of each directive.
    @Test func languageGuideContainsTheExampleOfEveryDirective() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n").map(String.init)
        for rule in Language.directives where rule.word != "include" {
            #expect(lines.contains(rule.exampleLine), "\(rule.exampleLine)")
        }
    }

    /// The parser accepts a directive only in the blocks that the list names for it.
    @Test func parserReportsADirectiveOutsideItsDocumentedBlocks() {
        let blocks = Language.directives.filter(\.isBlock).map(\.word)
        for rule in Language.directives where !rule.isBlock {
            for block in blocks {
                let file = SourceFile(name: "t.sql", text: "-- @\(block) some thing\n-- @\(rule.word) a b\n")
                let found = AppParser.examine(file) { _ in nil }.findings
                let isMisplaced = found.contains { $0.message.hasPrefix("@\(rule.word) belongs below @") }
                #expect(isMisplaced != rule.within.contains(block), "@\(rule.word) in @\(block)")
            }
        }
    }

    @Test func everyDirectiveHasASummaryThatIsASentence() {
        for rule in Language.directives {
            #expect(rule.summary.hasSuffix(".") && !rule.summary.contains("|"), "@\(rule.word)")
        }
    }
}
