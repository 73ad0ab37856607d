import AppFile
import Testing

@Suite struct LexerTests {
    /// The kind and the text of each token, as the expected values write them.
    private func tokens(_ text: String) -> [String] {
        let file = SourceFile(name: "t", text: text)
        return Lexer.tokens(of: file).tokens.map { "\($0.kind) \(file.text($0.range))" }
    }

    @Test(arguments: [
        Case("'a'", "string 'a'"),
        Case("'it''s; -- no'", "string 'it''s; -- no'"),
        Case("'a\\' b", "string 'a\\'", "word b"),
        Case("E'a\\'b' c", "string E'a\\'b'", "word c"),
        Case("e'\\\\' c", "string e'\\\\'", "word c"),
        Case("E'it''s' c", "string E'it''s'", "word c"),
        Case("U&'d\\0061t' c", "string U&'d\\0061t'", "word c"),
        Case("u&\"d\\0061t\" c", "quotedName u&\"d\\0061t\"", "word c"),
        Case("u & 'x'", "word u", "symbol &", "string 'x'"),
        Case("b'01' X'ff' N'é'", "string b'01'", "string X'ff'", "string N'é'"),
        Case("like'x'", "word like", "string 'x'"),
        Case("$$a;b$$ c", "string $$a;b$$", "word c"),
        Case("$f$ it's $g$ $$ $f$ c", "string $f$ it's $g$ $$ $f$", "word c"),
        Case("$é$ $e$ $é$", "string $é$ $e$ $é$"),
        Case("$1 $23", "positional $1", "positional $23"),
        Case("a$1 b$$c$$", "word a$1", "word b$$c$$"),
        Case("$ a", "symbol $", "word a"),
        Case("$a b", "symbol $", "word a", "word b"),
        Case("\"a \"\"b\"\" ;\" c", "quotedName \"a \"\"b\"\" ;\"", "word c"),
        Case("\"'\" '\"'", "quotedName \"'\"", "string '\"'"),
    ])
    func lexerEndsQuotesWherePostgresEndsThem(_ sample: Case) { #expect(tokens(sample.text) == sample.expected) }

    @Test(arguments: [
        Case("a -- b ; 'c\nd", "word a", "lineComment -- b ; 'c", "word d"),
        Case("a -- b\r\nc", "word a", "lineComment -- b", "word c"),
        Case("a -- b\rc", "word a", "lineComment -- b", "word c"),
        Case("a /* b /* c */ d */ e", "word a", "blockComment /* b /* c */ d */", "word e"),
        Case("/* -- */ a", "blockComment /* -- */", "word a"),
        Case("-- /*\na", "lineComment -- /*", "word a"),
        Case("/* '*/ a", "blockComment /* '*/", "word a"),
        Case("a--", "word a", "lineComment --"),
        Case("a - -b", "word a", "symbol -", "symbol -", "word b"),
    ])
    func lexerEndsCommentsWherePostgresEndsThem(_ sample: Case) { #expect(tokens(sample.text) == sample.expected) }

    @Test(arguments: [
        Case(":a", "parameter :a"),
        Case(":a::text", "parameter :a", "symbol ::", "word text"),
        Case("x::text", "word x", "symbol ::", "word text"),
        Case("x:::a", "word x", "symbol ::", "parameter :a"),
        Case(":größe_1", "parameter :größe_1"),
        Case("a[1:2]", "word a", "symbol [", "number 1", "symbol :", "number 2", "symbol ]"),
        Case("a[1:n]", "word a", "symbol [", "number 1", "parameter :n", "symbol ]"),
        Case("a := b", "word a", "symbol :", "symbol =", "word b"),
        Case("a :=b", "word a", "symbol :", "symbol =", "word b"),
        Case("a : b", "word a", "symbol :", "word b"),
        Case(
            "':a' \":b\" $$:c$$ /*:d*/ --:e", "string ':a'", "quotedName \":b\"", "string $$:c$$",
            "blockComment /*:d*/", "lineComment --:e"),
    ])
    func lexerDistinguishesParametersFromCastsAndSlices(_ sample: Case) {
        #expect(tokens(sample.text) == sample.expected)
    }

    @Test(arguments: [
        Case("1 1.5", "number 1", "number 1", "symbol .", "number 5"),
        Case("1-e", "number 1", "symbol -", "word e"),
        Case("1_000 0xff", "number 1_000", "number 0xff"),
    ])
    func lexerSplitsNumbersAtDotsAndSigns(_ sample: Case) { #expect(tokens(sample.text) == sample.expected) }

    @Test(arguments: [
        Case("a->>'b'", "word a", "symbol -", "symbol >", "symbol >", "string 'b'"),
        Case("a@>b", "word a", "symbol @", "symbol >", "word b"),
        Case("a;b", "word a", "semicolon ;", "word b"),
        Case("größe _x 用户", "word größe", "word _x", "word 用户"),
        Case("a\u{0B}b\u{0C}c\td", "word a", "word b", "word c", "word d"),
    ])
    func lexerSplitsWordsAndOperators(_ sample: Case) { #expect(tokens(sample.text) == sample.expected) }

    @Test(arguments: [
        ("a ⟦'b", "string"), ("a ⟦'b''", "string"), ("⟦E'b\\'", "string"), ("⟦E'b\\", "string"),
        ("⟦\"b", "quoted name"),
        ("a ⟦/* /* */", "comment"), ("⟦$$ a $", "dollar-quoted string"), ("a ⟦$t$ $$ $T$", "dollar-quoted string"),
        ("⟦U&'a", "string"), ("é ⟦U&\"a", "quoted name"), ("⟦x'a", "string"),
        ("'a, 'b; c ⟦'d", "string"), ("'a, 'b;\n-- @panel P\n⟦'d", "string"),
    ])
    func lexerReportsAnUnclosedQuoteOrCommentWhereItBegins(marked: String, what: String) {
        let text = MarkedText(marked)
        let (tokens, diagnostics) = Lexer.tokens(of: text.file())
        #expect(diagnostics.map(\.offset) == text.offsets)
        #expect(diagnostics.map(\.message) == ["this \(what) is never closed"])
        #expect(tokens.last?.range.upperBound == text.text.utf8.count)
    }

    @Test func lexerSkipsAByteOrderMark() {
        let file = SourceFile(name: "t", text: "\u{FEFF}select 1")
        #expect(Lexer.tokens(of: file).tokens.map { file.text($0.range) } == ["select", "1"])
        #expect(file.position(of: 7).column == 8)
    }

    @Test func sqlScriptIsSplitIntoItsStatements() {
        let script = SourceFile(
            name: "t", text: "-- a\nselect ';' -- b;\n, $$;$$ /* ; */; ;\r\ncreate function f() as $f$ begin; end $f$;x"
        )
        #expect(
            script.statements == [
                "select ';' -- b;\n, $$;$$", "create function f() as $f$ begin; end $f$", "x",
            ])
    }
}
