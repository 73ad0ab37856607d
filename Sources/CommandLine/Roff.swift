/// Writes the markup of man pages.
struct Roff {
    private(set) var text = ""

    /// Adds a macro line; its arguments are quoted and escaped.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += ([".\(name)"] + arguments.map { "\"\(Self.escape($0))\"" }).joined(separator: " ") + "\n"
    }

    /// Adds a line of text in which backticks mark what is typed.
    mutating func line(_ line: String) {
        text += Self.marked(line) + "\n"
    }

    /// Adds a line of text in bold.
    mutating func bold(_ line: String) {
        text += "\\fB\(Self.escape(line))\\fR\n"
    }

    /// Adds lines that keep their breaks.
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
        // A tag without a text would take the next macro for its text.
        if lines.isEmpty { line("\u{a0}") }
    }

    /// Text with all that means something to roff escaped, on one line.
    ///
    /// The ASCII marks are escaped too, since roff would print typographic ones that cannot be pasted into a shell.
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

    /// A line that cannot be taken for a macro.
    private static func guarded(_ line: String) -> String {
        line.unicodeScalars.first == "." ? "\\&\(line)" : line
    }
}
