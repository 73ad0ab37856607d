import AppFile
import Testing

@Suite struct SentenceTests {
    private typealias Piece = Sentence.Piece

    @Test func sentenceParserReadsFactsInBracesAndCommandsInBackticks() {
        #expect(Sentence("").pieces.isEmpty)
        #expect(Sentence("plain").pieces == [.text("plain")])
        #expect(Sentence("a {b} c").pieces == [.text("a "), .fact("b"), .text(" c")])
        #expect(Sentence("{a}{größe_1}").pieces == [.fact("a"), .fact("größe_1")])
        #expect(
            Sentence("Try `x {a} --b` or `y`.").pieces == [
                .text("Try "), .command([.text("x "), .fact("a"), .text(" --b")]), .text(" or "),
                .command([.text("y")]), .text("."),
            ])
        #expect(Sentence("a {b} `c {d} {b}`").facts == ["b", "d", "b"])
    }

    @Test(arguments: [
        "{", "}", "{}", "{ a }", "{a", "a}", "{a b}", "{1}", "{a-b}", "\\d{2}", "{a.b}", "{{a", "}{", "{a$ }",
    ])
    func sentenceParserKeepsBracesWithoutAFactNameAsText(text: String) {
        #expect(Sentence(text).pieces == [.text(text)])
    }

    @Test func sentenceParserKeepsTheOuterOfDoubledBracesAsText() {
        #expect(Sentence("{{a}}").pieces == [.text("{"), .fact("a"), .text("}")])
    }

    @Test func sentenceKeepsItsSourceText() {
        #expect(Sentence("a `b {c}` ").source == "a `b {c}` ")
    }
}
