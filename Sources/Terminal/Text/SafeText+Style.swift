extension SafeText {
    /// The style of characters on a screen with color.
    package struct Style: OptionSet, Sendable, Hashable {
        /// One bit for each property.
        package let rawValue: UInt16

        /// Creates a style from its bits.
        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Heavy strokes.
        package static let bold = Style(rawValue: 1 << 0)
        /// Pale strokes.
        package static let dim = Style(rawValue: 1 << 1)
        /// Foreground and background exchanged.
        package static let reversed = Style(rawValue: 1 << 3)
        /// The color of failure and danger.
        package static let red = Style(rawValue: 1 << 4)
        /// The color of success.
        package static let green = Style(rawValue: 1 << 5)
        /// The color of warnings.
        package static let yellow = Style(rawValue: 1 << 6)
        /// The color of names and headings.
        package static let cyan = Style(rawValue: 1 << 7)

        /// Text that is never wrapped, because people paste it; the style is invisible.
        package static let whole = Style(rawValue: 1 << 8)

        /// True if the style is invisible.
        var isPlain: Bool { subtracting(.whole).isEmpty }

        private static let colors: Style = [.red, .green, .yellow, .cyan]
        private static let codes: [(style: Style, code: String)] = [
            (.bold, "1"), (.dim, "2"), (.reversed, "7"),
            (.red, "31"), (.green, "32"), (.yellow, "33"), (.cyan, "36"),
        ]

        /// This style inside another; the inner color wins.
        func inside(_ outer: Style) -> Style {
            union(isDisjoint(with: Self.colors) ? outer : outer.subtracting(Self.colors))
        }

        /// The escape sequence that switches the style on.
        var sequence: String {
            let codes = Self.codes.filter { contains($0.style) }.map(\.code)
            return "\u{1B}[" + codes.joined(separator: ";") + "m"
        }
    }

    /// A text in a style.
    package static func styled(_ text: SafeText, _ style: Style) -> SafeText {
        text.styled(style)
    }

    /// The text with an additional style.
    package func styled(_ style: Style) -> SafeText {
        var result = self
        result.restyle { $0.inside(style) }
        return result
    }

    /// The text as one piece: lines are wrapped before it, not inside.
    package var whole: SafeText { styled(.whole) }
    /// The text in bold.
    package var bold: SafeText { styled(.bold) }
    /// The text in pale color.
    package var dim: SafeText { styled(.dim) }
    /// The text with foreground and background exchanged.
    package var reversed: SafeText { styled(.reversed) }
    /// The text in red.
    package var red: SafeText { styled(.red) }
    /// The text in green.
    package var green: SafeText { styled(.green) }
    /// The text in yellow.
    package var yellow: SafeText { styled(.yellow) }
    /// The text in cyan.
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
