import Glibc

/// Starts programs that inherit only the given descriptors and variables.
enum ChildProcess {
    /// A fixed PATH, HOME and locale, with TZ and LD_LIBRARY_PATH; the variables of libpq would affect the server.
    private static var environment: [String] {
        let inherited = ["TZ", "LD_LIBRARY_PATH"].compactMap { name in
            unsafe getenv(name).map { unsafe name + "=" + String(cString: $0) }
        }
        return ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/", "LC_ALL=C.UTF-8"] + inherited
    }

    /// Starts a program and returns its process id; nil on failure.
    ///
    /// `/dev/null` replaces a missing descriptor. In its own session, signals of the terminal (Ctrl-C, hang-up) don't
    /// reach the program.
    static func start(
        _ arguments: [String], input: Int32? = nil, output: Int32? = nil, hasOwnSession: Bool = false
    ) -> pid_t? {
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let (input, output) = (input ?? null, output ?? null)
        guard input >= 0, output >= 0 else { return nil }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // A server that outlives this process must not keep the pipes and sockets of this process open.
        for descriptor in Files.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The value of POSIX_SPAWN_SETSID, which glibc defines only for GNU sources.
        if hasOwnSession { unsafe posix_spawnattr_setflags(&attributes, 0x80) }
        var pid: pid_t = 0
        let code = unsafe withVector(arguments) { argv in
            unsafe withVector(environment) { envp in
                unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, argv, envp)
            }
        }
        return code == 0 ? pid : nil
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
