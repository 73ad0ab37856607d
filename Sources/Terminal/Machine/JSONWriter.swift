/// Writes JSON piece by piece, so that a report of any size needs no more memory than its largest piece.
///
/// Whatever a screen would hide is escaped, so that JSON text may reach a terminal as it is.
package struct JSONWriter: Sendable {
    private struct Level {
        var isObject: Bool
        var isEmpty = true
    }

    /// The bytes written since they were last taken.
    package private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var levels: [Level] = []
    private var followsKey = false

    /// Starts without any value, on several lines with two spaces of indentation or all on one.
    package init(pretty: Bool = false) {
        self.pretty = pretty
    }

    /// Starts an object.
    package mutating func beginObject() {
        begin(isObject: true)
    }

    /// Ends the object.
    package mutating func endObject() {
        end()
    }

    /// Starts an array.
    package mutating func beginArray() {
        begin(isObject: false)
    }

    /// Ends the array.
    package mutating func endArray() {
        end()
    }

    /// Writes the name of the member whose value comes next.
    package mutating func key(_ name: String) {
        separate()
        bytes.appendQuotedJSON(name)
        append(pretty ? ": " : ":")
        followsKey = true
    }

    /// Writes characters.
    package mutating func string(_ text: String) {
        separate()
        bytes.appendQuotedJSON(text)
    }

    /// Writes a number from its text.
    ///
    /// What JSON has no number for (`NaN`, `Infinity`) and whole numbers beyond 2^53, which JavaScript and jq would
    /// round, are written as strings.
    package mutating func number(_ text: String) {
        separate()
        bytes.appendNumber(text)
    }

    /// Writes true or false.
    package mutating func bool(_ flag: Bool) {
        separate()
        append(flag ? "true" : "false")
    }

    /// Writes null.
    package mutating func null() {
        separate()
        append("null")
    }

    /// Writes JSON text that was validated elsewhere, on one line.
    package mutating func raw(_ text: String) {
        separate()
        bytes.appendEscapedJSON(text)
    }

    /// Writes a value.
    package mutating func value(_ value: JSON) {
        value.write(into: &self)
    }

    /// Ends the line after a whole document.
    package mutating func endLine() {
        append("\n")
    }

    /// The bytes written so far, which are forgotten here.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func begin(isObject: Bool) {
        separate()
        append(isObject ? "{" : "[")
        levels.append(Level(isObject: isObject))
    }

    private mutating func end() {
        guard let level = levels.popLast() else {
            return
        }
        if !level.isEmpty {
            breakLine()
        }
        append(level.isObject ? "}" : "]")
    }

    /// Writes what has to stand between the piece before and the piece that comes now.
    private mutating func separate() {
        guard !followsKey else {
            followsKey = false
            return
        }
        guard let last = levels.indices.last else {
            return
        }
        if !levels[last].isEmpty {
            append(",")
        }
        levels[last].isEmpty = false
        breakLine()
    }

    private mutating func breakLine() {
        if pretty {
            append("\n")
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * levels.count))
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
