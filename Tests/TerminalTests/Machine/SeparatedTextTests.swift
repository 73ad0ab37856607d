import Terminal
import Testing

@Suite struct SeparatedTextTests {
    private func written(_ writer: SeparatedText, _ rows: [[String?]]) -> String {
        var writer = writer
        for row in rows {
            writer.append(row)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            (["a", "b"], "a,b\n"), (["a,b", "c"], "\"a,b\",c\n"), (["say \"hi\""], "\"say \"\"hi\"\"\"\n"),
            (["two\nlines"], "\"two\nlines\"\n"), (["a\rb"], "\"a\rb\"\n"), ([" a "], " a \n"), (["a\tb"], "a\tb\n"),
            ([nil, "", nil], ",\"\",\n"), ([nil], "\n"), ([""], "\"\"\n"), (["\\."], "\"\\.\"\n"), (["\\N"], "\\N\n"),
            (["日本,語"], "\"日本,語\"\n"), (["=1+1"], "=1+1\n"), ([], "\n"),
        ] as [([String?], String)])
    func csvQuotesAsPostgresDoes(row: [String?], line: String) {
        #expect(written(SeparatedText(.csv), [row]) == line)
    }

    @Test(
        arguments: [
            (["a", "b"], "a\tb\n"), (["a\tb"], "a\\tb\n"), (["a\nb"], "a\\nb\n"), (["a\rb"], "a\\rb\n"),
            (["a\\b"], "a\\\\b\n"), (["\\N"], "\\\\N\n"), ([nil], "\\N\n"), ([nil, "", nil], "\\N\t\t\\N\n"),
            (["\u{08}\u{0B}\u{0C}"], "\\b\\v\\f\n"), (["a,\"b\""], "a,\"b\"\n"), (["\\."], "\\\\.\n"),
        ] as [([String?], String)])
    func tsvEscapesAsPostgresDoes(row: [String?], line: String) {
        #expect(written(SeparatedText(.tsv), [row]) == line)
    }

    @Test func csvAndTSVKeepControlCharacters() {
        let hostile = "\u{1B}[2J\u{202E}\u{200B}\u{9B}\u{7F}"
        #expect(written(SeparatedText(.csv), [[hostile]]) == hostile + "\n")
        #expect(written(SeparatedText(.tsv), [[hostile]]) == hostile + "\n")
    }

    @Test func csvKeepsInvalidUnicode() {
        var csv = SeparatedText(.csv)
        csv.field([0xFF, 0x2C, 0xFE].span)
        csv.null()
        csv.field([0xC3].span)
        csv.endRow()
        #expect(csv.bytes == [0x22, 0xFF, 0x2C, 0xFE, 0x22, 0x2C, 0x2C, 0xC3, 0x0A])
    }

    @Test func separatorsAppearOnlyBetweenCells() {
        #expect(written(SeparatedText(.csv), [["a", "b"], ["c", nil]]) == "a,b\nc,\n")
        #expect(written(SeparatedText(.tsv), [["a", "b"], ["c", nil]]) == "a\tb\nc\t\\N\n")
    }

    @Test func csvWriterClearsItsBufferAfterEachDrain() {
        var csv = SeparatedText(.csv)
        csv.append(["a"])
        csv.drain { #expect($0 == [0x61, 0x0A]) }
        csv.append(["b"])
        csv.drain { #expect($0 == [0x62, 0x0A]) }
        #expect(csv.bytes.isEmpty)
    }
}
