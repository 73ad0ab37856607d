import Glibc

/// The folder of a cluster: data, socket, log, and the file `owner` if the cluster is kept.
struct ClusterFolder: Sendable {
    let path: String

    private static let signature = "usher cluster 2\n"

    init(name: String, in preferred: String? = nil, account: SystemUser?) throws(ClusterError) {
        let parent = Self.parents(name: name, preferred: preferred, account: account).first ?? "/tmp"
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw .system(call: "mkdtemp", path: parent, code: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let (user, group) = (account?.user ?? geteuid(), account?.group ?? getegid())
        guard unsafe lchown(path, user, group) == 0 else {
            let code = errno
            remove()
            throw .system(call: "lchown", path: path, code: code)
        }
    }

    /// Marks the cluster as kept, so that it outlives this process, and `destroy` accepts it.
    func keep() throws(ClusterError) {
        let owner = unsafe open(path + "/owner", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard owner >= 0 else { throw .system(call: "open", path: path + "/owner", code: errno) }
        defer { close(owner) }
        let bytes = Array(Self.signature.utf8)
        guard unsafe write(owner, bytes, bytes.count) == bytes.count, fchmod(owner, 0o644) == 0 else {
            let code = errno
            // With an incomplete file, the server would stay, and `destroy` would refuse to remove it.
            unsafe unlink(path + "/owner")
            throw .system(call: "write", path: path + "/owner", code: code)
        }
    }

    func remove() { Self.clear(path) }

    static func parents(name: String, preferred: String? = nil, account: SystemUser?) -> [String] {
        let own = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        return [preferred, own, "/tmp"].compactMap { $0.flatMap(Files.resolved) }.filter { parent in
            // The path of a unix socket can have at most 107 bytes.
            guard parent.utf8.count + "/\(name)-XXXXXX/.s.PGSQL.5432".utf8.count <= 107 else { return false }
            // The server's user may have no access to the temporary folder of root.
            var status = stat()
            let isOpen = unsafe stat(parent, &status) == 0 && status.st_mode & S_IXOTH != 0
            guard account == nil || isOpen else { return false }
            return unsafe access(parent, W_OK | X_OK) == 0
        }
    }

    static func destroy(_ folder: String, account: SystemUser?) throws(ClusterError) {
        guard let path = Files.resolved(folder), isKept(path, account: account) else {
            throw .notKept(folder: folder)
        }
        clear(path)
    }

    /// True if this user kept the cluster in a folder.
    ///
    /// The folder may belong to another user, who could put a file or a link there, so the owner is checked.
    private static func isKept(_ folder: String, account: SystemUser?) -> Bool {
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            [geteuid(), account?.user].contains(status.st_uid)
        else { return false }
        let owner = unsafe open(folder + "/owner", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard owner >= 0 else { return false }
        defer { close(owner) }
        return unsafe fstat(owner, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && status.st_nlink == 1 && Files.readAll(owner) == signature
    }

    /// Stops the server of a folder immediately, without saving its data, and removes the folder.
    private static func clear(_ folder: String) {
        for turn in 0..<500 {
            guard let server = server(of: folder) else { break }
            kill(server, turn < 400 ? SIGQUIT : SIGKILL)
            usleep(20_000)
        }
        // A process that is ending may still add a file, so usher repeats the removal.
        for _ in 0..<20 where Files.exists(folder) {
            guard let remover = ChildProcess.start(["/bin/rm", "-rf", "--", folder]) else { return }
            ChildProcess.wait(for: remover)
        }
    }

    /// The process id of a folder's server, while it runs.
    static func server(of folder: String) -> pid_t? {
        guard let text = Files.text(folder + "/data/postmaster.pid"),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), pid > 1,
            // Another process may have the same process id by now.
            Files.text("/proc/\(pid)/cmdline")?.split(separator: "\0").contains("\(folder)/data") == true
        else { return nil }
        return pid
    }
}
