import Glibc
internal import PQ

package struct FileError: Error {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// True if the path leads to a pipe, a device or a folder instead of a regular file.
    package var isOfOtherKind: Bool { code == EINVAL }
    package var isMissing: Bool { code == ENOENT }

    package func failure(_ path: String, kind: Failure.Kind = .usage, deed: String = "read") -> Failure {
        code == EINTR
            ? Failure(.interrupted, "interrupted")
            : Failure(
                kind, "can't \(deed) \(path): \(unsafe String(cString: strerror(code)))",
                hint: code == EEXIST ? "choose the name of a new file" : nil)
    }
}

/// Reads a text file that the operator chose; `-` is standard input.
package func readChosenFile(_ path: String) throws(Failure) -> [UInt8] {
    do throws(FileError) { return try readFile(path) } catch { throw error.failure(path) }
}

/// Reads the bytes of a text file; `-` is standard input.
///
/// With `isRegular`, usher rejects pipes and devices, because reading them may never end.
package func readFile(_ path: String, isRegular: Bool = false) throws(FileError) -> [UInt8] {
    // Without `O_NONBLOCK`, opening a pipe would wait for a writer.
    let flags = O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0)
    let descriptor = unsafe path == "-" && !isRegular ? STDIN_FILENO : open(path, flags)
    guard descriptor >= 0 else { throw FileError(code: errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    if isRegular {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(code: EINVAL)
        }
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        // Ctrl-C stops the reading, because the operator may be typing the text; other signals don't.
        if count < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
        guard count >= 0 else { throw FileError(code: errno) }
        if count == 0 { return bytes }
        let read = buffer[..<count]
        // A text file contains no NUL byte. usher stops at the first NUL, because /dev/zero never ends.
        if let nul = read.firstIndex(of: 0) { return bytes + read[...nul] }
        bytes += read
    }
}
