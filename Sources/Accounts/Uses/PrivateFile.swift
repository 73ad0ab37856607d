package import Asking
import Glibc

/// A new file that its owner alone may read; it goes again unless it is closed.
package final class PrivateFile {
    package let path: String
    private var descriptor: Int32

    /// Makes it; a file that is there already is never written over.
    package init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(AccountRefusal.file(path: path, .made, code: errno))
        }
    }

    deinit { discard() }

    /// Writes all of the bytes.
    package func write(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            sent += count
        }
    }

    /// Sees to it that the bytes outlive a power failure.
    package func sync() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    /// Keeps the file.
    package func close() throws(Failure) {
        let isWhole = fsync(descriptor) == 0 && Glibc.close(descriptor) == 0
        descriptor = -1
        if !isWhole { throw failure() }
    }

    /// Removes the file, unless it was kept.
    package func discard() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
        _ = unsafe unlink(path)
    }

    private func failure() -> Failure {
        Failure(AccountRefusal.file(path: path, .written, code: errno))
    }
}
