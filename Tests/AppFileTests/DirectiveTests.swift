import AppFile
import Testing

/// The parser decides which comments are directives, and to which block the SQL below a directive belongs.
@Suite struct DirectiveTests {
    @Test(arguments: [
        "-- an ordinary comment\n--\n-----\n--- @rule x\n--no directive",
        "   -- @rule indented  is an ordinary comment",
        "/* \n-- @rule in  a block comment\n */",
        "-- an ordinary comment\n--    that is indented",
        "select $$\n-- @rule in  a dollar quote\n$$ -- @rule behind SQL\n;",
    ])
    func parserIgnoresCommentsThatAreNotDirectives(text: String) throws {
        let isSQL = text.hasPrefix("select")
        let app = try Sample.app(isSQL ? "-- @panel P\n" + text : text)
        #expect(app.decisions.isEmpty)
    }

    @Test(arguments: [
        ("-- @panel A title\n--   that goes on\n--      and on", "A title that goes on and on"),
        ("-- @panel A title\r\n--   that goes on\r", "A title that goes on"),
        ("-- @panel\n--   A title", "A title"),
        ("-- @panel\tA title\n--\tthat goes on", "A title that goes on"),
        ("-- @panel A title\n--  two spaces are a comment", "A title"),
        ("-- @panel A title\n-- a comment\n--   does not go on", "A title"),
        ("-- @panel A title\n\n--   does not go on", "A title"),
        ("-- @panel   A   title  ", "A   title"),
    ])
    func commentWithThreeSpacesContinuesTheDirective(text: String, title: String) throws {
        let app = try Sample.app(text + "\nselect 1;")
        #expect(app.panels.map(\.title) == [title])
    }

    @Test func directiveInsideABlockCanContinueOnTheNextLine() throws {
        let app = try Sample.app(
            """
            -- @decision d  Is it?
            -- @rule yes  Because
            --   it is.
            -- @advice Do
            --   this.
            true;
            """)
        #expect(app.decisions[0].rules[0].sentence.source == "Because it is.")
        #expect(app.decisions[0].rules[0].details.advice.map(\.source) == ["Do this."])
    }

    @Test func tabSeparatesTheWordsOfADirective() throws {
        let app = try Sample.app("-- @decision\td\tIs it?\n-- @rule\tyes\tIt is.\ntrue;")
        #expect(app.decisions[0].name == "d")
        #expect(app.decisions[0].question == "Is it?")
        #expect(app.decisions[0].rules[0].outcome == "yes")
        #expect(app.decisions[0].rules[0].sentence.source == "It is.")
    }

    @Test func parserAcceptsWindowsLineEndsAndALastLineWithoutALineEnd() throws {
        let text = Sample.head + "-- @panel P\n--   Q\n-- @limit 3\nselect 1\n  from users;\n-- @quota q\nselect 1;"
        let windows = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        let app = try Sample.parse(SourceFile(name: "t.sql", text: windows))
        #expect(app.panels.map(\.title) == ["P Q"])
        #expect(app.panels.map(\.limit) == [3])
        #expect(app.quotas.map(\.select.text) == ["select 1"])
    }

    @Test func byteOrderMarkDoesNotHideTheFirstDirective() throws {
        let app = try Sample.parse(SourceFile(name: "t.sql", text: "\u{FEFF}" + Sample.head))
        #expect(app.name == "sample")
    }

