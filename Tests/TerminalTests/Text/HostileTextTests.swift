import Terminal
import Testing

@Suite struct HostileTextTests {
    @Test(arguments: [
        ("\u{00}", "\\u{00}"), ("\u{07}", "\\u{07}"), ("\u{08}", "\\u{08}"), ("\u{0B}", "\\u{0B}"),
        ("\r", "\\u{0D}"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{1F}", "\\u{1F}"), ("\u{7F}", "\\u{7F}"),
        ("\u{80}", "\\u{80}"), ("\u{85}", "\\u{85}"), ("\u{9B}31m", "\\u{9B}31m"), ("\u{9F}", "\\u{9F}"),
    ])
    func safeTextMakesControlCharactersVisible(text: String, shown: String) {
        #expect(SafeText("a" + text + "z").description == "a" + shown + "z")
    }

    @Test(
        arguments: [0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0x200E...0x200F, 0x061C...0x061C] as [any Codes])
    func safeTextMakesLineSeparatorsAndDirectionMarksVisible(codes: any Codes) {
        expectEscaped(codes)
    }

    @Test(
        arguments: [0x200B...0x200D, 0x2060, 0xFEFF, 0x00AD, 0x034F, 0x115F...0x1160, 0x3164, 0xFFA0, 0x180E]
            as [any Codes])
    func safeTextMakesInvisibleCharactersVisible(codes: any Codes) {
        expectEscaped(codes)
    }

    @Test(
        arguments: [0xE0000...0xE007F, 0xFDD0...0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0x0378, 0xFFF9...0xFFFB]
            as [any Codes])
    func safeTextMakesTagsNoncharactersAndUnassignedCodesVisible(codes: any Codes) {
        expectEscaped(codes)
    }

    @Test func safeTextEscapesTheHiddenCharactersOfEveryUnicodePlane() {
        // Ideographs and private use are sampled, because they are most of the code space and take most of the time.
        let codes = Array(0...0x33FF) + Array(0xA000...0xABFF) + Array(0xF900...0x1FFFF) + Array(0xE0000...0xE0FFF)
        let every = (codes + stride(from: 0x3400, through: 0x10FFFF, by: 251)).flatMap(\.scalars)
        for scalar in every where SafeText("a" + String(scalar)).description.unicodeScalars.contains(where: \.isHidden)
        {
            Issue.record("hidden: \(scalar.escaped)")
        }
    }

    @Test func safeTextOfOneLineMakesNewlinesAndTabsVisible() {
        #expect(shown("a\nb\tc\r\nd") == "a\\nb\\tc\\u{0D}\\nd")
    }

    @Test func multilineSafeTextKeepsLinesAndExpandsTabs() {
        #expect(SafeText(multiline: "a\nb\tc\r\nd\re\u{1B}").description == "a\nb    c\nd\\u{0D}e\\u{1B}")
    }

    @Test(arguments: [
        "Ζωή", "Łódź", "naïve", "日本語", "한국어", "עברית", "العربية", "हिन्दी", "ไทย", "e\u{301}", "☃", "🙂", "葛\u{E0100}",
    ])
    func safeTextKeepsPlainText(text: String) {
        #expect(SafeText(text).description == text)
        #expect(SafeText(multiline: text).description == text)
    }

    @Test(arguments: ["👩\u{200D}👩\u{200D}👧", "👩🏽\u{200D}⚕\u{FE0F}", "❤\u{FE0F}\u{200D}🔥", "🏳\u{FE0F}\u{200D}🌈", "👍🏿"])
    func safeTextKeepsJoinedEmoji(text: String) {
        #expect(SafeText(text).description == text)
    }

    @Test(arguments: [
        ("a\u{200D}🙂", "a\\u{200D}🙂"), ("🙂\u{200D}a", "🙂\\u{200D}a"), ("🙂\u{200D}", "🙂\\u{200D}"),
        ("1\u{200D}2", "1\\u{200D}2"), ("🙂\u{200D}\u{200D}🙂", "🙂\\u{200D}\\u{200D}🙂"), ("\u{200D}🙂", "\\u{200D}🙂"),
    ])
    func safeTextMakesJoinersOutsideEmojiVisible(text: String, shown: String) {
        #expect(SafeText(text).description == shown)
    }

    @Test func safeTextEscapesACombiningMarkWithoutABaseCharacter() {
        #expect(shown("\u{338}a") == "\\u{338}a")
        #expect(SafeText(multiline: "a\n\u{338}b").description == "a\n\\u{338}b")
        #expect(shown("\u{FE0F}") == "\\u{FE0F}")
    }

    @Test func safeTextEscapesCombiningMarksAfterTheEighth() {
        let stack = String(repeating: "\u{301}", count: 10)
        #expect(SafeText("a" + stack).description == "a" + stack.prefixOfScalars(8) + "\\u{301}\\u{301}")
    }

    @Test func safeTextEscapesSubstringsLikeStrings() {
        #expect(SafeText("x\u{1B}y".dropFirst()).description == "\\u{1B}y")
    }
}

/// Code points, either a single one or a range.
protocol Codes: Sendable {
    var scalars: [Unicode.Scalar] { get }
}

extension Int: Codes {
    var scalars: [Unicode.Scalar] { [Unicode.Scalar(UInt32(self))].compactMap(\.self) }
}

extension ClosedRange<Int>: Codes {
    var scalars: [Unicode.Scalar] { flatMap(\.scalars) }
}

/// The text as an untrusted value; a literal would be trusted.
private func shown(_ text: String) -> String {
    SafeText(text).description
}

private func expectEscaped(_ codes: any Codes, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!codes.scalars.isEmpty, sourceLocation: sourceLocation)
    for scalar in codes.scalars {
        let escape = "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        #expect(scalar.isHidden, sourceLocation: sourceLocation)
        #expect(SafeText("a" + String(scalar) + "b").description == "a" + escape + "b", sourceLocation: sourceLocation)
        #expect(SafeText(multiline: "a\(scalar)b").description == "a" + escape + "b", sourceLocation: sourceLocation)
    }
}

extension String {
    fileprivate func prefixOfScalars(_ count: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
