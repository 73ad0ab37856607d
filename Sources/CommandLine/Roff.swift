/// Writes the markup of man pages.
struct Roff {
    private(set) var text = ""

    /// Adds a macro line; its arguments are quoted and escaped.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += ([".\(name)"] + arguments.map { "\"\(Self.escape($0))\"" }).joined(separator: " ") + "\n"
    }

    /// Adds a line of text with typed words in backticks.
    mutating func line(_ line: String) {
        text += Self.marked(line) + "\n"
    }

    /// Adds a line of text in bold.
    mutating func bold(_ line: String) {
        text += "\\fB\(Self.escape(line))\\fR\n"
    }

    /// Adds lines with their line breaks.
    mutating func literal(_ lines: [String]) {
        macro("PP")
        macro("EX")
        for line in lines { text += Self.guarded(Self.escape(line)) + "\n" }
        macro("EE")
    }

    /// Adds a tagged paragraph.
    mutating func entry(_ term: String, _ text: String) {
        macro("TP")
        bold(term)
        let lines = text.split(separator: "\n")
        for (index, piece) in lines.enumerated() {
            if index > 0 { macro("br") }
            line(String(piece))
        }
        // Without a text, the tag would take the next macro as its text.
        if lines.isEmpty { line("\u{a0}") }
    }

    /// Text with everything escaped that means something to roff, on one line.
    ///
    /// ASCII quotes and dashes are escaped too, because roff would print typographic ones that a shell doesn't
    /// understand.
    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e".unicodeScalars
            case "-": escaped += "\\-".unicodeScalars
            case "'": escaped += "\\(aq".unicodeScalars
            case "`": escaped += "\\(ga".unicodeScalars
            case "\"": escaped += "\\(dq".unicodeScalars
            case "^": escaped += "\\(ha".unicodeScalars
            case "~": escaped += "\\(ti".unicodeScalars
            case "\n", "\r", "\t": escaped.append(" ")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Escaped text in which a pair of backticks becomes bold.
    private static func marked(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return guarded(escape(text)) }
        let pieces = parts.enumerated().map { index, part in
            index % 2 == 0 ? escape(String(part)) : "\\fB\(escape(String(part)))\\fR"
        }
        return guarded(pieces.joined())
    }

    /// A line that roff can't mistake for a macro.
    private static func guarded(_ line: String) -> String {
        line.unicodeScalars.first == "." ? "\\&\(line)" : line
    }
}
