package import Asking
internal import Glibc

extension Survey {
    /// Appends proposals to an app file, which may be new, but for those that stand there; gives how many lines it wrote.
    @discardableResult package static func append(_ block: String, to path: String) throws(Failure) -> Int {
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
        var standing = [UInt8](repeating: 0, count: max(0, Int(status.st_size)))
        let read = unsafe standing.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        guard read >= 0 else { throw failure(.read) }
        let (missing, written) = missing(of: block, in: String(decoding: standing.prefix(read), as: UTF8.self))
        if missing.isEmpty { return 0 }
        let gap = read == 0 ? "" : standing[read - 1] == UInt8(ascii: "\n") ? "\n" : "\n\n"
        let bytes = Array((gap + missing).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(.written) }
            sent += count
        }
        return written
    }

    /// A block without the lines that a file has, whatever reason it gives there, and how many are left.
    private static func missing(of block: String, in file: String) -> (text: String, lines: Int) {
        func title(_ line: Substring) -> Substring { line.firstRange(of: ": ").map { line[..<$0.lowerBound] } ?? line }
        let titles = Set(file.split(separator: "\n").map(title))
        let all = block.split(separator: "\n")
        let missing = all.dropFirst().filter { !titles.contains(title($0)) }
        if missing.isEmpty { return ("", 0) }
        let written = missing.filter { $0.hasPrefix("-- @") }.count
        return ((all.prefix(1) + missing).joined(separator: "\n") + "\n", written)
    }
}
