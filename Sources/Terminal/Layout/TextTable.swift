/// Rows of cells under a dim header, two spaces between the columns.
package struct TextTable: Sendable {
    package struct Column: Sendable, Hashable {
        package var title: SafeText
        /// The alignment of the cells; numbers are right-aligned.
        package var alignment: SafeText.Alignment
        /// True if cells can be cut on a narrow screen.
        package var canShrink: Bool

        package var least: Int

        package init(
            _ title: SafeText, alignment: SafeText.Alignment = .left, canShrink: Bool = true, least: Int = 8
        ) {
            self.least = least
            self.title = title
            self.alignment = alignment
            self.canShrink = canShrink
        }
    }

    private static let gap: SafeText = "  "
    package var columns: [Column]
    /// The rows from top to bottom; missing cells are empty.
    package var rows: [[SafeText]]

    package init(columns: [Column], rows: [[SafeText]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines of the table; with a nil width, no cell is cut.
    ///
    /// The widest columns are cut first. If the table is still too wide, the last columns are left out, all but two. If
    /// two columns don't fit either, each row becomes a record of `title value` lines, with a blank line between records.
    package func lines(width limit: Int?) -> [SafeText] {
        var above: [Int]?
        return lines(width: limit, below: &above)
    }

    package func hidden(_ widths: [Int]?) -> [SafeText] {
        columns.dropFirst(widths?.count ?? columns.count).map(\.title)
    }

    /// The lines of later rows, with the column widths of the rows `above` if the later rows fit.
    ///
    /// If `above` is nil, the lines begin with a header.
    package func lines(width limit: Int?, below above: inout [Int]?) -> [SafeText] {
        guard !columns.isEmpty else {
            return []
        }
        if let shown = above?.count, shown < columns.count {
            return first(shown).lines(width: limit, below: &above)
        }
        let cells = rows.map { row in columns.indices.map { $0 < row.count ? row[$0].onOneLine : SafeText() } }
        let natural = columns.indices.map { index in
            cells.reduce(max(columns[index].title.width, above?[index] ?? 0)) { max($0, $1[index].width) }
        }
        let isFirst = above == nil
        let fitting = limit.map { widths(from: natural, limit: $0) } ?? natural
        if fitting == nil, isFirst, let shown = (2..<columns.count).last(where: { first($0).fits(limit ?? 0) }) {
            return first(shown).lines(width: limit, below: &above)
        }
        // If these rows don't fit, `above` gets widths that are too large, so that later rows become records, too.
        above = fitting ?? natural
        if let fitting { return (isFirst ? [head(fitting)] : []) + cells.map { line(of: $0, widths: fitting) } }
        let limit = limit ?? 0
        if rows.isEmpty { return isFirst ? [head(natural).cut(to: limit)] : [] }
        return (isFirst ? [] : [SafeText()]) + records(width: limit)
    }

    private func first(_ count: Int) -> TextTable {
        TextTable(columns: Array(columns.prefix(count)), rows: rows.map { Array($0.prefix(count)) })
    }

    private func fits(_ limit: Int) -> Bool {
        let natural = columns.indices.map { index in
            rows.reduce(columns[index].title.width) { $1.count > index ? max($0, $1[index].onOneLine.width) : $0 }
        }
        return widths(from: natural, limit: limit) != nil
    }

    private func head(_ widths: [Int]) -> SafeText { line(of: columns.map(\.title.dim), widths: widths) }

    private func line(of cells: [SafeText], widths: [Int]) -> SafeText {
        var line = SafeText()
        var owed = 0  // spaces that are written only if text follows them
        for (index, cell) in cells.enumerated() {
            let text = cell.cut(to: widths[index])
            let fill = widths[index] - text.width
            let before = columns[index].alignment == .right ? fill : 0
            if !text.isEmpty {
                line += SafeText(trusted: String(repeating: " ", count: owed + before)) + text
                owed = fill - before
            } else {
                owed += fill
            }
            owed += Self.gap.width
        }
        return line
    }

    private func widths(from natural: [Int], limit: Int) -> [Int]? {
        let room = limit - Self.gap.width * (columns.count - 1)
        let least = columns.indices.map { index in
            columns[index].canShrink
                ? min(natural[index], max(columns[index].title.width, columns[index].least)) : natural[index]
        }
        guard least.reduce(0, +) <= room else {
            return nil
        }
        // Lowers the limit for all columns until the table fits, so that only the widest columns are cut.
        var widths = natural
        var level = min(room, natural.max() ?? 0)
        while widths.reduce(0, +) > room {
            widths = columns.indices.map { max(least[$0], min(natural[$0], level)) }
            level -= 1
        }
        var spare = room - widths.reduce(0, +)
        for index in widths.indices where widths[index] < natural[index] && spare > 0 {
            widths[index] += 1
            spare -= 1
        }
        return widths
    }

    private func records(width limit: Int) -> [SafeText] {
        let records = rows.map { row in
            KeyValueList(zip(columns, row).map { ($0.title, $1) }).lines(width: limit)
        }
        return Array(records.joined(separator: [SafeText()]))
    }
}
