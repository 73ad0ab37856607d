import Asking
import Glibc
import PQ

/// Reads a file line by line; unlike `readLine`, it stops waiting after Ctrl-C.
package struct InputLines {
    package struct Line {
        package let text: String
        /// True if the line is UTF-8 and not too long; usher never runs other lines.
        let isText: Bool
    }

    /// The maximum length of a line, and the length to which an error cuts a longer line.
    private static let (mostBytes, shownBytes) = (1 << 20, 80)

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var hasEnded = false
    private var isFirst = true

    /// The lines of an open file; standard input by default.
    package init(_ descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    /// The next line; nil at the end of the input.
    package mutating func next() -> Line? {
        while !hasEnded {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return line(buffer[..<end])
            }
            if buffer.count > Self.mostBytes {
                // The rest of the input begins in the middle of a line, so usher ignores it.
                defer { (buffer, hasEnded) = ([], true) }
                return Line(text: String(decoding: buffer[..<Self.shownBytes], as: UTF8.self), isText: false)
            }
            hasEnded = !fill()
        }
        if buffer.isEmpty || Cancellation.interrupt.isRequested { return nil }
        defer { buffer = [] }
        return line(buffer[...])
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            // The wait has short steps, because a signal right before `poll` doesn't interrupt `poll`.
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while unsafe poll(&ready, 1, 100) <= 0, !Cancellation.interrupt.isRequested {}
            if Cancellation.interrupt.isRequested { return false }
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
            guard count > 0 else { return false }
            buffer += chunk[..<count]
            return true
        }
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) -> Line {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if isFirst, bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(Self.byteOrderMark.count) }
        isFirst = false
        let text = String(validating: bytes, as: UTF8.self)
        return Line(text: text ?? String(decoding: bytes, as: UTF8.self), isText: text != nil)
    }

    /// The byte order mark, which some editors write before the text.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// Reads a whole text without its byte order mark; throws `noText` for a NUL byte and for bytes that are not UTF-8.
func readText(_ path: String, noText: Failure) throws(Failure) -> String {
    let bytes = try readChosenFile(path)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw noText }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
}
