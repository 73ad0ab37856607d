import Glibc

/// The folder of a cluster: data, socket, log, and the file `owner`, which is locked while usher runs.
struct ClusterFolder: Sendable {
    let path: String
    /// The open file `owner`, whose lock ends with this process.
    private let owner: Int32

    private static let signature = "usher cluster 1\n"
    private static let kept = signature + "keep\n"

    init(name: String, in preferred: String? = nil, account: SystemUser?) throws(ClusterError) {
        let parent = Self.parents(name: name, preferred: preferred, account: account).first ?? "/tmp"
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw .system(call: "mkdtemp", path: parent, code: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        owner = unsafe open(path + "/owner", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        // The signature marks the file as usher's; `sweep` locks only files with the signature.
        let (user, group) = (account?.user ?? geteuid(), account?.group ?? getegid())
        guard owner >= 0, flock(owner, LOCK_EX) == 0, fchmod(owner, 0o644) == 0, Files.replace(owner, Self.signature),
            unsafe lchown(path, user, group) == 0
        else {
            let code = errno
            remove()
            throw .system(call: "open", path: path + "/owner", code: code)
        }
    }

    /// Marks the cluster as kept, so that it outlives this process.
    func keep() { _ = Files.replace(owner, Self.kept) }

    func remove() {
        Self.clear(path)
        if owner >= 0 { close(owner) }
    }

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

    /// Removes folders of killed processes of this user; keeps folders without usher's signature.
    static func sweep(_ parent: String, name: String, account: SystemUser?) {
        for entry in Files.names(in: parent) where entry.hasPrefix(name + "-") {
            let path = "\(parent)/\(entry)"
            guard let (owner, text) = ownerFile(of: path, account: account) else { continue }
            if text == signature, flock(owner, LOCK_EX | LOCK_NB) == 0 { clear(path) }
            close(owner)
        }
    }

    static func destroy(_ folder: String, account: SystemUser?) throws(ClusterError) {
        guard let path = Files.resolved(folder), let (owner, text) = ownerFile(of: path, account: account) else {
            throw .notKept(folder: folder)
        }
        close(owner)
        guard text == kept else { throw .notKept(folder: folder) }
        clear(path)
    }

    /// The open file `owner` and its text, if this user wrote it in a folder of usher.
    ///
    /// The folder may belong to another user, who could put a file or a link there, so the owner is checked.
    private static func ownerFile(of folder: String, account: SystemUser?) -> (Int32, String)? {
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            [geteuid(), account?.user].contains(status.st_uid)
        else { return nil }
        let descriptor = unsafe open(folder + "/owner", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else {
            close(descriptor)
            return nil
        }
        return (descriptor, Files.readAll(descriptor))
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
            _ = ChildProcess.output(of: ["/bin/rm", "-rf", "--", folder])
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
