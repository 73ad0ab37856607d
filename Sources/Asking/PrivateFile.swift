import Glibc

/// A new file that only its owner can read.
///
/// Until the file is complete, its name has the suffix `.part`.
package final class PrivateFile {
    package let path: String
    package private(set) var descriptor: Int32
    private let partial: String
    private var isKept = false

    /// Creates the file; an existing file is never overwritten.
    package init(_ path: String) throws(Failure) {
        try Self.requireNone(at: path)
        self.path = path
        partial = path + ".part"
        descriptor = unsafe open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(code: errno).failure(partial, kind: .failed, deed: "create") }
    }

    deinit { discard() }

    /// Throws if there is a file at the path already.
    package static func requireNone(at path: String) throws(Failure) {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else {
            throw FileError(code: EEXIST).failure(path, kind: .failed, deed: "create")
        }
    }

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

    /// Syncs the file to disk and gives the file its final name; without a later `close`, `deinit` removes the file.
    package func keep() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw failure() }
        guard unsafe link(partial, path) == 0 else { throw failure() }
        _ = unsafe unlink(partial)
        isKept = true
        let slash = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        let folder = unsafe open(String(slash), O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            _ = Glibc.close(folder)
        }
    }

    package func close() throws(Failure) {
        if !isKept { try keep() }
        let isWhole = Glibc.close(descriptor) == 0
        descriptor = -1
        if !isWhole { throw failure() }
    }

    package func discard() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
        _ = unsafe unlink(isKept ? path : partial)
    }

    private func failure() -> Failure { FileError(code: errno).failure(path, kind: .failed, deed: "write") }
}
