extension SafeText {
    /// The alignment of a text in its column.
    package enum Alignment: Sendable, Hashable {
        /// At the left, for text.
        case left
        /// At the right, for numbers.
        case right
    }

    /// A character with its style and width.
    struct Cell {
        var character: Character
        var style: Style
        var columns: Int
    }

    /// The width on a terminal; of several lines, the widest.
    package var width: Int {
        var widest = 0
        var current = 0
        for run in runs {
            // Printable ASCII is counted without splitting it into characters.
            guard !run.text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                current += run.text.utf8.count
                continue
            }
            for character in run.text {
                if character == "\n" {
                    widest = max(widest, current)
                    current = 0
                } else {
                    current += character.columns
                }
            }
        }
        return max(widest, current)
    }

    /// The text filled with spaces to a width; a wider text stays unchanged.
    package func padded(to width: Int, alignment: Alignment = .left) -> SafeText {
        let space = SafeText(trusted: String(repeating: " ", count: max(0, width - self.width)))
        return alignment == .left ? self + space : space + self
    }

    /// The text cut to a width, line by line, with a mark at the end of a cut line.
    package func cut(to width: Int, mark: SafeText = "…") -> SafeText {
        guard self.width > width else {
            return self
        }
        return lines.map { $0.width > width ? $0.cutLine(to: width, mark: mark) : $0 }.joined(separator: "\n")
    }

    /// The text on one line, with newlines as `\n`.
    var onOneLine: SafeText {
        runs.contains { $0.text.contains("\n") } ? lines.joined(separator: "\\n") : self
    }

    /// The characters one by one.
    var cells: [Cell] {
        runs.flatMap { run in
            run.text.map { Cell(character: $0, style: run.style, columns: $0.columns) }
        }
    }

    init(cells: some Sequence<Cell>) {
        self.init()
        for cell in cells {
            append(String(cell.character), cell.style)
        }
    }

    private func cutLine(to width: Int, mark: SafeText) -> SafeText {
        let mark = mark.width <= width ? mark : SafeText()
        var room = width - mark.width
        let kept = cells.prefix { cell in
            room -= cell.columns
            return room >= 0
        }
        return SafeText(cells: kept) + mark
    }
}
