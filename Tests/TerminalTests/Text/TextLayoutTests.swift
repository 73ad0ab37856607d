import Terminal
import Testing

@Suite struct TextLayoutTests {
    @Test func paddingFillsATextToTheWidth() {
        #expect(SafeText("ab").padded(to: 4) == "ab  ")
        #expect(SafeText("ab").padded(to: 4, alignment: .right) == "  ab")
        #expect(SafeText("日").padded(to: 4) == "日  ")
        #expect(SafeText("abc").padded(to: 2) == "abc")
        #expect(SafeText("a").red.padded(to: 2) == SafeText("a").red + " ")
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("abcdef", -1, ""),
        ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("🙂🙂", 3, "🙂…"),
        ("👩\u{200D}👩\u{200D}👧👩\u{200D}👩\u{200D}👧", 3, "👩\u{200D}👩\u{200D}👧…"),
    ])
    func cuttingKeepsWholeCharactersAndMarksTheEnd(text: String, width: Int, cut: String) {
        #expect(SafeText(text).cut(to: width).description == cut)
        #expect(SafeText(text).cut(to: width).width <= max(0, width))
    }

    @Test func cuttingKeepsStyles() {
        #expect((SafeText("ab").red + "cdef").cut(to: 4) == SafeText("ab").red + "c…")
    }

    @Test func cuttingShortensEachLineSeparately() {
        #expect(SafeText("abcdef\nab\nabcdef").cut(to: 3) == "ab…\nab\nab…")
    }

    @Test(arguments: [
        ("one two three", 20, ["one two three"]), ("one two three", 7, ["one two", "three"]),
        ("one two three", 6, ["one", "two", "three"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a abcdefgh", 3, ["a", "abc", "def", "gh"]), ("", 5, [""]), ("ab   cd", 3, ["ab", "cd"]),
        ("  ab cd", 5, ["  ab", "cd"]), ("日本語", 4, ["日本", "語"]), ("日本", 1, ["日", "本"]), ("ab  ", 2, ["ab"]),
        ("abc def", 3, ["abc", "def"]), ("ab", 0, ["a", "b"]),
    ])
    func wrappingBreaksATextBetweenWords(text: String, width: Int, lines: [String]) {
        #expect(SafeText(text).wrapped(to: width).map(\.description) == lines)
    }

    @Test func wrappingKeepsExistingLines() {
        #expect(SafeText("one two\n\nthree").wrapped(to: 5) == ["one", "two", "", "three"])
    }

    @Test func wrappingIndentsTheLinesAfterTheFirst() {
        #expect(SafeText("one two three").wrapped(to: 7, indent: 2) == ["one two", "  three"])
        #expect(SafeText("one two\nthree four").wrapped(to: 8, indent: 2) == ["one two", "  three", "  four"])
        #expect(SafeText("abcdef").wrapped(to: 3, indent: 9).allSatisfy { $0.width <= 3 })
    }

    @Test func wrappingKeepsStyles() {
        #expect((SafeText("one").red + " two").wrapped(to: 4) == [SafeText("one").red, "two"])
        #expect(SafeText("one two").red.wrapped(to: 4) == [SafeText("one").red, SafeText("two").red])
    }

    @Test(arguments: 1...40)
    func noWrappedLineIsWiderThanTheScreen(width: Int) {
        let text = SafeText(
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod\ntempor incididunt")
        for indent in [0, 2, 7] {
            let lines = text.wrapped(to: width, indent: indent)
            #expect(lines.allSatisfy { $0.width <= width })
            #expect(lines.joined().description.filter { $0 != " " } == text.description.filter { !" \n".contains($0) })
        }
    }

    /// Lines break before and after a command, never within it, however long it is.
    @Test(arguments: [
        (30, ["→ More time:", "usher trial extend ada (admin)"]),
        (24, ["→ More time:", "usher trial extend ada", "(admin)"]),
        (12, ["→ More time:", "usher trial extend ada", "(admin)"]),
        (60, ["→ More time: usher trial extend ada (admin)"]),
    ])
    func wrappingNeverBreaksACommandAcrossLines(width: Int, lines: [String]) {
        let text = "→ More time: " + SafeText("usher trial extend ada").bold.whole + " (admin)"
        #expect(text.wrapped(to: width).map(\.description) == lines)
        #expect(text.rendered(color: false) == text.description)
        #expect(SafeText("a b").whole.rendered(color: true) == "a b")
    }
}
