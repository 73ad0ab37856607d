/// One app file as bytes, with its name for messages.
package final class SourceFile: Sendable, Hashable {
    package let name: String
    package let bytes: [UInt8]

    /// A file of that name and content.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// A file of that name and content.
    package convenience init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }

    /// The text of a range of bytes.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The line and column of a byte, both counted from one, columns in characters.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        let end = min(offset, bytes.count)
        var line = 1
        var lineStart = 0
        for index in 0..<end where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        return (line, text(lineStart..<end).count + 1)
    }

    /// The whole line that a byte stands on, without its end.
    package func line(around offset: Int) -> String {
        let at = min(offset, bytes.count)
        let start = bytes[..<at].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        return text(start..<end)
    }

    package static func == (a: SourceFile, b: SourceFile) -> Bool { a.name == b.name && a.bytes == b.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
