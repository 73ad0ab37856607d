package import Asking
import Glibc

/// A new file that only its owner can read.
///
/// The file gets its name only when it is complete. If the program ends earlier, an unnamed file disappears.
package final class PrivateFile {
    package let path: String
    private(set) var descriptor: Int32
    /// The temporary name of the file, for file systems without unnamed files.
    private var passing: String?
    private var isKept = false

    /// Creates the file; an existing file is never overwritten.
    ///
    /// With `isNamed`, and on file systems without unnamed files, the file has the suffix `.part` until `keep`.
    package init(_ path: String, isNamed: Bool = false) throws(Failure) {
        self.path = path
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else {
            throw Failure(file: path, "created", code: EEXIST)
        }
        let folder = Self.folder(of: path)
        descriptor = isNamed ? -1 : unsafe open(folder, Self.unnamed | O_RDWR | O_CLOEXEC, 0o600)
        if isNamed || descriptor < 0 && [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) {
            let name = path + ".part"
            passing = name
            descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else {
            throw Failure(file: passing ?? path, "created", code: errno)
        }
    }

    deinit { discard() }

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

    /// Names the file and syncs it to disk; without a later `close`, `deinit` removes the file.
    package func keep() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw failure() }
        if let passing {
            guard unsafe link(passing, path) == 0 else { throw failure() }
            _ = unsafe unlink(passing)
            self.passing = nil
        } else {
            let linked = unsafe linkat(
                AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
            guard linked == 0 else { throw failure() }
        }
        isKept = true
        let folder = unsafe open(Self.folder(of: path), O_RDONLY | O_CLOEXEC)
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
        if let name = isKept ? path : passing { _ = unsafe unlink(name) }
    }

    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func failure() -> Failure {
        Failure(file: path, "written", code: errno)
    }
}
