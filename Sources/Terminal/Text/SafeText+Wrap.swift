extension SafeText {
    /// The text wrapped to a width, between words if possible.
    ///
    /// Newlines in the text stay. Every line but the first begins with `indent` spaces.
    package func wrapped(to width: Int, indent: Int = 0) -> [SafeText] {
        let margin = max(0, min(indent, width - 1))
        var wrapping = Wrapping(first: max(1, width), others: max(1, width - margin))
        for line in lines {
            wrapping.append(paragraph: line)
        }
        let space = SafeText(trusted: String(repeating: " ", count: margin))
        return wrapping.lines.enumerated().map { index, cells in
            let line = SafeText(cells: cells)
            return index == 0 || line.isEmpty ? line : space + line
        }
    }
}

/// Breaks paragraphs into lines of a width.
private struct Wrapping {
    var lines: [ArraySlice<SafeText.Cell>] = []
    let first: Int
    let others: Int

    init(first: Int, others: Int) {
        self.first = first
        self.others = others
    }

    private var limit: Int { lines.isEmpty ? first : others }

    mutating func append(paragraph: SafeText) {
        var rest = paragraph.cells[...]
        while let split = splitPoint(of: rest) {
            lines.append(rest[..<split].trimmingSpacesAtEnd)
            rest = rest[split...].drop { $0.character == " " }
        }
        lines.append(rest.trimmingSpacesAtEnd)
    }

    /// The start of the next line; nil if everything fits on this one.
    private func splitPoint(of cells: ArraySlice<SafeText.Cell>) -> Int? {
        var width = 0
        guard
            let overflow = cells.indices.first(where: { index in
                width += cells[index].columns
                return width > limit
            }), !cells[overflow...].allSatisfy({ $0.character == " " })
        else {
            return nil
        }
        let wordStart = cells[...overflow].lastIndex { $0.mayBreak }
        if let wordStart, cells[..<wordStart].contains(where: { $0.character != " " }) {
            return wordStart
        }
        // The terminal wraps text that is pasted as one piece.
        if cells[overflow].style.contains(.whole) {
            return cells[overflow...].firstIndex { $0.mayBreak }
        }
        // A word longer than the line; at least one character goes on it, however narrow it is.
        let split = max(overflow, cells.startIndex + 1)
        return split < cells.endIndex ? split : nil
    }
}

extension SafeText.Cell {
    /// True if a line may end before the cell.
    fileprivate var mayBreak: Bool { character == " " && !style.contains(.whole) }
}

extension ArraySlice<SafeText.Cell> {
    fileprivate var trimmingSpacesAtEnd: Self {
        let last = lastIndex { $0.character != " " }
        return last.map { self[...$0] } ?? []
    }
}
