@testable import CommandLine
import Foundation
import Support
import Testing

/// The man page.
@Suite struct ManPageTests {
    let page = Fixture.grammar.manPage()

    @Test func `the sections are in the order of man-pages(7)`() {
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH") }.map { $0.dropFirst(5).dropLast() }
        #expect(
            sections == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES",
                "NOTES",
                "EXAMPLES", "SEE ALSO",
            ])
    }

    @Test(arguments: [
        (".TH \"USHER\" \"1\" \"\" \"usher\" \"User Commands\"\n.SH \"NAME\"\nusher \\- Operations console"),
        (".TP\n\\fB\\-n, \\-\\-dry\\-run\\fR\nReally run, show, roll back\n"),
        (".TP\n\\fBuser find <TEXT> [options]\\fR\nFind a user\n.RS\n"),
        (".PP\nAs \\fBpsql\\fR does:\n.PP\n.EX\n  usher \\-d service=prod\n.EE\n"),
        ("\\&.leading dots and \\ebackslashes \\(aqstay\\(aq.\n"), ("\\fB\\(ti/.pgpass\\fR\npasswords\n"),
        ("\\fBusher user show ann@example.com\\fR\nAll about one person\n"),
    ])
    func `the page has it`(text: String) {
        #expect(page.contains(text))
    }

    @Test(arguments: [
        ("", ""), (".", "."), ("a-b", "a\\-b"), ("a\\b", "a\\eb"), ("'", "\\(aq"), ("\"", "\\(dq"),
        ("~^`", "\\(ti\\(ha\\(ga"),
        ("a\nb\r\nc", "a b  c"), ("é", "é"),
    ])
    func `text is escaped`(text: String, expected: String) {
        #expect(Roff.escape(text) == expected)
    }

    @Test(arguments: [
        (".x", "\\&.x\n"), ("'x", "\\(aqx\n"), ("`a` b", "\\fBa\\fR b\n"), ("a ` b", "a \\(ga b\n"),
        ("a `.`", "a \\fB.\\fR\n"),
    ])
    func `a line of text is no macro`(line: String, expected: String) {
        var roff = Roff()
        roff.line(line)
        #expect(roff.text == expected)
    }

    @Test func `groff prints no warning`() throws {
        let scratch = try Scratch()
        _ = try scratch.file("page", page)
        let result = try Subprocess.run("groff", ["-ww", "-man", "-Tutf8", "-P-c", "page"], in: scratch.folder)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.output.contains("account"))
    }
}
