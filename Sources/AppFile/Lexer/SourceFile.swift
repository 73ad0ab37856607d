/// One app file as bytes, with its name for messages.
package final class SourceFile: Sendable, Hashable {
    package let name: String
    package let bytes: [UInt8]
    /// Where its bytes come from, when a schema was filled in.
    private let origin: Origin?

    /// A file of that name and content; a byte order mark at its beginning is no part of it.
    package convenience init(name: String, bytes: [UInt8]) { self.init(name: name, bytes: bytes, origin: nil) }

    init(name: String, bytes: [UInt8], origin: Origin?) {
        self.name = name
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.origin = origin
    }

    /// A file of that name and content.
    package convenience init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }

    /// The text of a range of bytes.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The file as somebody wrote it.
    package var asWritten: SourceFile { origin?.file ?? self }

    /// The line and column of a byte in the file as it was written, both counted from one, columns in characters.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        if let origin { return origin.file.position(of: origin.offset(of: offset)) }
        let end = min(offset, bytes.count)
        var line = 1
        var lineStart = 0
        for index in 0..<end where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        return (line, text(lineStart..<end).count + 1)
    }

    /// Where a text stands next behind a byte.
    func offset(of text: String, behind start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first else { return nil }
        var search = start
        while let next = bytes[min(search, bytes.count)...].firstIndex(of: first) {
            if bytes[next...].starts(with: wanted) { return next }
            search = next + 1
        }
        return nil
    }

    /// The whole line that a byte stands on in the file as it was written, without its end.
    package func line(around offset: Int) -> String {
        if let origin { return origin.file.line(around: origin.offset(of: offset)) }
        let at = min(offset, bytes.count)
        let start = bytes[..<at].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let isWindowsLine = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return text(start..<(isWindowsLine ? end - 1 : end))
    }

    /// What keeps the bytes from being text that Postgres takes: the first of it.
    var encodingProblems: [Diagnostic] {
        if String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) { return [] }
        var problems: [Diagnostic] = []
        var offset = 0
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        scan: while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error:
                problems.append(Diagnostic("this is no UTF-8 text", in: self, at: offset))
                break scan
            case .emptyInput: break scan
            }
        }
        if problems.isEmpty, let zero = bytes.firstIndex(of: 0) {
            problems.append(Diagnostic("a NUL byte stands here, which no text may hold", in: self, at: zero))
        }
        return problems
    }

    package static func == (a: SourceFile, b: SourceFile) -> Bool {
        a === b || (a.name == b.name && a.bytes == b.bytes)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
