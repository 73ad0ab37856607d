import Terminal
import Testing

@Suite struct KeyValueListTests {
    private let list = KeyValueList([
        ("id", "42"), ("note", "called in the morning, twice"), ("paid", ""),
    ])

    private func text(_ lines: [SafeText]) -> String {
        lines.map(\.description).joined(separator: "\n")
    }

    @Test func keyValueListAlignsItsValues() {
        #expect(text(list.lines(width: nil)) == "id    42\nnote  called in the morning, twice\npaid")
    }

    @Test func keyValueListWrapsALongValueWithAHangingIndent() {
        #expect(text(list.lines(width: 20)) == "id    42\nnote  called in the\n      morning, twice\npaid")
    }

    @Test func narrowKeyValueListShowsLongValuesBelowTheirLabels() {
        #expect(
            text(list.lines(width: 12)) == "id\n  42\nnote\n  called in\n  the\n  morning,\n  twice\npaid")
    }

    @Test func narrowKeyValueListShowsAShortValueNextToItsLabel() {
        #expect(text(KeyValueList([("id", "42")]).lines(width: 6)) == "id  42")
    }

    @Test func keyValueListKeepsTheLinesOfAValue() {
        let list = KeyValueList([("sql", SafeText(multiline: "select 1\n  from t"))])
        #expect(text(list.lines(width: nil)) == "sql  select 1\n       from t")
        #expect(list.lines(width: 80) == list.lines(width: nil))
    }

    @Test func keyValueListDimsItsLabelsAndKeepsTheStylesOfValues() {
        let list = KeyValueList([("tier", SafeText("trial").yellow)])
        #expect(list.lines(width: 80) == [SafeText("tier").dim + "  " + SafeText("trial").yellow])
    }

    @Test func emptyKeyValueListHasNoLines() {
        #expect(KeyValueList([]).lines(width: 80).isEmpty)
    }

    @Test(arguments: 6...60)
    func noLineOfAKeyValueListIsWiderThanTheScreen(width: Int) {
        #expect(list.lines(width: width).allSatisfy { $0.width <= width })
    }
}
