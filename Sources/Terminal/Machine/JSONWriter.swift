/// Writes JSON one value after the other, so that a report of any size needs little memory.
///
/// The writer escapes all hidden characters, so that the JSON text is safe on a terminal.
package struct JSONWriter: Sendable {
    private struct Level {
        var isObject: Bool
        var isEmpty = true
    }

    /// The bytes that `drain` has not passed on yet.
    package private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var levels: [Level] = []
    private var followsKey = false

    /// Creates a writer without a value; its output is indented by two spaces, or on one line.
    package init(pretty: Bool = false) {
        self.pretty = pretty
    }

    package mutating func beginObject() {
        begin(isObject: true)
    }

    package mutating func beginArray() {
        begin(isObject: false)
    }

    package mutating func key(_ name: String) { key(quoted: Self.quoted(name)) }

    /// Writes the name of a field, already quoted, before its value.
    package mutating func key(quoted name: [UInt8]) {
        separate()
        bytes.append(contentsOf: name)
        bytes.append(UInt8(ascii: ":"))
        if pretty { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    /// The quoted name, computed once for a name that is used many times.
    package static func quoted(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendQuotedJSON(name)
        return bytes
    }

    package mutating func string(_ text: String) {
        separate()
        bytes.appendQuotedJSON(text)
    }

    /// Writes a string by its bytes, most of which need no escape.
    package mutating func string(_ span: borrowing Span<UInt8>) {
        guard Self.isPlain(span) else { return string(String(span)) }
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(span)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func number(_ span: borrowing Span<UInt8>) {
        guard JSONNumber.isSmall(span) else { return number(String(span)) }
        separate()
        bytes.append(span)
    }

    /// Writes valid JSON text on one line.
    package mutating func raw(_ span: borrowing Span<UInt8>) {
        separate()
        bytes.appendEscapedJSON(span)
    }

    private static func isPlain(_ span: borrowing Span<UInt8>) -> Bool {
        for index in span.indices {
            let byte = span[index]
            if byte < 0x20 || byte > 0x7E || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
        }
        return true
    }

    /// Writes a number from its text.
    ///
    /// Values that aren't JSON numbers (`NaN`, `Infinity`), and whole numbers beyond 2^53, which JavaScript and jq
    /// would round, become strings.
    package mutating func number(_ text: String) {
        separate()
        bytes.appendNumber(text)
    }

    package mutating func bool(_ flag: Bool) {
        separate()
        append(flag ? "true" : "false")
    }

    package mutating func null() {
        separate()
        append("null")
    }

    package mutating func endLine() {
        append("\n")
    }

    /// Passes the bytes to `receive`, and empties the buffer, whose memory is reused.
    package mutating func drain(to receive: ([UInt8]) -> Void) {
        receive(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func begin(isObject: Bool) {
        separate()
        append(isObject ? "{" : "[")
        levels.append(Level(isObject: isObject))
    }

    /// Ends the current object or array.
    package mutating func end() {
        guard let level = levels.popLast() else {
            return
        }
        if !level.isEmpty {
            breakLine()
        }
        append(level.isObject ? "}" : "]")
    }

    /// Writes the separator between the previous value and the next value.
    private mutating func separate() {
        guard !followsKey else {
            followsKey = false
            return
        }
        guard let last = levels.indices.last else {
            return
        }
        if levels[last].isEmpty {
            levels[last].isEmpty = false
        } else {
            bytes.append(UInt8(ascii: ","))
        }
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
