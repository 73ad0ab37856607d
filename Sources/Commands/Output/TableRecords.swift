import PQ
import Terminal

/// Writes a table for people in chunks, so that the first rows of a long table appear early.
final class TableRecords: RecordFormat {
    private let screen: any Screen
    private let text: ScreenText
    /// The columns that are never cut, because half a key is useless.
    private let whole: Set<String>
    /// True to show only eight digits of an id; with `--fields`, ids are shown in full.
    private let hasShortIDs: Bool
    private var columns: [Column] = []
    private var addressed: Set<Int> = []
    private var rows: [[SafeText]] = []
    private var widths: [Int]?
    private(set) var warning: SafeText?

    private static let chunk = 1000

    init(_ screen: any Screen, _ text: ScreenText, whole: Set<String>, hasShortIDs: Bool) {
        self.hasShortIDs = hasShortIDs
        self.screen = screen
        self.text = text
        self.whole = whole
    }

    func begin(_ columns: [Column]) { self.columns = columns }

    func write(_ values: [Value], key: Value) {
        if screen.widthLimit != nil { addressed.formUnion(values.indices.filter { values[$0].isAddress }) }
        rows.append(values.map { text.cell(hasShortIDs ? $0.shortened : $0) })
        if rows.count >= Self.chunk { print() }
    }

    func end() { print() }

    private func print() {
        guard !rows.isEmpty else { return }
        let table = TextTable(
            columns: columns.enumerated().map { index, column in
                TextTable.Column(
                    column, isWhole: whole.contains(column.name), isAddress: addressed.contains(index))
            }, rows: rows)
        screen.write(table.lines(width: screen.widthLimit, below: &widths))
        let hidden = table.hidden(widths).joined(separator: ", ")
        if !hidden.isEmpty { warning = "Columns left out: " + hidden + "; use a wider window or --fields." }
        rows = []
    }
}

/// Writes the key of each record, one per line.
final class KeyRecords: RecordFormat {
    private let screen: any Screen

    init(_ screen: any Screen) { self.screen = screen }

    func write(_ values: [Value], key: Value) { screen.write(SafeText(MachineText.of(key) ?? "")) }
}

extension TextTable {
    /// Creates a table of rows; with `hasKey`, the first column is a key.
    ///
    /// Keys are never cut, and a uuid is shown with eight digits.
    init(_ rows: Rows, _ text: ScreenText, hasKey: Bool = false) {
        self.init(
            columns: rows.columns.enumerated().map { index, column in
                Column(
                    column, isWhole: hasKey && index == 0, isAddress: rows.rows.contains { $0.values[index].isAddress })
            },
            rows: rows.rows.map { $0.values.map { text.cell($0.shortened) } })
    }
}

extension String {
    /// The first eight digits of a uuid; any other text unchanged.
    var short: String {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        let isUUID = parts.map(\.count) == [8, 4, 4, 4, 12] && allSatisfy { $0.isHexDigit || $0 == "-" }
        return isUUID ? String(parts[0]) : self
    }
}

extension Value {
    /// The first eight digits of a uuid, which every command accepts; other values unchanged.
    var shortened: Value { type == .uuid ? Value(text?.short) : self }

    /// True if the text looks like an email.
    fileprivate var isAddress: Bool {
        guard let text, text.utf8.count < 255, text.utf8.contains(UInt8(ascii: "@")) else { return false }
        return !text.contains(where: \.isWhitespace)
    }
}

extension TextTable.Column {
    init(_ column: Column, isWhole: Bool = false, isAddress: Bool = false) {
        // A cut time or number would look like another value.
        let isWhole = isWhole || column.type.isNumber || column.type.isInstant || column.type == .uuid
        self.init(
            SafeText(column.name), alignment: column.type.isNumber ? .right : .left, canShrink: !isWhole,
            least: isAddress ? Self.leastOfEmail : 8)
    }

    /// The minimum width of emails, enough to distinguish most users.
    private static let leastOfEmail = 24
}
