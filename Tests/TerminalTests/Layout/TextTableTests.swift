import Terminal
import Testing

@Suite struct TextTableTests {
    private let users = TextTable(
        columns: [
            .init("id", canShrink: false), .init("email"), .init("tier"), .init("credits", alignment: .right),
            .init("note"),
        ],
        rows: [
            ["1", "ann@example.org", "mastery", "1200", "prefers to be called in the morning, never after six"],
            ["22", "benjamin.of.the.long.address@example.org", "trial", "7", ""],
            ["333", "日本語@example.org", "partner", "0", "ok"],
        ])

    private func text(_ lines: [SafeText]) -> String {
        lines.map(\.description).joined(separator: "\n")
    }

    @Test func tableWithoutAWidthLimitDoesNotCutItsCells() {
        #expect(
            text(users.lines(width: nil)) == """
                id   email                                     tier     credits  note
                1    ann@example.org                           mastery     1200  prefers to be called in the morning, never after six
                22   benjamin.of.the.long.address@example.org  trial          7
                333  日本語@example.org                        partner        0  ok
                """)
    }

    @Test func tableOnAScreenOf160ColumnsDoesNotCutItsCells() {
        #expect(users.lines(width: 160) == users.lines(width: nil))
    }

    @Test func tableAtWidth80CutsItsWidestColumns() {
        #expect(
            text(users.lines(width: 80)) == """
                id   email                         tier     credits  note
                1    ann@example.org               mastery     1200  prefers to be called in th…
                22   benjamin.of.the.long.addres…  trial          7
                333  日本語@example.org            partner        0  ok
                """)
    }

    @Test func tableAtWidth60CutsMoreColumns() {
        #expect(
            text(users.lines(width: 60)) == """
                id   email               tier     credits  note
                1    ann@example.org     mastery     1200  prefers to be ca…
                22   benjamin.of.the.l…  trial          7
                333  日本語@example.org  partner        0  ok
                """)
    }

    @Test func tableAtWidth20OmitsItsLastColumns() {
        var widths: [Int]?
        #expect(
            text(users.lines(width: 20, below: &widths)) == """
                id   email
                1    ann@example.org
                22   benjamin.of.th…
                333  日本語@example…
                """)
        #expect(users.hidden(widths) == ["tier", "credits", "note"])
    }

    @Test func tableOnATooNarrowScreenShowsEachRowAsLabelsWithValues() {
        let table = TextTable(
            columns: [.init("name", canShrink: false), .init("size", alignment: .right, canShrink: false)],
            rows: [["a long name that must stay", "12"], ["b", "3"]])
        #expect(
            text(table.lines(width: 32)) == """
                name                        size
                a long name that must stay    12
                b                              3
                """)
        #expect(
            text(table.lines(width: 31)) == """
                name  a long name that must
                      stay
                size  12

                name  b
                size  3
                """)
    }

    @Test(arguments: [20, 21, 33, 40, 47, 60, 79, 80, 99, 120, 160])
    func noLineOfATableIsWiderThanTheScreen(width: Int) {
        #expect(users.lines(width: width).allSatisfy { $0.width <= width })
    }

    @Test func tableThatFitsExactlyIsNotCut() {
        let table = TextTable(columns: [.init("a"), .init("b")], rows: [["123456789", "123456789"]])
        #expect(text(table.lines(width: 20)) == "a          b\n123456789  123456789")
        #expect(text(table.lines(width: 19)) == "a          b\n123456789  1234567…")
    }

    @Test func columnThatCannotShrinkIsNeverCut() {
        let table = TextTable(
            columns: [.init("key", canShrink: false), .init("value")],
            rows: [["0123456789abcdef", "the quick brown fox"]])
        #expect(text(table.lines(width: 30)) == "key               value\n0123456789abcdef  the quick b…")
    }

    @Test func headerOfATableIsDim() {
        let table = TextTable(columns: [.init("a"), .init("n", alignment: .right)], rows: [["x", "10"]])
        #expect(table.lines(width: nil) == [SafeText("a").dim + "   " + SafeText("n").dim, "x  10"])
    }

    @Test func cellsOfATableKeepTheirStyles() {
        let table = TextTable(columns: [.init("a"), .init("b")], rows: [[SafeText("x").red, SafeText("y").bold]])
        #expect(table.lines(width: nil).last == SafeText("x").red + "  " + SafeText("y").bold)
    }

    @Test func noLineOfATableEndsWithSpaces() {
        let table = TextTable(columns: [.init("a"), .init("b"), .init("c")], rows: [["x"], ["x", "", "z"], []])
        #expect(text(table.lines(width: nil)) == "a  b  c\nx\nx     z\n")
    }

    @Test func tableShowsANewlineInACellAsAnEscape() {
        let table = TextTable(columns: [.init("a")], rows: [[SafeText(multiline: "x\ny")]])
        #expect(text(table.lines(width: nil)) == "a\nx\\ny")
    }

    @Test func emptyTableShowsItsHeader() {
        let table = TextTable(columns: [.init("first", canShrink: false), .init("second", canShrink: false)])
        #expect(text(table.lines(width: 80)) == "first  second")
        #expect(text(table.lines(width: 8)) == "first  …")
        #expect(TextTable(columns: [], rows: [[]]).lines(width: 80).isEmpty)
    }

    @Test func laterRowsOfAStreamedTableKeepTheColumnWidths() {
        let columns: [TextTable.Column] = [.init("id"), .init("email"), .init("tier")]
        var above: [Int]?
        let first = TextTable(columns: columns, rows: [["1", "ann@example.org", "trial"]])
            .lines(width: 40, below: &above)
        let second = TextTable(columns: columns, rows: [["2", "b@c.org", "free"]]).lines(width: 40, below: &above)
        #expect(
            text(first + second) == """
                id  email            tier
                1   ann@example.org  trial
                2   b@c.org          free
                """)
    }

    @Test func streamedTableShowsLaterRowsAsLabelsWithValues() {
        let columns: [TextTable.Column] = [.init("id", canShrink: false), .init("email", canShrink: false)]
        var above: [Int]?
        let first = TextTable(columns: columns, rows: [["1", "ann@example.org"]]).lines(width: 18, below: &above)
        let second = TextTable(columns: columns, rows: [["2", "b@c.org"]]).lines(width: 18, below: &above)
        #expect(
            text(first + second) == """
                id
                  1
                email
                  ann@example.org

                id     2
                email  b@c.org
                """)
    }
}
