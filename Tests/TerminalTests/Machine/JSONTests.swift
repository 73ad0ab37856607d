import Terminal
import Testing

@Suite struct JSONTests {
    private let report = JSON([
        ("user", JSON([("id", JSON(42)), ("email", .string("ann@example.org"))])),
        ("tags", .array([.string("a"), .bool(true), .bool(false), .null])), ("none", .array([])),
        ("empty", .object([])),
    ])

    @Test func compactJSONIsOneLine() {
        #expect(
            report.text()
                == #"{"user":{"id":42,"email":"ann@example.org"},"tags":["a",true,false,null],"none":[],"empty":{}}"#)
    }

    @Test func prettyJSONIsIndentedByTwoSpaces() {
        #expect(
            report.text(pretty: true) == """
                {
                  "user": {
                    "id": 42,
                    "email": "ann@example.org"
                  },
                  "tags": [
                    "a",
                    true,
                    false,
                    null
                  ],
                  "none": [],
                  "empty": {}
                }
                """)
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("a\nb", #""a\nb""#),
        ("\t", #""\t""#), ("\r", #""\r""#), ("\r\n", #""\r\n""#), ("\u{00}", #""\u0000""#), ("\u{08}", #""\u0008""#),
        ("\u{1B}[2J", #""\u001b[2J""#), ("\u{7F}", #""\u007f""#), ("\u{85}", #""\u0085""#), ("\u{9B}", #""\u009b""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\u{202E}", #""\u202e""#), ("\u{2066}", #""\u2066""#),
        ("\u{200B}", #""\u200b""#), ("\u{FEFF}", #""\ufeff""#), ("\u{61C}", #""\u061c""#),
        ("\u{E0041}", #""\udb40\udc41""#), ("\u{10FFFF}", #""\udbff\udfff""#), ("🙂é日", #""🙂é日""#),
        ("👩\u{200D}👧", #""👩\u200d👧""#),
    ])
    func jsonStringEscapesHiddenCharacters(text: String, json: String) {
        #expect(JSON.string(text).text() == json)
        #expect(JSON([(text, JSON.null)]).text() == "{" + json + ":null}")
        #expect(written { $0.string(text.utf8.span) } == json)
        #expect(JSONWriter.quoted(text) == Array(json.utf8))
    }

    @Test(arguments: [
        "0", "-0", "1", "-17", "3.25", "0.10", "1e5", "1E-7", "2.5e+10", "9007199254740992", "-9007199254740992",
        "0.12345678901234567890",
    ])
    func exactJSONNumberKeepsItsText(text: String) {
        #expect(JSON.number(text).text() == text)
        #expect(written { $0.number(text.utf8.span) } == text)
    }

    @Test(arguments: [
        "9007199254740993", "-9007199254740993", "12345678901234567890", "99999999999999999999.5", "1e300", "1e999",
        "NaN",
        "Infinity", "-Infinity", "infinity", "", "-", "01", "+1", ".5", "5.", "1e", "1e+", "0x10", "1 ", "1,2", "٣",
    ])
    func inexactJSONNumberIsWrittenAsAString(text: String) {
        #expect(JSON.number(text).text() == "\"" + text + "\"")
        #expect(written { $0.number(text.utf8.span) } == "\"" + text + "\"")
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func rawJSONEscapesControlCharactersAfterABackslash() {
        #expect(JSON.raw("\"a\\\u{0}b\\\u{9B}\"").text() == #""a\\u0000b\\u009b""#)
    }

    @Test func rawJSONEscapesOnlyHiddenCharacters() {
        let raw = "{\"a\": \"x\u{202E}y\u{9B}\u{E0041}\",\n\t\"b\": 1e3}"
        #expect(JSON.array([.raw(raw), JSON(1)]).text() == #"[{"a": "x\u202ey\u009b\udb40\udc41",  "b": 1e3},1]"#)
    }

    @Test(arguments: [
        (
            #"{"n": 9007199254740993, "m": [-9007199254740993,1e400]}"#,
            #"{"n": "9007199254740993", "m": ["-9007199254740993","1e400"]}"#
        ),
        ("9007199254740992", "9007199254740992"),
        (
            #"{"9007199254740993": "9007199254740993", "a\\": 12.50}"#,
            #"{"9007199254740993": "9007199254740993", "a\\": 12.50}"#
        ),
        (#"["\\\"", 9007199254740993]"#, #"["\\\"", "9007199254740993"]"#),
    ]) func numbersInRawJSONAreExactOrStrings(raw: String, written: String) {
        #expect(JSON.raw(raw).text() == written)
        #expect(self.written { $0.raw(raw.utf8.span) } == written)
    }

    @Test func membersOfAJSONObjectKeepTheirOrder() {
        let object = JSON([("b", JSON(1)), ("a", JSON(2)), ("b2", JSON(3))])
        #expect(object == .object([.init("b", JSON(1)), .init("a", JSON(2)), .init("b2", JSON(3))]))
        #expect(object != JSON([("a", JSON(2)), ("b", JSON(1)), ("b2", JSON(3))]))
    }

    @Test func missingValueIsJSONNull() {
        #expect(JSON(String?.none) == .null)
        #expect(JSON(String?.some("x")) == .string("x"))
        #expect(JSON(Bool?.none) == .null)
        #expect(JSON(Bool?.some(true)) == .bool(true))
        #expect(JSON(7) == .number("7"))
    }

    @Test func jsonIsSafeForATerminal() {
        let hostile =
            "\u{338}\u{1B}\u{200B}" + String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 3) + "\u{FFFE}"
        let json = JSON([("error", hostile)])
        #expect(SafeText(json: json).description == json.text())
        #expect(!json.text(pretty: true).unicodeScalars.contains { $0.isHidden && $0 != "\n" })
    }
}

@Suite struct JSONWriterTests {
    @Test func jsonWriterStreamsADocumentInChunks() {
        var writer = JSONWriter()
        var text = ""
        writer.beginArray()
        for number in 1...3 {
            JSON([("n", number)]).write(into: &writer)
            writer.drain { text += String(decoding: $0, as: UTF8.self) }
        }
        writer.end()
        writer.endLine()
        writer.drain { text += String(decoding: $0, as: UTF8.self) }
        #expect(text == "[{\"n\":1},{\"n\":2},{\"n\":3}]\n")
    }

    @Test func jsonWriterPutsDocumentsOnSeparateLines() {
        var writer = JSONWriter()
        JSON([("a", 1)]).write(into: &writer)
        writer.endLine()
        JSON([("b", [2])]).write(into: &writer)
        writer.endLine()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"a\":1}\n{\"b\":[2]}\n")
    }

    @Test func jsonWriterWritesEveryKindOfValueAfterAKey() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("s")
        writer.string("x")
        writer.key("n")
        writer.number("1.50")
        writer.key("b")
        writer.bool(true)
        writer.key("z")
        writer.null()
        writer.key("r")
        writer.raw("[1, 2]".utf8.span)
        writer.key("o")
        writer.beginObject()
        writer.end()
        writer.end()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == #"{"s":"x","n":1.50,"b":true,"z":null,"r":[1, 2],"o":{}}"#)
    }

    @Test func jsonWriterIgnoresAnEndWithoutABeginning() {
        var writer = JSONWriter()
        writer.end()
        #expect(writer.bytes.isEmpty)
    }
}
