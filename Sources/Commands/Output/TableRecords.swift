import PQ
import Terminal

/// A table for people, in chunks, so that a long one begins before it ends.
final class TableRecords: RecordFormat {
    private let screen: any Screen
    private let text: ScreenText
    /// The columns that are never cut, since half a key finds nobody.
    private let whole: Set<String>
    private var columns: [Column] = []
    /// Those with an address in them.
    private var addressed: Set<Int> = []
    private var rows: [[SafeText]] = []
    /// The widths of the columns of what is written already.
    private var widths: [Int]?

    /// Rows that are collected before the widths of the columns are settled.
    private static let chunk = 1000

    init(_ screen: any Screen, _ text: ScreenText, whole: Set<String>) {
        self.screen = screen
        self.text = text
        self.whole = whole
    }

    func begin(_ columns: [Column]) { self.columns = columns }

    func write(_ values: [Value], key: Value) {
        if screen.widthLimit != nil { addressed.formUnion(values.indices.filter { values[$0].isAddress }) }
        rows.append(values.map { text.value($0) })
        if rows.count >= Self.chunk { print() }
    }

    func flush() { print() }

    func end() { print() }

    private func print() {
        guard !rows.isEmpty else { return }
        let table = TextTable(
            columns: columns.enumerated().map { index, column in
                TextTable.Column(column, isWhole: whole.contains(column.name) || addressed.contains(index))
            }, rows: rows)
        screen.write(table.lines(width: screen.widthLimit, below: &widths))
        rows = []
    }
}

/// The key of each record, one a line.
final class KeyRecords: RecordFormat {
    private let screen: any Screen

    init(_ screen: any Screen) { self.screen = screen }

    func write(_ values: [Value], key: Value) { screen.write(SafeText(MachineText.of(key) ?? "")) }
}

extension TextTable {
    /// Rows as they are, whose first column may be a key; no key and no address is cut.
    init(_ rows: Rows, _ text: ScreenText, hasKey: Bool = false) {
        self.init(
            columns: rows.columns.enumerated().map { index, column in
                Column(column, isWhole: hasKey && index == 0 || rows.rows.contains { $0.values[index].isAddress })
            },
            rows: rows.rows.map { $0.values.map { text.value($0) } })
    }
}

extension Value {
    /// Whether it has the form of an address: half of one finds nobody.
    fileprivate var isAddress: Bool {
        guard let text, text.utf8.count < 255, text.utf8.contains(UInt8(ascii: "@")) else { return false }
        return !text.contains(where: \.isWhitespace)
    }
}

extension TextTable.Column {
    init(_ column: Column, isWhole: Bool = false) {
        // Half a time or half a number says something else.
        let isWhole = isWhole || column.type.isNumber || column.type.isInstant || column.type == .uuid
        self.init(SafeText(column.name), alignment: column.type.isNumber ? .right : .left, canShrink: !isWhole)
    }
}
