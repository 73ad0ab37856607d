extension SafeText {
    /// On which side of its column a text stands.
    package enum Alignment: Sendable, Hashable {
        /// At the left, as text.
        case left
        /// At the right, as numbers.
        case right
    }

    /// A character with its style and the columns that it takes.
    struct Cell {
        var character: Character
        var style: Style
        var columns: Int
    }

    /// The columns that the text takes on a terminal; of several lines the widest counts.
    package var width: Int {
        var widest = 0
        var current = 0
        for run in runs {
            // Printable ASCII is counted without looking for grapheme clusters.
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

    /// The text filled with spaces to a width; a wider text stays as it is.
    package func padded(to width: Int, alignment: Alignment = .left) -> SafeText {
        let space = SafeText(trusted: String(repeating: " ", count: max(0, width - self.width)))
        return alignment == .left ? self + space : space + self
    }

    /// The text cut to a width, each line by itself, with a mark at the end of what was cut.
    package func cut(to width: Int, mark: SafeText = "…") -> SafeText {
        guard self.width > width else {
            return self
        }
        return lines.map { $0.width > width ? $0.cutLine(to: width, mark: mark) : $0 }.joined(separator: "\n")
    }

    /// The text on one line, newlines shown as `\n`.
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
