/// Text that is safe for a screen: a screen accepts only this type.
///
/// A safe text comes from untrusted text, whose control, direction and invisible characters become visible (`\u{1B}`), or
/// from literals of this program. Styles are separate from characters, so that color is decided when the text is written.
package struct SafeText: Sendable, Hashable, CustomStringConvertible {
    struct Run: Sendable, Hashable {
        var text: String
        var style: Style
    }

    /// The runs of the text.
    ///
    /// No run is empty and neighbours differ in style, so that equal texts are equal values.
    private(set) var runs: [Run] = []

    package init() {}

    /// Creates a text of one line from untrusted characters; a newline becomes `\n`, a tab `\t`.
    package init(_ untrusted: some StringProtocol) {
        self.init(trusted: VisibleText.of(untrusted, keepingLines: false))
    }

    /// Creates a text from untrusted characters with its lines; a tab becomes four spaces.
    package init(multiline untrusted: some StringProtocol) {
        self.init(trusted: VisibleText.of(untrusted, keepingLines: true))
    }

    package init(repeating text: SafeText, count: Int) {
        for _ in 0..<max(0, count) {
            self += text
        }
    }

    /// Creates a text from characters that this module has made or checked.
    init(trusted text: String, style: Style = []) {
        append(text, style)
    }

    package var description: String {
        runs.count == 1 ? runs[0].text : runs.reduce(into: "") { $0 += $1.text }
    }

    package var isEmpty: Bool { runs.isEmpty }

    package var lines: [SafeText] {
        var lines = [SafeText()]
        for run in runs {
            // A newline is a byte of its own in a safe text.
            let parts = run.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 {
                    lines.append(SafeText())
                }
                lines[lines.count - 1].append(String(Substring(part)), run.style)
            }
        }
        return lines
    }

    package static func + (left: SafeText, right: SafeText) -> SafeText {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout SafeText, right: SafeText) {
        for run in right.runs {
            left.append(run.text, run.style)
        }
    }

    mutating func append(_ text: String, _ style: Style) {
        guard !text.isEmpty else {
            return
        }
        if let last = runs.indices.last, runs[last].style == style {
            runs[last].text += text
        } else {
            runs.append(Run(text: text, style: style))
        }
    }
}

extension Sequence where Element == SafeText {
    package func joined(separator: SafeText = "") -> SafeText {
        var result = SafeText()
        for (index, text) in enumerated() {
            if index > 0 {
                result += separator
            }
            result += text
        }
        return result
    }
}

extension SafeText: ExpressibleByStringInterpolation {
    /// Creates a text from a literal of this program, unchanged.
    ///
    /// The argument is a `StaticString`, so that a computed value can't be passed as a literal.
    package init(stringLiteral literal: StaticString) {
        self.init(trusted: literal.description)
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.text
    }

    /// Collects a literal with values: hidden characters in strings become visible, safe texts keep their styles.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = SafeText()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) {
            text.append(literal.description, [])
        }

        package mutating func appendInterpolation(_ safe: SafeText) {
            text += safe
        }

        /// Adds untrusted characters, with hidden ones made visible.
        package mutating func appendInterpolation(_ untrusted: some StringProtocol) {
            text += SafeText(untrusted)
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            text.append(String(number), [])
        }
    }
}

extension SafeText {
    /// The style of characters on a screen with color.
    package struct Style: OptionSet, Sendable, Hashable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package static let bold = Style(rawValue: 1 << 0)
        package static let dim = Style(rawValue: 1 << 1)
        /// Text with foreground and background exchanged.
        package static let reversed = Style(rawValue: 1 << 3)
        package static let red = Style(rawValue: 1 << 4)
        package static let green = Style(rawValue: 1 << 5)
        package static let yellow = Style(rawValue: 1 << 6)
        package static let cyan = Style(rawValue: 1 << 7)

        /// Text that is never wrapped, because people paste it; the style is invisible.
        package static let whole = Style(rawValue: 1 << 8)

        var isPlain: Bool { subtracting(.whole).isEmpty }

