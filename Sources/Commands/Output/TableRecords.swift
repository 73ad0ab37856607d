import PQ
import Terminal

/// A table for people, in chunks, so that a long one begins before it ends.
final class TableRecords: RecordFormat {
    private let screen: any Screen
    private let text: ScreenText
    /// The columns that are never cut, since half a key finds nobody.
    private let whole: Set<String>
    /// True if of an id eight digits are shown; columns that somebody picked are shown whole.
    private let hasShortIDs: Bool
    private var columns: [Column] = []
    /// Those with an address in them.
    private var addressed: Set<Int> = []
    private var rows: [[SafeText]] = []
    /// The widths of the columns of what is written already.
    private var widths: [Int]?
    private(set) var warning: SafeText?

    /// Rows that are collected before the widths of the columns are settled.
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

    func flush() { print() }

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

/// The key of each record, one a line.
final class KeyRecords: RecordFormat {
    private let screen: any Screen

    init(_ screen: any Screen) { self.screen = screen }

    func write(_ values: [Value], key: Value) { screen.write(SafeText(MachineText.of(key) ?? "")) }
}

extension TextTable {
    /// Rows whose first column may be a key; no key and no email is cut, and of an id that is a uuid eight digits are shown.
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
    /// The first eight digits of a uuid; any other text as it is.
    var short: String {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        let isUUID = parts.map(\.count) == [8, 4, 4, 4, 12] && allSatisfy { $0.isHexDigit || $0 == "-" }
        return isUUID ? String(parts[0]) : self
    }
}

extension Value {
    /// A uuid as people see it: as much of it as every command takes for the whole.
    var shortened: Value { type == .uuid ? Value(text?.short) : self }

    /// True if it has the form of an address: half of one finds nobody.
    fileprivate var isAddress: Bool {
        guard let text, text.utf8.count < 255, text.utf8.contains(UInt8(ascii: "@")) else { return false }
        return !text.contains(where: \.isWhitespace)
    }
}

extension TextTable.Column {
    init(_ column: Column, isWhole: Bool = false, isAddress: Bool = false) {
        // Half a time or half a number says something else.
        let isWhole = isWhole || column.type.isNumber || column.type.isInstant || column.type == .uuid
        self.init(
            SafeText(column.name), alignment: column.type.isNumber ? .right : .left, canShrink: !isWhole,
            least: isAddress ? Self.leastOfEmail : 8)
    }

    /// As much of an email as tells most users apart.
    private static let leastOfEmail = 24
}
