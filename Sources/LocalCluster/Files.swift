import Glibc

/// The few things done to files, none of which follows a symbolic link at the last step.
enum Files {
    /// The text of a small file, or nil.
    static func text(_ path: String, limit: Int = 1 << 16) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return String(decoding: readAll(descriptor, limit: limit), as: UTF8.self)
    }

    /// The last lines of a file, up to 4 KiB; empty when there is none.
    static func tail(_ path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let window = 4096
        let cut = lseek(descriptor, off_t(-window), SEEK_END) > 0
        // A file shorter than the window refuses that seek and is read from its start.
        let lines = String(decoding: readAll(descriptor, limit: window), as: UTF8.self).split(separator: "\n")
        return lines.dropFirst(cut ? 1 : 0).suffix(20).joined(separator: "\n")
    }

    /// Everything up to the end or `limit` bytes.
    static func readAll(_ descriptor: Int32, limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return Array(bytes.prefix(limit))
    }

    /// Writes a file as one whole: a reader sees the old text or the new, never a part.
    static func write(_ text: String, to path: String) throws(ClusterError) {
        let draft = path + ".new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system(call: "open", path: draft, code: errno) }
        let bytes = Array(text.utf8)
        let written = unsafe Glibc.write(descriptor, bytes, bytes.count)
        let code = errno
        close(descriptor)
        guard written == bytes.count else { throw .system(call: "write", path: draft, code: code) }
        // The umask may have taken the server's user the right to read it.
        guard unsafe chmod(draft, 0o644) == 0, unsafe rename(draft, path) == 0 else {
            throw .system(call: "rename", path: path, code: errno)
        }
    }

    /// Makes an empty file if there is none.
    static func touch(_ path: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// The server keeps ten descriptors for itself, starts with no fewer than 48 more, and has sockets and pipes besides.
    private static let neededDescriptors = 80

    /// Raises the limit as far as a server needs it, or refuses: a server says why it does not start in a log at best.
    static func requireDescriptors() throws(ClusterError) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(neededDescriptors)
        else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(neededDescriptors))
        guard limit.rlim_cur == rlim_t(neededDescriptors),
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        else { throw .tooFewDescriptors(Int(limit.rlim_cur), needed: neededDescriptors) }
    }

    /// Whether something has this name, a dangling link included.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether this user may run it, or enter it if it is a folder.
    static func isExecutable(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0
    }

    /// The path with every link resolved, or nil.
    static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// The names in a folder; none when it cannot be read.
    static func names(in folder: String) -> [String] {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        return entries(of: descriptor).map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) }
    }

    /// The names in an open folder, as bytes and without a terminator; closes the descriptor.
    static func entries(of descriptor: Int32) -> [[CChar]] {
        guard let stream = unsafe fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [[CChar]] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            }
            if name != [46], name != [46, 46] { names.append(name) }
        }
        return names
    }
}