    @Test(arguments: [
        Case("-- ⟦@panle P\nselect 1;", "unknown directive @panle"),
        Case("-- ⟦@\n", "unknown directive @"),
        Case("-- ⟦@limit12\n", "unknown directive @limit12"),
        Case("-- ⟦@rule: x\n", "unknown directive @rule:"),
        Case("--⟦@panel P\nselect 1;", "write `-- @panel`"),
        Case("--  ⟦@panel P\nselect 1;", "write `-- @panel`"),
        Case("-- ⟦@rule x  y\n", "@rule belongs below @decision"),
        Case("-- @panel P\n-- ⟦@key id\nselect 1;", "@key belongs below @users or @object"),
        Case("-- @panel P\n-- @limit 1\n-- ⟦@limit 2\nselect 1;", "@limit appears twice in this @panel"),
        Case("-- ⟦@app b  B\n-- @requires public.b\n", "a file can have only one @app"),
        Case("-- ⟦@users\n-- @key id\nselect 1;", "a file can have only one @users"),
        Case("-- ⟦@panel\nselect 1;", "@panel needs a text after it"),
        Case("-- @panel P\n-- ⟦@limit\nselect 1;", "@limit needs a text after it"),
        Case("-- ⟦@panel P\n", "@panel needs SQL below it"),
        Case("-- ⟦@panel P\n-- @limit 3\n-- @quota q\nselect 1;", "@panel needs SQL below it"),
        Case("-- @panel P\nselect 1;\n⟦select 2;", "@panel already has a statement, and can have only one"),
        Case("-- @panel P\nselect 1⟦ -- done\n-- @quota q\nselect 1;", "the statement must end with `;`"),
        Case("-- @panel P\nselect 1⟦\n", "the statement must end with `;`"),
        Case("-- ⟦@panel P\n⟦;\n", "@panel needs SQL", "there is no statement before this `;`"),
        Case("-- @panel P\nselect ⟦(1;\n", "this ( is never closed"),
        Case("-- @panel P\nselect ⟦(1];\n", "this ( is never closed"),
        Case("-- @panel P\nselect 1⟦];\n", "this ] has no opening bracket"),
        Case("-- @panel P\nselect 1⟦);\n", "this ) has no opening bracket"),
        Case("-- @panel P\nselect a[⟦(1];\n", "this ( is never closed"),
        Case("-- @panel P\nselect ⟦$1, $2;\n", "write parameters as `:name`"),
        Case("-- @panel P\nselect ⟦U&\"d\" from users;\n", "write the name without `U&`"),
        Case("-- @panel P\nselect ⟦'a;\n-- @quota q\nselect 1;", "this string is never closed"),
        Case("-- @panel P\nselect 1 ⟦/* a;\n-- @quota q\nselect 1;", "this comment is never closed"),
    ])
    func parserReportsAMistakeInADirectiveAtItsPlace(_ sample: Case) {
        Sample.expect(sample.expected, in: sample.text)
    }

    @Test func errorOfAMisspeltDirectiveSuggestsTheRightName() {
        let findings = Sample.findings(in: SourceFile(name: "t.sql", text: Sample.head + "-- @panle P\n"))
        #expect(findings.map(\.hint) == ["did you mean @panel?"])
    }

    @Test func parserRefusesAFileThatIsNotUTF8() {
        let file = SourceFile(name: "t.sql", bytes: Array("-- @app é\n-- é".utf8) + [0xFF] + Array(" x".utf8))
        let findings = Sample.findings(in: file)
        #expect(findings.map(\.message) == ["this is not UTF-8 text"])
        #expect(findings.map(\.offset) == [16])
        let zero = Sample.findings(in: SourceFile(name: "t.sql", bytes: Array("-- @app a\nselect '".utf8) + [0]))
        #expect(zero.map(\.message) == ["the file contains a NUL byte"])
        #expect(zero.map(\.offset) == [18])
    }

    /// The path can lead to any file of the machine, so the finding shows the file's name and none of its lines.
    @Test func parserDoesNotRepeatTheTextOfAFileWithoutADirective() {
        for text in ["select 1;", "-- nothing", "me:secret", "'", "\u{0}", "a@users b", "--\n-- - @nothing"] {
            let findings = Sample.findings(in: SourceFile(name: "t.sql", text: text))
            #expect(
                findings.map(\.message) == ["this is not an app file: it doesn't contain a directive such as `-- @app`"]
            )
            #expect(findings.map(\.file.bytes) == [[]])
        }
    }

    @Test func sqlBeforeTheFirstBlockIsAMistake() {
        Sample.expect(["there is SQL before the first block directive"], in: "⟦select 1;\n" + Sample.head, behind: "")
        Sample.expect(
            ["@app can't have SQL below it"], in: "-- @app a\n-- @requires b.c\n⟦select 1;\n" + users,
            behind: "")
    }

    private let users = "-- @users\n-- @key id\nselect 1;"
}