        private static let colors: Style = [.red, .green, .yellow, .cyan]
        private static let codes: [(style: Style, code: String)] = [
            (.bold, "1"), (.dim, "2"), (.reversed, "7"),
            (.red, "31"), (.green, "32"), (.yellow, "33"), (.cyan, "36"),
        ]

        /// This style inside an outer style; the inner color replaces the outer color.
        func inside(_ outer: Style) -> Style {
            union(isDisjoint(with: Self.colors) ? outer : outer.subtracting(Self.colors))
        }

        /// The escape sequence that switches the style on.
        var sequence: String {
            let codes = Self.codes.filter { contains($0.style) }.map(\.code)
            return "\u{1B}[" + codes.joined(separator: ";") + "m"
        }
    }

    package func styled(_ style: Style) -> SafeText {
        runs.reduce(into: SafeText()) { $0.append($1.text, $1.style.inside(style)) }
    }

    /// The text with the style `whole`: a line is wrapped before the text, not inside.
    package var whole: SafeText { styled(.whole) }
    package var bold: SafeText { styled(.bold) }
    package var dim: SafeText { styled(.dim) }
    /// The text with foreground and background exchanged.
    package var reversed: SafeText { styled(.reversed) }
    package var red: SafeText { styled(.red) }
    package var green: SafeText { styled(.green) }
    package var yellow: SafeText { styled(.yellow) }
    package var cyan: SafeText { styled(.cyan) }

    /// The characters to write, with escape sequences for styles if color is wanted.
    package func rendered(color: Bool) -> String {
        guard color else {
            return description
        }
        var result = ""
        for run in runs {
            guard !run.style.isPlain else {
                result += run.text
                continue
            }
            // Pagers forget styles at the end of a line, so each line has its own escape sequences.
            for (index, part) in run.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                result += index > 0 ? "\n" : ""
                result += part.isEmpty ? "" : run.style.sequence + part + "\u{1B}[0m"
            }
        }
        return result
    }
}

extension SafeText {
    package enum Alignment: Sendable, Hashable {
        case left
        case right
    }

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
    package func cut(to width: Int) -> SafeText {
        guard self.width > width else {
            return self
        }
        return lines.map { $0.width > width ? $0.cutLine(to: width) : $0 }.joined(separator: "\n")
    }

    /// The text on one line, with newlines as `\n`.
    var onOneLine: SafeText {
        runs.contains { $0.text.contains("\n") } ? lines.joined(separator: "\\n") : self
    }

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

    private func cutLine(to width: Int) -> SafeText {
        let mark: SafeText = width > 0 ? "…" : ""
        var room = width - mark.width
        let kept = cells.prefix { cell in
            room -= cell.columns
            return room >= 0
        }
        return SafeText(cells: kept) + mark
    }
}

extension SafeText {
    /// The text wrapped to a width, between words if possible; one line without a width.
    ///
    /// Newlines in the text stay. Every line but the first begins with `indent` spaces.
    package func wrapped(to width: Int?, indent: Int = 0) -> [SafeText] {
        guard let width else { return [self] }
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

    private var limit: Int { lines.isEmpty ? first : others }

    mutating func append(paragraph: SafeText) {
        var rest = paragraph.cells[...]
        while let split = splitPoint(of: rest) {
            lines.append(rest[..<split].trimmingSpacesAtEnd)
            rest = rest[split...].drop { $0.character == " " }
        }
        lines.append(rest.trimmingSpacesAtEnd)
    }

    /// The start of the next line; nil if everything fits on this line.
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
        // usher doesn't wrap text with the style `whole`; the terminal wraps it.
        if cells[overflow].style.contains(.whole) {
            return cells[overflow...].firstIndex { $0.mayBreak }
        }
        // The word is longer than the line. Each line gets at least one character, however narrow the line is.
        let split = max(overflow, cells.startIndex + 1)
        return split < cells.endIndex ? split : nil
    }
}

extension SafeText.Cell {
    fileprivate var mayBreak: Bool { character == " " && !style.contains(.whole) }
}

extension ArraySlice<SafeText.Cell> {
    fileprivate var trimmingSpacesAtEnd: Self {
        let last = lastIndex { $0.character != " " }
        return last.map { self[...$0] } ?? []
    }
}
