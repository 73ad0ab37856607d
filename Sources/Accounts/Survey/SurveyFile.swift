package import Asking
internal import Glibc

extension Survey {
    /// Appends proposals to an app file, which may be new.
    package static func append(_ block: String, to path: String) throws(Failure) {
        func failure(_ deed: AccountRefusal.FileDeed) -> Failure {
            Failure(AccountRefusal.file(path: path, deed, code: errno))
        }
        let descriptor = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard descriptor >= 0 else { throw failure(.opened) }
        defer { _ = Glibc.close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(.opened) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(AccountRefusal.noPlainFile(path: path))
        }
        var last: UInt8 = 0
        let read = unsafe pread(descriptor, &last, 1, max(0, status.st_size - 1))
        guard read >= 0 else { throw failure(.read) }
        let gap = read == 0 ? "" : last == UInt8(ascii: "\n") ? "\n" : "\n\n"
        let bytes = Array((gap + block).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(.written) }
            sent += count
        }
    }
}
