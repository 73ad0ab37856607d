import Terminal
import Testing

@Suite struct SafeTextTests {
    @Test func safeTextDoesNotEscapeStringLiterals() {
        let text: SafeText = "a\n\u{1B}[0m"
        #expect(text.description == "a\n\u{1B}[0m")
        #expect(SafeText("a\nb").description == "a\nb")
    }

    @Test func safeTextEscapesStringsInterpolatedIntoALiteral() {
        let value = "x\u{1B}[2J\n"
        let text: SafeText = "value: \(value)\n"
        #expect(text.description == "value: x\\u{1B}[2J\\n\n")
        #expect(SafeText("<\(value.prefix(2))>").description == "<x\\u{1B}>")
    }

    @Test func safeTextInterpolatedIntoALiteralKeepsItsStyles() {
        let name: SafeText = "Ann"
        let text: SafeText = "Dear \(name.bold), \(42)"
        #expect(text == "Dear " + name.bold + ", 42")
        #expect(text.rendered(color: true) == "Dear \u{1B}[1mAnn\u{1B}[0m, 42")
    }

    @Test func safeTextsWithEqualCharactersAndStylesAreEqual() {
        #expect(SafeText("a") + SafeText("b") == "ab")
        #expect(SafeText("a").red + SafeText("b").red == SafeText("ab").red)
        #expect(SafeText("a").red != "a")
        #expect(SafeText("") == SafeText())
        #expect(SafeText().red.isEmpty)
    }

    @Test func safeTextArrayCanBeJoinedWithASeparator() {
        let parts: [SafeText] = ["a", "b", "c"]
        #expect(parts.joined(separator: ", ") == "a, b, c")
        #expect(parts.joined() == "abc")
        #expect([SafeText]().joined(separator: ", ").isEmpty)
    }

    @Test func safeTextCanBeRepeated() {
        #expect(SafeText(repeating: "ab", count: 3) == "ababab")
        #expect(SafeText(repeating: "ab", count: -1).isEmpty)
    }

    @Test func safeTextSplitsIntoLinesThatKeepTheirStyles() {
        let text = SafeText("a\nb").red + "\n\nc"
        #expect(text.lines == [SafeText("a").red, SafeText("b").red, "", "c"])
        #expect(SafeText().lines == [""])
    }
}

@Suite struct StyleTests {
    @Test(
        arguments: [
            (SafeText.Style.bold, "1"), (.dim, "2"), (.reversed, "7"), (.red, "31"), (.green, "32"),
            (.yellow, "33"), (.cyan, "36"), ([.bold, .red], "1;31"),
        ] as [(SafeText.Style, String)])
    func safeTextRendersStylesOnlyWithColor(style: SafeText.Style, code: String) {
        let text = ("x" as SafeText).styled(style)
        #expect(text.rendered(color: true) == "\u{1B}[" + code + "mx\u{1B}[0m")
        #expect(text.rendered(color: false) == "x")
        #expect(text.description == "x")
    }

    @Test func safeTextStylePropertiesMatchTheStyledMethod() {
        let text: SafeText = "x"
        #expect(text.bold == text.styled(.bold) && text.dim == text.styled(.dim))
        #expect(text.reversed == text.styled(.reversed))
        #expect(text.red == text.styled(.red) && text.green == text.styled(.green))
        #expect(text.yellow == text.styled(.yellow) && text.cyan == text.styled(.cyan))
    }

    @Test func safeTextCombinesStylesAndTheInnerColorWins() {
        let text = (SafeText("a").red + "b").green.bold
        #expect(text == SafeText("a").styled([.bold, .red]) + SafeText("b").styled([.bold, .green]))
    }

    @Test func safeTextStylesEachLineSeparately() {
        let text = SafeText("a\n\nb").red
        #expect(text.rendered(color: true) == "\u{1B}[31ma\u{1B}[0m\n\n\u{1B}[31mb\u{1B}[0m")
    }
}
