import Glibc
internal import PQ

/// Why a file could not be read.
package struct FileError: Error {
    let code: Int32

    package init(code: Int32) { self.code = code }

    /// The failure of a command that needs the file.
    package func failure(_ path: String) -> Failure {
        Failure(code == EINTR ? AskingRefusal.interrupted : .unreadable(path: path, code: code))
    }
}

/// The bytes of a file of text; `-` is standard input.
package func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(code: errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        // Whoever presses Ctrl-C no longer wants to type the rest; any other signal means nothing here.
        if count < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
        guard count >= 0 else { throw FileError(code: errno) }
        if count == 0 { return bytes }
        let read = buffer[..<count]
        // No text holds it, so the rest says no more; and a device of them has no end.
        if let nul = read.firstIndex(of: 0) { return bytes + read[...nul] }
        bytes += read
    }
}
