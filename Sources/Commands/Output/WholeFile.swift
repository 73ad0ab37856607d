import Asking
import Glibc

/// Files that are replaced as a whole, so that nobody finds half of one.
enum WholeFile {
    /// Puts bytes in the place of a file, which keeps its mode unless one is given; a new one only its owner may read.
    static func replace(_ path: String, with bytes: [UInt8], mode: mode_t? = nil) throws(Failure) {
        // Who keeps such files elsewhere and links to them, goes on to do so.
        let target = unsafe realpath(path, nil).map { pointer in
            defer { unsafe free(pointer) }
            return unsafe String(cString: pointer)
        }
        let path = target ?? path
        var name = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        let temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var status = stat()
        let mode = unsafe mode ?? (stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0o600)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode) == 0,
            fsync(descriptor) == 0, unsafe rename(temporary, path) == 0
        else {
            let failure = failure(path)
            unsafe unlink(temporary)
            throw failure
        }
    }

    static func failure(_ path: String) -> Failure {
        Failure(.failed, "usher can't write \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
