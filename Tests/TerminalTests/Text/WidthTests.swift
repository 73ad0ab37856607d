import Terminal
import Testing

@Suite struct WidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("naïve", 5), ("Ζωή", 3), ("e\u{301}", 1), ("日本語", 6), ("한국어", 6), ("ｱ", 1), ("Ａ", 2),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("हिन्दी", 5), ("☃", 1), ("⌚", 2), ("🙂", 2), ("👍🏿", 2), ("❤", 1), ("❤\u{FE0F}", 2),
        ("👩\u{200D}👩\u{200D}👧", 2), ("🇩🇪", 2), ("🇩", 1), ("𠮷", 2), ("─█░…", 4), ("a\u{1B}", 7), ("\u{A0}", 1),
    ])
    func widthCountsColumnsAsATerminalDoes(text: String, width: Int) {
        #expect(SafeText(text).width == width)
    }

    @Test func widthOfATextIsTheWidthOfItsWidestLine() {
        #expect(SafeText("ab\nabcd\n日").width == 4)
        #expect((SafeText("ab\nab") + SafeText("cd").red + "\nx").width == 4)
    }

    @Test func stylesDoNotChangeTheWidthOfAText() {
        #expect(SafeText("abc").red.bold.width == 3)
    }
}
