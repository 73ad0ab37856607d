import Glibc

/// What a cluster's folder says about who made it, in its file `owner`.
enum Owner: Equatable {
    /// The cluster ends with the process that made it.
    case process(Identity)
    /// The cluster outlives its maker until it is destroyed by name.
    case kept

    /// A process, such that neither a reused number nor another container's process is taken for it.
    struct Identity: Equatable {
        let pid: pid_t
        /// Clock ticks after boot, field 22 of `/proc/PID/stat`.
        let start: UInt64
        let boot: String
        let namespace: String
    }

    private static let signature = "usher cluster 1"

    /// Writes the file in a folder.
    func write(in folder: String) throws(ClusterError) {
        let lines =
            switch self {
            case .kept: ["keep"]
            case .process(let owner):
                ["pid \(owner.pid)", "start \(owner.start)", "boot \(owner.boot)", "namespace \(owner.namespace)"]
            }
        try Files.write(([Self.signature] + lines).joined(separator: "\n") + "\n", to: folder + "/owner")
    }

    /// What the folder says, provided that the folder is ours and the file was written by this very user.
    ///
    /// The folder may belong to another user, who could plant a file or a link there: only ours counts.
    init?(of folder: String, users: [uid_t]) {
        var status = stat()
        guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, users.contains(status.st_uid)
        else { return nil }
        let descriptor = unsafe open(folder + "/owner", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_nlink == 1
        else { return nil }
        let text = String(decoding: Files.readAll(descriptor, limit: 4096), as: UTF8.self)
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == Self.signature else { return nil }
        if lines.dropFirst() == ["keep"] {
            self = .kept
            return
        }
        var values: [String: String] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { values[String(words[0])] = String(words[1]) }
        }
        guard let pid = values["pid"].flatMap({ pid_t($0) }), pid > 0,
            let start = values["start"].flatMap({ UInt64($0) }),
            let boot = values["boot"], let namespace = values["namespace"]
        else { return nil }
        self = .process(Identity(pid: pid, start: start, boot: boot, namespace: namespace))
    }

    /// Whether the maker has certainly ended; false in doubt.
    var isGone: Bool {
        guard case .process(let owner) = self else { return false }
        guard let here = Identity.current else { return false }
        if owner.boot != here.boot { return true }
        // In another container's numbering the number says nothing.
        guard owner.namespace == here.namespace else { return false }
        if kill(owner.pid, 0) != 0 { return errno == ESRCH }
        guard let (state, start) = Identity.stat(of: owner.pid) else { return false }
        return start != owner.start || state == "Z" || state == "X"
    }
}

extension Owner.Identity {
    /// This process.
    static var current: Self? {
        let pid = getpid()
        guard let (_, start) = stat(of: pid), let boot = Files.text("/proc/sys/kernel/random/boot_id") else {
            return nil
        }
        var buffer = [CChar](repeating: 0, count: 128)
        let length = unsafe readlink("/proc/self/ns/pid", &buffer, buffer.count)
        let bytes = buffer.prefix(max(length, 0)).map(UInt8.init(bitPattern:))
        // Where the kernel does not tell, all are taken to be in one.
        let namespace = bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
        return Self(pid: pid, start: start, boot: String(boot.prefix { $0 != "\n" }), namespace: namespace)
    }

    /// State and start time of a process.
    fileprivate static func stat(of pid: pid_t) -> (state: Substring, start: UInt64)? {
        // The second field is the program's name, which may hold spaces and parentheses: count from its end.
        guard let text = Files.text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let start = UInt64(fields[19]) else { return nil }
        return (fields[0], start)
    }
}
