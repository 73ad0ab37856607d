/// Text that is safe for a screen: only this type can be written to one.
///
/// It is made from untrusted text, whose control, direction and invisible characters become visible (`\u{1B}`), or from
/// literals of this program. Styles are separate from characters, so that color is decided when the text is written.
package struct SafeText: Sendable, Hashable, CustomStringConvertible {
    /// Characters of one style.
    struct Run: Sendable, Hashable {
        var text: String
        var style: Style
    }

    /// Without empty runs or neighbours of the same style, so that equal texts are equal values.
    private(set) var runs: [Run] = []

    /// Creates an empty text.
    package init() {}

    /// Creates a text of one line from untrusted characters; a newline becomes `\n`, a tab `\t`.
    package init(_ untrusted: some StringProtocol) {
        self.init(trusted: VisibleText.of(untrusted, keepingLines: false))
    }

    /// Creates a text from untrusted characters with its lines; a tab becomes four spaces.
    package init(multiline untrusted: some StringProtocol) {
        self.init(trusted: VisibleText.of(untrusted, keepingLines: true))
    }

    /// Repeats a text.
    package init(repeating text: SafeText, count: Int) {
        for _ in 0..<max(0, count) {
            self += text
        }
    }

    /// Creates a text from characters that this module has made or checked.
    init(trusted text: String, style: Style = []) {
        append(text, style)
    }

    /// The characters without any style.
    package var description: String {
        runs.count == 1 ? runs[0].text : runs.reduce(into: "") { $0 += $1.text }
    }

    /// True if there is no character.
    package var isEmpty: Bool { runs.isEmpty }

    /// The lines of the text, without their newlines.
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

    /// Joins two texts, each keeping its styles.
    package static func + (left: SafeText, right: SafeText) -> SafeText {
        var sum = left
        sum += right
        return sum
    }

    /// Adds a text that keeps its styles.
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

    mutating func restyle(_ change: (Style) -> Style) {
        let old = runs
        runs = []
        for run in old {
            append(run.text, change(run.style))
        }
    }
}

extension Sequence where Element == SafeText {
    /// The texts in a row, with the separator between them.
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
