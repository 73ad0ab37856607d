import Glibc

/// A program to start, which inherits only the given descriptors and variables.
struct ChildProcess {
    enum Output {
        /// Standard output and error are appended to a file.
        case file(String)
        /// Standard output goes to a descriptor; standard error is discarded.
        case descriptor(Int32)
    }

    var arguments: [String]
    /// The descriptor for standard input; `/dev/null` if nil.
    var input: Int32?
    var output: Output
    /// True if the program gets its own session, so that signals of the terminal (Ctrl-C, hang-up) don't reach it.
    var hasOwnSession = false

    /// A fixed PATH, HOME and locale, with TZ and LD_LIBRARY_PATH; the variables of libpq would affect the server.
    private static var environment: [String] {
        let inherited = ["TZ", "LD_LIBRARY_PATH"].compactMap { name in
            unsafe getenv(name).map { unsafe name + "=" + String(cString: $0) }
        }
        return ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/", "LC_ALL=C.UTF-8"] + inherited
    }

    /// Starts the program and returns its process id; nil on failure.
    func spawn() -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        switch output {
        case .file(let path):
            let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, flags, 0o600)
            unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        case .descriptor(let descriptor):
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        // A server that outlives this process must not keep the pipes and sockets of this process open.
        for descriptor in Files.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        // The value of POSIX_SPAWN_SETSID, which glibc defines only for GNU sources.
        let session: Int32 = hasOwnSession ? 0x80 : 0
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | session
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let code = unsafe withVector(arguments) { argv in
            unsafe withVector(Self.environment) { envp in
                unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, argv, envp)
            }
        }
        return code == 0 ? pid : nil
    }

    /// The output of a short-lived program; nil if it can't run or fails.
    static func output(of arguments: [String]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        defer { close(ends[0]) }
        let pid = ChildProcess(arguments: arguments, input: nil, output: .descriptor(ends[1])).spawn()
        close(ends[1])
        guard let pid else { return nil }
        let text = Files.readAll(ends[0])
        return wait(for: pid) == 0 ? text : nil
    }

    /// Waits for a child to end.
    ///
    /// Returns its raw status, or nil if another call already collected it.
    @discardableResult
    static func wait(for pid: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            if unsafe waitpid(pid, &status, 0) == pid { return status }
            if errno != EINTR { return nil }
        }
    }
}

/// Passes strings as the null-terminated vector that `posix_spawn` needs.
private func withVector<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var vector: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
    unsafe vector.append(nil)
    // swift format would remove the `unsafe` of a for loop.
    defer { unsafe vector.forEach { unsafe free($0) } }
    return unsafe body(vector)
}
