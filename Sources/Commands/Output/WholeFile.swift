import Asking
import Glibc

/// Replaces files atomically, so that a reader never sees a partly written file.
package enum WholeFile {
    /// Creates a folder that only its owner can read, and the missing folders above it.
    package static func makeFolder(_ path: String) {
        var part = ""
        for name in path.split(separator: "/") {
            part += "/" + name
            _ = unsafe mkdir(part, 0o700)
        }
    }

    /// Replaces a file, or creates it.
    ///
    /// An existing file keeps its mode unless `mode` is given; only the owner can read a new file.
    static func replace(_ path: String, with bytes: [UInt8], mode: mode_t? = nil) throws(Failure) {
        // A symbolic link stays, and its target is replaced.
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
        Failure(.failed, "can't write \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
