import AppFile
import Testing

/// The report of a finding shows the line, with a caret below the place of the mistake.
@Suite struct DiagnosticTests {
    @Test(arguments: [
        ("one\ntwo ⟦three\nfour", ["t.sql:2:5: error: M", "  two three", "      ^"]),
        ("⟦", ["t.sql:1:1: error: M"]),
        ("one\n⟦", ["t.sql:2:1: error: M"]),
        ("one\r\ntwo⟦\r\nthree", ["t.sql:2:4: error: M", "  two", "     ^"]),
        ("größe 😀 ⟦x", ["t.sql:1:9: error: M", "  größe 😀 x", "          ^"]),
        ("\ta\t⟦x", ["t.sql:1:4: error: M", "  \ta\tx", "  \t \t^"]),
        ("\u{FEFF}a⟦b", ["t.sql:1:2: error: M", "  ab", "   ^"]),
    ])
    func printedFindingHasACaretUnderItsPlace(marked: String, report: [String]) throws {
        // The offset counts from the text after the byte order mark.
        let text = MarkedText(marked)
        let offset = text.offsets[0] - (marked.hasPrefix("\u{FEFF}") ? 3 : 0)
        #expect(Diagnostic("M", at: text.file().place(at: offset)).report == report)
    }

    @Test func printedFindingShowsItsSeverityAndHint() {
        let file = SourceFile(name: "t.sql", text: "x")
        let warning = Diagnostic("M", at: file.place(at: 0), hint: "H", severity: .warning)
        #expect(warning.report == ["t.sql:1:1: warning: M", "  x", "  ^", "  hint: H"])
    }

    @Test func offsetAfterTheEndOfAFileMeansTheEndOfTheFile() {
        let file = SourceFile(name: "t.sql", text: "a\nbc")
        #expect(file.position(of: 99) == (2, 3))
        #expect(file.line(around: 99) == "bc")
    }

    @Test func parserReportsTwentyMistakesInTheirOrder() {
        Sample.expect(
            [
                "write @requires", "write @language", "separate the names with commas", "the name due is already taken",
                "unknown directive @panle", "@limit needs a number", "there is no decision", "there is no parameter",
                "plan is not defined in this file", "this ( is never closed", "@rule belongs below",
                "the name Q is already taken",
                "the type of tier is missing", "a rule needs a sentence", "this condition is always true",
                "this backtick is never closed",
                "@shows a appears twice", "the last rule", "write parameters as", "the statement must end",
            ],
            in: """
                -- @app a
                -- @requires b.c
                -- @requires ⟦d
                -- @language ⟦none
                -- @users
                -- @key id
                -- @email a ⟦b
                select 1;
                -- @select due  A.
                true;
                -- @select ⟦due  B.
                true;
                -- ⟦@panle X
                select 1;
                -- @panel Q
                -- @limit ⟦many
                -- @explains ⟦x
                select ⟦:usr from ⟦plan where ⟦(1;
                -- ⟦@rule x  Y.
                -- @panel ⟦Q
                select 1;
                -- @decision d  D?
                -- @assume ⟦tier:
                -- @rule ⟦a
                ⟦true;
                -- @rule b  B ⟦`c.
                -- @shows a: b
                -- @shows ⟦a: c
                false;
                -- @decision e  E?
                -- @rule a  A.
                ⟦false;
                -- @quota q
                select ⟦$1⟦
                """, behind: "")
    }
}
