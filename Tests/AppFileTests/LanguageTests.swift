import AppFile
import Foundation
import Testing

/// What the program knows of directives is what the page about the language says of them.
@Suite struct LanguageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("sql/README.md")
    private static let marks = ("<!-- directives -->\n", "<!-- end of directives -->\n")

    /// `USHER_GOLDEN=write` writes the table anew.
    @Test func thePageListsEveryDirective() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = page.components(separatedBy: Self.marks.0)
        let rest = try #require(parts.last?.components(separatedBy: Self.marks.1))
        #expect(parts.count == 2 && rest.count == 2)
        let table = Self.table
        if ProcessInfo.processInfo.environment["USHER_GOLDEN"] == "write" {
            try (parts[0] + Self.marks.0 + table + Self.marks.1 + rest[1]).write(
                to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(rest[0] == table)
        }
    }

    private static var table: String {
        let head = "| directive | stands in | SQL below | what it says |\n|---|---|---|---|\n"
        return head
            + Language.directives.map { rule in
                let blocks = rule.isBlock ? [""] : rule.within
                var rows: [(form: String, sql: DirectiveRule.SQL, blocks: [String])] = []
                for block in blocks {
                    let (form, sql) = (rule.form(in: block), rule.sql(in: block))
                    if let same = rows.firstIndex(where: { $0.form == form && $0.sql == sql }) {
                        rows[same].blocks.append(block)
                    } else {
                        rows.append((form, sql, [block]))
                    }
                }
                return rows.enumerated().map { index, row in
                    let words = "@\(rule.word) \(row.form.drop { $0 == " " })".trimmingCharacters(in: .whitespaces)
                        .replacingOccurrences(of: "  ", with: " ").replacingOccurrences(of: "|", with: "\\|")
                    let sql = ["none": "", "optional": "may", "required": "yes"][row.sql.rawValue] ?? ""
                    let meaning = index == 0 ? rule.summary : ""
                    return "| `\(words)` | \(row.blocks.joined(separator: ", ")) | \(sql) | \(meaning) |\n"
                }.joined()
            }.joined()
    }

    /// A directive is read where the list says that it stands, and nowhere else.
    @Test func directivesStandWhereTheListSays() {
        let blocks = Language.directives.filter(\.isBlock).map(\.word)
        for rule in Language.directives where !rule.isBlock {
            for block in blocks {
                let file = SourceFile(name: "t.sql", text: "-- @\(block) some thing\n-- @\(rule.word) a b\n")
                let found = AppParser.examine(file) { _ in nil }.findings
                let isMisplaced = found.contains { $0.message.hasPrefix("@\(rule.word) belongs into ") }
                #expect(isMisplaced != rule.within.contains(block), "@\(rule.word) in @\(block)")
            }
        }
    }

    @Test func everyDirectiveSaysWhatItIsFor() {
        for rule in Language.directives {
            #expect(rule.summary.hasSuffix(".") && !rule.summary.contains("|"), "@\(rule.word)")
            #expect(rule.needsText == !rule.form.isEmpty || rule.form.hasPrefix(" ["), "@\(rule.word)")
        }
    }
}
